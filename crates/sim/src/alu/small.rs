//! Operations too small for the way to the vector loops: what counts loops, tests for
//! their end and hands values to the next block. Each line of code and each edge begins
//! here, and many end here.

use tilewise_ir::{BinaryOp, CompareOp, Ty};

use super::{AluInst, AluOp, NO_SLOT};
use crate::registers::Registers;
use crate::semantics::integer::low_bits;

/// Whether it is worth while to try [`run`].
#[inline(always)]
pub(crate) fn may_be(inst: &AluInst) -> bool {
    inst.scalar || matches!(inst.op, AluOp::Move(_))
}

/// Does operations from the first on, as many as are small, and returns how many.
/// `blends` says that lanes which are not active may have to keep their values.
#[inline(never)]
pub(crate) fn run<const W: usize>(
    scalars: &mut Registers<1>,
    vectors: &mut Registers<W>,
    code: &[AluInst],
    blends: bool,
) -> usize {
    let mut done = |inst: &AluInst| {
        if inst.scalar {
            return inst.spread == NO_SLOT && scalar(scalars, inst);
        }
        if blends {
            return false;
        }
        match inst.op {
            AluOp::Move(ty) if ty.size() == 4 => {
                vectors.b4[inst.dst as usize] = vectors.b4[inst.a as usize];
                true
            }
            _ => false,
        }
    };
    code.iter().take_while(|inst| done(inst)).count()
}

/// An operation on scalars of 32 bits, without the way through all types; returns
/// whether it is one of those. [`super::execute`] does the same.
#[inline(always)]
pub(super) fn scalar(scalars: &mut Registers<1>, inst: &AluInst) -> bool {
    let Registers { b1, b4, b8, .. } = scalars;
    match inst.op {
        AluOp::Move(ty) if ty.size() == 8 => {
            b8[inst.dst as usize] = b8[inst.a as usize];
            return true;
        }
        AluOp::Binary(BinaryOp::Add, Ty::I64) => {
            let [a, b] = [inst.a, inst.b].map(|slot| b8[slot as usize][0]);
            b8[inst.dst as usize] = [a.wrapping_add(b)];
            return true;
        }
        _ => {}
    }
    let word = |slot: u32| b4[slot as usize][0];
    let result = match inst.op {
        AluOp::Move(ty) if ty.size() == 4 => word(inst.a),
        AluOp::Binary(op, Ty::I32) => {
            let [a, b] = [inst.a, inst.b].map(|slot| u64::from(word(slot)));
            match low_bits(op, a, b) {
                Some(bits) => bits as u32,
                None => return false,
            }
        }
        AluOp::Compare(op, Ty::I32) => {
            let (a, b) = (word(inst.a), word(inst.b));
            let (signed_a, signed_b) = (a as i32, b as i32);
            let holds = match op {
                CompareOp::Eq => a == b,
                CompareOp::Ne => a != b,
                CompareOp::SLt => signed_a < signed_b,
                CompareOp::SLe => signed_a <= signed_b,
                CompareOp::SGt => signed_a > signed_b,
                CompareOp::SGe => signed_a >= signed_b,
                CompareOp::ULt => a < b,
                CompareOp::ULe => a <= b,
                CompareOp::UGt => a > b,
                CompareOp::UGe => a >= b,
                _ => return false,
            };
            b1[inst.dst as usize] = [u8::from(holds)];
            return true;
        }
        _ => return false,
    };
    b4[inst.dst as usize] = [result];
    true
}

#[cfg(test)]
mod tests {
    use super::super::{Part, execute};
    use tilewise_ir::BinaryOp;

    use super::*;
    use crate::registers::BankSizes;

    const SIZES: BankSizes = BankSizes {
        b1: 1,
        b2: 0,
        b4: 3,
        b8: 0,
    };
    const DST: u32 = 2;

    fn inst(op: AluOp) -> AluInst {
        AluInst {
            op,
            dst: if matches!(op, AluOp::Compare(..)) {
                0
            } else {
                DST
            },
            a: 0,
            b: 1,
            c: NO_SLOT,
            scalar: true,
            spread: NO_SLOT,
            blend: false,
            by_lane: false,
        }
    }

    #[test]
    fn scalars_are_as_on_the_long_way() {
        use BinaryOp::{AShr, Add, And, LShr, Mul, Or, Shl, Sub, Xor};
        use CompareOp::{Eq, Ne, SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
        let binary = [Add, Sub, Mul, And, Or, Xor, Shl, LShr, AShr];
        let compares = [Eq, Ne, SLt, SLe, SGt, SGe, ULt, ULe, UGt, UGe];
        let ops = (binary.map(|op| AluOp::Binary(op, Ty::I32)).into_iter())
            .chain(compares.map(|op| AluOp::Compare(op, Ty::I32)))
            .chain([AluOp::Move(Ty::I32), AluOp::Move(Ty::F32)]);
        let values = [
            0u32,
            1,
            2,
            31,
            0x7FFF_FFFF,
            0x8000_0000,
            0xFFFF_FFFF,
            0x1234_5678,
        ];
        let mut done = 0;
        for op in ops {
            for (a, b) in values.iter().flat_map(|a| values.map(|b| (*a, b))) {
                let mut short = Registers::<1>::new(SIZES);
                (short.b4[0], short.b4[1]) = ([a], [b]);
                let mut long = short.clone();
                let inst = inst(op);
                if !scalar(&mut short, &inst) {
                    continue;
                }
                done += 1;
                let at = Part::WHOLE.of(&inst);
                execute::<1>(&mut long.banks(), &[], Part::WHOLE, op, at, 1);
                assert_eq!(short.b4, long.b4, "{op:?} {a:#x} {b:#x}");
                assert_eq!(short.b1, long.b1, "{op:?} {a:#x} {b:#x}");
            }
        }
        assert_eq!(done, (6 + 10 + 2) * 64);
    }

    #[test]
    fn lanes_move_only_where_none_must_keep_its_value() {
        let vector = AluInst {
            scalar: false,
            blend: true,
            ..inst(AluOp::Move(Ty::I32))
        };
        let scalar = inst(AluOp::Binary(BinaryOp::Add, Ty::I32));
        let product = AluInst {
            scalar: false,
            ..inst(AluOp::Binary(BinaryOp::Mul, Ty::I32))
        };
        let spread = AluInst {
            spread: 0,
            ..scalar
        };
        let code = [scalar, vector, product, scalar];
        let mut scalars = Registers::<1>::new(SIZES);
        (scalars.b4[0], scalars.b4[1]) = ([3], [4]);
        let mut vectors = Registers::<32>::new(SIZES);
        vectors.b4[0] = std::array::from_fn(|l| l as u32);
        assert_eq!(run(&mut scalars, &mut vectors, &code, true), 1);
        assert_eq!((scalars.b4[2], vectors.b4[2]), ([7], [0; 32]));
        assert_eq!(run(&mut scalars, &mut vectors, &code, false), 2);
        assert_eq!(vectors.b4[2], vectors.b4[0]);
        assert_eq!(run(&mut scalars, &mut vectors, &[spread], false), 0);
    }
}
