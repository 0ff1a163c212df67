//! The pitch that takes bank conflicts away.
//!
//! Lanes that access a column of a tile are a row apart. Where the length of the
//! rows makes their words meet in few banks, a longer row spreads them. A few
//! requests of each source site are kept and counted again with rows made longer
//! by one element, two, and so on, up to a turn around all banks; the other
//! accesses of the same variable must not get worse by it.
//!
//! Misses: layouts that a longer row can't mend (swizzles may).

use std::sync::Arc;

use tilewise_ir::pointer::{self, Region};
use tilewise_ir::{InstId, MemAccess, SiteId, Space};
use tilewise_sim::{
    AccessEvent, AccessKind, AddressShape, Analysis, GroupInfo, Observer, each_lane,
};

use super::passes::{BankWords, Passes, Request, count_passes};
use crate::region::RegionTable;
use crate::shape::MemoryShape;

/// Requests that are kept of a source site.
const KEPT: usize = 8;

/// A request of one sub-group.
#[derive(Clone, Debug)]
struct Kept {
    inst: InstId,
    site: SiteId,
    kind: AccessKind,
    access: MemAccess,
    region: Region,
    mask: u64,
    /// Tagged, by lane.
    addresses: Vec<u64>,
}

/// Rows of another length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pitch {
    /// Size of an element in bytes.
    pub element: u32,
    /// Elements from one row to the next.
    pub from: u64,
    /// Elements from one row to the next that leave no conflict.
    pub to: u64,
}

/// Keeps requests to local memory over a run.
#[derive(Debug, Default)]
pub struct PitchAnalysis {
    kept: Vec<Kept>,
}

/// The observer of one work-group.
#[derive(Debug, Default)]
pub struct PitchGroup {
    kept: Vec<Kept>,
}

/// The requests of a run, to try other pitches on.
#[derive(Debug)]
pub struct Pitches {
    kept: Vec<Kept>,
    regions: Arc<RegionTable>,
    shape: MemoryShape,
}

impl PitchAnalysis {
    /// The requests that were kept.
    pub fn result(self, regions: Arc<RegionTable>, shape: MemoryShape) -> Pitches {
        Pitches {
            kept: self.kept,
            regions,
            shape,
        }
    }
}

impl Pitches {
    /// A pitch with which the accesses of a site have no conflict, and those of
    /// other sites to the same variable no more than now. `None` where longer rows
    /// don't help, or there is no conflict.
    pub fn suggest(&self, site: SiteId, kind: AccessKind) -> Option<Pitch> {
        let own = |k: &&Kept| k.site == site && k.kind == kind;
        let worst = self
            .kept
            .iter()
            .filter(own)
            .max_by_key(|k| self.excess(k, &k.addresses))?;
        if self.excess(worst, &worst.addresses) == 0 {
            return None;
        }
        let row = row_bytes(worst)?;
        let element = u64::from(worst.access.elem.size()).max(1);
        let same: Vec<&Kept> = self
            .kept
            .iter()
            .filter(|k| k.region == worst.region)
            .collect();
        let before: u32 = same
            .iter()
            .filter(|k| !own(k))
            .map(|k| self.excess(k, &k.addresses))
            .sum();
        let turn = u64::from(self.shape.banks) * u64::from(self.shape.bank_bytes);
        (1..=turn / element).find_map(|more| {
            let pitch = row + more * element;
            let with = |k: &Kept| self.excess(k, &longer(k, row, pitch));
            let (mine, others): (Vec<&Kept>, Vec<&Kept>) = same.iter().copied().partition(own);
            let clean = mine.iter().all(|k| with(k) == 0);
            let fits = clean && others.iter().map(|k| with(k)).sum::<u32>() <= before;
            fits.then_some(Pitch {
                element: element as u32,
                from: row / element,
                to: pitch / element,
            })
        })
    }

    /// Passes of a request beyond those that it takes without conflicts.
    fn excess(&self, kept: &Kept, addresses: &[u64]) -> u32 {
        let event = AccessEvent {
            inst: kept.inst,
            site: kept.site,
            kind: kept.kind,
            access: kept.access,
            components: u16::MAX,
            sub_group: 0,
            mask: kept.mask,
            addresses,
            shape: AddressShape::Scattered,
            region: Some(kept.region),
            in_bounds: kept.mask,
            image: None,
            values: None,
        };
        let whole = kept.access.bytes;
        let part = self.shape.part_bytes(whole, kept.access.align).max(1);
        let mut total = Passes::default();
        let mut room = BankWords::default();
        let mut at = 0;
        while at < whole {
            let request = Request {
                skip: i64::from(at),
                bytes: part.min(whole - at),
                combines: kept.kind != AccessKind::Atomic,
            };
            let (regions, shape, mask) = (&self.regions, &self.shape, kept.mask);
            let passes = count_passes(&event, regions, shape, mask, request, &mut room);
            total.passes += passes.passes;
            total.ideal += passes.ideal;
            at += part;
        }
        total.passes.saturating_sub(total.ideal)
    }
}

/// Bytes from one row to the next: what lies between most neighbouring lanes that
/// do not stand side by side.
fn row_bytes(kept: &Kept) -> Option<u64> {
    let offsets: Vec<i64> = each_lane(kept.mask)
        .map(|l| pointer::offset(kept.addresses[l]))
        .collect();
    let apart = |d: &u64| *d > u64::from(kept.access.bytes);
    let steps: Vec<u64> = offsets
        .windows(2)
        .map(|pair| pair[1].abs_diff(pair[0]))
        .filter(apart)
        .collect();
    let count = |d: &u64| steps.iter().filter(|s| *s == d).count();
    let most = steps
        .iter()
        .copied()
        .max_by_key(|d| (count(d), u64::MAX - d));
    most.filter(|row| row % u64::from(kept.access.elem.size()).max(1) == 0)
}

/// The addresses of a request if rows of `row` bytes were `pitch` bytes apart.
fn longer(kept: &Kept, row: u64, pitch: u64) -> Vec<u64> {
    let moved = |address: u64| {
        let offset = pointer::offset(address).max(0) as u64;
        let there = offset / row * pitch + offset % row;
        pointer::pack(kept.region, there as i64)
    };
    kept.addresses.iter().map(|&a| moved(a)).collect()
}

/// Adds a request unless enough of its site are kept.
fn add(all: &mut Vec<Kept>, site: SiteId, kind: AccessKind, kept: impl FnOnce() -> Kept) {
    let known = all.iter().filter(|k| k.site == site && k.kind == kind);
    if known.count() < KEPT {
        all.push(kept());
    }
}

impl Analysis for PitchAnalysis {
    type Group = PitchGroup;

    fn begin(&self, _: &GroupInfo) -> PitchGroup {
        PitchGroup::default()
    }

    fn finish(&mut self, _: &GroupInfo, group: PitchGroup) {
        for kept in group.kept {
            add(&mut self.kept, kept.site, kept.kind, || kept.clone());
        }
    }
}

impl Observer for PitchGroup {
    const ACCESSES: bool = true;

    fn access(&mut self, event: &AccessEvent<'_>) {
        let mask = event.mask & event.in_bounds;
        if event.access.space != Space::Local || mask == 0 {
            return;
        }
        let Some(region) = event.region else {
            return;
        };
        add(&mut self.kept, event.site, event.kind, || Kept {
            inst: event.inst,
            site: event.site,
            kind: event.kind,
            access: event.access,
            region,
            mask,
            addresses: event.addresses.to_vec(),
        });
    }
}
