//! What the machine tells whoever watches it.
//!
//! An [`Analysis`] lives as long as a run; it makes one [`Observer`] per
//! work-group, which is told of every sub-group instruction of that group and
//! is handed back when the group is done. Groups run in parallel, but are
//! handed back in linear order, so that results don't depend on the number of
//! threads. Observers are called once per sub-group instruction, not per
//! work-item, and statically: what an observer doesn't ask for costs nothing.

use tilewise_ir::pointer::Region;
use tilewise_ir::{BlockId, Fence, InstId, MemAccess, SiteId};

/// A work-group that is about to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupInfo {
    /// `get_group_id` by dimension.
    pub id: [u64; 3],
    /// Linear number of the group, first dimension fastest.
    pub linear: u64,
    /// Work-items by dimension (a remainder group has fewer).
    pub size: [u32; 3],
    /// `get_global_id` of the group's first work-item (with the offset).
    pub first_global_id: [u64; 3],
    /// Sub-groups in the group.
    pub sub_groups: u32,
    /// Lanes of a sub-group.
    pub width: u32,
}

impl GroupInfo {
    /// Local id of the work-item at a lane of a sub-group. Sub-groups are cut
    /// from the linear local id, first dimension fastest, as GPUs do.
    pub fn local_id(&self, sub_group: u32, lane: u32) -> [u32; 3] {
        let linear = sub_group * self.width + lane;
        let [x, y, _] = self.size;
        [linear % x, linear / x % y, linear / (x * y)]
    }
}

/// Kind of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes at once.
    Atomic,
}

/// The values that a store is about to write.
pub trait StoredValues: std::fmt::Debug {
    /// Bits of a component per lane, zero-extended, without meaning for lanes
    /// that don't store it; 0 for a component that is not stored.
    fn component(&self, component: usize, lanes: &mut [u64; 64]);
}

/// One memory instruction of one sub-group.
#[derive(Clone, Copy, Debug)]
pub struct AccessEvent<'a> {
    /// The instruction.
    pub inst: InstId,
    /// Its place in the source.
    pub site: SiteId,
    /// What it does. A copy of bytes is told as a load and a store.
    pub kind: AccessKind,
    /// What each lane touches. `access.space` is resolved: never generic.
    pub access: MemAccess,
    /// Components written, one bit each; all bits of a load.
    pub components: u16,
    /// The sub-group within its group.
    pub sub_group: u32,
    /// Active lanes, lane 0 in bit 0; never 0.
    pub mask: u64,
    /// Tagged address per lane ([`tilewise_ir::pointer`]); as long as the
    /// sub-group is wide, without meaning for inactive lanes.
    pub addresses: &'a [u64],
    /// What is known of the addresses without looking at each.
    pub shape: AddressShape,
    /// The region that all active lanes access, if it is one.
    pub region: Option<Region>,
    /// Lanes whose access lies wholly inside its region. Others are faults
    /// that the machine has already recorded; they read 0 and write nothing.
    pub in_bounds: u64,
    /// For an image function the number, from 0, of this event among those of
    /// its instruction: a linear filter touches up to eight texels per lane.
    /// Lanes that get the border colour touch nothing. `None` for loads, stores
    /// and atomics.
    pub image: Option<u8>,
    /// What a store writes; `None` for other kinds, and for copies of bytes.
    pub values: Option<&'a dyn StoredValues>,
}

/// What is known of the addresses of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressShape {
    /// All active lanes access the same address.
    Uniform,
    /// Lane `i` accesses `addresses[0] + i * stride`, for all active lanes
    /// (inactive lanes hold the same progression).
    Strided(i64),
    /// Lane `i` accesses `addresses[0] + i / length * pitch + i % length *
    /// stride`; the active lanes are those from lane 0 on, and they are more
    /// than one row. Work-groups that are narrower than a sub-group access a
    /// matrix so.
    Rows {
        /// Lanes of a row.
        length: u32,
        /// Bytes from lane to lane.
        stride: i64,
        /// Bytes from row to row.
        pitch: i64,
    },
    /// Anything.
    Scattered,
}

/// A barrier that all work-items of the group have reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierEvent {
    /// The instruction.
    pub inst: InstId,
    /// Its place in the source.
    pub site: SiteId,
    /// Which memory it orders.
    pub fence: Fence,
}

/// Watches one work-group.
pub trait Observer: Send {
    /// Ask for [`Observer::instruction`], [`Observer::instructions`] and
    /// [`Observer::edge`].
    const INSTRUCTIONS: bool = false;
    /// Ask for [`Observer::access`].
    const ACCESSES: bool = false;

    /// A sub-group runs an instruction or terminator with the active lanes of
    /// `mask`. Called before [`Observer::access`] for a memory instruction.
    fn instruction(&mut self, sub_group: u32, inst: InstId, mask: u64) {
        let _ = (sub_group, inst, mask);
    }

    /// A sub-group runs `count` instructions in a row, numbered from `first` on,
    /// that only compute. Told in place of [`Observer::instruction`], which is
    /// what it comes to unless an observer has a shorter way.
    fn instructions(&mut self, sub_group: u32, first: InstId, count: u32, mask: u64) {
        for n in 0..count as usize {
            self.instruction(sub_group, InstId::new(first.index() + n), mask);
        }
    }

    /// The lanes of `mask` take the edge between two blocks.
    fn edge(&mut self, sub_group: u32, from: BlockId, to: BlockId, mask: u64) {
        let _ = (sub_group, from, to, mask);
    }

    /// A sub-group accesses global, constant, local or private memory.
    /// Variables that live in registers are no memory.
    fn access(&mut self, event: &AccessEvent<'_>) {
        let _ = event;
    }

    /// All work-items of the group have reached a barrier; what each sub-group
    /// did before has been told, and what it does after has not.
    fn barrier(&mut self, event: &BarrierEvent) {
        let _ = event;
    }

    /// The running lanes of a sub-group pass a barrier of the sub-group.
    fn sub_group_barrier(&mut self, sub_group: u32, event: &BarrierEvent) {
        let _ = (sub_group, event);
    }

    /// The lanes of `mask` run a fence, which orders memory without waiting.
    fn fence(&mut self, sub_group: u32, mask: u64, fence: Fence) {
        let _ = (sub_group, mask, fence);
    }
}

/// Watches a run.
pub trait Analysis: Send + Sync {
    /// What watches one work-group.
    type Group: Observer;

    /// A group is about to run. May be called from several threads at once.
    fn begin(&self, group: &GroupInfo) -> Self::Group;

    /// A group is done. Called in the order of the groups' linear numbers.
    fn finish(&mut self, group: &GroupInfo, observer: Self::Group);
}

/// Watches nothing.
impl Observer for () {}

impl Analysis for () {
    type Group = ();

    fn begin(&self, _: &GroupInfo) {}

    fn finish(&mut self, _: &GroupInfo, (): ()) {}
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    const INSTRUCTIONS: bool = A::INSTRUCTIONS || B::INSTRUCTIONS;
    const ACCESSES: bool = A::ACCESSES || B::ACCESSES;

    fn instruction(&mut self, sub_group: u32, inst: InstId, mask: u64) {
        self.0.instruction(sub_group, inst, mask);
        self.1.instruction(sub_group, inst, mask);
    }

    fn instructions(&mut self, sub_group: u32, first: InstId, count: u32, mask: u64) {
        self.0.instructions(sub_group, first, count, mask);
        self.1.instructions(sub_group, first, count, mask);
    }

    fn edge(&mut self, sub_group: u32, from: BlockId, to: BlockId, mask: u64) {
        self.0.edge(sub_group, from, to, mask);
        self.1.edge(sub_group, from, to, mask);
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        self.0.access(event);
        self.1.access(event);
    }

    fn barrier(&mut self, event: &BarrierEvent) {
        self.0.barrier(event);
        self.1.barrier(event);
    }

    fn sub_group_barrier(&mut self, sub_group: u32, event: &BarrierEvent) {
        self.0.sub_group_barrier(sub_group, event);
        self.1.sub_group_barrier(sub_group, event);
    }

    fn fence(&mut self, sub_group: u32, mask: u64, fence: Fence) {
        self.0.fence(sub_group, mask, fence);
        self.1.fence(sub_group, mask, fence);
    }
}

impl<A: Analysis, B: Analysis> Analysis for (A, B) {
    type Group = (A::Group, B::Group);

    fn begin(&self, group: &GroupInfo) -> Self::Group {
        (self.0.begin(group), self.1.begin(group))
    }

    fn finish(&mut self, group: &GroupInfo, (a, b): Self::Group) {
        self.0.finish(group, a);
        self.1.finish(group, b);
    }
}

/// An observer that may be left out of a run, at the cost of a test per event: runs
/// with and without it share their code.
impl<O: Observer> Observer for Option<O> {
    const INSTRUCTIONS: bool = O::INSTRUCTIONS;
    const ACCESSES: bool = O::ACCESSES;

    fn instruction(&mut self, sub_group: u32, inst: InstId, mask: u64) {
        if let Some(observer) = self {
            observer.instruction(sub_group, inst, mask);
        }
    }

    fn instructions(&mut self, sub_group: u32, first: InstId, count: u32, mask: u64) {
        if let Some(observer) = self {
            observer.instructions(sub_group, first, count, mask);
        }
    }

    fn edge(&mut self, sub_group: u32, from: BlockId, to: BlockId, mask: u64) {
        if let Some(observer) = self {
            observer.edge(sub_group, from, to, mask);
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        if let Some(observer) = self {
            observer.access(event);
        }
    }

    fn barrier(&mut self, event: &BarrierEvent) {
        if let Some(observer) = self {
            observer.barrier(event);
        }
    }

    fn sub_group_barrier(&mut self, sub_group: u32, event: &BarrierEvent) {
        if let Some(observer) = self {
            observer.sub_group_barrier(sub_group, event);
        }
    }

    fn fence(&mut self, sub_group: u32, mask: u64, fence: Fence) {
        if let Some(observer) = self {
            observer.fence(sub_group, mask, fence);
        }
    }
}

/// An analysis that may be left out, likewise.
impl<A: Analysis> Analysis for Option<A> {
    type Group = Option<A::Group>;

    fn begin(&self, group: &GroupInfo) -> Self::Group {
        self.as_ref().map(|analysis| analysis.begin(group))
    }

    fn finish(&mut self, group: &GroupInfo, observer: Self::Group) {
        if let (Some(analysis), Some(observer)) = (self, observer) {
            analysis.finish(group, observer);
        }
    }
}

/// An analysis that somebody else keeps.
impl<A: Analysis> Analysis for &mut A {
    type Group = A::Group;

    fn begin(&self, group: &GroupInfo) -> Self::Group {
        A::begin(self, group)
    }

    fn finish(&mut self, group: &GroupInfo, observer: Self::Group) {
        A::finish(self, group, observer);
    }
}
