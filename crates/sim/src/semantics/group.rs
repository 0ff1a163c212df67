//! How work-group and sub-group functions combine values.
//!
//! Values are combined one after another in the order of the (sub-group) local
//! id. For floating-point numbers that is one of the orders that OpenCL leaves
//! to a device, whose result may differ in the last places.

use half::f16;
use tilewise_ir::{GroupArithmetic, Ty};

use super::convert::truncate;
use super::float::Float;

/// `a` combined with `b`, as bits of the type.
pub(crate) fn combine(how: GroupArithmetic, ty: Ty, a: u64, b: u64) -> u64 {
    match ty {
        Ty::F16 => u64::from(float::<f16>(how, a as u16, b as u16)),
        Ty::F32 => u64::from(float::<f32>(how, a as u32, b as u32)),
        Ty::F64 => float::<f64>(how, a, b),
        _ => integer(how, ty, a, b),
    }
}

fn float<F: Float>(how: GroupArithmetic, a: F::Bits, b: F::Bits) -> F::Bits {
    match how {
        GroupArithmetic::Mul => F::mul(a, b),
        GroupArithmetic::SMin | GroupArithmetic::UMin => F::min(a, b),
        GroupArithmetic::SMax | GroupArithmetic::UMax => F::max(a, b),
        // `GroupOp::takes` leaves no other.
        _ => F::add(a, b),
    }
}

fn integer(how: GroupArithmetic, ty: Ty, a: u64, b: u64) -> u64 {
    let unused = 64 - ty.size() * 8;
    let signed = |v: u64| ((v << unused) as i64) >> unused;
    let combined = match how {
        GroupArithmetic::Add => a.wrapping_add(b),
        GroupArithmetic::Mul => a.wrapping_mul(b),
        GroupArithmetic::SMin if signed(b) < signed(a) => b,
        GroupArithmetic::SMax if signed(b) > signed(a) => b,
        GroupArithmetic::SMin | GroupArithmetic::SMax => a,
        GroupArithmetic::UMin => a.min(b),
        GroupArithmetic::UMax => a.max(b),
        GroupArithmetic::And => a & b,
        GroupArithmetic::Or => a | b,
        GroupArithmetic::Xor => a ^ b,
    };
    truncate(combined, ty)
}

/// The value that changes nothing: what an exclusive scan starts with.
pub(crate) fn identity(how: GroupArithmetic, ty: Ty) -> u64 {
    let top = 1u64 << (ty.size() * 8 - 1);
    let of_float = |v: f64| super::convert::nearest_from_double(v, ty);
    match how {
        GroupArithmetic::Mul if ty.is_float() => of_float(1.0),
        GroupArithmetic::Mul => 1,
        GroupArithmetic::SMin | GroupArithmetic::UMin if ty.is_float() => of_float(f64::INFINITY),
        GroupArithmetic::SMax | GroupArithmetic::UMax if ty.is_float() => {
            of_float(f64::NEG_INFINITY)
        }
        GroupArithmetic::SMin => top - 1,
        GroupArithmetic::SMax => top,
        GroupArithmetic::And if ty == Ty::Bool => 1,
        GroupArithmetic::UMin | GroupArithmetic::And => truncate(u64::MAX, ty),
        GroupArithmetic::Add
        | GroupArithmetic::UMax
        | GroupArithmetic::Or
        | GroupArithmetic::Xor => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_changes_nothing() {
        use GroupArithmetic as G;
        let integers = [G::Add, G::Mul, G::SMin, G::SMax, G::UMin, G::UMax];
        let bits = [G::And, G::Or, G::Xor];
        let floats = [G::Add, G::Mul, G::SMin, G::SMax];
        for ty in [Ty::I8, Ty::I16, Ty::I32, Ty::I64] {
            for how in integers.into_iter().chain(bits) {
                for value in [0, 1, 0x7f, 0x80, u64::MAX, 0x8000_0000_0000_0000] {
                    let value = truncate(value, ty);
                    assert_eq!(
                        combine(how, ty, identity(how, ty), value),
                        value,
                        "{how:?} {ty}"
                    );
                    assert_eq!(
                        combine(how, ty, value, identity(how, ty)),
                        value,
                        "{how:?} {ty}"
                    );
                }
            }
        }
        for ty in [Ty::F16, Ty::F32, Ty::F64] {
            for how in floats {
                for value in [1.5, -2.25, f64::INFINITY, f64::NEG_INFINITY] {
                    let value = crate::semantics::convert::nearest_from_double(value, ty);
                    assert_eq!(
                        combine(how, ty, identity(how, ty), value),
                        value,
                        "{how:?} {ty}"
                    );
                }
            }
        }
        for how in bits {
            for value in [0, 1] {
                let first = identity(how, Ty::Bool);
                assert_eq!(combine(how, Ty::Bool, first, value), value, "{how:?}");
            }
        }
    }
}
