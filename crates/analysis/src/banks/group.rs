//! Accesses to local memory of one work-group.

use std::sync::Arc;

use tilewise_ir::Space;
use tilewise_sim::{AccessEvent, AccessKind, Observer};

use super::cache::PassCache;
use super::merge::{LocalMerges, MergeRole};
use super::passes::{Passes, Request};
use crate::region::RegionTable;
use crate::shape::MemoryShape;
use crate::sites::AccessSites;

/// Fields of a row: requests, passes and conflicts, as the IR has them and as
/// merged.
pub const FIELDS: usize = 6;

/// What all groups of a run share. A row per source site, then one per kind.
#[derive(Debug)]
pub struct Layout {
    pub regions: Arc<RegionTable>,
    pub shape: MemoryShape,
    pub sites: AccessSites,
    pub merges: LocalMerges,
}

impl Layout {
    pub fn rows(&self) -> usize {
        self.sites.len() + 3
    }

    pub fn kind_row(&self, kind: AccessKind) -> usize {
        self.sites.len()
            + match kind {
                AccessKind::Load => 0,
                AccessKind::Store => 1,
                AccessKind::Atomic => 2,
            }
    }
}

/// Watches one work-group for [`BankAnalysis`](super::BankAnalysis).
#[derive(Debug)]
pub struct GroupBanks {
    layout: Arc<Layout>,
    figures: Vec<u64>,
    cache: PassCache,
}

impl GroupBanks {
    pub(super) fn new(layout: Arc<Layout>) -> Self {
        Self {
            figures: vec![0; layout.rows() * FIELDS],
            cache: PassCache::default(),
            layout,
        }
    }

    /// Makes the state ready for a group. What the cache holds is true of any.
    pub(super) fn start(&mut self) {
        self.figures.fill(0);
    }

    pub(super) fn figures(&self) -> &[u64] {
        &self.figures
    }
}

impl Observer for GroupBanks {
    const ACCESSES: bool = true;

    fn access(&mut self, event: &AccessEvent<'_>) {
        if event.access.space != Space::Local {
            return;
        }
        let layout = &self.layout;
        let role = match event.kind {
            AccessKind::Load => layout.merges.role(event.inst),
            AccessKind::Store | AccessKind::Atomic => MergeRole::Alone,
        };
        let cache = &mut self.cache;
        let (bytes, align) = (event.access.bytes, event.access.align);
        let own = issue(layout, cache, event, 0, bytes, align);
        let merged = match role {
            MergeRole::Alone => own,
            MergeRole::Leads { skip, bytes } => {
                issue(layout, cache, event, i64::from(skip), bytes, bytes)
            }
            MergeRole::Served => (0, Passes::default()),
        };
        let mut figures = [0; FIELDS];
        for (at, (requests, passes)) in [own, merged].into_iter().enumerate() {
            figures[3 * at] = requests;
            figures[3 * at + 1] = u64::from(passes.passes);
            figures[3 * at + 2] = u64::from(passes.passes - passes.ideal);
        }
        let rows = [
            layout.sites.number(event.inst, event.kind),
            Some(layout.kind_row(event.kind)),
        ];
        for row in rows.into_iter().flatten() {
            let row = &mut self.figures[row * FIELDS..][..FIELDS];
            row.iter_mut().zip(figures).for_each(|(f, n)| *f += n);
        }
    }
}

/// Requests and passes of an access, cut into parts where it is too wide.
fn issue(
    layout: &Layout,
    cache: &mut PassCache,
    event: &AccessEvent<'_>,
    skip: i64,
    bytes: u32,
    align: u32,
) -> (u64, Passes) {
    let part = layout.shape.part_bytes(bytes, align);
    let mut total = Passes::default();
    let mut at = 0;
    while at < bytes {
        let length = part.min(bytes - at);
        let request = Request {
            skip: skip + i64::from(at),
            bytes: length,
            combines: event.kind != AccessKind::Atomic,
        };
        let passes = cache.count(event, &layout.regions, &layout.shape, request);
        total.passes += passes.passes;
        total.ideal += passes.ideal;
        at += length;
    }
    (u64::from(bytes.div_ceil(part)), total)
}
