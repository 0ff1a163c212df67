//! The vector loops against one lane at a time, and both against the plain
//! semantics, over special and random values.

use tilewise_ir::{BinaryOp, CompareOp, Conversion, MathFn, Rounding, Ty, UnaryOp};

use super::multiversion::{Cpu, run};
use super::{AluInst, AluOp, LANES, Line, NO_SLOT, vectorises};
use crate::registers::{BankSizes, Registers};
use crate::semantics::{convert, math};

const SIZES: BankSizes = BankSizes {
    b1: 4,
    b2: 4,
    b4: 4,
    b8: 4,
};

/// Bits that are special as one type or another, then random ones.
fn bits(n: u64) -> u64 {
    const SPECIAL: [u64; 12] = [
        0,
        1,
        !0,
        0x8000_0000,
        0x7FFF_FFFF,
        0x3F80_0000,
        0xFF80_0000,
        0x7FC0_0000,
        0x8000_0000_0000_0000,
        0x3FF0_0000_0000_0000,
        0x7FF0_0000_0000_0000,
        0x4330_0000_4B00_0000,
    ];
    match SPECIAL.get(n as usize) {
        Some(&special) => special,
        None => {
            let z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (z ^ (z >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (z >> 7)
        }
    }
}

/// Registers of every type full of values; conditions in the first byte bank
/// are truth values where `truth` says so.
fn filled<const W: usize>(seed: u64, truth: bool) -> Registers<W> {
    let mut registers = Registers::new(SIZES);
    for slot in 0..4 {
        for lane in 0..W {
            // Operand 1 is shifted against operand 0, so that all pairs of
            // special values meet over the seeds.
            let n = (lane as u64 + u64::from(slot) * seed) % 12;
            let v = if lane % 3 == 2 {
                bits(1000 + seed * 997 + lane as u64 * 31 + u64::from(slot))
            } else {
                bits(n)
            };
            for ty in [Ty::I8, Ty::I16, Ty::I32, Ty::I64] {
                let v = if truth && ty == Ty::I8 { v & 1 } else { v };
                registers.set(ty, slot, lane, v);
            }
        }
    }
    registers
}

fn inst(op: AluOp) -> AluInst {
    AluInst {
        op,
        dst: 3,
        a: 0,
        b: 1,
        c: 2,
        scalar: false,
        spread: NO_SLOT,
        blend: true,
        by_lane: op.by_lane(),
    }
}

fn apply<const W: usize>(cpu: Cpu, registers: &mut Registers<W>, op: AluOp, mask: u64) {
    let mut scalars = Registers::new(BankSizes::default());
    let mut line = Line {
        vectors: registers.banks(),
        parts: (W / LANES) as u32,
        scalars: &mut scalars,
        calls: &[],
        affine: super::Affine {
            values: &[],
            compares: &[],
            classes: &[],
            first_id: &[0; 3],
        },
        mask,
        partial: mask != crate::lanes::first_lanes(W as u32),
        always_blend: false,
    };
    run(cpu, &mut line, &[inst(op)]);
}

/// Equal bits, or both a NaN.
fn same(ty: Ty, a: u64, b: u64) -> bool {
    let nan = |v| ty.is_float() && convert::to_double(v, ty).is_nan();
    a == b || (nan(a) && nan(b))
}

/// Runs an operation both ways, for whole and partial masks and both widths,
/// and compares with `expected(a, b, c)`, if there is such.
fn check(op: AluOp, operand: Ty, expected: Option<&dyn Fn(u64, u64, u64) -> u64>) {
    let truth = operand == Ty::Bool || matches!(op, AluOp::Select(_));
    let result = op.result().expect("one result");
    for seed in 0..12 {
        for mask in [!0u64 >> 32, 0xA5A5_0FF3] {
            let before = filled::<32>(seed, truth);
            let mut fast = before.clone();
            let mut slow = before.clone();
            apply(Cpu::detect(), &mut fast, op, mask);
            apply(Cpu::lane_by_lane(), &mut slow, op, mask);
            for lane in 0..32 {
                let [f, s, old] =
                    [&fast, &slow, &before].map(|registers| registers.get(result, 3, lane));
                assert!(same(result, f, s), "{op:?} lane {lane}: {f:#x}, {s:#x}");
                if mask >> lane & 1 == 0 {
                    assert_eq!(f, old, "{op:?}: lane {lane} is not active");
                } else if let Some(expected) = expected {
                    let [a, b, c] = [0, 1, 2].map(|slot| before.get(operand, slot, lane));
                    let e = expected(a, b, c);
                    assert!(
                        same(result, f, e),
                        "{op:?}({a:#x}, {b:#x}, {c:#x}) = {f:#x}, not {e:#x}"
                    );
                }
            }
        }
        let mask = 0xFFFF_0000_1234_5678;
        let mut fast = filled::<64>(seed, truth);
        let mut slow = fast.clone();
        apply(Cpu::detect(), &mut fast, op, mask);
        apply(Cpu::lane_by_lane(), &mut slow, op, mask);
        for lane in 0..64 {
            let [f, s] = [&fast, &slow].map(|registers| registers.get(result, 3, lane));
            assert!(
                same(result, f, s),
                "{op:?} lane {lane} of 64: {f:#x}, {s:#x}"
            );
        }
    }
}

const INTS: [Ty; 4] = [Ty::I8, Ty::I16, Ty::I32, Ty::I64];
const FLOATS: [Ty; 3] = [Ty::F16, Ty::F32, Ty::F64];

#[test]
fn integer_arithmetic() {
    use BinaryOp::*;
    for ty in INTS {
        for op in [
            Add, Sub, Mul, SDiv, UDiv, SRem, SMod, URem, And, Or, Xor, Shl, LShr, AShr,
        ] {
            check(AluOp::Binary(op, ty), ty, None);
        }
        for op in [UnaryOp::Neg, UnaryOp::Not] {
            check(AluOp::Unary(op, ty), ty, None);
        }
        check(AluOp::Select(ty), ty, None);
        check(AluOp::Move(ty), ty, Some(&|a, _, _| a));
    }
    for op in [And, Or, Xor] {
        check(AluOp::Binary(op, Ty::Bool), Ty::Bool, None);
    }
    check(
        AluOp::Unary(UnaryOp::Not, Ty::Bool),
        Ty::Bool,
        Some(&|a, _, _| a ^ 1),
    );
}

#[test]
fn float_arithmetic() {
    use BinaryOp::*;
    for ty in FLOATS {
        for op in [FAdd, FSub, FMul, FDiv, FRem] {
            check(AluOp::Binary(op, ty), ty, None);
        }
        check(AluOp::Unary(UnaryOp::FNeg, ty), ty, None);
    }
}

#[test]
fn comparisons() {
    use CompareOp::*;
    for ty in INTS {
        for op in [Eq, Ne, SLt, SLe, SGt, SGe, ULt, ULe, UGt, UGe] {
            check(AluOp::Compare(op, ty), ty, None);
        }
    }
    type Predicate = fn(f64, f64) -> bool;
    let floats: [(CompareOp, Predicate); 14] = [
        (FOEq, |a, b| a == b),
        (FONe, |a, b| a.partial_cmp(&b).is_some_and(|o| o.is_ne())),
        (FOLt, |a, b| a < b),
        (FOLe, |a, b| a <= b),
        (FOGt, |a, b| a > b),
        (FOGe, |a, b| a >= b),
        (FUEq, |a, b| a == b || a.is_nan() || b.is_nan()),
        (FUNe, |a, b| a != b),
        (FULt, |a, b| a < b || a.is_nan() || b.is_nan()),
        (FULe, |a, b| a <= b || a.is_nan() || b.is_nan()),
        (FUGt, |a, b| a > b || a.is_nan() || b.is_nan()),
        (FUGe, |a, b| a >= b || a.is_nan() || b.is_nan()),
        (FOrd, |a, b| !a.is_nan() && !b.is_nan()),
        (FUno, |a, b| a.is_nan() || b.is_nan()),
    ];
    for ty in FLOATS {
        for (op, predicate) in floats {
            let expected = move |a, b, _| {
                u64::from(predicate(
                    convert::to_double(a, ty),
                    convert::to_double(b, ty),
                ))
            };
            check(AluOp::Compare(op, ty), ty, Some(&expected));
        }
    }
}

#[test]
fn conversions() {
    use Rounding::{Down, NearestEven, Up, Zero};
    let mut cases = Vec::new();
    for from in INTS {
        for to in INTS.into_iter().filter(|to| to.size() != from.size()) {
            cases.extend([(Conversion::Sext, from, to), (Conversion::Zext, from, to)]);
        }
        for to in FLOATS {
            for rounding in [NearestEven, Up, Down, Zero] {
                cases.push((Conversion::SToF(rounding), from, to));
                cases.push((Conversion::UToF(rounding), from, to));
            }
        }
    }
    for from in FLOATS {
        for to in INTS {
            for rounding in [Zero, NearestEven, Up, Down] {
                let saturate = true;
                cases.push((Conversion::FToS { rounding, saturate }, from, to));
                cases.push((Conversion::FToU { rounding, saturate }, from, to));
            }
        }
        for to in FLOATS.into_iter().filter(|&to| to != from) {
            cases.extend([NearestEven, Zero, Up].map(|r| (Conversion::FToF(r), from, to)));
        }
    }
    for (op, from, to) in cases {
        let expected = move |a, _, _| convert::convert(op, from, to, a);
        check(AluOp::Convert(op, from, to), from, Some(&expected));
    }
}

#[test]
fn addresses() {
    for narrow in [false, true] {
        for (shift, offset) in [(0, 0), (2, -4), (4, 12)] {
            check(
                AluOp::AddShifted {
                    narrow,
                    shift,
                    offset,
                },
                Ty::I64,
                None,
            );
            let scale = 1 << shift;
            check(
                AluOp::AddScaled {
                    narrow,
                    scale,
                    offset,
                },
                Ty::I64,
                None,
            );
        }
        check(
            AluOp::AddScaled {
                narrow,
                scale: -12,
                offset: 7,
            },
            Ty::I64,
            None,
        );
    }
    check(
        AluOp::AddOffset(-8),
        Ty::I64,
        Some(&|a: u64, _, _| a.wrapping_sub(8)),
    );
}

#[test]
fn builtins() {
    use MathFn::*;
    let all = [
        SAbs, SAbsDiff, UAbsDiff, SClamp, UClamp, SMax, UMax, SMin, UMin, SMul24, UMul24, SMad24,
        UMad24, Rotate, Bitselect, Fma, Mad, Fmin, Fmax, Fclamp, Fabs, Floor, Ceil, Trunc, Rint,
        Sqrt, Rsqrt, Mix, Step, Degrees, Radians,
    ];
    for ty in INTS.into_iter().chain(FLOATS) {
        for fun in all {
            if !vectorises(fun, ty) || !math::supports(fun, ty) {
                continue;
            }
            let expected = move |a, b, c| math::evaluate(fun, ty, &[a, b, c])[0];
            check(AluOp::Math(fun, ty), ty, Some(&expected));
        }
    }
}
