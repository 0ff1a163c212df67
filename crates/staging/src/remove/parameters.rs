//! Parameters that go.

use std::ops::Range;

use tilewise_frontend::source::{DeclId, Function};

use crate::rewrite::TextEdit;
use crate::rewrite::comments::rest_of_line;
use crate::rewrite::fixed_group::above_comments;

/// Edits that take parameters out of a function, each with its comma and the comment on
/// its line; none where one comes out of a macro. `code` is the text without comments.
pub fn without_parameters(
    text: &str,
    code: &str,
    function: &Function,
    gone: &[DeclId],
) -> Option<Vec<TextEdit>> {
    let ranges: Option<Vec<Range<usize>>> =
        function.params.iter().map(|p| p.span.editable()).collect();
    let ranges = ranges?;
    let goes = |i: usize| gone.contains(&function.params[i].id);
    let stays: Vec<usize> = (0..ranges.len()).filter(|i| !goes(*i)).collect();
    let mut edits = Vec::new();
    let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else {
        return Some(edits);
    };
    let Some(&last_stays) = stays.last() else {
        edits.push(TextEdit::replace(first.start..last.end, ""));
        return Some(edits);
    };
    for i in (0..last_stays).filter(|i| goes(*i)) {
        let comma = ranges[i].end + code.get(ranges[i].end..)?.find(',')? + 1;
        edits.push(TextEdit::replace(
            with_line(text, code, &(ranges[i].start..comma), ranges[i + 1].start),
            "",
        ));
    }
    if last_stays + 1 < ranges.len() {
        edits.extend(without_last(text, code, ranges[last_stays].end, last.end)?);
    }
    Some(edits)
}

/// A parameter and its comma with the line, or with what is behind it.
fn with_line(text: &str, code: &str, own: &Range<usize>, next: usize) -> Range<usize> {
    let line = code[..own.start].rfind('\n').map_or(0, |i| i + 1);
    let first = code[line..own.start].trim().is_empty();
    match (first, rest_of_line(code, own.end)) {
        (true, Some(end)) => above_comments(text, line)..end,
        // The comment on the line is about it.
        (false, Some(end)) => {
            let begin = code[..own.start].trim_end_matches([' ', '\t']).len();
            begin..text[..end].trim_end_matches(['\n', '\r']).len()
        }
        (_, None) => own.start..next,
    }
}

/// Takes out what follows the last parameter that stays.
fn without_last(text: &str, code: &str, from: usize, to: usize) -> Option<Vec<TextEdit>> {
    let comma = from + code.get(from..)?.find(',')?;
    let Some(line) = code.get(comma..to)?.find('\n').map(|i| comma + i) else {
        return Some(vec![TextEdit::replace(comma..to, "")]);
    };
    // The comment on the line of the one that stays is its own: what closes the list
    // moves in front of it.
    let behind = code[to..].find('\n').map_or(code.len(), |i| to + i);
    let closing = to + code[to..behind].trim_end().len();
    Some(vec![
        TextEdit::replace(comma..comma + 1, &text[to..closing]),
        TextEdit::replace(line..behind, ""),
    ])
}
