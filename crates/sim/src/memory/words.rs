//! Memory as 4-byte words, and scalars of any size and alignment in it.

use crate::lanes::each_lane;

/// Words of one region. `lane` matters to private memory only.
pub(crate) trait Words {
    /// Every lane has words of its own.
    const PER_LANE: bool;

    fn get(&mut self, lane: usize, word: u64) -> u32;

    /// Sets the bits of a word that are ones in `bits`.
    fn set(&mut self, lane: usize, word: u64, value: u32, bits: u32);

    /// Adjacent words from `first` on.
    fn get_run(&mut self, lane: usize, first: u64, out: &mut [u32]) {
        for (i, w) in out.iter_mut().enumerate() {
            *w = self.get(lane, first + i as u64);
        }
    }

    /// `N` words from `first` on that lie `step` words apart, `step` being above 1 and
    /// small.
    #[inline(always)]
    fn get_apart<const N: usize>(&mut self, first: u64, step: usize, out: &mut [u32; N]) {
        for (i, w) in out.iter_mut().enumerate() {
            *w = self.get(0, first + (i * step) as u64);
        }
    }

    /// Sets words from `first` on that lie `step` words apart.
    #[inline(always)]
    fn set_apart<const N: usize>(&mut self, first: u64, step: usize, values: &[u32; N]) {
        for (i, &w) in values.iter().enumerate() {
            self.set(0, first + (i * step) as u64, w, !0);
        }
    }

    /// The words of the lanes of `mask`, at `byte(lane)`. Those bytes are
    /// multiples of 4 from `low` to `high`.
    #[inline(always)]
    fn gather<const W: usize>(
        &mut self,
        mask: u64,
        (low, high): (u64, u64),
        byte: impl Fn(usize) -> u64,
        out: &mut [u32; W],
    ) {
        let _ = (low, high);
        for lane in each_lane(mask) {
            out[lane] = self.get(lane, byte(lane) / 4);
        }
    }

    /// Sets adjacent words from `first` on.
    fn set_run(&mut self, lane: usize, first: u64, values: &[u32]) {
        for (i, &w) in values.iter().enumerate() {
            self.set(lane, first + i as u64, w, !0);
        }
    }
}

/// `size` bytes (1, 2, 4 or 8) at a byte offset.
#[inline(always)]
pub(crate) fn read_bits<S: Words>(words: &mut S, lane: usize, byte: u64, size: u32) -> u64 {
    let (word, at) = (byte / 4, (byte % 4) as u32);
    match size {
        4 if at == 0 => u64::from(words.get(lane, word)),
        8 if at == 0 => {
            u64::from(words.get(lane, word)) | u64::from(words.get(lane, word + 1)) << 32
        }
        _ if at + size <= 4 => {
            let bits = u64::from(words.get(lane, word)) >> (8 * at);
            bits & ((1 << (8 * size)) - 1)
        }
        // Across words: byte by byte.
        _ => (0..size).fold(0, |bits, i| {
            let byte = byte + u64::from(i);
            let word = words.get(lane, byte / 4);
            bits | u64::from(word >> (8 * (byte % 4)) & 0xFF) << (8 * i)
        }),
    }
}

/// Writes `size` bytes (1, 2, 4 or 8) at a byte offset.
#[inline(always)]
pub(crate) fn write_bits<S: Words>(words: &mut S, lane: usize, byte: u64, size: u32, bits: u64) {
    let (word, at) = (byte / 4, (byte % 4) as u32);
    match size {
        4 if at == 0 => words.set(lane, word, bits as u32, !0),
        8 if at == 0 => {
            words.set(lane, word, bits as u32, !0);
            words.set(lane, word + 1, (bits >> 32) as u32, !0);
        }
        _ if at + size <= 4 => {
            let mask = (((1u64 << (8 * size)) - 1) << (8 * at)) as u32;
            words.set(lane, word, (bits as u32) << (8 * at), mask);
        }
        _ => {
            for i in 0..size {
                let byte = byte + u64::from(i);
                let shift = 8 * (byte % 4) as u32;
                let value = ((bits >> (8 * i)) as u32 & 0xFF) << shift;
                words.set(lane, byte / 4, value, 0xFF << shift);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::LocalWords;

    #[test]
    fn any_size_and_alignment() {
        let mut memory = [0u32; 6];
        for size in [1u32, 2, 4, 8] {
            for byte in 0..9 {
                memory.fill(0xFFFF_FFFF);
                let value = 0x0123_4567_89AB_CDEF & (!0 >> (64 - 8 * size));
                write_bits(&mut LocalWords(&mut memory), 0, byte, size, value);
                assert_eq!(
                    read_bits(&mut LocalWords(&mut memory), 0, byte, size),
                    value
                );
                // The bytes around it are untouched.
                let bytes: Vec<u8> = memory.iter().flat_map(|w| w.to_le_bytes()).collect();
                for (i, b) in bytes.iter().enumerate() {
                    let inside = (byte as usize..byte as usize + size as usize).contains(&i);
                    assert!(inside || *b == 0xFF, "{size} bytes at {byte}: byte {i}");
                }
            }
        }
    }
}
