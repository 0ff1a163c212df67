//! What the work-item functions return.

use tilewise_ir::WorkItemQuery;
use tilewise_launch::NdRange;

use super::sub_group::SubGroup;
use crate::decode::Prepared;
use crate::observer::GroupInfo;

/// Fills the registers of the work-item functions that a kernel uses, for one
/// sub-group of one work-group.
pub(crate) fn set<const W: usize>(
    prepared: &Prepared,
    group: &GroupInfo,
    sub_group: &mut SubGroup<W>,
) {
    let range = &prepared.range;
    for home in &prepared.queries {
        if let Some(slot) = home.scalar {
            let value = value(home.query, home.dim, range, group, sub_group.index, 0);
            sub_group.fragments[0].scalars.set(home.ty, slot, 0, value);
        }
        if let Some(slot) = home.vector {
            for lane in 0..W {
                let value = value(home.query, home.dim, range, group, sub_group.index, lane);
                sub_group.vectors.set(home.ty, slot, lane, value);
            }
        }
    }
}

fn value(
    query: WorkItemQuery,
    dim: usize,
    range: &NdRange,
    group: &GroupInfo,
    sub_group: u32,
    lane: usize,
) -> u64 {
    let local = group.local_id(sub_group, lane as u32).map(u64::from);
    let size = group.size.map(u64::from);
    let work_items: u64 = size.iter().product();
    let width = u64::from(group.width);
    match query {
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
