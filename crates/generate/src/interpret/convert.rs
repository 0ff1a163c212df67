//! Conversions between scalar types, through an exact number: a sign, an
//! integer and a power of two.

use tilewise_launch::Scalar;

use super::Undefined;
use crate::tree::Rounding;
use crate::tree::value::mask;
use crate::types::{bits, is_signed};

/// A number without rounding.
enum Exact {
    Nan,
    Infinite {
        negative: bool,
    },
    /// `mantissa * 2^exponent`.
    Finite {
        negative: bool,
        mantissa: u128,
        exponent: i32,
    },
}

/// The value of an integer's bits.
pub fn integer(scalar: Scalar, value: u64) -> i128 {
    let shift = 64 - bits(scalar);
    if is_signed(scalar) {
        i128::from(((value << shift) as i64) >> shift)
    } else {
        i128::from(value)
    }
}

/// The bits of an integer, without those that do not fit.
pub fn wrap(scalar: Scalar, value: i128) -> u64 {
    value as u64 & mask(scalar)
}

/// The least and the greatest integer of a type.
pub fn limits(scalar: Scalar) -> (i128, i128) {
    let n = bits(scalar);
    if is_signed(scalar) {
        (-(1 << (n - 1)), (1 << (n - 1)) - 1)
    } else {
        (0, (1 << n) - 1)
    }
}

/// Converts bits of one type to another, as `convert_…` does.
///
/// # Errors
/// A floating-point number that the integer type can't hold, without
/// saturation; a NaN to an integer.
pub fn convert(
    from: Scalar,
    to: Scalar,
    value: u64,
    rounding: Rounding,
    saturate: bool,
) -> Result<u64, Undefined> {
    if !to.is_float() && !from.is_float() {
        let exact = integer(from, value);
        let (least, greatest) = limits(to);
        let fitting = if saturate {
            exact.clamp(least, greatest)
        } else {
            exact
        };
        return Ok(wrap(to, fitting));
    }
    if from == to && to.is_float() {
        return Ok(value);
    }
    let exact = exact(from, value);
    if to.is_float() {
        return Ok(to_float(to, &exact, rounding));
    }
    to_integer(to, &exact, rounding, saturate)
}

fn exact(from: Scalar, value: u64) -> Exact {
    let (fraction_bits, exponent_bits) = match from {
        Scalar::F32 => (23, 8),
        Scalar::F64 => (52, 11),
        _ => {
            let value = integer(from, value);
            return Exact::Finite {
                negative: value < 0,
                mantissa: value.unsigned_abs(),
                exponent: 0,
            };
        }
    };
    let negative = value >> (fraction_bits + exponent_bits) & 1 == 1;
    let fraction = value & ((1 << fraction_bits) - 1);
    let biased = value >> fraction_bits & ((1 << exponent_bits) - 1);
    let bias = (1 << (exponent_bits - 1)) - 1;
    if biased == (1 << exponent_bits) - 1 {
        return if fraction == 0 {
            Exact::Infinite { negative }
        } else {
            Exact::Nan
        };
    }
    let hidden = if biased == 0 { 0 } else { 1 << fraction_bits };
    Exact::Finite {
        negative,
        mantissa: u128::from(fraction | hidden),
        exponent: biased.max(1) as i32 - bias - fraction_bits,
    }
}

/// `mantissa / 2^shift`, rounded to an integer.
fn shift_rounded(mantissa: u128, shift: u32, negative: bool, rounding: Rounding) -> u128 {
    if shift == 0 {
        return mantissa;
    }
    if shift >= 127 {
        let up = mantissa != 0
            && match rounding {
                Rounding::Up => !negative,
                Rounding::Down => negative,
                _ => false,
            };
        return u128::from(up);
    }
    let quotient = mantissa >> shift;
    let rest = mantissa & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let up = match rounding {
        Rounding::Zero => false,
        Rounding::Up => rest != 0 && !negative,
        Rounding::Down => rest != 0 && negative,
        Rounding::NearestEven | Rounding::Default => {
            rest > half || (rest == half && quotient & 1 == 1)
        }
    };
    quotient + u128::from(up)
}

fn to_integer(
    to: Scalar,
    exact: &Exact,
    rounding: Rounding,
    saturate: bool,
) -> Result<u64, Undefined> {
    let (least, greatest) = limits(to);
    // Without a name the conversion to an integer cuts off.
    let rounding = match rounding {
        Rounding::Default => Rounding::Zero,
        other => other,
    };
    let rounded = match *exact {
        Exact::Nan => return Err(Undefined::Conversion),
        Exact::Infinite { negative } => {
            if !saturate {
                return Err(Undefined::Conversion);
            }
            if negative { least } else { greatest }
        }
        Exact::Finite {
            negative,
            mantissa,
            exponent,
        } => {
            let magnitude = if mantissa == 0 {
                0
            } else if exponent >= 0 {
                // What is longer than 100 bits is beyond every type.
                let length = 128 - mantissa.leading_zeros() + exponent.unsigned_abs();
                if length > 100 {
                    1 << 100
                } else {
                    mantissa << exponent
                }
            } else {
                shift_rounded(mantissa, exponent.unsigned_abs(), negative, rounding)
            };
            let magnitude = magnitude as i128;
            if negative { -magnitude } else { magnitude }
        }
    };
    if !saturate && !(least..=greatest).contains(&rounded) {
        return Err(Undefined::Conversion);
    }
    Ok(wrap(to, rounded.clamp(least, greatest)))
}

fn to_float(to: Scalar, exact: &Exact, rounding: Rounding) -> u64 {
    let (fraction_bits, exponent_bits) = match to {
        Scalar::F32 => (23, 8),
        _ => (52, 11),
    };
    let sign = |negative: bool| u64::from(negative) << (fraction_bits + exponent_bits);
    let infinity = ((1u64 << exponent_bits) - 1) << fraction_bits;
    let (negative, mantissa, exponent) = match *exact {
        Exact::Nan => return infinity | 1 << (fraction_bits - 1),
        Exact::Infinite { negative } => return sign(negative) | infinity,
        Exact::Finite {
            negative,
            mantissa,
            exponent,
        } => (negative, mantissa, exponent),
    };
    if mantissa == 0 {
        return sign(negative);
    }
    let bias = (1 << (exponent_bits - 1)) - 1;
    // Exponent of the last bit that the format keeps of this number.
    let top = 127 - mantissa.leading_zeros() as i32 + exponent;
    let last = (top - fraction_bits).max(1 - bias - fraction_bits);
    let kept = if exponent >= last {
        mantissa << (exponent - last)
    } else {
        shift_rounded(mantissa, (last - exponent) as u32, negative, rounding)
    };
    // The hidden bit adds one to the exponent field, and so does a mantissa
    // that rounding made one bit longer.
    let field = (last + bias + fraction_bits - 1) as u64;
    let bits = (field << fraction_bits) + kept as u64;
    if bits < infinity {
        return sign(negative) | bits;
    }
    let to_infinity = match rounding {
        Rounding::Zero => false,
        Rounding::Up => !negative,
        Rounding::Down => negative,
        Rounding::NearestEven | Rounding::Default => true,
    };
    sign(negative) | if to_infinity { infinity } else { infinity - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::tree::Value;
    use tilewise_launch::ElemType;

    /// Rust's `as` rounds to nearest even, and cuts off and saturates.
    #[test]
    fn agrees_with_the_hosts_conversions() {
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let draw = |s, r: &mut Random| Value::random(ElemType::scalar(s), r).bits[0];
            let wide = draw(Scalar::F64, &mut random);
            let narrow = to_float(Scalar::F32, &exact(Scalar::F64, wide), Rounding::Default);
            let host = f64::from_bits(wide) as f32;
            if !host.is_nan() {
                assert_eq!(narrow as u32, host.to_bits(), "{}", f64::from_bits(wide));
                let to = |to| convert(Scalar::F64, to, wide, Rounding::Default, true);
                assert_eq!(
                    to(Scalar::I32),
                    Ok(u64::from(f64::from_bits(wide) as i32 as u32))
                );
                assert_eq!(to(Scalar::U64), Ok(f64::from_bits(wide) as u64));
                assert_eq!(to(Scalar::I64), Ok(f64::from_bits(wide) as i64 as u64));
            }
            let long = random.bits() >> random.below(64);
            let from = |from, to| convert(from, to, long, Rounding::NearestEven, false);
            let host = u64::from((long as f32).to_bits());
            assert_eq!(from(Scalar::U64, Scalar::F32), Ok(host), "{long}");
            let host = (long as i64 as f64).to_bits();
            assert_eq!(from(Scalar::I64, Scalar::F64), Ok(host), "{long}");
        }
    }

    #[test]
    fn directed_rounding() {
        let float = |x: f32| u64::from(x.to_bits());
        for (x, rounding, expected) in [
            (2.5, Rounding::NearestEven, 2),
            (3.5, Rounding::NearestEven, 4),
            (2.5, Rounding::Up, 3),
            (-2.5, Rounding::Up, -2),
            (-2.5, Rounding::Down, -3),
            (-2.5, Rounding::Zero, -2),
            (1e-40, Rounding::Up, 1),
            (1e9, Rounding::Default, 127),
        ] {
            let got = convert(Scalar::F32, Scalar::I8, float(x), rounding, true);
            assert_eq!(got.map(|b| integer(Scalar::I8, b)), Ok(expected), "{x}");
        }
        let third = (1.0f64 / 3.0).to_bits();
        let to = |rounding| convert(Scalar::F64, Scalar::F32, third, rounding, false);
        assert_eq!(to(Rounding::Down), Ok(0x3eaa_aaaa));
        assert_eq!(to(Rounding::Up), Ok(0x3eaa_aaab));
        let large = f64::MAX.to_bits();
        let to = |rounding| convert(Scalar::F64, Scalar::F32, large, rounding, false);
        assert_eq!(to(Rounding::Zero), Ok(float(f32::MAX)));
        assert_eq!(to(Rounding::Up), Ok(float(f32::INFINITY)));
    }
}
