//! Sizes in terms of the launch.

use crate::symbolic::{Atom, Atoms, Poly};

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
                _ => return None,
            };
            term = term.checked_mul(value)?;
        }
        sum = sum.checked_add(term)?;
    }
    Some(sum)
}

/// A polynomial in the grammar of launch files.
pub fn in_launch_terms(atoms: &Atoms, poly: &Poly) -> String {
    let mut text = String::new();
    let mut terms: Vec<_> = poly.terms().collect();
    terms.sort_by_key(|(m, c)| (*c < 0, std::cmp::Reverse(m.len())));
    for (i, (monomial, coefficient)) in terms.into_iter().enumerate() {
        text.push_str(match (coefficient < 0, i) {
            (true, _) => "-",
            (false, 0) => "",
            (false, _) => "+",
        });
        let mut factors: Vec<String> = monomial
            .iter()
            .map(|a| match atoms.get(*a) {
                Atom::LocalSize(d) => format!("local_size({d})"),
                Atom::Param { name, .. } => name.clone(),
                Atom::Macro { value, .. } => value.to_string(),
                Atom::Sum(inner) => format!("({})", in_launch_terms(atoms, inner)),
                _ => "?".to_owned(),
            })
            .collect();
        let size = coefficient.unsigned_abs();
        if size != 1 || factors.is_empty() {
            factors.insert(0, size.to_string());
        }
        text.push_str(&factors.join("*"));
    }
    if text.is_empty() {
        "0".to_owned()
    } else {
        text
    }
}
