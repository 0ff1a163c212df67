//! The parser of argument values.

use super::{ArgText, FillText, TypeName, ValueText};
use crate::expr::Parser;
use crate::image::UnknownFormat;
use crate::text::TextError;
use crate::text::lex::Token;

/// Reads the value of an argument, the part after `NAME=`.
pub fn parse_arg(text: &str) -> Result<ArgText, TextError> {
    let (head, path) = match text.find('@') {
        Some(at) => (at, Some(text[at + 1..].trim())),
        None => (text.len(), None),
    };
    if path == Some("") {
        return Err(TextError::new(
            text,
            head..text.len(),
            "a file name must follow the `@`",
        ));
    }
    if let Some(path) = path
        && text[..head].trim().is_empty()
    {
        return Ok(ArgText::File(path.to_owned()));
    }
    if text.trim().is_empty() {
        let message = "expected a value such as 5, [n]:random, @file.npy or local:[256]";
        return Err(TextError::new(text, 0..text.len(), message));
    }
    let mut parser = Parser::new(text, 0..head)?;
    let arg = match (parser.peek().clone(), parser.ahead(1).clone()) {
        (Token::Name(word), Token::Punct("[")) if word.starts_with("image") => {
            return image(&mut parser, path);
        }
        (Token::Name(_), Token::Punct(",")) => words(&mut parser)?,
        (Token::Name(word), Token::Punct(":")) if word == "same" => same(&mut parser)?,
        (Token::Name(word), Token::Punct(":")) if word == "local" => local(&mut parser)?,
        (Token::Punct("[" | ":"), _) | (Token::Name(_), Token::Punct("[")) => {
            return buffer(&mut parser, path);
        }
        (Token::Name(word), Token::End) if word == "null" => {
            parser.name("`null`")?;
            ArgText::Null
        }
        _ => ArgText::Value(value(&mut parser)?),
    };
    parser.end()?;
    if path.is_some() {
        return Err(TextError::new(
            text,
            head..text.len(),
            "a file can't follow here",
        ));
    }
    Ok(arg)
}

/// `image[…]`, a format, and contents.
fn image(parser: &mut Parser, path: Option<&str>) -> Result<ArgText, TextError> {
    let span = parser.span();
    let word = parser.name("`image`")?;
    if word != "image" {
        let message = format!("write `image[…]`: what {word} says is known from the kernel");
        return Err(parser.error(span, message));
    }
    parser.expect("[")?;
    let mut sizes = vec![parser.expr()?];
    while parser.eat(",") {
        sizes.push(parser.expr()?);
    }
    parser.expect("]")?;
    let mut format = None;
    if let (Token::Punct(":"), Token::Name(word), after) =
        (parser.peek(), parser.ahead(1), parser.ahead(2))
        && matches!(after, Token::End | Token::Punct(":"))
        && !matches!(word.as_str(), "random" | "zero" | "iota")
    {
        let read = word.parse();
        parser.advance();
        match read {
            Ok(known) => format = Some(known),
            Err(error) => {
                let error: UnknownFormat = error;
                return Err(parser.error(parser.span(), error.to_string()));
            }
        }
        parser.advance();
    }
    let fill = contents(parser, path)?;
    Ok(ArgText::Image {
        sizes,
        format,
        fill,
    })
}

/// Words with commas between them.
fn words(parser: &mut Parser) -> Result<ArgText, TextError> {
    let mut words = vec![parser.name("a word")?];
    while parser.eat(",") {
        words.push(parser.name("a word such as nearest or normalized")?);
    }
    Ok(ArgText::Words(words))
}

fn same(parser: &mut Parser) -> Result<ArgText, TextError> {
    parser.advance();
    parser.advance();
    if let Token::Int(index) = *parser.peek() {
        parser.advance();
        return Ok(ArgText::Same(index.to_string()));
    }
    Ok(ArgText::Same(parser.name("the name of another argument")?))
}

fn local(parser: &mut Parser) -> Result<ArgText, TextError> {
    parser.advance();
    parser.advance();
    let elem = type_name(parser);
    if elem.is_none() && !parser.is("[") {
        let start = parser.span().start;
        let size = parser.expr()?;
        let span = start..parser.span().start;
        let message = format!(
            "elements or bytes? Write local:[{size}] for elements, local:bytes[{size}] for bytes"
        );
        return Err(parser.error(span, message));
    }
    parser.expect("[")?;
    let len = parser.expr()?;
    parser.expect("]")?;
    Ok(ArgText::Local { elem, len })
}

/// A type, if a name followed by `[` stands here.
fn type_name(parser: &mut Parser) -> Option<TypeName> {
    match (parser.peek(), parser.ahead(1)) {
        (Token::Name(name), Token::Punct("[")) => {
            let ty = TypeName::new(name);
            parser.advance();
            Some(ty)
        }
        _ => None,
    }
}

fn buffer(parser: &mut Parser, path: Option<&str>) -> Result<ArgText, TextError> {
    let elem = type_name(parser);
    let mut len = None;
    if parser.eat("[") {
        // `f32[]` says the type and leaves the length open.
        if elem.is_none() || !parser.is("]") {
            len = Some(parser.expr()?);
        }
        parser.expect("]")?;
    }
    let fill = contents(parser, path)?;
    Ok(ArgText::Buffer { elem, len, fill })
}

/// `:` and contents, or nothing, up to the end.
fn contents(parser: &mut Parser, path: Option<&str>) -> Result<Option<FillText>, TextError> {
    let colon = parser.eat(":");
    let fill = match (parser.peek().clone(), path) {
        (Token::End, Some(path)) => Some(FillText::File(path.to_owned())),
        (Token::End, None) if !colon => None,
        _ if !colon => return Err(parser.unexpected("`:` and what the buffer holds")),
        _ => Some(fill(parser)?),
    };
    match (parser.peek(), path, &fill) {
        (Token::End, Some(_), Some(FillText::File(_))) | (Token::End, None, _) => Ok(fill),
        (Token::End, ..) => Err(parser.error(parser.span(), "a file can't follow another fill")),
        _ => Err(parser.unexpected("the end")),
    }
}

fn fill(parser: &mut Parser) -> Result<FillText, TextError> {
    let Token::Name(word) = parser.peek().clone() else {
        if *parser.peek() == Token::End {
            return Err(parser.unexpected(
                "what the buffer holds: random, random(lo,hi), zero, iota, a number or @file",
            ));
        }
        return Ok(FillText::Constant(parser.expr()?));
    };
    let fill = match word.as_str() {
        "random" => {
            parser.advance();
            if !parser.eat("(") {
                return Ok(FillText::Random(None));
            }
            let low = parser.expr()?;
            parser.expect(",")?;
            let high = parser.expr()?;
            parser.expect(")")?;
            return Ok(FillText::Random(Some((low, high))));
        }
        "zero" => FillText::Zero,
        "iota" => FillText::Iota,
        _ => return Ok(FillText::Constant(parser.expr()?)),
    };
    parser.advance();
    Ok(fill)
}

fn value(parser: &mut Parser) -> Result<ValueText, TextError> {
    if parser.eat("{") {
        return parser.nested(members);
    }
    if parser.is("(") && is_vector(parser) {
        parser.advance();
        let mut components = vec![parser.expr()?];
        while parser.eat(",") {
            components.push(parser.expr()?);
        }
        parser.expect(")")?;
        return Ok(ValueText::Vector(components));
    }
    Ok(ValueText::Scalar(parser.expr()?))
}

/// Whether the bracket that opens here holds a comma of its own, which no
/// expression does.
fn is_vector(parser: &Parser) -> bool {
    let mut depth = 0_u32;
    for n in 0.. {
        match parser.ahead(n) {
            Token::Punct("(") => depth += 1,
            Token::Punct(")") if depth == 1 => return false,
            Token::Punct(")") => depth -= 1,
            Token::Punct(",") if depth == 1 => return true,
            Token::End => return false,
            _ => {}
        }
    }
    false
}

/// The members of a structure, after its `{`.
fn members(parser: &mut Parser) -> Result<ValueText, TextError> {
    let mut members: Vec<(String, ValueText)> = Vec::new();
    while !parser.eat("}") {
        let span = parser.span();
        let name = parser.name("the name of a member, as in {nx:64}")?;
        if members.iter().any(|(other, _)| *other == name) {
            return Err(parser.error(span, format!("member `{name}` is given twice")));
        }
        if !parser.eat(":") && !parser.eat("=") {
            return Err(parser.unexpected("`:` and the member's value"));
        }
        let value = if parser.eat("[") {
            parser.nested(elements)?
        } else {
            value(parser)?
        };
        members.push((name, value));
        if !parser.eat(",") && !parser.is("}") {
            return Err(parser.unexpected("`,` or `}`"));
        }
    }
    Ok(ValueText::Struct(members))
}

/// The elements of an array member, after its `[`.
fn elements(parser: &mut Parser) -> Result<ValueText, TextError> {
    let mut elements = Vec::new();
    while !parser.eat("]") {
        elements.push(value(parser)?);
        if !parser.eat(",") && !parser.is("]") {
            return Err(parser.unexpected("`,` or `]`"));
        }
    }
    Ok(ValueText::Array(elements))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_form_is_read_and_printed_the_same() {
        for text in [
            "5",
            "-1.5e3",
            "W*H",
            "(1,2)",
            "(W+1)*2",
            "{nx:64,dt:0.1,k:[1,2],o:(1,2),q:{a:1}}",
            "@p.bin",
            "[W*H]",
            "f32[W*H]:random",
            "f32x4[N]:random(0,N)",
            "bytes[1024]:zero",
            "[n]:iota",
            "[n]:1.5",
            "[n]:@some dir/in.npy",
            ":random(-1,1)",
            "Params[n]",
            "same:in",
            "null",
            "same:0",
            "local:f32[local_size(0)+2]",
            "local:[258]",
            "local:bytes[1024]",
            "image[W]",
            "image[W,H+1,4]:rgba8",
            "image[W,H]:r32f:random(0,N)",
            "image[64]:zero",
            "image[64]:0.5",
            "image[W,H]:rgba8:@some dir/in.bin",
            "image[W,H]:@in.npy",
            "clamp_to_edge,nearest,normalized",
        ] {
            let arg = parse_arg(text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(arg.to_string(), text);
            assert_eq!(parse_arg(&arg.to_string()).as_ref(), Ok(&arg));
        }
        assert_eq!(parse_arg("[n]@in.npy"), parse_arg("[n]:@in.npy"));
        assert_eq!(parse_arg("float4[n]"), parse_arg("f32x4[n]"));
    }

    /// An argument may be called `zero` or `r`.
    #[test]
    fn a_name_is_printed_so_that_it_is_no_fill_and_no_format() {
        for (text, printed) in [
            ("[n]:+zero", "[n]:(zero)"),
            ("[n]:(iota)*2", "[n]:(iota)*2"),
            ("[n]:zeros", "[n]:zeros"),
            ("image[b]:+t", "image[b]:(t)"),
            ("image[b]:(t)", "image[b]:(t)"),
            ("image[b]:+t*2", "image[b]:t*2"),
            ("image[b]:r32f:t", "image[b]:r32f:t"),
        ] {
            let arg = parse_arg(text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(arg.to_string(), printed);
            assert_eq!(parse_arg(printed).as_ref(), Ok(&arg));
        }
    }

    #[test]
    fn mistakes_point_at_their_place() {
        for (text, expected) in [
            ("[n", "expected `]`, found the end\n    [n\n      ^"),
            (
                "[n]:",
                "expected what the buffer holds: random, random(lo,hi), zero, iota, a number or @file, found the end\n    [n]:\n        ^",
            ),
            (
                "[n]zero",
                "expected `:` and what the buffer holds, found `zero`\n    [n]zero\n       ^^^^",
            ),
            (
                "local:1024",
                "elements or bytes? Write local:[1024] for elements, local:bytes[1024] for bytes\n    local:1024\n          ^^^^",
            ),
            (
                "{nx:64 dt:1}",
                "expected `,` or `}`, found `dt`\n    {nx:64 dt:1}\n           ^^",
            ),
            (
                "{a:1,a:2}",
                "member `a` is given twice\n    {a:1,a:2}\n         ^",
            ),
            (
                "[n]:zero@x",
                "a file can't follow another fill\n    [n]:zero@x\n            ^",
            ),
            (
                "image2d[W,H]",
                "write `image[…]`: what image2d says is known from the kernel\n    image2d[W,H]\n    ^^^^^^^",
            ),
            (
                "nearest,5",
                "expected a word such as nearest or normalized, found `5`\n    nearest,5\n            ^",
            ),
            ("@", "a file name must follow the `@`\n    @\n    ^"),
            ("5 6", "expected the end, found `6`\n    5 6\n      ^"),
        ] {
            match parse_arg(text) {
                Ok(arg) => panic!("{text} was read as {arg:?}"),
                Err(error) => assert_eq!(error.to_string(), expected, "{text}"),
            }
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        for text in [
            "(".repeat(5000),
            "{a:".repeat(5000),
            "-".repeat(5000),
            "1+".repeat(5000),
        ] {
            assert!(parse_arg(&text).is_err());
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(
            text in "[-+*/%^()\\[\\]{}<>,:@=0-9a-z_. ]{0,60}|(local|same|random|image|f32|rgba8|[\\[\\](){}:,@n1]){0,12}|\\PC{0,40}"
        ) {
            if let Ok(arg) = parse_arg(&text) {
                prop_assert_eq!(parse_arg(&arg.to_string()), Ok(arg));
            }
        }
    }
}
