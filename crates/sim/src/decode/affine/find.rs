//! Which values are affine.

use std::collections::HashMap;

use tilewise_ir::loops::Loops;
use tilewise_ir::{
    BinaryOp, BlockId, CompareOp, Conversion, Kernel, Op, Ty, UnaryOp, Value, ValueDef,
    WorkItemQuery,
};

use super::form::{Base, Form};
use super::induction::{Candidate, Increment, candidates, increment};
use crate::affine::AffineCompare;

/// The affine values of a kernel under one launch.
pub(in crate::decode) struct AffineForms {
    forms: Vec<Option<Form>>,
    /// By parameter of a loop's header.
    increments: HashMap<Value, Increment>,
}

/// What is known before.
pub(in crate::decode) struct Given<'a> {
    pub kernel: &'a Kernel,
    pub loops: &'a Loops,
    /// Computed once per sub-group.
    pub scalar: &'a [bool],
    /// Bits of the values that the launch fixes.
    pub fixed: &'a [Option<u64>],
    /// By block: lanes of a sub-group may be in different iterations of a loop there.
    pub overtaken: &'a [bool],
}

/// Passes over the kernel, whose blocks may stand in any order.
const PASSES: usize = 4;

impl AffineForms {
    /// None at all.
    pub fn none(kernel: &Kernel) -> Self {
        Self {
            forms: vec![None; kernel.values.len()],
            increments: HashMap::new(),
        }
    }

    /// Finds them, but for values whose operands are looked at lane by lane. All
    /// cycles of the kernel must be loops ([`Loops::irreducible`]).
    pub fn find(given: &Given<'_>, by_lane: impl Fn(Value) -> bool) -> Self {
        let kernel = given.kernel;
        let mut candidates = candidates(kernel, given.loops, |b| given.overtaken[b.index()]);
        candidates.retain(|c| is_number(kernel.ty(c.param)) && !given.scalar[c.param.index()]);
        loop {
            let mut found = Self::none(kernel);
            found.propagate(given, &candidates, &by_lane);
            let before = candidates.len();
            candidates.retain(|c| match found.increment(given, c) {
                Some(increment) => {
                    found.increments.insert(c.param, increment);
                    true
                }
                None => found.of(c.param).is_none(),
            });
            if candidates.len() == before {
                return found;
            }
        }
    }

    /// Propagates sums from ids and from parameters of loops.
    fn propagate(
        &mut self,
        given: &Given<'_>,
        candidates: &[Candidate],
        by_lane: &impl Fn(Value) -> bool,
    ) {
        for _ in 0..PASSES {
            let mut changed = false;
            for candidate in candidates {
                let param = candidate.param;
                if self.forms[param.index()].is_none() {
                    self.forms[param.index()] = self.entered(given, candidate);
                    changed |= self.forms[param.index()].is_some();
                }
            }
            for id in given.kernel.block_ids() {
                for inst in &given.kernel.block(id).insts {
                    let Some((dst, form)) = self.result(given, &inst.op, id) else {
                        continue;
                    };
                    let differs = !given.scalar[dst.index()] && form.has_lanes() && !by_lane(dst);
                    if differs && self.forms[dst.index()].is_none() {
                        self.forms[dst.index()] = Some(form);
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// The sum that a parameter of a loop is if the loop adds the same for all lanes.
    fn entered(&self, given: &Given<'_>, candidate: &Candidate) -> Option<Form> {
        let (value, block) = candidate.first;
        let first = self.operand(given, value, block)?;
        let form = first.plus(&Form::base(Base::Added(candidate.param)))?;
        first.has_lanes().then_some(form)
    }

    /// What the loop adds to a parameter, if that is the same for all lanes.
    fn increment(&self, given: &Given<'_>, candidate: &Candidate) -> Option<Increment> {
        let param = self.of(candidate.param)?;
        let (value, block) = candidate.next;
        let next = self.operand(given, value, block)?;
        let ty = given.kernel.ty(candidate.param);
        let is_of_type = |v: Value| given.kernel.ty(v).size() == ty.size();
        increment(param, &next, ty == Ty::I32, is_of_type)
    }

    /// The parameters of loops that are affine, with what the loop adds each time.
    pub fn increments(&self) -> impl Iterator<Item = (Value, Increment)> + '_ {
        self.increments.iter().map(|(&param, &by)| (param, by))
    }

    /// What a loop adds to a parameter of its header each time.
    pub fn increment_of(&self, param: Value) -> Option<Increment> {
        self.increments.get(&param).copied()
    }

    /// The sum that a value is, wherever that holds.
    pub fn of(&self, value: Value) -> Option<&Form> {
        self.forms[value.index()].as_ref()
    }

    /// The sum that a value is in a block.
    pub fn at(&self, given: &Given<'_>, value: Value, block: BlockId) -> Option<&Form> {
        let form = self.of(value)?;
        form.bases().all(|b| holds(given, b, block)).then_some(form)
    }

    /// A comparison of integers whose one side is affine and whose other is uniform:
    /// which is which, and the operation with the affine side first.
    pub fn comparison(
        &self,
        given: &Given<'_>,
        op: &Op,
        block: BlockId,
    ) -> Option<(CompareOp, Value, Value)> {
        let Op::Compare { op, dst, a, b } = *op else {
            return None;
        };
        if given.scalar[dst.index()] || !AffineCompare::handles(op) {
            return None;
        }
        let sides = |affine: Value, with: Value| {
            given.scalar[with.index()] && self.at(given, affine, block).is_some()
        };
        if sides(a, b) {
            Some((op, a, b))
        } else if sides(b, a) {
            Some((AffineCompare::turned(op), b, a))
        } else {
            None
        }
    }

    fn operand(&self, given: &Given<'_>, value: Value, block: BlockId) -> Option<Form> {
        let ty = given.kernel.ty(value);
        if !is_number(ty) {
            return None;
        }
        if let Some(bits) = given.fixed[value.index()] {
            return Some(Form::constant(match ty {
                Ty::I32 => i64::from(bits as i32),
                _ => bits as i64,
            }));
        }
        if given.scalar[value.index()] {
            let base = Base::Value(value);
            return holds(given, base, block).then(|| Form::base(base));
        }
        self.at(given, value, block).cloned()
    }

    fn result(&self, given: &Given<'_>, op: &Op, block: BlockId) -> Option<(Value, Form)> {
        let operand = |v: Value| self.operand(given, v, block);
        let ty = |v: Value| given.kernel.ty(v);
        let (dst, form) = match *op {
            Op::WorkItem { dst, query, dim } => {
                let dim = usize::from(dim).min(2);
                let local = Form::local_id(dim);
                let form = match query {
                    WorkItemQuery::LocalId => local,
                    WorkItemQuery::GlobalId => local.plus(&Form::base(Base::FirstId(dim as u8)))?,
                    _ => return None,
                };
                (dst, form)
            }
            Op::Unary {
                op: UnaryOp::Neg,
                dst,
                a,
            } => (dst, operand(a)?.times(-1)),
            Op::Binary { op, dst, a, b } => {
                let (a, b) = (operand(a)?, operand(b)?);
                let bits = i64::from(ty(dst).size()) * 8;
                let form = match op {
                    BinaryOp::Add => a.plus(&b)?,
                    BinaryOp::Sub => a.plus(&b.times(-1))?,
                    BinaryOp::Mul => match (a.as_constant(), b.as_constant()) {
                        (_, Some(factor)) => a.times(factor),
                        (Some(factor), _) => b.times(factor),
                        _ => return None,
                    },
                    // The shift counts modulo the type's bits, as in OpenCL C.
                    BinaryOp::Shl => a.times(1 << (b.as_constant()? & (bits - 1))),
                    _ => return None,
                };
                (dst, form)
            }
            Op::Convert { op, dst, a } => {
                let form = operand(a)?;
                let form = match (op, ty(a).size(), ty(dst).size()) {
                    (Conversion::Sext | Conversion::Zext, 8, 4) => form.truncated()?,
                    (Conversion::Sext | Conversion::Zext, 4, 8) => {
                        form.extended(op == Conversion::Sext)?
                    }
                    (
                        Conversion::Sext
                        | Conversion::Zext
                        | Conversion::Bitcast
                        | Conversion::Copy,
                        from,
                        to,
                    ) if from == to => form,
                    _ => return None,
                };
                (dst, form)
            }
            Op::PtrAdd {
                dst,
                base,
                index,
                scale,
                offset,
                ..
            } => {
                let mut form = operand(base)?.plus(&Form::constant(offset))?;
                if let Some(index) = index {
                    let number = operand(index)?;
                    // Scalars and constants are read as signed numbers.
                    let uniform = given.scalar[index.index()];
                    let number = match ty(index) {
                        Ty::I32 if !uniform => number.extended(true)?,
                        _ => number,
                    };
                    form = form.plus(&number.times(scale))?;
                }
                (dst, form)
            }
            _ => return None,
        };
        let form = match ty(dst) {
            Ty::I32 => form.truncated()?,
            Ty::I64 | Ty::Ptr => form,
            _ => return None,
        };
        Some((dst, form))
    }
}

fn is_number(ty: Ty) -> bool {
    matches!(ty, Ty::I32 | Ty::I64 | Ty::Ptr)
}

/// Whether a base holds in a block what it held where the sum was formed, for lanes
/// that may have left a loop before others.
fn holds(given: &Given<'_>, base: Base, block: BlockId) -> bool {
    let (Base::Value(value) | Base::Added(value)) = base else {
        return true;
    };
    match given.kernel.values[value.index()].def {
        ValueDef::Const(_) | ValueDef::Param => true,
        ValueDef::BlockParam(set) | ValueDef::Inst(set) => {
            let mut around = given.loops.around(set);
            around.all(|l| given.loops.all()[l].contains(block))
        }
    }
}
