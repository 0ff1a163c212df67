//! Who accessed which memory last: a cell for every few bytes, in arrays by
//! kind of access.
//!
//! An entry is 64 bits: *when* in the upper half, *who* in the lower. Entries
//! are compared with a limit, below which they are ordered before the present,
//! so that nothing has to be cleared at a barrier or when a group ends.

/// Cells of a page.
pub(super) const PAGE_CELLS: usize = 1 << PAGE_BITS;
/// Bits of a cell's number within its page.
pub(super) const PAGE_BITS: u32 = 8;
/// Cells of a block, the part of a page that is looked at together when a
/// group is entered into the launch's cells: pages have 16.
pub(super) const BLOCK_CELLS: usize = PAGE_CELLS / 16;
/// Pages of a directory's leaf.
const LEAF_PAGES: usize = 512;
/// No page.
const NONE: u32 = u32::MAX;

/// The entries of many cells.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// The last plain write.
    pub write: Vec<u64>,
    /// The value of the last plain write.
    pub value: Vec<u32>,
    /// The first plain read since the limit.
    pub read: Vec<u64>,
    /// The first one since the limit by another work-item.
    pub other_read: Vec<u64>,
    /// The first atomic since the limit.
    pub atomic: Vec<u64>,
    /// The first one since the limit by another work-item.
    pub other_atomic: Vec<u64>,
}

impl Cells {
    /// Makes room for so many cells; atomics only where there are any.
    pub fn grow(&mut self, count: usize, atomics: bool) {
        self.write.resize(count, 0);
        self.value.resize(count, 0);
        self.read.resize(count, 0);
        self.other_read.resize(count, 0);
        if atomics {
            self.atomic.resize(count, 0);
            self.other_atomic.resize(count, 0);
        }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.write.len()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        let lists = [
            &mut self.write,
            &mut self.read,
            &mut self.other_read,
            &mut self.atomic,
            &mut self.other_atomic,
        ];
        for list in lists {
            list.fill(0);
        }
    }
}

/// A page in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InUse {
    pub region: u16,
    /// Number of the page in its region.
    pub page: u64,
    /// Number of the page among all.
    pub index: u32,
}

/// Finds the page of a region's cell: a two-level table per region.
#[derive(Debug)]
pub(super) struct Pages {
    regions: Vec<Vec<Option<Box<[u32; LEAF_PAGES]>>>>,
    in_use: Vec<InUse>,
    free: Vec<u32>,
    count: u32,
}

impl Pages {
    /// Tables for so many regions, without pages.
    pub fn new(regions: usize) -> Self {
        Self {
            regions: (0..regions).map(|_| Vec::new()).collect(),
            in_use: Vec::new(),
            free: Vec::new(),
            count: 0,
        }
    }

    /// The index of a page, and whether it has just come into use.
    #[inline]
    pub fn find(&mut self, region: u16, page: u64) -> (u32, bool) {
        let (leaf, at) = (page as usize / LEAF_PAGES, page as usize % LEAF_PAGES);
        let known = self.regions[usize::from(region)].get(leaf);
        match known.and_then(Option::as_ref) {
            Some(leaf) if leaf[at] != NONE => (leaf[at], false),
            _ => (self.take(region, page), true),
        }
    }

    #[cold]
    fn take(&mut self, region: u16, page: u64) -> u32 {
        let index = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        let (leaf, at) = (page as usize / LEAF_PAGES, page as usize % LEAF_PAGES);
        let leaves = &mut self.regions[usize::from(region)];
        if leaves.len() <= leaf {
            leaves.resize_with(leaf + 1, || None);
        }
        leaves[leaf].get_or_insert_with(|| Box::new([NONE; LEAF_PAGES]))[at] = index;
        self.in_use.push(InUse {
            region,
            page,
            index,
        });
        index
    }

    /// Number of pages that there have been at a time.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The pages in use, in the order in which they came.
    pub fn in_use(&self) -> &[InUse] {
        &self.in_use
    }

    /// Takes all pages out of use.
    pub fn release(&mut self) {
        for used in self.in_use.drain(..) {
            let (leaf, at) = (
                used.page as usize / LEAF_PAGES,
                used.page as usize % LEAF_PAGES,
            );
            if let Some(Some(leaf)) = self.regions[usize::from(used.region)].get_mut(leaf) {
                leaf[at] = NONE;
            }
            self.free.push(used.index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pages;

    #[test]
    fn pages_are_used_again() {
        let mut pages = Pages::new(2);
        assert_eq!(pages.find(1, 7), (0, true));
        assert_eq!(pages.find(1, 7), (0, false));
        assert_eq!(pages.find(0, 5000), (1, true));
        pages.release();
        assert!(pages.in_use().is_empty());
        assert_eq!(pages.find(1, 5000), (1, true));
        assert_eq!(pages.find(1, 7), (0, true));
        assert_eq!(pages.count(), 2);
    }
}
