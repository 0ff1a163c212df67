//! Runs operations that only compute: straight lines of them, over all lanes
//! of a sub-group, or once where the result is uniform.
//!
//! Each operation is one loop over a lane array, which the compiler turns into
//! vector instructions; [`multiversion`] compiles the lot once more for AVX2.
//! Inactive lanes are computed as well and, where another lane's work must not
//! disturb them, blended away.

mod affine;
mod convert;
mod float;
mod integer;
mod library;
mod map;
pub(crate) mod multiversion;
pub(crate) mod small;
#[cfg(test)]
mod tests;

use tilewise_ir::{BinaryOp, CompareOp, Conversion, MathFn, Ty, UnaryOp};

use crate::affine::{AffineCompare, AffineValue, LaneClass};
use crate::registers::{Banks, Registers};

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
    /// The lanes of an affine value, by its number.
    Affine {
        value: u32,
        ty: Ty,
    },
    /// A comparison of an affine value, by its number.
    AffineCompare(u32),
    /// A builtin that vectorises, of up to three arguments.
    Math(MathFn, Ty),
    /// A builtin that is evaluated lane by lane: an index into the calls.
    Library(u32),
}

/// Whether a builtin has a loop of its own for a type.
pub(crate) fn vectorises(fun: MathFn, ty: Ty) -> bool {
    if ty.is_float() {
        float::vectorises(fun) || (ty != Ty::F64 && float::vectorises_narrow(fun))
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
    /// [`AluOp::by_lane`].
    pub by_lane: bool,
}

/// Lanes of the vector loops.
pub(crate) const LANES: usize = 32;

/// What affine values are computed from.
#[derive(Clone, Copy)]
pub(crate) struct Affine<'a> {
    pub values: &'a [AffineValue],
    pub compares: &'a [AffineCompare],
    /// Of the sub-group.
    pub classes: &'a [LaneClass],
    /// `get_global_id` of the group's first work-item.
    pub first_id: &'a [u64; 3],
}

/// What a straight line of operations works on.
pub(crate) struct Line<'a> {
    pub vectors: Banks<'a, LANES>,
    /// Lane arrays of a register: 2 in a sub-group of 64.
    pub parts: u32,
    pub scalars: &'a mut Registers<1>,
    pub calls: &'a [Call],
    pub affine: Affine<'a>,
    /// Active lanes.
    pub mask: u64,
    /// Lanes outside of `mask` may be needed again, so that results must be
    /// blended (where the instruction says so).
    pub partial: bool,
    /// Blend whatever the instruction says.
    pub always_blend: bool,
}

impl Line<'_> {
    /// Whether lanes that are not active must keep their values.
    #[inline(always)]
    fn blends(&self, inst: &AluInst) -> bool {
        self.partial && (inst.blend || self.always_blend)
    }

    /// Copies a uniform result to the lanes where vector operations read it.
    #[inline(always)]
    fn spread(&mut self, ty: Ty, inst: &AluInst, bits: u64) {
        let blends = self.blends(inst);
        for index in 0..self.parts {
            let part = Part {
                index,
                count: self.parts,
            };
            let slot = part.slot(inst.spread);
            if blends {
                let mask = self.mask >> (index * LANES as u32);
                for lane in crate::lanes::each_lane(mask).take_while(|&l| l < LANES) {
                    self.vectors.set(ty, slot, lane, bits);
                }
            } else {
                self.vectors.splat(ty, slot, bits);
            }
        }
    }
}

/// Which lane arrays of `W` lanes an operation works on, where a register is
/// `count` of them.
#[derive(Clone, Copy)]
struct Part {
    index: u32,
    count: u32,
}

impl Part {
    const WHOLE: Part = Part { index: 0, count: 1 };

    /// Where this part of a register stands.
    #[inline(always)]
    const fn slot(self, slot: u32) -> u32 {
        slot.wrapping_mul(self.count).wrapping_add(self.index)
    }

    /// Where the registers of an instruction stand.
    #[inline(always)]
    const fn of(self, inst: &AluInst) -> Slots {
        Slots {
            dst: self.slot(inst.dst),
            a: self.slot(inst.a),
            b: self.slot(inst.b),
            c: self.slot(inst.c),
        }
    }
}

/// Where the operands and the result of an operation stand.
#[derive(Clone, Copy)]
struct Slots {
    dst: u32,
    a: u32,
    b: u32,
    c: u32,
}

impl AluOp {
    /// Whether the operation is not done on its operands' lane arrays: affine ones,
    /// which have none, and those done lane by lane, which are 16-bit arithmetic,
    /// which C promotes to 32 bits and half precision has no vector instructions for.
    pub fn by_lane(self) -> bool {
        match self {
            AluOp::Affine { .. } | AluOp::AffineCompare(_) => true,
            AluOp::Unary(_, ty)
            | AluOp::Binary(_, ty)
            | AluOp::Compare(_, ty)
            | AluOp::Math(_, ty) => ty.size() == 2,
            _ => false,
        }
    }

    /// Type of the result, if there is one result.
    fn result(self) -> Option<Ty> {
        match self {
            AluOp::Unary(_, ty)
            | AluOp::Binary(_, ty)
            | AluOp::Select(ty)
            | AluOp::Move(ty)
            | AluOp::Math(_, ty)
            | AluOp::Convert(_, _, ty) => Some(ty),
            AluOp::Affine { ty, .. } => Some(ty),
            AluOp::Compare(..) | AluOp::AffineCompare(_) => Some(Ty::Bool),
            AluOp::AddShifted { .. } | AluOp::AddScaled { .. } | AluOp::AddOffset(_) => {
                Some(Ty::Ptr)
            }
            AluOp::Library(_) => None,
        }
    }
}

/// One operation over `W` lanes. Only calls look at `mask`: they take too long
/// for lanes that are not active.
#[inline(always)]
fn execute<const W: usize>(
    banks: &mut Banks<'_, W>,
    calls: &[Call],
    part: Part,
    op: AluOp,
    at: Slots,
    mask: u64,
) {
    match op {
        AluOp::Unary(op, ty) => match ty {
            Ty::Bool => map::map1(banks.b1, at, |a| a ^ 1),
            Ty::I8 => integer::unary(op, banks.b1, at),
            Ty::I16 if W == 1 => integer::unary(op, banks.b2, at),
            Ty::I32 => integer::unary(op, banks.b4, at),
            Ty::I64 | Ty::Ptr => integer::unary(op, banks.b8, at),
            Ty::F16 if W == 1 => float::negate::<half::f16, _, W>(banks.b2, at),
            Ty::F32 => float::negate::<f32, _, W>(banks.b4, at),
            Ty::F64 => float::negate::<f64, _, W>(banks.b8, at),
            Ty::I16 | Ty::F16 => {}
        },
        AluOp::Binary(op, ty) => match ty {
            Ty::Bool | Ty::I8 => integer::binary(op, banks.b1, at),
            Ty::I16 if W == 1 => integer::binary(op, banks.b2, at),
            Ty::I32 => integer::binary(op, banks.b4, at),
            Ty::I64 | Ty::Ptr => integer::binary(op, banks.b8, at),
            Ty::F16 if W == 1 => float::binary::<half::f16, _, W>(op, banks.b2, at),
            Ty::F32 => float::binary::<f32, _, W>(op, banks.b4, at),
            Ty::F64 => float::binary::<f64, _, W>(op, banks.b8, at),
            Ty::I16 | Ty::F16 => {}
        },
        AluOp::Compare(op, ty) => {
            let Banks { b1, b2, b4, b8 } = banks;
            match ty {
                Ty::Bool | Ty::I8 => integer::compare_bytes(op, b1, at),
                Ty::I16 if W == 1 => integer::compare(op, b2, b1, at),
                Ty::I32 => integer::compare(op, b4, b1, at),
                Ty::I64 | Ty::Ptr => integer::compare(op, b8, b1, at),
                Ty::F16 if W == 1 => float::compare::<half::f16, _, W>(op, b2, b1, at),
                Ty::F32 => float::compare::<f32, _, W>(op, b4, b1, at),
                Ty::F64 => float::compare::<f64, _, W>(op, b8, b1, at),
                Ty::I16 | Ty::F16 => {}
            }
        }
        AluOp::Select(ty) => {
            let Banks { b1, b2, b4, b8 } = banks;
            let cond = b1[at.c as usize];
            match ty.size() {
                1 => map::select(&cond, b1, at),
                2 => map::select(&cond, b2, at),
                4 => map::select(&cond, b4, at),
                _ => map::select(&cond, b8, at),
            }
        }
        AluOp::Convert(op, from, to) => convert::convert(op, from, to, banks, at),
        AluOp::Move(ty) => match ty.size() {
            1 => map::map1(banks.b1, at, |a| a),
            2 => map::map1(banks.b2, at, |a| a),
            4 => map::map1(banks.b4, at, |a| a),
            _ => map::map1(banks.b8, at, |a| a),
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
            address(narrow, banks, at, add);
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
            address(narrow, banks, at, add);
        }
        AluOp::AddOffset(offset) => {
            map::map1(banks.b8, at, |a| a.wrapping_add(offset as u64));
        }
        AluOp::Math(fun, ty) => match ty {
            Ty::Bool | Ty::I8 => integer::math(fun, banks.b1, at),
            Ty::I16 if W == 1 => integer::math(fun, banks.b2, at),
            Ty::I32 => integer::math(fun, banks.b4, at),
            Ty::I64 | Ty::Ptr => integer::math(fun, banks.b8, at),
            Ty::F16 if W == 1 => float::math::<half::f16, _, W>(fun, banks.b2, at),
            Ty::F32 => float::math::<f32, _, W>(fun, banks.b4, at),
            Ty::F64 => float::math::<f64, _, W>(fun, banks.b8, at),
            Ty::I16 | Ty::F16 => {}
        },
        AluOp::Library(call) => library::call(&calls[call as usize], part, banks, mask),
        // Done by `affine`.
        AluOp::Affine { .. } | AluOp::AffineCompare(_) => {}
    }
}

/// `base + f(index)` over 64-bit lanes.
#[inline(always)]
fn address<const W: usize>(
    narrow: bool,
    banks: &mut Banks<'_, W>,
    at: Slots,
    add: impl Fn(u64, u64) -> u64,
) {
    if narrow {
        let index = &banks.b4[at.b as usize];
        let base = banks.b8[at.a as usize];
        let dst = &mut banks.b8[at.dst as usize];
        map::write(dst, |l| add(base[l], index[l] as i32 as i64 as u64));
    } else {
        map::map2(banks.b8, at, add);
    }
}
