//! Which private memory of a sub-group's work-items is not set: a lane mask per
//! cell.

/// The lane masks of one sub-group.
#[derive(Clone, Debug, Default)]
pub(super) struct UnsetLanes {
    cells: Vec<u64>,
}

impl UnsetLanes {
    /// Takes the masks that a group starts with.
    pub fn reset(&mut self, start: &[u64]) {
        self.cells.clear();
        self.cells.extend_from_slice(start);
    }

    /// The lanes of `mask` for which one of some cells is not set.
    #[inline]
    pub fn unset(&self, first: usize, count: usize, mask: u64) -> u64 {
        let cells = self.cells[first..first + count].iter();
        cells.fold(0, |lanes, cell| lanes | cell) & mask
    }

    /// Marks cells as set for the lanes of `mask`, and not set for those of
    /// `unset`.
    #[inline]
    pub fn mark(&mut self, first: usize, count: usize, mask: u64, unset: u64) {
        for cell in &mut self.cells[first..first + count] {
            *cell = (*cell & !mask) | (unset & mask);
        }
    }

    /// The first of some cells that is not set for a lane.
    pub fn first_unset(&self, first: usize, count: usize, lane: u32) -> Option<usize> {
        (first..first + count).find(|&c| self.cells[c] >> lane & 1 != 0)
    }
}
