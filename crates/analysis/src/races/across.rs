//! Races between work-groups in global memory.
//!
//! Nothing orders the groups of a launch, so whatever two groups access and one
//! of them writes is a race, in whichever order they ran. What each group did
//! to a cell is entered once the group is done.

use tilewise_ir::Space;
use tilewise_ir::pointer::Region;
use tilewise_sim::GroupInfo;

use super::cells::{BLOCK_CELLS, PAGE_CELLS, Pages};
use super::group::{RaceGroup, RaceList, side};
use super::plan::Plan;
use super::released::Released;
use super::result::Race;
use super::state::State;

/// Marks an entry that its work-item released to other groups, as an atomic itself is.
const RELEASED: u64 = 1 << 63;
/// Pairs of instructions that are kept.
const MOST_RACES: usize = 256;
/// Groups that can be told apart.
const MOST_GROUPS: usize = (1 << 31) - 2;

/// The accesses of all groups that are done.
#[derive(Debug)]
pub(super) struct Across {
    pages: Pages,
    /// Entries: number of the group in the upper half, from 1.
    write: Vec<u64>,
    value: Vec<u32>,
    read: Vec<u64>,
    atomic: Vec<u64>,
    groups: Vec<GroupInfo>,
    pub found: RaceList,
}

impl Across {
    pub fn new(regions: usize) -> Self {
        Self {
            pages: Pages::new(regions),
            write: Vec::new(),
            value: Vec::new(),
            read: Vec::new(),
            atomic: Vec::new(),
            groups: Vec::new(),
            found: RaceList::default(),
        }
    }

    /// Enters what a group did.
    pub fn add(&mut self, plan: &Plan, group: &RaceGroup) {
        if self.groups.len() >= MOST_GROUPS {
            return;
        }
        self.groups.push(group.info);
        let number = (self.groups.len() as u64) << 32;
        let enter = Entering {
            start: u64::from(group.start) << 32,
            number,
            plan,
            released: group.released.as_ref(),
            first_look: group.first_look,
        };
        let state = &group.state;
        for used in state.pages.in_use() {
            let (page, _) = self.pages.find(used.region, used.page);
            let end = self.pages.count() * PAGE_CELLS;
            if self.write.len() < end {
                self.write.resize(end, 0);
                self.value.resize(end, 0);
                self.read.resize(end, 0);
                if plan.atomics {
                    self.atomic.resize(end, 0);
                }
            }
            let (to, from) = (page as usize * PAGE_CELLS, state.page_cell(used.index));
            let mut blocks = state.blocks(used.index);
            while blocks != 0 {
                let first = blocks.trailing_zeros() as usize * BLOCK_CELLS;
                blocks &= blocks - 1;
                if !plan.hands_over && self.enter_block(&enter, state, to + first, from + first) {
                    continue;
                }
                let cell = used.page * PAGE_CELLS as u64 + first as u64;
                let places = (to + first, from + first);
                self.enter_cells(&enter, state, (used.region, cell), places);
            }
        }
    }

    /// Enters a block where none of its cells gives a conflict and atomics hand
    /// nothing over; false where one does.
    fn enter_block(&mut self, enter: &Entering<'_>, state: &State, to: usize, from: usize) -> bool {
        let block = |list: &[u64], at: usize| -> [u64; BLOCK_CELLS] {
            let cells = list.get(at..at + BLOCK_CELLS);
            let cells = cells.and_then(|cells| cells.try_into().ok());
            cells.unwrap_or([0; BLOCK_CELLS])
        };
        let cells = &state.cells;
        let own = [&cells.write, &cells.read, &cells.atomic].map(|list| {
            let entries = block(list, from);
            entries.map(|e| {
                if e < enter.start {
                    0
                } else {
                    enter.number | u64::from(e as u32)
                }
            })
        });
        let all = [&self.write, &self.read, &self.atomic].map(|list| block(list, to));
        let [write, read, atomic] = &own;
        let [all_write, all_read, all_atomic] = &all;
        let mut conflict = false;
        for i in 0..BLOCK_CELLS {
            let (w, r, a) = (write[i] != 0, read[i] != 0, atomic[i] != 0);
            let before = (all_write[i] != 0, all_read[i] != 0, all_atomic[i] != 0);
            conflict |= (w & (before.0 | before.1 | before.2))
                | (r & (before.0 | before.2))
                | (a & (before.0 | before.1));
        }
        if conflict {
            return false;
        }
        // Of each cell the newest write, the oldest read and atomic are kept.
        for i in 0..BLOCK_CELLS {
            if write[i] != 0 {
                self.write[to + i] = write[i];
                self.value[to + i] = cells.value[from + i];
            }
            if all_read[i] == 0 {
                self.read[to + i] = read[i];
            }
        }
        for (i, &entry) in atomic.iter().enumerate() {
            if entry != 0 && all_atomic[i] == 0 {
                self.atomic[to + i] = entry;
            }
        }
        true
    }

    /// Enters the cells of a block one by one.
    fn enter_cells(
        &mut self,
        enter: &Entering<'_>,
        state: &State,
        (region, first): (u16, u64),
        (to, from): (usize, usize),
    ) {
        let plan = enter.plan;
        for i in 0..BLOCK_CELLS {
            let at = (Region(region), first + i as u64);
            let cells = &state.cells;
            let write = enter.plain(cells.write[from + i]);
            let read = enter.plain(cells.read[from + i]);
            let atomic = match plan.atomics {
                true => enter.atomic(cells.atomic[from + i]),
                false => None,
            };
            if write.is_none() && read.is_none() && atomic.is_none() {
                continue;
            }
            let before = (
                self.write[to + i],
                self.read[to + i],
                self.atomic.get(to + i).copied().unwrap_or(0),
            );
            if let Some(new) = write {
                let value = cells.value[from + i];
                let same = self.value[to + i] == value;
                self.check(plan, at, before.0, (new.entry, new.acquired), same);
                self.check(plan, at, before.1, (new.entry, new.acquired), false);
                self.check(plan, at, before.2, (new.entry, new.looked), false);
                self.write[to + i] = keep(self.write[to + i], new.entry, true);
                self.value[to + i] = value;
            }
            if let Some(new) = read {
                self.check(plan, at, before.0, (new.entry, new.acquired), false);
                self.check(plan, at, before.2, (new.entry, new.looked), false);
                self.read[to + i] = keep(self.read[to + i], new.entry, false);
            }
            if let Some(new) = atomic {
                self.check(plan, at, before.0, (new.entry, new.looked), false);
                self.check(plan, at, before.1, (new.entry, new.looked), false);
                self.atomic[to + i] = keep(self.atomic[to + i], new.entry, false);
            }
        }
    }

    /// Compares an earlier entry with a new one, which comes with whether it has
    /// acquired what was released.
    #[inline(always)]
    fn check(
        &mut self,
        plan: &Plan,
        at: (Region, u64),
        before: u64,
        (new, acquired): (u64, bool),
        same_value: bool,
    ) {
        let handed_over = before & RELEASED != 0 && acquired;
        if before != 0 && !handed_over {
            self.report(plan, at, before, new, same_value);
        }
    }

    #[cold]
    fn report(
        &mut self,
        plan: &Plan,
        (region, cell): (Region, u64),
        before: u64,
        new: u64,
        same_value: bool,
    ) {
        let of = |entry: u64| {
            let group = ((entry & !RELEASED) >> 32) as usize - 1;
            side(plan, &self.groups[group], entry as u32)
        };
        let (first, second) = (of(before), of(new));
        let known = !plan.copies[first.inst.index()] && !plan.copies[second.inst.index()];
        let race = Race {
            region,
            space: Space::Global,
            offset: cell << plan.regions[usize::from(region.0)].shift,
            first,
            second,
            same_value: same_value && known,
            barrier_between: None,
            count: 1,
        };
        self.found.add(race, MOST_RACES);
    }
}

/// An entry of the group that is being entered.
#[derive(Clone, Copy)]
struct New {
    entry: u64,
    /// Its work-item had acquired what other groups released.
    acquired: bool,
    /// The group had looked at a global atomic: enough against an atomic, which orders
    /// itself with others on the same memory.
    looked: bool,
}

struct Entering<'a> {
    start: u64,
    number: u64,
    plan: &'a Plan,
    /// `None` where atomics hand nothing over.
    released: Option<&'a Released>,
    first_look: Option<u32>,
}

impl Entering<'_> {
    /// The launch's entry for a plain access of a group, if it is of this group.
    #[inline(always)]
    fn plain(&self, entry: u64) -> Option<New> {
        if entry < self.start {
            return None;
        }
        let (when, who) = ((entry >> 32) as u32, entry as u32);
        let (mut released, mut acquired) = (false, false);
        if let Some(known) = self.released {
            let item = self.plan.item(who);
            released = known.releases(item, when);
            acquired = known.acquires(item, when);
        }
        Some(New {
            entry: self.number | if released { RELEASED } else { 0 } | u64::from(who),
            acquired,
            looked: self.looked(when),
        })
    }

    /// The same for an atomic.
    #[inline(always)]
    fn atomic(&self, entry: u64) -> Option<New> {
        if entry < self.start {
            return None;
        }
        let when = (entry >> 32) as u32;
        let released = if self.released.is_some() { RELEASED } else { 0 };
        let looked = self.looked(when);
        Some(New {
            entry: self.number | released | u64::from(entry as u32),
            acquired: looked,
            looked,
        })
    }

    fn looked(&self, when: u32) -> bool {
        self.first_look.is_some_and(|from| when >= from)
    }
}

/// Which of two entries to keep: one that others don't know of, else the newer
/// write or the older read.
#[inline(always)]
fn keep(old: u64, new: u64, newer: bool) -> u64 {
    let hidden = |e: u64| e != 0 && e & RELEASED == 0;
    match (hidden(old), hidden(new)) {
        (true, false) => old,
        (false, true) => new,
        _ if newer || old == 0 => new,
        _ => old,
    }
}
