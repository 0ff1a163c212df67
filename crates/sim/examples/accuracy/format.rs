//! The three floating-point formats, as bits and as exact doubles.

use astro_float_num::BigFloat;
use tilewise_ir::Ty;

use crate::reference::{big, shifted, sub};

/// A floating-point format.
#[derive(Clone, Copy)]
pub struct Format {
    /// Its type.
    pub ty: Ty,
    /// Name in OpenCL C.
    pub name: &'static str,
    /// Bits of a mantissa, the hidden one among them.
    precision: i32,
    /// Exponent of the smallest subnormal.
    lowest: i32,
    /// Two to this power is the first number beyond the range.
    beyond: i32,
}

/// Half, float and double.
pub const FORMATS: [Format; 3] = [
    Format {
        ty: Ty::F16,
        name: "half",
        precision: 11,
        lowest: -24,
        beyond: 16,
    },
    Format {
        ty: Ty::F32,
        name: "float",
        precision: 24,
        lowest: -149,
        beyond: 128,
    },
    Format {
        ty: Ty::F64,
        name: "double",
        precision: 53,
        lowest: -1074,
        beyond: 1024,
    },
];

impl Format {
    /// The value of bits of this format.
    pub fn value(self, bits: u64) -> f64 {
        match self.ty {
            Ty::F16 => half::f16::from_bits(bits as u16).to_f64(),
            Ty::F32 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }

    /// Bits of the value that is nearest or next to nearest to `v`.
    pub fn nearest(self, v: f64) -> u64 {
        match self.ty {
            Ty::F16 => u64::from(half::f16::from_f64(v).to_bits()),
            Ty::F32 => u64::from((v as f32).to_bits()),
            _ => v.to_bits(),
        }
    }

    /// The distance of 1 to the next number.
    pub fn epsilon(self) -> f64 {
        2f64.powi(1 - self.precision)
    }

    /// The smallest number of full precision.
    pub fn smallest_normal(self) -> f64 {
        self.value(1u64 << (self.precision - 1))
    }

    /// The largest finite number.
    pub fn largest(self) -> f64 {
        let infinity = self.nearest(f64::INFINITY);
        self.value(infinity - 1)
    }

    /// How far `got` is from the exact value, in ulp of that value. A result
    /// that overflows counts as the number that would follow the largest. `None`
    /// where just one of them is a NaN, or an infinity has the wrong sign.
    pub fn distance(self, got: f64, exact: &BigFloat) -> Option<BigFloat> {
        if exact.is_nan() {
            return got.is_nan().then(|| big(0.0));
        }
        if got.is_nan() {
            return None;
        }
        let beyond = shifted(&big(1.0), self.beyond);
        let past_range = exact.is_inf() || exact.abs().cmp(&beyond).is_some_and(|o| o >= 0);
        if got.is_infinite() && past_range {
            let same_sign = exact.is_positive() == (got > 0.0);
            return same_sign.then(|| big(0.0));
        }
        if exact.is_inf() {
            return None;
        }
        let value = match got.is_infinite() {
            true if got > 0.0 => beyond,
            true => beyond.neg(),
            false => big(got),
        };
        let exponent = if exact.is_zero() {
            i32::MIN / 2
        } else {
            exact.exponent()?
        };
        let ulp = (exponent.min(self.beyond) - self.precision).max(self.lowest);
        let error = sub(&value, exact).abs();
        Some(shifted(&error, -ulp))
    }
}
