//! The part of affine values in which lanes differ.

use tilewise_ir::pointer::{Region, pack};

use crate::lanes::each_lane;
use crate::memory::{Plan, access::resolve, known_region, offset};
use crate::observer::AddressShape;

/// Factors of the local ids, by dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClassKey {
    pub lanes: [i64; 3],
    /// Factors within a number of 32 bits that is extended, and what that is
    /// multiplied by.
    pub widened: Option<([i64; 3], i64)>,
    /// It counts modulo 2^32.
    pub narrow: bool,
}

/// Lanes further apart than this are taken one by one.
const FAR: i64 = 1 << 40;

/// What the lanes of one sub-group add to an affine value, in groups of one size.
#[derive(Clone, Debug)]
pub(crate) struct LaneClass {
    lanes: [u64; 64],
    /// The part that is extended from 32 bits, before the extension.
    inner: [i32; 64],
    inner_ends: (i64, i64),
    /// Lowest and highest of the lanes, as signed numbers.
    low: i64,
    high: i64,
    /// Ones where lanes differ from the first one.
    bits: u64,
    /// The lanes that there are.
    mask: u64,
    /// `None` where they lie too far apart.
    shape: Option<AddressShape>,
}

impl LaneClass {
    /// For the lanes of `mask` with these local ids, in a group with rows of `row`
    /// work-items.
    pub fn new<const W: usize>(
        key: &ClassKey,
        local_ids: &[[u64; W]; 3],
        mask: u64,
        row: usize,
    ) -> Self {
        let sum = |factors: &[i64; 3], lane: usize| {
            let products = factors.iter().zip(local_ids);
            products.fold(0i64, |sum, (f, ids)| {
                sum.wrapping_add(f.wrapping_mul(ids[lane] as i64))
            })
        };
        let (mut lanes, mut inner) = ([0u64; 64], [0i32; 64]);
        for lane in 0..W.min(64) {
            let mut all = sum(&key.lanes, lane);
            if let Some((factors, scale)) = &key.widened {
                inner[lane] = sum(factors, lane) as i32;
                all = all.wrapping_add(i64::from(inner[lane]).wrapping_mul(*scale));
            }
            if key.narrow {
                all = i64::from(all as i32);
            }
            lanes[lane] = all as u64;
        }
        let ends = |of: &dyn Fn(usize) -> i64| {
            each_lane(mask)
                .map(of)
                .fold((i64::MAX, i64::MIN), |(l, h), n| (l.min(n), h.max(n)))
        };
        let (low, high) = ends(&|l| lanes[l] as i64);
        let mut class = Self {
            lanes,
            inner,
            inner_ends: ends(&|l| i64::from(inner[l])),
            low,
            high,
            bits: 0,
            mask,
            shape: None,
        };
        if mask != 0 && low > -FAR && high < FAR {
            class.find_shape::<W>(mask, row);
        }
        class
    }

    /// The shape of addresses that differ as the lanes do.
    fn find_shape<const W: usize>(&mut self, mask: u64, row: usize) {
        let start = pack(Region(1), FAR);
        let mut addresses: [u64; W] = std::array::from_fn(|l| start.wrapping_add(self.lanes[l]));
        let plan = resolve(&mut addresses, mask, 1, row, &[0, 4 * FAR as u64]);
        self.shape = Some(plan.shape);
        // Of a progression, lanes that are not there hold the rest.
        for (lane, address) in self.lanes.iter_mut().zip(addresses) {
            *lane = address.wrapping_sub(start);
        }
        let first = self.lanes[mask.trailing_zeros() as usize];
        self.bits = each_lane(mask).fold(0, |bits, l| bits | self.lanes[l].wrapping_sub(first));
    }

    #[inline(always)]
    pub fn lanes(&self) -> &[u64; 64] {
        &self.lanes
    }

    #[inline(always)]
    pub fn lane(&self, lane: usize) -> u64 {
        self.lanes[lane % 64]
    }

    #[inline(always)]
    pub fn inner(&self, lane: usize) -> i32 {
        self.inner[lane % 64]
    }

    /// Lowest and highest number that a lane adds before the extension.
    #[inline(always)]
    pub fn inner_ends(&self) -> (i64, i64) {
        self.inner_ends
    }

    /// Lowest and highest number that a lane adds.
    #[inline(always)]
    pub fn ends(&self) -> (i64, i64) {
        (self.low, self.high)
    }

    /// What is known of an access of the lanes of `mask`, which is not empty, at
    /// `base` plus the lanes' numbers, if it stays inside of one region.
    #[inline(always)]
    pub fn plan(&self, base: u64, mask: u64, bytes: u32, lengths: &[u64]) -> Option<Plan> {
        let shape = self.shape?;
        let lane = |l: u32| self.lanes[l as usize % 64] as i64;
        let first = lane(mask.trailing_zeros());
        let (low, high) = match shape {
            _ if mask == self.mask => (self.low, self.high),
            AddressShape::Uniform => (first, first),
            AddressShape::Strided(_) => {
                let last = lane(63 - mask.leading_zeros());
                (first.min(last), first.max(last))
            }
            AddressShape::Rows { .. } | AddressShape::Scattered => return None,
        };
        let [low, high] = [low, high].map(|n| base.wrapping_add(n as u64));
        let region = known_region(low, lengths);
        let length = *lengths.get(usize::from(region.0))?;
        let bytes = u64::from(bytes);
        // Numbers of regions stand above the offsets: neither end lies in another.
        let inside = known_region(high, lengths) == region
            && bytes <= length
            && offset(low) <= length - bytes
            && offset(high) <= length - bytes;
        inside.then(|| Plan {
            shape,
            region: Some(region),
            in_bounds: mask,
            low: offset(low),
            high: offset(high),
            whole_words: (base.wrapping_add(first as u64) | self.bits) & 3 == 0,
        })
    }
}
