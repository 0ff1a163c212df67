//! Tokens of C with their columns: as much of a lexer as positions need.

/// A token and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its text.
    pub text: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// Punctuators of more than one character, longest first.
const PUNCTUATORS: &[&str] = &[
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=",
    "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##",
];

/// The tokens of one line. Comments must have been blanked out.
pub fn tokens(text: &str, line: u32) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let first = bytes[at];
        if first.is_ascii_whitespace() || first == b'\\' {
            at += 1;
            continue;
        }
        let len = token_length(text, at);
        tokens.push(Token {
            text: text[at..at + len].to_owned(),
            line,
            column: at as u32 + 1,
        });
        at += len;
    }
    tokens
}

/// Length of the token at a byte, in bytes; at least one character.
fn token_length(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let bytes = rest.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
    match bytes[0] {
        b'"' | b'\'' => literal_length(bytes),
        b if b.is_ascii_digit() || (b == b'.' && bytes.get(1).is_some_and(u8::is_ascii_digit)) => {
            number_length(bytes)
        }
        b if is_word(b) => bytes.iter().take_while(|&&b| is_word(b)).count(),
        _ => PUNCTUATORS
            .iter()
            .find(|p| rest.starts_with(*p))
            .map(|p| p.len())
            .or_else(|| rest.chars().next().map(char::len_utf8))
            .unwrap_or(1),
    }
}

/// A preprocessing number: `1.5e-3f`, `0x1p+2`.
fn number_length(bytes: &[u8]) -> usize {
    let mut len = 0;
    while let Some(&b) = bytes.get(len) {
        let after_exponent = len > 0
            && matches!(bytes[len - 1], b'e' | b'E' | b'p' | b'P')
            && (b == b'+' || b == b'-');
        if b.is_ascii_alphanumeric() || b == b'.' || b == b'_' || after_exponent {
            len += 1;
        } else {
            break;
        }
    }
    len
}

fn literal_length(bytes: &[u8]) -> usize {
    let quote = bytes[0];
    let mut len = 1;
    while let Some(&b) = bytes.get(len) {
        len += 1;
        if b == quote {
            break;
        }
        if b == b'\\' && bytes.get(len).is_some_and(u8::is_ascii) {
            len += 1;
        }
    }
    len
}

/// A text with its comments blanked out, lines and columns kept.
pub fn without_comments(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'"' | b'\'', _) => {
                let line_end = bytes[at..].iter().position(|&b| b == b'\n');
                let line = &bytes[at..line_end.map_or(bytes.len(), |n| at + n)];
                let len = literal_length(line);
                out.extend_from_slice(&line[..len]);
                at += len;
            }
            (b'/', Some(b'/')) => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    out.push(b' ');
                    at += 1;
                }
            }
            (b'/', Some(b'*')) => {
                let end = text
                    .get(at + 2..)
                    .and_then(|rest| rest.find("*/"))
                    .map_or(bytes.len(), |n| at + 2 + n + 2);
                for &b in &bytes[at..end] {
                    out.push(if b == b'\n' { b'\n' } else { b' ' });
                }
                at = end;
            }
            (b, _) => {
                out.push(b);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_as_c_does() {
        let texts: Vec<String> = tokens("a[i]+=1.5e-3f<<x->y \"s\\\"t\"", 1)
            .into_iter()
            .map(|t| t.text)
            .collect();
        assert_eq!(
            texts,
            [
                "a",
                "[",
                "i",
                "]",
                "+=",
                "1.5e-3f",
                "<<",
                "x",
                "->",
                "y",
                "\"s\\\"t\""
            ]
        );
    }

    #[test]
    fn columns_count_bytes() {
        let found = tokens("  é x", 3);
        assert_eq!((found[0].column, found[1].column), (3, 6));
    }

    #[test]
    fn comments_go_and_strings_stay() {
        let text = "a /* b\n c */ d // e\n\"/* no */\" 'x'";
        assert_eq!(
            without_comments(text),
            "a     \n      d     \n\"/* no */\" 'x'"
        );
    }
}
