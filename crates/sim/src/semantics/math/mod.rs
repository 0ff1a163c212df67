//! The builtin functions of [`MathFn`], on raw bits.
//!
//! Binary32 and binary16 are computed in binary64 and rounded once, so that
//! they are correctly rounded in all but a few cases per billion, well inside
//! OpenCL's ulp table; binary64 is as good as the host's library. Functions of
//! which the binary64 detour would round twice (`fma`, `sqrt`, `nextafter`)
//! work in their own format. `mad` is fused, as GPUs do it.

pub(crate) mod circular;
mod gamma;
mod geometric;
mod parts;
mod pi;
mod power;

use tilewise_ir::{MathFn, Ty};

use super::convert::{nearest_from_double, next_after, to_double};
use super::float::Float;
use super::integer::{Int, smul24, umul24};

/// Whether the machine computes a function for arguments of a type.
pub(crate) fn supports(fun: MathFn, ty: Ty) -> bool {
    if is_integer(fun) || (fun == MathFn::Bitselect && ty.is_int()) {
        ty.is_int()
    } else {
        ty.is_float()
    }
}

/// Whether a function takes integers.
fn is_integer(fun: MathFn) -> bool {
    use MathFn::*;
    matches!(
        fun,
        SAbs | SAbsDiff
            | UAbsDiff
            | SAddSat
            | UAddSat
            | SClamp
            | UClamp
            | Clz
            | Ctz
            | SHadd
            | UHadd
            | SRhadd
            | URhadd
            | SMadHi
            | UMadHi
            | SMadSat
            | UMadSat
            | SMax
            | UMax
            | SMin
            | UMin
            | SMulHi
            | UMulHi
            | Popcount
            | Rotate
            | SSubSat
            | USubSat
            | SMul24
            | UMul24
            | SMad24
            | UMad24
    )
}

/// Evaluates a function. `ty` is the type of the first argument; the second
/// result is 0 for functions that have one.
pub(crate) fn evaluate(fun: MathFn, ty: Ty, args: &[u64]) -> [u64; 2] {
    match ty {
        Ty::Bool | Ty::I8 => [u64::from(integer::<u8>(fun, args)), 0],
        Ty::I16 => [u64::from(integer::<u16>(fun, args)), 0],
        Ty::I32 => [u64::from(integer::<u32>(fun, args)), 0],
        Ty::I64 | Ty::Ptr => [integer::<u64>(fun, args), 0],
        Ty::F16 | Ty::F32 | Ty::F64 => float(fun, ty, args),
    }
}

/// Argument `n`, 0 where the call has fewer.
fn arg(args: &[u64], n: usize) -> u64 {
    args.get(n).copied().unwrap_or(0)
}

fn integer<T: Int>(fun: MathFn, args: &[u64]) -> T {
    use MathFn::*;
    let [a, b, c] = std::array::from_fn(|n| T::from_u64(arg(args, n)));
    match fun {
        SAbs => a.sabs(),
        SAbsDiff => a.sabs_diff(b),
        UAbsDiff => a.uabs_diff(b),
        SAddSat => a.sadd_sat(b),
        UAddSat => a.uadd_sat(b),
        SClamp => a.smax(b).smin(c),
        UClamp => a.umax(b).umin(c),
        Clz => a.clz(),
        Ctz => a.ctz(),
        SHadd => a.shadd(b),
        UHadd => a.uhadd(b),
        SRhadd => a.srhadd(b),
        URhadd => a.urhadd(b),
        SMadHi => a.smul_hi(b).add(c),
        UMadHi => a.umul_hi(b).add(c),
        SMadSat => a.smad_sat(b, c),
        UMadSat => a.umad_sat(b, c),
        SMax => a.smax(b),
        UMax => a.umax(b),
        SMin => a.smin(b),
        UMin => a.umin(b),
        SMulHi => a.smul_hi(b),
        UMulHi => a.umul_hi(b),
        Popcount => a.popcount(),
        Rotate => a.rotate(b),
        SSubSat => a.ssub_sat(b),
        USubSat => a.usub_sat(b),
        SMul24 => smul24(a, b),
        UMul24 => umul24(a, b),
        SMad24 => smul24(a, b).add(c),
        UMad24 => umul24(a, b).add(c),
        Bitselect => a.and(c.not()).or(b.and(c)),
        // `supports` keeps floating-point functions away from integers.
        _ => T::ZERO,
    }
}

fn float(fun: MathFn, ty: Ty, args: &[u64]) -> [u64; 2] {
    use MathFn::*;
    let bits = |n: usize| arg(args, n);
    // Functions that work on the bits or round in the format itself.
    let exact = match fun {
        Fma | Mad => match ty {
            Ty::F16 => u64::from(half::f16::fma(
                bits(0) as u16,
                bits(1) as u16,
                bits(2) as u16,
            )),
            Ty::F32 => u64::from(f32::fma(bits(0) as u32, bits(1) as u32, bits(2) as u32)),
            _ => f64::fma(bits(0), bits(1), bits(2)),
        },
        Sqrt => match ty {
            Ty::F16 => u64::from(<half::f16 as Float>::sqrt(bits(0) as u16)),
            Ty::F32 => u64::from(<f32 as Float>::sqrt(bits(0) as u32)),
            _ => <f64 as Float>::sqrt(bits(0)),
        },
        Nextafter => next_after(bits(0), bits(1), ty),
        Fabs => bits(0) & !sign_bit(ty),
        Copysign => (bits(0) & !sign_bit(ty)) | (bits(1) & sign_bit(ty)),
        Bitselect => (bits(0) & !bits(2)) | (bits(1) & bits(2)),
        Nan => quiet_nan(ty) | bits(0),
        Ilogb => return [u64::from(parts::ilogb(to_double(bits(0), ty)) as u32), 0],
        Frexp => {
            let (fraction, exponent) = parts::frexp(to_double(bits(0), ty));
            return [
                nearest_from_double(fraction, ty),
                u64::from(exponent as u32),
            ];
        }
        LgammaR => {
            let (value, sign) = gamma::lgamma_r(to_double(bits(0), ty));
            return [nearest_from_double(value, ty), u64::from(sign as u32)];
        }
        Remquo => {
            let (value, quotient) = parts::remquo(to_double(bits(0), ty), to_double(bits(1), ty));
            return [nearest_from_double(value, ty), u64::from(quotient as u32)];
        }
        Ldexp => {
            let v = libm::scalbn(to_double(bits(0), ty), bits(1) as i32);
            nearest_from_double(v, ty)
        }
        Pown => nearest_from_double(power::pown(to_double(bits(0), ty), bits(1) as i32), ty),
        Rootn => nearest_from_double(power::rootn(to_double(bits(0), ty), bits(1) as i32), ty),
        Dot => nearest_from_double(geometric::dot(ty, args), ty),
        Length => nearest_from_double(geometric::length(ty, args), ty),
        Distance => nearest_from_double(geometric::distance(ty, args), ty),
        Normalize => nearest_from_double(geometric::normalize(ty, args), ty),
        Sin if ty != Ty::F64 => nearest_from_double(circular::sin(to_double(bits(0), ty)), ty),
        Cos if ty != Ty::F64 => nearest_from_double(circular::cos(to_double(bits(0), ty)), ty),
        Sincos => {
            let x = to_double(bits(0), ty);
            let (sin, cos) = match ty {
                Ty::F64 => x.sin_cos(),
                _ => (circular::sin(x), circular::cos(x)),
            };
            return [nearest_from_double(sin, ty), nearest_from_double(cos, ty)];
        }
        Modf => {
            let (part, whole) = parts::modf(to_double(bits(0), ty));
            return [
                nearest_from_double(part, ty),
                nearest_from_double(whole, ty),
            ];
        }
        Fract => {
            let below_one = to_double(next_after(nearest_from_double(1.0, ty), 0, ty), ty);
            let (part, whole) = parts::fract(to_double(bits(0), ty), below_one);
            return [
                nearest_from_double(part, ty),
                nearest_from_double(whole, ty),
            ];
        }
        _ => {
            let [x, y, z] = std::array::from_fn(|n| to_double(bits(n), ty));
            nearest_from_double(in_double(fun, x, y, z), ty)
        }
    };
    [exact, 0]
}

const fn sign_bit(ty: Ty) -> u64 {
    1 << (ty.size() * 8 - 1)
}

const fn quiet_nan(ty: Ty) -> u64 {
    match ty {
        Ty::F16 => 0x7E00,
        Ty::F32 => 0x7FC0_0000,
        _ => 0x7FF8_0000_0000_0000,
    }
}

fn in_double(fun: MathFn, x: f64, y: f64, z: f64) -> f64 {
    use MathFn::*;
    match fun {
        Acos => x.acos(),
        // `libm` takes large negative arguments for positive ones.
        Acosh if x < 1.0 => f64::NAN,
        Acosh => libm::acosh(x),
        Acospi => pi::acospi(x),
        Asin => x.asin(),
        Asinh => libm::asinh(x),
        Asinpi => pi::asinpi(x),
        Atan => x.atan(),
        Atanh => libm::atanh(x),
        Atanpi => pi::atanpi(x),
        Cbrt => x.cbrt(),
        Ceil => x.ceil(),
        Cos => x.cos(),
        Cosh => x.cosh(),
        Cospi => pi::cospi(x),
        Degrees => x.to_degrees(),
        Erf => libm::erf(x),
        Erfc => libm::erfc(x),
        Exp => x.exp(),
        Exp10 => 10f64.powf(x),
        Exp2 => x.exp2(),
        Expm1 => x.exp_m1(),
        Floor => x.floor(),
        Lgamma => gamma::lgamma_r(x).0,
        Log => x.ln(),
        Log10 => x.log10(),
        Log1p => x.ln_1p(),
        Log2 => x.log2(),
        Logb => parts::logb(x),
        Radians => x.to_radians(),
        Rint => x.round_ties_even(),
        Round => x.round(),
        Rsqrt => rsqrt(x),
        Sign => {
            if x.is_nan() {
                0.0
            } else if x == 0.0 {
                x
            } else {
                x.signum()
            }
        }
        Sin => x.sin(),
        Sinh => x.sinh(),
        Sinpi => pi::sinpi(x),
        Tan => x.tan(),
        Tanh => x.tanh(),
        Tanpi => pi::tanpi(x),
        Tgamma => gamma::tgamma(x),
        Trunc => x.trunc(),
        Atan2 => x.atan2(y),
        Atan2pi => pi::atan2pi(x, y),
        Fdim => {
            if x.is_nan() || y.is_nan() {
                f64::NAN
            } else if x > y {
                x - y
            } else {
                0.0
            }
        }
        Fmax => {
            if x >= y || y.is_nan() {
                x
            } else {
                y
            }
        }
        Fmin => {
            if x <= y || y.is_nan() {
                x
            } else {
                y
            }
        }
        Fmod => x % y,
        Hypot => x.hypot(y),
        Maxmag => {
            if x.abs() > y.abs() {
                x
            } else if y.abs() > x.abs() {
                y
            } else {
                in_double(Fmax, x, y, z)
            }
        }
        Minmag => {
            if x.abs() < y.abs() {
                x
            } else if y.abs() < x.abs() {
                y
            } else {
                in_double(Fmin, x, y, z)
            }
        }
        Pow => x.powf(y),
        Powr => power::powr(x, y),
        Remainder => libm::remainder(x, y),
        Step => step(x, y),
        Fclamp => in_double(Fmin, in_double(Fmax, x, y, 0.0), z, 0.0),
        Mix => mix(x, y, z),
        // smoothstep(edge0, edge1, x)
        Smoothstep => {
            let t = ((z - x) / (y - x)).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        }
        // Everything else is answered before the detour through binary64.
        _ => f64::NAN,
    }
}

/// `rsqrt` before it is rounded to the format of its argument.
#[inline(always)]
pub(crate) fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}

/// `mix` before it is rounded.
#[inline(always)]
pub(crate) fn mix(x: f64, y: f64, part: f64) -> f64 {
    x + (y - x) * part
}

/// `step`; NaNs are not below anything.
#[inline(always)]
pub(crate) fn step(edge: f64, x: f64) -> f64 {
    if x < edge { 0.0 } else { 1.0 }
}

#[cfg(test)]
mod edges;
#[cfg(test)]
mod tests;
