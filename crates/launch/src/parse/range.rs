//! Dimensions of an NDRange: `4096x4096`, `4096,4096`, `roundup(W,16),H`.

use crate::expr::{Expr, Parser};
use crate::text::TextError;

/// Reads one to three expressions, separated by commas or, after a number or a
/// closing bracket, by `x`.
pub fn split_dims(text: &str) -> Result<Vec<Expr>, TextError> {
    let mut parser = Parser::shown_as(&with_commas(text), text)?;
    let mut dims = vec![parser.expr()?];
    while parser.is(",") {
        if dims.len() == 3 {
            return Err(parser.error(parser.span(), "an NDRange has three dimensions at most"));
        }
        parser.advance();
        dims.push(parser.expr()?);
    }
    parser.end()?;
    Ok(dims)
}

/// The text with each `x` that separates dimensions replaced by a comma, so
/// that all places stay the same. An `x` in a name (`nx`) or a hexadecimal number (`0x10`) stays.
fn with_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // The word that ends here, since the last separator, blank or operator.
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let follows_value = match word.chars().next() {
            Some(first) => first.is_ascii_digit() && word != "0",
            None => match out.trim_end().chars().last() {
                Some(')') => true,
                // An `x` on its own between two values.
                Some(last) if last.is_ascii_alphanumeric() || last == '_' => chars
                    .peek()
                    .is_some_and(|next| !next.is_ascii_alphanumeric() && *next != '_'),
                _ => false,
            },
        };
        if c == 'x' && follows_value && chars.peek().is_some() {
            out.push(',');
            word.clear();
            continue;
        }
        out.push(c);
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') {
            word.push(c);
        } else {
            word.clear();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dims(text: &str) -> Vec<String> {
        let dims = split_dims(text).unwrap_or_else(|e| panic!("{e}"));
        dims.iter().map(Expr::to_string).collect()
    }

    #[test]
    fn separators() {
        assert_eq!(dims("4096"), ["4096"]);
        assert_eq!(dims("4096x4096"), ["4096", "4096"]);
        assert_eq!(dims("8x8x4"), ["8", "8", "4"]);
        assert_eq!(dims("64 x 64"), ["64", "64"]);
        assert_eq!(dims("W x H"), ["W", "H"]);
        assert_eq!(dims("roundup(W,16),H"), ["roundup(W,16)", "H"]);
        assert_eq!(dims("(W)x(H)"), ["(W)", "(H)"]);
        assert_eq!(dims("0x10x16"), ["0x10", "16"]);
        assert_eq!(dims("16x0x10"), ["16", "0x10"]);
        assert_eq!(dims("nx,ny"), ["nx", "ny"]);
        assert_eq!(dims("x, x"), ["x", "x"]);
        assert_eq!(dims("2^10x4K"), ["2^10", "4K"]);
    }

    #[test]
    fn four_dimensions_are_one_too_many() {
        assert_eq!(
            split_dims("1x2x3x4").unwrap_err().to_string(),
            "an NDRange has three dimensions at most\n    1x2x3x4\n         ^"
        );
        assert!(split_dims("16x").is_err());
        assert!(split_dims("").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[0-9xWH(),* ]{0,30}|\\PC{0,30}") {
            if let Ok(dims) = split_dims(&text) {
                prop_assert!((1..=3).contains(&dims.len()));
            }
        }
    }
}
