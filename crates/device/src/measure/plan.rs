//! The figures of a measurement: order of a round, size of a batch, number of
//! buffer sets. Nothing here touches a device.

/// A batch is to take this many times the time below which a kernel is short,
/// so that its two ends weigh little.
const BATCH_FACTOR: u64 = 10;

/// A long kernel's batch is not to take much longer than this.
const LONGEST_BATCH_NS: u64 = 20_000_000;

/// Most launches in a batch: drivers keep an event for each.
const MOST_LAUNCHES: u64 = 1000;

/// Most buffer sets. Small buffers would need thousands to fill a cache, and
/// setting arguments would then cost more than the launch.
const MOST_SETS: u64 = 64;

/// The order in which round number `round` takes the `count` kernels: forth and
/// back by turns, beginning at another kernel every two rounds, so that with
/// three or more each stands everywhere.
pub(super) fn order(round: u32, count: usize) -> Vec<usize> {
    let first = (round as usize / 2) % count.max(1);
    let mut order: Vec<usize> = (0..count).map(|i| (first + i) % count).collect();
    if round % 2 == 1 {
        order.reverse();
    }
    order
}

/// Launches per sample of each kernel, given the time of one launch of each.
///
/// One launch if none is short. If one is, all run in batches: a batch's time
/// has the gaps between launches in it and a single launch's has not, so that
/// mixing the two would shift the ratio of kernels on both sides of the limit.
pub(super) fn batches(single_ns: &[u64], short_ns: u64) -> Vec<u32> {
    let shortest = single_ns.iter().copied().min().unwrap_or(u64::MAX).max(1);
    if shortest >= short_ns {
        return vec![1; single_ns.len()];
    }
    let wanted = (short_ns * BATCH_FACTOR)
        .div_ceil(shortest)
        .min(MOST_LAUNCHES);
    let of_one = |ns: &u64| {
        let affordable = (LONGEST_BATCH_NS / (*ns).max(1)).max(1);
        u32::try_from(wanted.min(affordable)).unwrap_or(1)
    };
    single_ns.iter().map(of_one).collect()
}

/// Number of buffer sets that makes `working_set` bytes exceed twice the cache,
/// as far as `room` bytes for further sets allow. 1: no rotation.
pub(super) fn sets(working_set: u64, last_cache: u64, room: u64) -> usize {
    let wanted = last_cache.saturating_mul(2);
    if working_set == 0 || working_set >= wanted {
        return 1;
    }
    let sets = wanted
        .div_ceil(working_set)
        .min(1 + room / working_set)
        .min(MOST_SETS);
    usize::try_from(sets).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_alternates() {
        assert_eq!(order(0, 2), [0, 1]);
        assert_eq!(order(1, 2), [1, 0]);
        let places: Vec<_> = (0..6)
            .filter_map(|r| order(r, 3).iter().position(|&k| k == 1))
            .collect();
        for place in 0..3 {
            assert_eq!(
                places.iter().filter(|&&p| p == place).count(),
                2,
                "{places:?}"
            );
        }
        assert_eq!(order(3, 1), [0]);
    }

    #[test]
    fn only_short_kernels_make_batches() {
        assert_eq!(batches(&[20_000, 50_000], 20_000), [1, 1]);
        assert_eq!(batches(&[2_000, 4_000], 20_000), [100, 100]);
        // The long one of a pair is launched as often as 20 ms allow.
        assert_eq!(batches(&[2_000, 5_000_000], 20_000), [100, 4]);
        assert_eq!(batches(&[0, 90_000_000], 20_000), [1000, 1]);
    }

    #[test]
    fn sets_fill_twice_the_cache_within_the_room() {
        let mib = 1 << 20;
        assert_eq!(sets(200 * mib, 60 * mib, 1 << 40), 1);
        assert_eq!(sets(50 * mib, 60 * mib, 1 << 40), 3);
        assert_eq!(sets(50 * mib, 60 * mib, 60 * mib), 2);
        assert_eq!(sets(1024, 60 * mib, 1 << 40), 64);
        assert_eq!(sets(0, 60 * mib, 1 << 40), 1);
        assert_eq!(sets(mib, 0, 1 << 40), 1);
    }
}
