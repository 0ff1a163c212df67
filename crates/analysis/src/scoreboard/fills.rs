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
    /// When the sector arrives, if it is touched already; else it arrives at
    /// `arrival`.
    pub fn touch(&mut self, sector: u64, arrival: u64) -> Option<u64> {
        let (page, new) = self.index.find_or_add(sector >> PAGE_BITS);
        if new {
            self.pages.push([NEVER; SECTORS]);
        }
        let time = &mut self.pages[page][(sector as usize) % SECTORS];
        if *time == NEVER {
            *time = arrival;
            None
        } else {
            Some(*time)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Fills;

    #[test]
    fn the_first_touch_sets_the_time() {
        let mut fills = Fills::default();
        assert_eq!(fills.touch(70, 600), None);
        assert_eq!(fills.touch(70, 900), Some(600));
        assert_eq!(fills.touch(6, 0), None);
    }
}
