//! Watches one work-group.

use std::sync::Arc;

use tilewise_ir::pointer::{self, Region};
use tilewise_ir::{BlockId, InstId, Value};
use tilewise_sim::{AccessEvent, AccessKind, AddressShape, GroupInfo, Observer, each_lane};

use super::flow::{Flow, Home, Moves, Step};
use super::local::SetBytes;
use super::private::UnsetLanes;
use super::result::{ReadList, UninitRead, UseKind};

/// What is set, used for one group after another.
#[derive(Debug, Default)]
pub(super) struct State {
    local: SetBytes,
    sub_groups: Vec<SubGroup>,
    /// By instruction: the first unset place that it has read in this group.
    origins: Vec<Option<(Region, u64)>>,
    /// By region: how an unset value came into it first.
    carried: Vec<Option<Carried>>,
}

/// How an unset value came into memory.
#[derive(Clone, Copy, Debug)]
enum Carried {
    /// A store wrote what this instruction had read.
    Value(InstId),
    /// This instruction copied bytes.
    Copy(InstId),
}

/// What is set of one sub-group's own.
#[derive(Debug, Default)]
struct SubGroup {
    private: UnsetLanes,
    /// Something unset may be in a register.
    follows: bool,
    /// By value: lanes for which it is not set; empty until that is so of any.
    unset: Vec<u64>,
    /// By value: the instruction that read what is unset.
    origin: Vec<u32>,
    /// Bytes that a copy has read, by lane, until it writes them: lanes for
    /// which each is unset.
    copied: Vec<u64>,
    copied_from: u32,
}

/// The observer of one work-group.
#[derive(Debug)]
pub struct UninitGroup {
    flow: Arc<Flow>,
    info: GroupInfo,
    state: State,
    found: ReadList,
}

impl UninitGroup {
    pub(super) fn new(flow: Arc<Flow>, info: GroupInfo, mut state: State) -> Self {
        state.local.reset(flow.local_bytes, flow.local_used);
        let sub_groups = info.sub_groups as usize;
        if state.sub_groups.len() < sub_groups {
            state.sub_groups.resize_with(sub_groups, SubGroup::default);
        }
        for sub_group in &mut state.sub_groups[..sub_groups] {
            sub_group.private.reset(&flow.private_start);
            if std::mem::take(&mut sub_group.follows) {
                sub_group.unset.fill(0);
            }
        }
        state.origins.clear();
        state.origins.resize(flow.steps.len(), None);
        state.carried.clear();
        state.carried.resize(flow.homes.len(), None);
        Self {
            flow,
            info,
            state,
            found: ReadList::default(),
        }
    }

    pub(super) fn finish(self) -> (State, ReadList) {
        (self.state, self.found)
    }

    #[inline(always)]
    fn follows(&self, sub_group: u32) -> bool {
        self.state.sub_groups[sub_group as usize].follows
    }

    #[inline(always)]
    fn watching(&mut self) -> Watching<'_> {
        Watching {
            flow: &self.flow,
            info: &self.info,
            state: &mut self.state,
            found: &mut self.found,
        }
    }
}

/// A group while it is told of an instruction.
struct Watching<'g> {
    flow: &'g Flow,
    info: &'g GroupInfo,
    state: &'g mut State,
    found: &'g mut ReadList,
}

impl Watching<'_> {
    /// Lanes for which a value is not set.
    #[inline(always)]
    fn unset(&self, sub_group: u32, value: Value) -> u64 {
        if self.flow.undefined[value.index()] {
            return !0;
        }
        let unset = &self.state.sub_groups[sub_group as usize].unset;
        unset.get(value.index()).copied().unwrap_or(0)
    }

    /// The instruction that read what is unset; `None` for a value that is
    /// undefined as such.
    fn origin(&self, sub_group: u32, value: Value) -> Option<InstId> {
        if self.flow.undefined[value.index()] {
            return None;
        }
        let origin = &self.state.sub_groups[sub_group as usize].origin;
        origin
            .get(value.index())
            .filter(|&&o| o != u32::MAX)
            .map(|&o| InstId::new(o as usize))
    }

    /// Says for which of the lanes of `mask` a value is not set.
    #[inline(always)]
    fn set_value(
        &mut self,
        sub_group: u32,
        value: Value,
        mask: u64,
        unset: u64,
        origin: Option<InstId>,
    ) {
        let values = self.flow.values();
        let sub_group = &mut self.state.sub_groups[sub_group as usize];
        let unset = unset & mask;
        if unset != 0 && !sub_group.follows {
            sub_group.follows = true;
            sub_group.unset.resize(values, 0);
            sub_group.origin.resize(values, u32::MAX);
        }
        if sub_group.follows {
            let known = &mut sub_group.unset[value.index()];
            *known = (*known & !mask) | unset;
            if unset != 0 {
                sub_group.origin[value.index()] = origin.map_or(u32::MAX, |o| o.index() as u32);
            }
        }
    }

    /// A value is used for something that matters.
    #[inline(always)]
    fn use_value(
        &mut self,
        sub_group: u32,
        value: Value,
        mask: u64,
        at: InstId,
        used_for: UseKind,
    ) {
        let lanes = self.unset(sub_group, value) & mask;
        if lanes != 0 {
            self.report(sub_group, value, lanes, at, used_for);
        }
    }

    #[cold]
    fn report(&mut self, sub_group: u32, value: Value, lanes: u64, at: InstId, used_for: UseKind) {
        let origin = self.origin(sub_group, value);
        let place = origin.and_then(|o| self.state.origins[o.index()]);
        self.add(sub_group, lanes, origin.unwrap_or(at), place, at, used_for);
        // Once is enough.
        self.set_value(sub_group, value, lanes, 0, None);
    }

    fn add(
        &mut self,
        sub_group: u32,
        lanes: u64,
        inst: InstId,
        place: Option<(Region, u64)>,
        used_at: InstId,
        used_for: UseKind,
    ) {
        let local = self.info.local_id(sub_group, lanes.trailing_zeros());
        let first = self.info.first_global_id;
        self.found.add(UninitRead {
            inst,
            place,
            carried_by: place.and_then(|(r, _)| match self.state.carried[usize::from(r.0)] {
                Some(Carried::Copy(copy)) if copy != inst => Some(copy),
                _ => None,
            }),
            used_at,
            used_for,
            group: self.info.linear,
            global_id: std::array::from_fn(|d| first[d] + u64::from(local[d])),
            count: u64::from(lanes.count_ones()),
        });
    }

    fn look(&mut self, sub_group: u32, inst: InstId, mask: u64) {
        let flow = self.flow;
        match &flow.steps[inst.index()] {
            Step::Compute { defs, uses } => {
                let (mut unset, mut origin) = (0, None);
                for &used in uses {
                    let lanes = self.unset(sub_group, used) & mask;
                    if lanes != 0 && unset == 0 {
                        origin = self.origin(sub_group, used);
                    }
                    unset |= lanes;
                }
                for &def in defs {
                    self.set_value(sub_group, def, mask, unset, origin);
                }
            }
            Step::Select { dst, cond, sides } => {
                let [cond_unset, a, b] =
                    [*cond, sides[0], sides[1]].map(|v| self.unset(sub_group, v));
                let unset = cond_unset | (a & b);
                let from = if cond_unset & mask != 0 {
                    *cond
                } else {
                    sides[0]
                };
                let origin = self.origin(sub_group, from);
                self.set_value(sub_group, *dst, mask, unset, origin);
            }
            Step::Lifetime { region } => {
                if let Home::Private { first, cells, .. } = flow.homes[usize::from(region.0)] {
                    let private = &mut self.state.sub_groups[sub_group as usize].private;
                    private.mark(first as usize, cells as usize, mask, mask);
                }
            }
            Step::Decide { value } => {
                self.use_value(sub_group, *value, mask, inst, UseKind::Branch);
            }
            Step::AsyncCopy { uses } => {
                for &used in uses {
                    self.use_value(sub_group, used, mask, inst, UseKind::Address);
                }
            }
            Step::Use { uses, defs } => {
                for &(used, kind) in uses {
                    self.use_value(sub_group, used, mask, inst, kind);
                }
                for &def in defs {
                    self.set_value(sub_group, def, mask, 0, None);
                }
            }
            Step::Exchange { given, lanes, defs } => {
                for &used in lanes {
                    self.use_value(sub_group, used, mask, inst, UseKind::Address);
                }
                for (&def, &value) in defs.iter().zip(given) {
                    let none = self.unset(sub_group, value) & mask == mask;
                    let origin = self.origin(sub_group, value);
                    let unset = if none { mask } else { 0 };
                    self.set_value(sub_group, def, mask, unset, origin);
                }
            }
            // These are told as accesses.
            Step::Load { .. } | Step::Store { .. } | Step::Atomic { .. } | Step::Copy { .. } => {}
            Step::Nothing => {}
        }
    }

    /// The lanes of `mask` that read something unset in `size` bytes at their
    /// addresses and `delta`, and the first such byte's offset.
    #[inline(always)]
    fn read(
        &mut self,
        event: &AccessEvent<'_>,
        home: Home,
        mask: u64,
        delta: u64,
        size: u64,
    ) -> Option<(u64, u64)> {
        let first = mask.trailing_zeros() as usize;
        let at = |lane: usize| pointer::offset(event.addresses[lane]) as u64 + delta;
        match home {
            Home::None => None,
            Home::Local { first: base } => {
                let whole = match event.shape {
                    AddressShape::Uniform => Some(size),
                    AddressShape::Strided(stride) if stride == size as i64 => {
                        let last = 63 - mask.leading_zeros() as usize;
                        Some((last - first + 1) as u64 * size)
                    }
                    _ => None,
                };
                if let Some(bytes) = whole
                    && self.state.local.all_set(base + at(first), bytes)
                {
                    return None;
                }
                let (mut lanes, mut place) = (0, 0);
                for lane in each_lane(mask) {
                    if !self.state.local.all_set(base + at(lane), size) {
                        if lanes == 0 {
                            let byte = self.state.local.first_unset(base + at(lane), size);
                            place = byte.unwrap_or(0).saturating_sub(base);
                        }
                        lanes |= 1 << lane;
                    }
                }
                (lanes != 0).then_some((lanes, place))
            }
            Home::Private {
                first: base, shift, ..
            } => {
                let private = &self.state.sub_groups[event.sub_group as usize].private;
                let cells = |offset: u64| {
                    let (start, end) = (offset >> shift, (offset + size - 1) >> shift);
                    (base as usize + start as usize, (end - start) as usize + 1)
                };
                let mut lanes = 0;
                if event.shape == AddressShape::Uniform {
                    let (cell, count) = cells(at(first));
                    lanes = private.unset(cell, count, mask);
                } else {
                    for lane in each_lane(mask) {
                        let (cell, count) = cells(at(lane));
                        lanes |= private.unset(cell, count, 1 << lane);
                    }
                }
                if lanes == 0 {
                    return None;
                }
                let lane = lanes.trailing_zeros();
                let (cell, count) = cells(at(lane as usize));
                let unset = private.first_unset(cell, count, lane).unwrap_or(cell);
                Some((lanes, ((unset - base as usize) as u64) << shift))
            }
        }
    }

    /// Marks bytes as set, or as not set for the lanes of `unset`.
    #[inline(always)]
    fn write(
        &mut self,
        event: &AccessEvent<'_>,
        home: Home,
        mask: u64,
        (delta, size): (u64, u64),
        unset: u64,
    ) {
        let first = mask.trailing_zeros() as usize;
        let at = |lane: usize| pointer::offset(event.addresses[lane]) as u64 + delta;
        match home {
            Home::None => {}
            Home::Local { first: base } => {
                let last = 63 - mask.leading_zeros() as usize;
                let adjacent = mask.count_ones() as usize == last - first + 1
                    && event.shape == AddressShape::Strided(size as i64);
                if adjacent && unset & mask == 0 {
                    let bytes = (last - first + 1) as u64 * size;
                    self.state.local.mark(base + at(first), bytes, true);
                    return;
                }
                for lane in each_lane(mask) {
                    let set = unset >> lane & 1 == 0;
                    self.state.local.mark(base + at(lane), size, set);
                }
            }
            Home::Private {
                first: base, shift, ..
            } => {
                let private = &mut self.state.sub_groups[event.sub_group as usize].private;
                let cells = |offset: u64| {
                    let (start, end) = (offset >> shift, (offset + size - 1) >> shift);
                    (base as usize + start as usize, (end - start) as usize + 1)
                };
                if event.shape == AddressShape::Uniform {
                    let (cell, count) = cells(at(first));
                    private.mark(cell, count, mask, unset);
                    return;
                }
                for lane in each_lane(mask) {
                    let (cell, count) = cells(at(lane));
                    private.mark(cell, count, 1 << lane, unset);
                }
            }
        }
    }
}

impl Watching<'_> {
    /// The copies on an edge: all are read before any is set.
    fn moves(&mut self, sub_group: u32, moves: &Moves, mask: u64) {
        let read: Vec<(u64, Option<InstId>)> = moves
            .iter()
            .map(|(_, arg)| (self.unset(sub_group, *arg), self.origin(sub_group, *arg)))
            .collect();
        for ((param, _), (unset, origin)) in moves.iter().zip(read) {
            self.set_value(sub_group, *param, mask, unset, origin);
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>, region: Region, home: Home, looks: bool) {
        let mask = event.mask & event.in_bounds;
        let sub_group = event.sub_group;
        let flow = self.flow;
        let elem = u64::from(event.access.elem.size());
        match (&flow.steps[event.inst.index()], event.kind) {
            (Step::Load { dst, ptr }, _) => {
                if looks {
                    self.use_value(sub_group, *ptr, event.mask, event.inst, UseKind::Address);
                    for &component in dst {
                        self.set_value(sub_group, component, event.mask, 0, None);
                    }
                }
                if mask == 0 {
                    return;
                }
                for (n, &component) in dst.iter().enumerate() {
                    let read = self.read(event, home, mask, n as u64 * elem, elem);
                    if let Some((lanes, byte)) = read {
                        let origin = match self.state.carried[usize::from(region.0)] {
                            Some(Carried::Value(origin)) => origin,
                            _ => event.inst,
                        };
                        self.state.origins[event.inst.index()].get_or_insert((region, byte));
                        self.set_value(sub_group, component, mask, lanes, Some(origin));
                    }
                }
            }
            (Step::Store { src, ptr }, _) => {
                if looks {
                    self.use_value(sub_group, *ptr, event.mask, event.inst, UseKind::Address);
                }
                if mask == 0 {
                    return;
                }
                for (n, value) in src.iter().enumerate() {
                    let Some(value) = *value else { continue };
                    let unset = if looks {
                        self.unset(sub_group, value) & mask
                    } else {
                        0
                    };
                    if home == Home::None {
                        if unset != 0 {
                            self.report(sub_group, value, unset, event.inst, UseKind::Output);
                        }
                        continue;
                    }
                    if unset != 0
                        && let Some(origin) = self.origin(sub_group, value)
                    {
                        let carried = &mut self.state.carried[usize::from(region.0)];
                        carried.get_or_insert(Carried::Value(origin));
                    }
                    self.write(event, home, mask, (n as u64 * elem, elem), unset);
                }
            }
            (
                Step::Atomic {
                    dst,
                    ptr,
                    operands,
                    reads,
                },
                _,
            ) => {
                for &used in operands.iter().chain([ptr]) {
                    self.use_value(sub_group, used, event.mask, event.inst, UseKind::Atomic);
                }
                if mask == 0 {
                    return;
                }
                if *reads && let Some((lanes, byte)) = self.read(event, home, mask, 0, elem) {
                    let place = Some((region, byte));
                    self.add(
                        sub_group,
                        lanes,
                        event.inst,
                        place,
                        event.inst,
                        UseKind::Atomic,
                    );
                }
                self.write(event, home, mask, (0, elem), 0);
                if let Some(dst) = *dst {
                    self.set_value(sub_group, dst, event.mask, 0, None);
                }
            }
            (Step::Copy { ptrs }, kind) => {
                let ptr = ptrs[usize::from(kind == AccessKind::Load)];
                self.use_value(sub_group, ptr, event.mask, event.inst, UseKind::Address);
                if mask != 0 {
                    self.copy(event, region, home, mask);
                }
            }
            (Step::AsyncCopy { .. }, _) if mask != 0 => self.copy(event, region, home, mask),
            _ => {}
        }
    }

    /// One half of a copy: keeps which bytes are unset, or writes them.
    fn copy(&mut self, event: &AccessEvent<'_>, region: Region, home: Home, mask: u64) {
        let bytes = u64::from(event.access.bytes);
        let index = event.sub_group as usize;
        if event.kind == AccessKind::Load {
            let mut copied = std::mem::take(&mut self.state.sub_groups[index].copied);
            copied.clear();
            copied.resize(bytes as usize, 0);
            for byte in 0..bytes {
                if let Some((lanes, place)) = self.read(event, home, mask, byte, 1) {
                    copied[byte as usize] = lanes;
                    self.state.origins[event.inst.index()].get_or_insert((region, place));
                }
            }
            let sub_group = &mut self.state.sub_groups[index];
            sub_group.copied = copied;
            sub_group.copied_from = event.inst.index() as u32;
            return;
        }
        let copied = std::mem::take(&mut self.state.sub_groups[index].copied);
        if home == Home::None {
            // Padding may be unset; what is unset as a whole is no padding.
            let lanes = copied.iter().fold(mask, |all, lanes| all & lanes);
            if lanes != 0 && !copied.is_empty() {
                let place = self.state.origins[event.inst.index()];
                let at = event.inst;
                self.add(event.sub_group, lanes, at, place, at, UseKind::Output);
            }
        } else {
            for (byte, &unset) in copied.iter().enumerate() {
                if unset & mask != 0 {
                    let carried = &mut self.state.carried[usize::from(region.0)];
                    carried.get_or_insert(Carried::Copy(event.inst));
                }
                self.write(event, home, mask, (byte as u64, 1), unset);
            }
        }
        self.state.sub_groups[index].copied = copied;
    }
}

impl Observer for UninitGroup {
    const INSTRUCTIONS: bool = true;
    const ACCESSES: bool = true;

    fn instruction(&mut self, sub_group: u32, inst: InstId, mask: u64) {
        if self.follows(sub_group) || self.flow.any_looks(inst, 1) {
            self.watching().look(sub_group, inst, mask);
        }
    }

    fn instructions(&mut self, sub_group: u32, first: InstId, count: u32, mask: u64) {
        if self.follows(sub_group) || self.flow.any_looks(first, count as usize) {
            let mut watching = self.watching();
            for n in 0..count as usize {
                watching.look(sub_group, InstId::new(first.index() + n), mask);
            }
        }
    }

    fn edge(&mut self, sub_group: u32, from: BlockId, to: BlockId, mask: u64) {
        let follows = self.follows(sub_group);
        if !follows && !self.flow.any_edge_looks {
            return;
        }
        let mut watching = self.watching();
        if let Some((moves, looks)) = watching.flow.edge(from, to)
            && (looks || follows)
        {
            watching.moves(sub_group, moves, mask);
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let Some(region) = event.region else {
            return;
        };
        let looks = self.follows(event.sub_group) || self.flow.any_looks(event.inst, 1);
        let home = self.flow.homes.get(usize::from(region.0)).copied();
        let home = home.unwrap_or(Home::None);
        // Where everything is set and nothing unset is about, nothing changes.
        let settled = || {
            let step = &self.flow.steps[event.inst.index()];
            self.state.local.is_full() && matches!(step, Step::Load { .. } | Step::Store { .. })
        };
        if !looks && matches!(home, Home::Local { .. }) && settled() {
            return;
        }
        // The writing half of a copy needs to know that the reading half found
        // nothing unset, also where that reads memory that is always set.
        let copies = || {
            let step = &self.flow.steps[event.inst.index()];
            matches!(step, Step::Copy { .. } | Step::AsyncCopy { .. })
        };
        if looks || home != Home::None || copies() {
            self.watching().access(event, region, home, looks);
        }
    }
}
