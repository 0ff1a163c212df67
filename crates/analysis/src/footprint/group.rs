//! Footprints of one work-group.

use std::sync::Arc;

use tilewise_ir::Space;
use tilewise_ir::pointer::offset;
use tilewise_sim::{AccessEvent, AccessKind, AddressShape, GroupInfo, Observer};

use super::decompose::Coordinates;
use super::reads::Reads;
use super::result::{BufferFootprint, Dimension, Footprint};
use crate::region::RegionTable;
use crate::touched::{PageSet, Spans};

/// Watches one work-group for
/// [`FootprintAnalysis`](super::FootprintAnalysis).
#[derive(Debug)]
pub struct GroupFootprint {
    regions: Arc<RegionTable>,
    group: GroupInfo,
    /// By instruction; empty where the group isn't looked at.
    reads: Vec<Option<Box<Reads>>>,
    /// Regions that are read in a way that has no footprint.
    irregular: Vec<bool>,
    spans: Spans,
    lanes: Vec<(i64, i64)>,
}

impl GroupFootprint {
    pub(super) fn new(regions: Arc<RegionTable>, group: GroupInfo, insts: usize) -> Self {
        Self {
            irregular: vec![false; if insts == 0 { 0 } else { regions.len() }],
            regions,
            group,
            reads: vec![None; insts],
            spans: Spans::default(),
            lanes: Vec::new(),
        }
    }

    /// The footprints of all buffers that the group read.
    pub(super) fn buffers(mut self) -> Vec<BufferFootprint> {
        if self.reads.is_empty() {
            return Vec::new();
        }
        let mut reads: Vec<Reads> = std::mem::take(&mut self.reads)
            .into_iter()
            .flatten()
            .map(|t| *t)
            .collect();
        (0..self.regions.len())
            .filter_map(|slot| {
                let mut own: Vec<&mut Reads> =
                    reads.iter_mut().filter(|t| t.slot == slot).collect();
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
    fn patterns(&self, reads: &mut [&mut Reads]) -> Vec<Footprint> {
        // Where a single lane reads alone (a halo element, say), the stride is
        // that of the buffer's other reads.
        let usual = reads.iter().find_map(|t| t.stride).unwrap_or(0);
        let mut sets: Vec<([i64; 3], Vec<&Reads>)> = Vec::new();
        for reads in reads.iter_mut() {
            let lone = reads.stride.is_none();
            reads.settle(usual);
            let strides = match self.strides(reads) {
                Some(strides) => strides,
                None => return Vec::new(),
            };
            // It shows no strides of its own in the other dimensions either.
            let set = sets.iter_mut().find(|s| s.0 == strides || lone);
            match set {
                Some(set) => set.1.push(reads),
                None => sets.push((strides, vec![reads])),
            }
        }
        sets.iter()
            .filter_map(|(strides, reads)| self.footprint(*strides, reads))
            .collect()
    }

    /// Bytes per local id of each dimension; `None` where rows of work-items
    /// don't lie at regular distances.
    fn strides(&self, reads: &Reads) -> Option<[i64; 3]> {
        let y = self.group.size[1] as usize;
        let mut strides = [reads.stride?, 0, 0];
        let firsts = reads.firsts();
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

    fn footprint(&self, strides: [i64; 3], reads: &[&Reads]) -> Option<Footprint> {
        let slot = reads.first()?.slot;
        let granule = u64::from(self.regions.get(slot).granule_bytes);
        let element = reads.iter().map(|t| t.element_bytes).min()?;
        let multiple = |bytes: i64| bytes % i64::from(element) == 0;
        let mut touched = PageSet::default();
        for reads in reads {
            for (start, end) in reads.touched.runs() {
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

        let dimensions: Vec<Dimension> = coordinates
            .extents()
            .into_iter()
            .map(|(pitch, extent)| Dimension { pitch, extent })
            .collect();
        Some(Footprint {
            element_bytes: unit as u32,
            strides,
            halo: self.halo(strides, &coordinates),
            dimensions,
            distinct: runs.iter().map(|r| r.1.abs_diff(r.0)).sum(),
            groups: 1,
            agreeing: 1,
        })
    }
}

impl GroupFootprint {
    /// How far the box reaches below and above the positions of the group's
    /// work-items, by dimension of the box. `None` where the positions lie
    /// apart from the box: the index then doesn't follow the global id.
    fn halo(&self, strides: [i64; 3], coordinates: &Coordinates) -> Option<Vec<[u64; 2]>> {
        let (mut first, mut last) = (0, 0);
        for (d, stride) in strides.into_iter().enumerate() {
            let start = stride * self.group.first_global_id[d] as i64;
            let across = stride * (i64::from(self.group.size[d]) - 1);
            first += start + across.min(0);
            last += start + across.max(0);
        }
        let (first, last) = (coordinates.of(first), coordinates.of(last));
        let bounds = coordinates.bounds();
        let sides = bounds.into_iter().zip(first.into_iter().zip(last));
        sides
            .map(|((low, high), (first, last))| {
                let apart = first > high || last < low || first > last;
                (!apart).then(|| {
                    [
                        (first - low).max(0).unsigned_abs(),
                        (high - last).max(0).unsigned_abs(),
                    ]
                })
            })
            .collect()
    }
}

impl Observer for GroupFootprint {
    const ACCESSES: bool = true;

    fn access(&mut self, event: &AccessEvent<'_>) {
        let global = matches!(event.access.space, Space::Global | Space::Constant);
        if event.kind != AccessKind::Load || !global || self.reads.is_empty() {
            return;
        }
        let mask = event.mask & event.in_bounds;
        if mask == 0 {
            return;
        }
        let slot = self
            .regions
            .slot_of(event.addresses[mask.trailing_zeros() as usize]);
        let Some(entry) = self.reads.get_mut(event.inst.index()) else {
            return;
        };
        let [_, y, z] = self.group.size.map(|n| n as usize);
        let granule_log2 = self.regions.get(slot).granule_bytes.ilog2();
        let reads = entry.get_or_insert_with(|| {
            let mut reads = Box::new(Reads::new(slot, y * z));
            // A dimension of one work-item has no stride to find.
            reads.stride = (self.group.size[0] == 1).then_some(0);
            reads
        });
        if event.region.is_none() || reads.slot != slot {
            self.irregular[reads.slot] = true;
            self.irregular[slot] = true;
            return;
        }
        let bytes = event.access.bytes;
        let element = bytes / u32::from(event.access.elements.max(1));
        reads.element_bytes = reads.element_bytes.min(element.max(1));
        self.spans.collect(event, mask, 0, bytes);
        for &(start, end) in self.spans.as_slice() {
            let end = ((end - 1) >> granule_log2) + 1;
            reads.touched.insert_range(start >> granule_log2, end);
        }
        // Lanes stand in the order of the linear local id, so that those of
        // one row of work-items follow one another.
        let row_length = self.group.size[0].max(1);
        let first_id = event.sub_group * self.group.width;
        let stride = match event.shape {
            AddressShape::Uniform => Some(0),
            AddressShape::Strided(stride) => Some(stride),
            AddressShape::Rows { length, stride, .. } if length == row_length => Some(stride),
            AddressShape::Rows { .. } | AddressShape::Scattered => None,
        };
        let mut rest = mask;
        while rest != 0 {
            let first = rest.trailing_zeros();
            let row = (first_id + first) / row_length;
            let x = |lane: u32| i64::from(first_id + lane - row * row_length);
            let at = |lane: u32| offset(event.addresses[lane as usize]);
            let end = (row + 1) * row_length - first_id;
            let lanes = if end < 64 {
                rest & ((1 << end) - 1)
            } else {
                rest
            };
            rest &= !lanes;
            match stride {
                Some(stride) => {
                    let more = lanes & (lanes - 1) != 0;
                    reads.enter_progression(
                        row as usize,
                        (x(first), at(first)),
                        more.then_some(stride),
                    );
                }
                None => {
                    self.lanes.clear();
                    let mut left = lanes;
                    while left != 0 {
                        let lane = left.trailing_zeros();
                        left &= left - 1;
                        self.lanes.push((x(lane), at(lane)));
                    }
                    reads.enter(row as usize, &self.lanes);
                }
            }
        }
    }
}
