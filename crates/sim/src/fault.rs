//! What a kernel does wrong while it runs: found, recorded once per site, and
//! the run goes on where it can.

use tilewise_ir::pointer::Region;
use tilewise_ir::{InstId, SiteId};

use crate::observer::AccessKind;

/// Something wrong at one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong. Details are those of the first occurrence.
    pub kind: FaultKind,
    /// The instruction.
    pub inst: InstId,
    /// Its place in the source.
    pub site: SiteId,
    /// How many work-items it happened to, counted with every repetition.
    pub count: u64,
    /// Linear number of the first group it happened in.
    pub group: u64,
    /// `get_global_id` of the first work-item it happened to.
    pub work_item: [u64; 3],
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An access that is not wholly inside its buffer or variable. Reads give
    /// 0, writes vanish.
    OutOfBounds {
        /// The buffer or variable the pointer belongs to.
        region: Region,
        /// Byte offset of the access in it; negative in front of it.
        offset: i64,
        /// Bytes accessed.
        bytes: u32,
        /// How it is accessed.
        access: AccessKind,
        /// The address is computed from data that the kernel loaded.
        address_from_data: bool,
    },
    /// A read without a sampler, with one that does not say what lies outside,
    /// or a write, at coordinates outside of its image. Reads give the border
    /// colour, writes vanish.
    OutsideImage {
        /// The image.
        region: Region,
        /// The coordinates, the layer of an array behind those of its
        /// dimensions; as many as the image has of them mean something.
        coords: [i64; 4],
        /// How it is accessed.
        access: AccessKind,
        /// The coordinates are computed from data that the kernel loaded.
        address_from_data: bool,
    },
    /// An access of an element that an array within a structure does not have. It
    /// is made. Looked for on request
    /// ([`DecodeOptions::member_arrays`](crate::DecodeOptions::member_arrays)).
    OutsideMember {
        /// The buffer or variable that the structure lies in.
        region: Region,
        /// The element.
        index: i64,
        /// Elements of the array.
        elements: u64,
        /// How it is accessed.
        access: AccessKind,
    },
    /// A store or atomic to constant memory; it vanishes.
    ConstantWrite {
        /// The buffer or variable.
        region: Region,
    },
    /// An integer division or remainder by zero; the result is 0.
    DivisionByZero,
    /// A shift by at least the bits of the value that it shifts; it takes the count
    /// modulo those. Looked for on request
    /// ([`DecodeOptions::shift_counts`](crate::DecodeOptions::shift_counts)).
    ShiftCount {
        /// The count, as its bits. One that is wider than the value has been cut
        /// to that, one that is narrower extended.
        count: u64,
        /// Bits of the value: 8, 16, 32 or 64.
        bits: u32,
    },
    /// Not all work-items of a group reach a barrier together. The group ends.
    BarrierDivergence {
        /// Barriers where work-items wait.
        waiting: Vec<Waiting>,
        /// Work-items of the group that have returned.
        returned: u32,
        /// All wait at one barrier, but in different iterations of a loop.
        iterations_differ: bool,
    },
    /// Not all work-items of a sub-group reach a sub-group function together
    /// that all must reach. It is run for those that do.
    SubGroupDivergence {
        /// Work-items that reach it.
        active: u32,
        /// Work-items of the sub-group.
        of: u32,
    },
    /// The work-items of a group name different ones whose value
    /// `work_group_broadcast` is to give. That of the first one's is taken.
    BroadcastDivergence,
    /// Work-items wait, with an atomic or a volatile load in a loop, for memory
    /// that none of their group changes any more. The group ends.
    SpinWait,
    /// Some work-items of a sub-group make an asynchronous copy and others do
    /// not, or they make it with different arguments. The first work-item's
    /// count.
    AsyncCopyDivergence {
        /// It is the arguments that differ.
        arguments: bool,
    },
    /// A sub-group ran more instructions than the budget allows. The group
    /// ends. The site is that of the innermost loop's branch.
    Runaway {
        /// The budget, in instructions of a sub-group.
        budget: u64,
    },
    /// Control came where the compiler had proved it can't: what the kernel
    /// did before is undefined. The work-items end.
    Unreachable,
}

/// Work-items that wait at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The barrier.
    pub inst: InstId,
    /// Its place in the source.
    pub site: SiteId,
    /// How many work-items of the group wait there.
    pub work_items: u32,
}

/// Faults by site, in the order of their first occurrence.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultLog {
    faults: Vec<Fault>,
}

impl FaultLog {
    /// Adds a fault, or counts it where the same kind is known at its
    /// instruction.
    pub fn add(&mut self, fault: Fault) {
        let known = self.faults.iter_mut().find(|f| {
            f.inst == fault.inst
                && std::mem::discriminant(&f.kind) == std::mem::discriminant(&fault.kind)
                && region(&f.kind) == region(&fault.kind)
        });
        match known {
            Some(known) => known.count += fault.count,
            None => self.faults.push(fault),
        }
    }

    /// Adds the faults of a later group.
    pub fn append(&mut self, later: FaultLog) {
        for fault in later.faults {
            self.add(fault);
        }
    }

    /// Whether a group did not come to its end.
    pub fn has_runaway(&self) -> bool {
        let runaway = |f: &Fault| matches!(f.kind, FaultKind::Runaway { .. } | FaultKind::SpinWait);
        self.faults.iter().any(runaway)
    }

    pub fn into_faults(self) -> Vec<Fault> {
        self.faults
    }
}

fn region(kind: &FaultKind) -> Option<Region> {
    match kind {
        FaultKind::OutOfBounds { region, .. }
        | FaultKind::OutsideImage { region, .. }
        | FaultKind::OutsideMember { region, .. }
        | FaultKind::ConstantWrite { region } => Some(*region),
        _ => None,
    }
}
