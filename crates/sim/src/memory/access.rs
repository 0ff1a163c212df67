//! What is known of the addresses of one access before it is done: their
//! shape, their region, and which lanes stay inside.

use tilewise_ir::pointer::{BIAS, OFFSET_BITS, Region};

use crate::observer::AddressShape;

/// The addresses of one access of a sub-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub shape: AddressShape,
    /// The region of all active lanes, if it is one.
    pub region: Option<Region>,
    pub in_bounds: u64,
    /// Lowest and highest byte offset in the region, if it is one and all
    /// active lanes are in bounds.
    pub low: u64,
    pub high: u64,
    /// All offsets are multiples of 4.
    pub whole_words: bool,
}

/// Byte offset of a pointer in its region; enormous in front of it.
#[inline(always)]
pub(crate) fn offset(pointer: u64) -> u64 {
    (pointer & ((1 << OFFSET_BITS) - 1)).wrapping_sub(BIAS)
}

/// Number of a pointer's region.
#[inline(always)]
fn region_number(pointer: u64) -> usize {
    (pointer >> OFFSET_BITS) as usize
}

/// The region of a pointer; the null region where no such region exists, as
/// for a pointer made of bits that nothing has set.
#[inline(always)]
pub(crate) fn known_region(pointer: u64, lengths: &[u64]) -> Region {
    let number = region_number(pointer);
    if number < lengths.len() {
        Region(number as u16)
    } else {
        Region::NULL
    }
}

/// Whether `bytes` bytes at a pointer lie inside its region.
#[inline(always)]
pub(crate) fn inside(pointer: u64, bytes: u64, lengths: &[u64]) -> bool {
    let length = lengths.get(region_number(pointer)).copied().unwrap_or(0);
    bytes <= length && offset(pointer) <= length - bytes
}

/// What is known where all lanes of `mask` access one address.
#[inline(always)]
pub(crate) fn uniform(address: u64, mask: u64, bytes: u32, lengths: &[u64]) -> Plan {
    let inside = inside(address, u64::from(bytes), lengths);
    Plan {
        shape: AddressShape::Uniform,
        region: Some(known_region(address, lengths)),
        in_bounds: if inside { mask } else { 0 },
        low: offset(address),
        high: offset(address),
        whole_words: address & 3 == 0,
    }
}

/// What is known where nobody looks for a pattern.
pub(crate) fn lane_by_lane<const W: usize>(
    addresses: &[u64; W],
    mask: u64,
    bytes: u32,
    lengths: &[u64],
) -> Plan {
    let first = addresses[mask.trailing_zeros() as usize];
    let active = || crate::lanes::each_lane(mask).map(|l| addresses[l]);
    let one_region = active().all(|a| region_number(a) == region_number(first));
    Plan {
        shape: AddressShape::Scattered,
        region: one_region.then(|| known_region(first, lengths)),
        in_bounds: lanes_inside(addresses, mask, u64::from(bytes), lengths),
        low: active().map(offset).min().unwrap_or(0),
        high: active().map(offset).max().unwrap_or(0),
        whole_words: false,
    }
}

/// Looks at the addresses of the lanes of `mask`, which is not empty. Where
/// they are a progression, inactive lanes are set to go on with it. `row` is
/// the number of work-items in a row of the work-group.
#[inline(always)]
pub(crate) fn resolve<const W: usize>(
    addresses: &mut [u64; W],
    mask: u64,
    bytes: u32,
    row: usize,
    lengths: &[u64],
) -> Plan {
    let bytes = u64::from(bytes);
    let first = mask.trailing_zeros() as usize;
    let last = 63 - mask.leading_zeros() as usize;
    let shape = match progression(addresses, mask, first) {
        Some(0) => AddressShape::Uniform,
        Some(stride) => AddressShape::Strided(stride),
        None => rows(addresses, mask, row).unwrap_or(AddressShape::Scattered),
    };
    let ends = match shape {
        AddressShape::Uniform => Some(([first; 5], 0, 0)),
        AddressShape::Strided(stride) => Some(([first, last, first, first, first], stride, 0)),
        AddressShape::Rows {
            length,
            stride,
            pitch,
        } => {
            // The last row may be shorter than the one before.
            let (row, length) = (last / length as usize, length as usize);
            let corners = [0, length - 1, row * length - 1, row * length, last];
            Some((corners, stride, pitch))
        }
        AddressShape::Scattered => None,
    };
    if let Some((corners, stride, pitch)) = ends
        && let Some(plan) = within(
            corners.map(|lane| addresses[lane]),
            (shape, stride, pitch),
            mask,
            bytes,
            lengths,
        )
    {
        return plan;
    }
    // Regions are numbered below 2^15, so that addresses compare as signed
    // numbers, for which there are vector instructions.
    let start = addresses[first] as i64;
    let (mut low, mut high, mut bits) = (start, start, start);
    for (l, &a) in addresses.iter().enumerate() {
        let a = if mask >> l & 1 != 0 { a as i64 } else { start };
        low = if a < low { a } else { low };
        high = if a > high { a } else { high };
        bits |= a;
    }
    let (low, high) = (low as u64, high as u64);
    let one_region = region_number(low) == region_number(high);
    let all = one_region && inside(low, bytes, lengths) && inside(high, bytes, lengths);
    Plan {
        shape,
        region: one_region.then(|| known_region(low, lengths)),
        in_bounds: if all {
            mask
        } else {
            lanes_inside(addresses, mask, bytes, lengths)
        },
        low: offset(low),
        high: offset(high),
        whole_words: bits & 3 == 0,
    }
}

/// The plan of a progression, or of rows of one, that stays inside of one
/// region: where it ends says that, as long as its steps don't lead around the
/// address space.
#[inline(always)]
fn within(
    corners: [u64; 5],
    (shape, stride, pitch): (AddressShape, i64, i64),
    mask: u64,
    bytes: u64,
    lengths: &[u64],
) -> Option<Plan> {
    let most = 1 << (OFFSET_BITS - 8);
    let short = stride.unsigned_abs() < most && pitch.unsigned_abs() < most;
    let low = corners.into_iter().fold(corners[0], u64::min);
    let high = corners.into_iter().fold(corners[0], u64::max);
    let one_region = region_number(low) == region_number(high);
    let inside = one_region && inside(low, bytes, lengths) && inside(high, bytes, lengths);
    (short && inside).then(|| Plan {
        shape,
        region: Some(known_region(low, lengths)),
        in_bounds: mask,
        low: offset(low),
        high: offset(high),
        whole_words: (low | stride as u64 | pitch as u64) & 3 == 0,
    })
}

/// The stride of the active lanes' addresses, if they are a progression.
#[inline(always)]
fn progression<const W: usize>(addresses: &mut [u64; W], mask: u64, first: usize) -> Option<i64> {
    if mask == crate::lanes::first_lanes(W as u32) && W >= 8 {
        return whole_progression(addresses);
    }
    let rest = mask & (mask - 1);
    let stride = if rest == 0 {
        0
    } else {
        let second = rest.trailing_zeros() as usize;
        let step = addresses[second].wrapping_sub(addresses[first]) as i64;
        match second - first {
            1 => step,
            n if step % n as i64 == 0 => step / n as i64,
            _ => return None,
        }
    };
    let mut expected = [0u64; W];
    let mut at = addresses[first].wrapping_sub((first as u64).wrapping_mul(stride as u64));
    for e in &mut expected {
        *e = at;
        at = at.wrapping_add(stride as u64);
    }
    let mut wrong = 0;
    for (l, e) in expected.iter().enumerate() {
        let active = 0u64.wrapping_sub(mask >> l & 1);
        wrong |= (addresses[l] ^ *e) & active;
    }
    if wrong != 0 {
        return None;
    }
    *addresses = expected;
    Some(stride)
}

/// [`progression`] where all lanes are active: each address against that four
/// lanes before, which takes vector instructions.
#[inline(always)]
fn whole_progression<const W: usize>(addresses: &[u64; W]) -> Option<i64> {
    let stride = addresses[1].wrapping_sub(addresses[0]);
    let four = stride.wrapping_mul(4);
    let mut wrong = 0;
    for l in 1..3 {
        wrong |= addresses[l + 1].wrapping_sub(addresses[l]) ^ stride;
    }
    for l in 0..W - 4 {
        wrong |= addresses[l + 4].wrapping_sub(addresses[l]) ^ four;
    }
    (wrong == 0).then_some(stride as i64)
}

/// The shape of addresses that are the same progression in every row.
#[inline(always)]
fn rows<const W: usize>(addresses: &[u64; W], mask: u64, length: usize) -> Option<AddressShape> {
    let lanes = mask.trailing_ones() as usize;
    if lanes == W && length == 16 && W > 16 {
        return equal_rows::<16, W>(addresses);
    }
    if lanes == W && length == 8 && W > 8 {
        return equal_rows::<8, W>(addresses);
    }
    // More than a row, and no lane behind a gap.
    if length == 0 || lanes <= length || (lanes < 64 && mask >> lanes != 0) {
        return None;
    }
    let addresses = addresses.get(..lanes)?;
    let (first, rest) = addresses.split_at(length);
    let stride = match first {
        [a, b, ..] => b.wrapping_sub(*a),
        _ => 0,
    };
    let pitch = rest.first()?.wrapping_sub(*first.first()?);
    let mut wrong = 0;
    for (a, b) in first.iter().zip(&first[1..]) {
        wrong |= b.wrapping_sub(*a) ^ stride;
    }
    for (a, b) in addresses.iter().zip(rest) {
        wrong |= b.wrapping_sub(*a) ^ pitch;
    }
    (wrong == 0).then_some(AddressShape::Rows {
        length: length as u32,
        stride: stride as i64,
        pitch: pitch as i64,
    })
}

/// [`rows`] of `L` lanes, all active, with loops of a known length.
#[inline(always)]
fn equal_rows<const L: usize, const W: usize>(addresses: &[u64; W]) -> Option<AddressShape> {
    let stride = addresses[1].wrapping_sub(addresses[0]);
    let pitch = addresses[L].wrapping_sub(addresses[0]);
    let mut wrong = 0;
    for l in 1..3 {
        wrong |= addresses[l + 1].wrapping_sub(addresses[l]) ^ stride;
    }
    for l in 0..L - 4 {
        wrong |= addresses[l + 4].wrapping_sub(addresses[l]) ^ stride.wrapping_mul(4);
    }
    for l in 0..W - L {
        wrong |= addresses[l + L].wrapping_sub(addresses[l]) ^ pitch;
    }
    (wrong == 0).then_some(AddressShape::Rows {
        length: L as u32,
        stride: stride as i64,
        pitch: pitch as i64,
    })
}

#[inline(never)]
fn lanes_inside<const W: usize>(
    addresses: &[u64; W],
    mask: u64,
    bytes: u64,
    lengths: &[u64],
) -> u64 {
    let mut lanes = 0;
    for (l, &a) in addresses.iter().enumerate() {
        lanes |= u64::from(inside(a, bytes, lengths)) << l;
    }
    lanes & mask
}

#[cfg(test)]
mod tests {
    use tilewise_ir::pointer::pack;

    use super::*;

    #[test]
    fn shapes() {
        let lengths = [0, 100];
        let mut a: [u64; 32] = std::array::from_fn(|l| pack(Region(1), 4 * l as i64 - 4));
        let plan = resolve(&mut a, !0 >> 32, 4, 0, &lengths);
        assert_eq!(plan.shape, AddressShape::Strided(4));
        assert_eq!(plan.region, Some(Region(1)));
        // Offset -4 is in front, offsets from 100 on are behind.
        assert_eq!(plan.in_bounds, ((1 << 26) - 1) & !1);

        // Lanes 1 and 3 alone: a stride of 8 over two lanes is 4 a lane.
        a[2] = 0;
        let plan = resolve(&mut a, 0b1010, 4, 0, &lengths);
        assert_eq!(plan.shape, AddressShape::Strided(4));
        assert_eq!(a[2], pack(Region(1), 4), "inactive lanes go on with it");
        assert_eq!(plan.in_bounds, 0b1010);
        assert_eq!((plan.low, plan.high, plan.whole_words), (0, 8, true));

        a[3] = pack(Region(1), 1);
        let plan = resolve(&mut a, 0b1110, 4, 0, &lengths);
        assert_eq!(plan.shape, AddressShape::Scattered);
        assert!(!plan.whole_words);
        let mut a = [pack(Region(1), 96); 32];
        let plan = resolve(&mut a, 0xFF, 8, 0, &lengths);
        assert_eq!(plan.shape, AddressShape::Uniform);
        assert_eq!(plan.in_bounds, 0, "96 + 8 > 100");
        a[0] = 0;
        assert_eq!(resolve(&mut a, 3, 4, 0, &lengths).region, None);
        let mut wild = [0xFFF5_A5A5_FFF5_A5A5; 32];
        assert_eq!(
            resolve(&mut wild, 3, 4, 0, &lengths).region,
            Some(Region::NULL)
        );
    }

    #[test]
    fn rows_of_work_items() {
        let lengths = [0, 1 << 20];
        let at = |offset: i64| pack(Region(1), offset);
        let shape =
            |a: &[u64; 32], mask, row| resolve(&mut a.clone(), mask, 4, row, &lengths).shape;
        let all = !0 >> 32;
        let mut a: [u64; 32] = std::array::from_fn(|l| at((l / 16 * 400 + l % 16 * 4) as i64));
        let rows = AddressShape::Rows {
            length: 16,
            stride: 4,
            pitch: 400,
        };
        assert_eq!(shape(&a, all, 16), rows);
        assert_eq!(shape(&a, 0xFF_FFFF, 16), rows, "half of the second row");
        assert_eq!(shape(&a, all, 8), AddressShape::Scattered);
        assert_eq!(shape(&a, all & !1, 16), AddressShape::Scattered);
        assert_eq!(shape(&a, all & !(1 << 20), 16), AddressShape::Scattered);
        a[31] = at(0);
        assert_eq!(shape(&a, all, 16), AddressShape::Scattered);
        let a: [u64; 32] = std::array::from_fn(|l| at(4 * (l / 5) as i64));
        let rows = AddressShape::Rows {
            length: 5,
            stride: 0,
            pitch: 4,
        };
        assert_eq!(shape(&a, all, 5), rows);
    }
}
