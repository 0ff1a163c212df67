//! Moves the lanes of one component between registers and a region.

use super::access::{Plan, offset};
use super::words::{Words, read_bits, write_bits};
use crate::lanes::each_lane;
use crate::observer::AddressShape;

/// A register lane of 1, 2, 4 or 8 bytes.
pub(crate) trait Cell: Copy {
    const SIZE: u32;
    fn from_bits(bits: u64) -> Self;
    fn to_bits(self) -> u64;
    /// From its bytes in memory; there are `SIZE`.
    fn from_le(bytes: &[u8]) -> Self;
    /// The lanes as words, if they are words.
    fn words<const W: usize>(lanes: &[Self; W]) -> Option<&[u32; W]>;
    fn words_mut<const W: usize>(lanes: &mut [Self; W]) -> Option<&mut [u32; W]>;
}

macro_rules! cell {
    ($ty:ty, $words:expr, $words_mut:expr) => {
        impl Cell for $ty {
            const SIZE: u32 = <$ty>::BITS / 8;
            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                bits as $ty
            }
            #[inline(always)]
            fn to_bits(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            fn from_le(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or(0, |b| <$ty>::from_le_bytes(*b))
            }
            #[inline(always)]
            fn words<const W: usize>(lanes: &[Self; W]) -> Option<&[u32; W]> {
                $words(lanes)
            }
            #[inline(always)]
            fn words_mut<const W: usize>(lanes: &mut [Self; W]) -> Option<&mut [u32; W]> {
                $words_mut(lanes)
            }
        }
    };
}

cell!(u8, |_| None, |_| None);
cell!(u16, |_| None, |_| None);
cell!(u32, Some, Some);
cell!(u64, |_| None, |_| None);

/// Components of vectors lie up to 16 words of 8 bytes apart.
const MOST_APART: i64 = 128;

/// Loads the component at `delta` bytes into `lanes`. Lanes of `mask` that are
/// out of bounds read 0; lanes that are not in `mask` are left alone.
#[inline]
pub(crate) fn load<T: Cell, S: Words, const W: usize>(
    words: &mut S,
    addresses: &[u64; W],
    mask: u64,
    plan: &Plan,
    delta: u64,
    lanes: &mut [T; W],
) {
    let first = mask.trailing_zeros() as usize;
    if plan.in_bounds == mask && !S::PER_LANE {
        let byte = offset(addresses[first]) + delta;
        match plan.shape {
            AddressShape::Uniform => {
                let bits = T::from_bits(read_bits(words, first, byte, T::SIZE));
                if mask == crate::lanes::first_lanes(W as u32) {
                    *lanes = [bits; W];
                } else {
                    each_lane(mask).for_each(|l| lanes[l] = bits);
                }
                return;
            }
            AddressShape::Strided(4) if byte.is_multiple_of(4) => {
                if let Some(lanes) = T::words_mut(lanes) {
                    load_run(words, byte / 4, first, mask, lanes);
                    return;
                }
            }
            AddressShape::Rows { length, stride, .. }
                if plan.whole_words && delta.is_multiple_of(4) && (stride == 4 || stride == 0) =>
            {
                if let Some(lanes) = T::words_mut(lanes) {
                    let count = mask.count_ones() as usize;
                    let rows = lanes[..count].chunks_mut(length as usize);
                    for (row, lanes) in rows.enumerate() {
                        let word = (offset(addresses[row * length as usize]) + delta) / 4;
                        if stride == 4 {
                            words.get_run(0, word, lanes);
                        } else {
                            lanes.fill(words.get(0, word));
                        }
                    }
                    return;
                }
            }
            AddressShape::Strided(stride @ 8..=MOST_APART)
                if plan.whole_words
                    && stride % 4 == 0
                    && delta.is_multiple_of(4)
                    && mask == crate::lanes::first_lanes(W as u32) =>
            {
                if let Some(lanes) = T::words_mut(lanes) {
                    words.get_apart(byte / 4, stride as usize / 4, lanes);
                    return;
                }
            }
            AddressShape::Strided(stride)
                if stride == i64::from(T::SIZE) && byte.is_multiple_of(u64::from(T::SIZE)) =>
            {
                load_packed(words, byte, first, mask, lanes);
                return;
            }
            _ => {}
        }
    }
    if plan.in_bounds == mask && plan.whole_words && delta.is_multiple_of(4) {
        let (low, high) = (plan.low + delta, plan.high + delta);
        if let Some(lanes) = T::words_mut(lanes) {
            words.gather(
                mask,
                (low, high),
                |l| offset(addresses[l]).wrapping_add(delta),
                lanes,
            );
            return;
        }
    }
    for l in each_lane(mask) {
        lanes[l] = if plan.in_bounds >> l & 1 != 0 {
            T::from_bits(read_bits(words, l, offset(addresses[l]) + delta, T::SIZE))
        } else {
            T::from_bits(0)
        };
    }
}

/// Adjacent words for adjacent lanes.
#[inline(always)]
fn load_run<S: Words, const W: usize>(
    words: &mut S,
    word: u64,
    first: usize,
    mask: u64,
    lanes: &mut [u32; W],
) {
    let last = 63 - mask.leading_zeros() as usize;
    let whole = mask.count_ones() as usize == last - first + 1;
    if whole && first == 0 && last == W - 1 {
        words.get_run(0, word, &mut lanes[..]);
    } else if whole {
        words.get_run(0, word, &mut lanes[first..=last]);
    } else {
        let mut run = [0; W];
        words.get_run(0, word, &mut run[first..=last]);
        each_lane(mask).for_each(|l| lanes[l] = run[l]);
    }
}

/// Adjacent bytes, or pieces of 2 or 8, for adjacent lanes: their words are read
/// together.
fn load_packed<T: Cell, S: Words, const W: usize>(
    words: &mut S,
    byte: u64,
    first: usize,
    mask: u64,
    lanes: &mut [T; W],
) {
    let last = 63 - mask.leading_zeros() as usize;
    let at = (byte % 4) as usize;
    let count = (at + (last - first + 1) * T::SIZE as usize).div_ceil(4);
    // Pieces of 8 begin at a word, of smaller ones there is room to spare.
    let mut run = [[0u32; 2]; W];
    words.get_run(0, byte / 4, &mut run.as_flattened_mut()[..count]);
    let bytes = run.map(|pair| pair.map(u32::to_le_bytes));
    let bytes = bytes.as_flattened().as_flattened();
    let pieces = bytes[at..].chunks_exact(T::SIZE as usize);
    if mask == crate::lanes::first_lanes(W as u32) {
        for (lane, piece) in lanes.iter_mut().zip(pieces) {
            *lane = T::from_le(piece);
        }
        return;
    }
    for ((l, lane), piece) in lanes.iter_mut().enumerate().skip(first).zip(pieces) {
        *lane = if mask >> l & 1 != 0 {
            T::from_le(piece)
        } else {
            *lane
        };
    }
}

/// Stores `lanes` to the component at `delta` bytes, for the lanes of `mask`
/// that are in bounds, in lane order.
#[inline]
pub(crate) fn store<T: Cell, S: Words, const W: usize>(
    words: &mut S,
    addresses: &[u64; W],
    plan: &Plan,
    delta: u64,
    lanes: &[T; W],
) {
    let mask = plan.in_bounds;
    if mask == 0 {
        return;
    }
    let first = mask.trailing_zeros() as usize;
    let last = 63 - mask.leading_zeros() as usize;
    let whole = mask.count_ones() as usize == last - first + 1;
    let byte = offset(addresses[first]) + delta;
    if !S::PER_LANE
        && whole
        && plan.shape == AddressShape::Strided(4)
        && byte.is_multiple_of(4)
        && let Some(lanes) = T::words(lanes)
    {
        if first == 0 && last == W - 1 {
            words.set_run(0, byte / 4, &lanes[..]);
        } else {
            words.set_run(0, byte / 4, &lanes[first..=last]);
        }
        return;
    }
    if !S::PER_LANE
        && mask == crate::lanes::first_lanes(W as u32)
        && let AddressShape::Strided(stride @ 8..=MOST_APART) = plan.shape
        && stride % 4 == 0
        && plan.whole_words
        && delta.is_multiple_of(4)
        && let Some(lanes) = T::words(lanes)
    {
        words.set_apart(byte / 4, stride as usize / 4, lanes);
        return;
    }
    // All active lanes, that is: the rows begin with lane 0.
    if !S::PER_LANE
        && whole
        && first == 0
        && let AddressShape::Rows {
            length, stride: 4, ..
        } = plan.shape
        && plan.whole_words
        && delta.is_multiple_of(4)
        && let Some(lanes) = T::words(lanes)
    {
        for (row, lanes) in lanes[..=last].chunks(length as usize).enumerate() {
            let byte = offset(addresses[row * length as usize]) + delta;
            words.set_run(0, byte / 4, lanes);
        }
        return;
    }
    // Rows of single columns: what lies below one another is adjacent. The
    // columns lie apart, so that no lane writes what another does.
    if !S::PER_LANE
        && whole
        && first == 0
        && let AddressShape::Rows {
            length,
            stride,
            pitch: 4,
        } = plan.shape
        && plan.whole_words
        && delta.is_multiple_of(4)
        && let length = length as usize
        && (last + 1).is_multiple_of(length)
        && stride.unsigned_abs() >= 4 * ((last + 1) / length) as u64
        && let Some(lanes) = T::words(lanes)
    {
        let rows = (last + 1) / length;
        let mut run = [0; 64];
        for (column, address) in addresses[..length].iter().enumerate() {
            for (row, word) in run[..rows].iter_mut().enumerate() {
                *word = lanes[row * length + column];
            }
            words.set_run(0, (offset(*address) + delta) / 4, &run[..rows]);
        }
        return;
    }
    for l in each_lane(mask) {
        let byte = offset(addresses[l]) + delta;
        write_bits(words, l, byte, T::SIZE, lanes[l].to_bits());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tilewise_ir::pointer::{Region, pack};

    use super::super::LocalWords;
    use super::super::access::{lane_by_lane, resolve};
    use super::super::paged::{Contents, Paged};
    use super::*;

    const WORDS: usize = 2048;

    /// Loads and stores lanes that lie apart, or anywhere, in one step and one by one.
    fn check<S: Words>(words: &mut S, addresses: &[u64; 32], mask: u64, delta: u64) {
        let lengths = [0, 4 * WORDS as u64];
        let plans = |mut addresses: [u64; 32]| {
            let by_lane = lane_by_lane(&addresses, mask, 4, &lengths);
            (resolve(&mut addresses, mask, 4, 0, &lengths), by_lane)
        };
        let (plan, by_lane) = plans(*addresses);
        let (mut fast, mut slow) = ([7u32; 32], [7u32; 32]);
        load(words, addresses, mask, &plan, delta, &mut fast);
        load(words, addresses, mask, &by_lane, delta, &mut slow);
        assert_eq!(fast, slow, "{:?}", plan.shape);
        let mut everything = |plan: &Plan, values: &[u32; 32]| {
            store(words, addresses, plan, delta, values);
            (0..WORDS as u64)
                .map(|w| words.get(0, w))
                .collect::<Vec<_>>()
        };
        let values: [u32; 32] = std::array::from_fn(|l| 0x100 + l as u32);
        let after = everything(&plan, &values);
        everything(&by_lane, &values.map(|v| !v));
        let expected = everything(&by_lane, &values);
        assert_eq!(after, expected, "{:?}", plan.shape);
    }

    #[test]
    fn lanes_apart_are_as_lane_by_lane() {
        let bytes: Arc<[u8]> = (0..4 * WORDS as u32).map(|i| (i * 37 / 8) as u8).collect();
        let paged = Paged::new(4 * WORDS as u64, Contents::Bytes(bytes));
        let mut local: Vec<u32> = (0..WORDS as u32)
            .map(|i| i.wrapping_mul(0x0101_0307))
            .collect();
        let mut both = |addresses: &[u64; 32], mask, delta| {
            check(&mut LocalWords(&mut local), addresses, mask, delta);
            check(&mut paged.cursor(), addresses, mask, delta);
        };
        for mask in [0xFFFF_FFFF, 0x00F7_1230] {
            // Within a page, over the end of one, not on words, to the region's end.
            for first in [0, 64, 900, 1022, 4 * WORDS as i64 - 31 * 16 - 8] {
                for stride in [4, 8, 12, 16, 128, 132, -8] {
                    let at = |l| pack(Region(1), first + stride * l as i64);
                    let inside = |l| (0..=4 * WORDS as i64 - 8).contains(&(first + stride * l));
                    if inside(31) {
                        both(&std::array::from_fn(at), mask, 4);
                    }
                }
            }
            let scattered = |l: usize| pack(Region(1), 4 * (l as i64 * l as i64 * 7 % 61));
            both(&std::array::from_fn(scattered), mask, 4);
        }
    }

    /// Loads adjacent lanes of one size in one step and one by one.
    fn check_packed<T: Cell + Default + PartialEq + std::fmt::Debug, S: Words>(
        words: &mut S,
        byte: i64,
        mask: u64,
    ) {
        let size = i64::from(T::SIZE);
        let lengths = [0, 4 * WORDS as u64];
        let mut addresses = std::array::from_fn(|l| pack(Region(1), byte + size * l as i64));
        let by_lane = lane_by_lane(&addresses, mask, T::SIZE, &lengths);
        let plan = resolve(&mut addresses, mask, T::SIZE, 0, &lengths);
        let (mut fast, mut slow) = ([T::from_bits(7); 32], [T::from_bits(7); 32]);
        load(words, &addresses, mask, &plan, 0, &mut fast);
        load(words, &addresses, mask, &by_lane, 0, &mut slow);
        assert_eq!(fast, slow, "{size} bytes at {byte}, lanes {mask:x}");
    }

    #[test]
    fn adjacent_lanes_are_as_lane_by_lane() {
        let mut local: Vec<u32> = (0..WORDS as u32)
            .map(|i| i.wrapping_mul(0x0101_0307))
            .collect();
        let mut words = LocalWords(&mut local);
        for mask in [0xFFFF_FFFF, 0x00F7_1230, 0x8000_0000, 0x7FFF_FFFE] {
            for at in [0, 1, 2, 3, 5, 6, 7, 8, 16] {
                // From the region's start, and to its end.
                let ends = |size: i64| [at, (4 * WORDS as i64 - 32 * size - at) / size * size];
                for byte in ends(1) {
                    check_packed::<u8, _>(&mut words, byte, mask);
                }
                for byte in ends(2) {
                    check_packed::<u16, _>(&mut words, byte, mask);
                }
                for byte in ends(8) {
                    check_packed::<u64, _>(&mut words, byte, mask);
                }
            }
        }
    }
}
