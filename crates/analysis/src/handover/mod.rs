//! What local memory hands from one work-item to another, and which barriers that
//! takes.
//!
//! A barrier of the work-group is needed where some work-item accesses, behind it,
//! memory that another one accessed before it, one of the two writing, and no
//! other barrier stands between the two. Method: each cell of local memory keeps
//! who wrote and read it last, and between which barriers (the shadow memory of a
//! race check, asked the other way round). Two barriers of which either one would
//! do are both told to be idle by that; then the later one is.
//!
//! That a launch shows no such pair is no proof: it may be too small for the loop
//! to come round, or its data may be special. So a barrier counts as idle only
//! where every pair of accesses that could meet across it by the control-flow
//! graph has come up, each by more than one work-item, and where no address of
//! them is computed from data. Barriers that order global memory count as idle
//! only where nothing in global memory could meet across them.
//!
//! What it misses: kernels with asynchronous copies, accesses whose lanes touch
//! several variables at once, barriers without a flag.

mod group;
mod plan;

use std::collections::BTreeSet;
use std::sync::Arc;

use tilewise_ir::pointer::Region;
use tilewise_ir::{Kernel, SiteId};
use tilewise_sim::{Analysis, GroupInfo, Regions};

pub use group::HandoverGroup;

use group::Seen;
use plan::Plan;

/// A source site with a barrier of the work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierUse {
    /// The site.
    pub site: SiteId,
    /// How often the groups that ran passed it.
    pub passed: u64,
    /// It ordered nothing.
    pub idle: bool,
}

/// What became of a variable in local memory. Counts are those of the groups that
/// ran, in cells of the smallest piece that the kernel accesses there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalUse {
    /// Size of a cell in bytes.
    pub cell_bytes: u32,
    /// Cells written.
    pub writes: u64,
    /// Cells read.
    pub reads: u64,
    /// Of these: read by the work-item that had written them.
    pub own_reads: u64,
    /// Of these: read before since they were written.
    pub again: u64,
    /// More than one work-item reads.
    pub readers: bool,
}

/// What local memory was used for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handover {
    /// Barriers of the work-group, in the order of the code.
    pub barriers: Vec<BarrierUse>,
    /// Variables in local memory that are accessed.
    pub variables: Vec<(Region, LocalUse)>,
}

/// Watches local memory over a run.
#[derive(Debug)]
pub struct HandoverAnalysis {
    plan: Arc<Plan>,
    seen: Seen,
}

impl HandoverAnalysis {
    /// For a run of this kernel.
    pub fn new(kernel: &Kernel, regions: &Regions) -> Self {
        let plan = Plan::new(kernel, regions);
        Self {
            seen: Seen::new(&plan),
            plan: Arc::new(plan),
        }
    }

    /// What was seen.
    pub fn result(&self) -> Handover {
        let seen = &self.seen;
        let mut idle: BTreeSet<usize> = (0..self.plan.barriers.len())
            .filter(|&b| {
                let barrier = &self.plan.barriers[b];
                let exercised = seen.exercised[b].iter().all(|&e| e);
                let judged = !barrier.open && !seen.mixed && seen.items > 1;
                judged && seen.passed[b] > 0 && !seen.needed[b] && exercised
            })
            .collect();
        for &(first, last) in &seen.either {
            if idle.contains(&last) {
                idle.remove(&first);
            }
        }
        let barriers = self.plan.barriers.iter().enumerate();
        let variables = seen.variables.iter().enumerate();
        Handover {
            barriers: barriers
                .map(|(b, barrier)| BarrierUse {
                    site: barrier.site,
                    passed: seen.passed[b],
                    idle: idle.contains(&b),
                })
                .collect(),
            variables: variables
                .filter(|(_, used)| used.reads + used.writes > 0)
                .map(|(r, used)| {
                    let shift = self.plan.cells[r].map_or(0, |(_, shift)| shift);
                    let used = LocalUse {
                        cell_bytes: 1 << shift,
                        ..*used
                    };
                    (Region(r as u16), used)
                })
                .collect(),
        }
    }
}

impl Analysis for HandoverAnalysis {
    type Group = HandoverGroup;

    fn begin(&self, group: &GroupInfo) -> HandoverGroup {
        HandoverGroup::new(Arc::clone(&self.plan), *group)
    }

    fn finish(&mut self, _: &GroupInfo, group: HandoverGroup) {
        self.seen.add(group.finish());
    }
}
