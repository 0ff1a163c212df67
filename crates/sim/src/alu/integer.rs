//! Integer operations over lane arrays.

use tilewise_ir::{BinaryOp, CompareOp, MathFn, UnaryOp};

use super::Slots;
use super::map::{compare as map_compare, map1, map2, map2_slow, map3};
use crate::semantics::integer::{Int, smul24, umul24};

#[inline(always)]
pub(super) fn unary<T: Int, const W: usize>(op: UnaryOp, bank: &mut [[T; W]], at: Slots) {
    match op {
        UnaryOp::Neg | UnaryOp::FNeg => map1(bank, at, T::neg),
        UnaryOp::Not => map1(bank, at, T::not),
    }
}

/// Arithmetic; a division by zero gives 0.
#[inline(always)]
pub(super) fn binary<T: Int, const W: usize>(op: BinaryOp, bank: &mut [[T; W]], at: Slots) {
    match op {
        BinaryOp::Add => map2(bank, at, T::add),
        BinaryOp::Sub => map2(bank, at, T::sub),
        BinaryOp::Mul => map2(bank, at, T::mul),
        BinaryOp::And => map2(bank, at, T::and),
        BinaryOp::Or => map2(bank, at, T::or),
        BinaryOp::Xor => map2(bank, at, T::xor),
        BinaryOp::Shl => map2(bank, at, T::shl),
        BinaryOp::LShr => map2(bank, at, T::lshr),
        BinaryOp::AShr => map2(bank, at, T::ashr),
        BinaryOp::SDiv => map2_slow(bank, at, T::sdiv),
        BinaryOp::UDiv => map2_slow(bank, at, T::udiv),
        BinaryOp::SRem => map2_slow(bank, at, T::srem),
        BinaryOp::SMod => map2_slow(bank, at, T::smod),
        BinaryOp::URem => map2_slow(bank, at, T::urem),
        // The verifier keeps floating-point operations away from integers.
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {}
    }
}

#[inline(always)]
pub(super) fn compare<T: Int, const W: usize>(
    op: CompareOp,
    from: &[[T; W]],
    to: &mut [[u8; W]],
    at: Slots,
) {
    macro_rules! run {
        ($f:expr) => {
            map_compare(from, to, at, $f)
        };
    }
    match op {
        CompareOp::Eq => run!(|a, b| a == b),
        CompareOp::Ne => run!(|a, b| a != b),
        CompareOp::SLt => run!(|a: T, b| a.slt(b)),
        CompareOp::SLe => run!(|a: T, b| a.sle(b)),
        CompareOp::SGt => run!(|a, b: T| b.slt(a)),
        CompareOp::SGe => run!(|a, b: T| b.sle(a)),
        CompareOp::ULt => run!(|a: T, b| a.ult(b)),
        CompareOp::ULe => run!(|a: T, b| a.ule(b)),
        CompareOp::UGt => run!(|a, b: T| b.ult(a)),
        CompareOp::UGe => run!(|a, b: T| b.ule(a)),
        _ => {}
    }
}

/// Bytes compare within their own bank, which truth values share.
#[inline(always)]
pub(super) fn compare_bytes<const W: usize>(op: CompareOp, bank: &mut [[u8; W]], at: Slots) {
    let operands = [bank[at.a as usize], bank[at.b as usize]];
    let at = Slots { a: 0, b: 1, ..at };
    compare(op, &operands, bank, at);
}

/// Whether [`math`] has a loop for a function.
pub(crate) fn vectorises(fun: MathFn) -> bool {
    use MathFn::*;
    matches!(
        fun,
        SAbs | SAbsDiff
            | UAbsDiff
            | SClamp
            | UClamp
            | SMax
            | UMax
            | SMin
            | UMin
            | SMul24
            | UMul24
            | SMad24
            | UMad24
            | Rotate
            | Bitselect
    )
}

#[inline(always)]
pub(super) fn math<T: Int, const W: usize>(fun: MathFn, bank: &mut [[T; W]], at: Slots) {
    match fun {
        MathFn::SAbs => map1(bank, at, T::sabs),
        MathFn::SAbsDiff => map2(bank, at, T::sabs_diff),
        MathFn::UAbsDiff => map2(bank, at, T::uabs_diff),
        MathFn::SClamp => map3(bank, at, |a, b, c| a.smax(b).smin(c)),
        MathFn::UClamp => map3(bank, at, |a, b, c| a.umax(b).umin(c)),
        MathFn::SMax => map2(bank, at, T::smax),
        MathFn::UMax => map2(bank, at, T::umax),
        MathFn::SMin => map2(bank, at, T::smin),
        MathFn::UMin => map2(bank, at, T::umin),
        MathFn::SMul24 => map2(bank, at, smul24),
        MathFn::UMul24 => map2(bank, at, umul24),
        MathFn::SMad24 => map3(bank, at, |a, b, c| smul24(a, b).add(c)),
        MathFn::UMad24 => map3(bank, at, |a, b, c| umul24(a, b).add(c)),
        MathFn::Rotate => map2(bank, at, T::rotate),
        MathFn::Bitselect => map3(bank, at, |a, b, c| a.and(c.not()).or(b.and(c))),
        _ => {}
    }
}
