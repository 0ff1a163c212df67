//! Edge cases that are prescribed exactly: section 7.5.1 of the OpenCL C
//! specification ("Additional Requirements Beyond C99 TC2") and sections F.9 of
//! C99, in half, float and double.

use tilewise_ir::{MathFn, Ty};

use super::evaluate;
use crate::semantics::convert::{from_double, next_after, to_double};
use tilewise_ir::Rounding;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const FORMATS: [Ty; 3] = [Ty::F16, Ty::F32, Ty::F64];

/// Equal with the sign of zero; any NaN equals any other.
fn same(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || (a == b && a.is_sign_negative() == b.is_sign_negative())
}

fn bits(v: f64, ty: Ty) -> u64 {
    from_double(v, ty, Rounding::NearestEven)
}

fn call(fun: MathFn, ty: Ty, args: &[f64]) -> f64 {
    let args: Vec<u64> = args.iter().map(|&v| bits(v, ty)).collect();
    to_double(evaluate(fun, ty, &args)[0], ty)
}

fn check(fun: MathFn, args: &[f64], expected: f64) {
    for ty in FORMATS {
        let got = call(fun, ty, args);
        assert!(
            same(got, expected),
            "{fun:?}{args:?} of {ty} is {got}, not {expected}"
        );
    }
}

#[test]
fn functions_of_one_argument() {
    use MathFn::*;
    let cases: &[(MathFn, &[(f64, f64)])] = &[
        (Acos, &[(1.0, 0.0), (1.5, NAN), (-1.5, NAN), (INF, NAN)]),
        (
            Acospi,
            &[(1.0, 0.0), (-1.0, 1.0), (0.0, 0.5), (1.5, NAN), (-1.5, NAN)],
        ),
        (Asin, &[(1.5, NAN), (-1.5, NAN)]),
        (Asinpi, &[(1.0, 0.5), (1.5, NAN), (-1.5, NAN)]),
        (Atanpi, &[(INF, 0.5), (-INF, -0.5), (1.0, 0.25)]),
        (
            Acosh,
            &[
                (1.0, 0.0),
                (0.5, NAN),
                (-2000.0, NAN),
                (-65504.0, NAN),
                (-INF, NAN),
                (INF, INF),
            ],
        ),
        (Asinh, &[(INF, INF), (-INF, -INF)]),
        (Atanh, &[(1.0, INF), (-1.0, -INF), (1.5, NAN), (-1.5, NAN)]),
        (Cbrt, &[(INF, INF), (-INF, -INF), (-8.0, -2.0)]),
        (
            Ceil,
            &[
                (-0.5, -0.0),
                (-0.0, -0.0),
                (INF, INF),
                (-INF, -INF),
                (0.5, 1.0),
            ],
        ),
        (Cos, &[(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)]),
        (Cosh, &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF)]),
        (
            Cospi,
            &[
                (0.0, 1.0),
                (-0.0, 1.0),
                (0.5, 0.0),
                (-0.5, 0.0),
                (1.5, 0.0),
                (-1.5, 0.0),
                (1.0, -1.0),
                (2.0, 1.0),
                (INF, NAN),
                (-INF, NAN),
                (511.5, 0.0),
            ],
        ),
        (Erf, &[(INF, 1.0), (-INF, -1.0)]),
        (Erfc, &[(INF, 0.0), (-INF, 2.0), (0.0, 1.0)]),
        (Exp, &[(0.0, 1.0), (-0.0, 1.0), (-INF, 0.0), (INF, INF)]),
        (
            Exp2,
            &[(0.0, 1.0), (-0.0, 1.0), (-INF, 0.0), (INF, INF), (3.0, 8.0)],
        ),
        (
            Exp10,
            &[
                (0.0, 1.0),
                (-0.0, 1.0),
                (-INF, 0.0),
                (INF, INF),
                (2.0, 100.0),
            ],
        ),
        (Expm1, &[(-INF, -1.0), (INF, INF)]),
        (Fabs, &[(-0.0, 0.0), (-INF, INF), (-1.5, 1.5)]),
        (
            Floor,
            &[
                (0.5, 0.0),
                (-0.5, -1.0),
                (-0.0, -0.0),
                (INF, INF),
                (-INF, -INF),
            ],
        ),
        (
            Lgamma,
            &[
                (1.0, 0.0),
                (2.0, 0.0),
                (0.0, INF),
                (-0.0, INF),
                (-3.0, INF),
                (INF, INF),
                (-INF, INF),
            ],
        ),
        (
            Log,
            &[
                (1.0, 0.0),
                (0.0, -INF),
                (-0.0, -INF),
                (-1.0, NAN),
                (INF, INF),
                (-INF, NAN),
            ],
        ),
        (
            Log10,
            &[
                (1.0, 0.0),
                (0.0, -INF),
                (-0.0, -INF),
                (-1.0, NAN),
                (INF, INF),
                (100.0, 2.0),
            ],
        ),
        (Log1p, &[(-1.0, -INF), (-2.0, NAN), (INF, INF)]),
        (
            Log2,
            &[
                (1.0, 0.0),
                (0.0, -INF),
                (-0.0, -INF),
                (-1.0, NAN),
                (INF, INF),
                (8.0, 3.0),
            ],
        ),
        (
            Logb,
            &[
                (0.0, -INF),
                (-0.0, -INF),
                (INF, INF),
                (-INF, INF),
                (-8.5, 3.0),
                (0.75, -1.0),
            ],
        ),
        (
            Rint,
            &[
                (-0.5, -0.0),
                (-0.25, -0.0),
                (0.5, 0.0),
                (1.5, 2.0),
                (2.5, 2.0),
                (-INF, -INF),
            ],
        ),
        (
            Round,
            &[
                (-0.25, -0.0),
                (0.5, 1.0),
                (-0.5, -1.0),
                (2.5, 3.0),
                (INF, INF),
            ],
        ),
        (
            Rsqrt,
            &[
                (0.0, INF),
                (-0.0, -INF),
                (INF, 0.0),
                (-1.0, NAN),
                (4.0, 0.5),
            ],
        ),
        (
            Sign,
            &[
                (NAN, 0.0),
                (0.0, 0.0),
                (-0.0, -0.0),
                (INF, 1.0),
                (-2.0, -1.0),
            ],
        ),
        (Sin, &[(INF, NAN), (-INF, NAN)]),
        (Sinh, &[(INF, INF), (-INF, -INF)]),
        (
            Sinpi,
            &[
                (1.0, 0.0),
                (2.0, 0.0),
                (-1.0, -0.0),
                (-2.0, -0.0),
                (0.5, 1.0),
                (-0.5, -1.0),
                (1.5, -1.0),
                (INF, NAN),
            ],
        ),
        (Sqrt, &[(-1.0, NAN), (INF, INF), (4.0, 2.0)]),
        (Tan, &[(INF, NAN), (-INF, NAN)]),
        (Tanh, &[(INF, 1.0), (-INF, -1.0)]),
        (
            Tanpi,
            &[
                (1.0, -0.0),
                (2.0, 0.0),
                (-1.0, 0.0),
                (-2.0, -0.0),
                (0.5, INF),
                (1.5, -INF),
                (-0.5, -INF),
                (-1.5, INF),
                (INF, NAN),
            ],
        ),
        (
            Tgamma,
            &[
                (0.0, INF),
                (-0.0, -INF),
                (-1.0, NAN),
                (-4.0, NAN),
                (INF, INF),
                (-INF, NAN),
                (5.0, 24.0),
                (1.0, 1.0),
            ],
        ),
        (
            Trunc,
            &[(-0.5, -0.0), (0.5, 0.0), (-INF, -INF), (-1.5, -1.0)],
        ),
    ];
    for (fun, values) in cases {
        for &(x, expected) in *values {
            check(*fun, &[x], expected);
        }
        if *fun != Sign {
            check(*fun, &[NAN], NAN);
        }
    }
    // Odd functions keep the sign of zero.
    for fun in [
        Asin, Asinpi, Asinh, Atan, Atanpi, Atanh, Cbrt, Ceil, Degrees, Erf, Expm1, Floor, Log1p,
        Radians, Rint, Round, Sin, Sinh, Sinpi, Sqrt, Tan, Tanh, Tanpi, Trunc,
    ] {
        check(fun, &[0.0], 0.0);
        check(fun, &[-0.0], -0.0);
    }
}

#[test]
fn functions_of_two_arguments() {
    use MathFn::*;
    let cases: &[(MathFn, f64, f64, f64)] = &[
        (Atan2pi, 0.0, -0.0, 1.0),
        (Atan2pi, -0.0, -0.0, -1.0),
        (Atan2pi, 0.0, 0.0, 0.0),
        (Atan2pi, -0.0, 0.0, -0.0),
        (Atan2pi, 0.0, -3.0, 1.0),
        (Atan2pi, -0.0, -3.0, -1.0),
        (Atan2pi, 0.0, 3.0, 0.0),
        (Atan2pi, -0.0, 3.0, -0.0),
        (Atan2pi, -3.0, 0.0, -0.5),
        (Atan2pi, -3.0, -0.0, -0.5),
        (Atan2pi, 3.0, 0.0, 0.5),
        (Atan2pi, 3.0, -0.0, 0.5),
        (Atan2pi, 3.0, -INF, 1.0),
        (Atan2pi, -3.0, -INF, -1.0),
        (Atan2pi, 3.0, INF, 0.0),
        (Atan2pi, -3.0, INF, -0.0),
        (Atan2pi, INF, 3.0, 0.5),
        (Atan2pi, -INF, 3.0, -0.5),
        (Atan2pi, INF, -INF, 0.75),
        (Atan2pi, -INF, -INF, -0.75),
        (Atan2pi, INF, INF, 0.25),
        (Atan2pi, -INF, INF, -0.25),
        (Atan2pi, NAN, 1.0, NAN),
        (Atan2, 0.0, 3.0, 0.0),
        (Atan2, -0.0, 3.0, -0.0),
        (Atan2, -0.0, 0.0, -0.0),
        (Atan2, 3.0, INF, 0.0),
        (Atan2, 1.0, NAN, NAN),
        (Copysign, 1.5, -0.0, -1.5),
        (Copysign, -INF, 1.0, INF),
        (Fdim, NAN, 1.0, NAN),
        (Fdim, 1.0, NAN, NAN),
        (Fdim, INF, INF, 0.0),
        (Fdim, 1.0, 2.0, 0.0),
        (Fdim, INF, -INF, INF),
        (Fmax, NAN, 1.0, 1.0),
        (Fmax, 1.0, NAN, 1.0),
        (Fmax, NAN, NAN, NAN),
        (Fmin, NAN, 1.0, 1.0),
        (Fmin, 1.0, NAN, 1.0),
        (Fmin, NAN, NAN, NAN),
        (Fmod, 0.0, 2.0, 0.0),
        (Fmod, -0.0, 2.0, -0.0),
        (Fmod, 0.0, NAN, NAN),
        (Fmod, 1.0, 0.0, NAN),
        (Fmod, INF, 2.0, NAN),
        (Fmod, 1.5, INF, 1.5),
        (Fmod, -3.0, 3.0, -0.0),
        (Hypot, 3.0, -INF, INF),
        (Hypot, NAN, INF, INF),
        (Hypot, -0.0, 3.0, 3.0),
        (Hypot, NAN, 1.0, NAN),
        (Maxmag, -3.0, 2.0, -3.0),
        (Maxmag, -3.0, 3.0, 3.0),
        (Maxmag, NAN, 2.0, 2.0),
        (Minmag, -3.0, 2.0, 2.0),
        (Minmag, -3.0, 3.0, -3.0),
        (Minmag, NAN, 2.0, 2.0),
        (Nextafter, NAN, 1.0, NAN),
        (Nextafter, 1.0, NAN, NAN),
        (Nextafter, 1.0, 1.0, 1.0),
        (Nextafter, 0.0, -0.0, -0.0),
        (Pow, 0.0, -3.0, INF),
        (Pow, -0.0, -3.0, -INF),
        (Pow, -0.0, -2.0, INF),
        (Pow, -0.0, -2.5, INF),
        (Pow, 0.0, -INF, INF),
        (Pow, -0.0, -INF, INF),
        (Pow, -0.0, 3.0, -0.0),
        (Pow, -0.0, 2.0, 0.0),
        (Pow, -1.0, INF, 1.0),
        (Pow, -1.0, -INF, 1.0),
        (Pow, 1.0, NAN, 1.0),
        (Pow, NAN, 0.0, 1.0),
        (Pow, NAN, -0.0, 1.0),
        (Pow, INF, 0.0, 1.0),
        (Pow, -2.0, 0.5, NAN),
        (Pow, -2.0, 3.0, -8.0),
        (Pow, 0.5, -INF, INF),
        (Pow, 2.0, -INF, 0.0),
        (Pow, 0.5, INF, 0.0),
        (Pow, 2.0, INF, INF),
        (Pow, -INF, -3.0, -0.0),
        (Pow, -INF, -2.0, 0.0),
        (Pow, -INF, 3.0, -INF),
        (Pow, -INF, 2.0, INF),
        (Pow, INF, -2.0, 0.0),
        (Pow, INF, 2.0, INF),
        (Powr, 3.0, 0.0, 1.0),
        (Powr, 3.0, -0.0, 1.0),
        (Powr, 0.0, -2.5, INF),
        (Powr, -0.0, -3.0, INF),
        (Powr, -0.0, -INF, INF),
        (Powr, -0.0, 3.0, 0.0),
        (Powr, 0.0, INF, 0.0),
        (Powr, 1.0, 3.5, 1.0),
        (Powr, -1.0, 2.0, NAN),
        (Powr, 0.0, 0.0, NAN),
        (Powr, -0.0, -0.0, NAN),
        (Powr, INF, 0.0, NAN),
        (Powr, 1.0, INF, NAN),
        (Powr, 1.0, -INF, NAN),
        (Powr, 2.0, NAN, NAN),
        (Powr, 0.0, NAN, NAN),
        (Powr, NAN, 2.0, NAN),
        (Powr, NAN, 0.0, NAN),
        (Remainder, 0.0, 2.0, 0.0),
        (Remainder, -0.0, 2.0, -0.0),
        (Remainder, 1.0, 0.0, NAN),
        (Remainder, INF, 2.0, NAN),
        (Remainder, 1.5, INF, 1.5),
        (Remainder, -3.0, 3.0, -0.0),
        (Remainder, 5.0, 3.0, -1.0),
        (Remainder, 3.0, 2.0, -1.0),
        (Step, 1.0, 1.0, 1.0),
        (Step, 1.0, 0.5, 0.0),
        (Length, 0.0, -0.0, 0.0),
        (Length, 3.0, -4.0, 5.0),
        (Length, INF, 1.0, INF),
    ];
    for &(fun, x, y, expected) in cases {
        check(fun, &[x, y], expected);
    }
}

#[test]
fn whole_powers_and_roots() {
    use MathFn::*;
    let cases: &[(MathFn, f64, i32, f64)] = &[
        (Pown, 0.0, 0, 1.0),
        (Pown, NAN, 0, 1.0),
        (Pown, -INF, 0, 1.0),
        (Pown, 0.0, -3, INF),
        (Pown, -0.0, -3, -INF),
        (Pown, -0.0, -2, INF),
        (Pown, -0.0, 2, 0.0),
        (Pown, -0.0, 3, -0.0),
        (Pown, -2.0, 3, -8.0),
        (Pown, -1.0, i32::MAX, -1.0),
        (Pown, -1.0, i32::MIN, 1.0),
        (Rootn, 0.0, -3, INF),
        (Rootn, -0.0, -3, -INF),
        (Rootn, -0.0, -2, INF),
        (Rootn, -0.0, 2, 0.0),
        (Rootn, -0.0, 3, -0.0),
        (Rootn, -2.0, 4, NAN),
        (Rootn, 2.0, 0, NAN),
        (Rootn, NAN, 3, NAN),
        (Rootn, -8.0, 3, -2.0),
        (Rootn, -8.0, -3, -0.5),
        (Rootn, 16.0, 4, 2.0),
        (Rootn, 16.0, 2, 4.0),
        (Rootn, -3.0, 1, -3.0),
        (Rootn, INF, 5, INF),
        (Rootn, INF, -5, 0.0),
        (Rootn, -INF, 5, -INF),
        (Ldexp, 1.5, 2, 6.0),
        (Ldexp, -0.0, 5, -0.0),
        (Ldexp, INF, -5, INF),
        (Ldexp, NAN, 1, NAN),
        (Ldexp, 1.0, i32::MAX, INF),
        (Ldexp, -1.0, i32::MIN, -0.0),
    ];
    for &(fun, x, n, expected) in cases {
        for ty in FORMATS {
            let args = [bits(x, ty), u64::from(n as u32)];
            let got = to_double(evaluate(fun, ty, &args)[0], ty);
            assert!(
                same(got, expected),
                "{fun:?}({x}, {n}) of {ty} is {got}, not {expected}"
            );
        }
    }
}

#[test]
fn second_results() {
    use MathFn::*;
    let floats: &[(MathFn, f64, f64, f64)] = &[
        (Fract, 0.0, 0.0, 0.0),
        (Fract, -0.0, -0.0, -0.0),
        (Fract, INF, 0.0, INF),
        (Fract, -INF, -0.0, -INF),
        (Fract, NAN, NAN, NAN),
        (Fract, -0.25, 0.75, -1.0),
        (Fract, -3.0, 0.0, -3.0),
        (Modf, -0.0, -0.0, -0.0),
        (Modf, INF, 0.0, INF),
        (Modf, -INF, -0.0, -INF),
        (Modf, NAN, NAN, NAN),
        (Modf, -2.5, -0.5, -2.0),
        (Modf, -2.0, -0.0, -2.0),
        (Modf, 0.5, 0.5, 0.0),
        (Sincos, 0.0, 0.0, 1.0),
        (Sincos, -0.0, -0.0, 1.0),
        (Sincos, INF, NAN, NAN),
    ];
    for &(fun, x, first, second) in floats {
        for ty in FORMATS {
            let got = evaluate(fun, ty, &[bits(x, ty)]).map(|v| to_double(v, ty));
            let fine = same(got[0], first) && same(got[1], second);
            assert!(
                fine,
                "{fun:?}({x}) of {ty} is {got:?}, not {first}, {second}"
            );
        }
    }
    let integers: &[(MathFn, &[f64], f64, i32)] = &[
        (Frexp, &[INF], INF, 0),
        (Frexp, &[-INF], -INF, 0),
        (Frexp, &[NAN], NAN, 0),
        (Frexp, &[-0.0], -0.0, 0),
        (Frexp, &[8.0], 0.5, 4),
        (LgammaR, &[0.0], INF, 0),
        (LgammaR, &[-0.0], INF, 0),
        (LgammaR, &[-3.0], INF, 0),
        (LgammaR, &[1.0], 0.0, 1),
        (LgammaR, &[INF], INF, 1),
        (Remquo, &[INF, 1.0], NAN, 0),
        (Remquo, &[1.0, 0.0], NAN, 0),
        (Remquo, &[NAN, 1.0], NAN, 0),
        (Remquo, &[1.0, NAN], NAN, 0),
        (Remquo, &[5.0, 3.0], -1.0, 2),
        (Remquo, &[-5.0, 3.0], 1.0, -2),
        (Remquo, &[1.5, INF], 1.5, 0),
        (Remquo, &[-0.0, 1.0], -0.0, 0),
    ];
    for &(fun, args, first, second) in integers {
        for ty in FORMATS {
            let args_bits: Vec<u64> = args.iter().map(|&v| bits(v, ty)).collect();
            let [value, number] = evaluate(fun, ty, &args_bits);
            let fine = same(to_double(value, ty), first) && number == u64::from(second as u32);
            assert!(fine, "{fun:?}{args:?} of {ty}: {value:#x}, {number:#x}");
        }
    }
}

/// What depends on the format itself: its ends, and NaNs with a payload.
#[test]
fn ends_of_the_formats() {
    for ty in FORMATS {
        let smallest = to_double(1, ty);
        let infinity = bits(INF, ty);
        let largest = to_double(infinity - 1, ty);
        let f = |fun, args: &[f64]| call(fun, ty, args);
        assert_eq!(f(MathFn::Nextafter, &[-0.0, 1.0]), smallest);
        assert_eq!(f(MathFn::Nextafter, &[0.0, -1.0]), -smallest);
        assert_eq!(f(MathFn::Nextafter, &[largest, INF]), INF);
        assert_eq!(f(MathFn::Nextafter, &[INF, 0.0]), largest);
        let below_one = to_double(next_after(bits(1.0, ty), 0, ty), ty);
        assert_eq!(f(MathFn::Fract, &[-smallest]), below_one);
        // Neither squares nor the length need to be in range.
        let unit = f(MathFn::Normalize, &[largest, largest, -largest]);
        assert!((unit - 0.5f64.sqrt()).abs() < 1e-3, "{ty}: {unit}");
        let unit = f(MathFn::Normalize, &[smallest, smallest, smallest]);
        assert!((unit - 0.5f64.sqrt()).abs() < 1e-3, "{ty}: {unit}");
        assert!(same(f(MathFn::Normalize, &[-0.0, 0.0, -0.0]), -0.0));
        assert!(f(MathFn::Normalize, &[1.0, 1.0, NAN]).is_nan());
        assert!(same(f(MathFn::Normalize, &[-INF, 3.0, -INF]), -1.0));
        assert!(same(f(MathFn::Normalize, &[-3.0, -3.0, INF]), -0.0));
        let unit = f(MathFn::Normalize, &[INF, INF, INF]);
        assert!((unit - 0.5f64.sqrt()).abs() < 1e-3, "{ty}: {unit}");
        assert!(f(MathFn::Length, &[largest / 2.0, largest / 4.0, 0.0]).is_finite());
        assert_eq!(f(MathFn::Length, &[smallest, 0.0]), smallest);
        let code = evaluate(MathFn::Nan, ty, &[5])[0];
        assert!(
            to_double(code, ty).is_nan() && code & 5 == 5,
            "{ty}: {code:#x}"
        );
        for (v, expected) in [(0.0, i32::MIN), (INF, i32::MAX), (NAN, i32::MAX), (-8.5, 3)] {
            let got = evaluate(MathFn::Ilogb, ty, &[bits(v, ty)])[0];
            assert_eq!(got, u64::from(expected as u32), "ilogb({v}) of {ty}");
        }
        let lowest = evaluate(MathFn::Ilogb, ty, &[1])[0] as u32 as i32;
        assert_eq!(
            2f64.powi(lowest / 2) * 2f64.powi(lowest - lowest / 2),
            smallest
        );
    }
}
