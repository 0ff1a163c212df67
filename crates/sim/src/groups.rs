//! Which work-groups of a launch to run.

use tilewise_launch::NdRange;

use crate::error::SimError;
use crate::observer::GroupInfo;

/// Work-groups by their linear numbers, first dimension fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupSet {
    /// All groups of the launch.
    All,
    /// These, in ascending order.
    List(Vec<u64>),
}

impl GroupSet {
    /// A set from linear numbers in any order.
    pub fn list(mut groups: Vec<u64>) -> Self {
        groups.sort_unstable();
        groups.dedup();
        GroupSet::List(groups)
    }

    /// Number of groups.
    pub fn count(&self, range: &NdRange) -> u64 {
        match self {
            GroupSet::All => range.group_count(),
            GroupSet::List(list) => list.len() as u64,
        }
    }

    /// The linear number of the `n`-th group of the set.
    pub(crate) fn nth(&self, n: u64) -> u64 {
        match self {
            GroupSet::All => n,
            GroupSet::List(list) => list[n as usize],
        }
    }

    /// # Errors
    /// Where a group is not of the launch.
    pub(crate) fn check(&self, range: &NdRange) -> Result<(), SimError> {
        let count = range.group_count();
        match self {
            GroupSet::List(list) => match list.iter().find(|&&g| g >= count) {
                Some(g) => Err(SimError::Range(format!(
                    "group {g} does not exist: the launch has {count}"
                ))),
                None => Ok(()),
            },
            GroupSet::All => Ok(()),
        }
    }
}

/// Ids and sizes of a work-group; the last one of a dimension may be smaller.
pub fn group_info(range: &NdRange, width: u32, linear: u64) -> GroupInfo {
    let [nx, ny, _] = range.groups();
    let id = [linear % nx, linear / nx % ny, linear / (nx * ny)];
    let size: [u32; 3] = std::array::from_fn(|d| {
        let first = id[d] * range.local[d];
        (range.global[d] - first).min(range.local[d]) as u32
    });
    let work_items: u32 = size.iter().product();
    GroupInfo {
        id,
        linear,
        size,
        first_global_id: std::array::from_fn(|d| range.offset[d] + id[d] * range.local[d]),
        sub_groups: work_items.div_ceil(width),
        width,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainder_groups_are_smaller() {
        let range = NdRange {
            dims: 2,
            global: [100, 10, 1],
            offset: [7, 0, 0],
            local: [32, 8, 1],
        };
        let last = group_info(&range, 32, 7);
        assert_eq!(last.id, [3, 1, 0]);
        assert_eq!(last.size, [4, 2, 1]);
        assert_eq!(last.first_global_id, [103, 8, 0]);
        assert_eq!(last.sub_groups, 1);
        assert_eq!(group_info(&range, 32, 0).sub_groups, 8);
        assert!(GroupSet::list(vec![8]).check(&range).is_err());
        assert_eq!(GroupSet::list(vec![3, 1, 3]), GroupSet::List(vec![1, 3]));
    }
}
