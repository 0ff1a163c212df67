//! Loads that meet a border each in its own way, as one family.
//!
//! ```text
//! in[max(i - 1, 0)] + in[i] + in[min(i + 1, n - 1)]
//! ```
//!
//! All three are `in[clamp(u, 0, n - 1)]` of neighbouring `u`, as the guards of the
//! loads show: the upper end says nothing about `i - 1`, and neither about `i`. So the
//! loads get one map, and [`family`](super::family) puts them together. Wraps are the
//! same: `i == 0 ? n - 1 : i - 1` is `(u + n) % n`.
//!
//! What it misses: mirrors, and indices of other types than `int`, for which a value
//! below 0 is none.

use crate::loads::Accesses;
use crate::symbolic::{Atom, AtomId, Atoms, Function, Poly};

use super::coordinates::Split;
use super::domain::facts;
use super::family::lanes_of;
use super::prove::implied;

/// What becomes of a value beyond an end.
#[derive(Clone, Debug, PartialEq)]
enum Way {
    /// It is the end.
    Stays,
    /// It moves by so much, back into the range.
    Wraps(Poly),
}

/// An end of the range.
#[derive(Clone, Debug, PartialEq)]
struct End {
    /// The first or last value of the range.
    limit: Poly,
    way: Way,
}

/// A map as a value between two ends.
#[derive(Clone, Debug, Default)]
struct Border {
    /// Added to what the map is a function of.
    shift: Poly,
    low: Option<End>,
    high: Option<End>,
    /// What has to be at least 0 for this to be so, of [`Atom::Hole`].
    needs: Vec<Poly>,
}

impl Border {
    /// Whether a value beyond an end is the end.
    fn clamp(&self) -> bool {
        let stays = |e: &Option<End>| e.as_ref().is_none_or(|e| e.way == Way::Stays);
        stays(&self.low) && stays(&self.high)
    }
}

/// The largest value that a map gives, and gives for all values beyond, where it is
/// such a one of its hole.
pub fn saturates_at(atoms: &mut Atoms, map: AtomId) -> Option<Poly> {
    let found = border(atoms, &Poly::atom(map))?;
    let end = found.high.filter(|e| e.way == Way::Stays)?;
    (found.shift.is_zero() && found.needs.is_empty()).then_some(end.limit)
}

/// A `clamp`, `max`, `min` or wrap of a value without the ends that it can't pass.
pub fn simplified(atoms: &mut Atoms, value: &Poly, known: &[Poly]) -> Poly {
    let Some(Atom::Function(function)) = value.as_atom().map(|a| atoms.get(a).clone()) else {
        return value.clone();
    };
    let holds = |atoms: &Atoms, p: Poly| implied(atoms, &p, known);
    let (inner, low, high) = match (function.head.as_str(), &function.args[..]) {
        ("clamp", [u, low, high]) => (u, Some(low), Some(high)),
        ("max", [u, low]) if atoms.all_uniform(low) => (u, Some(low), None),
        ("min", [u, high]) if atoms.all_uniform(high) => (u, None, Some(high)),
        ("%:int", [u, period]) if atoms.all_uniform(period) => {
            let lower = u.sub(period);
            let inner = match holds(atoms, lower.clone()) {
                true => lower,
                false => u.clone(),
            };
            let below = period.sub(&Poly::constant(1)).sub(&inner);
            if holds(atoms, inner.clone()) && holds(atoms, below) {
                return inner;
            }
            let args = vec![inner, period.clone()];
            return Poly::atom(atoms.intern(Atom::Function(Function { args, ..function })));
        }
        _ => return value.clone(),
    };
    let low = low.filter(|low| !holds(atoms, inner.sub(low)));
    let high = high.filter(|high| !holds(atoms, high.sub(inner)));
    let (head, args) = match (low, high) {
        (Some(low), Some(high)) => ("clamp", vec![inner.clone(), low.clone(), high.clone()]),
        (Some(low), None) => ("max", vec![inner.clone(), low.clone()]),
        (None, Some(high)) => ("min", vec![inner.clone(), high.clone()]),
        (None, None) => return inner.clone(),
    };
    let head = head.to_owned();
    Poly::atom(atoms.intern(Atom::Function(Function {
        head,
        args,
        ..function
    })))
}

/// Gives loads that differ in their maps alone one map, where they can have it.
pub fn join(accesses: &mut Accesses<'_>, splits: &mut [(usize, Split)]) {
    let mut done = vec![false; splits.len()];
    for first in 0..splits.len() {
        if done[first] {
            continue;
        }
        let like: Vec<usize> = (first..splits.len())
            .filter(|i| alike(&accesses.bindings.atoms, &splits[first].1, &splits[*i].1))
            .collect();
        for i in &like {
            done[*i] = true;
        }
        join_alike(accesses, splits, like);
    }
}

fn join_alike(accesses: &mut Accesses<'_>, splits: &mut [(usize, Split)], like: Vec<usize>) {
    let count = splits[like[0]].1.coordinates.len();
    let is_int = |i: &usize| accesses.loads[splits[*i].0].index_type == "int";
    let mut members: Vec<usize> = like.iter().copied().filter(is_int).collect();
    let mut changes: Vec<(usize, usize, AtomId, Poly)> = Vec::new();
    for k in 0..count {
        let map = |i: &usize| splits[*i].1.coordinates[k].map;
        let Some(first) = members.first() else { return };
        if members.iter().all(|i| map(i) == map(first)) {
            continue;
        }
        let mut borders = Vec::new();
        for &i in &members {
            let coordinate = &splits[i].1.coordinates[k];
            let atoms = &mut accesses.bindings.atoms;
            let hole = Poly::atom(atoms.intern(Atom::Hole));
            let map = coordinate.map.map_or(hole, Poly::atom);
            if let Some(found) = border(atoms, &map) {
                borders.push((i, centred(found, &coordinate.value)));
            }
        }
        let Some(joint) = joint(borders.iter().map(|(_, (b, _))| b)) else {
            return;
        };
        let form = members.iter().find_map(map);
        let Some(form) = form.and_then(|f| written(&mut accesses.bindings.atoms, &joint, f)) else {
            return;
        };
        borders.retain(|(i, (border, value))| {
            fits(
                accesses,
                splits[*i].0,
                border,
                value,
                &splits[*i].1,
                k,
                &joint,
            )
        });
        members = borders.iter().map(|(i, _)| *i).collect();
        changes.extend(
            borders
                .into_iter()
                .map(|(i, (_, value))| (i, k, form, value)),
        );
    }
    if members.len() < 2 {
        return;
    }
    for (i, k, form, value) in changes {
        if members.contains(&i) {
            let coordinate = &mut splits[i].1.coordinates[k];
            coordinate.map = Some(form);
            coordinate.value = value;
        }
    }
}

/// Whether two indices differ at most in their maps and constant ways.
fn alike(atoms: &Atoms, a: &Split, b: &Split) -> bool {
    a.base == b.base
        && a.coordinates.len() == b.coordinates.len()
        && a.coordinates.iter().zip(&b.coordinates).all(|(a, b)| {
            let lanes = lanes_of(atoms, &a.value);
            a.stride == b.stride && lanes.is_ok() && lanes == lanes_of(atoms, &b.value)
        })
}

/// A border with the value that it is a function of: `(i + n - 1) % n` is `i - 1`, which
/// wraps at both ends.
fn centred(mut border: Border, value: &Poly) -> (Border, Poly) {
    let value = value.add(&border.shift);
    let Some(End {
        way: Way::Wraps(by),
        ..
    }) = &border.high
    else {
        return (border, value);
    };
    let period = by.negated();
    let shifted = value.sub(&period);
    let closer = match period.as_constant() {
        Some(n) => 2 * value.constant_part() >= n,
        None => shifted.term_count() < value.term_count(),
    };
    if !closer || border.low.is_some() {
        return (border, value);
    }
    border.low = Some(End {
        limit: Poly::default(),
        way: Way::Wraps(period),
    });
    (border, shifted)
}

/// The border that all of these are parts of.
fn joint<'b>(borders: impl Iterator<Item = &'b Border>) -> Option<Border> {
    let mut joint = Border::default();
    for border in borders {
        for (end, all) in [
            (&border.low, &mut joint.low),
            (&border.high, &mut joint.high),
        ] {
            match (end, &all) {
                (Some(end), Some(known)) if end != known => return None,
                (Some(end), None) => *all = Some(end.clone()),
                _ => {}
            }
        }
    }
    Some(joint)
}

/// The period of a border that wraps from 0 to it.
fn period(border: &Border) -> Option<Poly> {
    let low = match &border.low {
        Some(End {
            limit,
            way: Way::Wraps(by),
        }) if limit.is_zero() => Some(by.clone()),
        None => None,
        _ => return None,
    };
    let high = match &border.high {
        Some(End {
            limit,
            way: Way::Wraps(by),
        }) if limit.add(&Poly::constant(1)) == by.negated() => Some(by.negated()),
        None => None,
        _ => return None,
    };
    match (low, high) {
        (Some(a), Some(b)) => (a == b).then_some(a),
        (a, b) => a.or(b),
    }
}

/// A border as a map; `like` is one of the source's.
fn written(atoms: &mut Atoms, joint: &Border, like: AtomId) -> Option<AtomId> {
    let Atom::Function(like) = atoms.get(like).clone() else {
        return None;
    };
    let hole = Poly::atom(atoms.intern(Atom::Hole));
    let (head, args) = match (&joint.low, &joint.high) {
        _ if !joint.clamp() => {
            let period = period(joint)?;
            let from = match joint.low {
                Some(_) => hole.add(&period),
                None => hole,
            };
            ("%:int", vec![from, period])
        }
        (Some(low), Some(high)) => ("clamp", vec![hole, low.limit.clone(), high.limit.clone()]),
        (Some(low), None) => ("max", vec![hole, low.limit.clone()]),
        (None, Some(high)) => ("min", vec![hole, high.limit.clone()]),
        (None, None) => return None,
    };
    Some(atoms.intern(Atom::Function(Function {
        head: head.to_owned(),
        args,
        ..like
    })))
}

/// Whether a load's border is the joint one wherever the load is made.
fn fits(
    accesses: &mut Accesses<'_>,
    load: usize,
    border: &Border,
    value: &Poly,
    split: &Split,
    k: usize,
    joint: &Border,
) -> bool {
    let hole = accesses.bindings.atoms.intern(Atom::Hole);
    let held = &split.coordinates[k].value;
    let mut wanted: Vec<Poly> = Vec::new();
    for need in &border.needs {
        let Some(need) = need.substitute(hole, held) else {
            return false;
        };
        wanted.push(need);
    }
    if let (Some(low), None) = (&joint.low, &border.low) {
        wanted.push(value.sub(&low.limit));
    }
    if let (Some(high), None) = (&joint.high, &border.high) {
        wanted.push(high.limit.sub(value));
    }
    match period(joint).filter(|_| !joint.clamp()) {
        // The remainder of a value above 0 is right anyway; one below needs the period.
        Some(period) => {
            wanted.push(value.add(&period));
            wanted.push(period.scaled(2).sub(&Poly::constant(1)).sub(value));
        }
        None => {
            if let (Some(low), Some(high)) = (&joint.low, &joint.high) {
                wanted.push(high.limit.sub(&low.limit));
            }
        }
    }
    let Ok(known) = facts(accesses, &[load], None) else {
        return false;
    };
    let atoms = &accesses.bindings.atoms;
    accesses.loads[load].guard.0.iter().all(|alternative| {
        let mut known = known.clone();
        known.extend(alternative.constraints.iter().cloned());
        wanted.iter().all(|w| implied(atoms, w, &known))
    })
}

/// Reads a map as a border.
fn border(atoms: &mut Atoms, map: &Poly) -> Option<Border> {
    if let Some(shift) = from_hole(atoms, map) {
        return Some(Border {
            shift,
            ..Border::default()
        });
    }
    let Atom::Function(function) = atoms.get(map.as_atom()?).clone() else {
        return None;
    };
    let uniform = |atoms: &Atoms, p: &Poly| atoms.all_uniform(p);
    match (function.head.as_str(), &function.args[..]) {
        (head @ ("max" | "min"), [a, b]) => {
            let (inner, limit) = match uniform(atoms, b) {
                true => (a, b),
                false => (b, a),
            };
            let mut found = border(atoms, inner)?;
            let end = match head {
                "max" => &mut found.low,
                _ => &mut found.high,
            };
            let free = end.is_none() && uniform(atoms, limit);
            *end = Some(End {
                limit: limit.clone(),
                way: Way::Stays,
            });
            (free && found.clamp()).then_some(found)
        }
        ("clamp", [inner, low, high]) if uniform(atoms, low) && uniform(atoms, high) => {
            let shift = from_hole(atoms, inner)?;
            let end = |limit: &Poly| {
                Some(End {
                    limit: limit.clone(),
                    way: Way::Stays,
                })
            };
            Some(Border {
                shift,
                low: end(low),
                high: end(high),
                needs: Vec::new(),
            })
        }
        ("%:int", [inner, period]) if uniform(atoms, period) => Some(Border {
            shift: from_hole(atoms, inner)?,
            low: None,
            high: Some(End {
                limit: period.sub(&Poly::constant(1)),
                way: Way::Wraps(period.negated()),
            }),
            needs: Vec::new(),
        }),
        ("?:", [condition, then, otherwise]) => choice(atoms, condition, then, otherwise),
        _ => None,
    }
}

/// `hole + c`: the uniform `c`.
fn from_hole(atoms: &mut Atoms, poly: &Poly) -> Option<Poly> {
    let rest = poly.sub(&Poly::atom(atoms.intern(Atom::Hole)));
    atoms.all_uniform(&rest).then_some(rest)
}

/// `i > 0 ? i - 1 : 0` and its like: a value, and what stands for it at an end.
fn choice(atoms: &mut Atoms, condition: &Poly, then: &Poly, otherwise: &Poly) -> Option<Border> {
    let Atom::Function(comparison) = atoms.get(condition.as_atom()?).clone() else {
        return None;
    };
    let [left, right] = &comparison.args[..] else {
        return None;
    };
    let (operator, ty) = comparison.head.split_once(':')?;
    if ty != "int" {
        return None;
    }
    // As a comparison of the hole with a uniform value.
    let (operator, bound) = match (from_hole(atoms, left), from_hole(atoms, right)) {
        (Some(shift), None) => (operator, right.sub(&shift)),
        (None, Some(shift)) => {
            let mirrored = match operator {
                "<" => ">",
                "<=" => ">=",
                ">" => "<",
                ">=" => "<=",
                other => other,
            };
            (mirrored, left.sub(&shift))
        }
        _ => return None,
    };
    if !atoms.all_uniform(&bound) {
        return None;
    }
    // The value beyond the end comes first.
    let one = Poly::constant(1);
    let shift_of = |atoms: &mut Atoms, p: &Poly| from_hole(atoms, p);
    let (edge, inner, last) = match operator {
        "==" => (then, otherwise, bound),
        "!=" => (otherwise, then, bound),
        _ => {
            // Which branch is the one within: the one that moves away from the end.
            let (below, above, last_below) = match operator {
                "<" => (then, otherwise, bound.sub(&one)),
                "<=" => (then, otherwise, bound),
                ">" => (otherwise, then, bound),
                ">=" => (otherwise, then, bound.sub(&one)),
                _ => return None,
            };
            let down = shift_of(atoms, above).and_then(|s| s.as_constant());
            let up = shift_of(atoms, below).and_then(|s| s.as_constant());
            match (down, up) {
                (Some(d), _) if d < 0 => return at_end(atoms, below, above, last_below, -1, true),
                (_, Some(u)) if u > 0 => {
                    return at_end(atoms, above, below, last_below.add(&one), 1, true);
                }
                // `u < 0 ? u + n : u`, and `u >= n ? u - n : u`.
                (Some(0), _) => return at_end(atoms, below, above, last_below, -1, true),
                (_, Some(0)) => {
                    return at_end(atoms, above, below, last_below.add(&one), 1, true);
                }
                _ => return None,
            }
        }
    };
    match shift_of(atoms, inner)?.as_constant()? {
        -1 => at_end(atoms, edge, inner, last, -1, false),
        1 => at_end(atoms, edge, inner, last, 1, false),
        _ => None,
    }
}

/// A value `inner`, and `edge` instead where the hole is at `last` or, with `beyond`,
/// further on in the direction of `sign`.
fn at_end(
    atoms: &mut Atoms,
    edge: &Poly,
    inner: &Poly,
    last: Poly,
    sign: i128,
    beyond: bool,
) -> Option<Border> {
    let shift = from_hole(atoms, inner)?;
    let hole = Poly::atom(atoms.intern(Atom::Hole));
    // The last value within, and the first one beyond.
    let first_out = last.add(&shift);
    let limit = first_out.plus(&Poly::constant(1), -sign);
    let (way, exact) = match from_hole(atoms, edge) {
        Some(moved) => {
            let at_last = last.add(&moved);
            match at_last == limit {
                true => (Way::Stays, false),
                false => (Way::Wraps(moved.sub(&shift)), beyond),
            }
        }
        None if !atoms.all_uniform(edge) => return None,
        None if *edge == limit => (Way::Stays, beyond),
        None => (Way::Wraps(edge.sub(&first_out)), false),
    };
    let needs = match exact {
        true => Vec::new(),
        // Nothing lies beyond the one value.
        false => vec![hole.sub(&last).scaled(-sign)],
    };
    let end = Some(End { limit, way });
    let (low, high) = match sign < 0 {
        true => (end, None),
        false => (None, end),
    };
    Some(Border {
        shift,
        low,
        high,
        needs,
    })
}
