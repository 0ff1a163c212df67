//! What [`ScoreboardAnalysis`](super::ScoreboardAnalysis) has to say.

use super::path::{Level, Path};
use crate::estimate::{Accumulator, Estimate, SamplePlan};

/// Figures of a group.
pub const FIGURES: usize = 12;

/// Cycles that sub-groups waited, by what they waited for, over all sub-groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stalls<T = u64> {
    /// Loads from beyond the L1.
    pub far: T,
    /// Loads served by the L1, constant cache, or from private memory.
    pub l1: T,
    /// Loads of local memory.
    pub local: T,
    /// Arithmetic.
    pub arithmetic: T,
    /// Other sub-groups, at barriers.
    pub barrier: T,
}

impl Stalls {
    /// Enters a wait of so many cycles, during which the path grew from one
    /// to the other; what memory doesn't account for is arithmetic.
    pub(super) fn add(&mut self, cycles: u64, from: &Path, to: &Path) {
        let mut rest = cycles;
        let levels = [&mut self.far, &mut self.l1, &mut self.local];
        for (level, stall) in levels.into_iter().enumerate() {
            let part = to.cycles[level]
                .saturating_sub(from.cycles[level])
                .min(rest);
            *stall += part;
            rest -= part;
        }
        self.arithmetic += rest;
    }
}

/// A stretch of a group's life that ends with a barrier or with the group.
/// Figures run from the group's launch to the end of the phase; of a group
/// with very many phases the first are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The cycle in which its last sub-group is done.
    pub end: u64,
    pub(super) path: Path,
}

impl Phase {
    /// Far round trips that followed one another up to here.
    pub fn far_trips(&self) -> u32 {
        self.path.trips[Level::Far as usize]
    }

    /// Round trips to the L1 that followed one another up to here.
    pub fn l1_trips(&self) -> u32 {
        self.path.trips[Level::L1 as usize]
    }

    /// Round trips to local memory that followed one another up to here.
    pub fn local_trips(&self) -> u32 {
        self.path.trips[Level::Local as usize]
    }
}

/// Lives of work-groups, each figure summed over all groups of the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifetimes {
    /// Work-groups of the launch.
    pub groups: u64,
    /// Cycles from launch to end.
    pub lifetime: Estimate,
    /// Cycles of launch, issue and dependent arithmetic in the sub-group that
    /// is last: the lifetime less its memory round trips and barriers.
    pub arithmetic: Estimate,
    /// Round trips beyond the L1 that follow one another.
    pub far_trips: Estimate,
    /// Round trips to the L1 that follow one another.
    pub l1_trips: Estimate,
    /// Round trips to local memory that follow one another.
    pub local_trips: Estimate,
    /// Barriers.
    pub barriers: Estimate,
    /// Cycles of the barriers themselves.
    pub barrier_cycles: Estimate,
    /// Cycles that sub-groups waited.
    pub stalls: Stalls<Estimate>,
    /// Phases of one group of the largest stratum.
    pub phases: Vec<Phase>,
}

impl Lifetimes {
    /// Average of a figure per work-group.
    pub fn per_group(&self, figure: Estimate) -> f64 {
        figure.value as f64 / self.groups.max(1) as f64
    }

    pub(super) fn new(plan: &SamplePlan, sums: &Accumulator, phases: Vec<Phase>) -> Self {
        let total = |metric: usize| sums.total(plan, metric);
        Self {
            groups: plan.population(),
            lifetime: total(0),
            arithmetic: total(1),
            far_trips: total(2),
            l1_trips: total(3),
            local_trips: total(4),
            barriers: total(5),
            barrier_cycles: total(6),
            stalls: Stalls {
                far: total(7),
                l1: total(8),
                local: total(9),
                arithmetic: total(10),
                barrier: total(11),
            },
            phases,
        }
    }
}
