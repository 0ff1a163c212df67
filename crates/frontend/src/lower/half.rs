//! Numbers of 16 bits in memory: `vload_half`, `vstore_half` and their vector
//! forms, which load and store halves and compute in `float` or `double`.

use rspirv::dr::Operand;
use tilewise_ir::{Conversion, MemAccess, Op, Rounding, Ty, Value};

use super::emitter::{Components, Emitter};
use crate::error::FrontendError;
use crate::spirv::Inst;
use crate::spirv::module::rounding;

/// The bits of a number in binary16, rounded to nearest even.
pub fn from_f64(value: f64) -> u16 {
    half::f16::from_f64(value).to_bits()
}

impl Emitter<'_, '_> {
    /// `vload_half`, `vload_halfn`, `vloada_halfn`: set, number, offset,
    /// pointer, and the number of components for the vector forms.
    pub fn load_halves(
        &mut self,
        inst: &Inst,
        aligned: bool,
        vector: bool,
    ) -> Result<(), FrontendError> {
        let ty = inst.result_type()?;
        let to = self.scalar_of(ty)?;
        let count = match vector {
            // The parser takes the operands of builtin functions for ids.
            true => inst.id(4)?,
            false => 1,
        };
        let offset = self.value(inst.id(2)?)?;
        let pointer_id = inst.id(3)?;
        let space = self.space(self.type_of(pointer_id)?)?;
        let base = self.value(pointer_id)?;
        let (stride, align) = half_layout(count, aligned);
        let ptr = self.pointer_add(base, Some(offset), i64::from(stride), 0)?;
        let halves: Components = (0..count).map(|_| self.result(Ty::F16)).collect();
        self.push(Op::Load {
            dst: halves.clone(),
            ptr,
            access: MemAccess {
                space,
                elem: Ty::F16,
                count: component_count(inst, count)?,
                bytes: 2 * count,
                align,
                volatile: false,
                elements: component_count(inst, count)?,
            },
        })?;
        let values = self.each(&halves, |e, a| {
            e.convert(Conversion::FToF(Rounding::NearestEven), a, to)
        })?;
        self.define(inst.result()?, ty, values)
    }

    /// `vstore_half` and its vector, aligned and rounding forms: set, number,
    /// data, offset, pointer, and the rounding mode if one is named.
    pub fn store_halves(&mut self, inst: &Inst, aligned: bool) -> Result<(), FrontendError> {
        let data = self.values(inst.id(2)?)?;
        let offset = self.value(inst.id(3)?)?;
        let pointer_id = inst.id(4)?;
        let mode = match inst.operands().get(5) {
            Some(Operand::FPRoundingMode(mode)) => rounding(*mode),
            Some(Operand::IdRef(number) | Operand::LiteralBit32(number)) => match number {
                1 => Rounding::Zero,
                2 => Rounding::Up,
                3 => Rounding::Down,
                _ => Rounding::NearestEven,
            },
            _ => Rounding::NearestEven,
        };
        let space = self.space(self.type_of(pointer_id)?)?;
        let base = self.value(pointer_id)?;
        let count = data.len() as u32;
        let (stride, align) = half_layout(count, aligned);
        let halves: Vec<Value> = data
            .iter()
            .map(|&a| {
                self.float_type(a)?;
                self.convert(Conversion::FToF(mode), a, Ty::F16)
            })
            .collect::<Result<_, _>>()?;
        let ptr = self.pointer_add(base, Some(offset), i64::from(stride), 0)?;
        self.push(Op::Store {
            src: halves.into_iter().map(Some).collect(),
            ptr,
            access: MemAccess {
                space,
                elem: Ty::F16,
                count: component_count(inst, count)?,
                bytes: 2 * count,
                align,
                volatile: false,
                elements: component_count(inst, count)?,
            },
        })
    }
}

/// A number of components as accesses count them.
pub fn component_count(inst: &Inst, count: u32) -> Result<u8, FrontendError> {
    match count {
        1..=4 | 8 | 16 => Ok(count as u8),
        _ => Err(inst.bad("takes a vector of a length that OpenCL C does not have")),
    }
}

/// Distance between two vectors of halves and their alignment, in bytes. Only
/// the aligned form of three takes the room of four.
fn half_layout(count: u32, aligned: bool) -> (u32, u32) {
    match (aligned, count) {
        (true, 3) => (8, 8),
        (true, n) => (2 * n, 2 * n),
        (false, n) => (2 * n, 2),
    }
}
