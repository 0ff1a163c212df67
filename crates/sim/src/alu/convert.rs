//! Conversions over lane arrays: loops for the common ones, one lane at a time
//! for the rest.

use tilewise_ir::{Conversion, Rounding, Ty};

use super::{AluInst, map};
use crate::registers::Registers;
use crate::semantics::convert::convert as convert_one;

#[inline(always)]
pub(super) fn convert<const W: usize>(
    op: Conversion,
    from: Ty,
    to: Ty,
    registers: &mut Registers<W>,
    inst: &AluInst,
    active: Option<&[u8; W]>,
) {
    let Registers { b1, b2, b4, b8 } = registers;
    match (op, from.size(), to.size()) {
        (Conversion::Sext | Conversion::Zext, 8, 4) => {
            map::convert(b8, b4, inst, active, |v| v as u32);
        }
        (Conversion::Sext | Conversion::Zext, 8, 1) => {
            map::convert(b8, b1, inst, active, |v| v as u8);
        }
        (Conversion::Sext | Conversion::Zext, 4, 1) => {
            map::convert(b4, b1, inst, active, |v| v as u8);
        }
        (Conversion::Sext | Conversion::Zext, 4, 2) => {
            map::convert(b4, b2, inst, active, |v| v as u16);
        }
        (Conversion::Sext, 4, 8) => {
            map::convert(b4, b8, inst, active, |v| v as i32 as i64 as u64);
        }
        (Conversion::Zext, 4, 8) => map::convert(b4, b8, inst, active, u64::from),
        (Conversion::Sext, 1, 4) => {
            map::convert(b1, b4, inst, active, |v| v as i8 as i32 as u32);
        }
        (Conversion::Zext, 1, 4) => map::convert(b1, b4, inst, active, u32::from),
        (Conversion::Zext, 1, 8) => map::convert(b1, b8, inst, active, u64::from),
        (Conversion::Sext, 2, 4) => {
            map::convert(b2, b4, inst, active, |v| v as i16 as i32 as u32);
        }
        (Conversion::Zext, 2, 4) => map::convert(b2, b4, inst, active, u32::from),
        (Conversion::SToF(Rounding::NearestEven), 4, 4) => {
            map::map1(b4, inst, active, |v| (v as i32 as f32).to_bits());
        }
        (Conversion::UToF(Rounding::NearestEven), 4, 4) => {
            map::map1(b4, inst, active, |v| (v as f32).to_bits());
        }
        (Conversion::UToF(Rounding::NearestEven), 1, 4) => {
            map::convert(b1, b4, inst, active, |v| f32::from(v).to_bits());
        }
        (Conversion::SToF(Rounding::NearestEven), 4, 8) => {
            map::convert(b4, b8, inst, active, |v| f64::from(v as i32).to_bits());
        }
        (
            Conversion::FToS {
                rounding: Rounding::Zero,
                ..
            },
            4,
            4,
        ) => map::map1(b4, inst, active, |v| f32::from_bits(v) as i32 as u32),
        (
            Conversion::FToU {
                rounding: Rounding::Zero,
                ..
            },
            4,
            4,
        ) => map::map1(b4, inst, active, |v| f32::from_bits(v) as u32),
        (Conversion::FToF(_), 4, 8) => {
            map::convert(b4, b8, inst, active, |v| {
                f64::from(f32::from_bits(v)).to_bits()
            });
        }
        (Conversion::FToF(Rounding::NearestEven), 8, 4) => {
            map::convert(b8, b4, inst, active, |v| {
                (f64::from_bits(v) as f32).to_bits()
            });
        }
        _ => one_by_one(op, from, to, registers, inst, active),
    }
}

#[inline(never)]
fn one_by_one<const W: usize>(
    op: Conversion,
    from: Ty,
    to: Ty,
    registers: &mut Registers<W>,
    inst: &AluInst,
    active: Option<&[u8; W]>,
) {
    for lane in 0..W {
        if active.is_none_or(|a| a[lane] != 0) {
            let bits = registers.get(from, inst.a, lane);
            registers.set(to, inst.dst, lane, convert_one(op, from, to, bits));
        }
    }
}
