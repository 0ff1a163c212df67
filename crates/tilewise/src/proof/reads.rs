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

/// The first byte of `after` that is not in `before`.
pub fn first_beyond(before: &PageSet, after: &PageSet) -> Option<u64> {
    let (before, after) = (before.runs(), after.runs());
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
        let cases: [(&[(u64, u64)], &[(u64, u64)], Option<u64>); 6] = [
            (&[], &[], None),
            (&[(4, 12)], &[(4, 12)], None),
            (&[(4, 8), (12, 16)], &[(4, 8), (14, 16)], None),
            (&[(4, 8), (12, 16)], &[(4, 9)], Some(8)),
            (&[(4, 8), (12, 16)], &[(0, 4)], Some(0)),
            (&[(0, 600)], &[(512, 700)], Some(600)),
        ];
        for (before, after, beyond) in cases {
            assert_eq!(
                first_beyond(&set(before), &set(after)),
                beyond,
                "{before:?} {after:?}"
            );
        }
    }
}
