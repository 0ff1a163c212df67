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
    let offending = goal
        .terms()
        .find(|(m, c)| *c < 0 || m.iter().any(|a| !atoms.is_natural(*a)));
    let Some((monomial, coefficient)) = offending else {
        return true;
    };
    if depth == 0 {
        return false;
    }
    let monomial = monomial.clone();
    facts.iter().any(|fact| {
        let own = fact.coefficient(&monomial);
        if own == 0 || (own > 0) != (coefficient > 0) || coefficient % own != 0 {
            return false;
        }
        search(
            atoms,
            &goal.plus(fact, -(coefficient / own)),
            facts,
            depth - 1,
        )
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
        assert!(implied(&atoms, &x, &[]));
        assert!(!implied(&atoms, &x.sub(&one), &[]));
    }
}
