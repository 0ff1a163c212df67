//! What the operations of a kernel become on a GPU when a compiler has looked
//! at the code around them.
//!
//! - Constant offsets of addresses are part of the memory instruction: of
//!   several addresses that differ by constants, one is computed, where it
//!   dominates the others.
//! - An address that moves by a fixed amount per iteration is stepped by one
//!   addition ([`Induction`]).
//! - Extensions, copies, bit casts, block parameters and sign changes are free.
//! - A comparison that only branches use is part of the branch; truth values
//!   are combined for free.
//! - A product that only a sum uses is part of it: floats where contraction is
//!   allowed, integers always; so is a shift by a constant.
//! - A 32-bit sum that only another sum, a minimum, a maximum or a clamp uses is
//!   part of it: GPUs add three operands in one instruction (NVIDIA's `IADD3`
//!   and `VIADDMNMX`, AMD's `v_add3_u32` and, for clamps, `v_med3_i32`).
//! - Local loads that merge are one ([`LocalMerges`]).
//! - What nothing needs after all this is dropped.

use std::collections::HashMap;

use smallvec::SmallVec;
use tilewise_ir::cfg::Cfg;
use tilewise_ir::dominance::Dominators;
use tilewise_ir::{
    BinaryOp, BlockId, Conversion, InstId, Kernel, MathFn, Numbering, Op, Terminator, Ty, Value,
    ValueDef,
};

use super::cost::IssueCost;
use super::induction::Induction;
use super::operations::cost_of;
use crate::affine::{Atom, Forms};
use crate::banks::{LocalMerges, MergeRole};
use crate::shape::MemoryShape;

/// Farthest that an address may lie from the one it shares a register with:
/// the immediate offset of NVIDIA's memory instructions has 24 bits.
const OFFSET_REACH: u64 = 1 << 23;

/// Whether a compiler may fuse a product and a sum of floats
/// (`FP_CONTRACT`; OpenCL C allows it unless a pragma forbids).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contraction {
    /// It may.
    Allowed,
    /// It may not.
    Forbidden,
}

/// What each instruction and terminator of a kernel issues.
#[derive(Clone, Debug)]
pub struct Lowering {
    costs: Vec<IssueCost>,
}

impl Lowering {
    /// Lowers a kernel for a device.
    pub fn new(kernel: &Kernel, shape: &MemoryShape, contraction: Contraction) -> Self {
        let mut state = Folding::new(kernel);
        state.share_addresses();
        state.step_addresses();
        state.demand_roots();
        state.fold_products(contraction);
        state.fold_comparisons();
        let merges = if shape.merges_local_loads {
            LocalMerges::new(kernel, shape.access_bytes)
        } else {
            LocalMerges::none(kernel)
        };
        let costs = (0..state.numbering.len())
            .map(|i| {
                let id = InstId::new(i);
                if !state.demanded[i] || state.folded[i] {
                    return IssueCost::FREE;
                }
                match (state.op(id), merges.role(id)) {
                    (_, MergeRole::Served) => IssueCost::FREE,
                    (_, MergeRole::Leads { .. }) => IssueCost::memory(1),
                    _ if state.stepped[i].is_some() => IssueCost::integer(1),
                    (Some(op), MergeRole::Alone) => cost_of(kernel, shape, op),
                    (None, MergeRole::Alone) => state.terminator_cost(id),
                }
            })
            .collect();
        Self { costs }
    }

    /// What an instruction issues.
    pub fn cost(&self, inst: InstId) -> IssueCost {
        self.costs.get(inst.index()).copied().unwrap_or_default()
    }
}

/// Who reads a value.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    count: u32,
    /// The last reader that is an instruction or terminator.
    by: Option<InstId>,
}

struct Folding<'a> {
    kernel: &'a Kernel,
    numbering: Numbering,
    cfg: Cfg,
    forms: Forms,
    defined_by: Vec<Option<InstId>>,
    uses: Vec<Uses>,
    demanded: Vec<bool>,
    demanded_params: Vec<bool>,
    folded: Vec<bool>,
    /// Memory instructions whose address is another's, a constant aside.
    shares_address: Vec<bool>,
    /// Address computations that a loop steps, with the values that their
    /// start and step are computed from.
    stepped: Vec<Option<Vec<Value>>>,
    work: Vec<InstId>,
}

impl<'a> Folding<'a> {
    fn new(kernel: &'a Kernel) -> Self {
        let numbering = kernel.numbering();
        let cfg = Cfg::new(kernel);
        let mut defined_by = vec![None; kernel.values.len()];
        let mut uses = vec![Uses::default(); kernel.values.len()];
        for block in kernel.block_ids() {
            let data = kernel.block(block);
            let mut read = |v: Value, by: Option<InstId>| {
                let uses = &mut uses[v.index()];
                uses.count += 1;
                uses.by = by.or(uses.by);
            };
            for (i, inst) in data.insts.iter().enumerate() {
                let id = numbering.id(block, i);
                inst.op.for_each_def(|v| defined_by[v.index()] = Some(id));
                inst.op.for_each_use(|v| read(v, Some(id)));
            }
            let end = numbering.id(block, data.insts.len());
            data.term
                .condition()
                .into_iter()
                .for_each(|v| read(v, Some(end)));
            for edge in data.term.edges() {
                edge.args.iter().for_each(|&v| read(v, None));
            }
        }
        let insts = numbering.len();
        Self {
            forms: Forms::new(kernel, &cfg),
            kernel,
            cfg,
            defined_by,
            uses,
            demanded: vec![false; insts],
            demanded_params: vec![false; kernel.values.len()],
            folded: vec![false; insts],
            shares_address: vec![false; insts],
            stepped: vec![None; insts],
            work: Vec::new(),
            numbering,
        }
    }

    /// The operation behind an id; `None` for a terminator.
    fn op(&self, id: InstId) -> Option<&'a Op> {
        let (block, index) = self.numbering.position(id);
        self.kernel.block(block).insts.get(index).map(|i| &i.op)
    }

    fn definition(&self, value: Value) -> Option<(InstId, &'a Op)> {
        let id = self.defined_by[value.index()]?;
        Some((id, self.op(id)?))
    }

    /// Finds the memory instructions that can take another's address.
    fn share_addresses(&mut self) {
        type Terms = SmallVec<[(Atom, i64); 4]>;
        let dominators = Dominators::new(&self.cfg);
        let mut leaders: HashMap<Terms, Vec<(BlockId, i64)>> = HashMap::new();
        for &block in self.cfg.reverse_post_order() {
            for (i, inst) in self.kernel.block(block).insts.iter().enumerate() {
                let Some(ptr) = address(&inst.op) else {
                    continue;
                };
                let form = self.forms.get(ptr);
                let known = leaders.entry(form.terms().into()).or_default();
                let shared = known.iter().any(|&(leader, constant)| {
                    dominators.dominates(leader, block)
                        && constant.abs_diff(form.constant) < OFFSET_REACH
                });
                if shared {
                    self.shares_address[self.numbering.id(block, i).index()] = true;
                } else {
                    known.push((block, form.constant));
                }
            }
        }
    }

    /// Finds the addresses that loops step.
    fn step_addresses(&mut self) {
        let dominators = Dominators::new(&self.cfg);
        let induction = Induction::new(
            self.kernel,
            &self.cfg,
            &dominators,
            &self.numbering,
            &self.defined_by,
        );
        for &block in self.cfg.reverse_post_order() {
            for inst in &self.kernel.block(block).insts {
                let Some(ptr) = address(&inst.op) else {
                    continue;
                };
                if let Some((id, Op::PtrAdd { .. })) = self.definition(ptr)
                    && let Some(starts) = induction.stepped(ptr, block)
                {
                    self.stepped[id.index()] = Some(starts);
                }
            }
        }
    }

    /// Marks everything that effects and branches need.
    fn demand_roots(&mut self) {
        for &block in self.cfg.reverse_post_order() {
            let data = self.kernel.block(block);
            for (i, inst) in data.insts.iter().enumerate() {
                // A load that nothing reads is kept where it is volatile only,
                // but the machine runs it and counts its traffic.
                if !inst.op.is_pure() {
                    self.work.push(self.numbering.id(block, i));
                }
            }
            self.work.push(self.numbering.id(block, data.insts.len()));
        }
        while let Some(id) = self.work.pop() {
            if !std::mem::replace(&mut self.demanded[id.index()], true) {
                self.demand_operands(id);
            }
        }
    }

    fn demand_operands(&mut self, id: InstId) {
        let Some(op) = self.op(id) else {
            let (block, _) = self.numbering.position(id);
            let condition = self.kernel.block(block).term.condition();
            condition.into_iter().for_each(|v| self.demand(v));
            return;
        };
        if let Some(starts) = self.stepped[id.index()].clone() {
            starts.into_iter().for_each(|v| self.demand(v));
            return;
        }
        let skipped = if self.shares_address[id.index()] {
            address(op)
        } else {
            None
        };
        match *op {
            Op::PtrAdd { base, index, .. } => {
                self.demand(base);
                if let Some(index) = index {
                    let root = self.without_constants(index);
                    self.demand(root);
                }
            }
            _ => op.for_each_use(|v| {
                if Some(v) != skipped {
                    self.demand(v);
                }
            }),
        }
    }

    fn demand(&mut self, value: Value) {
        if let Some(id) = self.defined_by[value.index()] {
            self.work.push(id);
            return;
        }
        let ValueDef::BlockParam(block) = self.kernel.values[value.index()].def else {
            return;
        };
        if std::mem::replace(&mut self.demanded_params[value.index()], true) {
            return;
        }
        let params = &self.kernel.block(block).params;
        let Some(at) = params.iter().position(|&p| p == value) else {
            return;
        };
        for pred in self.cfg.predecessors(block).to_vec() {
            for edge in self.kernel.block(pred).term.edges() {
                if edge.block == block {
                    self.demand(edge.args[at]);
                }
            }
        }
    }

    /// An index without the constants that an address takes for free: those
    /// added, and those multiplied with, which join the scale.
    fn without_constants(&self, mut value: Value) -> Value {
        loop {
            let inner = match self.definition(value) {
                Some((
                    _,
                    &Op::Convert {
                        op: Conversion::Sext | Conversion::Zext | Conversion::Copy,
                        a,
                        ..
                    },
                )) => a,
                Some((_, &Op::Binary { op, a, b, .. })) => {
                    let foldable = matches!(
                        op,
                        BinaryOp::Add
                            | BinaryOp::Sub
                            | BinaryOp::Or
                            | BinaryOp::Mul
                            | BinaryOp::Shl
                    );
                    let looked_into = self.forms.get(value).terms() != [(Atom::Value(value), 1)];
                    match (self.kernel.constant(a), self.kernel.constant(b)) {
                        (_, Some(_)) if foldable && looked_into => a,
                        (Some(_), None)
                            if matches!(op, BinaryOp::Add | BinaryOp::Mul) && looked_into =>
                        {
                            b
                        }
                        _ => return value,
                    }
                }
                _ => return value,
            };
            value = inner;
        }
    }

    /// Folds products, shifts and sums into the instructions that alone use
    /// them. Each instruction takes one: it has three operands.
    fn fold_products(&mut self, contraction: Contraction) {
        let mut full = vec![false; self.numbering.len()];
        for i in 0..self.numbering.len() {
            if !self.demanded[i] {
                continue;
            }
            let id = InstId::new(i);
            let operands: SmallVec<[Value; 3]> = match self.op(id) {
                Some(&Op::Binary { a, b, .. }) => SmallVec::from_slice(&[b, a]),
                Some(Op::Math { fun, args, .. }) if takes_a_sum(*fun) => {
                    args.iter().copied().take(1).collect()
                }
                _ => continue,
            };
            let inner = operands.into_iter().find_map(|v| {
                let (inst, def) = self.definition(v)?;
                let alone = self.uses[v.index()].count == 1 && self.demanded[inst.index()];
                (alone && self.folds(id, v, def, contraction) && !full[inst.index()])
                    .then_some(inst)
            });
            if let Some(inner) = inner {
                self.folded[inner.index()] = true;
                full[i] = true;
            }
        }
    }

    /// Whether the value `v`, which `def` computes, can be part of the
    /// instruction that uses it.
    fn folds(&self, user: InstId, v: Value, def: &Op, contraction: Contraction) -> bool {
        let &Op::Binary {
            op: inner, b: by, ..
        } = def
        else {
            return false;
        };
        let small = self.kernel.ty(v).size() <= 4;
        let by_constant = self.kernel.constant(by).is_some();
        match (self.op(user), inner) {
            (
                Some(Op::Binary {
                    op: BinaryOp::FAdd | BinaryOp::FSub,
                    ..
                }),
                BinaryOp::FMul,
            ) => contraction == Contraction::Allowed,
            (
                Some(Op::Binary {
                    op: BinaryOp::Add | BinaryOp::Sub,
                    ..
                }),
                BinaryOp::Mul | BinaryOp::Add | BinaryOp::Sub,
            ) => small,
            (
                Some(Op::Binary {
                    op: BinaryOp::Add, ..
                }),
                BinaryOp::Shl | BinaryOp::Or,
            ) => small && by_constant,
            (Some(Op::Math { .. }), BinaryOp::Add | BinaryOp::Sub) => small,
            _ => false,
        }
    }

    /// Folds comparisons into the branches that alone use them.
    fn fold_comparisons(&mut self) {
        for i in 0..self.numbering.len() {
            let Some(Op::Compare { dst, .. }) = self.op(InstId::new(i)) else {
                continue;
            };
            let uses = self.uses[dst.index()];
            if uses.count == 1 && uses.by.is_some_and(|by| self.op(by).is_none()) {
                self.folded[i] = true;
            }
        }
    }

    fn terminator_cost(&self, id: InstId) -> IssueCost {
        let (block, _) = self.numbering.position(id);
        match &self.kernel.block(block).term {
            Terminator::Jump(_) | Terminator::Unreachable => IssueCost::FREE,
            Terminator::Branch { .. } | Terminator::Return => IssueCost::control(1),
            Terminator::Switch { cases, value, .. } => {
                let steps = (cases.len() as u32 + 1).next_power_of_two().ilog2() as u16;
                let words = if self.kernel.ty(*value) == Ty::I64 {
                    2
                } else {
                    1
                };
                IssueCost {
                    integer: steps * (words - 1),
                    ..IssueCost::control(steps)
                }
            }
        }
    }
}

/// Whether the first operand of an integer function may be a sum.
fn takes_a_sum(fun: MathFn) -> bool {
    matches!(
        fun,
        MathFn::SMin | MathFn::SMax | MathFn::UMin | MathFn::UMax | MathFn::SClamp | MathFn::UClamp
    )
}

/// The address of a load, store or atomic.
fn address(op: &Op) -> Option<Value> {
    match *op {
        Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::Atomic { ptr, .. } => Some(ptr),
        _ => None,
    }
}
