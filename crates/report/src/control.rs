//! Control characters. Names, sources and compiler messages come from files; an
//! escape sequence in one of them could move the reader's cursor, rename the
//! window or hide text. Rendered text passes through here last, so that no
//! renderer has to think of it.

use crate::style::Style;

/// Replaces control characters other than line feeds and tabs by `\u{fffd}`.
/// Where colours are wanted, sequences that set a colour (`ESC [ … m`) stay;
/// those from a file can then colour text, and nothing else.
pub(crate) fn harmless(text: &str, style: Style) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let colour = if style.is_colour() {
            colour_sequence(rest)
        } else {
            0
        };
        if colour > 0 {
            out.push_str(&rest[..colour]);
            rest = &rest[colour..];
            continue;
        }
        if c.is_control() && c != '\n' && c != '\t' {
            out.push('\u{fffd}');
        } else {
            out.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// Length of the colour sequence that the text starts with; 0 if it does not.
fn colour_sequence(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\u{1b}[") else {
        return 0;
    };
    let end = parameters.find(|c: char| !(c.is_ascii_digit() || c == ';'));
    match end {
        Some(end) if parameters[end..].starts_with('m') => "\u{1b}[".len() + end + 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_no_escapes() {
        assert_eq!(
            harmless("a\u{1b}[31mb\n\tc\r", Style::plain()),
            "a\u{fffd}[31mb\n\tc\u{fffd}"
        );
    }

    #[test]
    fn of_escapes_only_colours_stay() {
        let text = "\u{1b}[1;31mé\u{1b}[0m";
        assert_eq!(harmless(text, Style::colour()), text);
        for evil in ["\u{1b}[2J", "\u{1b}]0;title\u{7}", "\u{1b}[", "\u{9b}5A"] {
            let shown = harmless(evil, Style::colour());
            assert!(!shown.chars().any(char::is_control), "{evil:?}");
        }
    }
}
