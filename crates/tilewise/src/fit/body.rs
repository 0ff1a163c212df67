//! What a kernel's body says of its launch: the guards on its ids, and the loops
//! that are short by their nature.
//!
//! Both are read off the source's accesses, where local variables, early returns and
//! `&&` and `||` are seen through ([`tilewise_staging::loads`]).
//!
//! What it misses: ids that helper functions ask for, and guards that are no
//! inequalities of sums and products of arguments.

use std::collections::{BTreeMap, BTreeSet};

use tilewise_frontend::source::SourceTree;
use tilewise_launch::guess::{Bound, Seen};
use tilewise_staging::loads::{Accesses, accesses};
use tilewise_staging::symbolic::atom::{Atom, AtomId, Atoms};
use tilewise_staging::symbolic::eval::{Loop, LoopId};
use tilewise_staging::symbolic::{Guard, Poly};

/// Steps of a loop over a window: odd, as windows mostly are.
const WINDOW: u64 = 5;
/// Rows and columns of a small table.
const TABLE: u64 = 8;

/// Looks through a kernel of a source; nothing is seen of one that it does not hold.
pub(super) fn seen(tree: &SourceTree, kernel: &str) -> Seen {
    let Some(function) = tree.function(kernel) else {
        return Seen::default();
    };
    let mut found = accesses(tree, function, None);
    let bounds = std::array::from_fn(|dim| bound(&mut found, dim as u8));
    let mut small = windows(&mut found);
    let sizes = bounds.iter().flatten().flat_map(|b: &Bound| &b.sizes);
    for name in sizes {
        small.remove(name);
    }
    Seen { bounds, small }
}

/// What the ids of a dimension are below wherever the kernel stores, by the guard that
/// most stores have.
fn bound(found: &mut Accesses<'_>, dim: u8) -> Option<Bound> {
    let id = found.bindings.atoms.global_id(dim);
    let atoms = &found.bindings.atoms;
    let mut times: Vec<(Poly, usize)> = Vec::new();
    let mut count = |guard: &Guard| {
        for bound in bounds_in(guard, &id, atoms) {
            match times.iter_mut().find(|(known, _)| *known == bound) {
                Some((_, times)) => *times += 1,
                None => times.push((bound, 1)),
            }
        }
    };
    found.stores.iter().for_each(|s| count(&s.guard));
    if times.is_empty() {
        // What is stored by a helper function or an atomic one is no store here.
        let mut count = |guard: &Guard| {
            for bound in bounds_in(guard, &id, atoms) {
                times.push((bound, 1));
            }
        };
        found.loads.iter().for_each(|l| count(&l.guard));
    }
    let most = times.iter().map(|(_, times)| *times).max()?;
    let (poly, _) = times.into_iter().find(|(_, times)| *times == most)?;
    written(&poly, atoms)
}

/// What an id is below by a guard.
fn bounds_in(guard: &Guard, id: &Poly, atoms: &Atoms) -> Vec<Poly> {
    let mut bounds = Vec::new();
    for all in &guard.0 {
        let constraints: Vec<Poly> = all
            .constraints
            .iter()
            .filter_map(|c| Some(atoms.with_values(&atoms.expanded(c)?)))
            .collect();
        let arguments = |p: &Poly| p.atoms().all(|a| is_argument(a, atoms));
        // `id >= r`: the ids of the border do nothing, and are there all the same.
        let border = constraints
            .iter()
            .map(|c| c.sub(id))
            .any(|rest| arguments(&rest) && rest.as_constant().is_none());
        for constraint in &constraints {
            let bound = constraint.add(id).add(&Poly::constant(1));
            if !arguments(&bound) {
                continue;
            }
            // `id == 0` is what one work-item does beside the others' work.
            let kept = |p: &Poly| match p.as_constant() {
                Some(bound) => bound > 1,
                None => p.terms().any(|(_, c)| c > 0),
            };
            let mut whole = bound.clone();
            if bound.constant_part() < 0 {
                whole = bound.without_constant();
            }
            if border {
                let mut positive = Poly::default();
                for (monomial, coefficient) in whole.terms().filter(|(_, c)| *c > 0) {
                    positive.add_term(coefficient, monomial.clone());
                }
                whole = positive;
            }
            if kept(&whole) {
                bounds.push(whole);
            }
        }
    }
    bounds
}

fn is_argument(atom: AtomId, atoms: &Atoms) -> bool {
    matches!(atoms.get(atom), Atom::Param { .. })
}

fn name(atom: AtomId, atoms: &Atoms) -> Option<&str> {
    match atoms.get(atom) {
        Atom::Param { name, .. } => Some(name),
        _ => None,
    }
}

/// A bound as an expression of a launch; terms that are added come first.
fn written(poly: &Poly, atoms: &Atoms) -> Option<Bound> {
    let mut terms: Vec<(i128, Vec<&str>)> = Vec::new();
    for (monomial, coefficient) in poly.terms() {
        let names: Option<Vec<&str>> = monomial.iter().map(|a| name(*a, atoms)).collect();
        terms.push((coefficient, names?));
    }
    // Names first and numbers last: `n-k+1`.
    terms.sort_by_key(|(c, names)| (names.is_empty(), *c < 0));
    let mut text = String::new();
    for (coefficient, names) in &terms {
        match (*coefficient < 0, text.is_empty()) {
            (true, _) => text.push('-'),
            (false, false) => text.push('+'),
            (false, true) => {}
        }
        let size = coefficient.unsigned_abs();
        let number = (size != 1 || names.is_empty()).then(|| size.to_string());
        let factors: Vec<&str> = number
            .as_deref()
            .into_iter()
            .chain(names.iter().copied())
            .collect();
        text.push_str(&factors.join("*"));
    }
    let grows = terms.iter().filter(|(c, _)| *c > 0);
    Some(Bound {
        text,
        sum: terms.len() > 1,
        sizes: grows
            .clone()
            .flat_map(|(_, names)| names.iter().map(|n| (*n).to_owned()))
            .collect(),
        degree: grows.map(|(_, names)| names.len()).max()?.max(1),
    })
}

/// Arguments that count the steps of a loop along which a window slides with the id,
/// or of two loops that run through a table which is the same for every work-item.
fn windows(found: &mut Accesses<'_>) -> BTreeMap<String, u64> {
    let ids: Vec<[AtomId; 2]> = (0..3)
        .map(|d| {
            let atoms = &mut found.bindings.atoms;
            [
                atoms.intern(Atom::GroupStart(d)),
                atoms.intern(Atom::LocalId(d)),
            ]
        })
        .collect();
    let atoms = &found.bindings.atoms;
    let loops = &found.bindings.loops;
    let mut small = BTreeMap::new();
    for load in &found.loads {
        let mut parts = Vec::new();
        parts_of(&load.index, atoms, &mut parts);
        let own = |p: &Poly| -> BTreeSet<LoopId> {
            let ids = p.atoms().filter_map(|a| match atoms.get(a) {
                Atom::Loop { id, .. } => Some(*id),
                _ => None,
            });
            ids.collect()
        };
        for part in &parts {
            for id in own(part) {
                let slides = ids.iter().any(|both| slides_along(part, *both, id, atoms));
                if let Some(argument) = steps(&loops[id.0 as usize], atoms)
                    && slides
                {
                    small.entry(argument).or_insert(WINDOW);
                }
            }
        }
        let positions = |p: &Poly| p.atoms().any(|a| ids.iter().flatten().any(|i| *i == a));
        let counted = own(&load.index);
        if counted.len() == 2 && !parts.iter().any(positions) {
            let arguments: Vec<String> = counted
                .iter()
                .filter_map(|id| steps(&loops[id.0 as usize], atoms))
                .collect();
            if arguments.len() == 2 {
                for argument in arguments {
                    small.entry(argument).or_insert(TABLE);
                }
            }
        }
    }
    small
}

/// A polynomial, and those that its functions, such as `clamp`, are of.
fn parts_of(poly: &Poly, atoms: &Atoms, parts: &mut Vec<Poly>) {
    if let Some(whole) = atoms.expanded(poly) {
        for atom in whole.atoms() {
            if let Atom::Function(function) = atoms.get(atom) {
                for arg in &function.args {
                    parts_of(arg, atoms, parts);
                }
            }
        }
        parts.push(whole);
    }
}

/// Whether a loop's variable moves an index as the work-item's id does.
fn slides_along(index: &Poly, both: [AtomId; 2], id: LoopId, atoms: &Atoms) -> bool {
    index.terms().any(|(monomial, coefficient)| {
        let at = monomial
            .iter()
            .position(|a| matches!(atoms.get(*a), Atom::Loop { id: other, .. } if *other == id));
        at.is_some_and(|at| {
            both.iter().all(|id| {
                let mut other = monomial.clone();
                other[at] = *id;
                other.sort_unstable();
                index.coefficient(&other).abs() == coefficient.abs()
            })
        })
    })
}

/// The one argument that says how often a loop runs that begins at 0 or at minus it.
fn steps(counted: &Loop, atoms: &Atoms) -> Option<String> {
    let argument = |p: &Poly| {
        let rest = p.without_constant();
        match rest.terms().collect::<Vec<_>>()[..] {
            [(monomial, 1 | -1)] if monomial.len() == 1 => name(monomial[0], atoms),
            _ => None,
        }
    };
    let begins = counted.lower.as_constant().is_some()
        || argument(&counted.lower) == argument(&counted.upper);
    (begins && counted.step == 1 && counted.window.is_zero())
        .then(|| argument(&counted.upper).map(str::to_owned))?
}
