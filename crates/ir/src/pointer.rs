//! Tagged pointers: a region and a byte offset in 64 bits.
//!
//! The upper 16 bits name the region (a buffer, a `__local` or a private
//! variable), the lower 48 the offset plus [`BIAS`]. The bias keeps a pointer
//! that runs off the front of its buffer within its own region, so that
//! ordinary 64-bit additions and comparisons are pointer arithmetic, alignment
//! tests work on the raw bits, and an access outside is still charged to the
//! buffer it started from. Region 0 is the null region.

/// Offset 0 of a region, in the lower 48 bits. Far from both ends, and aligned
/// to every OpenCL type.
pub const BIAS: u64 = 1 << 46;

/// Number of offset bits.
pub const OFFSET_BITS: u32 = 48;

const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;

/// A region of memory: 0 is null, others are numbered by the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Region(pub u16);

impl Region {
    /// The null region: every access to it is out of bounds.
    pub const NULL: Region = Region(0);
}

/// The pointer to a byte offset of a region.
pub const fn pack(region: Region, offset: i64) -> u64 {
    ((region.0 as u64) << OFFSET_BITS) | ((BIAS.wrapping_add(offset as u64)) & OFFSET_MASK)
}

/// The region of a pointer.
pub const fn region(pointer: u64) -> Region {
    Region((pointer >> OFFSET_BITS) as u16)
}

/// The byte offset of a pointer in its region; negative in front of it.
pub const fn offset(pointer: u64) -> i64 {
    (pointer & OFFSET_MASK) as i64 - BIAS as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_stays_in_the_region() {
        let p = pack(Region(7), 16);
        for delta in [-4096i64, -17, -16, 0, 1, 1 << 40] {
            let q = p.wrapping_add(delta as u64);
            assert_eq!(region(q), Region(7));
            assert_eq!(offset(q), 16 + delta);
        }
        assert_eq!(region(0), Region::NULL);
    }
}
