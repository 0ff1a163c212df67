//! Page numbers to dense indices, in the order in which pages come to be.

/// Marks a free entry of the hash table.
const FREE: u32 = u32::MAX;

/// A hash table of page numbers with open addressing, which remembers the page
/// that was used last.
#[derive(Clone, Debug, Default)]
pub struct PageIndex {
    numbers: Vec<u64>,
    /// Page number to index in `numbers`; a power of two long.
    table: Vec<u32>,
    last: usize,
}

impl PageIndex {
    /// The number of the page with this index.
    pub fn number(&self, index: usize) -> u64 {
        self.numbers[index]
    }

    /// Forgets all pages and keeps the memory.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.table.fill(FREE);
        self.last = 0;
    }

    /// Index of the page with this number, and whether it is new.
    #[inline]
    pub fn find_or_add(&mut self, number: u64) -> (usize, bool) {
        if self.numbers.get(self.last) == Some(&number) {
            return (self.last, false);
        }
        self.look_up(number)
    }

    /// [`PageIndex::find_or_add`] for a page that was not used last.
    fn look_up(&mut self, number: u64) -> (usize, bool) {
        if self.table.len() < 2 * (self.numbers.len() + 1) {
            self.grow();
        }
        let mut slot = self.home(number);
        let (index, new) = loop {
            match self.table[slot] {
                FREE => {
                    let index = self.numbers.len();
                    self.table[slot] = index as u32;
                    self.numbers.push(number);
                    break (index, true);
                }
                index if self.numbers[index as usize] == number => break (index as usize, false),
                _ => slot = (slot + 1) & (self.table.len() - 1),
            }
        };
        self.last = index;
        (index, new)
    }

    /// Where the search for a page number starts (Fibonacci hashing, Knuth,
    /// The Art of Computer Programming, volume 3, section 6.4).
    fn home(&self, number: u64) -> usize {
        let bits = self.table.len().ilog2();
        (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(8);
        self.table.clear();
        self.table.resize(size, FREE);
        for index in 0..self.numbers.len() {
            let mut slot = self.home(self.numbers[index]);
            while self.table[slot] != FREE {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = index as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PageIndex;

    #[test]
    fn numbers_keep_their_index_while_the_table_grows() {
        let mut index = PageIndex::default();
        for i in 0..1000u64 {
            assert_eq!(index.find_or_add(i * 4096), (i as usize, true));
        }
        for i in 0..1000u64 {
            assert_eq!(index.find_or_add(i * 4096), (i as usize, false));
            assert_eq!(index.number(i as usize), i * 4096);
        }
        index.clear();
        assert_eq!(index.find_or_add(7), (0, true));
    }
}
