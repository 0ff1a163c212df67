//! What the check of uninitialised reads gives.

use tilewise_ir::InstId;
use tilewise_ir::pointer::Region;

/// Findings that are kept of a group, and of a run.
const MOST_READS: usize = 64;

/// What a value that nothing has set is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseKind {
    /// It decides where control goes.
    Branch,
    /// It is part of an address, or a copy's length.
    Address,
    /// It is written to global memory or to an image.
    Output,
    /// A work-group or sub-group function combines it with others' values.
    Group,
    /// It is an operand of an atomic, or what an atomic changes.
    Atomic,
}

/// A read of memory that nothing has set, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UninitRead {
    /// The instruction that reads; the one that uses the value where it was in
    /// no memory.
    pub inst: InstId,
    /// The memory and the byte offset of the first byte that is not set; `None`
    /// for a value that was in no memory.
    pub place: Option<(Region, u64)>,
    /// A copy of bytes that brought what is unset into that memory, if one did.
    pub carried_by: Option<InstId>,
    /// Where it is first used.
    pub used_at: InstId,
    /// What for.
    pub used_for: UseKind,
    /// Linear number of the group.
    pub group: u64,
    /// `get_global_id` of the first work-item.
    pub global_id: [u64; 3],
    /// How many work-items used such a value, counted with every repetition.
    pub count: u64,
}

/// Reads by instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadList {
    pub reads: Vec<UninitRead>,
}

impl ReadList {
    /// Adds a read, or counts it where its instruction is known.
    pub fn add(&mut self, read: UninitRead) {
        let same = |r: &&mut UninitRead| {
            r.inst == read.inst && r.place.map(|p| p.0) == read.place.map(|p| p.0)
        };
        let full = self.reads.len() >= MOST_READS;
        match self.reads.iter_mut().find(same) {
            Some(known) => known.count += read.count,
            None if full => {}
            None => self.reads.push(read),
        }
    }
}
