//! Builtin functions on values, after their definitions in OpenCL C 1.2,
//! section 6.12.

use tilewise_launch::{ElemType, Scalar};

use super::Undefined;
use super::arithmetic::{compare, float2, wide};
use super::convert::{convert, integer, limits, wrap};
use crate::tree::value::{is_nan, mask};
use crate::tree::{Builtin, CompareOp, Rounding, Value};
use crate::types::bits;

/// Calls a builtin. A scalar among vectors stands for each component.
///
/// # Errors
/// Arguments that the builtin does not take.
pub fn call(builtin: Builtin, ty: ElemType, args: &[Value]) -> Result<Value, Undefined> {
    let first = args.first().ok_or(Undefined::Malformed("no argument"))?;
    let mut result = Value::zero(ty);
    match builtin {
        Builtin::Any | Builtin::All => {
            let top = 1 << (bits(first.ty.scalar) - 1);
            let mut set = first.components().iter().map(|b| b & top != 0);
            let yes = if builtin == Builtin::Any {
                set.any(|s| s)
            } else {
                set.all(|s| s)
            };
            result.bits[0] = u64::from(yes);
            return Ok(result);
        }
        Builtin::Shuffle | Builtin::Shuffle2 => {
            let mut from = first.components().to_vec();
            if builtin == Builtin::Shuffle2 {
                from.extend(args.get(1).map(Value::components).unwrap_or_default());
            }
            let selectors = args.last().map(Value::components).unwrap_or_default();
            for (to, selector) in result.bits.iter_mut().zip(selectors) {
                *to = from[*selector as usize & (from.len() - 1)];
            }
            return Ok(result);
        }
        _ => {}
    }
    let vector = ty.lanes > 1;
    for lane in 0..result.lanes() {
        let at = |i: usize| -> u64 {
            args.get(i)
                .map_or(0, |v| v.bits[if v.ty.lanes == 1 { 0 } else { lane }])
        };
        let scalars: Vec<Scalar> = args.iter().map(|a| a.ty.scalar).collect();
        result.bits[lane] = component(builtin, &scalars, vector, ty.scalar, &at)?;
    }
    Ok(result)
}

fn component(
    builtin: Builtin,
    scalars: &[Scalar],
    vector: bool,
    to: Scalar,
    at: &dyn Fn(usize) -> u64,
) -> Result<u64, Undefined> {
    let s = scalars[0];
    let (a, b, c) = (at(0), at(1), at(2));
    if let Some(yes) = relation(builtin, s, a, b) {
        // A vector's component is true as -1.
        return Ok(match (yes, vector) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => mask(to),
        });
    }
    match builtin {
        Builtin::Select => {
            let c_type = scalars[scalars.len() - 1];
            let yes = if vector {
                c >> (bits(c_type) - 1) & 1 == 1
            } else {
                c != 0
            };
            return Ok(if yes { b } else { a });
        }
        Builtin::Bitselect => return Ok((a & !c) | (b & c)),
        _ => {}
    }
    if s.is_float() {
        float(builtin, s, scalars, a, b, c)
    } else {
        integral(builtin, scalars, to, a, b, c)
    }
}

fn relation(builtin: Builtin, s: Scalar, a: u64, b: u64) -> Option<bool> {
    let ordered = !is_nan(s, a) && !is_nan(s, b);
    let x = wide(s, a);
    let normal = |s: Scalar| match s {
        Scalar::F32 => f32::from_bits(a as u32).is_normal(),
        _ => f64::from_bits(a).is_normal(),
    };
    Some(match builtin {
        Builtin::Isequal => compare(CompareOp::Eq, s, a, b),
        Builtin::Isnotequal => compare(CompareOp::Ne, s, a, b),
        Builtin::Isgreater => compare(CompareOp::Gt, s, a, b),
        Builtin::Isgreaterequal => compare(CompareOp::Ge, s, a, b),
        Builtin::Isless => compare(CompareOp::Lt, s, a, b),
        Builtin::Islessequal => compare(CompareOp::Le, s, a, b),
        Builtin::Islessgreater => ordered && compare(CompareOp::Ne, s, a, b),
        Builtin::Isordered => ordered,
        Builtin::Isunordered => !ordered,
        Builtin::Isnan => x.is_nan(),
        Builtin::Isinf => x.is_infinite(),
        Builtin::Isfinite => x.is_finite(),
        Builtin::Isnormal => normal(s),
        Builtin::Signbit => a >> (bits(s) - 1) & 1 == 1,
        _ => return None,
    })
}

fn integral(
    builtin: Builtin,
    scalars: &[Scalar],
    to: Scalar,
    a: u64,
    b: u64,
    c: u64,
) -> Result<u64, Undefined> {
    let s = scalars[0];
    let n = bits(s);
    let number = |i: usize, bits: u64| scalars.get(i).map_or(0, |&s| integer(s, bits));
    let (x, y, z) = (number(0, a), number(1, b), number(2, c));
    let (least, greatest) = limits(s);
    let result = match builtin {
        Builtin::Abs => x.abs(),
        Builtin::AbsDiff => (x - y).abs(),
        Builtin::AddSat => (x + y).clamp(least, greatest),
        Builtin::SubSat => (x - y).clamp(least, greatest),
        Builtin::Hadd => (x + y) >> 1,
        Builtin::Rhadd => (x + y + 1) >> 1,
        Builtin::Clz => i128::from(a.leading_zeros()) - i128::from(64 - n),
        Builtin::Popcount => i128::from(a.count_ones()),
        Builtin::MulHi => high(s, x, y),
        Builtin::MadHi => high(s, x, y) + z,
        Builtin::MadSat => match x.checked_mul(y).and_then(|p| p.checked_add(z)) {
            Some(sum) => sum.clamp(least, greatest),
            None => greatest,
        },
        Builtin::Rotate => {
            let amount = b as u32 & (n - 1);
            let turned = if amount == 0 {
                a
            } else {
                (a << amount | a >> (n - amount)) & mask(s)
            };
            i128::from(turned)
        }
        Builtin::Mul24 => x * y,
        Builtin::Mad24 => x * y + z,
        Builtin::Upsample => (x << n) | i128::from(b),
        Builtin::Min => x.min(y),
        Builtin::Max => x.max(y),
        Builtin::Clamp => {
            if y > z {
                return Err(Undefined::Malformed("clamp with its limits the wrong way"));
            }
            x.clamp(y, z)
        }
        _ => return Err(Undefined::Malformed("a builtin that integers don't have")),
    };
    Ok(wrap(to, result))
}

/// The upper half of a product.
fn high(s: Scalar, x: i128, y: i128) -> i128 {
    if s == Scalar::U64 {
        // Two of 64 bits without sign need one bit more than `i128` has.
        return ((x as u128 * y as u128) >> 64) as i128;
    }
    (x * y) >> bits(s)
}

fn float(
    builtin: Builtin,
    s: Scalar,
    scalars: &[Scalar],
    a: u64,
    b: u64,
    c: u64,
) -> Result<u64, Undefined> {
    let one = |narrow: fn(f32) -> f32, wide: fn(f64) -> f64| {
        float2(s, a, 0, |a, _| narrow(a), |a, _| wide(a))
    };
    let less = |a, b| compare(CompareOp::Lt, s, a, b);
    let zero = convert(Scalar::I32, s, 0, Rounding::Default, false)?;
    let unit = convert(Scalar::I32, s, 1, Rounding::Default, false)?;
    let sign = 1 << (bits(s) - 1);
    Ok(match builtin {
        Builtin::Fabs => a & !sign,
        Builtin::Floor => one(f32::floor, f64::floor),
        Builtin::Ceil => one(f32::ceil, f64::ceil),
        Builtin::Trunc => one(f32::trunc, f64::trunc),
        Builtin::Rint => one(f32::round_ties_even, f64::round_ties_even),
        Builtin::Round => one(f32::round, f64::round),
        Builtin::Sqrt => one(f32::sqrt, f64::sqrt),
        Builtin::Fma => match s {
            Scalar::F32 => {
                let of = |v: u64| f32::from_bits(v as u32);
                u64::from(of(a).mul_add(of(b), of(c)).to_bits())
            }
            _ => f64::from_bits(a)
                .mul_add(f64::from_bits(b), f64::from_bits(c))
                .to_bits(),
        },
        Builtin::Fmin | Builtin::Fmax if is_nan(s, a) => b,
        Builtin::Fmin | Builtin::Fmax if is_nan(s, b) => a,
        Builtin::Fmin | Builtin::Min => {
            if less(b, a) {
                b
            } else {
                a
            }
        }
        Builtin::Fmax | Builtin::Max => {
            if less(a, b) {
                b
            } else {
                a
            }
        }
        Builtin::Clamp => {
            if !compare(CompareOp::Le, s, b, c) {
                return Err(Undefined::Malformed("clamp with its limits the wrong way"));
            }
            let above = if less(a, b) { b } else { a };
            if less(c, above) { c } else { above }
        }
        Builtin::Fdim => {
            if is_nan(s, a) || is_nan(s, b) {
                float2(s, a, b, |a, b| a + b, |a, b| a + b)
            } else if less(b, a) {
                float2(s, a, b, |a, b| a - b, |a, b| a - b)
            } else {
                zero
            }
        }
        Builtin::Fmod => float2(s, a, b, |a, b| a % b, |a, b| a % b),
        Builtin::Copysign => a & !sign | b & sign,
        Builtin::Nextafter => next_after(s, a, b),
        Builtin::Sign => {
            if is_nan(s, a) {
                zero
            } else if wide(s, a) == 0.0 {
                a
            } else {
                unit | a & sign
            }
        }
        Builtin::Step => {
            if less(b, a) {
                zero
            } else {
                unit
            }
        }
        Builtin::Ldexp => scale(s, a, integer(scalars[1], b)),
        Builtin::Number => {
            if is_nan(s, a) {
                zero
            } else {
                a
            }
        }
        Builtin::PlusZero => float2(s, a, 0, |a, _| a + 0.0, |a, _| a + 0.0),
        _ => return Err(Undefined::Malformed("a builtin that floats don't have")),
    })
}

fn next_after(s: Scalar, a: u64, b: u64) -> u64 {
    if is_nan(s, a) {
        return a;
    }
    if is_nan(s, b) || compare(CompareOp::Eq, s, a, b) {
        return b;
    }
    let sign = 1 << (bits(s) - 1);
    let up = compare(CompareOp::Lt, s, a, b);
    if a & !sign == 0 {
        return if up { 1 } else { sign | 1 };
    }
    let away = (a & sign == 0) == up;
    if away { a + 1 } else { a - 1 }
}

/// `a * 2^n`, rounded once: exact steps first, the last one may round.
fn scale(s: Scalar, a: u64, n: i128) -> u64 {
    let value = wide(s, a);
    if value == 0.0 || !value.is_finite() {
        return a;
    }
    // A double has room for every float times 2^±400 without rounding, and
    // what is beyond is infinite or zero as a float anyway.
    if s == Scalar::F32 {
        let factor = 2f64.powi(n.clamp(-400, 400) as i32);
        return u64::from(((value * factor) as f32).to_bits());
    }
    let mut n = n.clamp(-2200, 2200) as i32;
    let mut x = value;
    // Bring the number to [1, 2), where its exponent is 0, in exact steps.
    let mut exponent = 0;
    while x.abs() >= 2.0 {
        x *= 0.5;
        exponent += 1;
    }
    while x.abs() < 1.0 {
        x *= 2.0;
        exponent -= 1;
    }
    n += exponent;
    if n > 1023 {
        return (x * f64::INFINITY).to_bits();
    }
    if n >= -1022 {
        return (x * 2f64.powi(n)).to_bits();
    }
    // One rounding: 2^-1022 is exact, the rest is a power of two.
    ((x * 2f64.powi((n + 1022).max(-200))) * f64::MIN_POSITIVE).to_bits()
}
