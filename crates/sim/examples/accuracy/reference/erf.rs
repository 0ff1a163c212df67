//! The error function.
//!
//! `erf(x) = 2/sqrt(pi) * exp(-x^2) * sum over n of 2^n x^(2n+1) / (2n+1)!!`
//! (DLMF 7.6.2): all terms have one sign, so nothing cancels within the sum.
//! `erfc` is its difference to 1, with as many more bits as that loses.

use astro_float_num::BigFloat;

use super::{P, RM, Reference, add, big, sub};

/// Beyond this `erfc` is below every double.
const LAST: f64 = 28.0;

impl Reference {
    /// The error function.
    pub(super) fn erf(&mut self, x: f64) -> BigFloat {
        if x.abs() > LAST {
            // 1 less something far below its last bit.
            return self.nearly_one(x);
        }
        self.erf_to(x, P)
    }

    /// Its complement; `None` where that is too small for a double.
    pub(super) fn erfc(&mut self, x: f64) -> Option<BigFloat> {
        if x > LAST {
            return None;
        }
        if x < -LAST {
            return Some(add(&self.nearly_one(-x), &big(1.0)));
        }
        // erfc(x) is about exp(-x^2).
        let lost = (x.max(0.0).powi(2) * std::f64::consts::LOG2_E) as usize + 64;
        let erf = self.erf_to(x, P + lost);
        Some(sub(&big(1.0), &erf))
    }

    fn nearly_one(&self, x: f64) -> BigFloat {
        let tiny = BigFloat::from_f64(2f64.powi(-200), 64);
        let value = sub(&big(1.0), &tiny);
        if x < 0.0 { value.neg() } else { value }
    }

    fn erf_to(&mut self, x: f64, bits: usize) -> BigFloat {
        if x == 0.0 {
            return big(0.0);
        }
        let x = big(x);
        let square = x.mul_full_prec(&x);
        let twice = square.mul(&big(2.0), bits, RM);
        let mut term = x;
        let mut sum = term.clone();
        let mut odd = 1.0;
        loop {
            odd += 2.0;
            term = term.mul(&twice, bits, RM).div(&big(odd), bits, RM);
            let below = match (term.exponent(), sum.exponent()) {
                (Some(t), Some(s)) => s - t,
                _ => i32::MAX,
            };
            if term.is_zero() || below > bits as i32 {
                break;
            }
            sum = sum.add(&term, bits, RM);
        }
        let cc = &mut self.constants;
        let pi = cc.pi(bits, RM);
        let factor = square.neg().exp(bits, RM, cc);
        let scaled = sum.mul(&factor, bits, RM).mul(&big(2.0), bits, RM);
        scaled.div(&pi.sqrt(bits, RM), bits, RM)
    }
}
