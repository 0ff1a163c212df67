//! Runs one work-group.

use tilewise_ir::{InstId, SiteId};

use super::barrier::{Standing, meet_in_sub_group, release, split, standing};
use super::control::{Context, Counts, Extent, run};
use super::group_functions;
use super::print::Printed;
use super::spin::MOST_IDLE_ROUNDS;
use super::sub_group::{State, Stop, SubGroup};
use crate::alu::multiversion::Cpu;
use crate::decode::{At, Prepared, Step};
use crate::fault::{Fault, FaultKind, FaultLog};
use crate::memory::{Memory, POISON};
use crate::observer::{BarrierEvent, GroupInfo, Observer};

/// Registers and local memory, used for one work-group after another.
pub(super) struct Worker<const W: usize> {
    sub_groups: Vec<SubGroup<W>>,
    local: Vec<u32>,
}

/// What a work-group's run has come to.
pub(super) struct Outcome {
    pub faults: FaultLog,
    pub counts: Counts,
    pub extents: Vec<Extent>,
    pub printed: Printed,
}

impl<const W: usize> Worker<W> {
    /// Room for the groups of a launch.
    pub fn new(prepared: &Prepared) -> Self {
        let sub_groups = prepared
            .range
            .group_size()
            .div_ceil(u64::from(prepared.width)) as u32;
        Self {
            sub_groups: (0..sub_groups)
                .map(|i| SubGroup::new(prepared, i))
                .collect(),
            local: vec![POISON; prepared.regions.local_words],
        }
    }

    /// Runs a work-group to its end.
    pub fn run<O: Observer>(
        &mut self,
        prepared: &Prepared,
        memory: &Memory,
        cpu: Cpu,
        group: &GroupInfo,
        observer: &mut O,
        budget: u64,
    ) -> Outcome {
        let mut outcome = Outcome {
            faults: FaultLog::default(),
            counts: Counts::default(),
            extents: vec![Extent::default(); prepared.lengths.len()],
            printed: Printed::default(),
        };
        self.local.fill(POISON);
        let count = (group.sub_groups as usize).min(self.sub_groups.len());
        let sub_groups = &mut self.sub_groups[..count];
        for sub_group in sub_groups.iter_mut() {
            sub_group.start(prepared, group, budget);
        }
        let mut context = Context {
            prepared,
            memory,
            cpu,
            group,
            local: &mut self.local,
            observer,
            faults: &mut outcome.faults,
            counts: &mut outcome.counts,
            extents: &mut outcome.extents,
            printed: &mut outcome.printed,
            budget,
            changes: 0,
        };
        let mut idle_rounds = 0;
        loop {
            let changes = context.changes;
            let mut spins = None;
            for sub_group in sub_groups.iter_mut() {
                match advance(&mut context, sub_group) {
                    Pause::Waits => {}
                    Pause::Spins(at) => spins = spins.or(Some((at, sub_group.index))),
                    Pause::Runaway { inst, site } => {
                        let kind = FaultKind::Runaway { budget };
                        let (index, live) = (sub_group.index, sub_group.live);
                        end_group(&mut context, index, live, kind, inst, site);
                        return outcome;
                    }
                }
            }
            if let Some((at, index)) = spins {
                idle_rounds = if context.changes == changes {
                    idle_rounds + 1
                } else {
                    0
                };
                if idle_rounds > MOST_IDLE_ROUNDS {
                    let lanes = spinning(&sub_groups[index as usize]);
                    let kind = FaultKind::SpinWait;
                    end_group(&mut context, index, lanes, kind, at.inst, at.site);
                    return outcome;
                }
                continue;
            }
            match standing(prepared, sub_groups) {
                Standing::Done => return outcome,
                Standing::Together {
                    step,
                    inst,
                    site,
                    fence,
                } => {
                    if let Step::Group(function) = &prepared.steps[step as usize] {
                        group_functions::of_work_group(&mut context, sub_groups, function);
                    }
                    context
                        .observer
                        .barrier(&BarrierEvent { inst, site, fence });
                    sub_groups.iter_mut().for_each(release);
                }
                Standing::Apart { kind, inst, site } => {
                    let first = sub_groups.iter().find(|s| s.live != 0);
                    let (index, live) = first.map_or((0, 1), |s| (s.index, s.live));
                    end_group(&mut context, index, live, kind, inst, site);
                    return outcome;
                }
            }
        }
    }
}

/// Why a sub-group lets the others go on.
enum Pause {
    /// All its lanes have returned or wait for other sub-groups.
    Waits,
    /// Some of its lanes wait for memory to change, with this instruction.
    Spins(At),
    /// A loop does not end.
    Runaway { inst: InstId, site: SiteId },
}

/// Runs the lanes of a sub-group as far as they come.
fn advance<const W: usize, O: Observer>(
    context: &mut Context<'_, O>,
    sub_group: &mut SubGroup<W>,
) -> Pause {
    loop {
        while let Some(next) = sub_group
            .fragments
            .iter()
            .position(|f| f.state == State::Ready)
        {
            let mut fragment = sub_group.fragments.swap_remove(next);
            let alone = sub_group.fragments.is_empty();
            match run(context, sub_group, &mut fragment, !alone) {
                Stop::Done => fragment.state = State::Done,
                Stop::Meeting { step } => {
                    let state = State::Parked { step };
                    let others = split(&mut fragment, state, sub_group.live);
                    sub_group.fragments.extend(others);
                }
                Stop::Spin { at } => {
                    let state = State::Spinning { at };
                    let others = split(&mut fragment, state, sub_group.live);
                    sub_group.fragments.extend(others);
                }
                Stop::Runaway { inst, site } => {
                    sub_group.fragments.push(fragment);
                    return Pause::Runaway { inst, site };
                }
            }
            let keep = fragment.state != State::Done || sub_group.fragments.is_empty();
            if keep {
                sub_group.fragments.push(fragment);
            }
        }
        let mut spins = None;
        for fragment in &mut sub_group.fragments {
            if let State::Spinning { at } = fragment.state {
                fragment.state = State::Ready;
                spins = spins.or(Some(at));
            }
        }
        if let Some(at) = spins {
            return Pause::Spins(at);
        }
        if !meet_in_sub_group(context, sub_group) {
            return Pause::Waits;
        }
    }
}

/// Lanes of a sub-group that have not returned and wait at no barrier.
fn spinning<const W: usize>(sub_group: &SubGroup<W>) -> u64 {
    let ready = sub_group.fragments.iter();
    let lanes = ready
        .filter(|f| f.state == State::Ready)
        .fold(0, |all, f| all | f.lanes());
    lanes & sub_group.live
}

/// Records a fault that ends the group, at the first of the lanes in `mask`.
fn end_group<O>(
    context: &mut Context<'_, O>,
    sub_group: u32,
    mask: u64,
    kind: FaultKind,
    inst: InstId,
    site: SiteId,
) {
    let group = context.group;
    let local = group.local_id(sub_group, mask.trailing_zeros().min(group.width - 1));
    let count = match &kind {
        FaultKind::BarrierDivergence { waiting, .. } => {
            waiting.iter().map(|w| u64::from(w.work_items)).sum()
        }
        _ => u64::from(mask.count_ones()),
    };
    context.faults.add(Fault {
        kind,
        inst,
        site,
        count,
        group: group.linear,
        work_item: std::array::from_fn(|d| group.first_global_id[d] + u64::from(local[d])),
    });
}
