//! Conversions between numbers, pointers and views of the same bits.

use rspirv::spirv::Op as S;
use tilewise_ir::{BinaryOp, Conversion, Op, Rounding, Space, Ty, Value};

use super::atomic::{CROSS_WORKGROUP_MEMORY, WORKGROUP_MEMORY};
use super::emitter::{Components, Emitter};
use crate::error::FrontendError;
use crate::spirv::Inst;

impl Emitter<'_, '_> {
    /// Emits a conversion.
    pub fn conversion(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let id = inst.result()?;
        let ty = inst.result_type()?;
        let values = self.values(inst.id(0)?)?;
        let to = self.scalar_of(ty)?;
        let decorations = self.module.decorations(id);
        let saturated = decorations.saturated;
        let rounding = decorations.rounding;
        let to_float = rounding.unwrap_or(Rounding::NearestEven);
        let to_int = rounding.unwrap_or(Rounding::Zero);
        let op = match inst.op() {
            S::ConvertFToS => Conversion::FToS {
                rounding: to_int,
                saturate: saturated,
            },
            S::ConvertFToU => Conversion::FToU {
                rounding: to_int,
                saturate: saturated,
            },
            S::ConvertSToF => Conversion::SToF(to_float),
            S::ConvertUToF => Conversion::UToF(to_float),
            S::FConvert => Conversion::FToF(to_float),
            S::SatConvertSToU => Conversion::IntSat {
                from_signed: true,
                to_signed: false,
            },
            S::SatConvertUToS => Conversion::IntSat {
                from_signed: false,
                to_signed: true,
            },
            S::SConvert if saturated => Conversion::IntSat {
                from_signed: true,
                to_signed: true,
            },
            S::UConvert if saturated => Conversion::IntSat {
                from_signed: false,
                to_signed: false,
            },
            S::SConvert => Conversion::Sext,
            S::UConvert => Conversion::Zext,
            S::QuantizeToF16 => {
                let rounded = self.each(&values, |e, a| {
                    let half = e.convert(Conversion::FToF(Rounding::NearestEven), a, Ty::F16)?;
                    e.convert(Conversion::FToF(Rounding::NearestEven), half, to)
                })?;
                return self.define(id, ty, rounded);
            }
            S::ConvertPtrToU => {
                let number = self.each(&values, |e, a| {
                    let bits = e.convert(Conversion::Bitcast, a, Ty::I64)?;
                    e.convert(Conversion::Zext, bits, to)
                })?;
                return self.define(id, ty, number);
            }
            S::ConvertUToPtr => {
                let pointer = self.each(&values, |e, a| {
                    let wide = e.convert(Conversion::Zext, a, Ty::I64)?;
                    e.convert(Conversion::Bitcast, wide, Ty::Ptr)
                })?;
                return self.define(id, ty, pointer);
            }
            // A pointer keeps its region in whatever address space it is seen.
            S::PtrCastToGeneric | S::GenericCastToPtr => return self.define(id, ty, values),
            // `to_global` and its like: null where it points elsewhere.
            S::GenericCastToPtrExplicit => {
                let space = self.space(ty)?;
                let null = self.constant(Ty::Ptr, 0);
                let pointers = self.each(&values, |e, ptr| {
                    let there = e.points_to(ptr, space)?;
                    e.select(there, ptr, null)
                })?;
                return self.define(id, ty, pointers);
            }
            // `get_fence`: the memory that a fence for the pointer orders.
            S::GenericPtrMemSemantics => {
                let none = self.constant(to, 0);
                let global = self.constant(to, CROSS_WORKGROUP_MEMORY);
                let local = self.constant(to, WORKGROUP_MEMORY);
                let fence = self.each(&values, |e, ptr| {
                    let is_global = e.points_to(ptr, Space::Global)?;
                    let is_local = e.points_to(ptr, Space::Local)?;
                    let other = e.select(is_local, local, none)?;
                    e.select(is_global, global, other)
                })?;
                return self.define(id, ty, fence);
            }
            _ => {
                let cast = self.bitcast(&values, to)?;
                if let Some(builtin) = self.builtin_pointer(inst.id(0)?) {
                    self.frame.builtins.insert(id, builtin);
                }
                return self.define(id, ty, cast);
            }
        };
        self.check_numbers(inst, &values, to)?;
        let converted = self.each(&values, |e, a| e.convert(op, a, to))?;
        self.define(id, ty, converted)
    }

    /// Whether operands and result are of the kinds that a conversion takes.
    fn check_numbers(&self, inst: &Inst, values: &[Value], to: Ty) -> Result<(), FrontendError> {
        let from_float = matches!(inst.op(), S::ConvertFToS | S::ConvertFToU | S::FConvert);
        let to_float = matches!(inst.op(), S::ConvertSToF | S::ConvertUToF | S::FConvert);
        let fits = |ty: Ty, float: bool| if float { ty.is_float() } else { ty.is_int() };
        let all_fit =
            fits(to, to_float) && values.iter().all(|&v| fits(self.kernel.ty(v), from_float));
        if all_fit {
            Ok(())
        } else {
            Err(inst.bad("converts between types that it does not take"))
        }
    }

    /// Whether a pointer points into an address space.
    fn points_to(&mut self, ptr: Value, space: Space) -> Result<Value, FrontendError> {
        if self.kernel.ty(ptr) != Ty::Ptr {
            return Err(FrontendError::malformed("an address is no pointer"));
        }
        let dst = self.result(Ty::Bool);
        self.push(Op::PointsTo { dst, ptr, space })?;
        Ok(dst)
    }

    /// The same bits as scalars of another type.
    pub fn bitcast(&mut self, values: &[Value], to: Ty) -> Result<Components, FrontendError> {
        let Some(from) = values.first().map(|&v| self.kernel.ty(v)) else {
            return Ok(Components::new());
        };
        if from.size() == to.size() {
            return self.each(values, |e, a| e.convert(Conversion::Bitcast, a, to));
        }
        let int = |ty: Ty| {
            Ty::int(8 * ty.size())
                .ok_or_else(|| FrontendError::malformed("a bitcast of something without bits"))
        };
        let (from_int, to_int) = (int(from)?, int(to)?);
        let numbers = self.each(values, |e, a| e.convert(Conversion::Bitcast, a, from_int))?;
        let mut out = Components::new();
        if from.size() > to.size() {
            // Little-endian: the first component is the low part.
            for &number in &numbers {
                for part in 0..from.size() / to.size() {
                    let count = self.constant(from_int, u64::from(8 * part * to.size()));
                    let shifted = match part {
                        0 => number,
                        _ => self.binary(BinaryOp::LShr, number, count)?,
                    };
                    let low = self.convert(Conversion::Zext, shifted, to_int)?;
                    out.push(self.convert(Conversion::Bitcast, low, to)?);
                }
            }
        } else {
            let parts = (to.size() / from.size()) as usize;
            if numbers.len() % parts != 0 {
                return Err(FrontendError::malformed(
                    "a bitcast between types of different sizes",
                ));
            }
            for group in numbers.chunks_exact(parts) {
                let mut whole = self.convert(Conversion::Zext, group[0], to_int)?;
                for (i, &part) in group.iter().enumerate().skip(1) {
                    let wide = self.convert(Conversion::Zext, part, to_int)?;
                    let count = self.constant(to_int, 8 * u64::from(from.size()) * i as u64);
                    let placed = self.binary(BinaryOp::Shl, wide, count)?;
                    whole = self.binary(BinaryOp::Or, whole, placed)?;
                }
                out.push(self.convert(Conversion::Bitcast, whole, to)?);
            }
        }
        Ok(out)
    }
}
