//! Instruction mix: how many instructions of which kind a GPU issues.
//!
//! The machine says how often each instruction of the IR runs; a static table
//! ([`Lowering`]) says what each becomes on a GPU. An event costs one
//! increment; classes are formed when the group is done.
//!
//! Misses: what a compiler spills, schedules and predicates; scalar units.
//! Costs of library functions and divisions are round figures ([`IssueCost`]).

mod cost;
mod group;
mod induction;
mod lowering;
mod operations;
mod result;

use std::sync::Arc;

use tilewise_ir::Kernel;
use tilewise_sim::{Analysis, GroupInfo};

use crate::estimate::{Accumulator, SamplePlan};
use crate::idle::Idle;
use crate::repeats::ShiftInvariant;

pub use cost::IssueCost;
pub use group::GroupMix;
pub use lowering::{Contraction, Lowering};
pub use result::{InstCount, Mix};

use group::Layout;

/// Counts instructions over a run.
#[derive(Debug)]
pub struct MixAnalysis {
    layout: Arc<Layout>,
    plan: Arc<SamplePlan>,
    sums: Accumulator,
    /// Group states that are done and can be used again.
    idle: Idle<GroupMix>,
}

impl MixAnalysis {
    /// For a run of this kernel over the groups of `plan`.
    pub fn new(kernel: &Kernel, lowering: Arc<Lowering>, plan: Arc<SamplePlan>) -> Self {
        let layout = Layout::new(kernel, lowering);
        Self {
            sums: Accumulator::new(&plan, layout.figures()),
            layout: Arc::new(layout),
            plan,
            idle: Idle::default(),
        }
    }

    /// What was counted.
    pub fn result(&self) -> Mix {
        Mix::new(&self.layout, &self.plan, &self.sums)
    }
}

impl Analysis for MixAnalysis {
    type Group = GroupMix;

    fn begin(&self, group: &GroupInfo) -> GroupMix {
        let mut state = self.idle(group);
        state.start();
        state
    }

    fn finish(&mut self, group: &GroupInfo, mut state: GroupMix) {
        let figures = self.close(&mut state);
        self.enter(group, &figures);
        self.idle.put(state);
    }
}

impl ShiftInvariant for MixAnalysis {
    type Figures = Vec<u64>;

    fn idle(&self, group: &GroupInfo) -> GroupMix {
        self.idle
            .take()
            .unwrap_or_else(|| GroupMix::new(&self.layout, group.width))
    }

    fn start(state: &mut GroupMix, _: &GroupInfo) {
        state.start();
    }

    fn close(&self, state: &mut GroupMix) -> Vec<u64> {
        state.figures(&self.layout)
    }

    fn enter(&mut self, group: &GroupInfo, figures: &Vec<u64>) {
        if let Some(stratum) = self.plan.stratum_of(group.linear) {
            self.sums.add(stratum, figures);
        }
    }
}

#[cfg(test)]
mod tests;
