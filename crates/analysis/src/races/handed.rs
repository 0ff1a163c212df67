//! Memory that atomics hand from one work-item of a group to another, as by a lock.
//!
//! Method: happens-before by release and acquire (L. Lamport, "Time, clocks, and the
//! ordering of events in a distributed system", CACM 1978), looked up where two
//! accesses would race, instead of kept as a clock for each work-item: the one
//! work-item has made an atomic on some memory after its access, and the other has
//! looked at the result of an atomic on the same memory after that and before its
//! own.
//!
//! Of what a work-item looked at, the last time counts, and of what it released, the
//! first time after an access: a wait that tries an atomic again and again takes no more
//! room than one that has to try once.
//!
//! What it misses: chains through a third work-item and other memory, which look
//! like races; whether the fence stands where it should, and what the result was.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::plan::LANE_BITS;

/// Releases of a group that are kept, and pairs of work-item and cell that it looked at.
const MOST: usize = 1 << 18;
/// Releases that are looked through for one group: a bound on time.
const MOST_LOOKED_THROUGH: usize = 1 << 26;
/// Cells of a stretch that are told apart.
const MOST_CELLS: usize = 4;
/// Releases of one cell that are kept of a stretch: the first hands over what was before
/// the stretch, the second the first atomic itself, which plain accesses may race with.
const KEPT: u8 = 2;

/// A work-item: its sub-group and lane.
pub(super) type Item = (u32, u32);
/// A cell of a region.
type Cell = (u16, u64);

/// An atomic on one cell.
#[derive(Clone, Copy, Debug)]
struct Release {
    cell: Cell,
    /// The moment it begins: what is of an earlier moment comes before it.
    when: u32,
    /// Among all of the group.
    number: u64,
}

/// The releases of a work-item.
#[derive(Debug, Default)]
struct Log {
    releases: Vec<Release>,
    /// The cells of the present stretch, in which the work-item has accessed nothing
    /// else, with how many releases of each are kept.
    stretch: SmallVec<[(Cell, u8); MOST_CELLS]>,
}

/// The atomics of a group.
#[derive(Debug, Default)]
pub(super) struct Handed {
    /// By work-item.
    logs: Vec<Log>,
    /// By sub-group: lanes whose stretch is over.
    accessed: Vec<u64>,
    /// Number of the last atomic on a cell whose result a work-item looked at.
    looked: HashMap<(u32, Cell), u64>,
    releases: usize,
    looked_through: usize,
    full: bool,
}

impl Handed {
    /// Notes plain accesses by lanes of a sub-group.
    #[inline(always)]
    pub fn access(&mut self, sub_group: u32, mask: u64) {
        match self.accessed.get_mut(sub_group as usize) {
            Some(lanes) => *lanes |= mask,
            None => self.grow(sub_group, mask),
        }
    }

    #[cold]
    fn grow(&mut self, sub_group: u32, mask: u64) {
        self.accessed.resize(sub_group as usize + 1, 0);
        self.accessed[sub_group as usize] = mask;
    }

    /// Notes an atomic by a work-item.
    pub fn note(&mut self, item: Item, cell: Cell, when: u32, kind: Kind) {
        let (sub_group, lane) = item;
        let number = u64::from(when) << LANE_BITS | u64::from(lane);
        let index = index(item);
        if kind.acquires {
            let room = self.looked.len() < MOST;
            match self.looked.get_mut(&(index, cell)) {
                Some(last) => *last = number,
                None if room => {
                    self.looked.insert((index, cell), number);
                }
                None => self.full = true,
            }
        }
        if !kind.releases {
            return;
        }
        if self.logs.len() <= index as usize {
            self.logs.resize_with(index as usize + 1, Log::default);
        }
        let log = &mut self.logs[index as usize];
        if let Some(lanes) = self.accessed.get_mut(sub_group as usize)
            && *lanes >> lane & 1 != 0
        {
            *lanes &= !(1 << lane);
            log.stretch.clear();
        }
        let kept = match log.stretch.iter_mut().find(|(known, _)| *known == cell) {
            Some((_, kept)) => kept,
            None => {
                if log.stretch.len() == MOST_CELLS {
                    log.stretch.clear();
                }
                // An atomic on another cell is an access, which those on the cells
                // before hand over only from here on.
                for (_, kept) in &mut log.stretch {
                    *kept = 0;
                }
                log.stretch.push((cell, 0));
                let last = log.stretch.len() - 1;
                &mut log.stretch[last].1
            }
        };
        if *kept == KEPT {
            return;
        }
        if self.releases == MOST {
            self.full = true;
            return;
        }
        *kept += 1;
        self.releases += 1;
        log.releases.push(Release { cell, when, number });
    }

    /// The group meets at a barrier; `all` where it orders all memory that atomics may
    /// hand over, so that nothing before it is asked for any more.
    pub fn barrier(&mut self, all: bool) {
        for log in &mut self.logs {
            log.stretch.clear();
            if all {
                log.releases.clear();
            }
        }
        if all {
            self.looked.clear();
            self.releases = 0;
            self.full = false;
        }
    }

    /// Whether what one work-item did at a moment was handed to another one, which
    /// accesses the same memory now; `None` where there were too many atomics to tell.
    pub fn ordered(&mut self, (from, then): (Item, u32), to: Item) -> Option<bool> {
        if self.looked_through > MOST_LOOKED_THROUGH {
            return None;
        }
        let log = self.logs.get(index(from) as usize);
        let releases = log.map_or(&[][..], |log| &log.releases);
        let first = releases.partition_point(|r| r.when <= then);
        let mut through = 0;
        let found = releases[first..].iter().any(|release| {
            through += 1;
            let looked = self.looked.get(&(index(to), release.cell));
            looked.is_some_and(|&number| number > release.number)
        });
        self.looked_through += through;
        (found || !self.full).then_some(found)
    }
}

/// What an atomic does for others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// It may hand on what was before: it does more than read.
    pub releases: bool,
    /// Its result is used.
    pub acquires: bool,
}

fn index((sub_group, lane): Item) -> u32 {
    sub_group << LANE_BITS | lane
}

#[cfg(test)]
mod tests {
    use super::{Handed, Kind, MOST};

    const BOTH: Kind = Kind {
        releases: true,
        acquires: true,
    };

    /// However long others wait for a lock, it takes no room, and is handed on.
    #[test]
    fn waits_take_no_room() {
        let mut handed = Handed::default();
        let lock = (0, 7);
        let mut now = 1;
        for _ in 0..2 * MOST {
            now += 1;
            for lane in 0..4 {
                handed.note((1, lane), lock, now, BOTH);
            }
        }
        assert_eq!(handed.releases, 8);
        // (1, 2) has the lock: it writes, and lets go.
        handed.access(1, 1 << 2);
        let written = now;
        now += 1;
        assert_eq!(handed.ordered(((1, 2), written), (1, 0)), Some(false));
        handed.note((1, 2), lock, now, BOTH);
        handed.note((1, 0), lock, now + 1, BOTH);
        assert_eq!(handed.ordered(((1, 2), written), (1, 0)), Some(true));
        assert_eq!(handed.ordered(((1, 2), now), (1, 0)), Some(false));
        assert_eq!(handed.ordered(((1, 2), written), (0, 3)), Some(false));
    }

    /// A plain write behind an atomic on other memory is handed on by the atomics after.
    #[test]
    fn atomics_on_other_memory_are_accesses() {
        let mut handed = Handed::default();
        for now in 1..10 {
            handed.note((0, 0), (0, 0), now, BOTH);
        }
        handed.note((0, 0), (0, 1), 10, BOTH);
        handed.note((0, 0), (0, 0), 11, BOTH);
        handed.note((0, 1), (0, 0), 12, BOTH);
        assert_eq!(handed.ordered(((0, 0), 10), (0, 1)), Some(true));
    }

    /// What does not fit is not called a race.
    #[test]
    fn gives_up_at_the_limit() {
        let mut handed = Handed::default();
        for n in 0..=MOST {
            handed.access(0, 1);
            handed.note((0, 0), (0, 0), n as u32, BOTH);
        }
        assert_eq!(handed.ordered(((0, 0), u32::MAX), (0, 1)), None);
        handed.barrier(true);
        assert_eq!(handed.ordered(((0, 0), u32::MAX), (0, 1)), Some(false));
    }
}
