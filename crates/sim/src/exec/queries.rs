//! What the work-item functions return.

use tilewise_ir::WorkItemQuery;
use tilewise_launch::NdRange;

use super::sub_group::SubGroup;
use crate::affine::LaneClass;
use crate::decode::{Prepared, QueryHome};
use crate::observer::GroupInfo;

/// Local ids of the lanes of one sub-group, by dimension: the same for all
/// groups of one size.
#[derive(Clone, Debug)]
pub(crate) struct LocalIds<const W: usize> {
    size: [u32; 3],
    ids: [[u64; W]; 3],
}

impl<const W: usize> LocalIds<W> {
    /// For no group yet.
    pub const fn new() -> Self {
        Self {
            size: [0; 3],
            ids: [[0; W]; 3],
        }
    }

    /// Those of one lane.
    fn of(&self, lane: usize) -> [u64; 3] {
        std::array::from_fn(|d| self.ids[d][lane])
    }

    /// Whether they are others than before.
    fn update(&mut self, group: &GroupInfo, sub_group: u32) -> bool {
        if self.size == group.size {
            return false;
        }
        self.size = group.size;
        for lane in 0..W {
            let id = group.local_id(sub_group, lane as u32);
            for (ids, id) in self.ids.iter_mut().zip(id) {
                ids[lane] = u64::from(id);
            }
        }
        true
    }
}

/// Fills the registers of the work-item functions that a kernel uses, for one
/// sub-group of one work-group, and the lanes' part of its affine values.
pub(crate) fn set<const W: usize>(
    prepared: &Prepared,
    group: &GroupInfo,
    sub_group: &mut SubGroup<W>,
) {
    let range = &prepared.range;
    let index = sub_group.index;
    let resized = sub_group.local_ids.update(group, index);
    if resized {
        let (ids, mask) = (&sub_group.local_ids.ids, sub_group.initial);
        let row = group.size[0] as usize;
        let class = |key| LaneClass::new(key, ids, mask, row);
        sub_group.classes = prepared.classes.iter().map(class).collect();
    }
    for home in &prepared.queries {
        if let Some(slot) = home.scalar {
            let local = sub_group.local_ids.of(0);
            let value = value(home, range, group, index, 0, local);
            sub_group.fragments[0].scalars.set(home.ty, slot, 0, value);
        }
        let Some(slot) = home.vector else {
            continue;
        };
        // Nothing else writes these registers.
        if !resized && !differs_by_group(home.query) {
            continue;
        }
        if home.query == WorkItemQuery::GlobalId && home.ty.size() == 8 {
            let first = group.first_global_id[home.dim];
            let lanes = &mut sub_group.vectors.b8[slot as usize];
            for (lane, &id) in lanes.iter_mut().zip(&sub_group.local_ids.ids[home.dim]) {
                *lane = first + id;
            }
            continue;
        }
        for lane in 0..W {
            let local = sub_group.local_ids.of(lane);
            let value = value(home, range, group, index, lane, local);
            sub_group.vectors.set(home.ty, slot, lane, value);
        }
    }
}

/// Whether groups of one size see different values.
fn differs_by_group(query: WorkItemQuery) -> bool {
    match query {
        WorkItemQuery::GlobalId | WorkItemQuery::GroupId | WorkItemQuery::GlobalLinearId => true,
        WorkItemQuery::LocalId
        | WorkItemQuery::GlobalSize
        | WorkItemQuery::LocalSize
        | WorkItemQuery::EnqueuedLocalSize
        | WorkItemQuery::NumGroups
        | WorkItemQuery::GlobalOffset
        | WorkItemQuery::WorkDim
        | WorkItemQuery::LocalLinearId
        | WorkItemQuery::SubGroupSize
        | WorkItemQuery::MaxSubGroupSize
        | WorkItemQuery::NumSubGroups
        | WorkItemQuery::SubGroupId
        | WorkItemQuery::SubGroupLocalId => false,
    }
}

fn value(
    home: &QueryHome,
    range: &NdRange,
    group: &GroupInfo,
    sub_group: u32,
    lane: usize,
    local: [u64; 3],
) -> u64 {
    let dim = home.dim;
    let size = group.size.map(u64::from);
    let work_items: u64 = size.iter().product();
    let width = u64::from(group.width);
    match home.query {
        WorkItemQuery::GlobalId => group.first_global_id[dim] + local[dim],
        WorkItemQuery::LocalId => local[dim],
        WorkItemQuery::GroupId => group.id[dim],
        WorkItemQuery::GlobalSize => range.global[dim],
        WorkItemQuery::LocalSize => size[dim],
        WorkItemQuery::EnqueuedLocalSize => range.local[dim],
        WorkItemQuery::NumGroups => range.groups()[dim],
        WorkItemQuery::GlobalOffset => range.offset[dim],
        WorkItemQuery::WorkDim => u64::from(range.dims),
        WorkItemQuery::GlobalLinearId => {
            let [x, y, z] = std::array::from_fn(|d| {
                group.first_global_id[d].wrapping_sub(range.offset[d]) + local[d]
            });
            (z * range.global[1] + y) * range.global[0] + x
        }
        WorkItemQuery::LocalLinearId => (local[2] * size[1] + local[1]) * size[0] + local[0],
        WorkItemQuery::SubGroupSize => {
            (work_items - (u64::from(sub_group) * width).min(work_items)).min(width)
        }
        WorkItemQuery::MaxSubGroupSize => width,
        WorkItemQuery::NumSubGroups => u64::from(group.sub_groups),
        WorkItemQuery::SubGroupId => u64::from(sub_group),
        WorkItemQuery::SubGroupLocalId => lane as u64,
    }
}
