//! What of a group's accesses to global memory other groups may know of: what its
//! work-items released by a global atomic, and since when they have acquired what other
//! groups released.
//!
//! An atomic alone orders nothing: what was before is released where a fence for global
//! memory, a barrier with its flag or the atomic's own memory order stands between, and
//! what comes after has acquired where one of these does. On that side any barrier is
//! enough, since whoever waits at it reads after it on every device: so work-items learn
//! from the one that made the atomic that their group is the last.
//!
//! Within the group it is handed on by barriers and by other atomics: one work-item may
//! make the atomic for all. So it is within a sub-group whose functions the kernel calls,
//! wherever these stand. Which cell an atomic is on, and what others found there, is
//! not looked at.

use tilewise_ir::Fence;
use tilewise_sim::each_lane;

use super::plan::LANE_BITS;

/// A work-item, by moments: what is of an earlier moment comes before.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// What a fence followed.
    fenced: u32,
    /// What a fence followed, and then a barrier or an atomic: others of the group may
    /// release it.
    shared: u32,
    released: u32,
    /// It has the result of a global atomic, and no fence since.
    looked: bool,
    /// Since when it has acquired; never before that.
    acquired: u32,
}

/// The work-items of a group.
#[derive(Debug, Default)]
pub(super) struct Released {
    items: Vec<Item>,
    /// Work-items of a sub-group learn from each other: one's atomic counts for all.
    exchanges: bool,
    /// A global atomic since the last barrier may release what was shared.
    any_release: bool,
    /// A work-item has looked at a global atomic.
    any_look: bool,
}

/// An atomic as it matters here.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupAtomic {
    /// The moment it begins.
    pub when: u32,
    /// It is on global memory.
    pub global: bool,
    /// Its memory order orders global memory.
    pub orders: bool,
    /// It does more than read.
    pub releases: bool,
    /// Its result is used.
    pub acquires: bool,
}

impl Released {
    /// Work-items of so many sub-groups. Asynchronous copies count as one more.
    pub fn new(sub_groups: u32, exchanges: bool) -> Self {
        let item = Item {
            fenced: 0,
            shared: 0,
            released: 0,
            looked: false,
            acquired: u32::MAX,
        };
        Self {
            items: vec![item; (sub_groups as usize + 1) << LANE_BITS],
            exchanges,
            ..Self::default()
        }
    }

    fn lanes(&mut self, sub_group: u32) -> &mut [Item] {
        let first = (sub_group as usize) << LANE_BITS;
        self.items.get_mut(first..first + 64).unwrap_or_default()
    }

    /// Notes a fence for global memory by lanes of a sub-group, which is at a moment of
    /// its own.
    pub fn fence(&mut self, sub_group: u32, mask: u64, now: u32) {
        let items = self.lanes(sub_group);
        for lane in each_lane(mask) {
            let Some(item) = items.get_mut(lane) else {
                continue;
            };
            item.fenced = now;
            if std::mem::take(&mut item.looked) {
                item.acquired = item.acquired.min(now);
            }
        }
    }

    /// Notes an atomic by lanes of a sub-group.
    pub fn atomic(&mut self, sub_group: u32, mask: u64, atomic: GroupAtomic) {
        let GroupAtomic { when, global, .. } = atomic;
        self.any_look |= global && atomic.acquires;
        // On local memory others of the group may have passed it on.
        let looks = atomic.acquires && self.any_look;
        self.any_release |= global && atomic.releases;
        let mask = if self.exchanges { u64::MAX } else { mask };
        let items = self.lanes(sub_group);
        for lane in each_lane(mask) {
            let Some(item) = items.get_mut(lane) else {
                continue;
            };
            if atomic.orders {
                item.fenced = when;
            }
            if atomic.releases {
                item.shared = item.fenced;
                if global {
                    item.released = item.fenced;
                }
            }
            if looks && atomic.orders {
                item.acquired = item.acquired.min(when);
            } else if looks {
                item.looked = true;
            }
        }
    }

    /// Notes a barrier of the group, or of one sub-group, which is at a moment of its own.
    pub fn barrier(&mut self, sub_group: Option<u32>, fence: Fence, now: u32) {
        let any_release = self.any_release;
        let items = match sub_group {
            Some(sub_group) => self.lanes(sub_group),
            None => &mut self.items,
        };
        let any_look = items.iter().any(|i| i.looked || i.acquired != u32::MAX);
        for item in items {
            if any_release {
                item.released = item.released.max(item.shared);
            }
            if fence.global {
                item.fenced = now;
            }
            item.shared = item.fenced;
            if any_look {
                item.acquired = item.acquired.min(now);
                item.looked = false;
            }
        }
        self.any_release &= sub_group.is_some();
    }

    /// The group is done.
    pub fn end(&mut self) {
        if self.any_release {
            for item in &mut self.items {
                item.released = item.released.max(item.shared);
            }
        }
    }

    /// Whether what a work-item did at a moment was released to other groups.
    #[inline]
    pub fn releases(&self, item: usize, when: u32) -> bool {
        self.items.get(item).is_some_and(|i| when < i.released)
    }

    /// Whether a work-item had acquired, at a moment, what other groups released.
    #[inline]
    pub fn acquires(&self, item: usize, when: u32) -> bool {
        self.items.get(item).is_some_and(|i| when >= i.acquired)
    }
}

#[cfg(test)]
mod tests {
    use tilewise_ir::Fence;

    use super::{GroupAtomic, Released};

    const GLOBAL: Fence = Fence {
        local: false,
        global: true,
    };
    const LOCAL: Fence = Fence {
        local: true,
        global: false,
    };

    fn relaxed(when: u32) -> GroupAtomic {
        GroupAtomic {
            when,
            global: true,
            orders: false,
            releases: true,
            acquires: true,
        }
    }

    /// Only what a fence parts from the atomic is released, or has acquired.
    #[test]
    fn a_fence_stands_between() {
        let mut released = Released::new(1, false);
        released.fence(0, 1, 3);
        released.atomic(0, 1, relaxed(5));
        released.fence(0, 1, 7);
        released.end();
        let releases = [2, 3, 4, 5].map(|when| released.releases(0, when));
        assert_eq!(releases, [true, false, false, false]);
        let acquires = [5, 6, 7].map(|when| released.acquires(0, when));
        assert_eq!(acquires, [false, false, true]);
        assert!(!released.releases(1, 2) && !released.acquires(1, 9));
    }

    /// Barriers hand on: what they order, or a fence of the one who wrote.
    #[test]
    fn one_makes_the_atomic_for_all() {
        let mut released = Released::new(2, false);
        released.fence(1, 1, 2);
        released.barrier(None, LOCAL, 4);
        released.atomic(0, 1, relaxed(5));
        released.barrier(None, LOCAL, 6);
        assert!(released.releases(64, 1) && !released.releases(64, 3));
        assert!(!released.releases(65, 1));
        assert!(released.acquires(65, 6));
        released.barrier(None, GLOBAL, 8);
        released.atomic(0, 1, relaxed(9));
        released.end();
        assert!(released.releases(65, 7) && !released.releases(65, 8));
    }

    /// An atomic's own memory order does for both fences.
    #[test]
    fn an_atomic_orders_itself() {
        let mut released = Released::new(1, false);
        let atomic = GroupAtomic {
            orders: true,
            ..relaxed(5)
        };
        released.atomic(0, 2, atomic);
        assert!(released.releases(1, 4) && !released.releases(1, 5));
        assert!(released.acquires(1, 5) && !released.acquires(1, 4));
    }
}
