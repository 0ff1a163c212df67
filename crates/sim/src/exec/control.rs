//! The main loop: runs the lanes of one fragment until they return or wait for
//! others.
//!
//! Control flow that differs between lanes is a stack of masks: at a branch
//! that parts the lanes, those of one side run until the block where both
//! meet, then those of the other, then all go on together.

use tilewise_ir::{BarrierScope, BlockId, InstId, Participants, SiteId, Ty};

use super::group_functions;
use super::print::Printed;
use super::runaway::Watch;
use super::spin::Tries;
use super::sub_group::{Fragment, Frame, Stop, SubGroup};
use crate::alu::{self, multiversion::Cpu};
use crate::decode::{
    At, DivideStep, EdgeCode, GroupStep, Line, MemberIndexStep, Operand, PointsToStep, Prepared,
    ShiftCountStep, Step,
};
use crate::fault::{Fault, FaultKind, FaultLog};
use crate::lanes::{each_lane, pack};
use crate::memory::{Memory, known_region};
use crate::observer::{GroupInfo, Observer};
use crate::registers::Registers;

/// Counts of a work-group's run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Instructions of sub-groups.
    pub instructions: u64,
    /// Instructions of work-items.
    pub lanes: u64,
}

/// The bytes of a region that a group has touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub read_end: u64,
    pub write_end: u64,
}

/// What a work-group runs with.
pub(crate) struct Context<'a, O> {
    pub prepared: &'a Prepared,
    pub memory: &'a Memory,
    pub cpu: Cpu,
    pub group: &'a GroupInfo,
    pub local: &'a mut [u32],
    pub observer: &'a mut O,
    pub faults: &'a mut FaultLog,
    pub counts: &'a mut Counts,
    pub extents: &'a mut [Extent],
    pub printed: &'a mut Printed,
    /// Instructions that a sub-group may run.
    pub budget: u64,
    /// Stores and atomics that may have changed memory others see.
    pub changes: u64,
}

impl<O> Context<'_, O> {
    /// Records a fault of the lanes of `mask`, which is not empty.
    #[cold]
    pub(super) fn fault(&mut self, kind: FaultKind, at: At, sub_group: u32, mask: u64) {
        let group = self.group;
        let local = group.local_id(sub_group, mask.trailing_zeros().min(group.width - 1));
        self.faults.add(Fault {
            kind,
            inst: at.inst,
            site: at.site,
            count: u64::from(mask.count_ones()),
            group: group.linear,
            work_item: std::array::from_fn(|d| group.first_global_id[d] + u64::from(local[d])),
        });
    }
}

/// One fragment that runs.
pub(super) struct Runner<'r, 'a, const W: usize, O> {
    pub context: &'r mut Context<'a, O>,
    pub sub_group: &'r mut SubGroup<W>,
    pub scalars: &'r mut Registers<1>,
    stack: &'r mut Vec<Frame>,
    /// Other fragments of the sub-group wait.
    split: bool,
    pub tries: Tries,
}

/// What a step leads to.
enum Next {
    Step,
    At(u32),
    /// The running frame is done: the one below goes on.
    Pop,
    Stop(Stop),
    /// Others get their turn before the step behind this one.
    Spin(At),
}

/// Runs a fragment, which has been taken out of its sub-group.
pub(super) fn run<const W: usize, O: Observer>(
    context: &mut Context<'_, O>,
    sub_group: &mut SubGroup<W>,
    fragment: &mut Fragment,
    split: bool,
) -> Stop {
    let mut runner = Runner {
        context,
        sub_group,
        scalars: &mut fragment.scalars,
        stack: &mut fragment.stack,
        split,
        tries: Tries::default(),
    };
    runner.run()
}

impl<'a, const W: usize, O: Observer> Runner<'_, 'a, W, O> {
    fn run(&mut self) -> Stop {
        let prepared: &'a Prepared = self.context.prepared;
        while let Some(frame) = self.stack.last_mut() {
            frame.mask &= self.sub_group.live;
            let (mut pc, mask) = (frame.pc, frame.mask);
            if mask == 0 {
                self.stack.pop();
                continue;
            }
            loop {
                match self.step(&prepared.steps[pc as usize], pc, mask) {
                    Next::Step => pc += 1,
                    Next::At(target) => pc = target,
                    Next::Pop => break,
                    Next::Spin(at) => {
                        if let Some(frame) = self.stack.last_mut() {
                            frame.pc = pc + 1;
                        }
                        return Stop::Spin { at };
                    }
                    Next::Stop(stop) => {
                        if let Some(frame) = self.stack.last_mut() {
                            frame.pc = pc;
                        }
                        return stop;
                    }
                }
            }
        }
        Stop::Done
    }

    #[inline(always)]
    fn step(&mut self, step: &'a Step, pc: u32, mask: u64) -> Next {
        match step {
            Step::Line(line) => self.line(line, mask),
            Step::Load(load) => {
                self.count(load.at.inst, mask);
                self.load(load, mask);
                if load.access.volatile && self.tries.note(load.at, mask, false) {
                    return Next::Spin(load.at);
                }
            }
            Step::Store(store) => {
                self.count(store.at.inst, mask);
                self.store(store, mask);
            }
            Step::Atomic(atomic) => {
                self.count(atomic.at.inst, mask);
                let changed = self.atomic(atomic, mask);
                self.context.changes += u64::from(changed);
                if self.tries.note(atomic.at, mask, changed) {
                    return Next::Spin(atomic.at);
                }
            }
            Step::ImageRead(read) => {
                self.count(read.at.inst, mask);
                self.image_read(read, mask);
            }
            Step::ImageWrite(write) => {
                self.count(write.at.inst, mask);
                self.image_write(write, mask);
            }
            Step::ImageQuery(query) => {
                self.count(query.at.inst, mask);
                self.image_query(query, mask);
            }
            Step::Divide(divide) => {
                self.count(divide.at.inst, mask);
                self.divide(divide, mask);
            }
            // It belongs to the instruction behind it, which is counted.
            Step::ShiftCount(test) => self.shift_count(test, mask),
            Step::MemberIndex(test) => self.member_index(test, mask),
            Step::Copy(copy) => {
                self.count(copy.at.inst, mask);
                self.copy(copy, mask);
            }
            Step::AsyncCopy(copy) => {
                self.count(copy.at.inst, mask);
                if !self.async_copy(copy, mask) {
                    let At { inst, site } = copy.at;
                    return Next::Stop(Stop::Runaway { inst, site });
                }
            }
            Step::Barrier(barrier) => {
                self.count(barrier.at.inst, mask);
                if barrier.scope == BarrierScope::WorkGroup || mask != self.sub_group.initial {
                    return Next::Stop(Stop::Meeting { step: pc });
                }
                let event = barrier.event();
                let sub_group = self.sub_group.index;
                self.context.observer.sub_group_barrier(sub_group, &event);
            }
            Step::Fence { inst, fence } => {
                self.count(*inst, mask);
                let sub_group = self.sub_group.index;
                self.context.observer.fence(sub_group, mask, *fence);
            }
            Step::Group(step) => {
                self.count(step.at.inst, mask);
                if self.waits_for_others(step, mask) {
                    return Next::Stop(Stop::Meeting { step: pc });
                }
                group_functions::of_sub_group(self.context, self.sub_group, step, mask);
            }
            Step::Print(step) => {
                self.count(step.at.inst, mask);
                self.print(step, mask);
            }
            Step::PointsTo(step) => {
                self.count(step.at.inst, mask);
                self.points_to(step, mask);
            }
            Step::Jump { inst, edge } => {
                self.count(*inst, mask);
                return self.take(edge, mask);
            }
            Step::Branch {
                inst,
                cond,
                then,
                other,
                meet,
            } => {
                self.count(*inst, mask);
                let taken = match *cond {
                    Operand::Scalar(slot) => {
                        let edge = if self.scalars.b1[slot as usize][0] != 0 {
                            then
                        } else {
                            other
                        };
                        return self.take(edge, mask);
                    }
                    Operand::Vector(slot) => pack(&self.sub_group.vectors.b1[slot as usize]) & mask,
                };
                if taken == mask {
                    return self.take(then, mask);
                }
                if taken == 0 {
                    return self.take(other, mask);
                }
                return self.part(&[(then, taken), (other, mask & !taken)], *meet);
            }
            Step::Switch(switch) => {
                self.count(switch.inst, mask);
                let mut sides: Vec<(&EdgeCode, u64)> = Vec::new();
                let mut rest = mask;
                for (value, edge) in &switch.cases {
                    let lanes = self.lanes_equal(switch.value, switch.ty, *value, rest);
                    rest &= !lanes;
                    if lanes != 0 {
                        sides.push((edge, lanes));
                    }
                }
                if rest != 0 {
                    sides.push((&switch.default, rest));
                }
                if let [(edge, _)] = sides[..] {
                    return self.take(edge, mask);
                }
                return self.part(&sides, switch.meet);
            }
            Step::Return { inst } => {
                self.count(*inst, mask);
                self.sub_group.live &= !mask;
                return Next::Pop;
            }
            Step::Unreachable(at) => {
                self.count(at.inst, mask);
                self.fault(FaultKind::Unreachable, at.inst, at.site, mask);
                self.sub_group.live &= !mask;
                return Next::Pop;
            }
        }
        Next::Step
    }

    /// Whether lanes that reach a function have to wait there.
    fn waits_for_others(&self, step: &GroupStep, mask: u64) -> bool {
        match (step.scope, step.participants) {
            (BarrierScope::WorkGroup, _) => true,
            (BarrierScope::SubGroup, Participants::All) => mask != self.sub_group.initial,
            (BarrierScope::SubGroup, Participants::Active) => false,
        }
    }

    fn points_to(&mut self, step: &PointsToStep, mask: u64) {
        let prepared = self.context.prepared;
        let test = |pointer: u64| {
            let region = known_region(pointer, &prepared.lengths);
            u64::from(prepared.spaces[usize::from(region.0)] == step.space)
        };
        let Operand::Vector(slot) = step.ptr else {
            let Operand::Scalar(slot) = step.ptr else {
                return;
            };
            let holds = test(self.scalars.b8[slot as usize][0]);
            if let Some(to) = step.dst.scalar {
                self.scalars.set(step.dst.ty, to, 0, holds);
            }
            if let Some(to) = step.dst.vector {
                let vectors = &mut self.sub_group.vectors;
                vectors.splat_masked(step.dst.ty, to, holds, mask);
            }
            return;
        };
        let Some(to) = step.dst.vector else { return };
        for lane in each_lane(mask) {
            let holds = test(self.sub_group.vectors.b8[slot as usize][lane]);
            let vectors = &mut self.sub_group.vectors;
            vectors.set(step.dst.ty, to, lane, holds);
        }
    }

    /// Lanes of `mask` that hold a value.
    fn lanes_equal(&self, operand: Operand, ty: Ty, value: u64, mask: u64) -> u64 {
        match operand {
            Operand::Scalar(slot) => {
                if self.scalars.get(ty, slot, 0) == value {
                    mask
                } else {
                    0
                }
            }
            Operand::Vector(slot) => each_lane(mask)
                .filter(|&l| self.sub_group.vectors.get(ty, slot, l) == value)
                .fold(0, |lanes, l| lanes | 1 << l),
        }
    }

    /// Counts one instruction and tells the observer.
    #[inline(always)]
    pub(super) fn count(&mut self, inst: InstId, mask: u64) {
        self.context.counts.instructions += 1;
        self.context.counts.lanes += u64::from(mask.count_ones());
        if O::INSTRUCTIONS {
            let sub_group = self.sub_group.index;
            self.context.observer.instruction(sub_group, inst, mask);
        }
    }

    #[inline(always)]
    fn line(&mut self, line: &Line, mask: u64) {
        self.context.counts.instructions += u64::from(line.count);
        self.context.counts.lanes += u64::from(line.count) * u64::from(mask.count_ones());
        if O::INSTRUCTIONS {
            let sub_group = self.sub_group.index;
            let first = InstId::new(line.first as usize);
            let observer = &mut *self.context.observer;
            observer.instructions(sub_group, first, line.count, mask);
        }
        self.compute(line.start, line.end, mask);
    }

    /// Runs code that only computes.
    #[inline(always)]
    fn compute(&mut self, start: u32, end: u32, mask: u64) {
        if start == end {
            return;
        }
        let prepared = self.context.prepared;
        let partial = mask != self.sub_group.live;
        let code = &prepared.code[start as usize..end as usize];
        let code = match code.first() {
            Some(first) if alu::small::may_be(first) => {
                let vectors = &mut self.sub_group.vectors;
                let done = alu::small::run(self.scalars, vectors, code, partial);
                &code[done..]
            }
            _ => code,
        };
        if code.is_empty() {
            return;
        }
        let mut line = alu::Line {
            vectors: self.sub_group.vectors.banks(),
            parts: (W / alu::LANES) as u32,
            scalars: self.scalars,
            calls: &prepared.calls,
            affine: alu::Affine {
                values: &prepared.affine,
                compares: &prepared.compares,
                classes: &self.sub_group.classes,
                first_id: &self.context.group.first_global_id,
            },
            mask,
            partial,
            always_blend: self.split,
        };
        alu::multiversion::run(self.context.cpu, &mut line, code);
    }

    fn divide(&mut self, step: &DivideStep, mask: u64) {
        let zero = self.lanes_equal(step.b, step.ty, 0, mask);
        if zero != 0 {
            self.fault(FaultKind::DivisionByZero, step.at.inst, step.at.site, zero);
        }
        self.compute(step.code, step.code + 1, mask);
    }

    #[cold]
    fn shift_count(&mut self, step: &ShiftCountStep, mask: u64) {
        let count = |lane| match step.count {
            Operand::Scalar(slot) => self.scalars.get(step.ty, slot, 0),
            Operand::Vector(slot) => self.sub_group.vectors.get(step.ty, slot, lane),
        };
        let too_large = |&lane: &usize| count(lane) >= u64::from(step.bits);
        let lanes = each_lane(mask)
            .filter(too_large)
            .fold(0u64, |m, l| m | 1 << l);
        if lanes != 0 {
            let kind = FaultKind::ShiftCount {
                count: count(lanes.trailing_zeros() as usize),
                bits: step.bits,
            };
            self.fault(kind, step.at.inst, step.at.site, lanes);
        }
    }

    #[cold]
    fn member_index(&mut self, step: &MemberIndexStep, mask: u64) {
        let value = |ty, operand, lane| match operand {
            Operand::Scalar(slot) => self.scalars.get(ty, slot, 0),
            Operand::Vector(slot) => self.sub_group.vectors.get(ty, slot, lane),
        };
        let index = |lane| {
            let bits = value(step.ty, step.index, lane);
            match step.ty {
                Ty::I64 => bits as i64,
                _ => i64::from(bits as u32 as i32),
            }
        };
        let outside = |&lane: &usize| {
            let index = index(lane);
            index < 0 || index as u64 >= step.elements
        };
        let lanes = each_lane(mask)
            .filter(outside)
            .fold(0u64, |m, l| m | 1 << l);
        if lanes != 0 {
            let first = lanes.trailing_zeros() as usize;
            let base = value(Ty::Ptr, step.base, first);
            let kind = FaultKind::OutsideMember {
                region: known_region(base, &self.context.prepared.lengths),
                index: index(first),
                elements: step.elements,
                access: step.access,
            };
            self.fault(kind, step.at.inst, step.at.site, lanes);
        }
    }

    /// Sends all running lanes along an edge.
    #[inline(always)]
    fn take(&mut self, edge: &EdgeCode, mask: u64) -> Next {
        self.cross(edge, mask);
        let cost = u64::from(edge.cost);
        match self.sub_group.budget.checked_sub(cost) {
            Some(left) => self.sub_group.budget = left,
            None => {
                if let Some(stop) = self.over_budget(edge) {
                    return Next::Stop(stop);
                }
            }
        }
        match self.stack.last() {
            Some(frame) if frame.until == Some(edge.to) => {
                self.stack.pop();
                Next::Pop
            }
            _ => Next::At(edge.target),
        }
    }

    /// What happens on an edge: its copies, the loop counters, the observer.
    #[inline(always)]
    fn cross(&mut self, edge: &EdgeCode, mask: u64) {
        self.compute(edge.start, edge.end, mask);
        if let Some((counter, again)) = edge.iteration {
            let iterations = &mut self.sub_group.iterations[counter as usize];
            for (lane, count) in iterations.iter_mut().enumerate() {
                let active = (mask >> lane) as u32 & 1;
                *count = if again {
                    count.wrapping_add(active)
                } else {
                    *count & active.wrapping_sub(1)
                };
            }
        }
        if O::INSTRUCTIONS {
            let sub_group = self.sub_group.index;
            self.context
                .observer
                .edge(sub_group, edge.from, edge.to, mask);
        }
    }

    /// Parts the running lanes: each side runs until `meet`.
    fn part(&mut self, sides: &[(&EdgeCode, u64)], meet: Option<BlockId>) -> Next {
        for &(edge, lanes) in sides {
            self.cross(edge, lanes);
            let cost = u64::from(edge.cost);
            match self.sub_group.budget.checked_sub(cost) {
                Some(left) => self.sub_group.budget = left,
                None => {
                    if let Some(stop) = self.over_budget(edge) {
                        return Next::Stop(stop);
                    }
                }
            }
        }
        let Some(running) = self.stack.pop() else {
            return Next::Pop;
        };
        if let Some(meet) = meet
            && running.until != Some(meet)
        {
            // The lanes go on together from there; their step is that of
            // whichever edge leads to it, known once the block is reached.
            self.stack.push(Frame {
                pc: self.first_step(meet),
                until: running.until,
                mask: running.mask,
            });
        }
        // The side pushed last runs first.
        for &(edge, lanes) in sides.iter().rev() {
            if Some(edge.to) != meet {
                self.stack.push(Frame {
                    pc: edge.target,
                    until: meet.or(running.until),
                    mask: lanes,
                });
            }
        }
        Next::Pop
    }

    fn first_step(&self, block: BlockId) -> u32 {
        self.context.prepared.starts[block.index()]
    }

    /// Follows a sub-group that has spent its budget, until it is known which loop
    /// does not end.
    #[cold]
    fn over_budget(&mut self, edge: &EdgeCode) -> Option<Stop> {
        let prepared = self.context.prepared;
        // Every edge from here on comes here.
        self.sub_group.budget = 0;
        let granted = self.context.budget;
        let watch = self.sub_group.watch.get_or_insert_with(|| {
            let watch = Watch::new(prepared, granted);
            Box::new(watch)
        });
        if watch.cross(prepared, edge) {
            return None;
        }
        // Without a loop only a budget smaller than the kernel ends here.
        let at = watch.endless(prepared, edge).unwrap_or(At {
            inst: InstId::new(0),
            site: SiteId::new(0),
        });
        Some(Stop::Runaway {
            inst: at.inst,
            site: at.site,
        })
    }

    /// Records a fault of the lanes of `mask`, which is not empty.
    #[cold]
    pub(super) fn fault(&mut self, kind: FaultKind, inst: InstId, site: SiteId, mask: u64) {
        let at = At { inst, site };
        self.context.fault(kind, at, self.sub_group.index, mask);
    }
}
