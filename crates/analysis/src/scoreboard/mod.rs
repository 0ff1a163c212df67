//! How long a work-group lives when it has the device to itself.
//!
//! A scoreboard keeps for every value of every sub-group the cycle at which it
//! can be read. An instruction issues as soon as its operands are there, the
//! branches before it are decided and a slot is free, as after a compiler's
//! predication and list scheduling: loads go ahead of what waits for others, but
//! not past a store to the same memory. At barriers and from one iteration of a
//! loop to the next the order is kept; a barrier joins the sub-groups. With every time goes the *path* that led to it: how
//! many memory round trips followed one another, by the level that served them.
//! A model can so replace the unloaded latencies by loaded ones.
//!
//! A sector that the group touches for the first time comes from beyond the L1
//! (a *far* round trip), one that it touched before from the L1; one that is
//! still on its way is waited for.
//!
//! Misses: contention of any kind (issue, bandwidth, queues): those are terms
//! of their own in a time model; registers that run out; whether a far round trip ends in the L2 or in
//! device memory; sectors that another group brought into the L1; that stores
//! are buffered without limit is taken as given.

mod fills;
mod group;
mod latencies;
mod path;
mod result;
mod table;

use std::sync::Arc;

use tilewise_ir::Kernel;
use tilewise_sim::{Analysis, GroupInfo};

use crate::estimate::{Accumulator, SamplePlan};
use crate::idle::Idle;
use crate::mix::Lowering;
use crate::region::RegionTable;
use crate::repeats::ShiftInvariant;
use crate::shape::MemoryShape;

pub use group::GroupScoreboard;
pub use latencies::Latencies;
pub use result::{Lifetimes, Phase, Stalls};

use table::Table;

/// Measures the latency of work-groups over a run.
#[derive(Debug)]
pub struct ScoreboardAnalysis {
    table: Arc<Table>,
    plan: Arc<SamplePlan>,
    sums: Accumulator,
    /// Phases of the first group of the largest stratum.
    phases: Option<Vec<Phase>>,
    largest: usize,
    /// Group states that are done and can be used again.
    idle: Idle<GroupScoreboard>,
}

impl ScoreboardAnalysis {
    /// For a run of this kernel over the groups of `plan`.
    pub fn new(
        kernel: &Kernel,
        lowering: &Lowering,
        regions: Arc<RegionTable>,
        shape: MemoryShape,
        latencies: Latencies,
        plan: Arc<SamplePlan>,
    ) -> Self {
        let sizes = plan.stratum_sizes();
        let largest = (0..sizes.len()).max_by_key(|&s| sizes[s]).unwrap_or(0);
        Self {
            table: Arc::new(Table::new(kernel, lowering, regions, shape, latencies)),
            sums: Accumulator::new(&plan, result::FIGURES),
            plan,
            phases: None,
            largest,
            idle: Idle::default(),
        }
    }

    /// What was measured.
    pub fn result(&self) -> Lifetimes {
        Lifetimes::new(
            &self.plan,
            &self.sums,
            self.phases.clone().unwrap_or_default(),
        )
    }
}

impl Analysis for ScoreboardAnalysis {
    type Group = GroupScoreboard;

    fn begin(&self, group: &GroupInfo) -> GroupScoreboard {
        let mut state = self.idle(group);
        state.start(group);
        state
    }

    fn finish(&mut self, group: &GroupInfo, mut state: GroupScoreboard) {
        let figures = self.close(&mut state);
        self.enter(group, &figures);
        self.idle.put(state);
    }
}

/// What a group comes to.
#[derive(Clone, Debug)]
pub struct GroupFigures {
    figures: [u64; result::FIGURES],
    phases: Vec<Phase>,
}

impl ShiftInvariant for ScoreboardAnalysis {
    type Figures = GroupFigures;

    fn idle(&self, _: &GroupInfo) -> GroupScoreboard {
        self.idle
            .take()
            .unwrap_or_else(|| GroupScoreboard::new(Arc::clone(&self.table)))
    }

    fn start(state: &mut GroupScoreboard, group: &GroupInfo) {
        state.start(group);
    }

    fn close(&self, state: &mut GroupScoreboard) -> GroupFigures {
        state.close();
        GroupFigures {
            figures: state.figures(),
            phases: state.phases().to_vec(),
        }
    }

    fn enter(&mut self, group: &GroupInfo, of_group: &GroupFigures) {
        if let Some(stratum) = self.plan.stratum_of(group.linear) {
            self.sums.add(stratum, &of_group.figures);
            if stratum == self.largest && self.phases.is_none() {
                self.phases = Some(of_group.phases.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests;
