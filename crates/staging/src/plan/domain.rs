//! What of a family's box a fill may read: exactly what the kernel reads.
//!
//! A kernel does not know the lengths of its buffers, so a fill must not read an
//! element that no work-item of the group reads: beyond guards and early returns,
//! corners of a cross, work-items past the range.
//!
//! Method: loads are put into *classes* of equal guards. The work-items that pass the
//! guards on ids are a box `D` of the group; the offsets that the loads of a class
//! add are a union of boxes; the elements read are the sums of both, cut by the guards
//! that bound the coordinates themselves (`x + dx >= 0`). So the domain is a union of
//! [`Region`]s, each a conjunction of inequalities on the coordinates, provided that
//! `D` is not empty, which is a condition on the group. Where each guard of one load
//! holds for the others anyway (`gid > 0 ? in[gid - 1]` beside `in[gid]`), all are
//! one class.
//!
//! What it misses: guards that are no such inequalities are refused. A symmetric loop
//! from -R to R is taken to run (R at least 0).

use crate::loads::{Accesses, Load};
use crate::refusal::Code;
use crate::symbolic::{Atom, Atoms, Conjunction, LoopId, Poly};

use super::border::saturates_at;
use super::coordinates::Reason;
use super::except::guard_of;
use super::family::{Family, loops_in};
use super::lanes::{LaneFill, Member, lane_fill};
use super::prove::implied;

/// Regions beyond this make a fill that nobody reads.
const MOST_REGIONS: usize = 6;
/// Offsets that are enumerated.
const MOST_POINTS: usize = 512;

/// Offsets, by coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetBox {
    /// Lowest.
    pub low: Vec<Poly>,
    /// Highest.
    pub high: Vec<Poly>,
}

/// A part of the domain.
#[derive(Clone, Debug)]
pub struct Region {
    /// Offsets of the loads behind it.
    pub offsets: OffsetBox,
    /// Inequalities of [`Atom::Coordinate`]s and uniform values, each at least 0.
    pub element: Vec<Poly>,
    /// Inequalities of uniform values.
    pub group: Vec<Poly>,
}

/// The domain of a family.
#[derive(Clone, Debug)]
pub struct Domain {
    /// Offsets of all loads: the tile has room for them.
    pub hull: OffsetBox,
    /// Their union is what is read.
    pub regions: Vec<Region>,
    /// Conditions on the group without which nothing is read.
    pub group: Vec<Poly>,
    /// The number of a load (in [`Accesses::loads`]) whose constant stands where
    /// the domain ends, so that its condition need not be asked again.
    pub filled_up: Option<usize>,
    /// A fill by the work-items themselves, where that does it; there are no
    /// regions then.
    pub lanes: Option<LaneFill>,
    /// What holds for ids and sizes of every group.
    pub facts: Vec<Poly>,
}

/// A load under one alternative of its guard.
#[derive(Clone, Debug)]
struct Instance {
    /// Position in the family.
    load: usize,
    /// Guards on the path.
    path: Vec<Poly>,
    /// Guards of its own `?:` that a constant replaces.
    choice: Vec<Poly>,
    offsets: OffsetBox,
}

impl Instance {
    fn all(&self) -> Vec<Poly> {
        self.path.iter().chain(&self.choice).cloned().collect()
    }
}

/// A loop that is cut into chunks, of which one is staged at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The loop.
    pub id: LoopId,
    /// First value of the loop's variable in a chunk.
    pub start: Poly,
    /// Iterations of a chunk.
    pub length: Poly,
}

impl Chunk {
    fn last(&self) -> Poly {
        self.start.add(&self.length).sub(&Poly::constant(1))
    }
}

/// Finds the domain of a family, of a chunk of a loop at a time if one is given.
pub fn domain(
    accesses: &mut Accesses<'_>,
    family: &Family,
    chunk: Option<&Chunk>,
) -> Result<Domain, Reason> {
    let facts = facts(accesses, &family.loads, chunk)?;
    let instances = instances(accesses, family, chunk)?;
    let hull = hull(&accesses.bindings.atoms, &instances, &facts)?;
    let together = one_class(accesses, family, &instances, &facts);
    let is_one = together.is_some();
    let lanes = by_lanes(accesses, family, &instances, &facts);
    let by_lanes = |lanes: LaneFill, hull: OffsetBox| Domain {
        hull,
        regions: Vec::new(),
        group: Vec::new(),
        filled_up: None,
        lanes: Some(lanes),
        facts: Vec::new(),
    };
    if let Some(lanes) = lanes.clone().filter(|_| !is_one) {
        return Ok(by_lanes(lanes, hull));
    }
    let classes = match together {
        Some(class) => vec![class],
        None => by_guard(accesses, family, &instances, &facts)?,
    };
    let ends = match chunk {
        Some(chunk) => ends_of(accesses, family, chunk)?,
        None => Vec::new(),
    };
    let atoms = &mut accesses.bindings.atoms;
    let mut regions = Vec::new();
    for class in &classes {
        regions.extend(class.regions(atoms, family, &facts, &hull)?);
    }
    for region in &mut regions {
        for end in &ends {
            if !implied(atoms, end, &region.element) {
                region.element.push(end.clone());
            }
        }
    }
    if regions.is_empty() || regions.len() > MOST_REGIONS {
        return Err((
            Code::Form,
            "its loads cover no box, and too many parts of one".to_owned(),
        ));
    }
    for region in &regions {
        without_holes(atoms, family, &region.offsets, &facts)?;
    }
    for region in &mut regions {
        region.group = without_implied(atoms, std::mem::take(&mut region.group), &[]);
    }
    let mut group = regions[0].group.clone();
    group.retain(|c| regions.iter().all(|r| r.group.contains(c)));
    for region in &mut regions {
        region.group.retain(|c| !group.contains(c));
    }
    // What every element passes need not be asked again, nor what it implies.
    let common: Vec<Poly> = regions[0]
        .element
        .iter()
        .filter(|c| regions.iter().all(|r| r.element.contains(c)))
        .cloned()
        .collect();
    for region in &mut regions {
        let mut own = std::mem::take(&mut region.element);
        own.retain(|c| !common.contains(c));
        let own = without_implied(atoms, own, &common);
        region.element = common.iter().cloned().chain(own).collect();
    }
    let filled_up = is_one
        .then(|| filled_up(accesses, family, &instances))
        .flatten();
    // A box with many conditions says less than what each work-item reads.
    let many = regions.len() > 1 || group.len() + regions[0].group.len() > 1;
    if let Some(lanes) = lanes.filter(|_| many && filled_up.is_none()) {
        return Ok(by_lanes(lanes, hull));
    }
    let atoms = &accesses.bindings.atoms;
    let of_ids = |f: &Poly| {
        f.atoms().all(|a| {
            matches!(
                atoms.get(a),
                Atom::LocalId(_) | Atom::LocalSize(_) | Atom::Macro { .. }
            )
        })
    };
    let facts = facts.into_iter().filter(of_ids).collect();
    Ok(Domain {
        hull,
        regions,
        group,
        filled_up,
        lanes: None,
        facts,
    })
}

/// Checks that work-items whose ids step by several elements read those between
/// their own, too: a fill reads all of them.
fn without_holes(
    atoms: &Atoms,
    family: &Family,
    offsets: &OffsetBox,
    facts: &[Poly],
) -> Result<(), Reason> {
    for (k, lanes) in family.lanes.iter().enumerate() {
        let step = lanes.local.iter().map(|c| c.abs()).filter(|c| *c != 0);
        let Some(step) = step.min().filter(|s| *s > 1) else {
            continue;
        };
        let run = offsets.high[k]
            .sub(&offsets.low[k])
            .add(&Poly::constant(1 - step));
        let run = atoms.with_values(&run);
        if !implied(atoms, &run, facts) {
            return Err((
                Code::Form,
                format!("work-items are {step} elements apart and leave holes between them"),
            ));
        }
    }
    Ok(())
}

/// A fill by the work-items themselves, for single loads without loops.
fn by_lanes(
    accesses: &mut Accesses<'_>,
    family: &Family,
    instances: &[Instance],
    facts: &[Poly],
) -> Option<LaneFill> {
    let members: Vec<Member> = instances
        .iter()
        .map(|i| Member {
            load: i.load,
            offsets: i.offsets.low.clone(),
            guards: i.all(),
        })
        .collect();
    let single = instances.iter().all(|i| i.offsets.low == i.offsets.high);
    let once = members
        .iter()
        .all(|m| members.iter().filter(|o| o.load == m.load).count() == 1);
    if !single || !once {
        return None;
    }
    lane_fill(accesses, family, &members, facts)
}

/// Where the last chunk of a loop ends before its time: bounds of the coordinates
/// that the loop's variable moves.
fn ends_of(
    accesses: &mut Accesses<'_>,
    family: &Family,
    chunk: &Chunk,
) -> Result<Vec<Poly>, Reason> {
    let upper = accesses.bindings.loops[chunk.id.0 as usize].upper.clone();
    let mut ends = Vec::new();
    for position in 0..family.loads.len() {
        for k in 0..family.coordinates.len() {
            let offset = family.offset(position, k, &mut accesses.bindings.atoms);
            let atoms = &mut accesses.bindings.atoms;
            let loops = loops_in(atoms, &offset);
            let Some((atom, _)) = loops.iter().find(|(_, id)| *id == chunk.id) else {
                continue;
            };
            let forwards = offset.coefficient(&[*atom]) == 1;
            if !family.dims(k).is_empty() || !forwards || loops.len() != 1 {
                return Err((
                    Code::Form,
                    "its index adds the variable of a long loop to an id".to_owned(),
                ));
            }
            let coordinate = Poly::atom(atoms.intern(Atom::Coordinate(k as u8)));
            let last = offset.substitute(*atom, &upper).unwrap_or_default();
            let end = last.add(&family.lanes[k].start).sub(&coordinate);
            if !ends.contains(&end) {
                ends.push(end);
            }
        }
    }
    match ends.len() {
        0 | 1 => Ok(ends),
        _ => Err((
            Code::Form,
            "its loads reach differently far in a long loop".to_owned(),
        )),
    }
}

/// What holds wherever one of these loads runs.
pub(super) fn facts(
    accesses: &mut Accesses<'_>,
    loads: &[usize],
    chunk: Option<&Chunk>,
) -> Result<Vec<Poly>, Reason> {
    let mut facts = Vec::new();
    let one = Poly::constant(1);
    for d in 0..3 {
        let atoms = &mut accesses.bindings.atoms;
        let size = Poly::atom(atoms.intern(Atom::LocalSize(d))).sub(&one);
        let local = Poly::atom(atoms.intern(Atom::LocalId(d)));
        facts.push(size.sub(&local));
        facts.push(size);
    }
    let loops: Vec<_> = loads
        .iter()
        .flat_map(|l| accesses.loads[*l].loops.clone())
        .collect();
    for id in loops {
        let found = accesses.bindings.loops[id.0 as usize].clone();
        let atom = Atom::Loop {
            id,
            name: found.name.clone(),
            natural: false,
        };
        let variable = Poly::atom(accesses.bindings.atoms.intern(atom));
        let length = found.upper.sub(&found.lower);
        if let Some(chunk) = chunk.filter(|c| c.id == id) {
            facts.push(variable.sub(&chunk.start));
            facts.push(chunk.last().sub(&variable));
        }
        for fact in [
            variable.sub(&found.lower),
            found.upper.sub(&variable),
            halved(&length),
        ] {
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
    }
    Ok(facts)
}

/// `2R >= 0` is `R >= 0`.
fn halved(poly: &Poly) -> Poly {
    let even = !poly.is_zero() && poly.terms().all(|(_, c)| c % 2 == 0);
    if !even {
        return poly.clone();
    }
    let mut half = Poly::default();
    for (m, c) in poly.terms() {
        half.add_term(c / 2, m.clone());
    }
    half
}

fn instances(
    accesses: &mut Accesses<'_>,
    family: &Family,
    chunk: Option<&Chunk>,
) -> Result<Vec<Instance>, Reason> {
    let mut list = Vec::new();
    for position in 0..family.loads.len() {
        let offsets = offsets(accesses, family, position, chunk)?;
        let guard = guard_of(accesses, family, position);
        let load = &accesses.loads[family.loads[position]];
        let own = load.choice.as_ref().map_or(Vec::new(), |c| c.own.clone());
        for alternative in &guard.0 {
            let instance = instance(accesses, alternative, position, &own, &offsets)?;
            list.push(instance);
        }
    }
    Ok(list)
}

/// The first load of a family with a guard that is no inequality of ids.
pub fn unclear_load(accesses: &Accesses<'_>, family: &Family) -> Option<usize> {
    let unclear = |load: &&usize| {
        let mut guards = accesses.loads[**load].guard.0.iter();
        guards.any(|c| is_unclear(&accesses.bindings.atoms, c))
    };
    family.loads.iter().find(unclear).copied()
}

/// Whether a guard is more than inequalities of ids, loop variables and shared values.
pub(super) fn is_unclear(atoms: &Atoms, alternative: &Conjunction) -> bool {
    let unclear = |p: &Poly| {
        p.atoms().any(|a| match atoms.get(a) {
            Atom::Unknown { .. } => true,
            Atom::Function(f) => !f.uniform,
            _ => false,
        })
    };
    alternative.opaque || alternative.constraints.iter().any(unclear)
}

fn instance(
    accesses: &Accesses<'_>,
    alternative: &Conjunction,
    load: usize,
    own: &[Poly],
    offsets: &OffsetBox,
) -> Result<Instance, Reason> {
    if is_unclear(&accesses.bindings.atoms, alternative) {
        return Err((
            Code::Guard,
            "a guard on its path is no inequality of ids, loop variables and values that all work-items share".to_owned(),
        ));
    }
    let (choice, path) = alternative
        .constraints
        .iter()
        .cloned()
        .partition(|c| own.contains(c));
    Ok(Instance {
        load,
        path,
        choice,
        offsets: offsets.clone(),
    })
}

/// The offsets that a load adds over its loops.
fn offsets(
    accesses: &mut Accesses<'_>,
    family: &Family,
    position: usize,
    chunk: Option<&Chunk>,
) -> Result<OffsetBox, Reason> {
    let mut seen = Vec::new();
    let mut found = OffsetBox {
        low: Vec::new(),
        high: Vec::new(),
    };
    for coordinate in 0..family.coordinates.len() {
        let offset = family.offset(position, coordinate, &mut accesses.bindings.atoms);
        let (mut low, mut high) = (offset.clone(), offset.clone());
        for (atom, id) in loops_in(&accesses.bindings.atoms, &offset) {
            if seen.contains(&id) {
                return Err((
                    Code::Form,
                    "a loop moves its index along two dimensions at once".to_owned(),
                ));
            }
            seen.push(id);
            let found = &accesses.bindings.loops[id.0 as usize];
            let atoms = &accesses.bindings.atoms;
            let coefficient = offset.coefficient(&[atom]);
            let plain = offset
                .terms()
                .all(|(m, _)| !m.contains(&atom) || m.len() == 1);
            if !plain || coefficient.abs() != 1 {
                return Err((
                    Code::Form,
                    format!(
                        "loop variable {} leaves holes between the elements that it reads",
                        found.name
                    ),
                ));
            }
            if found.step != 1 {
                return Err((
                    Code::Form,
                    format!(
                        "the loop over {} steps by {}, and only steps of 1 are staged",
                        found.name, found.step
                    ),
                ));
            }
            if !atoms.all_uniform(&found.lower) || !atoms.all_uniform(&found.upper) {
                return Err((
                    Code::Unbounded,
                    format!(
                        "the bounds of the loop over {} differ between work-items or iterations",
                        found.name
                    ),
                ));
            }
            let (lower, upper) = match chunk.filter(|c| c.id == id) {
                Some(chunk) => (chunk.start.clone(), chunk.last()),
                None => (found.lower.clone(), found.upper.clone()),
            };
            let (first, last) = if coefficient > 0 {
                (&lower, &upper)
            } else {
                (&upper, &lower)
            };
            let large = || (Code::Form, "its index is too large a polynomial".to_owned());
            low = low.substitute(atom, first).ok_or_else(large)?;
            high = high.substitute(atom, last).ok_or_else(large)?;
        }
        found.low.push(low);
        found.high.push(high);
    }
    Ok(found)
}

fn at_most(atoms: &Atoms, low: &Poly, high: &Poly, facts: &[Poly]) -> bool {
    implied(atoms, &high.sub(low), facts)
}

fn hull(atoms: &Atoms, instances: &[Instance], facts: &[Poly]) -> Result<OffsetBox, Reason> {
    let mut boxes = instances.iter().map(|i| &i.offsets);
    let Some(first) = boxes.next() else {
        return Err((Code::NoReuse, "its loads never run".to_owned()));
    };
    let mut hull = first.clone();
    let apart = || {
        (
            Code::Form,
            "it can't be told which of its offsets is the larger".to_owned(),
        )
    };
    for other in boxes {
        for k in 0..hull.low.len() {
            if at_most(atoms, &other.low[k], &hull.low[k], facts) {
                hull.low[k] = other.low[k].clone();
            } else if !at_most(atoms, &hull.low[k], &other.low[k], facts) {
                return Err(apart());
            }
            if at_most(atoms, &hull.high[k], &other.high[k], facts) {
                hull.high[k] = other.high[k].clone();
            } else if !at_most(atoms, &other.high[k], &hull.high[k], facts) {
                return Err(apart());
            }
        }
    }
    Ok(hull)
}

/// Loads with the same work-items and the same cuts.
#[derive(Clone, Debug)]
struct Class {
    /// `LocalId(d) <= bound`, by dimension.
    upper: Vec<(u8, Poly)>,
    /// `LocalId(d) >= bound`.
    lower: Vec<(u8, Poly)>,
    /// Guards without any id.
    uniform: Vec<Poly>,
    /// Inequalities of coordinates.
    cuts: Vec<Poly>,
    offsets: Vec<OffsetBox>,
}

/// A guard on the id of one dimension.
fn on_one_id(atoms: &mut Atoms, guard: &Poly) -> Option<(u8, bool, Poly)> {
    let mut dim = None;
    for atom in guard.atoms() {
        match atoms.get(atom) {
            Atom::LocalId(d) if dim.is_none_or(|known| known == *d) => dim = Some(*d),
            Atom::LocalId(_) => return None,
            _ if atoms.is_uniform(atom) => {}
            _ => return None,
        }
    }
    let dim = dim?;
    let id = atoms.intern(Atom::LocalId(dim));
    let coefficient = guard.coefficient(&[id]);
    let rest = guard.sub(&Poly::term(coefficient, vec![id]));
    if rest.atoms().any(|a| a == id) {
        return None;
    }
    match coefficient {
        1 => Some((dim, false, rest.negated())),
        -1 => Some((dim, true, rest)),
        _ => None,
    }
}

/// All instances as one class, where each guard that not all share holds for the
/// others, too.
fn one_class(
    accesses: &mut Accesses<'_>,
    family: &Family,
    instances: &[Instance],
    facts: &[Poly],
) -> Option<Class> {
    let mut common = instances.first()?.path.clone();
    common.retain(|c| instances.iter().all(|i| i.path.contains(c)));
    let mut class = class_of(accesses, &common, instances);
    let mut cuts = Vec::new();
    for instance in instances {
        for guard in instance.all() {
            if is_taken(accesses, &class, &common, &guard) {
                continue;
            }
            let cut = on_coordinates(&mut accesses.bindings.atoms, family, instance.load, &guard)?;
            if !cuts.contains(&cut) {
                cuts.push(cut);
            }
        }
    }
    for cut in &cuts {
        for other in instances {
            let at = at_load(&mut accesses.bindings.atoms, family, other.load, cut)?;
            let mut known = other.all();
            known.extend(facts.iter().cloned());
            if !implied(&accesses.bindings.atoms, &at, &known) {
                return None;
            }
        }
    }
    class.cuts = without_implied(&accesses.bindings.atoms, cuts, facts);
    Some(class)
}

/// Inequalities without those that the others imply.
pub fn without_implied(atoms: &Atoms, cuts: Vec<Poly>, facts: &[Poly]) -> Vec<Poly> {
    let mut kept = cuts;
    let mut at = 0;
    while at < kept.len() {
        let mut others: Vec<Poly> = kept.clone();
        let cut = others.remove(at);
        others.extend(facts.iter().cloned());
        if implied(atoms, &cut, &others) {
            kept.remove(at);
        } else {
            at += 1;
        }
    }
    kept
}

/// Whether a guard is part of the class's work-items.
fn is_taken(accesses: &mut Accesses<'_>, class: &Class, common: &[Poly], guard: &Poly) -> bool {
    if !common.contains(guard) {
        return false;
    }
    class.uniform.contains(guard) || on_one_id(&mut accesses.bindings.atoms, guard).is_some()
}

/// A class from guards that all its instances share.
fn class_of(accesses: &mut Accesses<'_>, common: &[Poly], instances: &[Instance]) -> Class {
    let atoms = &mut accesses.bindings.atoms;
    let mut class = Class {
        upper: Vec::new(),
        lower: Vec::new(),
        uniform: Vec::new(),
        cuts: Vec::new(),
        offsets: instances.iter().map(|i| i.offsets.clone()).collect(),
    };
    for guard in common {
        match on_one_id(atoms, guard) {
            Some((dim, true, bound)) => class.upper.push((dim, bound)),
            Some((dim, false, bound)) => class.lower.push((dim, bound)),
            None if atoms.all_uniform(guard) => class.uniform.push(guard.clone()),
            None => {}
        }
    }
    class
}

/// One class per set of guards; a load under weaker guards belongs to the
/// classes under stronger ones, too.
fn by_guard(
    accesses: &mut Accesses<'_>,
    family: &Family,
    instances: &[Instance],
    facts: &[Poly],
) -> Result<Vec<Class>, Reason> {
    let mut sets: Vec<Vec<Poly>> = Vec::new();
    for instance in instances {
        let guards = instance.all();
        let same = |s: &Vec<Poly>| s.len() == guards.len() && s.iter().all(|g| guards.contains(g));
        if !sets.iter().any(same) {
            sets.push(guards);
        }
    }
    let mut classes = Vec::new();
    for set in sets {
        let members: Vec<Instance> = instances
            .iter()
            .filter(|i| i.all().iter().all(|g| set.contains(g)))
            .cloned()
            .collect();
        let mut class = class_of(accesses, &set, &members);
        for guard in &set {
            if is_taken(accesses, &class, &set, guard) {
                continue;
            }
            // A guard with a loop variable cuts the coordinates of the one load
            // that it belongs to.
            let unclear = || {
                (
                    Code::Guard,
                    "a guard on its path does not bound one of its dimensions".to_owned(),
                )
            };
            let [one] = &members[..] else {
                return Err(unclear());
            };
            let cut = on_coordinates(&mut accesses.bindings.atoms, family, one.load, guard)
                .ok_or_else(unclear)?;
            class.cuts.push(cut);
        }
        class.cuts = without_implied(&accesses.bindings.atoms, class.cuts, facts);
        classes.push(class);
    }
    Ok(classes)
}

/// A guard of a load as an inequality of its coordinates.
fn on_coordinates(atoms: &mut Atoms, family: &Family, load: usize, guard: &Poly) -> Option<Poly> {
    let mut rest = guard.clone();
    let mut result = Poly::default();
    let values = &family.values[load];
    for (k, value) in values.iter().enumerate() {
        let own = value.terms().find_map(|(m, c)| match m[..] {
            [atom]
                if !atoms.is_uniform(atom)
                    && c.abs() == 1
                    && values
                        .iter()
                        .enumerate()
                        .all(|(other, v)| other == k || v.atoms().all(|a| a != atom)) =>
            {
                Some((atom, c))
            }
            _ => None,
        });
        let Some((own, sign)) = own else { continue };
        let coordinate = atoms.intern(Atom::Coordinate(k as u8));
        loop {
            let found = rest
                .terms()
                .find(|(m, _)| m.contains(&own))
                .map(|(m, c)| (m.clone(), c));
            let Some((monomial, coefficient)) = found else {
                break;
            };
            let quotient = Poly::quotient(&monomial, &[own])?;
            if quotient.contains(&own) {
                return None;
            }
            let times = Poly::term(coefficient * sign, quotient);
            rest = rest.sub(&times.mul(value)?);
            result = result.add(&times.mul(&Poly::atom(coordinate))?);
        }
    }
    atoms.all_uniform(&rest).then(|| result.add(&rest))
}

/// An inequality of coordinates at a load.
fn at_load(atoms: &mut Atoms, family: &Family, load: usize, cut: &Poly) -> Option<Poly> {
    let mut at = cut.clone();
    for (k, value) in family.values[load].iter().enumerate() {
        let coordinate = atoms.intern(Atom::Coordinate(k as u8));
        at = at.substitute(coordinate, value)?;
    }
    Some(at)
}

impl Class {
    /// Its regions: one for each box of offsets.
    fn regions(
        &self,
        atoms: &mut Atoms,
        family: &Family,
        facts: &[Poly],
        hull: &OffsetBox,
    ) -> Result<Vec<Region>, Reason> {
        let group = self.group(atoms, family, facts);
        merged(&self.offsets)
            .into_iter()
            .map(|offsets| {
                Ok(Region {
                    element: self.element(atoms, family, facts, &offsets, hull)?,
                    group: group.clone(),
                    offsets,
                })
            })
            .collect()
    }

    /// That some work-item of the group passes the guards on ids.
    fn group(&self, atoms: &mut Atoms, family: &Family, facts: &[Poly]) -> Vec<Poly> {
        let mut needed = self.uniform.clone();
        for (_, bound) in &self.upper {
            needed.push(bound.clone());
        }
        for (d, bound) in &self.lower {
            let size = Poly::atom(atoms.intern(Atom::LocalSize(*d)));
            needed.push(size.sub(&Poly::constant(1)).sub(bound));
            for (_, upper) in self.upper.iter().filter(|(other, _)| other == d) {
                needed.push(upper.sub(bound));
            }
        }
        // A loop that may be empty beside ids in one coordinate.
        for offsets in &self.offsets {
            for k in 0..offsets.low.len() {
                let length = offsets.high[k].sub(&offsets.low[k]);
                let symmetric = offsets.high[k] == offsets.low[k].negated()
                    || length.constant_part() >= 0 && halved(&length) != length;
                let moved = !family.dims(k).is_empty();
                let known = atoms.with_values(&length).as_constant();
                if moved && !symmetric && known.is_none_or(|n| n < 0) {
                    needed.push(length);
                }
            }
        }
        let mut kept: Vec<Poly> = Vec::new();
        for condition in needed {
            let known = facts_of_sizes(facts, atoms);
            if !kept.contains(&condition) && !implied(atoms, &condition, &known) {
                kept.push(condition);
            }
        }
        kept
    }

    fn element(
        &self,
        atoms: &mut Atoms,
        family: &Family,
        facts: &[Poly],
        offsets: &OffsetBox,
        hull: &OffsetBox,
    ) -> Result<Vec<Poly>, Reason> {
        let mut conditions = self.cuts.clone();
        for k in 0..family.coordinates.len() {
            let coordinate = Poly::atom(atoms.intern(Atom::Coordinate(k as u8)));
            let dims = family.dims(k);
            let lanes = family.lanes[k].clone();
            // The range of the ids' part, without guards.
            let (mut first, mut last) = (lanes.start.clone(), lanes.start.clone());
            for &d in &dims {
                let size = Poly::atom(atoms.intern(Atom::LocalSize(d))).sub(&Poly::constant(1));
                let c = lanes.local[usize::from(d)];
                if c > 0 {
                    last = last.plus(&size, c);
                } else {
                    first = first.plus(&size, c);
                }
            }
            if offsets.low[k] != hull.low[k] {
                conditions.push(coordinate.sub(&first).sub(&offsets.low[k]));
            }
            if offsets.high[k] != hull.high[k] {
                conditions.push(last.add(&offsets.high[k]).sub(&coordinate));
            }
            let guarded = |list: &[(u8, Poly)]| list.iter().any(|(d, _)| dims.contains(d));
            if !guarded(&self.upper) && !guarded(&self.lower) {
                continue;
            }
            let &[d] = &dims[..] else {
                return Err((
                    Code::Guard,
                    "guards on several ids bound one dimension".to_owned(),
                ));
            };
            let c = lanes.local[usize::from(d)];
            let bounds = |list: &[(u8, Poly)], offset: &Poly| -> Vec<Poly> {
                let own = list.iter().filter(|(other, _)| *other == d);
                own.map(|(_, bound)| lanes.start.plus(bound, c).add(offset))
                    .collect()
            };
            let (above, below) = if c > 0 {
                (&self.upper, &self.lower)
            } else {
                (&self.lower, &self.upper)
            };
            let highest = bounds(above, &offsets.high[k]);
            let lowest = bounds(below, &offsets.low[k]);
            let mut wanted: Vec<Poly> = highest.iter().map(|b| b.sub(&coordinate)).collect();
            wanted.extend(lowest.iter().map(|b| coordinate.sub(b)));
            for (i, want) in wanted.into_iter().enumerate() {
                let mut known = conditions.clone();
                known.extend(facts.iter().cloned());
                let bound = highest.get(i);
                let saturates = bound.is_some_and(|b| is_clamped_at(atoms, family, k, b, facts));
                if !saturates && !implied(atoms, &want, &known) {
                    conditions.push(want);
                }
            }
        }
        Ok(conditions)
    }
}

/// Facts that hold for a group, not only for a work-item in it.
fn facts_of_sizes(facts: &[Poly], atoms: &Atoms) -> Vec<Poly> {
    facts
        .iter()
        .filter(|f| {
            f.atoms()
                .all(|a| matches!(atoms.get(a), Atom::LocalSize(_) | Atom::Macro { .. }))
        })
        .cloned()
        .collect()
}

/// Whether a coordinate goes through `clamp(u, low, high)` or `min(u, high)` with `high`
/// at most `bound`: beyond the bound it gives what it gives at it.
fn is_clamped_at(
    atoms: &mut Atoms,
    family: &Family,
    coordinate: usize,
    bound: &Poly,
    facts: &[Poly],
) -> bool {
    let map = family.coordinates[coordinate].map;
    let end = map.and_then(|map| saturates_at(atoms, map));
    end.is_some_and(|end| implied(atoms, &bound.sub(&end), facts))
}

/// Boxes of offsets, joined where single points make up larger boxes.
fn merged(boxes: &[OffsetBox]) -> Vec<OffsetBox> {
    let mut distinct: Vec<OffsetBox> = Vec::new();
    for b in boxes {
        if !distinct.contains(b) {
            distinct.push(b.clone());
        }
    }
    let Some(first) = distinct.first() else {
        return distinct;
    };
    // Points relative to the first one.
    let reference = first.low.clone();
    let mut points: Vec<Vec<i128>> = Vec::new();
    let mut others = Vec::new();
    for b in &distinct {
        let point: Option<Vec<i128>> = (b.low == b.high)
            .then(|| {
                let apart = b.low.iter().zip(&reference);
                apart.map(|(a, r)| a.sub(r).as_constant()).collect()
            })
            .flatten();
        match point {
            Some(point) => points.push(point),
            None => others.push(b.clone()),
        }
    }
    if points.len() > MOST_POINTS {
        return distinct;
    }
    let mut result = others;
    for (low, high) in cover(&points) {
        let place = |corner: &[i128]| -> Vec<Poly> {
            let offsets = reference.iter().zip(corner);
            offsets.map(|(r, c)| r.add(&Poly::constant(*c))).collect()
        };
        result.push(OffsetBox {
            low: place(&low),
            high: place(&high),
        });
    }
    result
}

/// Boxes that together hold exactly these points: grown from each point that is
/// not yet held, along the axes in every order, the largest first.
fn cover(points: &[Vec<i128>]) -> Vec<(Vec<i128>, Vec<i128>)> {
    let mut boxes = Vec::new();
    let mut open: Vec<Vec<i128>> = points.to_vec();
    while let Some(seed) = open.first().cloned() {
        let axes = seed.len();
        let mut best: Option<(i128, Vec<i128>, Vec<i128>)> = None;
        for first in 0..axes.max(1) {
            let (mut low, mut high) = (seed.clone(), seed.clone());
            for step in 0..axes {
                let axis = (first + step) % axes;
                for direction in [-1, 1] {
                    loop {
                        let (mut l, mut h) = (low.clone(), high.clone());
                        if direction < 0 {
                            l[axis] -= 1;
                        } else {
                            h[axis] += 1;
                        }
                        if !holds_all(points, &l, &h) {
                            break;
                        }
                        (low, high) = (l, h);
                    }
                }
            }
            let volume: i128 = low.iter().zip(&high).map(|(l, h)| h - l + 1).product();
            if best.as_ref().is_none_or(|(v, ..)| volume > *v) {
                best = Some((volume, low, high));
            }
        }
        let Some((_, low, high)) = best else { break };
        open.retain(|p| !inside(p, &low, &high));
        boxes.push((low, high));
    }
    boxes
}

fn inside(point: &[i128], low: &[i128], high: &[i128]) -> bool {
    let ranges = low.iter().zip(high);
    point
        .iter()
        .zip(ranges)
        .all(|(p, (l, h))| (l..=h).contains(&p))
}

fn holds_all(points: &[Vec<i128>], low: &[i128], high: &[i128]) -> bool {
    let volume: i128 = low.iter().zip(high).map(|(l, h)| h - l + 1).product();
    let held = points.iter().filter(|p| inside(p, low, high)).count();
    volume <= MOST_POINTS as i128 && held as i128 == volume
}

/// The load whose constant can stand in the tile where the domain ends: all
/// loads with a constant have the same, and their conditions cut every region.
fn filled_up(accesses: &Accesses<'_>, family: &Family, instances: &[Instance]) -> Option<usize> {
    let chosen = |load: &usize| -> Option<&Load<'_>> {
        let load = &accesses.loads[*load];
        load.choice.is_some().then_some(load)
    };
    let first = *family.loads.iter().find(|l| chosen(l).is_some())?;
    let tree = accesses.bindings.tree;
    let text = |load: &Load<'_>| tree.text_of(load.choice.as_ref()?.otherwise.span);
    let constant = chosen(&first).and_then(text)?;
    let same = family
        .loads
        .iter()
        .filter_map(chosen)
        .all(|l| text(l) == Some(constant));
    // A condition without inequalities of its own was not understood as such.
    let understood = instances.iter().all(|i| {
        let has = accesses.loads[family.loads[i.load]].choice.is_some();
        !has || !i.choice.is_empty()
    });
    (same && understood).then_some(first)
}
