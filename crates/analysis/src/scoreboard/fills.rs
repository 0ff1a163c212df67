//! When the sectors that a group has touched arrive in the L1.

use crate::touched::PageIndex;

/// Sectors of a page.
const SECTORS: usize = 64;
/// Logarithm of it.
const PAGE_BITS: u32 = SECTORS.ilog2();
/// Not touched yet.
const NEVER: u64 = u64::MAX;

/// Arrival time by sector.
#[derive(Debug, Default)]
pub struct Fills {
    index: PageIndex,
    pages: Vec<[u64; SECTORS]>,
}

impl Fills {
    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        if !self.pages.is_empty() {
            self.index.clear();
            self.pages.clear();
        }
    }

    /// When the last of some sectors arrives; those that are not touched yet
    /// arrive at `arrival`.
    pub fn touch(&mut self, first: u64, last: u64, arrival: u64) -> u64 {
        let (mut at, mut latest) = (first, 0);
        while at <= last {
            let number = at >> PAGE_BITS;
            let (page, new) = self.index.find_or_add(number);
            if new {
                self.pages.push([NEVER; SECTORS]);
            }
            let end = last.min((number << PAGE_BITS) + SECTORS as u64 - 1);
            let times = at as usize % SECTORS..=end as usize % SECTORS;
            for time in &mut self.pages[page][times] {
                if *time == NEVER {
                    *time = arrival;
                }
                latest = latest.max(*time);
            }
            at = end + 1;
        }
        latest
    }
}

#[cfg(test)]
mod tests {
    use super::Fills;

    #[test]
    fn the_first_touch_sets_the_time() {
        let mut fills = Fills::default();
        assert_eq!(fills.touch(70, 70, 600), 600);
        assert_eq!(fills.touch(70, 70, 900), 600);
        assert_eq!(fills.touch(6, 6, 0), 0);
        assert_eq!(fills.touch(60, 130, 500), 600, "across three pages");
        assert_eq!(fills.touch(129, 130, 900), 500);
        fills.clear();
        assert_eq!(fills.touch(70, 70, 7), 7);
    }
}
