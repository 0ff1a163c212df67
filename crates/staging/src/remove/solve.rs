//! Indices of fills and reads: solved, and put into each other.

use std::collections::HashMap;

use super::index::is_pitch;
use crate::plan::coordinates::{Coordinate, split};
use crate::symbolic::{Atom, AtomId, Atoms, Function as Pure, LoopId, Poly};

/// A coordinate of a tile: its stride, what of a fill is solved for, and what is added to
/// that.
#[derive(Clone)]
pub struct Solved {
    /// Elements between two neighbours.
    pub stride: Poly,
    /// An id, a loop variable or a function of them.
    pub atom: AtomId,
    /// What is added to it.
    pub rest: Poly,
}

/// An index with its functions of ids as loop variables, so that it is affine in them.
fn opaque(atoms: &mut Atoms, index: &Poly) -> (Poly, HashMap<AtomId, AtomId>) {
    let functions: Vec<AtomId> = index
        .atoms()
        .filter(|a| matches!(atoms.get(*a), Atom::Function(_)) && !atoms.is_uniform(*a))
        .collect();
    let mut shown = index.clone();
    let mut known = HashMap::new();
    for function in functions {
        let id = LoopId(u32::MAX - function.0);
        let name = format!("function {}", function.0);
        let atom = atoms.intern(Atom::Loop {
            id,
            name,
            natural: false,
        });
        known.insert(atom, function);
        if let Some(replaced) = shown.substitute(function, &Poly::atom(atom)) {
            shown = replaced;
        }
    }
    (shown, known)
}

/// The coordinates of a fill's index, each solved for one id, loop variable or function
/// of them.
pub fn solved(atoms: &mut Atoms, index: &Poly) -> Option<Vec<Solved>> {
    let (index, known) = opaque(atoms, index);
    let split = split(atoms, &index).ok()?;
    if !split.base.is_zero() || split.coordinates.is_empty() {
        return None;
    }
    let mut coordinates: Vec<Solved> = Vec::new();
    for coordinate in &split.coordinates {
        let moving: Vec<AtomId> = coordinate
            .value
            .atoms()
            .filter(|a| !atoms.is_uniform(*a))
            .collect();
        let [one] = moving[..] else { return None };
        if coordinate.value.coefficient(&[one]) != 1 || coordinate.map.is_some() {
            return None;
        }
        let rest = coordinate.value.sub(&Poly::atom(one));
        let atom = known.get(&one).copied().unwrap_or(one);
        if coordinates.iter().any(|c| c.atom == atom) {
            return None;
        }
        coordinates.push(Solved {
            stride: coordinate.stride.clone(),
            atom,
            rest,
        });
    }
    Some(coordinates)
}

/// Where an index of a tile is, by the coordinates of its fill.
pub fn places(atoms: &mut Atoms, coordinates: &[Solved], index: &Poly) -> Option<Vec<Poly>> {
    let pitched = |a: AtomId| matches!(atoms.get(a), Atom::Named(name) if is_pitch(name));
    if let [one] = coordinates
        && one.stride.as_constant() == Some(1)
        && !index.atoms().any(pitched)
    {
        return Some(vec![index.clone()]);
    }
    let (index, known) = opaque(atoms, index);
    let split = split(atoms, &index).ok()?;
    if !split.base.is_zero() || split.coordinates.len() > coordinates.len() {
        return None;
    }
    // Beside rows of a fixed length, what moves by more than one in a row may be rows.
    let fixed = |c: &Coordinate| c.stride.as_constant().is_some_and(|s| s > 1);
    let wide = |c: &Coordinate| {
        let by_one = c.stride.as_constant() == Some(1);
        by_one && c.value.terms().any(|(m, c)| !m.is_empty() && c.abs() > 1)
    };
    if split.coordinates.iter().any(fixed) && split.coordinates.iter().any(wide) {
        return None;
    }
    let mut places = Vec::new();
    for one in coordinates {
        let same = split
            .coordinates
            .iter()
            .find(|c| equal(atoms, &c.stride, &one.stride) && c.map.is_none());
        let mut place = same.map_or(Poly::default(), |c| c.value.clone());
        for (atom, function) in &known {
            place = place.substitute(*atom, &Poly::atom(*function))?;
        }
        places.push(place);
    }
    let all_found = split.coordinates.iter().all(|c| {
        coordinates
            .iter()
            .any(|one| equal(atoms, &one.stride, &c.stride))
    });
    all_found.then_some(places)
}

/// Whether two pitches are the same, however the source adds them up.
fn equal(atoms: &Atoms, a: &Poly, b: &Poly) -> bool {
    let (a, b) = (atoms.expanded(a), atoms.expanded(b));
    a.is_some() && a == b
}

/// A polynomial with atoms replaced, within functions, too.
pub fn replaced(atoms: &mut Atoms, poly: &Poly, by: &HashMap<AtomId, Poly>) -> Option<Poly> {
    let mut result = Poly::default();
    let terms: Vec<(Vec<AtomId>, i128)> = poly.terms().map(|(m, c)| (m.to_vec(), c)).collect();
    for (monomial, coefficient) in terms {
        let mut term = Poly::constant(coefficient);
        for atom in monomial {
            let factor = match (by.get(&atom), atoms.get(atom).clone()) {
                (Some(poly), _) => poly.clone(),
                (None, Atom::Function(function)) => {
                    let mut args = Vec::new();
                    for arg in &function.args {
                        args.push(replaced(atoms, arg, by)?);
                    }
                    Poly::atom(atoms.intern(Atom::Function(Pure { args, ..function })))
                }
                _ => Poly::atom(atom),
            };
            term = term.mul(&factor)?;
        }
        result = result.add(&term);
    }
    Some(result)
}

/// Whether an atom is another one in each work-item, other than by a loop's variable.
pub fn moves(atoms: &Atoms, atom: AtomId) -> bool {
    match atoms.get(atom) {
        Atom::Loop { .. } => false,
        Atom::Function(function) => function
            .args
            .iter()
            .flat_map(Poly::atoms)
            .any(|a| moves(atoms, a)),
        _ => !atoms.is_uniform(atom),
    }
}

/// Whether an atom is one of these, or a function of one.
pub fn any_atom(atoms: &Atoms, poly: &Poly, is: &dyn Fn(AtomId, &Atom) -> bool) -> bool {
    poly.atoms().any(|a| {
        let atom = atoms.get(a);
        is(a, atom)
            || match atom {
                Atom::Function(function) => function.args.iter().any(|p| any_atom(atoms, p, is)),
                Atom::Sum(sum) => any_atom(atoms, sum, is),
                _ => false,
            }
    })
}
