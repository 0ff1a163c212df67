//! Buffers that the kernel reads as arrays of arrays, through a cast:
//! `((__global const float (*)[W])in)[y][x]` is `in[y * W + x]`.

use tilewise_frontend::source::{DeclId, Expr, ExprKind, SourceTree};

use crate::symbolic::{Atom, Atoms, Poly};

/// A pointer to arrays in a buffer.
#[derive(Clone)]
pub struct Matrix {
    /// The buffer.
    pub buffer: DeclId,
    /// Where it points.
    pub at: Poly,
    /// How far apart the elements are that each further index steps by, but for the last.
    pub pitches: Vec<Poly>,
}

/// The pitches of the type that a cast gives, of arrays of `element`.
pub fn pitches(
    tree: &SourceTree,
    atoms: &mut Atoms,
    cast: &Expr,
    element: &str,
) -> Option<Vec<Poly>> {
    let ExprKind::Cast { .. } = &cast.kind else {
        return None;
    };
    let (base, lengths) = cast.ty.written.split_once("(*)")?;
    if !base.split_whitespace().any(|word| word == element) {
        return None;
    }
    let values: Option<Vec<i128>> = in_brackets(lengths)
        .iter()
        .map(|n| n.parse().ok())
        .collect();
    let values = values.filter(|v| !v.is_empty())?;
    // As the source writes them, so that macros keep their names.
    let text = tree.text_of(cast.span).unwrap_or_default();
    let written = text.split_once("(*)").map_or("", |(_, rest)| rest);
    let written = in_brackets(written);
    let mut length = |(i, value): (usize, &i128)| match written.get(i) {
        Some(text) if text.parse::<i128>().is_err() => {
            let is_word = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let name = match is_word {
                true => text.clone(),
                false => format!("({text})"),
            };
            Poly::atom(atoms.intern(Atom::Macro {
                name,
                value: *value,
            }))
        }
        _ => Poly::constant(*value),
    };
    let lengths: Vec<Poly> = values.iter().enumerate().map(&mut length).collect();
    let mut pitches = Vec::new();
    for first in 0..lengths.len() {
        let product = lengths[first..]
            .iter()
            .try_fold(Poly::constant(1), |p, n| p.mul(n));
        pitches.push(product?);
    }
    Some(pitches)
}

/// The texts in the brackets that a text begins with.
fn in_brackets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(open) = rest.strip_prefix('[') {
        let Some((inside, behind)) = open.split_once(']') else {
            break;
        };
        found.push(inside.trim().to_owned());
        rest = behind.trim_start();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_arrays() {
        assert_eq!(in_brackets("[N + 2] [4])a"), ["N + 2", "4"]);
        assert_eq!(in_brackets(")a[3]"), [] as [&str; 0]);
    }
}
