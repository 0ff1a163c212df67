//! The loads of a kernel, reading a tile.

use tilewise_frontend::source::{ExprKind, SourceTree};

use crate::loads::Load;
use crate::refusal::{Code, Refusal};

use super::edit::TextEdit;
use super::tile::{BoxTile, Shape, tile_index};
use super::writer::Writer;

/// Edits that replace the loads of a tile.
///
/// # Errors
/// A load that comes out of a macro.
pub fn reads(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
) -> Result<Vec<TextEdit>, Refusal> {
    let tree = writer.accesses.bindings.tree;
    let mut edits = Vec::new();
    for (position, &load) in tile.family.loads.iter().enumerate() {
        let load = &writer.accesses.loads[load];
        let text = match (&load.choice, tile.domain.filled_up) {
            (Some(choice), Some(_)) => choice.text.clone(),
            _ => load.text.clone(),
        };
        let Some(range) = text.range else {
            return Err(out_of_reach(tree, load, &tile.buffer));
        };
        let index = writer.print(range.start, |p| tile_index(p, shape, tile.family, position));
        let element = format!("{}{}[{index}]", text.cast, tile.tile);
        edits.push(TextEdit::replace(range, element));
    }
    Ok(edits)
}

/// A load that can't be replaced alone.
fn out_of_reach(tree: &SourceTree, load: &Load<'_>, buffer: &str) -> Refusal {
    let span = load.expr.span;
    if matches!(load.expr.kind, ExprKind::Call { .. }) && load.image.is_none() {
        return Refusal::new(
            tree,
            span,
            Code::Form,
            format!("this function tests for the border itself, and {buffer} is read without the test, too"),
        )
        .of(buffer)
        .helped("write the load and its test out");
    }
    Refusal::new(
        tree,
        span,
        Code::Macro,
        format!("this load of {buffer} comes out of a macro and can't be edited alone"),
    )
    .of(buffer)
    .helped("write the load out, or let the macro compute the index only")
}
