//! Tile coordinates of an index.
//!
//! Method: the terms of the index that hold an id, a loop variable or a function of
//! them are sorted by what they are multiplied with, their *stride*; each stride
//! is a dimension of the buffer. What is left (offsets such as `- W + 1`) is divided
//! by the strides, largest first. Any such split is right, since `G` puts the
//! same index together again; a good one makes a small box.

use std::collections::BTreeMap;

use tilewise_frontend::source::{Expr, ExprKind, UnaryOp};

use crate::refusal::Code;
use crate::symbolic::{Atom, AtomId, Atoms, Function, Monomial, Poly};

/// Constant strides from here on are rows of their own.
const ROW: i128 = 16;

/// One coordinate of a load.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinate {
    /// What it is multiplied with in the index.
    pub stride: Poly,
    /// The function of it that the index holds, of [`Atom::Hole`]; `None` where it
    /// is in the index as it is.
    pub map: Option<AtomId>,
    /// Its value.
    pub value: Poly,
}

/// The split of an index.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// Coordinates, fastest first.
    pub coordinates: Vec<Coordinate>,
    /// What is added to all of them.
    pub base: Poly,
}

/// Why an index has no coordinates.
pub type Reason = (Code, String);

/// Splits an index.
pub fn split(atoms: &mut Atoms, index: &Poly) -> Result<Split, Reason> {
    let mut rest = Poly::default();
    let mut linear: BTreeMap<Monomial, Vec<(AtomId, i128)>> = BTreeMap::new();
    let mut mapped: Vec<(Poly, AtomId)> = Vec::new();
    for (monomial, coefficient) in index.terms() {
        let positional: Vec<AtomId> = monomial
            .iter()
            .copied()
            .filter(|a| atoms.is_positional(*a))
            .collect();
        match positional[..] {
            [] => rest.add_term(coefficient, monomial.clone()),
            [atom] => {
                let others: Monomial = monomial.iter().copied().filter(|a| *a != atom).collect();
                match atoms.get(atom) {
                    Atom::Unknown { expr, why } => return Err(unknown(expr, why.as_deref())),
                    Atom::Function(_) => mapped.push((Poly::term(coefficient, others), atom)),
                    _ => linear.entry(others).or_default().push((atom, coefficient)),
                }
            }
            _ => {
                return Err((
                    Code::Form,
                    "its index multiplies ids or loop variables with each other".to_owned(),
                ));
            }
        }
    }
    let mut coordinates = Vec::new();
    for (monomial, terms) in linear {
        for (unit, terms) in by_row(&monomial, terms) {
            let mut value = Poly::default();
            for (atom, coefficient) in terms {
                value.add_term(coefficient / unit, vec![atom]);
            }
            coordinates.push(Coordinate {
                stride: Poly::term(unit, monomial.clone()),
                map: None,
                value,
            });
        }
    }
    for (stride, atom) in mapped {
        let (map, value) = with_hole(atoms, atom)?;
        let function_of_hole = map.as_atom();
        coordinates.push(Coordinate {
            stride,
            map: function_of_hole,
            value,
        });
    }
    coordinates.sort_by_key(|c| order(&c.stride));
    if coordinates
        .windows(2)
        .any(|pair| pair[0].stride == pair[1].stride)
    {
        return Err((
            Code::Form,
            "its index adds two functions of ids in one dimension".to_owned(),
        ));
    }
    let base = distribute(atoms, &mut coordinates, rest);
    Ok(Split { coordinates, base })
}

/// Why an index with a value that is not known is not split.
fn unknown(expr: &Expr, why: Option<&str>) -> Reason {
    if reads_memory(expr) {
        return (Code::DataDependent, "its index depends on data".to_owned());
    }
    let what = match why {
        Some(why) => format!("its index holds {why}"),
        None => {
            "its index holds a value that is no sum of ids, sizes and loop variables".to_owned()
        }
    };
    (Code::Form, what)
}

fn reads_memory(expr: &Expr) -> bool {
    let this = match &expr.kind {
        ExprKind::Index { .. } => true,
        ExprKind::Unary { op, .. } => *op == UnaryOp::Dereference,
        ExprKind::Member { arrow, .. } => *arrow,
        _ => false,
    };
    this || expr.children().into_iter().any(reads_memory)
}

/// Terms of one product, apart where a constant factor is a row of its own.
fn by_row(monomial: &Monomial, terms: Vec<(AtomId, i128)>) -> Vec<(i128, Vec<(AtomId, i128)>)> {
    if !monomial.is_empty() {
        return vec![(1, terms)];
    }
    let mut rows: BTreeMap<i128, Vec<(AtomId, i128)>> = BTreeMap::new();
    for (atom, coefficient) in terms {
        let size = coefficient.abs();
        let row = if size >= ROW { size } else { 1 };
        rows.entry(row).or_default().push((atom, coefficient));
    }
    rows.into_iter().collect()
}

/// Sorts strides: constants by size, then products by their number of factors.
fn order(stride: &Poly) -> (usize, i128) {
    let degree = stride.terms().map(|(m, _)| m.len()).max().unwrap_or(0);
    let size = stride.terms().map(|(_, c)| c.abs()).max().unwrap_or(0);
    (degree, size)
}

/// Gives uniform terms to the coordinates whose stride divides them; what no
/// coordinate takes is the base.
fn distribute(atoms: &Atoms, coordinates: &mut [Coordinate], rest: Poly) -> Poly {
    let Some(mut rest) = atoms.expanded(&rest) else {
        return rest;
    };
    for at in (0..coordinates.len()).rev() {
        let (finer, coordinate) = coordinates.split_at_mut(at);
        let Some(coordinate) = coordinate.first_mut().filter(|c| c.map.is_none()) else {
            continue;
        };
        let Some(whole) = atoms.expanded(&coordinate.stride) else {
            continue;
        };
        let leading = whole.terms().max_by_key(|(m, _)| m.len());
        let Some((divisor, unit)) = leading.map(|(m, c)| (m.clone(), c)) else {
            continue;
        };
        // Each step removes a term that the stride's leading one divides, and
        // may bring smaller ones.
        for _ in 0..32 {
            let found = rest.terms().find_map(|(m, c)| {
                let quotient = Poly::quotient(m, &divisor)?;
                let times = nearest(c, unit);
                (times != 0).then_some((quotient, times))
            });
            let Some((quotient, times)) = found else {
                break;
            };
            let by = Poly::term(times, quotient);
            let Some(product) = by.mul(&whole) else { break };
            rest = rest.sub(&product);
            coordinate.value = coordinate.value.add(&by);
        }
        // A finer coordinate that runs backwards counts down from this stride, as
        // in `y * W + W - 1 - x`: without it, it would be below zero throughout.
        let backwards = finer.last().is_some_and(|c| {
            c.map.is_none() && c.value.terms().all(|(_, coefficient)| coefficient < 0)
        });
        if backwards && rest.terms().all(|(_, coefficient)| coefficient < 0) {
            rest = rest.add(&whole);
            coordinate.value = coordinate.value.sub(&Poly::constant(1));
        }
    }
    rest
}

/// The number of units nearest to a coefficient.
fn nearest(coefficient: i128, unit: i128) -> i128 {
    let floor = coefficient.div_euclid(unit);
    let left = coefficient - floor * unit;
    if 2 * left > unit.abs() {
        floor + 1
    } else {
        floor
    }
}

/// A function of ids as a function of one hole, and what the hole holds.
fn with_hole(atoms: &mut Atoms, atom: AtomId) -> Result<(Poly, Poly), Reason> {
    let mut held = None;
    let poly = fill_hole(atoms, &Poly::atom(atom), &mut held)?;
    let held = held.ok_or((
        Code::Form,
        "its index is a function of no id or loop variable".to_owned(),
    ))?;
    Ok((poly, held))
}

fn fill_hole(atoms: &mut Atoms, poly: &Poly, held: &mut Option<Poly>) -> Result<Poly, Reason> {
    let mut result = Poly::default();
    let mut affine = Poly::default();
    let mut functions = false;
    for (monomial, coefficient) in poly.terms() {
        let positional: Vec<AtomId> = monomial
            .iter()
            .copied()
            .filter(|a| atoms.is_positional(*a))
            .collect();
        let [atom] = positional[..] else {
            if positional.is_empty() {
                affine.add_term(coefficient, monomial.clone());
                continue;
            }
            return Err((
                Code::Form,
                "its index multiplies ids or loop variables with each other".to_owned(),
            ));
        };
        match atoms.get(atom).clone() {
            Atom::Unknown { expr, why } => return Err(unknown(&expr, why.as_deref())),
            Atom::Function(function) => {
                functions = true;
                let mut args = Vec::new();
                for arg in &function.args {
                    args.push(fill_hole(atoms, arg, held)?);
                }
                let id = atoms.intern(Atom::Function(Function { args, ..function }));
                let others: Monomial = monomial.iter().copied().filter(|a| *a != atom).collect();
                let mut product = others;
                product.push(id);
                product.sort_unstable();
                result.add_term(coefficient, product);
            }
            _ => affine.add_term(coefficient, monomial.clone()),
        }
    }
    let moves = affine.atoms().any(|a| atoms.is_positional(a));
    if !moves {
        return Ok(result.add(&affine));
    }
    if functions {
        return Err((
            Code::Form,
            "its index mixes an id with a function of ids".to_owned(),
        ));
    }
    let hole = Poly::atom(atoms.intern(Atom::Hole));
    let held = held.get_or_insert_with(|| affine.clone());
    // A mirror has the value itself and its opposite.
    let of_ids = |p: &Poly| {
        p.terms()
            .find(|(m, _)| m.iter().any(|a| atoms.is_positional(*a)))
            .map(|(m, c)| (m.clone(), c))
    };
    let times = of_ids(held).map_or(1, |(monomial, unit)| affine.coefficient(&monomial) / unit);
    let apart = affine.plus(held, -times);
    if times == 0 || apart.atoms().any(|a| atoms.is_positional(a)) {
        return Err((
            Code::Form,
            "its index is a function of several ids".to_owned(),
        ));
    }
    Ok(hole.scaled(times).add(&apart))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linearised_index_has_its_rows_back() {
        let mut atoms = Atoms::default();
        let x = atoms.global_id(0);
        let y = atoms.global_id(1);
        let w = Poly::atom(atoms.intern(Atom::GlobalSize(0)));
        // y * W + x - W + 1
        let index = y
            .mul(&w)
            .map(|p| p.add(&x).sub(&w).add(&Poly::constant(1)))
            .expect("small");
        let split = split(&mut atoms, &index).expect("affine");
        assert!(split.base.is_zero());
        let values: Vec<&Poly> = split.coordinates.iter().map(|c| &c.value).collect();
        assert_eq!(values[0], &x.add(&Poly::constant(1)));
        assert_eq!(values[1], &y.sub(&Poly::constant(1)));
        assert_eq!(split.coordinates[1].stride, w);
    }

    #[test]
    fn a_reversed_row_counts_down_from_its_length() {
        let mut atoms = Atoms::default();
        let x = atoms.global_id(0);
        let y = atoms.global_id(1);
        let w = Poly::atom(atoms.intern(Atom::GlobalSize(0)));
        // y * W + W - 1 - x
        let last = w.sub(&Poly::constant(1));
        let index = y.mul(&w).map(|p| p.add(&last).sub(&x)).expect("small");
        let split = split(&mut atoms, &index).expect("affine");
        assert!(split.base.is_zero());
        assert_eq!(split.coordinates[0].value, last.sub(&x));
        assert_eq!(split.coordinates[1].value, y);
    }

    #[test]
    fn constant_pitches_are_rows() {
        let mut atoms = Atoms::default();
        let x = atoms.global_id(0);
        let y = atoms.global_id(1);
        let index = y.scaled(1024).add(&x).sub(&Poly::constant(1025));
        let split = split(&mut atoms, &index).expect("affine");
        assert_eq!(split.coordinates[0].value, x.sub(&Poly::constant(1)));
        assert_eq!(split.coordinates[1].value, y.sub(&Poly::constant(1)));
    }
}
