//! Local memory: passes and bank conflicts.
//!
//! Local memory serves one word of every bank in a pass. A request takes as
//! many passes as the fullest bank has distinct words, over the lanes that are
//! served together; a word that several lanes read counts once. Lanes are
//! served together as far as the bytes of a pass reach (NVIDIA: 32 lanes of 4
//! bytes, 16 of 8, 8 of 16). *Conflicts* are the passes beyond those that the
//! request takes without any two words meeting in a bank. On NVIDIA, passes are
//! the counter `smsp__l1tex_..._data_pipe_lsu_wavefronts_mem_shared` but for
//! its few percent of arbitration noise.
//!
//! Every figure is there twice: as the IR has its accesses, and with
//! neighbouring loads merged as the device's compiler does ([`LocalMerges`]).
//!
//! [`PitchAnalysis`] keeps some requests of each site, to try them with rows of
//! another length.
//!
//! Misses: conflicts between sub-groups; lanes of atomics that hit one word
//! are taken to be served one by one, which newer devices may combine.

mod cache;
mod group;
mod merge;
mod passes;
mod pitch;
mod result;

use std::sync::Arc;

use tilewise_ir::Kernel;
use tilewise_sim::{Analysis, GroupInfo};

use crate::estimate::{Accumulator, SamplePlan};
use crate::idle::Idle;
use crate::region::RegionTable;
use crate::repeats::ShiftInvariant;
use crate::shape::MemoryShape;
use crate::sites::AccessSites;

pub use cache::PassCache;
pub use group::GroupBanks;
pub use merge::{LocalMerges, MergeRole};
pub use passes::{BankWords, Passes, Request, count_passes};
pub use pitch::{Pitch, PitchAnalysis, PitchGroup, Pitches};
pub use result::{Banks, LocalAccesses, LocalCounts, SiteBanks};

use group::{FIELDS, Layout};

/// Measures accesses to local memory over a run.
#[derive(Debug)]
pub struct BankAnalysis {
    layout: Arc<Layout>,
    plan: Arc<SamplePlan>,
    sums: Accumulator,
    /// Group states that are done and can be used again.
    idle: Idle<GroupBanks>,
}

impl BankAnalysis {
    /// For a run of this kernel over the groups of `plan`.
    pub fn new(
        kernel: &Kernel,
        regions: Arc<RegionTable>,
        shape: MemoryShape,
        plan: Arc<SamplePlan>,
    ) -> Self {
        let layout = Layout {
            regions,
            shape,
            sites: AccessSites::new(kernel),
            merges: if shape.merges_local_loads {
                LocalMerges::new(kernel, shape.access_bytes)
            } else {
                LocalMerges::none(kernel)
            },
        };
        Self {
            sums: Accumulator::new(&plan, layout.rows() * FIELDS),
            layout: Arc::new(layout),
            plan,
            idle: Idle::default(),
        }
    }

    /// What was measured.
    pub fn result(&self) -> Banks {
        Banks::new(&self.layout, &self.plan, &self.sums)
    }
}

impl Analysis for BankAnalysis {
    type Group = GroupBanks;

    fn begin(&self, group: &GroupInfo) -> GroupBanks {
        let mut state = self.idle(group);
        state.start();
        state
    }

    fn finish(&mut self, group: &GroupInfo, mut state: GroupBanks) {
        let figures = self.close(&mut state);
        self.enter(group, &figures);
        self.idle.put(state);
    }
}

impl ShiftInvariant for BankAnalysis {
    type Figures = Vec<u64>;

    fn idle(&self, _: &GroupInfo) -> GroupBanks {
        self.idle
            .take()
            .unwrap_or_else(|| GroupBanks::new(Arc::clone(&self.layout)))
    }

    fn start(state: &mut GroupBanks, _: &GroupInfo) {
        state.start();
    }

    fn close(&self, state: &mut GroupBanks) -> Vec<u64> {
        state.figures().to_vec()
    }

    fn enter(&mut self, group: &GroupInfo, figures: &Vec<u64>) {
        if let Some(stratum) = self.plan.stratum_of(group.linear) {
            self.sums.add(stratum, figures);
        }
    }
}

#[cfg(test)]
mod tests;
