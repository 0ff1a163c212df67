//! Runs one work-group.

use tilewise_ir::{InstId, SiteId};

use super::barrier::{Standing, release, split, standing};
use super::control::{Context, Counts, Extent, run};
use super::sub_group::{State, Stop, SubGroup};
use crate::alu::multiversion::Cpu;
use crate::decode::Prepared;
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
        };
        loop {
            for sub_group in sub_groups.iter_mut() {
                if let Some((inst, site)) = run_until_parked(&mut context, sub_group) {
                    let kind = FaultKind::Runaway { budget };
                    end_group(
                        &mut context,
                        sub_group.index,
                        sub_group.live,
                        kind,
                        inst,
                        site,
                    );
                    return outcome;
                }
            }
            match standing(prepared, sub_groups) {
                Standing::Done => return outcome,
                Standing::Together { inst, site, fence } => {
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

/// Runs the lanes of a sub-group until all have returned or wait at a barrier.
/// Returns the site of a loop that does not end.
fn run_until_parked<const W: usize, O: Observer>(
    context: &mut Context<'_, O>,
    sub_group: &mut SubGroup<W>,
) -> Option<(InstId, SiteId)> {
    while let Some(next) = sub_group
        .fragments
        .iter()
        .position(|f| f.state == State::Ready)
    {
        let mut fragment = sub_group.fragments.swap_remove(next);
        let alone = sub_group.fragments.is_empty();
        match run(context, sub_group, &mut fragment, !alone) {
            Stop::Done => fragment.state = State::Done,
            Stop::Barrier { step } => {
                let others = split(&mut fragment, step, sub_group.live);
                sub_group.fragments.extend(others);
            }
            Stop::Runaway { inst, site } => {
                sub_group.fragments.push(fragment);
                return Some((inst, site));
            }
        }
        let keep = fragment.state != State::Done || sub_group.fragments.is_empty();
        if keep {
            sub_group.fragments.push(fragment);
        }
    }
    None
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
