//! Masks over the lanes of a sub-group: as a bit per lane for control flow,
//! as a byte per lane for blending.

/// All lanes below `count`.
pub(crate) const fn first_lanes(count: u32) -> u64 {
    if count >= 64 { !0 } else { (1 << count) - 1 }
}

/// The lanes of a mask in ascending order.
#[inline]
pub fn each_lane(mask: u64) -> impl Iterator<Item = usize> + Clone {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(lane)
    })
}

/// A byte per lane: all ones for the lanes of `mask`.
#[inline(always)]
pub(crate) fn expand<const W: usize>(mask: u64) -> [u8; W] {
    std::array::from_fn(|lane| 0u8.wrapping_sub((mask >> lane) as u8 & 1))
}

/// A bit per lane from truth values of one byte each (0 or 1).
///
/// Eight bytes at a time: the multiplication moves bit 0 of byte `i` to bit
/// `56 + i`, and no two products meet in one bit.
#[inline(always)]
pub(crate) fn pack<const W: usize>(bools: &[u8; W]) -> u64 {
    let (chunks, rest) = bools.as_chunks::<8>();
    let mut bits = 0;
    for (i, chunk) in chunks.iter().enumerate() {
        let eight = u64::from_le_bytes(*chunk).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= eight << (8 * i);
    }
    let first = chunks.len() * 8;
    for (i, &b) in rest.iter().enumerate() {
        bits |= u64::from(b) << (first + i);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_go_both_ways() {
        for mask in [0u64, 1, 0x8000_0000, 0xDEAD_BEEF, 0xFFFF_FFFF] {
            let bytes = expand::<32>(mask);
            assert_eq!(pack(&bytes.map(|b| b & 1)), mask);
        }
        let mask = 0x8123_4567_89AB_CDEF;
        assert_eq!(pack(&expand::<64>(mask).map(|b| b & 1)), mask);
        assert_eq!(pack(&[1u8]), 1);
        assert_eq!(each_lane(0b1010).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(first_lanes(64), !0);
        assert_eq!(first_lanes(3), 7);
    }
}
