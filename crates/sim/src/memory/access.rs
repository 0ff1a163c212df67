//! What is known of the addresses of one access before it is done: their
//! shape, their region, and which lanes stay inside.

use tilewise_ir::pointer::{BIAS, OFFSET_BITS, Region, region};

use crate::lanes::each_lane;
use crate::observer::AddressShape;

/// The addresses of one access of a sub-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub shape: AddressShape,
    /// The region of all active lanes, if it is one.
    pub region: Option<Region>,
    pub in_bounds: u64,
}

/// Byte offset of a pointer in its region; enormous in front of it.
#[inline(always)]
pub(crate) fn offset(pointer: u64) -> u64 {
    (pointer & ((1 << OFFSET_BITS) - 1)).wrapping_sub(BIAS)
}

/// Whether `bytes` bytes at a pointer lie inside its region.
#[inline(always)]
pub(crate) fn inside(pointer: u64, bytes: u64, lengths: &[u64]) -> bool {
    let length = lengths
        .get(usize::from(region(pointer).0))
        .copied()
        .unwrap_or(0);
    bytes <= length && offset(pointer) <= length - bytes
}

/// Looks at the addresses of the lanes of `mask`, which is not empty. Where
/// they are a progression, inactive lanes are set to go on with it.
#[inline]
pub(crate) fn resolve<const W: usize>(
    addresses: &mut [u64; W],
    mask: u64,
    bytes: u32,
    lengths: &[u64],
) -> Plan {
    let bytes = u64::from(bytes);
    let first = mask.trailing_zeros() as usize;
    let last = 63 - mask.leading_zeros() as usize;
    if let Some(stride) = progression(addresses, mask, first) {
        let (a, b) = (addresses[first], addresses[last]);
        let one_region = region(a) == region(b);
        let in_bounds = if one_region && inside(a, bytes, lengths) && inside(b, bytes, lengths) {
            mask
        } else {
            lanes_inside(addresses, mask, bytes, lengths)
        };
        return Plan {
            shape: match stride {
                0 => AddressShape::Uniform,
                _ => AddressShape::Strided(stride),
            },
            region: one_region.then(|| region(a)),
            in_bounds,
        };
    }
    let own = region(addresses[first]);
    let same = each_lane(mask).all(|l| region(addresses[l]) == own);
    Plan {
        shape: AddressShape::Scattered,
        region: same.then_some(own),
        in_bounds: lanes_inside(addresses, mask, bytes, lengths),
    }
}

/// The stride of the active lanes' addresses, if they are a progression.
#[inline(always)]
fn progression<const W: usize>(addresses: &mut [u64; W], mask: u64, first: usize) -> Option<i64> {
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
    let base = addresses[first].wrapping_sub((first as u64).wrapping_mul(stride as u64));
    let mut expected = [0u64; W];
    let mut wrong = 0;
    for (l, e) in expected.iter_mut().enumerate() {
        *e = base.wrapping_add((l as u64).wrapping_mul(stride as u64));
        let active = 0u64.wrapping_sub(mask >> l & 1);
        wrong |= (addresses[l] ^ *e) & active;
    }
    if wrong != 0 {
        return None;
    }
    *addresses = expected;
    Some(stride)
}

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
        let plan = resolve(&mut a, !0 >> 32, 4, &lengths);
        assert_eq!(plan.shape, AddressShape::Strided(4));
        assert_eq!(plan.region, Some(Region(1)));
        // Offset -4 is in front, offsets from 100 on are behind.
        assert_eq!(plan.in_bounds, ((1 << 26) - 1) & !1);

        // Lanes 1 and 3 alone: a stride of 8 over two lanes is 4 a lane.
        a[2] = 0;
        let plan = resolve(&mut a, 0b1010, 4, &lengths);
        assert_eq!(plan.shape, AddressShape::Strided(4));
        assert_eq!(a[2], pack(Region(1), 4), "inactive lanes go on with it");
        assert_eq!(plan.in_bounds, 0b1010);

        a[3] = pack(Region(1), 0);
        assert_eq!(
            resolve(&mut a, 0b1110, 4, &lengths).shape,
            AddressShape::Scattered
        );
        let mut a = [pack(Region(1), 96); 32];
        let plan = resolve(&mut a, 0xFF, 8, &lengths);
        assert_eq!(plan.shape, AddressShape::Uniform);
        assert_eq!(plan.in_bounds, 0, "96 + 8 > 100");
        a[0] = 0;
        assert_eq!(resolve(&mut a, 3, 4, &lengths).region, None);
    }
}
