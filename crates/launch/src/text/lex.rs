//! Tokens of expressions and argument values.
//!
//! Integers may be written `1024`, `16_777_216`, `0x400` or `64K`, where K, M
//! and G (also Ki, Mi, Gi) are powers of 1024, as sizes on devices are counted.
//! Floating-point literals may carry C's suffix `f`. A name may hold dots, so
//! that a member of a structure argument (`p.nx`) is a name.

use std::fmt;
use std::ops::Range;

use super::TextError;

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Int(i128),
    Float(f64),
    Name(String),
    /// An operator or bracket; `<<` and `>>` are one token.
    Punct(&'static str),
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Int(v) => write!(f, "`{v}`"),
            Token::Float(v) => write!(f, "`{v}`"),
            Token::Name(n) => write!(f, "`{n}`"),
            Token::Punct(p) => write!(f, "`{p}`"),
            Token::End => f.write_str("the end"),
        }
    }
}

const PUNCTUATION: [&str; 17] = [
    "<<", ">>", "+", "-", "*", "/", "%", "^", "(", ")", "[", "]", "{", "}", ",", ":", "=",
];

/// Splits `text[range]` into tokens with their places in `text`. The last
/// token is always [`Token::End`].
pub(crate) fn lex(
    text: &str,
    range: Range<usize>,
) -> Result<Vec<(Token, Range<usize>)>, TextError> {
    let mut tokens = Vec::new();
    let mut at = range.start;
    while let Some(c) = text[at..range.end].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let rest = &text[at..range.end];
        let (token, len) = if c.is_ascii_digit() || (c == '.' && second_is_digit(rest)) {
            number(text, at, rest)?
        } else if c.is_ascii_alphabetic() || c == '_' {
            let len = word_len(rest, |c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
            (Token::Name(rest[..len].to_owned()), len)
        } else if let Some(p) = PUNCTUATION.iter().find(|p| rest.starts_with(**p)) {
            (Token::Punct(p), p.len())
        } else {
            let span = at..at + c.len_utf8();
            return Err(TextError::new(
                text,
                span,
                format!("unexpected character {c:?}"),
            ));
        };
        tokens.push((token, at..at + len));
        at += len;
    }
    tokens.push((Token::End, range.end..range.end));
    Ok(tokens)
}

fn second_is_digit(rest: &str) -> bool {
    rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
}

fn word_len(text: &str, accept: impl Fn(char) -> bool) -> usize {
    text.find(|c| !accept(c)).unwrap_or(text.len())
}

/// The number at the start of `rest`, and its length in bytes.
fn number(text: &str, at: usize, rest: &str) -> Result<(Token, usize), TextError> {
    let bytes = rest.as_bytes();
    if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        let len = word_len(hex, |c| c.is_ascii_alphanumeric() || c == '_');
        let digits = hex[..len].replace('_', "");
        return match i128::from_str_radix(&digits, 16) {
            Ok(value) => Ok((Token::Int(value), len + 2)),
            Err(_) => {
                let message = "expected a hexadecimal number such as 0x400";
                Err(TextError::new(text, at..at + len + 2, message))
            }
        };
    }
    let digits = |from: usize| from + word_len(&rest[from..], |c| c.is_ascii_digit() || c == '_');
    let mut end = digits(0);
    let mut float = false;
    if bytes.get(end) == Some(&b'.') {
        float = true;
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            float = true;
            end = digits(end + 1 + sign);
        }
    }
    let suffix_len = word_len(&rest[end..], |c| {
        c.is_ascii_alphanumeric() || c == '_' || c == '.'
    });
    let suffix = &rest[end..end + suffix_len];
    let len = end + suffix_len;
    let plain = rest[..end].replace('_', "");
    let wrong = |message: String| TextError::new(text, at..at + len, message);

    if float || matches!(suffix, "f" | "F") {
        if !matches!(suffix, "" | "f" | "F") {
            return Err(wrong(format!("`{}` is not a number", &rest[..len])));
        }
        return match plain.parse::<f64>() {
            Ok(value) => Ok((Token::Float(value), len)),
            Err(_) => Err(wrong(format!("`{}` is not a number", &rest[..len]))),
        };
    }
    let shift = match suffix {
        "" => 0,
        "K" | "Ki" => 10,
        "M" | "Mi" => 20,
        "G" | "Gi" => 30,
        _ => {
            return Err(wrong(format!(
                "`{}` is neither a number nor a name (suffixes of numbers are K, M and G, powers \
                 of 1024)",
                &rest[..len]
            )));
        }
    };
    let value = plain
        .parse::<i128>()
        .ok()
        .and_then(|v| v.checked_mul(1 << shift));
    value
        .map(|v| (Token::Int(v), len))
        .ok_or_else(|| wrong("this number is too large".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        lex(text, 0..text.len())
            .unwrap()
            .into_iter()
            .map(|(t, _)| t)
            .collect()
    }

    #[test]
    fn numbers_in_every_form() {
        assert_eq!(
            tokens("0x10 1_000 64K 2Mi 1.5e3 .5 2.f 1f 1e3"),
            vec![
                Token::Int(16),
                Token::Int(1000),
                Token::Int(65536),
                Token::Int(2 << 20),
                Token::Float(1500.0),
                Token::Float(0.5),
                Token::Float(2.0),
                Token::Float(1.0),
                Token::Float(1000.0),
                Token::End,
            ]
        );
    }

    #[test]
    fn names_hold_dots() {
        assert_eq!(tokens("p.nx"), vec![Token::Name("p.nx".into()), Token::End]);
    }

    #[test]
    fn errors_point_at_the_place() {
        for (text, span) in [
            ("1+12abc", 2..7),
            ("a $", 2..3),
            ("0xzz", 0..4),
            ("1.2.3", 0..5),
        ] {
            let error = lex(text, 0..text.len()).unwrap_err();
            assert_eq!(error.span, span, "{error}");
        }
    }
}
