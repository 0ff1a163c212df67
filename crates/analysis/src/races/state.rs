//! The cells of one work-group, used for one group after another.

use super::cells::{BLOCK_CELLS, Cells, PAGE_BITS, PAGE_CELLS, Pages};
use super::plan::{Plan, Watch};

/// Two accesses to a cell that nothing orders.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    /// Number of the cell in its region.
    pub cell: u64,
    /// Entry of the earlier access.
    pub earlier: u64,
    /// Entry of the later access.
    pub later: u64,
    /// Both wrote, and the same value.
    pub same_value: bool,
}

/// Cells, and where they are.
#[derive(Debug)]
pub(super) struct State {
    pub cells: Cells,
    pub pages: Pages,
    /// By region: the page used last and its first cell's index.
    last: Vec<(u64, usize)>,
    /// By page: a bit for each of its blocks that the group has touched.
    blocks: Vec<u16>,
    /// Index of the first page's first cell: local memory comes before.
    first_page: usize,
    /// The present: counts the barriers of all groups that used the state.
    pub now: u32,
    atomics: bool,
    /// Bits that tell work-items apart.
    item_bits: u64,
    pub conflicts: Vec<Conflict>,
    /// Room for the values of a store, by component.
    pub values: Vec<[u64; 64]>,
}

/// What one access does to cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// Entry of lane 0.
    pub me: u64,
    /// Entries below it are ordered before the access.
    pub limit: u64,
}

impl Touch {
    /// As the touch of another lane.
    pub fn of(self, lane: usize) -> Self {
        Self {
            me: self.me + lane as u64,
            ..self
        }
    }
}

impl State {
    pub fn new(plan: &Plan) -> Self {
        let mut cells = Cells::default();
        let first_page = plan.local_cells.next_multiple_of(PAGE_CELLS);
        cells.grow(first_page, plan.atomics);
        Self {
            cells,
            pages: Pages::new(plan.regions.len()),
            last: vec![(u64::MAX, 0); plan.regions.len()],
            blocks: Vec::new(),
            first_page,
            now: 0,
            atomics: plan.atomics,
            item_bits: plan.item_bits(),
            conflicts: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Begins a group: everything before is over. Returns the first moment.
    pub fn begin(&mut self) -> u32 {
        if self.now > u32::MAX / 2 {
            self.cells.clear();
            self.now = 0;
        }
        self.pages.release();
        self.last.fill((u64::MAX, 0));
        self.now += 1;
        self.now
    }

    /// Index of a region's cell, which is touched with those behind it: `count`
    /// cells of one page.
    #[inline(always)]
    pub fn index(&mut self, watch: Watch, region: u16, cell: u64, count: usize) -> usize {
        match watch {
            Watch::Local { first_cell } => first_cell as usize + cell as usize,
            Watch::Global | Watch::Not => {
                let page = cell >> PAGE_BITS;
                let (known, first) = self.last[usize::from(region)];
                let first = if known == page {
                    first
                } else {
                    self.enter(region, page)
                };
                let at = cell as usize % PAGE_CELLS;
                let (low, high) = (at / BLOCK_CELLS, (at + count - 1) / BLOCK_CELLS);
                let page = (first - self.first_page) / PAGE_CELLS;
                self.blocks[page] |= ((2u32 << high) - (1 << low)) as u16;
                first + at
            }
        }
    }

    fn enter(&mut self, region: u16, page: u64) -> usize {
        let (index, new) = self.pages.find(region, page);
        let first = self.page_cell(index);
        if new {
            if first + PAGE_CELLS > self.cells.len() {
                self.cells.grow(first + PAGE_CELLS, self.atomics);
            }
            if self.blocks.len() <= index as usize {
                self.blocks.resize(index as usize + 1, 0);
            }
            self.blocks[index as usize] = 0;
        }
        self.last[usize::from(region)] = (page, first);
        first
    }

    /// The blocks of a page that the group has touched, a bit for each.
    pub fn blocks(&self, page: u32) -> u16 {
        self.blocks[page as usize]
    }

    /// Index of a page's first cell.
    pub fn page_cell(&self, page: u32) -> usize {
        self.first_page + page as usize * PAGE_CELLS
    }

    /// Whether an entry is another work-item's, and not ordered before.
    #[inline(always)]
    fn races(&self, entry: u64, me: u64, limit: u64) -> bool {
        entry >= limit && (entry ^ me) & self.item_bits != 0
    }

    #[inline(always)]
    fn conflict(&mut self, cell: u64, earlier: u64, later: u64) {
        self.conflicts.push(Conflict {
            cell,
            earlier,
            later,
            same_value: false,
        });
    }

    /// A plain read of one cell.
    #[inline(always)]
    pub fn load(&mut self, at: usize, cell: u64, me: u64, limit: u64) {
        let write = self.cells.write[at];
        if self.races(write, me, limit) {
            self.conflict(cell, write, me);
        }
        let read = self.cells.read[at];
        if read < limit {
            self.cells.read[at] = me;
        } else if (read ^ me) & self.item_bits != 0 && self.cells.other_read[at] < limit {
            self.cells.other_read[at] = me;
        }
        if self.atomics {
            self.against_atomics(at, cell, me, limit);
        }
    }

    /// A plain write of one cell.
    #[inline(always)]
    pub fn store(&mut self, at: usize, cell: u64, me: u64, limit: u64, value: u32) {
        let write = self.cells.write[at];
        if self.races(write, me, limit) {
            let same_value = self.cells.value[at] == value;
            self.conflicts.push(Conflict {
                cell,
                earlier: write,
                later: me,
                same_value,
            });
        }
        self.against_reads(at, cell, me, limit);
        if self.atomics {
            self.against_atomics(at, cell, me, limit);
        }
        self.cells.write[at] = me;
        self.cells.value[at] = value;
    }

    /// An atomic on one cell; `reads_only` if it can't change it.
    pub fn atomic(&mut self, at: usize, cell: u64, me: u64, limit: u64, reads_only: bool) {
        let write = self.cells.write[at];
        if self.races(write, me, limit) {
            self.conflict(cell, write, me);
        }
        if reads_only {
            return;
        }
        self.against_reads(at, cell, me, limit);
        let atomic = self.cells.atomic[at];
        if atomic < limit {
            self.cells.atomic[at] = me;
        } else if (atomic ^ me) & self.item_bits != 0 && self.cells.other_atomic[at] < limit {
            self.cells.other_atomic[at] = me;
        }
    }

    #[inline(always)]
    fn against_reads(&mut self, at: usize, cell: u64, me: u64, limit: u64) {
        let (first, other) = (self.cells.read[at], self.cells.other_read[at]);
        if self.races(first, me, limit) {
            self.conflict(cell, first, me);
        } else if self.races(other, me, limit) {
            self.conflict(cell, other, me);
        }
    }

    #[inline(always)]
    fn against_atomics(&mut self, at: usize, cell: u64, me: u64, limit: u64) {
        let (first, other) = (self.cells.atomic[at], self.cells.other_atomic[at]);
        if self.races(first, me, limit) {
            self.conflict(cell, first, me);
        } else if self.races(other, me, limit) {
            self.conflict(cell, other, me);
        }
    }

    /// Whether something ordered after `limit` has written one of some cells,
    /// or updated it atomically.
    #[inline(always)]
    fn written(&self, at: usize, count: usize, limit: u64) -> bool {
        fresh(&self.cells.write[at..at + count], limit)
            || (self.atomics && fresh(&self.cells.atomic[at..at + count], limit))
    }

    /// Reads of adjacent cells by adjacent lanes, `each` cells a lane;
    /// `touch.me` is the first lane's.
    #[inline(always)]
    pub fn load_run(&mut self, at: usize, cell: u64, count: usize, each: usize, touch: Touch) {
        let Touch { me, limit } = touch;
        if !self.written(at, count, limit) {
            let cells = &mut self.cells;
            if !fresh(&cells.read[at..at + count], limit) {
                enter(&mut cells.read[at..at + count], each, me);
                return;
            }
            let others = &cells.other_read[at..at + count];
            if others.iter().fold(true, |all, &e| all & (e >= limit)) {
                return;
            }
        }
        for i in 0..count {
            self.load(at + i, cell + i as u64, me + (i / each) as u64, limit);
        }
    }

    /// Reads of the same cells by adjacent lanes; `touch.me` is the first
    /// lane's.
    #[inline(always)]
    pub fn load_same(&mut self, at: usize, cell: u64, count: usize, lanes: usize, touch: Touch) {
        let Touch { me, limit } = touch;
        // Of readers that nothing has written against, two are kept: the third
        // lane changes nothing.
        let lanes = if self.written(at, count, limit) {
            lanes
        } else {
            lanes.min(2)
        };
        for lane in 0..lanes as u64 {
            for i in 0..count {
                self.load(at + i, cell + i as u64, me + lane, limit);
            }
        }
    }

    /// Writes of adjacent cells by adjacent lanes, a cell for each component;
    /// `first` is the first lane.
    #[inline(always)]
    pub fn store_run(
        &mut self,
        at: usize,
        cell: u64,
        (first, lanes): (usize, usize),
        values: &[[u64; 64]],
        touch: Touch,
    ) {
        let Touch { me, limit } = touch;
        let each = values.len();
        let count = lanes * each;
        let touched =
            self.written(at, count, limit) || fresh(&self.cells.read[at..at + count], limit);
        if touched {
            for i in 0..count {
                let value = values[i % each][first + i / each] as u32;
                let me = me + (i / each) as u64;
                self.store(at + i, cell + i as u64, me, limit, value);
            }
            return;
        }
        enter(&mut self.cells.write[at..at + count], each, me);
        let cells = &mut self.cells.value[at..at + count];
        if let [values] = values {
            for (to, &value) in cells.iter_mut().zip(&values[first..first + lanes]) {
                *to = value as u32;
            }
        } else {
            for (lane, cells) in cells.chunks_mut(each).enumerate() {
                for (to, values) in cells.iter_mut().zip(values) {
                    *to = values[first + lane] as u32;
                }
            }
        }
    }
}

/// Whether one of some entries is not ordered before `limit`.
#[inline(always)]
fn fresh(entries: &[u64], limit: u64) -> bool {
    entries.iter().fold(false, |any, &e| any | (e >= limit))
}

/// Enters adjacent lanes, each in `each` cells.
#[inline(always)]
fn enter(entries: &mut [u64], each: usize, me: u64) {
    if each == 1 {
        for (lane, entry) in entries.iter_mut().enumerate() {
            *entry = me + lane as u64;
        }
    } else {
        for (lane, entries) in entries.chunks_mut(each).enumerate() {
            entries.fill(me + lane as u64);
        }
    }
}
