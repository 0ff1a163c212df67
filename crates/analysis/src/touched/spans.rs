//! The bytes that one sub-group instruction touches in one region, as sorted
//! disjoint spans. Neighbouring lanes mostly join into one span, so that
//! everything after this step costs by the span and not by the lane.

use tilewise_ir::pointer::{self, Region};
use tilewise_sim::{AccessEvent, AddressShape};

/// Sorted disjoint byte spans of one region.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    spans: Vec<(u64, u64)>,
    unsorted: bool,
}

impl Spans {
    /// Takes the bytes `skip .. skip + bytes` of each lane of `mask`, as
    /// offsets within the lanes' common region. The lanes must be in bounds.
    pub fn collect(&mut self, event: &AccessEvent<'_>, mask: u64, skip: u32, bytes: u32) {
        self.spans.clear();
        self.unsorted = false;
        if mask == 0 || bytes == 0 {
            return;
        }
        let skip = u64::from(skip);
        let bytes = u64::from(bytes);
        let offset = |lane: u32| pointer::offset(event.addresses[lane as usize]) as u64 + skip;
        let first = mask.trailing_zeros();
        let last = 63 - mask.leading_zeros();
        match event.shape {
            AddressShape::Uniform => {
                let start = offset(first);
                self.push(start, start + bytes);
            }
            AddressShape::Strided(stride)
                if stride.unsigned_abs() <= bytes && mask.count_ones() == last - first + 1 =>
            {
                let (a, b) = (offset(first), offset(last));
                self.push(a.min(b), a.max(b) + bytes);
            }
            AddressShape::Rows { length, stride, .. }
                if stride.unsigned_abs() <= bytes && mask & mask.wrapping_add(1) == 0 =>
            {
                let mut lane = 0;
                while lane <= last {
                    let end = (lane + length - 1).min(last);
                    let (a, b) = (offset(lane), offset(end));
                    self.push(a.min(b), a.max(b) + bytes);
                    lane += length;
                }
            }
            // Rows that lie side by side: a span is a column of them.
            AddressShape::Rows {
                length,
                stride,
                pitch,
            } if pitch.unsigned_abs() <= bytes
                && mask & mask.wrapping_add(1) == 0
                && (last + 1).is_multiple_of(length) =>
            {
                for column in 0..length {
                    let lane = if stride < 0 {
                        length - 1 - column
                    } else {
                        column
                    };
                    let (a, b) = (offset(lane), offset(last + 1 - length + lane));
                    self.push(a.min(b), a.max(b) + bytes);
                }
            }
            AddressShape::Strided(stride) if stride < 0 => {
                let mut rest = mask;
                while rest != 0 {
                    let lane = 63 - rest.leading_zeros();
                    rest ^= 1 << lane;
                    let start = offset(lane);
                    self.push(start, start + bytes);
                }
            }
            AddressShape::Strided(_) | AddressShape::Rows { .. } | AddressShape::Scattered => {
                let mut rest = mask;
                while rest != 0 {
                    let start = offset(rest.trailing_zeros());
                    rest &= rest - 1;
                    self.push(start, start + bytes);
                }
            }
        }
        if self.unsorted {
            self.sort();
        }
    }

    /// The spans `[first, end)`, in order.
    pub fn as_slice(&self) -> &[(u64, u64)] {
        &self.spans
    }

    /// Number of aligned blocks of `1 << log2` bytes that are touched.
    pub fn blocks(&self, log2: u32) -> u64 {
        let mut count = 0;
        let mut next = 0;
        for &(start, end) in self.as_slice() {
            let first = (start >> log2).max(next);
            let after = ((end - 1) >> log2) + 1;
            if after > first {
                count += after - first;
                next = after;
            }
        }
        count
    }

    fn push(&mut self, start: u64, end: u64) {
        if let Some(last) = self.spans.last_mut() {
            if start >= last.0 && start <= last.1 {
                last.1 = last.1.max(end);
                return;
            }
            self.unsorted |= start <= last.1;
        }
        self.spans.push((start, end));
    }

    fn sort(&mut self) {
        self.spans.sort_unstable();
        self.spans.dedup_by(|(start, end), last| {
            let joins = *start <= last.1;
            if joins {
                last.1 = last.1.max(*end);
            }
            joins
        });
        self.unsorted = false;
    }
}

/// Calls `f` once per region that lanes of `mask` access, with those lanes.
pub fn for_each_region(event: &AccessEvent<'_>, mask: u64, mut f: impl FnMut(Region, u64)) {
    if let Some(region) = event.region {
        f(region, mask);
        return;
    }
    let mut rest = mask;
    while rest != 0 {
        let region = pointer::region(event.addresses[rest.trailing_zeros() as usize]);
        let mut lanes = 0;
        let mut look = rest;
        while look != 0 {
            let lane = look.trailing_zeros();
            look &= look - 1;
            if pointer::region(event.addresses[lane as usize]) == region {
                lanes |= 1 << lane;
            }
        }
        f(region, lanes);
        rest &= !lanes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewise_ir::{InstId, MemAccess, SiteId, Space, Ty};
    use tilewise_sim::AccessKind;

    fn event(addresses: &[u64], shape: AddressShape, mask: u64) -> AccessEvent<'_> {
        AccessEvent {
            inst: InstId::new(0),
            site: SiteId::new(0),
            kind: AccessKind::Load,
            access: MemAccess::scalar(Space::Global, Ty::F32),
            components: 1,
            sub_group: 0,
            mask,
            addresses,
            shape,
            region: None,
            in_bounds: mask,
            image: None,
            values: None,
        }
    }

    fn at(offsets: impl IntoIterator<Item = i64>) -> Vec<u64> {
        offsets
            .into_iter()
            .map(|o| pointer::pack(Region(1), o))
            .collect()
    }

    fn spans(addresses: &[u64], shape: AddressShape, mask: u64) -> Spans {
        let mut spans = Spans::default();
        spans.collect(&event(addresses, shape, mask), mask, 0, 4);
        spans
    }

    #[test]
    fn unit_stride_is_one_span() {
        let addresses = at((0..32).map(|i| 4 * i));
        let spans = spans(&addresses, AddressShape::Strided(4), u64::from(u32::MAX));
        assert_eq!(spans.as_slice(), [(0, 128)]);
        assert_eq!(spans.blocks(5), 4);
    }

    #[test]
    fn shapes_agree_with_scattered() {
        for stride in [-132, -8, -4, 4, 8, 36, 128] {
            for mask in [u64::from(u32::MAX), 0x0000_fff0, 0xa5a5_0f01] {
                let addresses = at((0..32).map(|i| 8192 + stride * i));
                let fast = spans(&addresses, AddressShape::Strided(stride), mask);
                let slow = spans(&addresses, AddressShape::Scattered, mask);
                assert_eq!(fast.as_slice(), slow.as_slice(), "{stride} {mask:x}");
            }
        }
    }

    #[test]
    fn rows_agree_with_scattered() {
        for (length, stride, pitch) in [
            (16, 4, 400),
            (16, 0, 400),
            (8, -4, -64),
            (5, 4, 20),
            (16, 12, 4),
            (16, 4, 8),
            (16, 400, 4),
            (8, -400, 4),
            (8, 400, -2),
        ] {
            let lane = |i: i64| 8192 + i / length * pitch + i % length * stride;
            let addresses = at((0..32).map(lane));
            let shape = AddressShape::Rows {
                length: length as u32,
                stride,
                pitch,
            };
            for mask in [u64::from(u32::MAX), 0x00ff_ffff, 0xa5a5_0f01] {
                let fast = spans(&addresses, shape, mask);
                let slow = spans(&addresses, AddressShape::Scattered, mask);
                assert_eq!(fast.as_slice(), slow.as_slice(), "{shape:?} {mask:x}");
            }
        }
    }

    #[test]
    fn scattered_lanes_are_sorted_and_joined() {
        let addresses = at([64, 0, 68, 4, 0, 66]);
        let spans = spans(&addresses, AddressShape::Scattered, 0x3f);
        assert_eq!(spans.as_slice(), [(0, 8), (64, 72)]);
        assert_eq!(spans.blocks(5), 2);
        assert_eq!(spans.blocks(7), 1);
    }

    #[test]
    fn lanes_are_parted_by_region() {
        let addresses = [
            pointer::pack(Region(1), 0),
            pointer::pack(Region(2), 0),
            pointer::pack(Region(1), 4),
        ];
        let event = event(&addresses, AddressShape::Scattered, 7);
        let mut seen = Vec::new();
        for_each_region(&event, 7, |region, lanes| seen.push((region.0, lanes)));
        assert_eq!(seen, [(1, 0b101), (2, 0b010)]);
    }
}
