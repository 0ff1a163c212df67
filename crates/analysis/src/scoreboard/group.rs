//! The scoreboard of one work-group.

use std::sync::Arc;

use tilewise_ir::{BlockId, InstId, Space};
use tilewise_sim::{AccessEvent, AccessKind, BarrierEvent, GroupInfo, Observer};

use super::fills::Fills;
use super::path::{Level, Path, PathId, Paths, Ready};
use super::result::{FIGURES, Phase, Stalls};
use super::table::{Kind, Table};
use crate::banks::{MergeRole, PassCache, Request};
use crate::touched::{Spans, for_each_region};

/// Most phases that are kept of one group.
const MOST_PHASES: usize = 1024;

/// Watches one work-group for
/// [`ScoreboardAnalysis`](super::ScoreboardAnalysis).
#[derive(Debug)]
pub struct GroupScoreboard {
    table: Arc<Table>,
    sub_groups: Vec<SubGroup>,
    /// When the sectors of each region arrive.
    fills: Vec<Fills>,
    paths: Paths,
    passes: PassCache,
    stalls: Stalls,
    phases: Vec<Phase>,
    barriers: u64,
    spans: Spans,
    moved: Vec<(u32, Ready)>,
}

#[derive(Debug, Default)]
struct SubGroup {
    /// When the stretch of code at hand began, and what led to it: the start of
    /// the kernel, a barrier or an iteration of a loop.
    begin: Ready,
    /// Issue slots taken since.
    slots: u64,
    /// The latest issue since.
    latest: Ready,
    /// When the last condition that decided on the way here was known.
    decided: Ready,
    /// Issue of the memory instruction whose access is told next.
    issued: Ready,
    /// Issue of the last store to global and to local memory.
    stored: [Ready; 2],
    values: Vec<Ready>,
}

impl SubGroup {
    /// The start of the kernel.
    fn start(&mut self, launch: u64, values: usize) {
        let begin = Ready {
            time: launch,
            ..Ready::default()
        };
        self.begin = begin;
        self.slots = 0;
        self.latest = begin;
        self.decided = begin;
        self.issued = begin;
        self.stored = [Ready::default(); 2];
        self.values.clear();
        self.values.resize(values, Ready::default());
    }

    /// When the next instruction could issue if it waited for nothing.
    fn next(&self) -> Ready {
        Ready {
            time: self.begin.time + self.slots,
            ..self.begin
        }
    }

    /// Waits until everything of the stretch has issued, and enters the wait
    /// beyond the issue slots.
    fn settle(&mut self, stalls: &mut Stalls, paths: &Paths) {
        let next = self.next();
        let end = next.later(self.latest);
        let [from, to] = [self.begin, end].map(|r| paths.get(r.path));
        stalls.add(end.time - next.time, from, to);
        self.begin = end;
        self.latest = end;
        self.slots = 0;
    }
}

impl SubGroup {
    /// Issues an instruction as soon as what it needs is there.
    fn issue(&mut self, table: &Table, inst: InstId) {
        let entry = table.entry(inst);
        let operands = table
            .reads(entry)
            .iter()
            .map(|&v| self.values[v as usize])
            .fold(Ready::default(), Ready::later);
        if entry.kind == Kind::Free {
            for &v in table.writes(entry) {
                self.values[v as usize] = operands;
            }
            return;
        }
        let mut start = self.next().later(operands).later(self.decided);
        if entry.after_stores {
            start = start.later(self.stored[entry.memory]);
        }
        self.latest = self.latest.later(start);
        self.issued = start;
        self.slots += u64::from(entry.issues);
        if entry.is_store {
            self.stored[entry.memory] = start;
        }
        if entry.ends_block {
            self.decided = self.decided.later(operands);
        }
        let ready = Ready {
            time: start.time + u64::from(entry.latency.max(entry.issues)),
            path: start.path,
        };
        for &v in table.writes(entry) {
            self.values[v as usize] = ready;
        }
    }

    /// Every time that it keeps.
    fn times(&mut self) -> impl Iterator<Item = &mut Ready> {
        [
            &mut self.begin,
            &mut self.latest,
            &mut self.decided,
            &mut self.issued,
        ]
        .into_iter()
        .chain(&mut self.stored)
        .chain(&mut self.values)
    }
}

impl GroupScoreboard {
    pub(super) fn new(table: Arc<Table>) -> Self {
        Self {
            sub_groups: Vec::new(),
            fills: (0..table.regions.len()).map(|_| Fills::default()).collect(),
            paths: Paths::default(),
            passes: PassCache::default(),
            stalls: Stalls::default(),
            phases: Vec::new(),
            barriers: 0,
            spans: Spans::default(),
            moved: Vec::new(),
            table,
        }
    }

    /// Makes the state ready for a group.
    pub(super) fn start(&mut self, group: &GroupInfo) {
        let launch = u64::from(self.table.latencies.launch);
        self.sub_groups
            .resize_with(group.sub_groups as usize, SubGroup::default);
        for sub_group in &mut self.sub_groups {
            sub_group.start(launch, self.table.values);
        }
        self.fills.iter_mut().for_each(Fills::clear);
        self.paths.clear();
        self.stalls = Stalls::default();
        self.phases.clear();
        self.barriers = 0;
    }

    /// The sub-group that is last.
    fn critical(&self) -> (u64, Path) {
        let last = self
            .sub_groups
            .iter()
            .map(|s| s.next().later(s.latest))
            .max_by_key(|end| end.time)
            .unwrap_or_default();
        (last.time, *self.paths.get(last.path))
    }

    /// Adds a path, and drops those that nothing refers to where they are many.
    fn add_path(&mut self, path: Path) -> PathId {
        if self.paths.are_many() {
            let used = self.sub_groups.iter_mut().flat_map(SubGroup::times);
            self.paths.keep(used.map(|r| &mut r.path));
        }
        self.paths.add(path)
    }

    /// Ends the last phase.
    pub(super) fn close(&mut self) {
        for state in &mut self.sub_groups {
            state.settle(&mut self.stalls, &self.paths);
        }
        let (time, path) = self.critical();
        self.end_phase(time, path);
    }

    fn end_phase(&mut self, time: u64, path: Path) {
        if self.phases.len() < MOST_PHASES {
            self.phases.push(Phase { end: time, path });
        }
    }

    pub(super) fn figures(&self) -> [u64; FIGURES] {
        let (lifetime, path) = self.critical();
        let [far, l1, local] = path.trips;
        let elsewhere = path.cycles.iter().sum::<u64>() + path.barrier_cycles;
        [
            lifetime,
            lifetime.saturating_sub(elsewhere),
            u64::from(far),
            u64::from(l1),
            u64::from(local),
            self.barriers,
            path.barrier_cycles,
            self.stalls.far,
            self.stalls.l1,
            self.stalls.local,
            self.stalls.arithmetic,
            self.stalls.barrier,
        ]
    }

    pub(super) fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// How long memory takes to answer an access issued at `issued`, and who
    /// answers.
    fn answer(&mut self, event: &AccessEvent<'_>, issued: u64) -> (u64, Level) {
        let l = self.table.latencies;
        match event.access.space {
            Space::Local => (self.local_latency(event), Level::Local),
            Space::Private => (u64::from(l.l1), Level::L1),
            _ if event.kind == AccessKind::Atomic => (u64::from(l.far), Level::Far),
            space => {
                let near = u64::from(if space == Space::Constant {
                    l.constant
                } else {
                    l.l1
                });
                let far = u64::from(l.far);
                let log2 = self.table.shape.sector_bytes.max(1).ilog2();
                let mut latest = 0;
                let lanes = event.mask & event.in_bounds;
                let (fills, spans, regions) =
                    (&mut self.fills, &mut self.spans, &self.table.regions);
                for_each_region(event, lanes, |region, lanes| {
                    let fills = &mut fills[regions.slot(region)];
                    spans.collect(event, lanes, 0, event.access.bytes);
                    for &(start, end) in spans.as_slice() {
                        let arrival = fills.touch(start >> log2, (end - 1) >> log2, issued + far);
                        latest = latest.max(arrival);
                    }
                });
                match latest.saturating_sub(issued) {
                    wait if wait > near => (wait, Level::Far),
                    _ => (near, Level::L1),
                }
            }
        }
    }

    fn local_latency(&mut self, event: &AccessEvent<'_>) -> u64 {
        let (skip, bytes) = match self.table.role(event.inst) {
            MergeRole::Alone => (0, event.access.bytes),
            MergeRole::Leads { skip, bytes } => (i64::from(skip), bytes),
            // Served together with its leader, whose passes count there.
            MergeRole::Served => return u64::from(self.table.latencies.local),
        };
        let request = Request {
            skip,
            bytes,
            combines: event.kind != AccessKind::Atomic,
        };
        let (regions, shape) = (&self.table.regions, &self.table.shape);
        let passes = self.passes.count(event, regions, shape, request);
        u64::from(self.table.latencies.local + passes.passes.saturating_sub(1))
    }
}

impl Observer for GroupScoreboard {
    const INSTRUCTIONS: bool = true;
    const ACCESSES: bool = true;

    fn instruction(&mut self, sub_group: u32, inst: InstId, _: u64) {
        self.sub_groups[sub_group as usize].issue(&self.table, inst);
    }

    fn instructions(&mut self, sub_group: u32, first: InstId, count: u32, _: u64) {
        let state = &mut self.sub_groups[sub_group as usize];
        for n in 0..count as usize {
            state.issue(&self.table, InstId::new(first.index() + n));
        }
    }

    fn edge(&mut self, sub_group: u32, from: BlockId, to: BlockId, _: u64) {
        let table = &*self.table;
        let state = &mut self.sub_groups[sub_group as usize];
        self.moved.clear();
        let (moves, back) = table.edge(from, to);
        if back {
            state.settle(&mut self.stalls, &self.paths);
        }
        // All arguments are read before a parameter is written.
        for &(param, arg) in moves {
            self.moved.push((param, state.values[arg as usize]));
        }
        for &(param, ready) in &self.moved {
            let old = &mut state.values[param as usize];
            *old = old.later(ready);
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let entry = *self.table.entry(event.inst);
        let waits = match entry.kind {
            Kind::Load => true,
            Kind::Copy => event.kind == AccessKind::Load,
            _ => false,
        };
        if !waits {
            return;
        }
        let issued = self.sub_groups[event.sub_group as usize].issued;
        let (latency, level) = self.answer(event, issued.time);
        let path = self.paths.get(issued.path).then(level, latency);
        let ready = Ready {
            time: issued.time + latency,
            path: self.add_path(path),
        };
        // A filter waits for the last of its texels.
        let more = event.image.is_some_and(|number| number > 0);
        let state = &mut self.sub_groups[event.sub_group as usize];
        for &v in self.table.writes(&entry) {
            let value = &mut state.values[v as usize];
            *value = if more { value.later(ready) } else { ready };
        }
        if entry.kind == Kind::Copy {
            state.latest = state.latest.later(ready);
        }
    }

    fn barrier(&mut self, _: &BarrierEvent) {
        let (time, mut path) = self.critical();
        self.end_phase(time, path);
        self.barriers += 1;
        let latency = u64::from(self.table.latencies.barrier);
        path.barrier_cycles += latency;
        let begin = Ready {
            time: time + latency,
            path: self.add_path(path),
        };
        for state in &mut self.sub_groups {
            state.settle(&mut self.stalls, &self.paths);
            self.stalls.barrier += time - state.begin.time;
            state.begin = begin;
            state.latest = begin;
        }
    }
}
