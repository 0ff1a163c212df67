//! Known values.

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
