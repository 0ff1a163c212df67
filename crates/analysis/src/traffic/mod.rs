//! Traffic and reuse: what a kernel accesses, how much of it again, and what
//! the memory system sees of it.
//!
//! *Accesses* are counted in elements: every active lane of a load counts one
//! (`vloadN`: N). *Distinct* elements are those that a work-group touches,
//! summed over work-groups; accesses / distinct is the **reuse factor**. It is
//! the product of three factors, by who can catch the reuse
//! ([`Stream::lane_reuse`], [`Stream::time_reuse`],
//! [`Stream::sub_group_reuse`]).
//!
//! A *request* is one memory instruction of a sub-group with an active lane;
//! an access wider than a lane's widest one, or not aligned for it, is several.
//! *Sectors* and *lines* are the distinct aligned blocks that the active lanes
//! of one request touch. On NVIDIA these are the counters
//! `smsp__sass_inst_executed_op_global_ld` and
//! `l1tex__t_sectors_pipe_lsu_mem_global_op_ld`.
//!
//! Method: every event becomes sorted byte spans; spans go into bitmaps per
//! work-group, sub-group and source site. An element is the smallest component
//! group that any access to the buffer touches, so that mixed accesses
//! (`float4` here, its `x` there) are counted in the smaller unit.
//!
//! Misses: accesses of lanes that are out of bounds make a request but touch
//! nothing; what one group finds in a cache because of another.

mod group;
mod layout;
mod result;

use std::sync::Arc;

use tilewise_ir::Kernel;
use tilewise_sim::{Analysis, GroupInfo};

use crate::estimate::{Accumulator, SamplePlan};
use crate::idle::Idle;
use crate::region::RegionTable;
use crate::repeats::ShiftInvariant;
use crate::shape::MemoryShape;

pub use group::GroupTraffic;
pub use result::{BufferTraffic, KindTraffic, SiteTraffic, SpaceTraffic, Stream, Traffic};

use layout::{FIELDS, Layout, RowFacts};

/// Measures traffic over a run.
#[derive(Debug)]
pub struct TrafficAnalysis {
    layout: Arc<Layout>,
    plan: Arc<SamplePlan>,
    sums: Accumulator,
    facts: Vec<RowFacts>,
    /// Group states that are done and can be used again.
    idle: Idle<GroupTraffic>,
}

impl TrafficAnalysis {
    /// For a run of this kernel over the groups of `plan`.
    pub fn new(
        kernel: &Kernel,
        regions: Arc<RegionTable>,
        shape: MemoryShape,
        plan: Arc<SamplePlan>,
    ) -> Self {
        let layout = Arc::new(Layout::new(kernel, regions, shape));
        Self {
            sums: Accumulator::new(&plan, layout.rows() * FIELDS),
            facts: vec![RowFacts::default(); layout.rows()],
            layout,
            plan,
            idle: Idle::default(),
        }
    }

    /// What was measured.
    pub fn result(&self) -> Traffic {
        Traffic::new(&self.layout, &self.plan, &self.sums, &self.facts)
    }
}

impl Analysis for TrafficAnalysis {
    type Group = GroupTraffic;

    fn begin(&self, group: &GroupInfo) -> GroupTraffic {
        let mut state = self.idle(group);
        state.start(group);
        state
    }

    fn finish(&mut self, group: &GroupInfo, mut state: GroupTraffic) {
        let figures = self.close(&mut state);
        self.enter(group, &figures);
        self.idle.put(state);
    }
}

/// What a group comes to.
#[derive(Clone, Debug)]
pub struct GroupFigures {
    figures: Vec<u64>,
    facts: Vec<RowFacts>,
}

impl ShiftInvariant for TrafficAnalysis {
    type Figures = GroupFigures;

    fn idle(&self, _: &GroupInfo) -> GroupTraffic {
        self.idle
            .take()
            .unwrap_or_else(|| GroupTraffic::new(Arc::clone(&self.layout)))
    }

    fn start(state: &mut GroupTraffic, group: &GroupInfo) {
        state.start(group);
    }

    fn close(&self, state: &mut GroupTraffic) -> GroupFigures {
        GroupFigures {
            figures: state.close().to_vec(),
            facts: state.facts().to_vec(),
        }
    }

    fn enter(&mut self, group: &GroupInfo, of_group: &GroupFigures) {
        if let Some(stratum) = self.plan.stratum_of(group.linear) {
            self.sums.add(stratum, &of_group.figures);
            for (all, one) in self.facts.iter_mut().zip(&of_group.facts) {
                all.merge(one);
            }
        }
    }
}

#[cfg(test)]
mod tests;
