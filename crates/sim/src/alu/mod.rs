//! Runs operations that only compute: straight lines of them, over all lanes
//! of a sub-group, or once where the result is uniform.
//!
//! Each operation is one loop over a lane array, which the compiler turns into
//! vector instructions; [`multiversion`] compiles the lot once more for AVX2.
//! Inactive lanes are computed as well and, where another lane's work must not
//! disturb them, blended away.

mod convert;
mod float;
mod integer;
mod library;
mod map;
pub(crate) mod multiversion;

use tilewise_ir::{BinaryOp, CompareOp, Conversion, MathFn, Ty, UnaryOp};

use crate::registers::Registers;

pub(crate) use library::Call;

/// An operation with the types it works on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AluOp {
    Unary(UnaryOp, Ty),
    Binary(BinaryOp, Ty),
    Compare(CompareOp, Ty),
    /// `c ? a : b`, with the condition in slot `c`.
    Select(Ty),
    /// From, to.
    Convert(Conversion, Ty, Ty),
    /// A copy.
    Move(Ty),
    /// `a + (b << shift) + offset`; `b` is an `I64` or a sign-extended `I32`.
    AddShifted {
        narrow: bool,
        shift: u32,
        offset: i64,
    },
    /// `a + b * scale + offset`.
    AddScaled {
        narrow: bool,
        scale: i64,
        offset: i64,
    },
    /// `a + offset`.
    AddOffset(i64),
    /// A builtin that vectorises, of up to three arguments.
    Math(MathFn, Ty),
    /// A builtin that is evaluated lane by lane: an index into the calls.
    Library(u32),
}

/// Whether a builtin has a loop of its own for a type.
pub(crate) fn vectorises(fun: MathFn, ty: Ty) -> bool {
    if ty.is_float() {
        float::vectorises(fun)
    } else {
        integer::vectorises(fun)
    }
}

/// No register.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// An operation and its registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AluInst {
    pub op: AluOp,
    pub dst: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// Works on the scalar file; `spread` is then the vector register that
    /// gets the result too, if one needs it.
    pub scalar: bool,
    pub spread: u32,
    /// Lanes that are not active must keep their value.
    pub blend: bool,
}

/// What a straight line of operations works on.
pub(crate) struct Line<'a, const W: usize> {
    pub vectors: &'a mut Registers<W>,
    pub scalars: &'a mut Registers<1>,
    pub calls: &'a [Call],
    /// Active lanes.
    pub mask: u64,
    /// Lanes outside of `mask` may be needed again, so that results must be
    /// blended (where the instruction says so).
    pub partial: bool,
    /// Blend whatever the instruction says.
    pub always_blend: bool,
}

/// One operation over `W` lanes. `active` is a byte per lane where the result
/// must be blended.
#[inline(always)]
fn execute<const W: usize>(
    registers: &mut Registers<W>,
    calls: &[Call],
    inst: &AluInst,
    active: Option<&[u8; W]>,
) {
    match inst.op {
        AluOp::Unary(op, ty) => match ty {
            Ty::Bool => map::map1(&mut registers.b1, inst, active, |a| a ^ 1),
            Ty::I8 => integer::unary(op, &mut registers.b1, inst, active),
            Ty::I16 => integer::unary(op, &mut registers.b2, inst, active),
            Ty::I32 => integer::unary(op, &mut registers.b4, inst, active),
            Ty::I64 | Ty::Ptr => integer::unary(op, &mut registers.b8, inst, active),
            Ty::F16 => float::negate::<half::f16, _, W>(&mut registers.b2, inst, active),
            Ty::F32 => float::negate::<f32, _, W>(&mut registers.b4, inst, active),
            Ty::F64 => float::negate::<f64, _, W>(&mut registers.b8, inst, active),
        },
        AluOp::Binary(op, ty) => match ty {
            Ty::Bool | Ty::I8 => integer::binary(op, &mut registers.b1, inst, active),
            Ty::I16 => integer::binary(op, &mut registers.b2, inst, active),
            Ty::I32 => integer::binary(op, &mut registers.b4, inst, active),
            Ty::I64 | Ty::Ptr => integer::binary(op, &mut registers.b8, inst, active),
            Ty::F16 => float::binary::<half::f16, _, W>(op, &mut registers.b2, inst, active),
            Ty::F32 => float::binary::<f32, _, W>(op, &mut registers.b4, inst, active),
            Ty::F64 => float::binary::<f64, _, W>(op, &mut registers.b8, inst, active),
        },
        AluOp::Compare(op, ty) => {
            let Registers { b1, b2, b4, b8 } = registers;
            match ty {
                Ty::Bool | Ty::I8 => integer::compare_bytes(op, b1, inst, active),
                Ty::I16 => integer::compare(op, b2, b1, inst, active),
                Ty::I32 => integer::compare(op, b4, b1, inst, active),
                Ty::I64 | Ty::Ptr => integer::compare(op, b8, b1, inst, active),
                Ty::F16 => float::compare::<half::f16, _, W>(op, b2, b1, inst, active),
                Ty::F32 => float::compare::<f32, _, W>(op, b4, b1, inst, active),
                Ty::F64 => float::compare::<f64, _, W>(op, b8, b1, inst, active),
            }
        }
        AluOp::Select(ty) => {
            let Registers { b1, b2, b4, b8 } = registers;
            let cond = b1[inst.c as usize];
            match ty.size() {
                1 => map::select(&cond, b1, inst, active),
                2 => map::select(&cond, b2, inst, active),
                4 => map::select(&cond, b4, inst, active),
                _ => map::select(&cond, b8, inst, active),
            }
        }
        AluOp::Convert(op, from, to) => convert::convert(op, from, to, registers, inst, active),
        AluOp::Move(ty) => match ty.size() {
            1 => map::map1(&mut registers.b1, inst, active, |a| a),
            2 => map::map1(&mut registers.b2, inst, active, |a| a),
            4 => map::map1(&mut registers.b4, inst, active, |a| a),
            _ => map::map1(&mut registers.b8, inst, active, |a| a),
        },
        AluOp::AddShifted {
            narrow,
            shift,
            offset,
        } => {
            let add = |base: u64, index: u64| {
                base.wrapping_add(index << (shift & 63))
                    .wrapping_add(offset as u64)
            };
            address(narrow, registers, inst, active, add);
        }
        AluOp::AddScaled {
            narrow,
            scale,
            offset,
        } => {
            let add = |base: u64, index: u64| {
                base.wrapping_add(index.wrapping_mul(scale as u64))
                    .wrapping_add(offset as u64)
            };
            address(narrow, registers, inst, active, add);
        }
        AluOp::AddOffset(offset) => {
            map::map1(&mut registers.b8, inst, active, |a| {
                a.wrapping_add(offset as u64)
            });
        }
        AluOp::Math(fun, ty) => match ty {
            Ty::Bool | Ty::I8 => integer::math(fun, &mut registers.b1, inst, active),
            Ty::I16 => integer::math(fun, &mut registers.b2, inst, active),
            Ty::I32 => integer::math(fun, &mut registers.b4, inst, active),
            Ty::I64 | Ty::Ptr => integer::math(fun, &mut registers.b8, inst, active),
            Ty::F16 => float::math::<half::f16, _, W>(fun, &mut registers.b2, inst, active),
            Ty::F32 => float::math::<f32, _, W>(fun, &mut registers.b4, inst, active),
            Ty::F64 => float::math::<f64, _, W>(fun, &mut registers.b8, inst, active),
        },
        AluOp::Library(call) => library::call(&calls[call as usize], registers, active),
    }
}

/// `base + f(index)` over 64-bit lanes.
#[inline(always)]
fn address<const W: usize>(
    narrow: bool,
    registers: &mut Registers<W>,
    inst: &AluInst,
    active: Option<&[u8; W]>,
    add: impl Fn(u64, u64) -> u64,
) {
    if narrow {
        let index = &registers.b4[inst.b as usize];
        let base = registers.b8[inst.a as usize];
        let dst = &mut registers.b8[inst.dst as usize];
        map::write(dst, active, |l| add(base[l], index[l] as i32 as i64 as u64));
    } else {
        map::map2(&mut registers.b8, inst, active, add);
    }
}
