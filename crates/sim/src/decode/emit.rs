//! Writes the steps of a kernel.

use std::collections::HashMap;

use smallvec::SmallVec;
use tilewise_ir::{
    BarrierScope, BinaryOp, BlockId, Conversion, Edge, Fence, InstId, Kernel, MathFn, Numbering,
    Op, SiteId, Terminator, Ty, Value,
};
use tilewise_launch::Launch;

use super::emit_affine::AffineSteps;
use super::facts::{Facts, divides_safely, is_division};
use super::fixed;
use super::members::{self, MemberAccess};
use super::moves;
use super::needed::Needed;
use super::prepared::{DecodeOptions, Prepared, QueryHome};
use super::shifts::{self, ShiftMask};
use super::slots::Slots;
use super::step::{
    At, Dest, DivideStep, EdgeCode, Line, LoadStep, MemberIndexStep, Operand, ShiftCountStep, Step,
    StoreStep, SwitchStep,
};
use super::whole::{is_serial, loop_counters, loop_sites, private_init};
use crate::alu::{AluInst, AluOp, Call, NO_SLOT, vectorises};
use crate::error::SimError;
use crate::memory::Regions;
use crate::semantics::math;

/// Decodes a verified kernel.
pub(super) fn prepare(
    kernel: &Kernel,
    launch: &Launch,
    width: u32,
    regions: Regions,
    options: DecodeOptions,
) -> Result<Prepared, SimError> {
    let DecodeOptions {
        reference,
        without_results,
        shift_counts,
        member_arrays,
    } = options;
    // What is looked at in front of an operation is a result.
    let needed = if without_results && !shift_counts && !member_arrays {
        Needed::without_results(kernel, &regions)
    } else {
        Needed::everything(kernel)
    };
    let mut fixed = fixed::by_launch(kernel, launch, &regions)?;
    if !reference {
        fixed::fold(kernel, &launch.range, &mut fixed);
    }
    let members = if member_arrays {
        members::accesses(kernel)
    } else {
        HashMap::new()
    };
    let facts = Facts::new(
        kernel,
        &launch.range,
        width,
        &fixed,
        &needed,
        &members,
        reference,
    );
    let mut emitter = Emitter {
        kernel,
        facts: &facts,
        needed: &needed,
        fixed: &fixed,
        affine: AffineSteps::new(kernel),
        slots: Slots::new(kernel, &facts),
        numbering: kernel.numbering(),
        steps: Vec::new(),
        code: Vec::new(),
        calls: Vec::new(),
        line: None,
        starts: vec![0; kernel.blocks.len()],
        counters: loop_counters(kernel, &facts),
        shift_masks: if shift_counts {
            shifts::masks(kernel)
        } else {
            HashMap::new()
        },
        member_accesses: &members,
        queries: Vec::new(),
        scalar_constants: Vec::new(),
        vector_constants: Vec::new(),
    };
    emitter.constants();
    emitter.pin();
    for block in &kernel.blocks {
        for &param in &block.params {
            emitter.slots.define(param);
        }
    }
    // Values that live from block to block keep their registers throughout;
    // they come before those that share.
    for i in 0..kernel.values.len() {
        if !facts.block_local[i] && !facts.pinned[i] {
            emitter.slots.define(Value::new(i));
        }
    }
    for id in kernel.block_ids() {
        emitter.block(id)?;
    }
    emitter.link();
    let (scalar_sizes, vector_sizes) = emitter.slots.sizes();
    let counted_loops = emitter.counters.iter().flatten().count();
    let loop_sites = loop_sites(kernel, &facts.loops, &emitter.numbering);
    Ok(Prepared {
        lengths: regions.lengths(),
        places: regions.places(),
        spaces: regions.all().iter().map(|r| r.space).collect(),
        private_init: private_init(kernel, launch, &regions),
        regions,
        range: launch.range,
        width,
        steps: emitter.steps,
        code: emitter.code,
        calls: emitter.calls,
        affine: emitter.affine.values,
        classes: emitter.affine.classes,
        compares: emitter.affine.compares,
        scalar_sizes,
        vector_sizes,
        scalar_constants: emitter.scalar_constants,
        vector_constants: emitter.vector_constants,
        queries: emitter.queries,
        counted_loops,
        serial: is_serial(kernel),
        starts: emitter.starts,
        loops: facts.loops.clone(),
        loop_sites,
        reference,
    })
}

pub(super) struct Emitter<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) facts: &'k Facts,
    pub(super) needed: &'k Needed,
    /// Bits of the values that the launch fixes.
    pub(super) fixed: &'k [Option<u64>],
    pub(super) affine: AffineSteps,
    pub(super) slots: Slots<'k>,
    numbering: Numbering,
    steps: Vec<Step>,
    pub(super) code: Vec<AluInst>,
    calls: Vec<Call>,
    /// The line of pure instructions being written.
    line: Option<Line>,
    /// First step of each block.
    starts: Vec<u32>,
    pub(super) counters: Vec<Option<u32>>,
    /// Where counts of shifts are taken modulo the number of bits.
    shift_masks: HashMap<Value, ShiftMask>,
    /// By address: what accesses the element of a member array.
    member_accesses: &'k HashMap<Value, MemberAccess>,
    queries: Vec<QueryHome>,
    pub(super) scalar_constants: Vec<(Ty, u32, u64)>,
    vector_constants: Vec<(Ty, u32, u64)>,
}

impl Emitter<'_> {
    /// Gives constants, kernel parameters and addresses of variables their values.
    fn constants(&mut self) {
        for i in 0..self.kernel.values.len() {
            if let Some(bits) = self.fixed[i] {
                self.constant(Value::new(i), bits);
            }
        }
    }

    fn constant(&mut self, value: Value, bits: u64) {
        let ty = self.kernel.ty(value);
        if let Some(slot) = self.slots.scalar_of(value) {
            self.scalar_constants.push((ty, slot, bits));
        }
        if let Some(slot) = self.slots.vector_of(value) {
            self.vector_constants.push((ty, slot, bits));
        }
    }

    /// Gives registers to what instructions fix once: ids and addresses.
    fn pin(&mut self) {
        let kernel = self.kernel;
        for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
            match inst.op {
                Op::Undef { dst } => self.constant(dst, 0),
                Op::WorkItem { dst, .. } if self.fixed[dst.index()].is_some() => {}
                Op::WorkItem { dst, query, dim } => {
                    let home = QueryHome {
                        query,
                        dim: usize::from(dim).min(2),
                        ty: kernel.ty(dst),
                        scalar: self.slots.scalar_of(dst),
                        vector: self.slots.vector_of(dst),
                    };
                    if home.scalar.is_some() || home.vector.is_some() {
                        self.queries.push(home);
                    }
                }
                _ => {}
            }
        }
    }

    fn block(&mut self, id: BlockId) -> Result<(), SimError> {
        let kernel = self.kernel;
        let block = kernel.block(id);
        self.starts[id.index()] = self.steps.len() as u32;
        let last_use = self.last_uses(id);
        for (index, inst) in block.insts.iter().enumerate() {
            let at = At {
                inst: self.numbering.id(id, index),
                site: inst.site,
            };
            // Operands that end here make room for the result.
            let mut uses: SmallVec<[Value; 4]> = SmallVec::new();
            inst.op.for_each_use(|v| {
                if !uses.contains(&v) {
                    uses.push(v);
                }
            });
            for &v in &uses {
                self.slots.define(v);
                if last_use[v.index()] == Some(index) {
                    self.slots.release(v);
                }
            }
            self.inst(id, at, &inst.op)?;
            inst.op.for_each_def(|d| {
                // Never read: its registers are free again at once.
                if self.facts.block_local[d.index()] && last_use[d.index()].is_none() {
                    self.slots.release(d);
                }
            });
        }
        self.end_line();
        let inst = self.numbering.id(id, block.insts.len());
        self.terminator(id, inst, &block.term, block.term_site);
        for (i, last) in last_use.iter().enumerate() {
            if *last == Some(block.insts.len()) {
                self.slots.release(Value::new(i));
            }
        }
        Ok(())
    }

    /// For each value that lives in this block alone, the index of the last
    /// instruction that reads it.
    fn last_uses(&self, id: BlockId) -> Vec<Option<usize>> {
        let block = self.kernel.block(id);
        let mut last = vec![None; self.kernel.values.len()];
        let mut used = |v: Value, index: usize| {
            if self.facts.block_local[v.index()] {
                last[v.index()] = Some(index);
            }
        };
        for (index, inst) in block.insts.iter().enumerate() {
            inst.op.for_each_use(|v| used(v, index));
        }
        let end = block.insts.len();
        block
            .term
            .condition()
            .into_iter()
            .for_each(|v| used(v, end));
        for edge in block.term.edges() {
            edge.args.iter().for_each(|&v| used(v, end));
        }
        last
    }

    pub(super) fn unsupported(&self, at: At, what: impl Into<String>) -> SimError {
        SimError::Unsupported {
            what: what.into(),
            site: at.site,
        }
    }

    /// Whether the launch has fixed what an instruction computes.
    fn is_fixed(&self, op: &Op) -> bool {
        let mut fixed = op.is_pure();
        let mut any = false;
        op.for_each_def(|d| {
            any = true;
            // The mask of a count is where the count is looked at.
            fixed &= self.fixed[d.index()].is_some() && !self.shift_masks.contains_key(&d);
        });
        any && fixed
    }

    fn inst(&mut self, block: BlockId, at: At, op: &Op) -> Result<(), SimError> {
        if self.is_fixed(op) {
            self.no_code(at);
            return Ok(());
        }
        if self.affine_inst(block, at, op) {
            return Ok(());
        }
        match op {
            Op::Unary { op, dst, a } => {
                let ty = self.kernel.ty(*a);
                self.alu(at, AluOp::Unary(*op, ty), *dst, &[*a]);
            }
            Op::Binary { op, dst, a, b } => {
                let ty = self.kernel.ty(*a);
                if let Some(mask) = self.shift_masks.get(dst).copied() {
                    let count = self.operand(mask.count);
                    self.step(Step::ShiftCount(ShiftCountStep {
                        at,
                        ty,
                        count,
                        bits: mask.bits,
                    }));
                }
                let alu = AluOp::Binary(*op, ty);
                if is_division(*op) && !divides_safely(self.kernel, *b) {
                    self.divide(at, *op, *dst, *a, *b);
                } else {
                    self.alu(at, alu, *dst, &[*a, *b]);
                }
            }
            Op::Compare { op, dst, a, b } => {
                let ty = self.kernel.ty(*a);
                self.alu(at, AluOp::Compare(*op, ty), *dst, &[*a, *b]);
            }
            Op::Select {
                dst,
                cond,
                if_true,
                if_false,
            } => {
                let ty = self.kernel.ty(*dst);
                self.alu(at, AluOp::Select(ty), *dst, &[*if_true, *if_false, *cond]);
            }
            Op::Convert { op, dst, a } => {
                let (from, to) = (self.kernel.ty(*a), self.kernel.ty(*dst));
                let same = from.size() == to.size()
                    && matches!(
                        op,
                        Conversion::Bitcast
                            | Conversion::Copy
                            | Conversion::Sext
                            | Conversion::Zext
                    );
                let alu = if same {
                    AluOp::Move(to)
                } else {
                    AluOp::Convert(*op, from, to)
                };
                self.alu(at, alu, *dst, &[*a]);
            }
            Op::PtrAdd {
                dst,
                base,
                index,
                scale,
                offset,
                elements,
            } => {
                if let (Some(index), Some(elements)) = (index, elements)
                    && let Some(access) = self.member_accesses.get(dst).copied()
                {
                    let step = MemberIndexStep {
                        at: access.at,
                        access: access.kind,
                        ty: self.kernel.ty(*index),
                        index: self.operand(*index),
                        base: self.operand(*base),
                        elements: *elements,
                    };
                    self.step(Step::MemberIndex(Box::new(step)));
                }
                self.ptr_add(at, *dst, *base, *index, *scale, *offset);
            }
            Op::Math { fun, dst, args } => self.math(at, *fun, dst, args)?,
            Op::VarAddr { .. }
            | Op::WorkItem { .. }
            | Op::Undef { .. }
            | Op::LifetimeStart { .. } => self.no_code(at),
            Op::Fence { fence } => {
                let (inst, fence) = (at.inst, *fence);
                self.step(Step::Fence { inst, fence });
            }
            Op::Printf { dst, args } => {
                // The result is 0, as on success.
                if let Some(dst) = dst {
                    let ty = self.kernel.ty(*dst);
                    if let Some(slot) = self.slots.vector_of(*dst) {
                        self.vector_constants.push((ty, slot, 0));
                    }
                }
                self.print(at, args);
            }
            Op::Load { dst, ptr, access } => {
                self.check_access(at, access)?;
                let pointer = self.pointer(block, *ptr);
                let needed = dst.iter().any(|d| self.needed.values[d.index()]);
                let dst = match needed {
                    true => dst.iter().map(|&d| self.dest(d)).collect(),
                    false => SmallVec::new(),
                };
                self.step(Step::Load(LoadStep {
                    at,
                    access: *access,
                    ptr: pointer,
                    dst,
                    from_data: self.facts.from_data[ptr.index()],
                }));
            }
            Op::Store { src, ptr, access } => {
                self.check_access(at, access)?;
                let pointer = self.pointer(block, *ptr);
                let components = src
                    .iter()
                    .enumerate()
                    .filter(|(_, s)| s.is_some())
                    .fold(0, |bits, (n, _)| bits | 1 << n);
                let src = match self.needed.stores_to(*ptr) {
                    true => src
                        .iter()
                        .map(|v| v.and_then(|v| self.slots.vector_of(v)))
                        .collect(),
                    false => SmallVec::new(),
                };
                self.step(Step::Store(StoreStep {
                    at,
                    access: *access,
                    ptr: pointer,
                    components,
                    src,
                    from_data: self.facts.from_data[ptr.index()],
                }));
            }
            Op::ImageRead { .. } | Op::ImageWrite { .. } | Op::ImageQuery { .. } => {
                self.image(at, op);
            }
            Op::Atomic { .. } => self.atomic(block, at, op)?,
            Op::Copy { .. } => self.copy(at, op),
            Op::AsyncCopy { .. } => self.async_copy(at, op),
            Op::Barrier { scope, fence } => self.barrier(block, at, *scope, *fence),
            Op::Group { .. } => self.group(block, at, op),
            Op::PointsTo { .. } => self.points_to(at, op),
            Op::WaitEvents => self.barrier(
                block,
                at,
                BarrierScope::WorkGroup,
                Fence {
                    local: true,
                    global: true,
                },
            ),
        }
        Ok(())
    }

    /// An instruction of the IR that takes no code.
    pub(super) fn no_code(&mut self, at: At) {
        let (inst, code) = (at.inst.index() as u32, self.code.len() as u32);
        let line = self.line.get_or_insert(Line {
            first: inst,
            count: 0,
            start: code,
            end: code,
        });
        line.count += 1;
    }

    pub(super) fn pure(&mut self, at: At, inst: AluInst) {
        self.no_code(at);
        self.push(inst);
    }

    fn push(&mut self, inst: AluInst) {
        self.code.push(inst);
        if let Some(line) = &mut self.line {
            line.end = self.code.len() as u32;
        }
    }

    fn end_line(&mut self) {
        if let Some(line) = self.line.take() {
            self.steps.push(Step::Line(line));
        }
    }

    pub(super) fn step(&mut self, step: Step) {
        self.end_line();
        self.steps.push(step);
    }

    pub(super) fn operand(&mut self, value: Value) -> Operand {
        match self.slots.scalar_of(value) {
            Some(slot) => Operand::Scalar(slot),
            None => Operand::Vector(self.slots.vector_of(value).unwrap_or(NO_SLOT)),
        }
    }

    pub(super) fn dest(&mut self, value: Value) -> Dest {
        Dest {
            ty: self.kernel.ty(value),
            scalar: self.slots.scalar_of(value),
            vector: self.slots.vector_of(value),
        }
    }

    /// An instruction with its registers filled in: those of the scalar file
    /// where the result is uniform.
    pub(super) fn alu_inst(&mut self, op: AluOp, dst: Value, args: &[Value]) -> AluInst {
        let scalar = self.facts.scalar[dst.index()];
        let mut slot = |v: Value| {
            let slot = if scalar {
                self.slots.scalar_of(v)
            } else {
                self.slots.vector_of(v)
            };
            slot.unwrap_or(NO_SLOT)
        };
        let arg = |n: usize| args.get(n).copied();
        let [a, b, c] = [arg(0), arg(1), arg(2)].map(|v| v.map_or(NO_SLOT, &mut slot));
        let to = slot(dst);
        let spread = if scalar {
            self.slots.vector_of(dst).unwrap_or(NO_SLOT)
        } else {
            NO_SLOT
        };
        AluInst {
            op,
            dst: to,
            a,
            b,
            c,
            scalar,
            spread,
            blend: self.facts.blend[dst.index()],
            by_lane: op.by_lane(),
        }
    }

    fn alu(&mut self, at: At, op: AluOp, dst: Value, args: &[Value]) {
        if !self.needed.values[dst.index()] {
            self.no_code(at);
            return;
        }
        let inst = self.alu_inst(op, dst, args);
        self.pure(at, inst);
    }

    fn divide(&mut self, at: At, op: BinaryOp, dst: Value, a: Value, b: Value) {
        let ty = self.kernel.ty(a);
        let inst = self.alu_inst(AluOp::Binary(op, ty), dst, &[a, b]);
        let divisor = if inst.scalar {
            Operand::Scalar(inst.b)
        } else {
            Operand::Vector(inst.b)
        };
        self.end_line();
        let code = self.code.len() as u32;
        self.code.push(inst);
        self.steps.push(Step::Divide(DivideStep {
            at,
            ty,
            b: divisor,
            code,
        }));
    }

    fn ptr_add(
        &mut self,
        at: At,
        dst: Value,
        base: Value,
        index: Option<Value>,
        scale: i64,
        offset: i64,
    ) {
        let Some(index) = index else {
            self.alu(at, AluOp::AddOffset(offset), dst, &[base]);
            return;
        };
        let narrow = self.kernel.ty(index).size() == 4;
        let op = if scale > 0 && scale.count_ones() == 1 {
            AluOp::AddShifted {
                narrow,
                shift: scale.trailing_zeros(),
                offset,
            }
        } else {
            AluOp::AddScaled {
                narrow,
                scale,
                offset,
            }
        };
        self.alu(at, op, dst, &[base, index]);
    }

    fn math(&mut self, at: At, fun: MathFn, dst: &[Value], args: &[Value]) -> Result<(), SimError> {
        let ty = args.first().map_or(Ty::F32, |&a| self.kernel.ty(a));
        // `nan(code)` takes an integer and gives a float.
        let ty = match (fun, dst) {
            (MathFn::Nan, [d, ..]) => self.kernel.ty(*d),
            _ => ty,
        };
        if !math::supports(fun, ty) {
            return Err(self.unsupported(at, format!("builtin {fun:?} of {ty}")));
        }
        if !dst.iter().any(|d| self.needed.values[d.index()]) {
            self.no_code(at);
            return Ok(());
        }
        if let [d] = dst
            && vectorises(fun, ty)
            && args.len() <= 3
        {
            self.alu(at, AluOp::Math(fun, ty), *d, args);
            return Ok(());
        }
        let Some(&first) = dst.first() else {
            return Err(self.unsupported(at, format!("builtin {fun:?} without a result")));
        };
        let scalar = dst.iter().all(|d| self.facts.scalar[d.index()]);
        let mut homes = |values: &[Value]| -> Vec<(Ty, u32)> {
            let slot = |v: &Value| {
                let slot = if scalar {
                    self.slots.scalar_of(*v)
                } else {
                    self.slots.vector_of(*v)
                };
                (self.kernel.ty(*v), slot.unwrap_or(NO_SLOT))
            };
            values.iter().map(slot).collect()
        };
        let call = Call {
            fun,
            ty,
            args: homes(args).into(),
            results: homes(dst).into(),
        };
        self.calls.push(call);
        let mut inst = self.alu_inst(AluOp::Library(self.calls.len() as u32 - 1), first, &[]);
        inst.spread = NO_SLOT;
        inst.blend = dst.iter().any(|d| self.facts.blend[d.index()]);
        self.pure(at, inst);
        if scalar {
            for &d in dst {
                let copy = self.alu_inst(AluOp::Move(self.kernel.ty(d)), d, &[d]);
                if copy.spread != NO_SLOT {
                    self.push(copy);
                }
            }
        }
        Ok(())
    }

    fn terminator(&mut self, id: BlockId, inst: InstId, term: &Terminator, site: SiteId) {
        let meet = self.facts.meets.of(id);
        let step = match term {
            Terminator::Jump(edge) => Step::Jump {
                inst,
                edge: self.edge(id, edge),
            },
            Terminator::Branch { cond, then, other } => Step::Branch {
                inst,
                cond: self.operand(*cond),
                then: self.edge(id, then),
                other: self.edge(id, other),
                meet,
            },
            Terminator::Switch {
                value,
                cases,
                default,
            } => Step::Switch(Box::new(SwitchStep {
                inst,
                ty: self.kernel.ty(*value),
                value: self.operand(*value),
                cases: cases
                    .iter()
                    .map(|(v, edge)| (*v, self.edge(id, edge)))
                    .collect(),
                default: self.edge(id, default),
                meet,
            })),
            Terminator::Return => Step::Return { inst },
            Terminator::Unreachable => Step::Unreachable(At { inst, site }),
        };
        self.steps.push(step);
    }

    fn edge(&mut self, from: BlockId, edge: &Edge) -> EdgeCode {
        let start = self.code.len() as u32;
        let kernel = self.kernel;
        let params = &kernel.block(edge.block).params;
        // Before the copies: what is added may be a parameter itself.
        self.increments(from, edge.block);
        // Copies by file and lane size, each of which is a space of its own.
        for scalar in [true, false] {
            for size in [1, 2, 4, 8] {
                let mut copies = Vec::new();
                let mut ty = Ty::I8;
                for (&p, &a) in params.iter().zip(&edge.args) {
                    if kernel.ty(p).size() != size || !self.needed.values[p.index()] {
                        continue;
                    }
                    let (to, of) = if scalar {
                        (self.slots.scalar_of(p), self.slots.scalar_of(a))
                    } else {
                        (self.slots.vector_of(p), self.slots.vector_of(a))
                    };
                    if let (Some(to), Some(of)) = (to, of) {
                        ty = kernel.ty(p);
                        copies.push((to, of));
                    }
                }
                for (to, of) in moves::in_order(copies, || self.slots.spare(scalar, ty)) {
                    self.code.push(AluInst {
                        op: AluOp::Move(ty),
                        dst: to,
                        a: of,
                        b: NO_SLOT,
                        c: NO_SLOT,
                        scalar,
                        spread: NO_SLOT,
                        blend: true,
                        by_lane: false,
                    });
                }
            }
        }
        let counter = self
            .facts
            .loops
            .all()
            .iter()
            .zip(&self.counters)
            .find(|(l, _)| l.header == edge.block)
            .and_then(|(l, counter)| Some((counter.as_ref().copied()?, l.contains(from))));
        EdgeCode {
            from,
            to: edge.block,
            target: 0,
            cost: kernel.block(edge.block).insts.len() as u32 + 1,
            start,
            end: self.code.len() as u32,
            iteration: counter,
        }
    }

    /// Points edges at the first steps of their blocks.
    fn link(&mut self) {
        let starts = &self.starts;
        let link = |edge: &mut EdgeCode| edge.target = starts[edge.to.index()];
        for step in &mut self.steps {
            match step {
                Step::Jump { edge, .. } => link(edge),
                Step::Branch { then, other, .. } => {
                    link(then);
                    link(other);
                }
                Step::Switch(switch) => {
                    switch.cases.iter_mut().for_each(|(_, edge)| link(edge));
                    link(&mut switch.default);
                }
                _ => {}
            }
        }
    }

    /// Counters of the loops around a block.
    pub(super) fn counted_loops(&self, block: BlockId) -> SmallVec<[u32; 2]> {
        let around = self.facts.loops.around(block);
        around.filter_map(|i| self.counters[i]).collect()
    }
}
