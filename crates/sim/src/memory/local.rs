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
    fn get_apart<const N: usize>(&mut self, first: u64, step: usize, out: &mut [u32; N]) {
        let words = &self.0[first as usize..][..(N - 1) * step + 1];
        for (w, from) in out.iter_mut().zip(words.iter().step_by(step)) {
            *w = *from;
        }
    }

    #[inline(always)]
    fn set_apart<const N: usize>(&mut self, first: u64, step: usize, values: &[u32; N]) {
        let words = &mut self.0[first as usize..][..(N - 1) * step + 1];
        for (to, w) in words.iter_mut().step_by(step).zip(values) {
            *to = *w;
        }
    }

    #[inline(always)]
    fn gather<const W: usize>(
        &mut self,
        mask: u64,
        (low, high): (u64, u64),
        byte: impl Fn(usize) -> u64,
        out: &mut [u32; W],
    ) {
        let (low, high) = (low as usize / 4, high as usize / 4);
        let words = &self.0[low..=high];
        let whole = mask == crate::lanes::first_lanes(W as u32);
        for (lane, o) in out.iter_mut().enumerate() {
            // Of a lane that is not active any word will do.
            let at = (byte(lane) as usize / 4).wrapping_sub(low);
            let word = words[at.min(words.len() - 1)];
            *o = if whole || mask >> lane & 1 != 0 {
                word
            } else {
                *o
            };
        }
    }

    #[inline(always)]
    fn set_run(&mut self, _: usize, first: u64, values: &[u32]) {
        let first = first as usize;
        self.0[first..first + values.len()].copy_from_slice(values);
    }
}
