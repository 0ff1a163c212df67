//! Loads that share a tile.

use crate::loads::Accesses;
use crate::refusal::Code;
use crate::symbolic::{Atom, AtomId, Atoms, LoopId, Poly};

use super::coordinates::{Coordinate, Reason, Split};

/// How a coordinate moves with the work-items.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes {
    /// Coefficient of the local id by dimension.
    pub local: [i128; 3],
    /// The group's part: what is the same for all work-items of a group and
    /// moves with them (`get_global_id - get_local_id` by its coefficient).
    pub start: Poly,
}

/// A family of loads.
#[derive(Clone, Debug)]
pub struct Family {
    /// Numbers of its loads in [`Accesses::loads`].
    pub loads: Vec<usize>,
    /// Stride and map of each coordinate, fastest first; the values are the first
    /// load's.
    pub coordinates: Vec<Coordinate>,
    /// How each coordinate moves with the work-items.
    pub lanes: Vec<Lanes>,
    /// Added to the index.
    pub base: Poly,
    /// Values of the coordinates, by load.
    pub values: Vec<Vec<Poly>>,
}

/// Puts loads into families. Loads without coordinates come back with the reason.
pub fn families(
    accesses: &Accesses<'_>,
    splits: &[(usize, Split)],
) -> (Vec<Family>, Vec<(usize, Reason)>) {
    let atoms = &accesses.bindings.atoms;
    let mut families: Vec<Family> = Vec::new();
    let mut refused = Vec::new();
    for (load, split) in splits {
        let lanes: Result<Vec<Lanes>, Reason> = split
            .coordinates
            .iter()
            .map(|c| lanes_of(atoms, &c.value))
            .collect();
        let lanes = match lanes {
            Ok(lanes) => lanes,
            Err(reason) => {
                refused.push((*load, reason));
                continue;
            }
        };
        let values: Vec<Poly> = split.coordinates.iter().map(|c| c.value.clone()).collect();
        let same = |f: &&mut Family| {
            f.lanes == lanes
                && f.base == split.base
                && f.coordinates.len() == split.coordinates.len()
                && f.coordinates
                    .iter()
                    .zip(&split.coordinates)
                    .all(|(a, b)| a.stride == b.stride && a.map == b.map)
        };
        match families.iter_mut().find(same) {
            Some(family) => {
                family.loads.push(*load);
                family.values.push(values);
            }
            None => families.push(Family {
                loads: vec![*load],
                coordinates: split.coordinates.clone(),
                lanes,
                base: split.base.clone(),
                values: vec![values],
            }),
        }
    }
    (families, refused)
}

/// The part of a coordinate that moves with the work-items.
pub(super) fn lanes_of(atoms: &Atoms, value: &Poly) -> Result<Lanes, Reason> {
    let mut local = [0; 3];
    let mut start = Poly::default();
    for (monomial, coefficient) in value.terms() {
        for atom in monomial {
            match atoms.get(*atom) {
                Atom::LocalId(d) if monomial.len() == 1 => local[usize::from(*d)] = coefficient,
                Atom::GroupStart(_) if monomial.len() == 1 => {
                    start.add_term(coefficient, monomial.clone());
                }
                Atom::LocalId(_) | Atom::GroupStart(_) => {
                    return Err((
                        Code::Form,
                        "its index multiplies an id with a value that is no pitch".to_owned(),
                    ));
                }
                _ => {}
            }
        }
    }
    Ok(Lanes { local, start })
}

impl Family {
    /// A coordinate's value without the part that moves with the work-items.
    pub fn offset(&self, load: usize, coordinate: usize, atoms: &mut Atoms) -> Poly {
        let lanes = &self.lanes[coordinate];
        let mut offset = self.values[load][coordinate].sub(&lanes.start);
        for (d, &c) in lanes.local.iter().enumerate() {
            let atom = atoms.intern(Atom::LocalId(d as u8));
            offset = offset.sub(&Poly::term(c, vec![atom]));
        }
        offset
    }

    /// The family by what its loads' offsets hold besides a number: loads of one
    /// part are numbers of elements apart.
    pub fn apart(&self, atoms: &mut Atoms) -> Vec<Self> {
        let mut parts: Vec<(Vec<Poly>, Self)> = Vec::new();
        for position in 0..self.loads.len() {
            let key: Vec<Poly> = (0..self.coordinates.len())
                .map(|k| self.offset(position, k, atoms).without_constant())
                .collect();
            let (load, values) = (self.loads[position], self.values[position].clone());
            match parts.iter_mut().find(|(k, _)| *k == key) {
                Some((_, part)) => {
                    part.loads.push(load);
                    part.values.push(values);
                }
                None => {
                    let mut coordinates = self.coordinates.clone();
                    for (coordinate, value) in coordinates.iter_mut().zip(&values) {
                        coordinate.value = value.clone();
                    }
                    let part = Self {
                        loads: vec![load],
                        coordinates,
                        values: vec![values],
                        ..self.clone()
                    };
                    parts.push((key, part));
                }
            }
        }
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// Dimensions whose ids move a coordinate.
    pub fn dims(&self, coordinate: usize) -> Vec<u8> {
        (0..3u8)
            .filter(|d| self.lanes[coordinate].local[usize::from(*d)] != 0)
            .collect()
    }
}

/// Loops whose variables a polynomial holds.
pub fn loops_in(atoms: &Atoms, poly: &Poly) -> Vec<(AtomId, LoopId)> {
    let mut found: Vec<(AtomId, LoopId)> = poly
        .atoms()
        .filter_map(|a| match atoms.get(a) {
            Atom::Loop { id, .. } => Some((a, *id)),
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}
