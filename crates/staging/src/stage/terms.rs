//! Sizes in terms of the launch.

use crate::loads::Accesses;
use crate::refusal::{Code, Refusal};
use crate::symbolic::{Atom, Atoms, Function, Poly};

use super::Launch;

/// The value of a polynomial at a launch.
pub fn value_at(atoms: &Atoms, poly: &Poly, launch: &Launch) -> Option<i128> {
    let mut sum = 0i128;
    for (monomial, coefficient) in poly.terms() {
        let mut term = coefficient;
        for atom in monomial {
            let value = match atoms.get(*atom) {
                Atom::LocalSize(d) => i128::from(launch.local[usize::from(*d)]),
                Atom::Param { name, .. } => *launch.scalars.get(name)?,
                Atom::Macro { value, .. } => *value,
                Atom::Sum(inner) => value_at(atoms, inner, launch)?,
                Atom::Function(function) => value_of(atoms, function, launch)?,
                _ => return None,
            };
            term = term.checked_mul(value)?;
        }
        sum = sum.checked_add(term)?;
    }
    Some(sum)
}

fn value_of(atoms: &Atoms, function: &Function, launch: &Launch) -> Option<i128> {
    let args: Option<Vec<i128>> = function
        .args
        .iter()
        .map(|a| value_at(atoms, a, launch))
        .collect();
    let places = |n: i128| u32::try_from(n).ok().filter(|n| *n < 64);
    match (name(function), &args?[..]) {
        ("/", &[a, b]) => a.checked_div(b),
        ("%", &[a, b]) => a.checked_rem(b),
        ("<<", &[a, b]) => a.checked_shl(places(b)?),
        (">>", &[a, b]) => Some(a >> places(b)?),
        ("min", &[a, b]) => Some(a.min(b)),
        ("max", &[a, b]) => Some(a.max(b)),
        ("clamp", &[a, low, high]) => Some(a.max(low).min(high)),
        _ => None,
    }
}

/// Extents of a tile in the grammar of launch files.
///
/// # Errors
/// That has no word for something in them.
pub fn extents_in_launch_terms(
    accesses: &Accesses<'_>,
    buffer: &str,
    extents: &[Poly],
) -> Result<Vec<String>, Refusal> {
    let atoms = &accesses.bindings.atoms;
    let texts: Option<Vec<String>> = extents.iter().map(|e| in_launch_terms(atoms, e)).collect();
    texts.ok_or_else(|| {
        let message = format!(
            "how large a tile of {buffer} is depends on a conversion or a condition, which a launch can't compute"
        );
        Refusal::new(
            accesses.bindings.tree,
            accesses.function.span,
            Code::Form,
            message,
        )
        .of(buffer)
        .helped("give the kernel the value that the conversion makes as an argument")
    })
}

/// A polynomial in the grammar of launch files; `None` where that has no word for
/// something in it.
fn in_launch_terms(atoms: &Atoms, poly: &Poly) -> Option<String> {
    let mut text = String::new();
    let mut terms: Vec<_> = poly.terms().collect();
    terms.sort_by_key(|(m, c)| (*c < 0, std::cmp::Reverse(m.len())));
    for (i, (monomial, coefficient)) in terms.into_iter().enumerate() {
        text.push_str(match (coefficient < 0, i) {
            (true, _) => "-",
            (false, 0) => "",
            (false, _) => "+",
        });
        let factors: Option<Vec<String>> = monomial
            .iter()
            .map(|a| match atoms.get(*a) {
                Atom::LocalSize(d) => Some(format!("local_size({d})")),
                Atom::Param { name, .. } => Some(name.clone()),
                Atom::Macro { value, .. } => Some(value.to_string()),
                Atom::Sum(inner) => Some(format!("({})", in_launch_terms(atoms, inner)?)),
                Atom::Function(function) => function_text(atoms, function),
                _ => None,
            })
            .collect();
        let mut factors = factors?;
        let size = coefficient.unsigned_abs();
        if size != 1 || factors.is_empty() {
            factors.insert(0, size.to_string());
        }
        text.push_str(&factors.join("*"));
    }
    Some(if text.is_empty() {
        "0".to_owned()
    } else {
        text
    })
}

fn function_text(atoms: &Atoms, function: &Function) -> Option<String> {
    let args: Option<Vec<String>> = function
        .args
        .iter()
        .map(|a| in_launch_terms(atoms, a))
        .collect();
    let whole = |text: &String| match text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        true => text.clone(),
        false => format!("({text})"),
    };
    match (name(function), &args?[..]) {
        (operator @ ("/" | "%" | "<<" | ">>"), [a, b]) => {
            Some(format!("({}{operator}{})", whole(a), whole(b)))
        }
        (name @ ("min" | "max"), [a, b]) => Some(format!("{name}({a},{b})")),
        ("clamp", [a, low, high]) => Some(format!("min(max({a},{low}),{high})")),
        _ => None,
    }
}

/// The function's name or operator, without its type.
fn name(function: &Function) -> &str {
    let head = function.head.as_str();
    head.split(':')
        .next()
        .filter(|n| !n.is_empty())
        .unwrap_or(head)
}
