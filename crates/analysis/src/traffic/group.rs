//! Traffic of one work-group.

use std::sync::Arc;

use tilewise_ir::Space;
use tilewise_ir::pointer::Region;
use tilewise_sim::{AccessEvent, AccessKind, GroupInfo, Observer};

use super::layout::{
    BYTES, COUNTED, DISTINCT, DISTINCT_SECTORS, FIELDS, KINDS, LANES, LINES, Layout,
    REQUEST_DISTINCT, REQUESTS, RowFacts, SECTORS, SUB_GROUP_DISTINCT, class_index, kind_index,
};
use crate::touched::{PageSet, Spans, for_each_region};

/// Watches one work-group for [`TrafficAnalysis`](super::TrafficAnalysis).
#[derive(Debug)]
pub struct GroupTraffic {
    layout: Arc<Layout>,
    figures: Vec<u64>,
    facts: Vec<RowFacts>,
    /// What the group has touched, by region and kind.
    group: Vec<PageSet>,
    /// What each sub-group has touched: by sub-group, region and kind.
    sub_groups: Vec<PageSet>,
    /// What each site has touched.
    sites: Vec<PageSet>,
    /// By site.
    pending: Vec<Pending>,
    spans: Spans,
}

impl GroupTraffic {
    pub(super) fn new(layout: Arc<Layout>) -> Self {
        let regions = layout.regions.len() * KINDS.len();
        Self {
            figures: vec![0; layout.rows() * FIELDS],
            facts: vec![RowFacts::default(); layout.rows()],
            group: vec![PageSet::default(); regions],
            sub_groups: Vec::new(),
            sites: vec![PageSet::default(); layout.sites.len()],
            pending: vec![Pending::NOTHING; layout.sites.len()],
            spans: Spans::default(),
            layout,
        }
    }

    /// Makes the state ready for a group.
    pub(super) fn start(&mut self, group: &GroupInfo) {
        self.figures.fill(0);
        self.facts.fill(RowFacts::default());
        self.pending.fill(Pending::NOTHING);
        let sets = [&mut self.group, &mut self.sub_groups, &mut self.sites];
        for set in sets.into_iter().flatten() {
            set.clear();
        }
        let needed = group.sub_groups as usize * self.group.len();
        if self.sub_groups.len() < needed {
            self.sub_groups.resize_with(needed, PageSet::default);
        }
    }

    /// Counts what is only known at the end and gives the figures by row.
    pub(super) fn close(&mut self) -> &[u64] {
        for site in 0..self.pending.len() {
            self.settle(site);
        }
        let layout = Arc::clone(&self.layout);
        for (slot, region) in layout.regions.iter() {
            let log2 = layout
                .sector_log2
                .saturating_sub(region.granule_bytes.ilog2());
            let space = class_index(region.space, region.image);
            for kind in 0..KINDS.len() {
                let row = layout.region_row(slot, kind);
                let sectors = self.group[row].blocks(log2);
                self.add(row, DISTINCT_SECTORS, sectors);
                self.add(layout.space_row(space, kind), DISTINCT_SECTORS, sectors);
            }
        }
        for site in 0..layout.sites.len() {
            let row = layout.site_row(site);
            // A site accesses one buffer, or several of one type.
            let slot = self.facts[row].slots.trailing_zeros() as usize;
            if slot < layout.regions.len() {
                let granule = layout.regions.get(slot).granule_bytes.ilog2();
                let log2 = layout.sector_log2.saturating_sub(granule);
                let sectors = self.sites[site].blocks(log2);
                self.add(row, DISTINCT_SECTORS, sectors);
            }
        }
        &self.figures
    }

    pub(super) fn facts(&self) -> &[RowFacts] {
        &self.facts
    }

    fn add(&mut self, row: usize, field: usize, amount: u64) {
        self.figures[row * FIELDS + field] += amount;
    }
}

impl Observer for GroupTraffic {
    const ACCESSES: bool = true;

    fn access(&mut self, event: &AccessEvent<'_>) {
        let kind = kind_index(event.kind);
        let (skip, bytes) = covered(event);
        let part = self.layout.shape.part_bytes(bytes, event.access.align);
        let access = Access {
            kind,
            site: self.layout.sites.number(event.inst, event.kind),
            skip,
            bytes,
            part,
            requests: match event.image {
                None if bytes == part => 1,
                None => u64::from(bytes.div_ceil(part)),
                // One request, however many texels its filter needs.
                Some(number) => u64::from(number == 0),
            },
            element: match u32::from(event.access.elements) {
                0 | 1 => event.access.bytes,
                n => event.access.bytes / n,
            }
            .min(bytes)
            .max(1),
        };
        if let (Some(region), Some(site)) = (event.region, access.site) {
            let (place, figures) = self.count(event, &access, region, event.mask);
            let pending = &mut self.pending[site];
            if pending.place != Some(place) {
                self.settle(site);
            }
            let pending = &mut self.pending[site];
            pending.place = Some(place);
            pending.element = pending.element.min(access.element);
            for (total, amount) in pending.figures.iter_mut().zip(figures) {
                *total += amount;
            }
            return;
        }
        let mut first = true;
        for_each_region(event, event.mask, |region, lanes| {
            let (place, mut figures) = self.count(event, &access, region, lanes);
            let rows = self.rows(place, access.site);
            for (i, row) in rows.into_iter().enumerate() {
                let Some(row) = row else { continue };
                // A request to two regions is one request of its site.
                if i > 0 && !first {
                    figures[REQUESTS] = 0;
                }
                self.enter(row, &figures, place.slot, access.element);
            }
            first = false;
        });
    }
}

/// An access as it is counted.
struct Access {
    kind: usize,
    site: Option<usize>,
    /// Bytes of each lane that it leaves out in front, and bytes then.
    skip: u32,
    bytes: u32,
    /// Bytes of each instruction that it is issued as.
    part: u32,
    requests: u64,
    /// Bytes of an element.
    element: u32,
}

/// Which memory an access is counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    slot: usize,
    /// [`class_index`].
    class: usize,
    kind: usize,
}

/// What a site's accesses to one place come to, until they are entered into
/// the rows.
#[derive(Clone, Debug)]
struct Pending {
    place: Option<Place>,
    figures: [u64; COUNTED],
    element: u32,
}

impl Pending {
    const NOTHING: Self = Self {
        place: None,
        figures: [0; COUNTED],
        element: u32::MAX,
    };
}

impl GroupTraffic {
    /// Counts an access of the lanes to a region, and enters what they touch.
    #[inline(always)]
    fn count(
        &mut self,
        event: &AccessEvent<'_>,
        access: &Access,
        region: Region,
        lanes: u64,
    ) -> (Place, [u64; COUNTED]) {
        let layout = &*self.layout;
        let slot = layout.regions.slot(region);
        let known = layout.regions.get(slot);
        let space = if slot == 0 {
            event.access.space
        } else {
            known.space
        };
        let granule = known.granule_bytes.trailing_zeros();
        let place = Place {
            slot,
            class: class_index(space, event.image.is_some()),
            kind: access.kind,
        };
        let lanes_in = lanes & event.in_bounds;
        let mut figures = [0u64; COUNTED];
        figures[REQUESTS] = access.requests;
        figures[LANES] = u64::from(lanes.count_ones());
        figures[BYTES] = u64::from(lanes_in.count_ones()) * u64::from(access.bytes);
        // Private memory is each work-item's own: nothing to share.
        if space == Space::Private || lanes_in == 0 {
            return (place, figures);
        }
        let (skip, bytes, part) = (access.skip, access.bytes, access.part);
        if space != Space::Local {
            let mut at = 0;
            while at < bytes {
                let length = part.min(bytes - at);
                self.spans.collect(event, lanes_in, skip + at, length);
                figures[SECTORS] += self.spans.blocks(layout.sector_log2);
                figures[LINES] += self.spans.blocks(layout.line_log2);
                at += length;
            }
        }
        if bytes > part || space == Space::Local {
            self.spans.collect(event, lanes_in, skip, bytes);
        }
        figures[REQUEST_DISTINCT] = self.spans.blocks(granule) << granule;
        self.touch(event.sub_group, place, access.site, granule);
        (place, figures)
    }

    /// Enters the spans into the sets and counts what is new in each.
    #[inline(always)]
    fn touch(&mut self, sub_group: u32, place: Place, site: Option<usize>, granule: u32) {
        let region = self.layout.region_row(place.slot, place.kind);
        let own = sub_group as usize * self.group.len() + region;
        let (mut group, mut sub_group, mut by_site) = (0, 0, 0);
        for &(start, end) in self.spans.as_slice() {
            let (start, end) = (start >> granule, ((end - 1) >> granule) + 1);
            // What is new to the group is new to its sub-group.
            let new = self.sub_groups[own].insert_range(start, end);
            if new != 0 {
                sub_group += new;
                group += self.group[region].insert_range(start, end);
            }
            if let Some(site) = site {
                // Offsets have 48 bits, so the region fits above them.
                let tag = (place.slot as u64) << 48;
                by_site += self.sites[site].insert_range(tag + start, tag + end);
            }
        }
        let [buffer, by_site_row, space] = self.rows(place, site);
        if sub_group != 0 {
            for row in [buffer, space].into_iter().flatten() {
                self.add(row, DISTINCT, group << granule);
                self.add(row, SUB_GROUP_DISTINCT, sub_group << granule);
            }
        }
        if let Some(row) = by_site_row.filter(|_| by_site != 0) {
            self.add(row, DISTINCT, by_site << granule);
        }
    }

    /// The rows of a place, of a site, and of the place's address space.
    fn rows(&self, place: Place, site: Option<usize>) -> [Option<usize>; 3] {
        let layout = &self.layout;
        [
            Some(layout.region_row(place.slot, place.kind)),
            site.map(|s| layout.site_row(s)),
            Some(layout.space_row(place.class, place.kind)),
        ]
    }

    /// Adds figures to a row.
    fn enter(&mut self, row: usize, figures: &[u64; COUNTED], slot: usize, element: u32) {
        let totals = &mut self.figures[row * FIELDS..][..COUNTED];
        for (total, amount) in totals.iter_mut().zip(figures) {
            *total += amount;
        }
        let facts = &mut self.facts[row];
        facts.element_bytes = facts.element_bytes.min(element);
        facts.slots |= 1 << slot.min(63);
    }

    /// Enters what a site has pending.
    fn settle(&mut self, site: usize) {
        let pending = std::mem::replace(&mut self.pending[site], Pending::NOTHING);
        if let Some(place) = pending.place {
            for row in self.rows(place, Some(site)).into_iter().flatten() {
                self.enter(row, &pending.figures, place.slot, pending.element);
            }
        }
    }
}

/// The bytes of each lane's access that are touched: how many to skip, and how
/// many then. A store that leaves components out touches from the first to the
/// last that it writes.
fn covered(event: &AccessEvent<'_>) -> (u32, u32) {
    let access = &event.access;
    let all = if access.count >= 16 {
        u16::MAX
    } else {
        (1 << access.count) - 1
    };
    let components = event.components & all;
    if event.kind != AccessKind::Store || components == all || components == 0 {
        return (0, access.bytes);
    }
    let size = access.elem.size();
    let first = components.trailing_zeros();
    let after = 16 - components.leading_zeros();
    (first * size, (after - first) * size)
}
