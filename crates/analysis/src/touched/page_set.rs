//! A set of non-negative integers as bitmaps in pages that come to be when
//! they are first touched.
//!
//! Accesses of neighbouring lanes are neighbouring integers, and an access
//! mostly falls into the page of the one before: such an insertion is a mask
//! and a population count. Another page costs one look-up ([`PageIndex`]).
//! Clearing keeps the memory for the next work-group.

use super::page_index::PageIndex;

/// 64-bit words of a page.
const WORDS: usize = 8;
/// Logarithm of the integers of a page.
const PAGE_BITS: u32 = 9;

/// A set of integers; see the module.
#[derive(Clone, Debug, Default)]
pub struct PageSet {
    pages: Vec<[u64; WORDS]>,
    index: PageIndex,
    len: u64,
}

impl PageSet {
    /// Number of integers in the set.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Empties the set and keeps its memory.
    pub fn clear(&mut self) {
        if self.pages.is_empty() {
            return;
        }
        self.pages.clear();
        self.index.clear();
        self.len = 0;
    }

    /// Adds the integers from `first` up to, not including, `end`. Returns how
    /// many of them are new.
    #[inline]
    pub fn insert_range(&mut self, first: u64, end: u64) -> u64 {
        if first < end && first >> 6 == (end - 1) >> 6 {
            let page = self.page(first >> PAGE_BITS);
            let word = &mut self.pages[page][(first >> 6) as usize % WORDS];
            let new = run_mask((first & 63) as u32, (end - first) as u32) & !*word;
            // Mostly nothing is new.
            if new == 0 {
                return 0;
            }
            *word |= new;
            let new = u64::from(new.count_ones());
            self.len += new;
            return new;
        }
        self.insert_words(first, end)
    }

    /// [`PageSet::insert_range`] over several words.
    fn insert_words(&mut self, first: u64, end: u64) -> u64 {
        let mut new = 0;
        let mut at = first;
        while at < end {
            let number = at >> PAGE_BITS;
            let page_end = (number + 1) << PAGE_BITS;
            let stop = end.min(page_end);
            let page = self.page(number);
            new += set_bits(
                &mut self.pages[page],
                (at & ((1 << PAGE_BITS) - 1)) as u32,
                (stop - at) as u32,
            );
            at = stop;
        }
        self.len += new;
        new
    }

    /// Number of aligned blocks of `1 << log2` integers with one of them in
    /// the set. `log2` is at most 9.
    pub fn blocks(&self, log2: u32) -> u64 {
        let log2 = log2.min(PAGE_BITS);
        self.pages.iter().map(|page| page_blocks(page, log2)).sum()
    }

    /// The maximal runs `[first, end)` of integers in the set, in order.
    pub fn runs(&self) -> Vec<(u64, u64)> {
        let mut order: Vec<usize> = (0..self.pages.len()).collect();
        order.sort_unstable_by_key(|&i| self.index.number(i));
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for i in order {
            for (w, &word) in self.pages[i].iter().enumerate() {
                let base = (self.index.number(i) << PAGE_BITS) + 64 * w as u64;
                let mut rest = word;
                while rest != 0 {
                    let start = rest.trailing_zeros();
                    let length = (rest >> start).trailing_ones();
                    let (first, end) = (
                        base + u64::from(start),
                        base + u64::from(start) + u64::from(length),
                    );
                    match runs.last_mut() {
                        Some(last) if last.1 == first => last.1 = end,
                        _ => runs.push((first, end)),
                    }
                    rest &= !run_mask(start, length);
                }
            }
        }
        runs
    }

    /// Index of the page with this number, which is added if it is new.
    #[inline]
    fn page(&mut self, number: u64) -> usize {
        let (page, new) = self.index.find_or_add(number);
        if new {
            self.pages.push([0; WORDS]);
        }
        page
    }
}

/// A word with `length` ones from bit `start` on; both within the word.
fn run_mask(start: u32, length: u32) -> u64 {
    if length == 0 {
        0
    } else {
        (u64::MAX >> (64 - length)) << start
    }
}

/// Sets `count` bits of a page from bit `first` on; returns how many were 0.
fn set_bits(page: &mut [u64; WORDS], first: u32, count: u32) -> u64 {
    let mut new = 0;
    let (mut at, end) = (first, first + count);
    while at < end {
        let start = at & 63;
        let length = (end - at).min(64 - start);
        let mask = run_mask(start, length);
        let word = &mut page[(at >> 6) as usize];
        if mask & !*word != 0 {
            new += u64::from((mask & !*word).count_ones());
            *word |= mask;
        }
        at += length;
    }
    new
}

/// Number of aligned blocks of `1 << log2` bits of a page that are not empty.
fn page_blocks(page: &[u64; WORDS], log2: u32) -> u64 {
    if log2 >= 6 {
        return page
            .chunks(1 << (log2 - 6))
            .filter(|words| words.iter().any(|&w| w != 0))
            .count() as u64;
    }
    // Fold each block onto its lowest bit.
    let lowest = u64::MAX / run_mask(0, 1 << log2);
    page.iter()
        .map(|&word| {
            let folded = (0..log2).fold(word, |w, step| w | (w >> (1 << step)));
            u64::from((folded & lowest).count_ones())
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn counts_what_is_new() {
        let mut set = PageSet::default();
        assert_eq!(set.insert_range(0, 32), 32);
        assert_eq!(set.insert_range(1, 33), 1);
        assert_eq!(set.insert_range(500, 1600), 1100);
        assert_eq!(set.insert_range(0, 1600), 467);
        assert_eq!(set.len(), 1600);
        assert_eq!(set.runs(), [(0, 1600)]);
        set.clear();
        assert!(set.is_empty());
        assert_eq!(set.insert_range(1, 2), 1);
    }

    #[test]
    fn blocks_are_counted_once() {
        let mut set = PageSet::default();
        set.insert_range(7, 9);
        set.insert_range(64, 65);
        set.insert_range(511, 513);
        assert_eq!(set.blocks(0), 5);
        assert_eq!(set.blocks(3), 5);
        assert_eq!(set.blocks(4), 4);
        assert_eq!(set.blocks(7), 3);
        assert_eq!(set.blocks(9), 2);
    }

    #[test]
    fn agrees_with_an_ordered_set() {
        let mut set = PageSet::default();
        let mut reference = BTreeSet::new();
        let mut state = 1u64;
        for _ in 0..3000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let first = (state >> 33) % 200_000;
            let end = first + (state >> 20) % 90;
            let before = reference.len() as u64;
            reference.extend(first..end);
            assert_eq!(
                set.insert_range(first, end),
                reference.len() as u64 - before
            );
        }
        assert_eq!(set.len(), reference.len() as u64);
        for log2 in 0..=9 {
            let blocks: BTreeSet<u64> = reference.iter().map(|v| v >> log2).collect();
            assert_eq!(set.blocks(log2), blocks.len() as u64);
        }
        let listed: Vec<u64> = set.runs().into_iter().flat_map(|(a, b)| a..b).collect();
        assert!(listed.iter().eq(reference.iter()));
    }
}
