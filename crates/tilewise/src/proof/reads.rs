//! What a launch reads of its buffers, byte by byte.

use tilewise_analysis::touched::PageSet;
use tilewise_ir::Space;
use tilewise_ir::pointer::{self, Region};
use tilewise_sim::{AccessEvent, AccessKind, Analysis, GroupInfo, Observer};

/// Bytes of global and constant memory that were read, by region.
#[derive(Default)]
pub struct Reads {
    sets: Vec<PageSet>,
}

impl Reads {
    /// Of one region; `None` where nothing of it was read.
    pub fn of(&self, region: Region) -> Option<&PageSet> {
        self.sets.get(usize::from(region.0))
    }

    fn at(&mut self, region: Region) -> &mut PageSet {
        let index = usize::from(region.0);
        if self.sets.len() <= index {
            self.sets.resize_with(index + 1, PageSet::default);
        }
        &mut self.sets[index]
    }
}

impl Observer for Reads {
    const ACCESSES: bool = true;

    fn access(&mut self, event: &AccessEvent<'_>) {
        let global = matches!(event.access.space, Space::Global | Space::Constant);
        if event.kind == AccessKind::Store || !global {
            return;
        }
        let mut lanes = event.mask & event.in_bounds;
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let Some(&address) = event.addresses.get(lane) else {
                continue;
            };
            if let Ok(first) = u64::try_from(pointer::offset(address)) {
                let end = first + u64::from(event.access.bytes);
                self.at(pointer::region(address)).insert_range(first, end);
            }
        }
    }
}

impl Analysis for Reads {
    type Group = Reads;

    fn begin(&self, _: &GroupInfo) -> Self::Group {
        Reads::default()
    }

    fn finish(&mut self, _: &GroupInfo, group: Self::Group) {
        for (index, set) in group.sets.iter().enumerate() {
            for (first, end) in set.runs() {
                self.at(Region(index as u16)).insert_range(first, end);
            }
        }
    }
}

/// The first byte of `after` in an element of which nothing is in `before`. (A tile
/// holds whole elements, where the kernel may read one member of a structure.)
pub fn first_beyond(before: &PageSet, after: &PageSet, element: u64) -> Option<u64> {
    let element = element.max(1);
    let whole =
        |(first, end): (u64, u64)| (first / element * element, end.div_ceil(element) * element);
    let before: Vec<(u64, u64)> = before.runs().into_iter().map(whole).collect();
    let after = after.runs();
    let mut known = before.iter().peekable();
    for &(first, end) in &after {
        let mut at = first;
        while at < end {
            while known.peek().is_some_and(|(_, stop)| *stop <= at) {
                known.next();
            }
            match known.peek() {
                Some((start, stop)) if *start <= at => at = *stop,
                _ => return Some(at),
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(runs: &[(u64, u64)]) -> PageSet {
        let mut set = PageSet::default();
        for &(first, end) in runs {
            set.insert_range(first, end);
        }
        set
    }

    #[test]
    fn what_is_read_beyond_is_found() {
        type Runs<'a> = &'a [(u64, u64)];
        let cases: [(Runs, Runs, u64, Option<u64>); 8] = [
            (&[], &[], 4, None),
            (&[(4, 12)], &[(4, 12)], 4, None),
            (&[(4, 8), (12, 16)], &[(4, 8), (14, 16)], 4, None),
            (&[(4, 8), (12, 16)], &[(4, 9)], 4, Some(8)),
            (&[(4, 8), (12, 16)], &[(0, 4)], 4, Some(0)),
            (&[(0, 600)], &[(512, 700)], 4, Some(600)),
            (&[(8, 12), (16, 20)], &[(8, 24)], 8, None),
            (&[(8, 12)], &[(8, 17)], 8, Some(16)),
        ];
        for (before, after, element, beyond) in cases {
            let found = first_beyond(&set(before), &set(after), element);
            assert_eq!(found, beyond, "{before:?} {after:?}");
        }
    }
}
