//! Footprints of one work-group.

use std::sync::Arc;

use tilewise_ir::Space;
use tilewise_ir::pointer::offset;
use tilewise_sim::{AccessEvent, AccessKind, GroupInfo, Observer};

use super::decompose::Coordinates;
use super::result::{BufferFootprint, Dimension, Footprint};
use super::taps::{BIAS, Taps};
use crate::region::RegionTable;
use crate::touched::{PageSet, Spans};

/// Watches one work-group for
/// [`FootprintAnalysis`](super::FootprintAnalysis).
#[derive(Debug)]
pub struct GroupFootprint {
    regions: Arc<RegionTable>,
    group: GroupInfo,
    /// By instruction; empty where the group isn't looked at.
    taps: Vec<Option<Box<Taps>>>,
    /// Regions that are read in a way that has no footprint.
    irregular: Vec<bool>,
    spans: Spans,
    lanes: Vec<(i64, i64)>,
}

impl GroupFootprint {
    pub(super) fn new(regions: Arc<RegionTable>, group: GroupInfo, insts: usize) -> Self {
        Self {
            irregular: vec![false; regions.len()],
            regions,
            group,
            taps: vec![None; insts],
            spans: Spans::default(),
            lanes: Vec::new(),
        }
    }

    /// The footprints of all buffers that the group read.
    pub(super) fn buffers(mut self) -> Vec<BufferFootprint> {
        let mut taps: Vec<Taps> = std::mem::take(&mut self.taps)
            .into_iter()
            .flatten()
            .map(|t| *t)
            .collect();
        (0..self.regions.len())
            .filter_map(|slot| {
                let mut own: Vec<&mut Taps> = taps.iter_mut().filter(|t| t.slot == slot).collect();
                if own.is_empty() && !self.irregular[slot] {
                    return None;
                }
                let regular = !self.irregular[slot] && own.iter().all(|t| t.affine);
                Some(BufferFootprint {
                    slot,
                    name: self.regions.get(slot).name.clone(),
                    patterns: if regular {
                        self.patterns(&mut own)
                    } else {
                        Vec::new()
                    },
                })
            })
            .collect()
    }

    /// One footprint per set of strides; none where a set can't be found.
    fn patterns(&self, taps: &mut [&mut Taps]) -> Vec<Footprint> {
        // Where a single lane reads alone (a halo element, say), the stride is
        // that of the buffer's other reads.
        let usual = taps.iter().find_map(|t| t.stride).unwrap_or(0);
        let mut sets: Vec<([i64; 3], Vec<&Taps>)> = Vec::new();
        for taps in taps.iter_mut() {
            let lone = taps.stride.is_none();
            taps.settle(usual);
            let strides = match self.strides(taps) {
                Some(strides) => strides,
                None => return Vec::new(),
            };
            // It shows no strides of its own in the other dimensions either.
            let set = sets.iter_mut().find(|s| s.0 == strides || lone);
            match set {
                Some(set) => set.1.push(taps),
                None => sets.push((strides, vec![taps])),
            }
        }
        sets.iter()
            .filter_map(|(strides, taps)| self.footprint(*strides, taps))
            .collect()
    }

    /// Bytes per local id of each dimension; `None` where rows of work-items
    /// don't lie at regular distances.
    fn strides(&self, taps: &Taps) -> Option<[i64; 3]> {
        let [_, y, z] = self.group.size.map(|n| n as usize);
        let mut strides = [taps.stride?, 0, 0];
        let firsts: Vec<Option<i64>> = (0..y * z).map(|r| taps.first_of_row(r)).collect();
        let (origin, first) = firsts
            .iter()
            .enumerate()
            .find_map(|(r, f)| Some((r, (*f)?)))?;
        for (dimension, step) in [(1, 1), (2, y)] {
            let neighbour = firsts.get(origin + step).copied().flatten();
            let within = dimension == 2 || origin % y + 1 < y;
            strides[dimension] = match neighbour {
                Some(at) if within => at - first,
                _ => 0,
            };
        }
        let regular = firsts.iter().enumerate().all(|(row, at)| {
            let dy = (row % y) as i64 - (origin % y) as i64;
            let dz = (row / y) as i64 - (origin / y) as i64;
            at.is_none_or(|at| at == first + strides[1] * dy + strides[2] * dz)
        });
        regular.then_some(strides)
    }

    fn footprint(&self, strides: [i64; 3], taps: &[&Taps]) -> Option<Footprint> {
        let slot = taps.first()?.slot;
        let granule = u64::from(self.regions.get(slot).granule_bytes);
        let element = taps.iter().map(|t| t.element_bytes).min()?;
        let multiple = |bytes: i64| bytes % i64::from(element) == 0;
        let mut touched = PageSet::default();
        for taps in taps {
            for (start, end) in taps.touched.runs() {
                touched.insert_range(start, end);
            }
        }
        let bytes = |g: u64| (g * granule) as i64;
        let touched: Vec<(i64, i64)> = touched
            .runs()
            .into_iter()
            .map(|(a, b)| (bytes(a), bytes(b)))
            .collect();
        // Structures whose members are read alone are told by the member only
        // where it fits; else by the granule.
        let fits = strides.iter().all(|&s| multiple(s))
            && touched.iter().all(|&(a, b)| multiple(a) && multiple(b));
        let unit = if fits {
            i64::from(element)
        } else {
            granule as i64
        };
        let runs: Vec<(i64, i64)> = touched
            .iter()
            .map(|&(a, b)| (a.div_euclid(unit), (b + unit - 1).div_euclid(unit)))
            .collect();
        let strides = strides.map(|s| s / unit);
        // The stride of the first dimension is no pitch: a work-item that
        // computes four neighbours has 4.
        let coordinates = Coordinates::find(&runs, &strides[1..])?;

        let position = |d: usize| self.group.first_global_id[d] as i64;
        let own: i64 = (0..3).map(|d| strides[d] * position(d)).sum();
        let own = coordinates.of(own);
        let mut low = own.clone();
        let mut high = own.clone();
        for (start, end) in self.taps_of_first(taps, strides, unit) {
            for element in start..end {
                for (i, c) in coordinates.of(element).into_iter().enumerate() {
                    low[i] = low[i].min(c);
                    high[i] = high[i].max(c);
                }
            }
        }
        let dimensions = coordinates
            .extents()
            .into_iter()
            .enumerate()
            .map(|(i, (pitch, extent))| Dimension {
                pitch,
                extent,
                halo: [low[i].abs_diff(own[i]), high[i].abs_diff(own[i])],
            })
            .collect();
        Some(Footprint {
            element_bytes: unit as u32,
            strides,
            dimensions,
            distinct: runs.iter().map(|r| r.1.abs_diff(r.0)).sum(),
            groups: 1,
            agreeing: 1,
        })
    }
}

impl GroupFootprint {
    /// Runs of elements that the first work-item reads, were nothing guarded:
    /// what all rows of work-items read, moved to it. `strides` are in units of
    /// `unit` bytes.
    fn taps_of_first(&self, taps: &[&Taps], strides: [i64; 3], unit: i64) -> Vec<(i64, i64)> {
        let [_, y, z] = self.group.size.map(|n| n as usize);
        let mut all = PageSet::default();
        for taps in taps {
            for row in 0..y * z {
                let moved = strides[1] * (row % y) as i64 + strides[2] * (row / y) as i64;
                for (start, end) in taps.runs_of_row(row) {
                    let start = start.div_euclid(unit) - moved;
                    let end = (end + unit - 1).div_euclid(unit) - moved;
                    all.insert_range((start + BIAS) as u64, (end + BIAS) as u64);
                }
            }
        }
        let unbiased = |(start, end): (u64, u64)| (start as i64 - BIAS, end as i64 - BIAS);
        all.runs().into_iter().map(unbiased).collect()
    }
}

impl Observer for GroupFootprint {
    const ACCESSES: bool = true;

    fn access(&mut self, event: &AccessEvent<'_>) {
        let global = matches!(event.access.space, Space::Global | Space::Constant);
        if event.kind != AccessKind::Load || !global || self.taps.is_empty() {
            return;
        }
        let mask = event.mask & event.in_bounds;
        if mask == 0 {
            return;
        }
        let slot = self
            .regions
            .slot_of(event.addresses[mask.trailing_zeros() as usize]);
        let Some(entry) = self.taps.get_mut(event.inst.index()) else {
            return;
        };
        let [_, y, z] = self.group.size.map(|n| n as usize);
        let granule_log2 = self.regions.get(slot).granule_bytes.ilog2();
        let taps = entry.get_or_insert_with(|| {
            let mut taps = Box::new(Taps::new(slot, y * z, granule_log2));
            // A dimension of one work-item has no stride to find.
            taps.stride = (self.group.size[0] == 1).then_some(0);
            taps
        });
        if event.region.is_none() || taps.slot != slot {
            self.irregular[taps.slot] = true;
            self.irregular[slot] = true;
            return;
        }
        let bytes = event.access.bytes;
        let element = bytes / u32::from(event.access.elements.max(1));
        taps.element_bytes = taps.element_bytes.min(element.max(1));
        self.spans.collect(event, mask, 0, bytes);
        for &(start, end) in self.spans.as_slice() {
            let end = ((end - 1) >> granule_log2) + 1;
            taps.touched.insert_range(start >> granule_log2, end);
        }
        // Lanes stand in the order of the linear local id, so that those of
        // one row of work-items follow one another.
        let mut rest = mask;
        let mut row = None;
        self.lanes.clear();
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let id = self.group.local_id(event.sub_group, lane);
            let own = id[1] as usize + id[2] as usize * y;
            if let Some(before) = row
                && before != own
            {
                taps.enter(before, &self.lanes, i64::from(bytes));
                self.lanes.clear();
            }
            row = Some(own);
            self.lanes
                .push((i64::from(id[0]), offset(event.addresses[lane as usize])));
        }
        if let Some(row) = row {
            taps.enter(row, &self.lanes, i64::from(bytes));
        }
    }
}
