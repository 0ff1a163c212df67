//! The loads of a kernel, reading a tile.

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
        let whole = match (load.choice, tile.domain.filled_up) {
            (Some(choice), Some(_)) => choice.whole,
            _ => load.expr,
        };
        let range = whole.span.editable().ok_or_else(|| {
            Refusal::new(
                tree,
                whole.span,
                Code::Macro,
                format!(
                    "this load of {} comes out of a macro and can't be edited alone",
                    tile.buffer
                ),
            )
            .of(&tile.buffer)
            .helped("write the load out, or let the macro compute the index only")
        })?;
        let index = writer.print(range.start, |p| tile_index(p, shape, tile.family, position));
        edits.push(TextEdit::replace(range, format!("{}[{index}]", tile.tile)));
    }
    Ok(edits)
}
