//! Local memory: one array of words per work-group.

use super::words::Words;

/// What local and private memory holds before anything is written, so that a
/// read of it shows: as a float a NaN, as an integer a number far from zero.
pub(crate) const POISON: u32 = 0xFFF5_A5A5;

/// The words of one region in local memory.
pub(crate) struct LocalWords<'a>(pub &'a mut [u32]);

impl Words for LocalWords<'_> {
    const PER_LANE: bool = false;

    #[inline(always)]
    fn get(&mut self, _: usize, word: u64) -> u32 {
        self.0[word as usize]
    }

    #[inline(always)]
    fn set(&mut self, _: usize, word: u64, value: u32, bits: u32) {
        let w = &mut self.0[word as usize];
        *w = (*w & !bits) | (value & bits);
    }

    #[inline(always)]
    fn get_run(&mut self, _: usize, first: u64, out: &mut [u32]) {
        let first = first as usize;
        out.copy_from_slice(&self.0[first..first + out.len()]);
    }

    #[inline(always)]
    fn set_run(&mut self, _: usize, first: u64, values: &[u32]) {
        let first = first as usize;
        self.0[first..first + values.len()].copy_from_slice(values);
    }
}
