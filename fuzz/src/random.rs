//! Random numbers from a seed, and changes of bytes.

use tilewise_launch::SplitMix64;

/// A stream of random choices.
pub struct Random(SplitMix64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number from 0 to `end - 1`; 0 where `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % (end.max(1) as u64)) as usize
    }
}

/// Some bits flipped, bytes overwritten, removed or repeated, or the end
/// replaced by that of `other`.
pub fn change_bytes(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        let until = (at + 1 + random.below(16)).min(bytes.len());
        match random.below(6) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => {
                const INTERESTING: &[u8] = b"\0\x01\x7f\x80\xff09-+*/^<>()[]{}:,=\"'@.x \n";
                bytes[at] = INTERESTING[random.below(INTERESTING.len())];
            }
            2 if !bytes.is_empty() => drop(bytes.drain(at..until)),
            3 if !bytes.is_empty() => {
                let piece = bytes[at..until].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            4 => bytes.truncate(at),
            _ => {
                bytes.truncate(at);
                bytes.extend_from_slice(&other[random.below(other.len() + 1)..]);
            }
        }
    }
}
