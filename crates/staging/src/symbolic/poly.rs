//! Polynomials with integer coefficients.

use std::collections::BTreeMap;

use super::AtomId;

/// A product of atoms, sorted; empty for 1.
pub type Monomial = Vec<AtomId>;

/// Coefficients beyond this are not computed with.
const MOST: i128 = 1 << 80;

/// A sum of monomials with coefficients other than 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Poly(BTreeMap<Monomial, i128>);

impl Poly {
    /// A number.
    pub fn constant(value: i128) -> Self {
        Self::term(value, Vec::new())
    }

    /// One atom.
    pub fn atom(atom: AtomId) -> Self {
        Self::term(1, vec![atom])
    }

    /// A coefficient times a product of atoms.
    pub fn term(coefficient: i128, mut atoms: Monomial) -> Self {
        atoms.sort_unstable();
        let mut map = BTreeMap::new();
        if coefficient != 0 {
            map.insert(atoms, coefficient);
        }
        Self(map)
    }

    /// Monomials with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, i128)> {
        self.0.iter().map(|(m, c)| (m, *c))
    }

    /// How many terms it has.
    pub fn term_count(&self) -> usize {
        self.0.len()
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The number that it is, if it is one.
    pub fn as_constant(&self) -> Option<i128> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new() as &Monomial).copied(),
            _ => None,
        }
    }

    /// The atom that it is, if it is one.
    pub fn as_atom(&self) -> Option<AtomId> {
        let mut terms = self.0.iter();
        match (terms.next(), terms.next()) {
            (Some((m, 1)), None) if m.len() == 1 => Some(m[0]),
            _ => None,
        }
    }

    /// The coefficient of a monomial.
    pub fn coefficient(&self, monomial: &[AtomId]) -> i128 {
        self.0.get(monomial).copied().unwrap_or(0)
    }

    /// The number in the sum.
    pub fn constant_part(&self) -> i128 {
        self.coefficient(&[])
    }

    /// All but [`constant_part`](Self::constant_part).
    pub fn without_constant(&self) -> Self {
        self.sub(&Self::constant(self.constant_part()))
    }

    /// All atoms.
    pub fn atoms(&self) -> impl Iterator<Item = AtomId> {
        self.0.keys().flatten().copied()
    }

    /// Adds `coefficient * monomial`.
    pub fn add_term(&mut self, coefficient: i128, monomial: Monomial) {
        let value = self.0.entry(monomial.clone()).or_insert(0);
        *value += coefficient;
        if *value == 0 {
            self.0.remove(&monomial);
        }
    }

    /// `self + other * factor`.
    pub fn plus(&self, other: &Poly, factor: i128) -> Poly {
        let mut sum = self.clone();
        for (m, c) in &other.0 {
            sum.add_term(c * factor, m.clone());
        }
        sum
    }

    /// The sum.
    pub fn add(&self, other: &Poly) -> Poly {
        self.plus(other, 1)
    }

    /// The difference.
    pub fn sub(&self, other: &Poly) -> Poly {
        self.plus(other, -1)
    }

    /// With the other sign.
    pub fn negated(&self) -> Poly {
        self.scaled(-1)
    }

    /// Times a number.
    pub fn scaled(&self, factor: i128) -> Poly {
        Poly::default().plus(self, factor)
    }

    /// The product; `None` where it gets too large.
    pub fn mul(&self, other: &Poly) -> Option<Poly> {
        let mut product = Poly::default();
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                let mut monomial = a.clone();
                monomial.extend(b);
                monomial.sort_unstable();
                let value = x.checked_mul(*y).filter(|v| v.abs() < MOST)?;
                product.add_term(value, monomial);
            }
        }
        (product.term_count() <= 256).then_some(product)
    }

    /// With an atom replaced by a polynomial.
    pub fn substitute(&self, atom: AtomId, by: &Poly) -> Option<Poly> {
        let mut result = Poly::default();
        for (m, c) in &self.0 {
            let times = m.iter().filter(|a| **a == atom).count();
            let rest: Monomial = m.iter().copied().filter(|a| *a != atom).collect();
            let mut term = Poly::term(*c, rest);
            for _ in 0..times {
                term = term.mul(by)?;
            }
            result = result.add(&term);
        }
        Some(result)
    }

    /// The terms for which a condition holds.
    pub fn filtered(&self, keep: impl Fn(&Monomial) -> bool) -> Poly {
        Poly(
            self.0
                .iter()
                .filter(|(m, _)| keep(m))
                .map(|(m, c)| (m.clone(), *c))
                .collect(),
        )
    }

    /// `self / divisor` for monomials, if the division leaves nothing.
    pub fn quotient(monomial: &[AtomId], divisor: &[AtomId]) -> Option<Monomial> {
        let mut rest = monomial.to_vec();
        for atom in divisor {
            let at = rest.iter().position(|a| a == atom)?;
            rest.remove(at);
        }
        Some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_substitution() {
        let (x, w) = (AtomId(0), AtomId(1));
        let sum = Poly::atom(x).add(&Poly::constant(2));
        let product = sum.mul(&Poly::atom(w)).expect("small");
        assert_eq!(product.coefficient(&[x, w]), 1);
        assert_eq!(product.coefficient(&[w]), 2);
        let at_three = product.substitute(x, &Poly::constant(3)).expect("small");
        assert_eq!(at_three, Poly::term(5, vec![w]));
        assert_eq!(product.sub(&product), Poly::default());
        assert_eq!(Poly::quotient(&[x, w], &[w]), Some(vec![x]));
        assert_eq!(Poly::quotient(&[x], &[w]), None);
    }
}
