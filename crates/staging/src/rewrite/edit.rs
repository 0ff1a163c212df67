//! Edits of a text.

use std::ops::Range;

/// A replacement of some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes; empty for an insertion.
    pub range: Range<usize>,
    /// What stands there instead.
    pub text: String,
}

impl TextEdit {
    /// An insertion in front of an offset.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self {
            range: at..at,
            text: text.into(),
        }
    }

    /// A replacement.
    pub fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            range,
            text: text.into(),
        }
    }
}

/// Applies edits; `None` where two of them overlap. Equal edits count once;
/// insertions at one place keep their order.
pub fn apply(text: &str, edits: &[TextEdit]) -> Option<String> {
    let mut sorted: Vec<&TextEdit> = Vec::new();
    for edit in edits {
        if edit.range.is_empty() || !sorted.contains(&edit) {
            sorted.push(edit);
        }
    }
    sorted.sort_by_key(|e| (e.range.start, e.range.end));
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    let windows = text.contains("\r\n");
    for edit in sorted {
        result.push_str(text.get(at..edit.range.start)?);
        match windows {
            // Its lines end as the text's do.
            true => {
                let lines = edit.text.replace("\r\n", "\n");
                result.push_str(&lines.replace('\n', "\r\n"));
            }
            false => result.push_str(&edit.text),
        }
        at = edit.range.end;
    }
    result.push_str(text.get(at..)?);
    Some(result)
}

/// Where the line of an offset begins, and its indentation.
pub fn line_start(text: &str, offset: usize) -> (usize, &str) {
    let start = text[..offset].rfind('\n').map_or(0, |i| i + 1);
    let line = &text[start..];
    let width = line.len() - line.trim_start_matches([' ', '\t']).len();
    (start, &line[..width])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_once_and_in_order() {
        let edits = [
            TextEdit::replace(4..5, "q"),
            TextEdit::insert(0, "x"),
            TextEdit::replace(4..5, "q"),
            TextEdit::insert(0, "y"),
        ];
        assert_eq!(apply("a b c", &edits), Some("xya b q".to_owned()));
        let new = [TextEdit::insert(3, "x\n")];
        assert_eq!(
            apply("a\r\nb\r\n", &new),
            Some("a\r\nx\r\nb\r\n".to_owned())
        );
        let overlap = [TextEdit::replace(0..3, ""), TextEdit::replace(2..4, "")];
        assert_eq!(apply("a b c", &overlap), None);
    }
}
