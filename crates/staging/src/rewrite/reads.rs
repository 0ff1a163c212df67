//! The loads of a kernel, reading a tile.

use std::ops::Range;

use tilewise_frontend::source::{ExprKind, SourceTree};

use crate::loads::Load;
use crate::refusal::{Code, Refusal};

use super::edit::TextEdit;
use super::tile::{BoxTile, Shape, element_to_read};
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
        let Some(mut range) = text.range else {
            return Err(out_of_reach(tree, load, &tile.buffer));
        };
        if text.cast.is_empty() && load.choice.is_some() && tile.domain.filled_up.is_some() {
            range = with_parentheses(&tree.text, range);
        }
        let element = writer.print(range.start, |p| element_to_read(p, tile, shape, position));
        let said = comments(&tree.text[range.clone()]);
        let element = format!("{}{element}{said}", text.cast);
        edits.push(TextEdit::replace(range, element));
    }
    Ok(edits)
}

/// The comments of a text that is replaced, to stand behind what replaces it.
fn comments(text: &str) -> String {
    let mut found = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        let Some(length) = rest[at..].find("*/") else {
            break;
        };
        let end = at + length + 2;
        found.push(' ');
        found.push_str(&rest[at..end]);
        rest = &rest[end..];
    }
    found
}

/// A text with the parentheses around it that a single element does not need.
fn with_parentheses(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text[..range.start].trim_end();
    let behind = text[range.end..].trim_start();
    let (Some(outside), true) = (before.strip_suffix('('), behind.starts_with(')')) else {
        return range;
    };
    // Those of a call, an `if` or a macro have to stay.
    let called = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ')';
    if outside.trim_end().ends_with(called) {
        return range;
    }
    outside.len()..text.len() - behind.len() + 1
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
