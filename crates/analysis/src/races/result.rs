//! What the race check gives.

use tilewise_ir::pointer::Region;
use tilewise_ir::{Fence, InstId, Space};
use tilewise_sim::AccessKind;

/// One side of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The instruction.
    pub inst: InstId,
    /// What it does.
    pub kind: AccessKind,
    /// Linear number of the work-item's group.
    pub group: u64,
    /// `get_global_id` of the work-item; without meaning for an asynchronous copy,
    /// which is no work-item's own.
    pub global_id: [u64; 3],
    /// `get_local_id` of the work-item.
    pub local_id: [u32; 3],
    /// Sub-group of the work-item within its group.
    pub sub_group: u32,
}

/// Two work-items that access the same memory, at least one of them writing,
/// with nothing that orders the two accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The memory.
    pub region: Region,
    /// Its address space: local or global.
    pub space: Space,
    /// Byte offset of the first byte that both access.
    pub offset: u64,
    /// The access that the simulator came to first. That says nothing of the
    /// order on a device.
    pub first: Side,
    /// The access that it came to second.
    pub second: Side,
    /// Both write, and the same value.
    pub same_value: bool,
    /// A barrier that the group passed between the two accesses, and which does
    /// not order this address space.
    pub barrier_between: Option<(InstId, Fence)>,
    /// How many memory locations raced at these two instructions, counted with
    /// every repetition.
    pub count: u64,
}

/// Everything that the check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Races {
    /// By pair of instructions, in the order in which the groups' first cases
    /// came up.
    pub races: Vec<Race>,
    /// Pairs that came up after the list was full.
    pub not_kept: u64,
    /// Accesses that may race, but whose group made too many atomics to tell whether
    /// these order them.
    pub not_followed: u64,
    /// Why the check could not watch this kernel, if it could not.
    pub unchecked: Option<String>,
}
