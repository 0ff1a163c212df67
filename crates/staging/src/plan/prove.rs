//! A small prover of inequalities.
//!
//! `goal >= 0` follows from facts `f >= 0` if facts can be taken away from the goal
//! (each of them is at least 0) until what is left shows no way to be negative.
//! The search removes one offending term at a time, a few steps deep. What it
//! can't show may still be true.

use crate::symbolic::{Atoms, Poly};

/// Facts taken away at most.
const DEPTH: u32 = 4;

/// Whether `goal >= 0` follows from the facts.
pub fn implied(atoms: &Atoms, goal: &Poly, facts: &[Poly]) -> bool {
    let Some(goal) = atoms.expanded(goal) else {
        return false;
    };
    let facts: Vec<Poly> = facts.iter().filter_map(|f| atoms.expanded(f)).collect();
    search(atoms, &goal, &facts, DEPTH)
}

fn search(atoms: &Atoms, goal: &Poly, facts: &[Poly], depth: u32) -> bool {
    let mut offending = goal
        .terms()
        .filter(|(m, c)| *c < 0 || m.iter().any(|a| !atoms.is_natural(*a)));
    // The number in the sum says the least of which fact is of use.
    let (numbers, others): (Vec<_>, Vec<_>) = offending.by_ref().partition(|(m, _)| m.is_empty());
    let Some((monomial, coefficient)) = others.first().or(numbers.first()) else {
        return true;
    };
    if depth == 0 {
        return false;
    }
    facts.iter().any(|fact| {
        let own = fact.coefficient(monomial);
        if own == 0 || (own > 0) != (*coefficient > 0) {
            return false;
        }
        let times = coefficient / own;
        let whole = coefficient % own == 0;
        let mut tried = vec![times];
        if monomial.is_empty() && times != 1 {
            tried.push(1);
        }
        tried.retain(|n| *n > 0 && (whole || monomial.is_empty()));
        tried
            .into_iter()
            .any(|n| search(atoms, &goal.plus(fact, -n), facts, depth - 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbolic::Atom;

    #[test]
    fn follows_from_guards() {
        let mut atoms = Atoms::default();
        let x = atoms.global_id(0);
        let n = Poly::atom(atoms.intern(Atom::Named("n".to_owned())));
        let one = Poly::constant(1);
        let below = n.sub(&x).sub(&one); // x < n
        assert!(implied(&atoms, &n.sub(&x), std::slice::from_ref(&below)));
        assert!(implied(&atoms, &n.sub(&one), std::slice::from_ref(&below)));
        assert!(!implied(
            &atoms,
            &n.sub(&x).sub(&Poly::constant(2)),
            &[below]
        ));
        // x > 0 and x < n - 1: n is at least 3.
        let inside = [x.sub(&one), n.sub(&x).sub(&Poly::constant(2))];
        assert!(implied(&atoms, &n.sub(&Poly::constant(3)), &inside));
        assert!(!implied(&atoms, &n.sub(&Poly::constant(4)), &inside));
        assert!(implied(&atoms, &x, &[]));
        assert!(!implied(&atoms, &x.sub(&one), &[]));
    }
}
