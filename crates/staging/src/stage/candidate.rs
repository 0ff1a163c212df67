//! Families of loads that could be staged.

use std::collections::VecDeque;

use tilewise_frontend::source::{AddressSpace, Variable};

use crate::loads::Accesses;
use crate::plan::border::join;
use crate::plan::coordinates::{Split, split};
use crate::plan::domain::{Domain, domain, unclear_load};
use crate::plan::family::{Family, families, loops_in};
use crate::refusal::{Code, Refusal};
use crate::rewrite::tile::{extents, is_padded, room};
use crate::rewrite::turned_store::LEAST_RUN;
use crate::symbolic::{Atom, AtomId, Atoms, LoopId, Poly};

use super::Launch;
use super::element::element_text;
use super::terms::value_at;

/// A family that could be staged.
#[derive(Clone)]
pub struct Candidate {
    /// The buffer that it reads.
    pub buffer: String,
    /// Type of an element as the source spells it.
    pub element: String,
    /// Its loads.
    pub family: Family,
    /// What they read.
    pub domain: Domain,
    /// Bytes of its tile at the launch, where they are known.
    pub bytes: Option<u64>,
    /// It is in constant memory.
    pub constant: bool,
    /// Its coordinates move with the work-items.
    pub moves: bool,
    /// The outermost loop that moves a coordinate alone: the box may be cut into
    /// chunks of it.
    pub long: Option<LoopId>,
}

impl Candidate {
    /// A part of a matrix that moves with the work-items.
    pub fn is_panel(&self) -> bool {
        self.moves && self.family.coordinates.len() > 1
    }
}

/// Adds what can be staged of a buffer.
pub fn candidates(
    accesses: &mut Accesses<'_>,
    param: &Variable,
    launch: &Launch,
    found: &mut Vec<Candidate>,
    refusals: &mut Vec<Refusal>,
) {
    let tree = accesses.bindings.tree;
    let name = &param.name;
    let loads: Vec<usize> = (0..accesses.loads.len())
        .filter(|l| accesses.loads[*l].buffer == param.id)
        .collect();
    let escape = accesses.escapes.iter().find(|e| e.buffer == param.id);
    if loads.is_empty() && escape.is_none() {
        return;
    }
    let refuse = |refusals: &mut Vec<Refusal>, span, code, message: String| {
        refusals.push(Refusal::new(tree, span, code, message).of(name));
    };
    if accesses.written.contains(&param.id) || launch.aliased.contains(name) {
        refuse(
            refusals,
            param.span,
            Code::Written,
            format!("{name} is written by the kernel: a tile would keep old values"),
        );
        return;
    }
    let spelled = param.ty.spelled.clone().unwrap_or_default();
    if spelled.base_qualifiers.is_volatile {
        refuse(
            refusals,
            param.span,
            Code::Volatile,
            format!("{name} is volatile: each read has to reach memory"),
        );
        return;
    }
    if let Some(escape) = escape {
        refuse(
            refusals,
            escape.span,
            Code::Escapes,
            format!("{name} {}, so that its loads can't be followed", escape.how),
        );
        return;
    }
    let mut splits: Vec<(usize, Split)> = Vec::new();
    for load in loads {
        let index = accesses.loads[load].index.clone();
        let is_image = accesses.loads[load].image.is_some();
        match split(&mut accesses.bindings.atoms, &index) {
            Ok(split) if is_image && (split.coordinates.len() != 2 || !split.base.is_zero()) => {
                refuse(
                    refusals,
                    accesses.loads[load].expr.span,
                    Code::Form,
                    format!(
                        "this read of {name} is not staged: only one of its coordinates moves with ids or loops"
                    ),
                );
            }
            Ok(split) if !split.coordinates.is_empty() => splits.push((load, split)),
            Ok(_) => {}
            Err((code, why)) => refuse(
                refusals,
                accesses.loads[load].expr.span,
                code,
                format!("this load of {name} is not staged: {why}"),
            ),
        }
    }
    let mut joined = splits.clone();
    join(accesses, &mut joined);
    let before = (found.len(), refusals.len());
    of_splits(accesses, param, launch, &joined, found, refusals);
    // What can't be staged as one may be as several.
    if found.len() == before.0 && joined != splits {
        refusals.truncate(before.1);
        of_splits(accesses, param, launch, &splits, found, refusals);
    }
}

/// Adds what can be staged of a buffer's loads with these indices.
fn of_splits(
    accesses: &mut Accesses<'_>,
    param: &Variable,
    launch: &Launch,
    splits: &[(usize, Split)],
    found: &mut Vec<Candidate>,
    refusals: &mut Vec<Refusal>,
) {
    let tree = accesses.bindings.tree;
    let name = &param.name;
    let refuse = |refusals: &mut Vec<Refusal>, span, code, message: String| {
        refusals.push(Refusal::new(tree, span, code, message).of(name));
    };
    let (families, refused) = families(accesses, splits);
    for (load, (code, why)) in refused {
        refuse(
            refusals,
            accesses.loads[load].expr.span,
            code,
            format!("this load of {name} is not staged: {why}"),
        );
    }
    let mut waiting = VecDeque::from(families);
    while let Some(family) = waiting.pop_front() {
        let image = accesses.loads[family.loads[0]].image.as_ref();
        let element = match image {
            Some(image) => image.element().to_owned(),
            None => element_text(tree, param),
        };
        let span = accesses.loads[family.loads[0]].expr.span;
        let domain = match domain(accesses, &family, None) {
            Ok(domain) => domain,
            Err((code, why)) => {
                // Loads that are a value of the launch apart, as planes of a volume
                // are, have tiles of their own.
                let apart = family.apart(&mut accesses.bindings.atoms);
                if apart.len() > 1 {
                    apart.into_iter().rev().for_each(|f| waiting.push_front(f));
                    continue;
                }
                let at = unclear_load(accesses, &family).filter(|_| code == Code::Guard);
                let span = at.map_or(span, |load| accesses.loads[load].expr.span);
                refuse(
                    refusals,
                    span,
                    code,
                    format!("this load of {name} is not staged: {why}"),
                );
                continue;
            }
        };
        if !has_reuse(accesses, &family, &domain) && !is_turned(accesses, &family, launch) {
            match hidden_by(accesses, &family) {
                Some(by) => refuse(
                    refusals,
                    span,
                    Code::Form,
                    format!(
                        "this load of {name} is not staged: {by} stands between the ids and its index, so that it can't be told which elements work-items share"
                    ),
                ),
                None => refuse(
                    refusals,
                    span,
                    Code::NoReuse,
                    format!("no element of {name} is read by two work-items of a group here"),
                ),
            }
            continue;
        }
        let mut long = long_loop(accesses, &family);
        let extents = room(&family, &extents(accesses, &family, &domain));
        let bytes = bytes_of(accesses, name, &extents, launch);
        if let Some(why) = long.and_then(|id| uncut(accesses, id)) {
            long = None;
            if bytes.is_none_or(|b| b > launch.limit) {
                refuse(
                    refusals,
                    span,
                    Code::Form,
                    format!("this load of {name} is not staged: {why}"),
                );
                continue;
            }
        }
        let moves = (0..family.coordinates.len()).any(|k| !family.dims(k).is_empty());
        let candidate = Candidate {
            buffer: name.clone(),
            element,
            family,
            domain,
            bytes,
            constant: param.ty.points_to() == Some(AddressSpace::Constant),
            moves,
            long,
        };
        match bytes.filter(|b| long.is_none() && *b > launch.limit) {
            Some(bytes) => refusals.push(too_large(accesses, &candidate, &extents, bytes, launch)),
            None => found.push(candidate),
        }
    }
}

/// Bytes of a tile of some extents at a launch, where they are known.
pub fn bytes_of(
    accesses: &Accesses<'_>,
    buffer: &str,
    extents: &[Poly],
    launch: &Launch,
) -> Option<u64> {
    let elements = extents.iter().try_fold(1i128, |n, e| {
        n.checked_mul(value_at(&accesses.bindings.atoms, e, launch)?.max(0))
    })?;
    let size = launch.element_bytes.get(buffer)?;
    u64::try_from(elements).ok()?.checked_mul(*size)
}

/// A box that does not fit, with the largest group for which it would.
pub fn too_large(
    accesses: &Accesses<'_>,
    candidate: &Candidate,
    extents: &[Poly],
    bytes: u64,
    launch: &Launch,
) -> Refusal {
    let span = accesses.loads[candidate.family.loads[0]].expr.span;
    let (buffer, limit) = (&candidate.buffer, launch.limit);
    let message = format!(
        "the box that a group reads of {buffer} takes {bytes} B, and a group may take {limit} B of local memory"
    );
    let refusal = Refusal::new(accesses.bindings.tree, span, Code::TooLarge, message).of(buffer);
    let mut smaller = launch.clone();
    while let Some(d) = (0..3)
        .rev()
        .max_by_key(|d| smaller.local[*d])
        .filter(|d| smaller.local[*d] > 1)
    {
        smaller.local[d] = smaller.local[d].div_ceil(2);
        if let Some(bytes) = bytes_of(accesses, buffer, extents, &smaller).filter(|b| *b <= limit) {
            let [x, y, z] = smaller.local;
            let shape = match launch.local {
                [_, 1, 1] => format!("{x}"),
                [_, _, 1] => format!("{x}x{y}"),
                _ => format!("{x}x{y}x{z}"),
            };
            return refusal.helped(format!("with --local {shape} it takes {bytes} B"));
        }
    }
    refusal.helped("no group is small enough: what it reads does not shrink with the group")
}

/// Whether work-items of a group read the same elements.
fn has_reuse(accesses: &Accesses<'_>, family: &Family, domain: &Domain) -> bool {
    let mut used = [false; 3];
    for variable in &accesses.variables {
        for atom in variable.value.iter().flat_map(Poly::atoms) {
            if let Atom::LocalId(d) = accesses.bindings.atoms.get(atom) {
                used[usize::from(*d)] = true;
            }
        }
    }
    let count = family.coordinates.len();
    let moved = |d: usize| (0..count).any(|k| family.lanes[k].local[d] != 0);
    let shared = (0..3).any(|d| used[d] && !moved(d));
    let overlaps =
        (0..count).any(|k| domain.hull.low[k] != domain.hull.high[k] && !family.dims(k).is_empty());
    shared || overlaps
}

/// What the kernel makes of a coordinate that may bring different work-items to the same
/// element, such as a division. What only moves those beyond a border does not count.
fn hidden_by(accesses: &Accesses<'_>, family: &Family) -> Option<String> {
    fn of(atoms: &Atoms, atom: AtomId) -> Option<String> {
        let Atom::Function(function) = atoms.get(atom) else {
            return None;
        };
        let head = function.head.split(':').next().unwrap_or_default();
        match head {
            "clamp" | "min" | "max" | "?" => {
                let mut inner = function.args.iter().flat_map(Poly::atoms);
                inner.find_map(|a| of(atoms, a))
            }
            name if name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                Some(format!("{name}()"))
            }
            operator => Some(format!("'{operator}'")),
        }
    }
    let mut maps = family.coordinates.iter().filter_map(|c| c.map);
    maps.find_map(|map| of(&accesses.bindings.atoms, map))
}

/// Whether neighbouring work-items read a row apart what a loop, or work-items of
/// another dimension, read side by side: a tile is worth its while without reuse
/// then, since it is filled along the rows.
fn is_turned(accesses: &mut Accesses<'_>, family: &Family, launch: &Launch) -> bool {
    let in_memory = accesses.loads[family.loads[0]].image.is_none();
    let [fastest, ..] = &family.coordinates[..] else {
        return false;
    };
    let side_by_side = fastest.stride.as_constant() == Some(1) && fastest.map.is_none();
    if !in_memory || !side_by_side || !is_padded(family) {
        return false;
    }
    let by_ids = family
        .dims(0)
        .iter()
        .any(|d| launch.local[usize::from(*d)] >= LEAST_RUN);
    let by_loop = (0..family.loads.len()).any(|position| {
        let offset = family.offset(position, 0, &mut accesses.bindings.atoms);
        loops_in(&accesses.bindings.atoms, &offset)
            .iter()
            .any(|(_, id)| is_long(accesses, *id))
    });
    by_loop || by_ids && launch.local[0] >= LEAST_RUN
}

/// Why a loop can't be cut into chunks, if it can't.
fn uncut(accesses: &Accesses<'_>, id: LoopId) -> Option<String> {
    let found = &accesses.bindings.loops[id.0 as usize];
    let why = if found.down {
        "counts down"
    } else if !found.alone {
        "has other variables that step along"
    } else {
        return None;
    };
    Some(format!(
        "the loop over {} {why}, so that it is not cut into chunks, and all of what it reads does not fit",
        found.name
    ))
}

/// Whether only the launch knows how often a loop runs.
fn is_long(accesses: &Accesses<'_>, id: LoopId) -> bool {
    let l = &accesses.bindings.loops[id.0 as usize];
    let length = accesses.bindings.atoms.with_values(&l.upper.sub(&l.lower));
    length.as_constant().is_none()
}

/// The outermost loop whose variable alone moves a coordinate, to a bound that only
/// the launch knows.
fn long_loop(accesses: &mut Accesses<'_>, family: &Family) -> Option<LoopId> {
    let mut found: Vec<LoopId> = Vec::new();
    for k in 0..family.coordinates.len() {
        if !family.dims(k).is_empty() {
            continue;
        }
        for position in 0..family.loads.len() {
            let offset = family.offset(position, k, &mut accesses.bindings.atoms);
            found.extend(
                loops_in(&accesses.bindings.atoms, &offset)
                    .into_iter()
                    .map(|(_, id)| id),
            );
        }
    }
    let loops = &accesses.bindings.loops;
    found
        .into_iter()
        .filter(|id| is_long(accesses, *id) && loops[id.0 as usize].window.is_zero())
        .min()
}
