//! What [`BankAnalysis`](super::BankAnalysis) has to say.

use tilewise_ir::SiteId;
use tilewise_sim::AccessKind;

use super::group::{FIELDS, Layout};
use crate::estimate::{Accumulator, Estimate, SamplePlan};

/// Requests to local memory, summed over all work-groups of the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalCounts {
    /// Instructions of sub-groups.
    pub requests: Estimate,
    /// Passes that they take.
    pub passes: Estimate,
    /// Passes beyond those needed without conflicts.
    pub conflicts: Estimate,
}

impl LocalCounts {
    /// Passes per pass needed without conflicts: 32 for a 32-way conflict, 1
    /// for none. `None` where there is no access.
    pub fn degree(&self) -> Option<f64> {
        let ideal = self.passes.value.checked_sub(self.conflicts.value)?;
        (ideal > 0).then(|| self.passes.value as f64 / ideal as f64)
    }
}

/// Accesses of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalAccesses {
    /// As the IR has them.
    pub ir: LocalCounts,
    /// With neighbouring loads merged, where the device's compiler does so.
    pub merged: LocalCounts,
}

/// Accesses of one source site to local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteBanks {
    /// The site.
    pub site: SiteId,
    /// What it does.
    pub kind: AccessKind,
    /// The accesses.
    pub accesses: LocalAccesses,
}

/// Accesses to local memory of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Banks {
    /// Loads.
    pub loads: LocalAccesses,
    /// Stores.
    pub stores: LocalAccesses,
    /// Atomics.
    pub atomics: LocalAccesses,
    /// By source site, in the order of the code; sites without an access to
    /// local memory left out.
    pub sites: Vec<SiteBanks>,
}

impl Banks {
    pub(super) fn new(layout: &Layout, plan: &SamplePlan, sums: &Accumulator) -> Self {
        let accesses = |row: usize| {
            let counts = |at: usize| LocalCounts {
                requests: sums.total(plan, row * FIELDS + at),
                passes: sums.total(plan, row * FIELDS + at + 1),
                conflicts: sums.total(plan, row * FIELDS + at + 2),
            };
            LocalAccesses {
                ir: counts(0),
                merged: counts(3),
            }
        };
        Self {
            loads: accesses(layout.kind_row(AccessKind::Load)),
            stores: accesses(layout.kind_row(AccessKind::Store)),
            atomics: accesses(layout.kind_row(AccessKind::Atomic)),
            sites: layout
                .sites
                .iter()
                .enumerate()
                .map(|(row, site)| SiteBanks {
                    site: site.site,
                    kind: site.kind,
                    accesses: accesses(row),
                })
                .filter(|s| s.accesses.ir.requests.value > 0)
                .collect(),
        }
    }
}
