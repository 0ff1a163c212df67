//! Memory that atomics hand from one work-item of a group to another, as by a lock.
//!
//! Method: happens-before by release and acquire (L. Lamport, "Time, clocks, and the
//! ordering of events in a distributed system", CACM 1978), looked up where two
//! accesses would race, instead of kept as a clock for each work-item: the one
//! work-item has made an atomic on some memory after its access, and the other has
//! looked at the result of an atomic on the same memory after that and before its
//! own. What it misses: chains through a third work-item and other memory, which look
//! like races; whether the fence stands where it should, and what the result was.

use std::collections::HashMap;

/// Atomics of a group that are remembered.
const MOST: usize = 1 << 18;

/// One atomic on one cell.
#[derive(Clone, Copy, Debug)]
struct Event {
    region: u16,
    cell: u64,
    /// The moment it begins: what is of an earlier moment comes before it.
    when: u32,
    /// Among all of the group.
    number: u32,
    acquires: bool,
}

/// The atomics of a group.
#[derive(Debug, Default)]
pub(super) struct Handed {
    by_item: HashMap<(u32, u32), Vec<Event>>,
    count: u32,
}

impl Handed {
    /// Notes an atomic by a work-item (sub-group, lane).
    pub fn note(
        &mut self,
        item: (u32, u32),
        (region, cell): (u16, u64),
        when: u32,
        acquires: bool,
    ) {
        if self.count as usize >= MOST {
            return;
        }
        self.by_item.entry(item).or_default().push(Event {
            region,
            cell,
            when,
            number: self.count,
            acquires,
        });
        self.count += 1;
    }

    /// Whether what one work-item did at a moment was handed to what another one did
    /// at a later one.
    pub fn ordered(&self, (from, then): ((u32, u32), u32), (to, now): ((u32, u32), u32)) -> bool {
        let of = |item| self.by_item.get(&item).map_or(&[][..], Vec::as_slice);
        let released = of(from).iter().filter(|e| e.when > then);
        released.into_iter().any(|release| {
            of(to).iter().any(|e| {
                e.acquires
                    && (e.region, e.cell) == (release.region, release.cell)
                    && e.number > release.number
                    && e.when <= now
            })
        })
    }
}
