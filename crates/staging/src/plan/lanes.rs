//! Fills by the work-items themselves: each stores what it reads anyway.
//!
//! For a cross of single loads around a centre: every work-item stores its own
//! element, and those at the side of the group also store the neighbour beyond it,
//! each load under the guards that it has in the kernel. So nothing is read that
//! the kernel does not read, whatever the guards are, and no work-item computes a
//! border test for somebody else.
//!
//! It needs that a load beside the centre reads an element that another work-item
//! of the group has stored, or one beyond the group: its guards imply those of the
//! centre at that work-item ([`implied`]), or where they do not, as at the border of an
//! interior, it stores what it reads there, too; and that no two loads reach the
//! same element beyond the group, so each goes its own way along one axis.

use crate::loads::Accesses;
use crate::symbolic::{Atom, Poly};

use super::domain::without_implied;
use super::family::Family;
use super::prove::implied;

/// The loads that fill a tile.
#[derive(Clone, Debug)]
pub struct LaneFill {
    /// Position in the family of the load of the centre.
    pub centre: usize,
    /// Guards of the centre.
    pub guards: Vec<Poly>,
    /// The loads beside it.
    pub sides: Vec<Side>,
}

/// A load that the work-items at one side of the group make.
#[derive(Clone, Debug)]
pub struct Side {
    /// Position in the family.
    pub load: usize,
    /// The coordinate along which it looks beyond the group.
    pub coordinate: usize,
    /// The dimension of the ids that move the coordinate.
    pub dim: u8,
    /// How far, in this build; below 0 towards lower elements.
    pub step: i128,
    /// How far, as the source says it.
    pub way: Poly,
    /// Its guards; where it stands [within](Self::within) those of the centre, what it
    /// has beyond them.
    pub guards: Vec<Poly>,
    /// Where one of these is at least 0, the work-item there has stored nothing, though it
    /// is in the group.
    pub open: Vec<Poly>,
    /// Its guards imply those of the centre. They need not: in a group of one or two, the
    /// first work-item looks to the right, too.
    pub within: bool,
}

/// A load as the search sees it: its position in the family, its offsets, its
/// guards.
pub struct Member {
    /// Position in the family.
    pub load: usize,
    /// Offset of each coordinate.
    pub offsets: Vec<Poly>,
    /// Its guards.
    pub guards: Vec<Poly>,
}

/// Finds a centre.
pub fn lane_fill(
    accesses: &mut Accesses<'_>,
    family: &Family,
    members: &[Member],
    facts: &[Poly],
) -> Option<LaneFill> {
    let straight = (0..family.coordinates.len())
        .all(|k| family.dims(k).len() == 1 && family.lanes[k].local.contains(&1));
    if !straight || members.len() < 2 {
        return None;
    }
    (0..members.len()).find_map(|centre| around(accesses, family, members, centre, facts))
}

fn around(
    accesses: &mut Accesses<'_>,
    family: &Family,
    members: &[Member],
    centre: usize,
    facts: &[Poly],
) -> Option<LaneFill> {
    let middle = &members[centre];
    let mut sides: Vec<Side> = Vec::new();
    for member in members.iter().filter(|m| m.load != middle.load) {
        let mut moved: Option<(usize, i128, Poly)> = None;
        for (k, (a, b)) in member.offsets.iter().zip(&middle.offsets).enumerate() {
            let way = a.sub(b);
            let step = accesses.bindings.atoms.with_values(&way).as_constant()?;
            match (way.is_zero(), &moved) {
                (true, _) => {}
                (false, None) => moved = Some((k, step, way)),
                (false, Some(_)) => return None,
            }
        }
        // Without a way it is the centre once more.
        let (coordinate, step, way) = moved.unwrap_or_default();
        let dim = family.dims(coordinate).first().copied()?;
        let open = uncovered(accesses, middle, member, dim, &way, facts)?;
        if way.is_zero() {
            if !open.is_empty() {
                return None;
            }
            continue;
        }
        if step == 0 {
            return None;
        }
        let within = within(accesses, middle, member, (dim, step, &way), facts);
        let guards: Vec<Poly> = member
            .guards
            .iter()
            .filter(|g| !within || !middle.guards.contains(g))
            .cloned()
            .collect();
        let same_way = sides
            .iter()
            .find(|s| s.coordinate == coordinate && (s.step > 0) == (step > 0));
        match same_way {
            Some(other) if other.way == way && other.guards == guards && other.open == open => {}
            Some(_) => return None,
            None => sides.push(Side {
                load: member.load,
                coordinate,
                dim,
                step,
                way,
                guards,
                open,
                within,
            }),
        }
    }
    let atoms = &accesses.bindings.atoms;
    for side in &mut sides {
        side.guards = without_implied(atoms, std::mem::take(&mut side.guards), facts);
    }
    Some(LaneFill {
        centre: middle.load,
        guards: without_implied(atoms, middle.guards.clone(), facts),
        sides,
    })
}

/// Whether the guards of `member` imply those of the centre for the work-items at that
/// side of the group.
fn within(
    accesses: &mut Accesses<'_>,
    middle: &Member,
    member: &Member,
    (dim, step, way): (u8, i128, &Poly),
    facts: &[Poly],
) -> bool {
    let atoms = &mut accesses.bindings.atoms;
    let local = Poly::atom(atoms.intern(Atom::LocalId(dim)));
    let size = Poly::atom(atoms.intern(Atom::LocalSize(dim)));
    let at_side = match step < 0 {
        true => way.negated().sub(&Poly::constant(1)).sub(&local),
        false => local.sub(&size).add(way),
    };
    let mut known = member.guards.clone();
    known.extend(facts.iter().cloned());
    known.push(at_side);
    middle
        .guards
        .iter()
        .all(|guard| known.contains(guard) || implied(atoms, guard, &known))
}

/// Where the work-item that far on, if it is in the group, has not stored what `member`
/// reads: one of these is at least 0. `None` where that can't be told.
fn uncovered(
    accesses: &mut Accesses<'_>,
    middle: &Member,
    member: &Member,
    dim: u8,
    way: &Poly,
    facts: &[Poly],
) -> Option<Vec<Poly>> {
    let atoms = &mut accesses.bindings.atoms;
    let local = atoms.intern(Atom::LocalId(dim));
    let size = Poly::atom(atoms.intern(Atom::LocalSize(dim)));
    let there = Poly::atom(local).add(way);
    let mut known = member.guards.clone();
    known.extend(facts.iter().cloned());
    known.push(there.clone());
    known.push(size.sub(&Poly::constant(1)).sub(&there));
    // The work-items that store are a box, so that no other one reaches an element
    // beside it.
    let same_box = middle.guards.iter().all(|g| member.guards.contains(g));
    let mut open = Vec::new();
    for guard in &middle.guards {
        let shifted = guard.substitute(local, &there)?;
        if implied(atoms, &shifted, &known) {
            continue;
        }
        let of_dim = guard.atoms().all(|a| a == local || atoms.is_uniform(a));
        if !same_box || !of_dim {
            return None;
        }
        open.push(shifted.negated().sub(&Poly::constant(1)));
    }
    Some(open)
}
