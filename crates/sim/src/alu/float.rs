//! Floating-point operations over lane arrays.

use tilewise_ir::{BinaryOp, CompareOp, MathFn};

use super::Slots;
use super::map::{compare as map_compare, map1, map2, map2_slow, map3, write};
use crate::semantics::float::Float;
use crate::semantics::math::{circular, mix, rsqrt, step};

#[inline(always)]
pub(super) fn negate<F: Float<Bits = B>, B: Copy, const W: usize>(bank: &mut [[B; W]], at: Slots) {
    map1(bank, at, F::neg);
}

#[inline(always)]
pub(super) fn binary<F: Float<Bits = B>, B: Copy, const W: usize>(
    op: BinaryOp,
    bank: &mut [[B; W]],
    at: Slots,
) {
    match op {
        BinaryOp::FAdd => map2(bank, at, F::add),
        BinaryOp::FSub => map2(bank, at, F::sub),
        BinaryOp::FMul => map2(bank, at, F::mul),
        BinaryOp::FDiv => map2(bank, at, F::div),
        BinaryOp::FRem => map2_slow(bank, at, F::rem),
        // The verifier keeps integer operations away from floats.
        _ => {}
    }
}

#[inline(always)]
pub(super) fn compare<F: Float<Bits = B>, B: Copy, const W: usize>(
    op: CompareOp,
    from: &[[B; W]],
    to: &mut [[u8; W]],
    at: Slots,
) {
    macro_rules! run {
        ($f:expr) => {
            map_compare(from, to, at, $f)
        };
    }
    match op {
        CompareOp::Eq | CompareOp::FOEq => run!(F::eq),
        CompareOp::FONe => run!(|a, b| F::lt(a, b) || F::lt(b, a)),
        CompareOp::FOLt => run!(F::lt),
        CompareOp::FOLe => run!(F::le),
        CompareOp::FOGt => run!(|a, b| F::lt(b, a)),
        CompareOp::FOGe => run!(|a, b| F::le(b, a)),
        CompareOp::FUEq => run!(|a, b| !(F::lt(a, b) || F::lt(b, a))),
        CompareOp::Ne | CompareOp::FUNe => run!(|a, b| !F::eq(a, b)),
        CompareOp::FULt => run!(|a, b| !F::le(b, a)),
        CompareOp::FULe => run!(|a, b| !F::lt(b, a)),
        CompareOp::FUGt => run!(|a, b| !F::le(a, b)),
        CompareOp::FUGe => run!(|a, b| !F::lt(a, b)),
        CompareOp::FOrd => run!(|a, b| !F::unordered(a, b)),
        CompareOp::FUno => run!(F::unordered),
        _ => {}
    }
}

/// Whether [`math`] has a loop for a function.
pub(crate) fn vectorises(fun: MathFn) -> bool {
    use MathFn::*;
    matches!(
        fun,
        Fma | Mad
            | Fmin
            | Fmax
            | Fclamp
            | Fabs
            | Floor
            | Ceil
            | Trunc
            | Rint
            | Sqrt
            | Rsqrt
            | Mix
            | Step
            | Degrees
            | Radians
    )
}

/// As [`vectorises`], for functions that have one for `half` and `float` alone.
pub(crate) fn vectorises_narrow(fun: MathFn) -> bool {
    matches!(fun, MathFn::Sin | MathFn::Cos)
}

#[inline(always)]
pub(super) fn math<F: Float<Bits = B>, B: Copy, const W: usize>(
    fun: MathFn,
    bank: &mut [[B; W]],
    at: Slots,
) {
    match fun {
        MathFn::Fma | MathFn::Mad => map3(bank, at, F::fma),
        MathFn::Fmin => map2(bank, at, F::min),
        MathFn::Fmax => map2(bank, at, F::max),
        MathFn::Fclamp => map3(bank, at, |a, b, c| F::min(F::max(a, b), c)),
        MathFn::Fabs => map1(bank, at, F::abs),
        MathFn::Floor => map1(bank, at, F::floor),
        MathFn::Ceil => map1(bank, at, F::ceil),
        MathFn::Trunc => map1(bank, at, F::trunc),
        MathFn::Rint => map1(bank, at, F::rint),
        MathFn::Sqrt => map1(bank, at, F::sqrt),
        MathFn::Rsqrt => map1(bank, at, |a| F::from_f64(rsqrt(F::to_f64(a)))),
        MathFn::Degrees => map1(bank, at, |a| F::from_f64(F::to_f64(a).to_degrees())),
        MathFn::Radians => map1(bank, at, |a| F::from_f64(F::to_f64(a).to_radians())),
        MathFn::Sin => map_near::<F, B, W>(bank, at, circular::sin_near, f64::sin),
        MathFn::Cos => map_near::<F, B, W>(bank, at, circular::cos_near, f64::cos),
        MathFn::Step => map2(bank, at, |edge, x| {
            F::from_f64(step(F::to_f64(edge), F::to_f64(x)))
        }),
        MathFn::Mix => map3(bank, at, |x, y, part| {
            F::from_f64(mix(F::to_f64(x), F::to_f64(y), F::to_f64(part)))
        }),
        _ => {}
    }
}

/// A function of which `near` is meant for most arguments, and `far` for the others.
#[inline(always)]
fn map_near<F: Float<Bits = B>, B: Copy, const W: usize>(
    bank: &mut [[B; W]],
    at: Slots,
    near: impl Fn(f64) -> f64,
    far: impl Fn(f64) -> f64,
) {
    let a = bank[at.a as usize];
    let dst = &mut bank[at.dst as usize];
    write(dst, |l| F::from_f64(near(F::to_f64(a[l]))));
    let all_near = a
        .iter()
        .fold(true, |all, &a| all & circular::is_near(F::to_f64(a)));
    if all_near {
        return;
    }
    for (to, &a) in dst.iter_mut().zip(&a) {
        let a = F::to_f64(a);
        if !circular::is_near(a) {
            *to = F::from_f64(far(a));
        }
    }
}
