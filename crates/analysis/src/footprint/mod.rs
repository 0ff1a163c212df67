//! Footprints: which box of a buffer a work-group reads, and how far that
//! reaches beyond the work-items' own positions (the halo).
//!
//! Method, from the addresses alone and for a few work-groups:
//! 1. The lanes of one instruction that differ in the first local id only give
//!    the stride of that dimension; the same instruction in work-items that
//!    differ in the second and third local id gives the strides of those.
//! 2. The elements that the group touches form runs at regular distances. The
//!    distance is a *row pitch* of the buffer; rows at regular distances give
//!    the pitch of planes. Candidates are the distances met most and the
//!    strides; the one with the smallest box is taken.
//! 3. Coordinates by these pitches give the box. What it has beyond the
//!    positions of the work-items (strides times global id) is the halo.
//!
//! What is shown is the group with the largest box: groups at the borders read
//! less. A buffer that is read with several sets of strides has a footprint for
//! each.
//!
//! Misses: indices that depend on data or wrap within a group have no
//! footprint; a pitch below the width of the box can't be seen; a box that is
//! known to grow with a loop isn't told apart from a stencil's.

mod decompose;
mod group;
mod reads;
mod result;

use std::sync::Arc;

use tilewise_ir::Kernel;
use tilewise_sim::{Analysis, GroupInfo};

use crate::estimate::SamplePlan;
use crate::region::RegionTable;

pub use group::GroupFootprint;
pub use result::{BufferFootprint, Dimension, Footprint, Footprints};

/// Most work-groups that are looked at per stratum, and where there are no
/// strata.
const GROUPS_PER_STRATUM: u64 = 2;
const GROUPS_WITHOUT_STRATA: u64 = 64;

/// Finds the footprints of the buffers that a kernel reads.
#[derive(Debug)]
pub struct FootprintAnalysis {
    regions: Arc<RegionTable>,
    insts: usize,
    /// Linear numbers of the groups that are looked at; all where it is empty.
    chosen: Vec<u64>,
    /// Every how many groups one is looked at, where none are chosen.
    every: u64,
    found: Vec<BufferFootprint>,
}

impl FootprintAnalysis {
    /// For a run of this kernel over the groups of `plan`.
    pub fn new(kernel: &Kernel, regions: Arc<RegionTable>, plan: &SamplePlan) -> Self {
        let mut left = vec![GROUPS_PER_STRATUM; plan.stratum_sizes().len()];
        let chosen = plan.groups().iter().filter(|g| {
            let left = &mut left[g.stratum as usize];
            let take = *left > 0;
            *left = left.saturating_sub(1);
            take
        });
        Self {
            regions,
            insts: kernel.numbering().len(),
            chosen: chosen.map(|g| g.linear).collect(),
            every: plan.population() / GROUPS_WITHOUT_STRATA + 1,
            found: Vec::new(),
        }
    }

    /// What was found.
    pub fn result(&self) -> Footprints {
        Footprints {
            buffers: self.found.clone(),
        }
    }

    fn looks_at(&self, linear: u64) -> bool {
        if self.chosen.is_empty() {
            linear.is_multiple_of(self.every)
        } else {
            self.chosen.binary_search(&linear).is_ok()
        }
    }
}

impl Analysis for FootprintAnalysis {
    type Group = GroupFootprint;

    fn begin(&self, group: &GroupInfo) -> GroupFootprint {
        let insts = if self.looks_at(group.linear) {
            self.insts
        } else {
            0
        };
        GroupFootprint::new(Arc::clone(&self.regions), *group, insts)
    }

    fn finish(&mut self, _: &GroupInfo, state: GroupFootprint) {
        let buffers = state.buffers();
        if buffers.is_empty() {
            return;
        }
        for one in buffers {
            match self.found.iter_mut().find(|b| b.slot == one.slot) {
                Some(all) => all.merge(one),
                None => self.found.push(one),
            }
        }
        self.found.sort_by_key(|b| b.slot);
    }
}

#[cfg(test)]
mod tests;
