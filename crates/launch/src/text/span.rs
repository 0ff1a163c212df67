//! An error in a short text, shown with the text and a caret under the place.

use std::fmt;
use std::ops::Range;

/// Something wrong at a place in a text of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The whole text.
    pub text: String,
    /// The place, as byte offsets into `text`.
    pub span: Range<usize>,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl TextError {
    /// An error at `span` of `text`. The span is cut to the text and widened
    /// to whole characters.
    pub fn new(text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        let mut start = span.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = span.end.clamp(start, text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Self {
            text: text.to_owned(),
            span: start..end,
            message: message.into(),
        }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Control characters would break the line or shift the caret.
        let shown = |s: &str| -> String {
            s.chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect()
        };
        let before = self.text[..self.span.start].chars().count();
        let width = self.text[self.span.clone()].chars().count().max(1);
        writeln!(f, "{}", self.message)?;
        writeln!(f, "    {}", shown(&self.text))?;
        write!(f, "    {}{}", " ".repeat(before), "^".repeat(width))
    }
}

impl std::error::Error for TextError {}

#[cfg(test)]
mod tests {
    use super::TextError;

    #[test]
    fn caret_stands_under_the_place() {
        let error = TextError::new("W*+H", 2..3, "expected a value");
        assert_eq!(error.to_string(), "expected a value\n    W*+H\n      ^");
    }

    #[test]
    fn a_span_inside_a_character_or_beyond_the_end_is_mended() {
        let error = TextError::new("é", 1..9, "odd");
        assert_eq!(error.span, 0..2);
        assert_eq!(error.to_string(), "odd\n    é\n    ^");
    }
}
