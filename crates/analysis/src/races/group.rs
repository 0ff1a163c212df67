//! Watches one work-group.

use std::collections::HashMap;
use std::sync::Arc;

use tilewise_ir::pointer::{self, Region};
use tilewise_ir::{Fence, InstId, Space};
use tilewise_sim::{
    AccessEvent, AccessKind, AddressShape, BarrierEvent, GroupInfo, Observer, each_lane,
};

use super::cells::PAGE_CELLS;
use super::handed::{Handed, Kind};
use super::plan::{Plan, Watch, Watched};
use super::released::{GroupAtomic, Released};
use super::result::{Race, Side};
use super::state::{Conflict, State, Touch};

/// Lanes side by side that access adjacent cells, or all the same ones.
struct Row {
    lane: usize,
    lanes: usize,
    /// Index of the first cell.
    at: usize,
    /// Number of the first cell in its region.
    cell: u64,
    /// Cells of a lane.
    each: usize,
    same: bool,
}

/// Pairs of instructions that a group keeps.
const MOST_RACES: usize = 64;

/// The observer of one work-group.
#[derive(Debug)]
pub struct RaceGroup {
    pub(super) plan: Arc<Plan>,
    pub(super) info: GroupInfo,
    pub(super) state: State,
    /// The group's first moment.
    pub(super) start: u32,
    /// Since when nothing has ordered local memory, and global memory.
    local_since: u32,
    global_since: u32,
    /// By sub-group: since when nothing has ordered the memory of its own
    /// work-items; empty until there is a barrier of a sub-group.
    own_since: Vec<Since>,
    /// Barriers of the group: the moment they begin.
    barriers: Vec<(u32, BarrierEvent)>,
    /// Atomics, where they may hand memory from one work-item to another.
    handed: Handed,
    /// There are such atomics.
    hands: bool,
    /// Accesses that would race, but for atomics too many to follow.
    pub(super) not_followed: u64,
    /// What other groups may know of, where atomics may hand memory to them.
    pub(super) released: Option<Released>,
    /// The first global atomic whose result is used.
    pub(super) first_look: Option<u32>,
    pub(super) found: RaceList,
}

#[derive(Clone, Copy, Debug, Default)]
struct Since {
    local: u32,
    global: u32,
}

impl RaceGroup {
    pub(super) fn new(plan: Arc<Plan>, info: GroupInfo, mut state: State) -> Self {
        let start = state.begin();
        let hands = plan.hands_within.local || plan.hands_within.global;
        let released = plan
            .hands_over
            .then(|| Released::new(info.sub_groups, plan.exchanges));
        Self {
            plan,
            info,
            state,
            start,
            local_since: start,
            global_since: start,
            own_since: Vec::new(),
            barriers: Vec::new(),
            handed: Handed::default(),
            hands,
            not_followed: 0,
            released,
            first_look: None,
            found: RaceList::default(),
        }
    }

    /// The cells that the access of one lane covers, component by component.
    #[inline(always)]
    fn lanes(
        &mut self,
        event: &AccessEvent<'_>,
        region: u16,
        mask: u64,
        touch: Touch,
        mut f: impl FnMut(&mut State, usize, u64, u64, usize, u32),
    ) {
        let watched = self.plan.regions[usize::from(region)];
        let whole = u64::from(event.access.bytes);
        let elem = u64::from(event.access.elem.size());
        // A copy is one piece, whatever its components.
        let copy = self.plan.copies[event.inst.index()];
        let parts = if copy {
            1
        } else {
            usize::from(event.access.count)
        };
        let size = if copy { whole } else { elem };
        let by_group = self.plan.async_copies[event.inst.index()];
        for lane in each_lane(mask) {
            let start = pointer::offset(event.addresses[lane]) as u64;
            let me = touch.me + if by_group { 0 } else { lane as u64 };
            for part in 0..parts {
                if event.components >> part & 1 == 0 {
                    continue;
                }
                let first = start + part as u64 * size;
                let last = (first + size - 1) >> watched.shift;
                let mut piece = 0;
                let mut cell = first >> watched.shift;
                while cell <= last {
                    let at = self.state.index(watched.watch, region, cell, 1);
                    f(&mut self.state, at, cell, me, part * 64 + lane, piece);
                    piece += 1;
                    cell += 1;
                }
            }
        }
    }

    /// Calls `f` with the rows that an access falls into, where that is what it
    /// does; whether it is.
    #[inline(always)]
    fn rows(
        &mut self,
        event: &AccessEvent<'_>,
        region: u16,
        mask: u64,
        mut f: impl FnMut(&mut State, Row),
    ) -> bool {
        // A copy by the whole group is no lane's own.
        if self.plan.async_copies[event.inst.index()] {
            return false;
        }
        let Watched { watch, shift } = self.plan.regions[usize::from(region)];
        let access = &event.access;
        let bytes = u64::from(access.bytes);
        let below = (1u64 << shift) - 1;
        let first = mask.trailing_zeros() as usize;
        let lanes = mask.count_ones() as usize;
        let whole = 64 - mask.leading_zeros() as usize - first == lanes;
        let components = if access.count >= 16 {
            u16::MAX
        } else {
            (1 << access.count) - 1
        };
        let offset = |lane: usize| pointer::offset(event.addresses[lane]) as u64;
        let packed = u64::from(access.elem.size()) * u64::from(access.count) == bytes
            && event.components & components == components
            && bytes & below == 0
            && offset(first) & below == 0;
        if !whole || !packed {
            return false;
        }
        let (length, same) = match event.shape {
            _ if lanes == 1 => (1, false),
            AddressShape::Uniform => (lanes, true),
            AddressShape::Strided(stride) if stride == bytes as i64 => (lanes, false),
            AddressShape::Rows {
                length,
                stride,
                pitch,
            } if first == 0
                && pitch as u64 & below == 0
                && (stride == 0 || stride == bytes as i64) =>
            {
                (length as usize, stride == 0)
            }
            _ => return false,
        };
        let each = (bytes >> shift) as usize;
        let page_rest = |cell: u64| match watch {
            Watch::Local { .. } => usize::MAX,
            Watch::Global | Watch::Not => PAGE_CELLS - cell as usize % PAGE_CELLS,
        };
        // A lane's cells lie in one page, as is so for all aligned accesses.
        if !PAGE_CELLS.is_multiple_of(each) || offset(first) & (bytes - 1) != 0 {
            return false;
        }
        if let AddressShape::Rows { pitch, .. } = event.shape
            && pitch as u64 & (bytes - 1) != 0
        {
            return false;
        }
        let mut lane = first;
        while lane < first + lanes {
            let end = (lane + length).min(first + lanes);
            let mut cell = offset(lane) >> shift;
            while lane < end {
                let n = if same {
                    end - lane
                } else {
                    (end - lane).min(page_rest(cell) / each)
                };
                let cells = if same { each } else { n * each };
                let row = Row {
                    lane,
                    lanes: n,
                    at: self.state.index(watch, region, cell, cells),
                    cell,
                    each,
                    same,
                };
                f(&mut self.state, row);
                lane += n;
                cell += cells as u64;
            }
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn report(&mut self, region: Region, space: Space) {
        let conflicts = std::mem::take(&mut self.state.conflicts);
        for conflict in &conflicts {
            self.report_one(region, space, conflict);
        }
        // Keeps its room.
        self.state.conflicts = conflicts;
        self.state.conflicts.clear();
    }

    fn report_one(&mut self, region: Region, space: Space, conflict: &Conflict) {
        let [earlier, later] = [conflict.earlier, conflict.later].map(|e| e as u32);
        let (first, second) = (self.side(earlier), self.side(later));
        let when = (conflict.earlier >> 32) as u32;
        if first.sub_group == second.sub_group
            && let Some(since) = self.own_since.get(first.sub_group as usize)
        {
            let since = if space == Space::Local {
                since.local
            } else {
                since.global
            };
            if when < since {
                return;
            }
        }
        let hands = self.plan.hands_within;
        let hands = match space {
            Space::Local => hands.local,
            _ => hands.global,
        };
        if hands {
            let item = |who: u32| {
                let (sub_group, lane, ..) = self.plan.decode(who);
                (sub_group, lane)
            };
            match self.handed.ordered((item(earlier), when), item(later)) {
                Some(true) => return,
                Some(false) => {}
                None => {
                    self.not_followed += 1;
                    return;
                }
            }
        }
        let plan = &self.plan;
        let unknown = |s: &Side| plan.copies[s.inst.index()];
        let barrier = self.barriers.iter().rev().find(|(begin, _)| *begin > when);
        let shift = plan.regions[usize::from(region.0)].shift;
        let same_value = conflict.same_value && !unknown(&first) && !unknown(&second);
        let barrier_between: Option<(InstId, Fence)> = barrier.map(|(_, b)| (b.inst, b.fence));
        self.found.add(
            Race {
                region,
                space,
                offset: conflict.cell << shift,
                first,
                second,
                same_value,
                barrier_between,
                count: 1,
            },
            MOST_RACES,
        );
    }

    fn side(&self, who: u32) -> Side {
        side(&self.plan, &self.info, who)
    }
}

/// The side of a race that a number stands for.
pub(super) fn side(plan: &Plan, info: &GroupInfo, who: u32) -> Side {
    let (sub_group, lane, inst, kind) = plan.decode(who);
    let local_id = info.local_id(sub_group, lane);
    Side {
        inst,
        kind,
        group: info.linear,
        global_id: std::array::from_fn(|d| info.first_global_id[d] + u64::from(local_id[d])),
        local_id,
        sub_group,
    }
}

impl Observer for RaceGroup {
    const ACCESSES: bool = true;

    fn access(&mut self, event: &AccessEvent<'_>) {
        let Some(region) = event.region else {
            return;
        };
        let mask = event.in_bounds & event.mask;
        let Some(&watched) = self.plan.regions.get(usize::from(region.0)) else {
            return;
        };
        if watched.watch == Watch::Not || mask == 0 {
            return;
        }
        // Who makes a work-group's copy is up to the device: it is nobody's own.
        let by_group = self.plan.async_copies[event.inst.index()];
        let sub_group = if by_group {
            self.info.sub_groups
        } else {
            event.sub_group
        };
        let Some(who) = self.plan.who(sub_group, event.inst, event.kind) else {
            return;
        };
        let (since, space) = match watched.watch {
            Watch::Local { .. } => (self.local_since, Space::Local),
            Watch::Global | Watch::Not => (self.global_since, Space::Global),
        };
        let touch = Touch {
            me: u64::from(self.state.now) << 32 | who,
            limit: u64::from(since) << 32,
        };
        if self.hands && event.kind != AccessKind::Atomic {
            self.handed.access(sub_group, mask);
        }
        match event.kind {
            AccessKind::Load => self.load(event, region, mask, touch),
            AccessKind::Store => self.store(event, region, mask, touch),
            AccessKind::Atomic => {
                let touch = self.begin_atomic(event, (region.0, space), mask, touch);
                let reads_only = self.plan.reads_only[event.inst.index()];
                self.lanes(event, region.0, mask, touch, |state, at, cell, me, _, _| {
                    state.atomic(at, cell, me, touch.limit, reads_only);
                });
            }
        }
        if !self.state.conflicts.is_empty() {
            self.report(region, space);
        }
    }

    fn barrier(&mut self, event: &BarrierEvent) {
        self.state.now += 1;
        let now = self.state.now;
        if event.fence.local {
            self.local_since = now;
        }
        if event.fence.global {
            self.global_since = now;
        }
        if event.fence.local && event.fence.global {
            self.barriers.clear();
        }
        self.barriers.push((now, *event));
        if self.hands {
            let hands = self.plan.hands_within;
            let all = event.fence.local >= hands.local && event.fence.global >= hands.global;
            self.handed.barrier(all);
        }
        if let Some(released) = &mut self.released {
            released.barrier(None, event.fence, now);
        }
    }

    fn sub_group_barrier(&mut self, sub_group: u32, event: &BarrierEvent) {
        self.state.now += 1;
        let now = self.state.now;
        let count = self.info.sub_groups as usize;
        self.own_since.resize(count, Since::default());
        if let Some(since) = self.own_since.get_mut(sub_group as usize) {
            if event.fence.local {
                since.local = now;
            }
            if event.fence.global {
                since.global = now;
            }
        }
        if let Some(released) = &mut self.released {
            released.barrier(Some(sub_group), event.fence, now);
        }
    }

    fn fence(&mut self, sub_group: u32, mask: u64, fence: Fence) {
        if let Some(released) = self.released.as_mut().filter(|_| fence.global) {
            self.state.now += 1;
            released.fence(sub_group, mask, self.state.now);
        }
    }
}

impl RaceGroup {
    /// Notes an atomic where atomics may hand memory over, which is a moment of its
    /// own then; the touch at that moment.
    fn begin_atomic(
        &mut self,
        event: &AccessEvent<'_>,
        (region, space): (u16, Space),
        mask: u64,
        touch: Touch,
    ) -> Touch {
        if !self.hands && self.released.is_none() {
            return touch;
        }
        self.state.now += 1;
        let when = self.state.now;
        let inst = event.inst.index();
        let kind = Kind {
            releases: !self.plan.reads_only[inst],
            acquires: self.plan.acquires[inst],
        };
        if self.hands {
            let shift = self.plan.regions[usize::from(region)].shift;
            for lane in each_lane(mask) {
                let cell = pointer::offset(event.addresses[lane]) as u64 >> shift;
                let item = (event.sub_group, lane as u32);
                self.handed.note(item, (region, cell), when, kind);
            }
        }
        if let Some(released) = &mut self.released {
            let global = space == Space::Global;
            let atomic = GroupAtomic {
                when,
                global,
                orders: self.plan.orders[inst],
                releases: kind.releases,
                acquires: kind.acquires,
            };
            released.atomic(event.sub_group, mask, atomic);
            if global && kind.acquires {
                self.first_look.get_or_insert(when);
            }
        }
        Touch {
            me: u64::from(when) << 32 | touch.me & u64::from(u32::MAX),
            ..touch
        }
    }

    fn load(&mut self, event: &AccessEvent<'_>, region: Region, mask: u64, touch: Touch) {
        let done = self.rows(event, region.0, mask, |state, row| {
            let touch = touch.of(row.lane);
            if row.same {
                state.load_same(row.at, row.cell, row.each, row.lanes, touch);
            } else {
                let cells = row.lanes * row.each;
                state.load_run(row.at, row.cell, cells, row.each, touch);
            }
        });
        if !done {
            self.lanes(event, region.0, mask, touch, |state, at, cell, me, _, _| {
                state.load(at, cell, me, touch.limit);
            });
        }
    }

    fn store(&mut self, event: &AccessEvent<'_>, region: Region, mask: u64, touch: Touch) {
        let watched = self.plan.regions[usize::from(region.0)];
        let mut values = std::mem::take(&mut self.state.values);
        let count = event.values.map_or(0, |_| usize::from(event.access.count));
        values.resize(count, [0; 64]);
        if let Some(stored) = event.values {
            for (component, lanes) in values.iter_mut().enumerate() {
                stored.component(component, lanes);
            }
        }
        // Lanes that write the same cells race, which is seen lane by lane.
        let stands = match event.shape {
            AddressShape::Uniform | AddressShape::Rows { stride: 0, .. } => mask.count_ones() == 1,
            _ => true,
        };
        let by_cell = count > 0 && event.access.elem.size() == 1 << watched.shift;
        let done = by_cell
            && stands
            && self.rows(event, region.0, mask, |state, row| {
                let lanes = (row.lane, row.lanes);
                state.store_run(row.at, row.cell, lanes, &values, touch.of(row.lane));
            });
        if !done {
            let cell_bits = 8 << watched.shift;
            self.lanes(
                event,
                region.0,
                mask,
                touch,
                |state, at, cell, me, value, piece| {
                    let bits = values.get(value / 64).map_or(0, |lanes| lanes[value % 64]);
                    let part = bits.checked_shr(piece * cell_bits).unwrap_or(0) as u32;
                    let part = if cell_bits < 32 {
                        part & ((1 << cell_bits) - 1)
                    } else {
                        part
                    };
                    state.store(at, cell, me, touch.limit, part);
                },
            );
        }
        self.state.values = values;
    }
}

/// What two races share that are told as one: the memory, both instructions
/// with what they do, and whether they write the same value.
type Pair = (Region, [(InstId, bool); 2], bool);

/// Races by pair of instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct RaceList {
    pub races: Vec<Race>,
    pub not_kept: u64,
    index: HashMap<Pair, usize>,
}

impl RaceList {
    /// Adds a race, or counts it where its pair of instructions is known.
    pub fn add(&mut self, race: Race, most: usize) {
        let end = |s: &Side| (s.inst, s.kind == AccessKind::Store);
        let mut pair = [end(&race.first), end(&race.second)];
        pair.sort_unstable();
        let key: Pair = (race.region, pair, race.same_value);
        if let Some(&known) = self.index.get(&key) {
            self.races[known].count += race.count;
        } else if self.races.len() < most {
            self.index.insert(key, self.races.len());
            self.races.push(race);
        } else {
            self.not_kept += race.count;
        }
    }
}
