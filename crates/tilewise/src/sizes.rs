//! A spread of awkward sizes for a launch: what is right at the given size may be
//! wrong at one, at a prime, or next to a multiple of the work-group.

use std::collections::HashSet;

use tilewise_ir::Space;
use tilewise_launch::{FreeSize, Launch, LaunchSpec, Resolved, Tie, name_and_step};

use crate::findings::is_unsafe;
use crate::load::Loaded;
use crate::written::Written;

/// Most work-items of a launch that is run whole on the simulator.
pub const MOST_WORK_ITEMS: u64 = 1 << 16;

/// Whether a kernel goes beyond its range at a size that is rounded up: outside
/// of its buffers, or, in the rows of a picture, over elements of other groups.
pub fn is_unguarded(ran: &Written) -> bool {
    let mut races = ran.checks.races.races.iter();
    ran.summary.faults.iter().any(is_unsafe)
        || races.any(|r| r.space == Space::Global && r.first.group != r.second.group)
}

/// Whether a size was changed that only a guess ties to the range.
pub fn guessed(loaded: &Loaded, sizes: &[(&str, u64)]) -> bool {
    let said = &loaded.resolved.spec().sizes;
    sizes.iter().any(|(name, _)| {
        let free = loaded.resolved.free_sizes.iter().find(|f| f.name == *name);
        free.is_some_and(|f| {
            f.ties
                .iter()
                .any(|t| matches!(t, Tie::GlobalLiteral { .. }))
                && !said.iter().any(|s| name_and_step(s).0 == *name)
        })
    })
}

/// Whether a kernel has to be right at these sizes: those of which the launch says
/// that the range follows them, and rounds it up itself where they are no multiple of
/// the group.
pub fn is_meant(loaded: &Loaded, sizes: &[(&str, u64)]) -> bool {
    let resolved = &loaded.resolved;
    let local = resolved.launch.range.local;
    let whole = |name: &str, value: u64| {
        let free = resolved.free_sizes.iter().find(|f| f.name == name);
        free.is_none_or(|f| {
            f.ties.iter().all(|t| match t {
                Tie::Global { dim } => value.is_multiple_of(local[*dim].max(1)),
                _ => true,
            })
        })
    };
    let fits = sizes.iter().all(|(name, value)| whole(name, *value));
    (fits || rounds_up(resolved.spec())) && !guessed(loaded, sizes)
}

/// Whether a launch says by itself that its range is rounded up.
fn rounds_up(spec: &LaunchSpec) -> bool {
    let global = spec.global.as_ref().map_or("", |g| g.text.as_str());
    global.contains("roundup") || global.contains("ceil_div")
}

/// The launch at other sizes; `None` where it can't be made.
pub fn resize(resolved: &Resolved, sizes: &[(&str, u64)]) -> Option<Launch> {
    resolved.with_sizes(sizes).ok().map(|r| r.launch)
}

/// Rows of values for sizes: one, primes, the group's extent and its neighbours,
/// mixed so that no two sizes are equal in most rows; each at least so large that it
/// is what it is always a multiple of.
pub fn rows(resolved: &Resolved, sizes: &[&FreeSize]) -> Vec<Vec<u64>> {
    let mut rows = values(resolved, sizes.len());
    for row in &mut rows {
        for (value, size) in row.iter_mut().zip(sizes) {
            *value = size.from(*value);
        }
    }
    let mut seen = HashSet::new();
    rows.retain(|row| seen.insert(row.clone()));
    rows
}

fn values(resolved: &Resolved, count: usize) -> Vec<Vec<u64>> {
    let local = resolved.launch.range.local;
    let extent = |i: usize| local[i.min(2)].max(1);
    let primes = [17, 37, 5, 23, 3, 11];
    let row = |f: &dyn Fn(usize) -> u64| (0..count).map(f).collect::<Vec<u64>>();
    let mut rows = vec![
        row(&|i| extent(i) + 1),
        row(&|_| 1),
        row(&|i| primes[i % primes.len()]),
        row(&|i| extent(i)),
        row(&|i| (extent(i)).saturating_sub(1).max(1)),
        row(&|i| 2 * extent(i) + 3 + i as u64),
        row(&|i| if i == 0 { 1 } else { primes[i % primes.len()] }),
        row(&|i| if i == 0 { 37 } else { 2 }),
        row(&|i| extent(i) * (2 + i as u64)),
        row(&|i| extent(i) * 4),
    ];
    if count == 1 {
        rows.extend([vec![2], vec![3], vec![1021], vec![4 * extent(0)]]);
        // One size is cheap: the larger ones say more.
        rows.swap(6, 10);
        rows.swap(7, 11);
    }
    rows
}
