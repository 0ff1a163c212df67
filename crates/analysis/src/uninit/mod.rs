//! Reads of local and private memory that nothing has set.
//!
//! Reading such memory is reported where it matters: where the value decides a
//! branch, serves as an address, or leaves the work-item through global memory,
//! an image, an atomic, or a work-group or sub-group function that combines it. A
//! copy carries it along, as a structure's unset member or the unset component of a
//! vector, and a component that nobody uses is no finding.
//!
//! Method: definedness as in Memcheck (J. Seward and N. Nethercote, USENIX 2005),
//! by component in place of by bit: a bit per byte of local memory, a lane mask
//! per cell of private memory, and a lane mask per value in registers, which is
//! followed from instruction to instruction only once a sub-group has read
//! something unset.
//!
//! What it misses: an unset value that a shuffle or broadcast hands over, unless no
//! lane of the sub-group has a set one; a selection between a set and an unset
//! value, which counts as set; unset members of a structure that is copied to
//! global memory as a whole. Integer arithmetic whose result does not depend on the
//! unset part counts as unset. Global memory is taken as set.

mod flow;
mod group;
mod local;
mod private;
mod result;

use std::sync::Arc;

use tilewise_ir::Kernel;
use tilewise_sim::{Analysis, GroupInfo, Regions};

use crate::idle::Idle;

pub use group::UninitGroup;
pub use result::{UninitRead, UseKind};

use flow::Flow;
use group::State;
use result::ReadList;

/// The check of one run.
#[derive(Debug)]
pub struct UninitAnalysis {
    flow: Arc<Flow>,
    idle: Idle<State>,
    found: ReadList,
}

impl UninitAnalysis {
    /// A check of a kernel.
    pub fn new(kernel: &Kernel, regions: &Regions) -> Self {
        Self {
            flow: Arc::new(Flow::new(kernel, regions)),
            idle: Idle::default(),
            found: ReadList::default(),
        }
    }

    /// What was found, in the order in which the groups' first cases came up.
    pub fn result(self) -> Vec<UninitRead> {
        self.found.reads
    }
}

impl Analysis for UninitAnalysis {
    type Group = UninitGroup;

    fn begin(&self, group: &GroupInfo) -> UninitGroup {
        let idle = self.idle.take();
        UninitGroup::new(self.flow.clone(), *group, idle.unwrap_or_default())
    }

    fn finish(&mut self, _: &GroupInfo, group: UninitGroup) {
        let (state, found) = group.finish();
        for read in found.reads {
            self.found.add(read);
        }
        self.idle.put(state);
    }
}
