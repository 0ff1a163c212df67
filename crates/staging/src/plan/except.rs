//! Guards that leave out one element that is read anyway.
//!
//! ```text
//! float4 own = pos[i];
//! for (int j = 0; j < n; ++j) {
//!     if (j == i)
//!         continue;
//!     … pos[j] …
//! ```
//!
//! What the work-items read is all of the range: without the guard on the load, the one
//! element more is `pos[i]`. So is the centre of a window that skips it.

use crate::loads::Accesses;
use crate::symbolic::{Atom, AtomId, Atoms, Conjunction, Guard, Poly};

use super::domain::{facts, is_unclear};
use super::family::Family;
use super::prove::implied;

/// The guard of a family's load, without the exception of an element that another load
/// reads.
pub fn guard_of(accesses: &mut Accesses<'_>, family: &Family, position: usize) -> Guard {
    let load = family.loads[position];
    let guard = accesses.loads[load].guard.clone();
    if let Some(known) = read_anyway(accesses, family, position) {
        return known;
    }
    let Some((rest, apart)) = excepted(&guard) else {
        return guard;
    };
    let Some(solved) = solved(&accesses.bindings.atoms, &apart) else {
        return guard;
    };
    let at = |p: &Poly| {
        solved
            .iter()
            .try_fold(p.clone(), |p, (atom, by)| p.substitute(*atom, by))
    };
    let index = at(&accesses.loads[load].index);
    let values: Option<Vec<Poly>> = family.values[position].iter().map(at).collect();
    let Ok(mut known) = facts(accesses, &[load], None) else {
        return guard;
    };
    known.extend(rest.constraints.iter().cloned());
    let this = &accesses.loads[load];
    let is_read = accesses.loads.iter().enumerate().any(|(number, other)| {
        let same_place = index.as_ref() == Some(&other.index)
            || family
                .loads
                .iter()
                .zip(&family.values)
                .any(|(l, v)| *l == number && values.as_ref() == Some(v));
        let [only] = &other.guard.0[..] else {
            return false;
        };
        number != load
            && other.buffer == this.buffer
            && same_place
            && !only.opaque
            && other.loops.iter().all(|l| this.loops.contains(l))
            && only
                .constraints
                .iter()
                .all(|c| known.contains(c) || implied(&accesses.bindings.atoms, c, &known))
    });
    match is_read {
        true => Guard(vec![rest]),
        false => guard,
    }
}

/// The guard of another load of the same element, where it holds wherever this one does:
/// what `n == 2 && in[i]` reads is read anyway beside `in[i]`.
fn read_anyway(accesses: &mut Accesses<'_>, family: &Family, position: usize) -> Option<Guard> {
    let load = family.loads[position];
    let guard = accesses.loads[load].guard.clone();
    let clear = |c: &Conjunction| !is_unclear(&accesses.bindings.atoms, c);
    if guard.0.iter().all(clear) {
        return None;
    }
    let known = facts(accesses, &[load], None).ok()?;
    let this = &accesses.loads[load];
    let others = family.loads.iter().zip(&family.values);
    others
        .filter(|(number, values)| **number != load && **values == family.values[position])
        .map(|(number, _)| &accesses.loads[*number])
        .find(|other| {
            let [only] = &other.guard.0[..] else {
                return false;
            };
            let holds = |alternative: &Conjunction| {
                let mut known = known.clone();
                known.extend(alternative.constraints.iter().cloned());
                only.constraints
                    .iter()
                    .all(|c| known.contains(c) || implied(&accesses.bindings.atoms, c, &known))
            };
            !is_unclear(&accesses.bindings.atoms, only)
                && other.loops.iter().all(|l| this.loops.contains(l))
                && guard.0.iter().all(holds)
        })
        .map(|other| other.guard.clone())
}

/// A guard that says `rest, and not all of these are 0`.
fn excepted(guard: &Guard) -> Option<(Conjunction, Vec<Poly>)> {
    let first = guard.0.first()?;
    if guard.0.len() < 2 || guard.0.iter().any(|c| c.opaque) {
        return None;
    }
    let mut rest = first.clone();
    rest.constraints
        .retain(|c| guard.0.iter().all(|a| a.constraints.contains(c)));
    let mut open: Vec<Poly> = Vec::new();
    for alternative in &guard.0 {
        let mut own = alternative.constraints.iter();
        let mut own = own.by_ref().filter(|c| !rest.constraints.contains(c));
        let (one, none) = (own.next()?, own.next());
        if none.is_some() {
            return None;
        }
        open.push(one.clone());
    }
    let mut apart = Vec::new();
    while let Some(above) = open.pop() {
        // `d - 1` beside `-d - 1`.
        let below = above.negated().sub(&Poly::constant(2));
        let at = open.iter().position(|p| *p == below)?;
        open.remove(at);
        apart.push(above.add(&Poly::constant(1)));
    }
    Some((rest, apart))
}

/// Values of loops' variables at which all of these are 0.
fn solved(atoms: &Atoms, zero: &[Poly]) -> Option<Vec<(AtomId, Poly)>> {
    let mut found: Vec<(AtomId, Poly)> = Vec::new();
    for poly in zero {
        let is_loop = |a: &AtomId| matches!(atoms.get(*a), Atom::Loop { .. });
        let free = |a: &AtomId| is_loop(a) && found.iter().all(|(known, _)| known != a);
        let (atom, sign) = poly.terms().find_map(|(m, c)| match m[..] {
            [a] if free(&a) && c.abs() == 1 => Some((a, c)),
            _ => None,
        })?;
        let value = poly.sub(&Poly::term(sign, vec![atom])).scaled(-sign);
        if value.atoms().any(|a| is_loop(&a)) {
            return None;
        }
        found.push((atom, value));
    }
    Some(found)
}
