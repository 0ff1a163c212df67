//! Printing of argument values, in the form that [`super::parse_arg`] reads.

use std::fmt;

use super::{ArgText, FillText, TypeName, ValueText};

impl fmt::Display for ArgText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgText::Value(value) => value.fmt(f),
            ArgText::Buffer { elem, len, fill } => {
                if let Some(elem) = elem {
                    elem.fmt(f)?;
                }
                match len {
                    Some(len) => write!(f, "[{len}]")?,
                    None if elem.is_some() => f.write_str("[]")?,
                    None => {}
                }
                match fill {
                    Some(fill) => write!(f, ":{fill}"),
                    None => Ok(()),
                }
            }
            ArgText::File(path) => write!(f, "@{path}"),
            ArgText::Null => f.write_str("null"),
            ArgText::Same(name) => write!(f, "same:{name}"),
            ArgText::Local {
                elem: Some(elem),
                len,
            } => write!(f, "local:{elem}[{len}]"),
            ArgText::Local { elem: None, len } => write!(f, "local:[{len}]"),
            ArgText::Image {
                sizes,
                format,
                fill,
            } => {
                f.write_str("image")?;
                list(f, "[", sizes, "]")?;
                if let Some(format) = format {
                    write!(f, ":{format}")?;
                }
                match fill {
                    // A name alone is read as a format.
                    Some(FillText::Constant(value))
                        if format.is_none() && is_name(&value.to_string()) =>
                    {
                        write!(f, ":({value})")
                    }
                    Some(fill) => write!(f, ":{fill}"),
                    None => Ok(()),
                }
            }
            ArgText::Words(words) => f.write_str(&words.join(",")),
        }
    }
}

impl fmt::Display for ValueText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueText::Scalar(expr) => expr.fmt(f),
            ValueText::Vector(components) => list(f, "(", components, ")"),
            ValueText::Array(elements) => list(f, "[", elements, "]"),
            ValueText::Struct(members) => {
                f.write_str("{")?;
                for (n, (name, value)) in members.iter().enumerate() {
                    let comma = if n == 0 { "" } else { "," };
                    write!(f, "{comma}{name}:{value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

impl fmt::Display for FillText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FillText::Random(None) => f.write_str("random"),
            FillText::Random(Some((low, high))) => write!(f, "random({low},{high})"),
            FillText::Zero => f.write_str("zero"),
            FillText::Iota => f.write_str("iota"),
            FillText::Constant(value) if starts_as_fill(&value.to_string()) => {
                write!(f, "({value})")
            }
            FillText::Constant(value) => value.fmt(f),
            FillText::File(path) => write!(f, "@{path}"),
        }
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeName::Elem(elem) => elem.fmt(f),
            TypeName::Bytes => f.write_str("bytes"),
            TypeName::Named(name) => f.write_str(name),
        }
    }
}

/// Whether an expression is a name and nothing else.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.starts_with(|c: char| !c.is_ascii_digit())
}

/// Whether an expression begins with a word that says what a buffer holds, for an
/// argument may be called `zero`.
fn starts_as_fill(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let word = &text[..end.unwrap_or(text.len())];
    matches!(word, "random" | "zero" | "iota")
}

fn list<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    open: &str,
    items: &[T],
    close: &str,
) -> fmt::Result {
    f.write_str(open)?;
    for (n, item) in items.iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        write!(f, "{comma}{item}")?;
    }
    f.write_str(close)
}
