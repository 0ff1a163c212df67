//! Random values of each type.

use half::f16;

use super::float_bytes;
use crate::element::Scalar;
use crate::encode::integer_range;

/// Integers are random up to this magnitude where their type allows it: small
/// enough to serve as indices, sums of them far from overflow.
const INTEGER_LIMIT: i128 = 1 << 16;

/// In [-1, 1), in steps of 2^-23.
pub(super) fn unit_f32(bits: u64) -> f32 {
    ((bits >> 40) as i32 - (1 << 23)) as f32 * (1.0 / (1 << 23) as f32)
}

/// In [-1, 1), in steps of 2^-52.
pub(super) fn unit_f64(bits: u64) -> f64 {
    ((bits >> 11) as i64 - (1 << 52)) as f64 * (1.0 / (1_i64 << 52) as f64)
}

/// In [low, high], before rounding to a type.
pub(super) fn between(low: f64, high: f64, bits: u64) -> f64 {
    let unit = (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
    low + unit * (high - low)
}

/// The whole numbers from which a random one is taken.
#[derive(Clone, Copy)]
pub(super) struct Span {
    /// The lowest, in two's complement.
    first: u64,
    /// How many there are; all 2^64 count as one less.
    count: u64,
}

impl Span {
    /// Those in the range, or the default ones of the type.
    pub(super) fn new(scalar: Scalar, range: Option<(f64, f64)>) -> Self {
        let (first, end) = match range {
            Some((low, high)) => (low.ceil() as i128, high.ceil() as i128),
            None => {
                let (min, max) = integer_range(scalar);
                (min.max(-INTEGER_LIMIT), (max + 1).min(INTEGER_LIMIT))
            }
        };
        let count = u64::try_from((end - first).max(1)).unwrap_or(u64::MAX);
        Self {
            first: first as u64,
            count,
        }
    }

    /// The number that 64 random bits select.
    pub(super) fn pick(self, bits: u64) -> u64 {
        let index = (u128::from(bits) * u128::from(self.count)) >> 64;
        self.first.wrapping_add(index as u64)
    }
}

/// The random value that 64 random bits give, as bytes with zeros behind.
pub(super) fn random(scalar: Scalar, range: Option<(f64, f64)>, bits: u64) -> [u8; 8] {
    if !scalar.is_float() {
        return Span::new(scalar, range).pick(bits).to_le_bytes();
    }
    let value = match (range, scalar) {
        (Some((low, high)), _) => below(scalar, between(low, high, bits), low, high),
        // Steps of 2^-10 are exact in half precision over [-1, 1).
        (None, Scalar::F16) => ((bits >> 53) as i64 - 1024) as f64 / 1024.0,
        (None, Scalar::F32) => f64::from(unit_f32(bits)),
        (None, _) => unit_f64(bits),
    };
    float_bytes(scalar, value)
}

/// `value` where it rounds to something below `high`, else `low`: rounding to
/// a narrower type may reach the exclusive end.
pub(super) fn below(scalar: Scalar, value: f64, low: f64, high: f64) -> f64 {
    let rounded = match scalar {
        Scalar::F16 => f16::from_f64(value).to_f64(),
        Scalar::F32 => f64::from(value as f32),
        _ => value,
    };
    if rounded < high { value } else { low }
}
