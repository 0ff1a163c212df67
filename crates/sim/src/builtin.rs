//! The builtin functions as the machine computes them, one call at a time: for
//! whoever compares them with a reference or a device.

use tilewise_ir::{MathFn, Ty};

use crate::semantics::math;

/// Whether the machine computes a function for arguments of a type.
pub fn supports(fun: MathFn, ty: Ty) -> bool {
    math::supports(fun, ty)
}

/// Evaluates a function of arguments given as the bits of their types.
///
/// `ty` is the type of the first argument (of the result for `nan`). Both
/// results come as bits; the second is 0 where a function has one
/// ([`MathFn::results`]). A missing argument counts as 0, a function that does
/// not take `ty` ([`supports`]) gives 0 or a NaN.
pub fn evaluate(fun: MathFn, ty: Ty, args: &[u64]) -> [u64; 2] {
    math::evaluate(fun, ty, args)
}
