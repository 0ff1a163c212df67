//! Comments of a text.

/// The text with blanks in place of comments and of what literals in quotes hold, byte
/// for byte: offsets stay. A comment of several lines becomes blanks of one line.
pub fn blanked(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (shown, hidden) = match (comment(rest), c) {
            (0, '"' | '\'') => (1, literal(rest, c) - 1),
            (0, _) => (c.len_utf8(), 0),
            (length, _) => (0, length),
        };
        code.push_str(&rest[..shown]);
        code.extend(std::iter::repeat_n(' ', hidden));
        rest = &rest[shown + hidden..];
    }
    code
}

/// Bytes of the comment that a text starts with; 0 where it starts with none.
fn comment(text: &str) -> usize {
    if let Some(inside) = text.strip_prefix("/*") {
        return inside.find("*/").map_or(text.len(), |i| i + 4);
    }
    if !text.starts_with("//") {
        return 0;
    }
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
            return end - usize::from(line.ends_with('\n'));
        }
    }
    end
}

/// Bytes of the literal in quotes that a text starts with.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == '\n' || c == quote && !escaped {
            return if c == quote { at + 1 } else { at };
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// One behind the end of an offset's line, its break included, where nothing but blanks
/// and comments stand behind the offset. A comment is followed to its last line.
pub fn rest_of_line(code: &str, from: usize) -> Option<usize> {
    let rest = code.get(from..)?;
    let length = rest.find('\n').map_or(rest.len(), |i| i + 1);
    rest[..length].trim().is_empty().then_some(from + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_blanks() {
        let text = "a /* é\n */ b; // c\n'\"' \"/*\" d // e \\\n f\ng";
        let code = blanked(text);
        assert_eq!(code.len(), text.len());
        let words: Vec<&str> = code.split_whitespace().collect();
        assert_eq!(words, ["a", "b;", "'", "\"", "d", "g"]);
        assert_eq!(code.lines().count(), 3);
    }

    #[test]
    fn code_behind_a_comment_counts() {
        let behind = |text: &str| rest_of_line(&blanked(text), 2);
        assert_eq!(behind("x; /* a */ y;\n"), None);
        assert_eq!(behind("x; /* a */ // y;\nz"), Some(17));
        assert_eq!(behind("x; /* a\n b */\nz"), Some(14));
        assert_eq!(behind("x;"), Some(2));
    }
}
