//! Conversions over lane arrays: loops for the common ones, one lane at a time
//! for the rest.

use tilewise_ir::{Conversion, Rounding, Ty};

use super::{Slots, map};
use crate::registers::Banks;
use crate::semantics::convert::convert as convert_one;

#[inline(always)]
pub(super) fn convert<const W: usize>(
    op: Conversion,
    from: Ty,
    to: Ty,
    banks: &mut Banks<'_, W>,
    at: Slots,
) {
    let Banks { b1, b2, b4, b8 } = banks;
    match (op, from.size(), to.size()) {
        (Conversion::Sext | Conversion::Zext, 8, 4) => {
            map::convert(b8, b4, at, |v| v as u32);
        }
        (Conversion::Sext | Conversion::Zext, 8, 1) => {
            map::convert(b8, b1, at, |v| v as u8);
        }
        (Conversion::Sext | Conversion::Zext, 4, 1) => {
            map::convert(b4, b1, at, |v| v as u8);
        }
        (Conversion::Sext | Conversion::Zext, 4, 2) => {
            map::convert(b4, b2, at, |v| v as u16);
        }
        (Conversion::Sext, 4, 8) => {
            map::convert(b4, b8, at, |v| v as i32 as i64 as u64);
        }
        (Conversion::Zext, 4, 8) => map::convert(b4, b8, at, u64::from),
        (Conversion::Sext, 1, 4) => {
            map::convert(b1, b4, at, |v| v as i8 as i32 as u32);
        }
        (Conversion::Zext, 1, 4) => map::convert(b1, b4, at, u32::from),
        (Conversion::Zext, 1, 8) => map::convert(b1, b8, at, u64::from),
        (Conversion::Sext, 2, 4) => {
            map::convert(b2, b4, at, |v| v as i16 as i32 as u32);
        }
        (Conversion::Zext, 2, 4) => map::convert(b2, b4, at, u32::from),
        (Conversion::SToF(Rounding::NearestEven), 4, 4) => {
            map::map1(b4, at, |v| (v as i32 as f32).to_bits());
        }
        (Conversion::UToF(Rounding::NearestEven), 4, 4) => {
            map::map1(b4, at, |v| (v as f32).to_bits());
        }
        (Conversion::UToF(Rounding::NearestEven), 1, 4) => {
            map::convert(b1, b4, at, |v| f32::from(v).to_bits());
        }
        (Conversion::SToF(Rounding::NearestEven), 4, 8) => {
            map::convert(b4, b8, at, |v| f64::from(v as i32).to_bits());
        }
        (
            Conversion::FToS {
                rounding: Rounding::Zero,
                ..
            },
            4,
            4,
        ) => map::map1(b4, at, |v| f32::from_bits(v) as i32 as u32),
        (
            Conversion::FToU {
                rounding: Rounding::Zero,
                ..
            },
            4,
            4,
        ) => map::map1(b4, at, |v| f32::from_bits(v) as u32),
        (Conversion::FToF(_), 4, 8) => {
            map::convert(b4, b8, at, |v| f64::from(f32::from_bits(v)).to_bits());
        }
        (Conversion::FToF(Rounding::NearestEven), 8, 4) => {
            map::convert(b8, b4, at, |v| (f64::from_bits(v) as f32).to_bits());
        }
        _ => one_by_one(op, from, to, banks, at),
    }
}

#[inline(never)]
fn one_by_one<const W: usize>(
    op: Conversion,
    from: Ty,
    to: Ty,
    banks: &mut Banks<'_, W>,
    at: Slots,
) {
    for lane in 0..W {
        let bits = banks.get(from, at.a, lane);
        banks.set(to, at.dst, lane, convert_one(op, from, to, bits));
    }
}
