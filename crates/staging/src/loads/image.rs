//! Reads of images.
//!
//! `read_imagef(in, sampler, (int2)(x, y))` with a nearest, unnormalised sampler is
//! a load of one texel, whatever the sampler does beyond the image: a fill asks the
//! same sampler. As an index it is `x + y * pitch`, where the pitch stands for the
//! row of texels and is never written out.
//!
//! What it misses: images of other dimensions than two, and samplers that are
//! arguments, since another launch may give another one.

use tilewise_frontend::source::{BinaryOp, Expr, ExprKind, SourceTree, Type};

use crate::symbolic::{Atom, Bindings, Poly};

/// How a texel is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRead {
    /// `read_imagef`, `read_imagei` or `read_imageui`.
    pub function: String,
    /// The sampler as the source writes it, where there is one.
    pub sampler: Option<String>,
}

impl ImageRead {
    /// The type of a texel.
    pub fn element(&self) -> &'static str {
        match self.function.as_str() {
            "read_imagei" => "int4",
            "read_imageui" => "uint4",
            _ => "float4",
        }
    }

    /// The read of a texel of an image, as C.
    pub fn text(&self, image: &str, x: &str, y: &str) -> String {
        let sampler = match &self.sampler {
            Some(sampler) => format!("{sampler}, "),
            None => String::new(),
        };
        format!("{}({image}, {sampler}(int2)({x}, {y}))", self.function)
    }

    /// The pitch of the image in an index: one for each way to read it, so that each
    /// has its own tile.
    pub fn pitch(&self, image: &str) -> Atom {
        let sampler = self.sampler.as_deref().unwrap_or_default();
        Atom::Named(format!("{image} {} {sampler}", self.function))
    }
}

/// Whether a parameter is a two-dimensional image of colours.
pub fn is_image(ty: &Type) -> bool {
    let mut words = ty.written.split_whitespace();
    words.any(|w| w == "image2d_t" || w == "__read_only_image2d_t")
}

/// The way in which a call reads an image, and the coordinates; why it is no load, in
/// words that follow the image's name.
pub fn read<'t>(
    bindings: &mut Bindings<'t>,
    callee: &str,
    args: &'t [Expr],
) -> Option<Result<(ImageRead, Poly, Poly), &'static str>> {
    if !matches!(callee, "read_imagef" | "read_imagei" | "read_imageui") {
        return None;
    }
    let (sampler, place) = match args {
        [_, place] => (None, place),
        [_, sampler, place] => (Some(sampler), place),
        _ => return None,
    };
    let written = args.first().zip(sampler).and_then(|(image, _)| {
        let tree: &SourceTree = bindings.tree;
        between(&tree.text, image, place)
    });
    let sampler = match sampler.map(|s| sampler_text(bindings, s, written)) {
        Some(Err(why)) => return Some(Err(why)),
        Some(Ok(text)) => Some(text),
        None => None,
    };
    let Some([x, y]) = coordinates(bindings, place) else {
        return Some(Err("is read at coordinates that are no pair of integers"));
    };
    let read = ImageRead {
        function: callee.to_owned(),
        sampler,
    };
    Some(Ok((read, x, y)))
}

/// The word between two arguments: clang shows a global sampler as its initialiser.
fn between<'s>(text: &'s str, before: &Expr, behind: &Expr) -> Option<&'s str> {
    let (before, behind) = (before.span.editable()?, behind.span.editable()?);
    let word = text.get(before.end..behind.start)?;
    let word = word.trim_matches(|c: char| c == ',' || c.is_whitespace());
    let is_word = |t: &str| t.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (!word.is_empty() && is_word(word)).then_some(word)
}

/// A sampler as the source writes it, if it takes the nearest texel at unnormalised
/// coordinates.
fn sampler_text(
    bindings: &Bindings<'_>,
    sampler: &Expr,
    written: Option<&str>,
) -> Result<String, &'static str> {
    let tree: &SourceTree = bindings.tree;
    let unknown = "is read with a sampler that the kernel's text does not define";
    let plain = sampler.plain();
    let value = match &plain.kind {
        ExprKind::Variable { id, .. } => {
            let global = tree.constants.iter().find(|v| v.id == *id);
            let global = global.and_then(|v| v.init.as_ref());
            global.or_else(|| bindings.values.get(id).copied())
        }
        _ => Some(plain),
    };
    let bits = value.and_then(bits).ok_or(unknown)?;
    if bits & NORMALISED != 0 || bits & FILTER != NEAREST {
        return Err("is read with a sampler that mixes texels or takes normalised coordinates");
    }
    let text = written.or_else(|| tree.text_of(sampler.span));
    Ok(text.ok_or(unknown)?.to_owned())
}

/// Bits of a sampler's initialiser as clang's headers define them.
const NORMALISED: i128 = 1;
const FILTER: i128 = 0x30;
const NEAREST: i128 = 0x10;

fn bits(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Integer(value) => Some(*value),
        ExprKind::Paren(inner) => bits(inner),
        ExprKind::Cast { operand, .. } => bits(operand),
        ExprKind::Binary {
            op: BinaryOp::Or | BinaryOp::Add,
            left,
            right,
        } => Some(bits(left)? | bits(right)?),
        _ => None,
    }
}

fn is_list(kind: &str) -> bool {
    matches!(kind, "CompoundLiteralExpr" | "InitListExpr")
}

/// A pair of integers: `(int2)(x, y)`, a variable that is one, sums of such.
fn coordinates<'t>(bindings: &mut Bindings<'t>, expr: &'t Expr) -> Option<[Poly; 2]> {
    match &expr.kind {
        ExprKind::Paren(inner) => coordinates(bindings, inner),
        ExprKind::Cast { operand, .. } => coordinates(bindings, operand),
        ExprKind::Other { kind, children } if is_list(kind) => match &children[..] {
            [one] => coordinates(bindings, one),
            [x, y] => {
                let integer = |e: &Expr| crate::symbolic::eval::is_integer(&e.ty);
                (integer(x) && integer(y)).then(|| [bindings.eval(x), bindings.eval(y)])
            }
            _ => None,
        },
        ExprKind::Variable { id, .. } => {
            let value = bindings.values.get(id).copied()?;
            coordinates(bindings, value)
        }
        ExprKind::Binary {
            op: op @ (BinaryOp::Add | BinaryOp::Sub),
            left,
            right,
        } => {
            let [a, b] = coordinates(bindings, left)?;
            let [c, d] = coordinates(bindings, right)?;
            let sign = if *op == BinaryOp::Add { 1 } else { -1 };
            Some([a.plus(&c, sign), b.plus(&d, sign)])
        }
        _ => None,
    }
}
