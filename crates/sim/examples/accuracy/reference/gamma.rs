//! The gamma function and its logarithm.
//!
//! Stirling's series (DLMF 5.11.1) at an argument raised beyond [`LARGE`] by
//! the recurrence, where its terms fall below 2^-400 before they grow again;
//! negative arguments by reflection. The Bernoulli numbers come from tangent
//! numbers, which are integers (Brent and Harvey, "Fast computation of
//! Bernoulli, Tangent and Secant numbers", 2011).

use astro_float_num::BigFloat;

use super::{P, RM, Reference, big, shifted, sub};

/// Least argument of the series.
const LARGE: f64 = 64.0;
/// Terms of the series.
const TERMS: usize = 70;
/// Bits within the computation.
const BITS: usize = P + 128;
/// The tangent numbers have fewer bits than this.
const INTEGER_BITS: usize = 1536;

/// `B(2k) / (2k (2k - 1))` for k from 1.
pub(super) fn stirling_coefficients() -> Vec<BigFloat> {
    let small = |v: usize| BigFloat::from_word(v as u64, 64);
    let mut tangent = vec![small(1)];
    for k in 1..TERMS {
        let next = tangent[k - 1].mul(&small(k), INTEGER_BITS, RM);
        tangent.push(next);
    }
    for k in 1..TERMS {
        for j in k..TERMS {
            let low = tangent[j - 1].mul(&small(j - k), INTEGER_BITS, RM);
            let high = tangent[j].mul(&small(j - k + 2), INTEGER_BITS, RM);
            tangent[j] = low.add(&high, INTEGER_BITS, RM);
        }
    }
    let coefficient = |(index, tangent): (usize, &BigFloat)| {
        let n = index as i32 + 1;
        // B(2n) = (-1)^(n-1) 2n T(n) / (4^n (4^n - 1)).
        let power = shifted(&big(1.0), 2 * n);
        let below = power.mul_full_prec(&sub(&power, &big(1.0)));
        let divisor = below.mul_full_prec(&small(2 * n as usize - 1));
        let value = tangent.div(&divisor, BITS, RM);
        if n % 2 == 0 { value.neg() } else { value }
    };
    tangent.iter().enumerate().map(coefficient).collect()
}

impl Reference {
    /// The logarithm of the gamma function's magnitude, and the gamma
    /// function's sign; `None` at poles.
    pub(super) fn log_gamma(&mut self, x: f64) -> Option<(BigFloat, i32)> {
        if x == 1.0 || x == 2.0 {
            return Some((big(0.0), 1));
        }
        if x > 0.0 {
            return Some((self.positive(&big(x)), 1));
        }
        let sine = self.reflection_sine(x)?;
        let sign = if sine.is_negative() { -1 } else { 1 };
        let pi = self.constants.pi(BITS, RM);
        let ratio = pi.div(&sine.abs(), BITS, RM);
        let log = ratio.ln(BITS, RM, &mut self.constants);
        let mirrored = self.mirrored(x);
        Some((log.sub(&mirrored, BITS, RM), sign))
    }

    /// The gamma function; `None` at poles and where it is beyond all formats.
    pub(super) fn gamma(&mut self, x: f64) -> Option<BigFloat> {
        if x.abs() > 300.0 {
            return None;
        }
        let (log, sign) = self.log_gamma(x)?;
        let value = log.exp(BITS, RM, &mut self.constants);
        Some(if sign < 0 { value.neg() } else { value })
    }

    fn reflection_sine(&mut self, x: f64) -> Option<BigFloat> {
        if x == x.trunc() {
            return None;
        }
        Some(self.sinpi(x))
    }

    /// `lgamma(1 - x)` for a negative `x`.
    fn mirrored(&mut self, x: f64) -> BigFloat {
        let argument = big(1.0).sub(&big(x), BITS, RM);
        self.positive(&argument)
    }

    fn positive(&mut self, x: &BigFloat) -> BigFloat {
        let mut z = x.clone();
        let mut product = big(1.0);
        let large = big(LARGE);
        while z.cmp(&large).is_some_and(|order| order < 0) {
            product = product.mul(&z, BITS, RM);
            z = z.add(&big(1.0), BITS, RM);
        }
        let cc = &mut self.constants;
        // (z - 1/2) ln z - z + ln(2 pi) / 2
        let log = z.ln(BITS, RM, cc);
        let mut sum = z.sub(&big(0.5), BITS, RM).mul(&log, BITS, RM);
        sum = sum.sub(&z, BITS, RM);
        let two_pi = shifted(&cc.pi(BITS, RM), 1);
        sum = sum.add(&shifted(&two_pi.ln(BITS, RM, cc), -1), BITS, RM);
        let inverse = z.reciprocal(BITS, RM);
        let square = inverse.mul(&inverse, BITS, RM);
        let mut power = inverse;
        for coefficient in &self.stirling {
            let term = coefficient.mul(&power, BITS, RM);
            sum = sum.add(&term, BITS, RM);
            power = power.mul(&square, BITS, RM);
        }
        let product = product.ln(BITS, RM, cc);
        sum.sub(&product, BITS, RM)
    }
}
