//! Which bytes of a group's local memory are set: a bit per byte.

/// The bits of one group's local memory.
#[derive(Clone, Debug, Default)]
pub(super) struct SetBytes {
    words: Vec<u64>,
    /// Bytes that are not set.
    left: u64,
}

impl SetBytes {
    /// Nothing is set of so many bytes, of which `used` are anybody's.
    pub fn reset(&mut self, bytes: u64, used: u64) {
        self.words.clear();
        self.words.resize(bytes.div_ceil(64) as usize, 0);
        self.left = used;
    }

    /// Whether everything is set.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.left == 0
    }

    /// Marks bytes as set or not.
    #[inline]
    pub fn mark(&mut self, first: u64, count: u64, set: bool) {
        let mut left = self.left;
        self.each(first, count, |word, bits| {
            if set {
                left -= u64::from((bits & !*word).count_ones());
                *word |= bits;
            } else {
                left += u64::from((bits & *word).count_ones());
                *word &= !bits;
            }
            true
        });
        self.left = left;
    }

    /// Whether all of some bytes are set.
    #[inline]
    pub fn all_set(&mut self, first: u64, count: u64) -> bool {
        self.each(first, count, |word, bits| *word & bits == bits)
    }

    /// The first byte of some that is not set.
    pub fn first_unset(&self, first: u64, count: u64) -> Option<u64> {
        (first..first + count).find(|b| self.words[(b / 64) as usize] >> (b % 64) & 1 == 0)
    }

    /// Calls `f` with each word of a range and the range's bits in it, until it
    /// says no; whether it never did.
    #[inline(always)]
    fn each(&mut self, first: u64, count: u64, mut f: impl FnMut(&mut u64, u64) -> bool) -> bool {
        let end = first + count;
        let mut at = first;
        while at < end {
            let bit = at % 64;
            let n = (64 - bit).min(end - at);
            let bits = (!0 >> (64 - n)) << bit;
            if !f(&mut self.words[(at / 64) as usize], bits) {
                return false;
            }
            at += n;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::SetBytes;

    #[test]
    fn ranges_across_words() {
        let mut bytes = SetBytes::default();
        bytes.reset(320, 300);
        bytes.mark(60, 140, true);
        assert!(bytes.all_set(60, 140));
        assert!(!bytes.all_set(59, 2));
        assert!(!bytes.all_set(199, 2));
        bytes.mark(128, 1, false);
        assert_eq!(bytes.first_unset(60, 140), Some(128));
        assert_eq!(bytes.first_unset(129, 71), None);
        assert!(!bytes.is_full());
        bytes.mark(0, 300, true);
        assert!(bytes.is_full());
        bytes.mark(7, 1, false);
        assert!(!bytes.is_full());
        bytes.reset(320, 300);
        assert!(!bytes.all_set(60, 1));
    }
}
