//! Which loop does not end.
//!
//! Where a sub-group has spent its budget, whatever inner loop it happens to be in
//! says little: the loop around it may be the one without end. So it runs on for an
//! eighth of the budget, and the loops that it leaves meanwhile are noted. To blame
//! is the innermost loop around it that it did not leave. An inner loop that takes
//! longer than that is blamed in the place of the one around it.

use tilewise_ir::BlockId;

use crate::decode::{At, EdgeCode, Prepared};

/// What a sub-group does beyond its budget.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// Instructions that it may still run.
    remaining: u64,
    /// By loop: whether it was left.
    left: Vec<bool>,
}

impl Watch {
    /// For a sub-group that has spent a budget.
    pub fn new(prepared: &Prepared, budget: u64) -> Self {
        Self {
            remaining: budget / 8,
            left: vec![false; prepared.loops.all().len()],
        }
    }

    /// Notes which loops an edge leaves, and tells whether there is anything
    /// left to spend.
    pub fn cross(&mut self, prepared: &Prepared, edge: &EdgeCode) -> bool {
        let loops = &prepared.loops;
        for index in loops.around(edge.from) {
            if !loops.all()[index].contains(edge.to) {
                self.left[index] = true;
            }
        }
        match self.remaining.checked_sub(u64::from(edge.cost)) {
            Some(remaining) => {
                self.remaining = remaining;
                true
            }
            None => false,
        }
    }

    /// The place of the loop that does not end, seen from an edge. `None` where no
    /// loop is around it: then the budget is smaller than the kernel.
    pub fn endless(&self, prepared: &Prepared, edge: &EdgeCode) -> Option<At> {
        let loops = &prepared.loops;
        let within = |block: BlockId| {
            let stays = loops.around(block).find(|&index| !self.left[index]);
            stays.or_else(|| loops.around(block).last())
        };
        let index = within(edge.to).or_else(|| within(edge.from))?;
        prepared.loop_sites.get(index).copied()
    }
}
