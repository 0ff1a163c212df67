//! Conversions between scalar types, with OpenCL's rounding modes and
//! saturation (OpenCL C 3.0, section 6.4.3).
//!
//! A conversion to a narrower floating-point format in a directed mode rounds
//! to nearest first and steps to the neighbour where that went the wrong way.
//! A float outside the target integer's range is undefined in OpenCL without
//! `_sat`; here it saturates in both forms.

use half::f16;
use tilewise_ir::{Conversion, Rounding, Ty};

/// Sign-extends the low bits of a value.
#[inline(always)]
fn sign_extend(bits: u64, ty: Ty) -> i64 {
    let unused = 64 - ty.size() * 8;
    ((bits << unused) as i64) >> unused
}

/// The bits that a type keeps. A `Bool` is 0 or 1.
#[inline(always)]
pub(crate) fn truncate(bits: u64, ty: Ty) -> u64 {
    match ty.size() {
        8 => bits,
        size => bits & ((1 << (size * 8)) - 1),
    }
}

/// Converts one value.
pub(crate) fn convert(op: Conversion, from: Ty, to: Ty, bits: u64) -> u64 {
    match op {
        Conversion::Sext => truncate(sign_extend(bits, from) as u64, to),
        Conversion::Zext => truncate(bits, to),
        Conversion::Bitcast | Conversion::Copy => bits,
        Conversion::IntSat {
            from_signed,
            to_signed,
        } => {
            let value = if from_signed {
                i128::from(sign_extend(bits, from))
            } else {
                i128::from(bits)
            };
            saturate(value, to, to_signed)
        }
        Conversion::SToF(rounding) => {
            integer_to_float(i128::from(sign_extend(bits, from)), to, rounding)
        }
        Conversion::UToF(rounding) => integer_to_float(i128::from(bits), to, rounding),
        Conversion::FToS { rounding, .. } => float_to_integer(bits, from, to, rounding, true),
        Conversion::FToU { rounding, .. } => float_to_integer(bits, from, to, rounding, false),
        Conversion::FToF(rounding) => from_double(to_double(bits, from), to, rounding),
    }
}

fn saturate(value: i128, to: Ty, signed: bool) -> u64 {
    let width = to.size() * 8;
    let (low, high) = if signed {
        (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
    } else {
        (0, (1i128 << width) - 1)
    };
    truncate(value.clamp(low, high) as u64, to)
}

fn float_to_integer(bits: u64, from: Ty, to: Ty, rounding: Rounding, signed: bool) -> u64 {
    let v = to_double(bits, from);
    let whole = match rounding {
        Rounding::NearestEven => v.round_ties_even(),
        Rounding::Zero => v.trunc(),
        Rounding::Up => v.ceil(),
        Rounding::Down => v.floor(),
    };
    // `as` gives 0 for a NaN and saturates; 128 bits hold every 64-bit target.
    saturate(whole as i128, to, signed)
}

/// Rounds an integer once to a floating-point format.
fn integer_to_float(value: i128, to: Ty, rounding: Rounding) -> u64 {
    // Integers up to 2^53 are exact in binary64 and go the common way.
    if value.unsigned_abs() <= 1 << 53 {
        return from_double(value as f64, to, rounding);
    }
    let nearest = match to {
        Ty::F64 => (value as f64).to_bits(),
        Ty::F32 => u64::from((value as f32).to_bits()),
        // Beyond binary16's range in any case.
        _ => return from_double(value as f64, to, rounding),
    };
    let back = to_double(nearest, to) as i128;
    directed(nearest, to, back.cmp(&value), value < 0, rounding)
}

/// The value as binary64, exactly.
#[inline(always)]
pub(crate) fn to_double(bits: u64, ty: Ty) -> f64 {
    match ty {
        Ty::F16 => f16::from_bits(bits as u16).to_f64(),
        Ty::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// Rounds a binary64 value to a format.
pub(crate) fn from_double(v: f64, to: Ty, rounding: Rounding) -> u64 {
    let nearest = nearest_from_double(v, to);
    if rounding == Rounding::NearestEven || v.is_nan() {
        return nearest;
    }
    let back = to_double(nearest, to);
    match back.partial_cmp(&v) {
        Some(order) => directed(nearest, to, order, v.is_sign_negative(), rounding),
        None => nearest,
    }
}

/// Rounds a binary64 value to the nearest one of a format, ties to even.
#[inline(always)]
pub(crate) fn nearest_from_double(v: f64, to: Ty) -> u64 {
    match to {
        Ty::F16 => u64::from(half_from_double(v)),
        Ty::F32 => u64::from((v as f32).to_bits()),
        _ => v.to_bits(),
    }
}

/// Rounds a binary64 value to binary16 once. It goes through binary32 rounded to
/// odd, which keeps on which side of a tie the value lies (Boldo and Melquiond,
/// "Emulation of a FMA and correctly rounded sums", 2008); `f16::from_f64` rounds
/// twice on processors that have the conversion from binary32 only.
pub(crate) fn half_from_double(v: f64) -> u16 {
    let near = v as f32;
    let mut bits = near.to_bits();
    if f64::from(near) != v && !v.is_nan() {
        if f64::from(near).abs() > v.abs() {
            bits -= 1;
        }
        bits |= 1;
    }
    f16::from_f32(f32::from_bits(bits)).to_bits()
}

/// Corrects a value rounded to nearest for a directed mode. `order` compares
/// the rounded value with the exact one.
fn directed(
    nearest: u64,
    to: Ty,
    order: std::cmp::Ordering,
    negative: bool,
    rounding: Rounding,
) -> u64 {
    use std::cmp::Ordering::{Greater, Less};
    let down = match rounding {
        Rounding::NearestEven => return nearest,
        Rounding::Down => true,
        Rounding::Up => false,
        Rounding::Zero => !negative,
    };
    match (order, down) {
        (Greater, true) => neighbour(nearest, to, false),
        (Less, false) => neighbour(nearest, to, true),
        _ => nearest,
    }
}

/// The next value of a format above or below. Bits of equal sign are ordered
/// as the values are.
fn neighbour(bits: u64, ty: Ty, up: bool) -> u64 {
    let sign = 1u64 << (ty.size() * 8 - 1);
    let magnitude = bits & !sign;
    let negative = bits & sign != 0;
    if magnitude == 0 {
        return if up { 1 } else { sign | 1 };
    }
    if negative == up { bits - 1 } else { bits + 1 }
}

/// `nextafter` for any format.
pub(crate) fn next_after(a: u64, b: u64, ty: Ty) -> u64 {
    let (x, y) = (to_double(a, ty), to_double(b, ty));
    if x.is_nan() || x == y {
        return if x.is_nan() { a } else { b };
    }
    if y.is_nan() {
        return b;
    }
    neighbour(a, ty, y > x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32_of(op: Conversion, from: Ty, bits: u64) -> f32 {
        f32::from_bits(convert(op, from, Ty::F32, bits) as u32)
    }

    #[test]
    fn extension_and_truncation() {
        assert_eq!(
            convert(Conversion::Sext, Ty::I8, Ty::I32, 0x80),
            0xFFFF_FF80
        );
        assert_eq!(convert(Conversion::Zext, Ty::I8, Ty::I32, 0x80), 0x80);
        assert_eq!(
            convert(Conversion::Sext, Ty::I64, Ty::I16, 0x1_2345),
            0x2345
        );
        assert_eq!(convert(Conversion::Zext, Ty::Bool, Ty::I64, 1), 1);
    }

    #[test]
    fn integers_saturate() {
        let sat = |from_signed, to_signed| Conversion::IntSat {
            from_signed,
            to_signed,
        };
        assert_eq!(
            convert(sat(true, false), Ty::I32, Ty::I8, (-5i32) as u32 as u64),
            0
        );
        assert_eq!(
            convert(sat(true, true), Ty::I32, Ty::I8, (-500i32) as u32 as u64),
            0x80
        );
        assert_eq!(convert(sat(false, true), Ty::I32, Ty::I8, 500), 0x7F);
        assert_eq!(
            convert(sat(false, true), Ty::I64, Ty::I64, u64::MAX),
            i64::MAX as u64
        );
    }

    #[test]
    fn directed_rounding_of_integers() {
        // 2^24 + 1 is no binary32 value.
        let v = (1u64 << 24) + 1;
        assert_eq!(
            f32_of(Conversion::UToF(Rounding::NearestEven), Ty::I32, v),
            16_777_216.0
        );
        assert_eq!(
            f32_of(Conversion::UToF(Rounding::Up), Ty::I32, v),
            16_777_218.0
        );
        assert_eq!(
            f32_of(Conversion::UToF(Rounding::Zero), Ty::I32, v),
            16_777_216.0
        );
        let minus = (v as i32).wrapping_neg() as u32 as u64;
        assert_eq!(
            f32_of(Conversion::SToF(Rounding::Down), Ty::I32, minus),
            -16_777_218.0
        );
        // Rounding 2^54 + 2^30 + 1 through binary64 first would tie and go down.
        let v = (1u64 << 54) + (1 << 30) + 1;
        assert_eq!(
            f32_of(Conversion::UToF(Rounding::NearestEven), Ty::I64, v),
            ((1u64 << 54) + (1 << 31)) as f32
        );
    }

    #[test]
    fn floats_to_integers() {
        let s = |rounding| Conversion::FToS {
            rounding,
            saturate: true,
        };
        let bits = |v: f32| u64::from(v.to_bits());
        assert_eq!(
            convert(s(Rounding::Zero), Ty::F32, Ty::I32, bits(-2.7)),
            (-2i32) as u32 as u64
        );
        assert_eq!(
            convert(s(Rounding::NearestEven), Ty::F32, Ty::I32, bits(2.5)),
            2
        );
        assert_eq!(convert(s(Rounding::Up), Ty::F32, Ty::I32, bits(2.1)), 3);
        assert_eq!(convert(s(Rounding::Zero), Ty::F32, Ty::I8, bits(1e9)), 127);
        assert_eq!(
            convert(s(Rounding::Zero), Ty::F32, Ty::I8, bits(f32::NAN)),
            0
        );
    }

    #[test]
    fn halves_are_rounded_once() {
        // Half an ulp above 1 and a little: up, though binary32 rounds it to the tie.
        let above_tie = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        let bits = |v: f64| nearest_from_double(v, Ty::F16);
        assert_eq!(bits(above_tie), 0x3C01);
        assert_eq!(bits(1.0 + 2f64.powi(-11)), 0x3C00);
        assert_eq!(bits(1.0 + 3.0 * 2f64.powi(-11) - 2f64.powi(-40)), 0x3C01);
        assert_eq!(bits(-65_519.999_999), 0xFBFF);
        assert_eq!(bits(65_520.0), 0x7C00);
        assert_eq!(bits(f64::MAX), 0x7C00);
        assert_eq!(bits(2f64.powi(-25)), 0);
        assert_eq!(bits(2f64.powi(-25) * (1.0 + 2f64.powi(-40))), 1);
        assert_eq!(bits(-f64::from_bits(1)), 0x8000);
        for all in 0..=u16::MAX {
            let v = f16::from_bits(all).to_f64();
            assert!(v.is_nan() || bits(v) == u64::from(all));
        }
    }

    #[test]
    fn neighbours() {
        let next = |a: f32, b: f32| {
            f32::from_bits(
                next_after(u64::from(a.to_bits()), u64::from(b.to_bits()), Ty::F32) as u32,
            )
        };
        assert_eq!(next(1.0, 2.0), 1.0 + f32::EPSILON);
        assert_eq!(next(0.0, -1.0), -f32::from_bits(1));
        assert_eq!(next(f32::MAX, f32::INFINITY), f32::INFINITY);
    }
}
