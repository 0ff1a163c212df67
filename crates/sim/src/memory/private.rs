//! Private memory: word `n` of all lanes side by side, since lanes mostly
//! access the same index of their own arrays.

use super::words::Words;

/// The words of one region in the private memory of a sub-group.
pub(crate) struct PrivateWords<'a, const W: usize>(pub &'a mut [[u32; W]]);

impl<const W: usize> Words for PrivateWords<'_, W> {
    const PER_LANE: bool = true;

    #[inline(always)]
    fn get(&mut self, lane: usize, word: u64) -> u32 {
        self.0[word as usize][lane]
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, word: u64, value: u32, bits: u32) {
        let w = &mut self.0[word as usize][lane];
        *w = (*w & !bits) | (value & bits);
    }
}
