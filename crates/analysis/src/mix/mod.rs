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
}

impl MixAnalysis {
    /// For a run of this kernel over the groups of `plan`.
    pub fn new(kernel: &Kernel, lowering: Arc<Lowering>, plan: Arc<SamplePlan>) -> Self {
        let layout = Layout::new(kernel, lowering);
        Self {
            sums: Accumulator::new(&plan, layout.figures()),
            layout: Arc::new(layout),
            plan,
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
        GroupMix::new(&self.layout, group.width)
    }

    fn finish(&mut self, group: &GroupInfo, state: GroupMix) {
        if let Some(stratum) = self.plan.stratum_of(group.linear) {
            self.sums.add(stratum, &state.figures(&self.layout));
        }
    }
}

#[cfg(test)]
mod tests;
