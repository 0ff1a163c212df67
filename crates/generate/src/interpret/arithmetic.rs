//! Operators on scalar bits.

use tilewise_launch::Scalar;

use super::Undefined;
use super::convert::{integer, limits, wrap};
use crate::tree::{BinaryOp, CompareOp, UnaryOp};
use crate::types::bits;

/// A float of either width, computed in its own precision.
pub fn float2(
    scalar: Scalar,
    a: u64,
    b: u64,
    narrow: impl Fn(f32, f32) -> f32,
    wide: impl Fn(f64, f64) -> f64,
) -> u64 {
    if scalar == Scalar::F32 {
        let of = |v: u64| f32::from_bits(v as u32);
        u64::from(narrow(of(a), of(b)).to_bits())
    } else {
        wide(f64::from_bits(a), f64::from_bits(b)).to_bits()
    }
}

/// As a double, which holds every float.
pub fn wide(scalar: Scalar, a: u64) -> f64 {
    if scalar == Scalar::F32 {
        f64::from(f32::from_bits(a as u32))
    } else {
        f64::from_bits(a)
    }
}

/// An operator on two operands of one type; a shift's second operand may have
/// another.
///
/// # Errors
/// Integer division by zero, or of the least number by -1.
pub fn binary(
    op: BinaryOp,
    scalar: Scalar,
    a: u64,
    b: u64,
    b_type: Scalar,
) -> Result<u64, Undefined> {
    if scalar.is_float() {
        return Ok(match op {
            BinaryOp::Add => float2(scalar, a, b, |a, b| a + b, |a, b| a + b),
            BinaryOp::Sub => float2(scalar, a, b, |a, b| a - b, |a, b| a - b),
            BinaryOp::Mul => float2(scalar, a, b, |a, b| a * b, |a, b| a * b),
            BinaryOp::Div => float2(scalar, a, b, |a, b| a / b, |a, b| a / b),
            _ => return Err(Undefined::Malformed("an operator that floats don't have")),
        });
    }
    let (x, y) = (integer(scalar, a), integer(b_type, b));
    let result = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Div | BinaryOp::Rem => {
            if y == 0 {
                return Err(Undefined::DivisionByZero);
            }
            if y == -1 && x == limits(scalar).0 {
                return Err(Undefined::DivisionOverflow);
            }
            if op == BinaryOp::Div { x / y } else { x % y }
        }
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        // OpenCL takes as many bits of the amount as the type needs.
        BinaryOp::Shl => x << (b & u64::from(bits(scalar) - 1)),
        BinaryOp::Shr => x >> (b & u64::from(bits(scalar) - 1)),
    };
    Ok(wrap(scalar, result))
}

/// An operator on one operand.
///
/// # Errors
/// `~` of a float, which no program has.
pub fn unary(op: UnaryOp, scalar: Scalar, a: u64) -> Result<u64, Undefined> {
    if scalar.is_float() {
        return match op {
            UnaryOp::Neg => Ok(float2(scalar, a, 0, |a, _| -a, |a, _| -a)),
            UnaryOp::Not => Ok(u64::from(wide(scalar, a) == 0.0)),
            UnaryOp::BitNot => Err(Undefined::Malformed("~ of a float")),
        };
    }
    let x = integer(scalar, a);
    Ok(match op {
        UnaryOp::Neg => wrap(scalar, -x),
        UnaryOp::BitNot => wrap(scalar, !x),
        UnaryOp::Not => u64::from(x == 0),
    })
}

/// A comparison of two operands of one type.
pub fn compare(op: CompareOp, scalar: Scalar, a: u64, b: u64) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = if scalar.is_float() {
        wide(scalar, a).partial_cmp(&wide(scalar, b))
    } else {
        Some(integer(scalar, a).cmp(&integer(scalar, b)))
    };
    match op {
        CompareOp::Lt => order == Some(Less),
        CompareOp::Le => matches!(order, Some(Less | Equal)),
        CompareOp::Gt => order == Some(Greater),
        CompareOp::Ge => matches!(order, Some(Greater | Equal)),
        CompareOp::Eq => order == Some(Equal),
        CompareOp::Ne => order != Some(Equal),
    }
}
