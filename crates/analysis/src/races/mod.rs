//! Data races in local and global memory.
//!
//! Two accesses race where different work-items make them, at least one
//! writes, not both are atomic, and nothing orders one before the other (OpenCL
//! C 3.0, section 3.3.4, memory consistency model). What orders:
//!
//! - a barrier of the work-group, for the address spaces that its flags name,
//!   between the work-items of the group;
//! - a barrier of a sub-group, likewise, between the work-items of the
//!   sub-group. Running in lockstep does not order them: OpenCL promises none,
//!   and a device whose sub-groups are narrower has none;
//! - atomics, where the kernel orders the memory by a fence or by an atomic's memory
//!   order and uses results of atomics: what a work-item did before an atomic is known
//!   to those of its group that look at the same memory by an atomic later ([`handed`]);
//! - nothing, between work-groups. Only where a kernel orders global memory by
//!   a fence and uses the results of global atomics, what a work-item did before a
//!   fence and then an atomic counts as known to those of other groups behind an atomic
//!   and then a fence ([`released`]): how partial results are handed to the group that
//!   comes last.
//!
//! A texel of an image is one piece: functions that read or write it race as loads
//! and stores of a buffer do.
//!
//! An asynchronous copy by the work-group is made by whoever the device likes: it
//! races with every work-item of the group that nothing orders before it.
//!
//! Method: shadow memory with epochs, as in FastTrack (C. Flanagan and S.
//! Freund, PLDI 2009), where barriers make a single counter of a group serve as
//! every work-item's clock. A cell for every 4 bytes (2 or 1 where the kernel
//! accesses such pieces) keeps the last plain write with its value, and the
//! first two work-items that read it and that update it atomically since the
//! last barrier: of two readers at least one is not the writer that comes next.
//! Memory that the kernel nowhere writes is not watched. Groups are entered
//! into cells of the launch when they are done ([`across`]).
//!
//! What it misses: races that need other data, another size or a group that
//! did not run; a second race at a cell whose first one has been reported; an
//! atomic load that races with a later plain write; which of OpenCL 2.0's memory
//! orders and scopes an atomic has, and, within a group, where a fence stands.

mod across;
mod cells;
mod group;
mod handed;
mod plan;
mod released;
mod result;
mod state;

use std::sync::Arc;

use tilewise_ir::Kernel;
use tilewise_launch::NdRange;
use tilewise_sim::{Analysis, GroupInfo, Regions};

use crate::idle::Idle;

pub use group::RaceGroup;
pub use result::{Race, Races, Side};

use across::Across;
use group::RaceList;
use plan::Plan;
use state::State;

/// Pairs of instructions that are kept of all groups.
const MOST_RACES: usize = 256;

/// The race check of one run.
#[derive(Debug)]
pub struct RaceAnalysis {
    plan: Arc<Plan>,
    idle: Idle<State>,
    within: RaceList,
    across: Across,
    not_followed: u64,
    unchecked: Option<String>,
}

impl RaceAnalysis {
    /// A check of a kernel whose sub-groups have `width` lanes.
    pub fn new(kernel: &Kernel, regions: &Regions, range: &NdRange, width: u32) -> Self {
        let (plan, unchecked) = match Plan::new(kernel, regions, range, width) {
            Ok(plan) => (plan, None),
            Err(why) => (Plan::unwatched(regions), Some(why)),
        };
        Self {
            across: Across::new(plan.regions.len()),
            plan: Arc::new(plan),
            idle: Idle::default(),
            within: RaceList::default(),
            not_followed: 0,
            unchecked,
        }
    }

    /// What was found in the groups that ran.
    pub fn result(self) -> Races {
        let mut all = self.within;
        let across = self.across.found;
        for race in across.races {
            all.races.push(race);
        }
        Races {
            races: all.races,
            not_kept: all.not_kept + across.not_kept,
            not_followed: self.not_followed,
            unchecked: self.unchecked,
        }
    }
}

impl Analysis for RaceAnalysis {
    type Group = RaceGroup;

    fn begin(&self, group: &GroupInfo) -> RaceGroup {
        let idle = self.idle.take();
        let state = idle.unwrap_or_else(|| State::new(&self.plan));
        RaceGroup::new(self.plan.clone(), *group, state)
    }

    fn finish(&mut self, _: &GroupInfo, mut group: RaceGroup) {
        if let Some(released) = &mut group.released {
            released.end();
        }
        self.across.add(&self.plan, &group);
        let found = std::mem::take(&mut group.found);
        for race in found.races {
            self.within.add(race, MOST_RACES);
        }
        self.within.not_kept += found.not_kept;
        self.not_followed += group.not_followed;
        self.idle.put(group.state);
    }
}
