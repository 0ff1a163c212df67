//! Arithmetic, logic and comparisons, component by component.

use rspirv::spirv::Op as S;
use tilewise_ir::{BinaryOp, CompareOp, Conversion, MathFn, Op, Ty, UnaryOp, Value};

use super::emitter::{Components, Emitter};
use crate::error::FrontendError;
use crate::spirv::{Id, Inst};

impl Emitter<'_, '_> {
    /// Emits an arithmetic instruction; false where it is none.
    pub fn arithmetic(&mut self, inst: &Inst) -> Result<bool, FrontendError> {
        let op = inst.op();
        let values = if let Some(op) = binary_op(op) {
            let (a, b) = self.two(inst)?;
            self.each_pair(&a, &b, |e, a, b| e.binary(op, a, b))?
        } else if let Some(op) = compare_op(op) {
            let (a, b) = self.two(inst)?;
            self.each_pair(&a, &b, |e, a, b| e.compare(op, a, b))?
        } else if let Some(op) = unary_op(op) {
            let a = self.values(inst.id(0)?)?;
            self.each(&a, |e, a| e.unary(op, a))?
        } else {
            match self.other_arithmetic(inst)? {
                Some(values) => values,
                None => return Ok(false),
            }
        };
        self.define(inst.result()?, inst.result_type()?, values)?;
        Ok(true)
    }

    fn other_arithmetic(&mut self, inst: &Inst) -> Result<Option<Components>, FrontendError> {
        Ok(Some(match inst.op() {
            S::Select => {
                let cond = self.values(inst.id(0)?)?;
                let a = self.values(inst.id(1)?)?;
                let b = self.values(inst.id(2)?)?;
                self.select_values(&cond, &a, &b)?
            }
            S::FMod => {
                let (a, b) = self.two(inst)?;
                self.each_pair(&a, &b, |e, a, b| e.floored_remainder(a, b))?
            }
            S::LogicalEqual => {
                let (a, b) = self.two(inst)?;
                self.each_pair(&a, &b, |e, a, b| {
                    let differ = e.binary(BinaryOp::Xor, a, b)?;
                    e.unary(UnaryOp::Not, differ)
                })?
            }
            S::Any | S::All => {
                let op = match inst.op() {
                    S::Any => BinaryOp::Or,
                    _ => BinaryOp::And,
                };
                let a = self.values(inst.id(0)?)?;
                Components::from_slice(&[self.fold(op, &a)?])
            }
            S::IsNan => {
                let a = self.values(inst.id(0)?)?;
                self.each(&a, |e, a| e.compare(CompareOp::FUno, a, a))?
            }
            S::IsInf => self.magnitude_test(inst, CompareOp::FOEq, f64::INFINITY)?,
            S::IsFinite => self.magnitude_test(inst, CompareOp::FOLt, f64::INFINITY)?,
            S::IsNormal => {
                let below = self.magnitude_test(inst, CompareOp::FOLt, f64::INFINITY)?;
                let a = self.values(inst.id(0)?)?;
                let least = match a.first().map(|&a| self.kernel.ty(a)) {
                    Some(Ty::F16) => 2f64.powi(-14),
                    Some(Ty::F64) => f64::MIN_POSITIVE,
                    _ => f64::from(f32::MIN_POSITIVE),
                };
                let above = self.magnitude_test(inst, CompareOp::FOGe, least)?;
                self.each_pair(&below, &above, |e, a, b| e.binary(BinaryOp::And, a, b))?
            }
            S::SignBitSet => {
                let a = self.values(inst.id(0)?)?;
                self.each(&a, |e, a| {
                    let ty = e.float_type(a)?;
                    let int = Ty::int(8 * ty.size()).unwrap_or(Ty::I64);
                    let bits = e.convert(Conversion::Bitcast, a, int)?;
                    let zero = e.constant(int, 0);
                    e.compare(CompareOp::SLt, bits, zero)
                })?
            }
            S::Dot => {
                let (a, b) = self.two(inst)?;
                let ty = self.scalar_of(inst.result_type()?)?;
                Components::from_slice(&[self.dot(ty, &a, &b)?])
            }
            S::VectorTimesScalar => {
                let a = self.values(inst.id(0)?)?;
                let b = self.value(inst.id(1)?)?;
                self.each(&a, |e, a| e.binary(BinaryOp::FMul, a, b))?
            }
            S::IAddCarry | S::ISubBorrow | S::UMulExtended | S::SMulExtended => {
                self.wide_arithmetic(inst)?
            }
            S::BitReverse => {
                let a = self.values(inst.id(0)?)?;
                self.each(&a, |e, a| e.reverse_bits(a))?
            }
            S::BitCount => {
                let a = self.values(inst.id(0)?)?;
                let to = self.scalar_of(inst.result_type()?)?;
                self.each(&a, |e, a| {
                    let count = e.math(MathFn::Popcount, e.kernel.ty(a), &[a])?;
                    e.convert(Conversion::Zext, count, to)
                })?
            }
            _ => return Ok(None),
        }))
    }

    /// The components of the first two operands.
    pub fn two(&mut self, inst: &Inst) -> Result<(Components, Components), FrontendError> {
        Ok((self.values(inst.id(0)?)?, self.values(inst.id(1)?)?))
    }

    /// Applies `f` to each component.
    pub fn each(
        &mut self,
        a: &[Value],
        mut f: impl FnMut(&mut Self, Value) -> Result<Value, FrontendError>,
    ) -> Result<Components, FrontendError> {
        a.iter().map(|&a| f(self, a)).collect()
    }

    /// Applies `f` to each pair of components.
    pub fn each_pair(
        &mut self,
        a: &[Value],
        b: &[Value],
        mut f: impl FnMut(&mut Self, Value, Value) -> Result<Value, FrontendError>,
    ) -> Result<Components, FrontendError> {
        if a.len() != b.len() {
            return Err(FrontendError::malformed(
                "an instruction mixes vectors of different lengths",
            ));
        }
        a.iter().zip(b).map(|(&a, &b)| f(self, a, b)).collect()
    }

    /// `OpSelect`: one condition for all components, or one each.
    pub fn select_values(
        &mut self,
        cond: &[Value],
        a: &[Value],
        b: &[Value],
    ) -> Result<Components, FrontendError> {
        if a.len() != b.len() || (cond.len() != 1 && cond.len() != a.len()) {
            return Err(FrontendError::malformed(
                "a selection mixes vectors of different lengths",
            ));
        }
        (0..a.len())
            .map(|i| self.select(cond[if cond.len() == 1 { 0 } else { i }], a[i], b[i]))
            .collect()
    }

    /// Combines all components of a vector into one.
    pub fn fold(&mut self, op: BinaryOp, a: &[Value]) -> Result<Value, FrontendError> {
        let Some((&first, rest)) = a.split_first() else {
            return Err(FrontendError::malformed("a vector without components"));
        };
        rest.iter()
            .try_fold(first, |acc, &next| self.binary(op, acc, next))
    }

    /// The type of a value that must be a floating-point number.
    pub fn float_type(&self, a: Value) -> Result<Ty, FrontendError> {
        let ty = self.kernel.ty(a);
        if ty.is_float() {
            Ok(ty)
        } else {
            Err(FrontendError::malformed(format!(
                "a floating-point instruction takes an operand of the type {ty}"
            )))
        }
    }

    fn magnitude_test(
        &mut self,
        inst: &Inst,
        op: CompareOp,
        limit: f64,
    ) -> Result<Components, FrontendError> {
        let a = self.values(inst.id(0)?)?;
        self.each(&a, |e, a| {
            let ty = e.float_type(a)?;
            let magnitude = e.math(MathFn::Fabs, ty, &[a])?;
            let limit = e.float(ty, limit);
            e.compare(op, magnitude, limit)
        })
    }

    /// `OpFMod`: the remainder with the sign of the divisor.
    fn floored_remainder(&mut self, a: Value, b: Value) -> Result<Value, FrontendError> {
        let ty = self.float_type(a)?;
        let zero = self.float(ty, 0.0);
        let r = self.binary(BinaryOp::FRem, a, b)?;
        let non_zero = self.compare(CompareOp::FONe, r, zero)?;
        let r_negative = self.compare(CompareOp::FOLt, r, zero)?;
        let b_negative = self.compare(CompareOp::FOLt, b, zero)?;
        let signs_differ = self.binary(BinaryOp::Xor, r_negative, b_negative)?;
        let adjust = self.binary(BinaryOp::And, non_zero, signs_differ)?;
        let adjusted = self.binary(BinaryOp::FAdd, r, b)?;
        self.select(adjust, adjusted, r)
    }

    /// Instructions that give a structure of low and high part.
    fn wide_arithmetic(&mut self, inst: &Inst) -> Result<Components, FrontendError> {
        let (a, b) = self.two(inst)?;
        let (low_op, high) = match inst.op() {
            S::IAddCarry => (BinaryOp::Add, None),
            S::ISubBorrow => (BinaryOp::Sub, None),
            S::UMulExtended => (BinaryOp::Mul, Some(MathFn::UMulHi)),
            _ => (BinaryOp::Mul, Some(MathFn::SMulHi)),
        };
        let borrows = inst.op() == S::ISubBorrow;
        let mut low = self.each_pair(&a, &b, |e, a, b| e.binary(low_op, a, b))?;
        let sums = low.clone();
        let mut high_parts = Components::new();
        for ((&a, &b), &sum) in a.iter().zip(&b).zip(&sums) {
            let ty = self.kernel.ty(a);
            high_parts.push(match high {
                Some(fun) => self.math(fun, ty, &[a, b])?,
                None => {
                    // A sum below one of its terms has wrapped.
                    let (x, y) = if borrows { (a, b) } else { (sum, a) };
                    let wrapped = self.compare(CompareOp::ULt, x, y)?;
                    self.convert(Conversion::Zext, wrapped, ty)?
                }
            });
        }
        low.extend(high_parts);
        Ok(low)
    }

    /// Swaps ever larger groups of bits.
    fn reverse_bits(&mut self, a: Value) -> Result<Value, FrontendError> {
        let ty = self.kernel.ty(a);
        let width = 8 * ty.size();
        let mut value = a;
        let mut step = 1;
        while step < width {
            let mut mask = 0u64;
            for bit in (0..width).filter(|bit| bit / step % 2 == 0) {
                mask |= 1 << bit;
            }
            let mask = self.constant(ty, mask);
            let count = self.constant(ty, u64::from(step));
            let up = self.binary(BinaryOp::And, value, mask)?;
            let up = self.binary(BinaryOp::Shl, up, count)?;
            let down = self.binary(BinaryOp::LShr, value, count)?;
            let down = self.binary(BinaryOp::And, down, mask)?;
            value = self.binary(BinaryOp::Or, up, down)?;
            step *= 2;
        }
        Ok(value)
    }

    /// `OpPtrEqual`, `OpPtrNotEqual` and `OpPtrDiff`.
    pub fn compare_pointers(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let a = self.value(inst.id(0)?)?;
        let b = self.value(inst.id(1)?)?;
        let value = match inst.op() {
            S::PtrEqual => self.compare(CompareOp::Eq, a, b)?,
            S::PtrNotEqual => self.compare(CompareOp::Ne, a, b)?,
            _ => {
                let (_, pointee) = self.module.pointer(self.type_of(inst.id(0)?)?)?;
                let size = self.module.ty(pointee)?.size.max(1);
                let a = self.convert(Conversion::Bitcast, a, Ty::I64)?;
                let b = self.convert(Conversion::Bitcast, b, Ty::I64)?;
                let bytes = self.binary(BinaryOp::Sub, a, b)?;
                let size = self.constant(Ty::I64, size);
                let count = self.binary(BinaryOp::SDiv, bytes, size)?;
                let to = self.scalar_of(inst.result_type()?)?;
                self.convert(Conversion::Sext, count, to)?
            }
        };
        let values = Components::from_slice(&[value]);
        self.define(inst.result()?, inst.result_type()?, values)
    }

    /// Pushes an operation whose single result has a SPIR-V id.
    pub fn push_result(
        &mut self,
        id: Id,
        ty: Id,
        scalar: Ty,
        op: impl FnOnce(Value) -> Op,
    ) -> Result<(), FrontendError> {
        let dst = self.result(scalar);
        self.push(op(dst))?;
        self.define(id, ty, Components::from_slice(&[dst]))
    }
}

fn binary_op(op: S) -> Option<BinaryOp> {
    Some(match op {
        S::IAdd => BinaryOp::Add,
        S::ISub => BinaryOp::Sub,
        S::IMul => BinaryOp::Mul,
        S::SDiv => BinaryOp::SDiv,
        S::UDiv => BinaryOp::UDiv,
        S::SRem => BinaryOp::SRem,
        S::SMod => BinaryOp::SMod,
        S::UMod => BinaryOp::URem,
        S::FAdd => BinaryOp::FAdd,
        S::FSub => BinaryOp::FSub,
        S::FMul => BinaryOp::FMul,
        S::FDiv => BinaryOp::FDiv,
        S::FRem => BinaryOp::FRem,
        S::BitwiseAnd | S::LogicalAnd => BinaryOp::And,
        S::BitwiseOr | S::LogicalOr => BinaryOp::Or,
        S::BitwiseXor | S::LogicalNotEqual => BinaryOp::Xor,
        S::ShiftLeftLogical => BinaryOp::Shl,
        S::ShiftRightLogical => BinaryOp::LShr,
        S::ShiftRightArithmetic => BinaryOp::AShr,
        _ => return None,
    })
}

fn unary_op(op: S) -> Option<UnaryOp> {
    Some(match op {
        S::SNegate => UnaryOp::Neg,
        S::Not | S::LogicalNot => UnaryOp::Not,
        S::FNegate => UnaryOp::FNeg,
        _ => return None,
    })
}

fn compare_op(op: S) -> Option<CompareOp> {
    Some(match op {
        S::IEqual => CompareOp::Eq,
        S::INotEqual => CompareOp::Ne,
        S::SLessThan => CompareOp::SLt,
        S::SLessThanEqual => CompareOp::SLe,
        S::SGreaterThan => CompareOp::SGt,
        S::SGreaterThanEqual => CompareOp::SGe,
        S::ULessThan => CompareOp::ULt,
        S::ULessThanEqual => CompareOp::ULe,
        S::UGreaterThan => CompareOp::UGt,
        S::UGreaterThanEqual => CompareOp::UGe,
        S::FOrdEqual => CompareOp::FOEq,
        S::FOrdNotEqual | S::LessOrGreater => CompareOp::FONe,
        S::FOrdLessThan => CompareOp::FOLt,
        S::FOrdLessThanEqual => CompareOp::FOLe,
        S::FOrdGreaterThan => CompareOp::FOGt,
        S::FOrdGreaterThanEqual => CompareOp::FOGe,
        S::FUnordEqual => CompareOp::FUEq,
        S::FUnordNotEqual => CompareOp::FUNe,
        S::FUnordLessThan => CompareOp::FULt,
        S::FUnordLessThanEqual => CompareOp::FULe,
        S::FUnordGreaterThan => CompareOp::FUGt,
        S::FUnordGreaterThanEqual => CompareOp::FUGe,
        S::Ordered => CompareOp::FOrd,
        S::Unordered => CompareOp::FUno,
        _ => return None,
    })
}
