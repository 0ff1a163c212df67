//! The builtin functions of [`MathFn`], on raw bits.
//!
//! Binary32 and binary16 are computed in binary64 and rounded once, so that
//! they are correctly rounded in all but a few cases per billion, well inside
//! OpenCL's ulp table; binary64 is as good as the host's library. Functions of
//! which the binary64 detour would round twice (`fma`, `sqrt`, `nextafter`)
//! work in their own format. `mad` is fused, as GPUs do it.

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
        Ilogb => return [u64::from(ilogb(to_double(bits(0), ty)) as u32), 0],
        Frexp => {
            let (fraction, exponent) = libm::frexp(to_double(bits(0), ty));
            return [
                nearest_from_double(fraction, ty),
                u64::from(exponent as u32),
            ];
        }
        LgammaR => {
            let (value, sign) = libm::lgamma_r(to_double(bits(0), ty));
            return [nearest_from_double(value, ty), u64::from(sign as u32)];
        }
        Remquo => {
            let (value, quotient) = libm::remquo(to_double(bits(0), ty), to_double(bits(1), ty));
            return [nearest_from_double(value, ty), u64::from(quotient as u32)];
        }
        Ldexp => {
            let v = libm::scalbn(to_double(bits(0), ty), bits(1) as i32);
            nearest_from_double(v, ty)
        }
        Pown => {
            let v = to_double(bits(0), ty).powf(f64::from(bits(1) as i32));
            nearest_from_double(v, ty)
        }
        Rootn => nearest_from_double(rootn(to_double(bits(0), ty), bits(1) as i32), ty),
        Dot => nearest_from_double(dot(ty, args), ty),
        Length => nearest_from_double(norm(args.iter().map(|&v| to_double(v, ty))), ty),
        Distance => {
            let (p, q) = args.split_at(args.len() / 2);
            let parts = p.iter().zip(q);
            nearest_from_double(
                norm(parts.map(|(&a, &b)| to_double(a, ty) - to_double(b, ty))),
                ty,
            )
        }
        Sincos => {
            let (sin, cos) = to_double(bits(0), ty).sin_cos();
            return [nearest_from_double(sin, ty), nearest_from_double(cos, ty)];
        }
        Modf => {
            let v = to_double(bits(0), ty);
            let whole = v.trunc();
            let part = if v.is_infinite() { 0.0 } else { v - whole };
            return [
                nearest_from_double(part.copysign(v), ty),
                nearest_from_double(whole, ty),
            ];
        }
        Fract => {
            let v = to_double(bits(0), ty);
            let whole = v.floor();
            let part = if v.is_infinite() { 0.0 } else { v - whole };
            // A tiny negative number would round up to 1.
            let below_one = to_double(next_after(nearest_from_double(1.0, ty), 0, ty), ty);
            let part = if part > below_one { below_one } else { part };
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

/// The exponent, with `FP_ILOGB0` and `FP_ILOGBNAN` as clang defines them.
fn ilogb(v: f64) -> i32 {
    if v == 0.0 {
        i32::MIN
    } else if !v.is_finite() {
        i32::MAX
    } else {
        libm::ilogb(v)
    }
}

fn rootn(x: f64, n: i32) -> f64 {
    if n == 0 || (x < 0.0 && n % 2 == 0) {
        return f64::NAN;
    }
    let root = match n {
        3 => x.abs().cbrt(),
        _ => x.abs().powf(1.0 / f64::from(n)),
    };
    if n % 2 == 0 { root } else { root.copysign(x) }
}

/// Products of binary32 are exact in binary64; a binary64 sum is fused.
fn dot(ty: Ty, args: &[u64]) -> f64 {
    let (p, q) = args.split_at(args.len() / 2);
    p.iter().zip(q).fold(0.0, |sum, (&a, &b)| {
        to_double(a, ty).mul_add(to_double(b, ty), sum)
    })
}

/// Length of a vector, scaled so that nothing overflows on the way.
fn norm(parts: impl Iterator<Item = f64>) -> f64 {
    parts.fold(0.0, f64::hypot)
}

fn in_double(fun: MathFn, x: f64, y: f64, z: f64) -> f64 {
    use MathFn::*;
    use std::f64::consts::PI;
    match fun {
        Acos => x.acos(),
        Acosh => libm::acosh(x),
        Acospi => x.acos() / PI,
        Asin => x.asin(),
        Asinh => libm::asinh(x),
        Asinpi => x.asin() / PI,
        Atan => x.atan(),
        Atanh => libm::atanh(x),
        Atanpi => x.atan() / PI,
        Cbrt => x.cbrt(),
        Ceil => x.ceil(),
        Cos => x.cos(),
        Cosh => x.cosh(),
        Cospi => cospi(x),
        Degrees => x.to_degrees(),
        Erf => libm::erf(x),
        Erfc => libm::erfc(x),
        Exp => x.exp(),
        Exp10 => libm::exp10(x),
        Exp2 => x.exp2(),
        Expm1 => x.exp_m1(),
        Floor => x.floor(),
        Lgamma => libm::lgamma(x),
        Log => x.ln(),
        Log10 => x.log10(),
        Log1p => x.ln_1p(),
        Log2 => x.log2(),
        Logb => {
            if x == 0.0 {
                f64::NEG_INFINITY
            } else if x.is_infinite() {
                f64::INFINITY
            } else if x.is_nan() {
                x
            } else {
                f64::from(libm::ilogb(x))
            }
        }
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
        Sinpi => sinpi(x),
        Tan => x.tan(),
        Tanh => x.tanh(),
        Tanpi => sinpi(x) / cospi(x),
        Tgamma => libm::tgamma(x),
        Trunc => x.trunc(),
        Atan2 => x.atan2(y),
        Atan2pi => x.atan2(y) / PI,
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
        Powr => powr(x, y),
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

/// `pow` for a base that is not negative; the cases of IEEE 754's `powr`.
fn powr(x: f64, y: f64) -> f64 {
    let undefined = x < 0.0
        || x.is_nan()
        || y.is_nan()
        || (x == 0.0 && y == 0.0)
        || (x == 1.0 && y.is_infinite())
        || (x.is_infinite() && y == 0.0);
    if undefined { f64::NAN } else { x.abs().powf(y) }
}

/// `sin(pi x)`, exact at multiples of one half.
fn sinpi(x: f64) -> f64 {
    use std::f64::consts::PI;
    if !x.is_finite() {
        return f64::NAN;
    }
    let r = x % 2.0;
    match r.abs() {
        a if a == 0.0 || a == 1.0 => 0f64.copysign(x),
        a if a <= 0.25 => (r * PI).sin(),
        a if a <= 0.75 => ((0.5 - a) * PI).cos().copysign(r),
        a if a <= 1.25 => ((1.0 - a) * PI).sin() * r.signum(),
        a if a <= 1.75 => -((a - 1.5) * PI).cos() * r.signum(),
        a => ((a - 2.0) * PI).sin() * r.signum(),
    }
}

/// `cos(pi x)`, exact at multiples of one half.
fn cospi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let a = (x % 2.0).abs();
    if a == 0.5 || a == 1.5 {
        return 0.0;
    }
    sinpi(a + 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(fun: MathFn, args: &[f32]) -> f32 {
        let bits: Vec<u64> = args.iter().map(|v| u64::from(v.to_bits())).collect();
        f32::from_bits(evaluate(fun, Ty::F32, &bits)[0] as u32)
    }

    #[test]
    fn known_values() {
        assert_eq!(f(MathFn::Sin, &[0.5]), 0.479_425_55);
        assert_eq!(f(MathFn::Exp, &[1.0]), std::f32::consts::E);
        assert_eq!(f(MathFn::Rsqrt, &[4.0]), 0.5);
        assert_eq!(f(MathFn::Erf, &[0.0]), 0.0);
        assert_eq!(f(MathFn::Tgamma, &[5.0]), 24.0);
        assert_eq!(f(MathFn::Pow, &[2.0, 10.0]), 1024.0);
        assert_eq!(f(MathFn::Exp10, &[3.0]), 1000.0);
        assert_eq!(f(MathFn::Hypot, &[3e30, 4e30]), 5e30);
        assert_eq!(f(MathFn::Dot, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 32.0);
        assert_eq!(f(MathFn::Length, &[3.0, 4.0]), 5.0);
        assert_eq!(f(MathFn::Distance, &[1.0, 1.0, 4.0, 5.0]), 5.0);
        assert_eq!(f(MathFn::Mix, &[1.0, 3.0, 0.25]), 1.5);
        assert_eq!(f(MathFn::Step, &[1.0, 0.5]), 0.0);
        assert_eq!(f(MathFn::Smoothstep, &[0.0, 2.0, 1.0]), 0.5);
        assert_eq!(f(MathFn::Fclamp, &[5.0, 0.0, 1.0]), 1.0);
        assert_eq!(f(MathFn::Sign, &[-3.0]), -1.0);
        assert_eq!(f(MathFn::Fmod, &[-5.0, 3.0]), -2.0);
        assert_eq!(f(MathFn::Round, &[2.5]), 3.0);
        assert_eq!(f(MathFn::Rint, &[2.5]), 2.0);
        assert_eq!(f(MathFn::Maxmag, &[-3.0, 2.0]), -3.0);
        assert_eq!(f(MathFn::Fdim, &[5.0, 3.0]), 2.0);
        assert_eq!(f(MathFn::Degrees, &[std::f32::consts::PI]), 180.0);
    }

    #[test]
    fn multiples_of_pi() {
        for (x, sin, cos) in [
            (0.5, 1.0, 0.0),
            (1.0, 0.0, -1.0),
            (1.5, -1.0, 0.0),
            (2.0, 0.0, 1.0),
            (-0.5, -1.0, 0.0),
        ] {
            assert_eq!(f(MathFn::Sinpi, &[x]), sin, "sinpi({x})");
            assert_eq!(f(MathFn::Cospi, &[x]), cos, "cospi({x})");
        }
        for x in [0.1f32, 0.3, 0.9, 1.2, 1.3, 1.6, 1.9, -0.3, -1.3, 7.7] {
            let exact = (f64::from(x) * std::f64::consts::PI).sin() as f32;
            assert!((f(MathFn::Sinpi, &[x]) - exact).abs() < 1e-6, "sinpi({x})");
            let exact = (f64::from(x) * std::f64::consts::PI).cos() as f32;
            assert!((f(MathFn::Cospi, &[x]) - exact).abs() < 1e-6, "cospi({x})");
        }
    }

    #[test]
    fn second_results() {
        let b = |v: f32| u64::from(v.to_bits());
        assert_eq!(
            evaluate(MathFn::Modf, Ty::F32, &[b(-2.5)]),
            [b(-0.5), b(-2.0)]
        );
        assert_eq!(evaluate(MathFn::Frexp, Ty::F32, &[b(8.0)]), [b(0.5), 4]);
        assert_eq!(
            evaluate(MathFn::Fract, Ty::F32, &[b(-0.25)]),
            [b(0.75), b(-1.0)]
        );
        // fract never reaches 1.
        assert_eq!(
            evaluate(MathFn::Fract, Ty::F32, &[b(-1e-20)])[0],
            b(1.0 - f32::EPSILON / 2.0)
        );
    }

    #[test]
    fn integers() {
        assert_eq!(
            evaluate(MathFn::SClamp, Ty::I32, &[0xFFFF_FFFF, 0, 7])[0],
            0
        );
        assert_eq!(
            evaluate(MathFn::UClamp, Ty::I32, &[0xFFFF_FFFF, 0, 7])[0],
            7
        );
        assert_eq!(evaluate(MathFn::Clz, Ty::I16, &[1])[0], 15);
        assert_eq!(evaluate(MathFn::Rotate, Ty::I32, &[0x8000_0001, 1])[0], 3);
        assert_eq!(evaluate(MathFn::Popcount, Ty::I64, &[u64::MAX])[0], 64);
        assert_eq!(
            evaluate(MathFn::Bitselect, Ty::I8, &[0xF0, 0x0F, 0x33])[0],
            0xC3
        );
        assert_eq!(evaluate(MathFn::SMadHi, Ty::I32, &[1 << 31, 2, 5])[0], 4);
    }

    #[test]
    fn halves() {
        let b = |v: f32| u64::from(half::f16::from_f32(v).to_bits());
        assert_eq!(evaluate(MathFn::Exp2, Ty::F16, &[b(3.0)])[0], b(8.0));
        assert_eq!(
            evaluate(MathFn::Fma, Ty::F16, &[b(2.0), b(3.0), b(1.0)])[0],
            b(7.0)
        );
    }
}
