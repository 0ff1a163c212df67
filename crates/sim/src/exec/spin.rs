//! Lanes that wait for memory to change: spin locks, flags.
//!
//! The machine gives every lane of a work-group its turn, as NVIDIA devices
//! since Volta do (CUDA C++ Programming Guide, "Independent Thread
//! Scheduling"). OpenCL promises less: on a device without that, a lock that
//! two lanes of one sub-group contend for never comes free. A lane that runs
//! [`PATIENCE`] atomics or volatile loads in a row, at one place and without
//! an effect, lets the others go on: those of its sub-group that wait for it
//! to meet them, then the other sub-groups. Groups run one after another, so
//! that memory which a later group is to set never changes.

use tilewise_ir::InstId;

use crate::decode::At;

/// Fruitless tries in a row before others get their turn.
const PATIENCE: u32 = 256;

/// Turns of all lanes in a row without any effect before a group counts as one
/// that waits forever. With [`PATIENCE`], so many tries are some ten thousand:
/// a loop that gives up after fewer ends by itself.
pub(super) const MOST_IDLE_ROUNDS: u32 = 128;

/// Fruitless tries of the lanes that run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tries {
    at: Option<(InstId, u64)>,
    count: u32,
}

impl Tries {
    /// Notes an atomic or volatile load of the lanes of `mask`; true where
    /// others should get their turn.
    pub fn note(&mut self, at: At, mask: u64, changed_memory: bool) -> bool {
        let here = (at.inst, mask);
        if changed_memory || self.at != Some(here) {
            self.at = (!changed_memory).then_some(here);
            self.count = 0;
            return false;
        }
        self.count += 1;
        self.count >= PATIENCE
    }
}
