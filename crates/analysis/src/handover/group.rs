//! Watches one work-group.

use std::collections::BTreeSet;
use std::sync::Arc;

use tilewise_ir::pointer::{self, Region};
use tilewise_sim::{AccessEvent, AccessKind, BarrierEvent, GroupInfo, Observer, each_lane};

use super::LocalUse;
use super::plan::{NONE, Plan};

/// Nobody. Work-items are numbered from 1.
const NOBODY: u32 = 0;
/// More than one work-item.
const SEVERAL: u32 = u32::MAX;

/// Who accessed a cell last. Times count the barriers that the group has passed.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    writer: u32,
    written: u32,
    reader: u32,
    read: u32,
    /// When somebody other than `reader` read it last, from 1.
    read_before: u32,
    /// Read since it was written.
    again: bool,
}

/// What groups have shown.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// By barrier.
    pub passed: Vec<u64>,
    pub needed: Vec<bool>,
    /// By barrier and pair of accesses.
    pub exercised: Vec<Vec<bool>>,
    /// Barriers of which either would do.
    pub either: BTreeSet<(usize, usize)>,
    /// By region.
    pub variables: Vec<LocalUse>,
    /// An access touched several variables at once.
    pub mixed: bool,
    /// Work-items of the largest group.
    pub items: u64,
}

impl Seen {
    pub fn new(plan: &Plan) -> Self {
        let barriers = plan.barriers.len();
        Self {
            passed: vec![0; barriers],
            needed: vec![false; barriers],
            exercised: plan
                .barriers
                .iter()
                .map(|b| vec![false; b.pairs.len()])
                .collect(),
            variables: vec![LocalUse::default(); plan.cells.len()],
            ..Self::default()
        }
    }

    /// Adds what another group has shown.
    pub fn add(&mut self, other: Seen) {
        let or = |all: &mut [bool], more: &[bool]| {
            all.iter_mut().zip(more).for_each(|(a, b)| *a |= b);
        };
        let passed = self.passed.iter_mut().zip(other.passed);
        passed.for_each(|(all, more)| *all += more);
        or(&mut self.needed, &other.needed);
        for (all, more) in self.exercised.iter_mut().zip(&other.exercised) {
            or(all, more);
        }
        self.either.extend(other.either);
        for (all, more) in self.variables.iter_mut().zip(other.variables) {
            all.writes += more.writes;
            all.reads += more.reads;
            all.own_reads += more.own_reads;
            all.again += more.again;
            all.readers |= more.readers;
        }
        self.mixed |= other.mixed;
        self.items = self.items.max(other.items);
    }
}

/// The observer of one work-group.
#[derive(Debug)]
pub struct HandoverGroup {
    plan: Arc<Plan>,
    width: u32,
    cells: Vec<Cell>,
    /// The barriers that order local memory, as the group passed them.
    barriers: Vec<u32>,
    /// By access: who has made it since the last barrier, and before that since
    /// the one before.
    now: Vec<u32>,
    before: Vec<u32>,
    /// By region: who has read it.
    readers: Vec<u32>,
    seen: Seen,
}

impl HandoverGroup {
    pub(super) fn new(plan: Arc<Plan>, info: GroupInfo) -> Self {
        let mut seen = Seen::new(&plan);
        seen.items = info.size.iter().map(|&s| u64::from(s)).product();
        Self {
            width: info.width,
            cells: vec![Cell::default(); plan.cell_count],
            barriers: Vec::new(),
            now: vec![NOBODY; plan.access_count],
            before: vec![NOBODY; plan.access_count],
            readers: vec![NOBODY; plan.cells.len()],
            seen,
            plan,
        }
    }

    pub(super) fn finish(mut self) -> Seen {
        self.end_phase();
        for (used, &reader) in self.seen.variables.iter_mut().zip(&self.readers) {
            used.readers = reader == SEVERAL;
        }
        self.seen
    }

    /// The accesses since the last barrier have met those before it.
    fn end_phase(&mut self) {
        let Some(&barrier) = self.barriers.last() else {
            return;
        };
        let pairs = &self.plan.barriers[barrier as usize].pairs;
        let exercised = &mut self.seen.exercised[barrier as usize];
        for (&(a, b), seen) in pairs.iter().zip(exercised) {
            *seen |= self.before[a as usize] == SEVERAL && self.now[b as usize] == SEVERAL;
        }
    }

    fn store(&mut self, at: usize, item: u32, region: Region) {
        let now = self.barriers.len() as u32;
        let cell = self.cells[at];
        if cell.writer != item && cell.writer != NOBODY {
            self.meet(cell.written);
        }
        if cell.reader != item && cell.reader != NOBODY {
            self.meet(cell.read);
        }
        if cell.read_before > 0 {
            self.meet(cell.read_before - 1);
        }
        let writer = match cell.writer {
            other if other != NOBODY && other != item && cell.written == now => SEVERAL,
            _ => item,
        };
        self.cells[at] = Cell {
            writer,
            written: now,
            ..Cell::default()
        };
        self.seen.variables[usize::from(region.0)].writes += 1;
    }

    fn load(&mut self, at: usize, item: u32, region: Region) {
        let now = self.barriers.len() as u32;
        let cell = self.cells[at];
        if cell.writer != item && cell.writer != NOBODY {
            self.meet(cell.written);
        }
        let used = &mut self.seen.variables[usize::from(region.0)];
        used.reads += 1;
        used.own_reads += u64::from(cell.writer == item);
        used.again += u64::from(cell.again);
        let cell = &mut self.cells[at];
        cell.again = true;
        if cell.reader != item && cell.reader != NOBODY {
            cell.read_before = cell.read + 1;
        }
        cell.reader = item;
        cell.read = now;
    }

    /// Two work-items met at a cell, the first of them so many barriers ago.
    fn meet(&mut self, then: u32) {
        match &self.barriers[then as usize..] {
            [] => {}
            [one] => self.seen.needed[*one as usize] = true,
            [first, .., last] if first == last => self.seen.needed[*first as usize] = true,
            [first, .., last] => {
                let pair = (*first as usize, *last as usize);
                self.seen
                    .either
                    .insert((pair.0.min(pair.1), pair.0.max(pair.1)));
            }
        }
    }
}

fn add_item(known: &mut u32, item: u32) {
    if *known == NOBODY {
        *known = item;
    } else if *known != item {
        *known = SEVERAL;
    }
}

impl Observer for HandoverGroup {
    const ACCESSES: bool = true;

    fn access(&mut self, event: &AccessEvent<'_>) {
        let side = usize::from(event.kind == AccessKind::Store);
        let Some(&number) = self.plan.accesses.get(event.inst.index()).map(|a| &a[side]) else {
            return;
        };
        if number == NONE {
            return;
        }
        let Some(region) = event.region else {
            self.seen.mixed = true;
            return;
        };
        let place = self.plan.cells.get(usize::from(region.0));
        let Some(&Some((first, shift))) = place else {
            return;
        };
        let elem = u64::from(event.access.elem.size());
        for lane in each_lane(event.mask & event.in_bounds) {
            let item = 1 + event.sub_group * self.width + lane as u32;
            add_item(&mut self.now[number as usize], item);
            if event.kind != AccessKind::Store {
                add_item(&mut self.readers[usize::from(region.0)], item);
            }
            let start = pointer::offset(event.addresses[lane]) as u64;
            for part in 0..u64::from(event.access.count) {
                if event.components >> part & 1 == 0 {
                    continue;
                }
                let begin = start + part * elem;
                for cell in begin >> shift..=(begin + elem - 1) >> shift {
                    let at = first as usize + cell as usize;
                    if event.kind != AccessKind::Store {
                        self.load(at, item, region);
                    }
                    if event.kind != AccessKind::Load {
                        self.store(at, item, region);
                    }
                }
            }
        }
    }

    fn barrier(&mut self, event: &BarrierEvent) {
        let barrier = self.plan.barrier_of.get(event.inst.index());
        let Some(&barrier) = barrier.filter(|&&b| b != NONE) else {
            return;
        };
        self.end_phase();
        self.seen.passed[barrier as usize] += 1;
        self.barriers.push(barrier);
        self.before = std::mem::take(&mut self.now);
        self.now.resize(self.before.len(), NOBODY);
    }
}
