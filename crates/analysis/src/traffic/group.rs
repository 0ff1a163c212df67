//! Traffic of one work-group.

use std::sync::Arc;

use tilewise_ir::Space;
use tilewise_sim::{AccessEvent, AccessKind, GroupInfo, Observer};

use super::layout::{
    BYTES, DISTINCT, DISTINCT_SECTORS, FIELDS, KINDS, LANES, LINES, Layout, REQUEST_DISTINCT,
    REQUESTS, RowFacts, SECTORS, SUB_GROUP_DISTINCT, class_index, kind_index,
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
            spans: Spans::default(),
            layout,
        }
    }

    /// Makes the state ready for a group.
    pub(super) fn start(&mut self, group: &GroupInfo) {
        self.figures.fill(0);
        self.facts.fill(RowFacts::default());
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
        let site = self.layout.sites.number(event.inst, event.kind);
        let (skip, bytes) = covered(event);
        let part = self.layout.shape.part_bytes(bytes, event.access.align);
        let requests = match event.image {
            None => u64::from(bytes.div_ceil(part)),
            // One request, however many texels its filter needs.
            Some(number) => u64::from(number == 0),
        };
        let element = (event.access.bytes / u32::from(event.access.elements.max(1)))
            .min(bytes)
            .max(1);
        let mut first = true;
        for_each_region(event, event.mask, |region, lanes| {
            let slot = self.layout.regions.slot(region);
            let known = self.layout.regions.get(slot);
            let space = if slot == 0 {
                event.access.space
            } else {
                known.space
            };
            let granule = known.granule_bytes.ilog2();
            let rows = [
                Some(self.layout.region_row(slot, kind)),
                site.map(|s| self.layout.site_row(s)),
                Some(
                    self.layout
                        .space_row(class_index(space, event.image.is_some()), kind),
                ),
            ];
            let lanes_in = lanes & event.in_bounds;
            let count = u64::from(lanes_in.count_ones());
            let mut figures = [0u64; FIELDS];
            figures[REQUESTS] = requests;
            figures[LANES] = u64::from(lanes.count_ones());
            figures[BYTES] = count * u64::from(bytes);
            // Private memory is each work-item's own: nothing to share.
            let sets = space != Space::Private && lanes_in != 0;
            if sets && matches!(space, Space::Global | Space::Constant | Space::Generic) {
                let mut at = 0;
                while at < bytes {
                    let length = part.min(bytes - at);
                    self.spans.collect(event, lanes_in, skip + at, length);
                    figures[SECTORS] += self.spans.blocks(self.layout.sector_log2);
                    figures[LINES] += self.spans.blocks(self.layout.line_log2);
                    at += length;
                }
            }
            if sets {
                if requests > 1 || figures[SECTORS] == 0 {
                    self.spans.collect(event, lanes_in, skip, bytes);
                }
                figures[REQUEST_DISTINCT] = self.spans.blocks(granule) << granule;
            }
            for (i, row) in rows.into_iter().enumerate() {
                let Some(row) = row else { continue };
                // A request to two regions is one request of its site.
                if i > 0 && !first {
                    figures[REQUESTS] = 0;
                }
                let totals = &mut self.figures[row * FIELDS..][..FIELDS];
                for (total, amount) in totals.iter_mut().zip(figures) {
                    *total += amount;
                }
                let facts = &mut self.facts[row];
                facts.element_bytes = facts.element_bytes.min(element);
                facts.slots |= 1 << slot.min(63);
            }
            first = false;
            if sets {
                self.touch(event.sub_group, slot, kind, site, granule, rows);
            }
        });
    }
}

impl GroupTraffic {
    /// Enters the spans into the sets and counts what is new in each.
    fn touch(
        &mut self,
        sub_group: u32,
        slot: usize,
        kind: usize,
        site: Option<usize>,
        granule: u32,
        rows: [Option<usize>; 3],
    ) {
        let region = self.layout.region_row(slot, kind);
        let own = sub_group as usize * self.group.len() + region;
        let (mut group, mut sub_group, mut by_site) = (0, 0, 0);
        for &(start, end) in self.spans.as_slice() {
            let (start, end) = (start >> granule, ((end - 1) >> granule) + 1);
            group += self.group[region].insert_range(start, end);
            if let Some(set) = self.sub_groups.get_mut(own) {
                sub_group += set.insert_range(start, end);
            }
            if let Some(site) = site {
                // Offsets have 48 bits, so the region fits above them.
                let tag = (slot as u64) << 48;
                by_site += self.sites[site].insert_range(tag + start, tag + end);
            }
        }
        let [buffer, by_site_row, space] = rows;
        for row in [buffer, space].into_iter().flatten() {
            self.add(row, DISTINCT, group << granule);
            self.add(row, SUB_GROUP_DISTINCT, sub_group << granule);
        }
        if let Some(row) = by_site_row {
            self.add(row, DISTINCT, by_site << granule);
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
