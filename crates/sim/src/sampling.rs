//! Which work-groups stand for all of a launch.
//!
//! A stratified sample: groups at the edges of the NDRange do other work than
//! those inside (borders, guards, remainders), so each combination of first,
//! inner and last group per dimension is a stratum of its own. Small strata
//! run whole; of large ones a seeded spread runs, one group from each of `k`
//! equal stretches, with the ends taken as they are, since they are neighbours
//! of the edges. The number of groups depends on the number of dimensions
//! only, so that the cost of a sample is flat in the size of the problem.

use tilewise_launch::NdRange;
use tilewise_launch::split_mix::draw;

use crate::groups::GroupSet;

/// How to sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// A launch of up to so many groups runs whole.
    pub whole_up_to: u64,
    /// Groups taken from a stratum that is larger.
    pub per_stratum: u64,
    /// Seed of the spread.
    pub seed: u64,
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self {
            whole_up_to: 64,
            per_stratum: 8,
            seed: 0,
        }
    }
}

/// Groups of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stratum {
    /// Groups of the launch in it.
    pub size: u64,
    /// Groups of it in the sample.
    pub taken: u64,
}

impl Stratum {
    /// Groups of the launch that each sampled group stands for.
    pub fn weight(&self) -> f64 {
        self.size as f64 / self.taken as f64
    }

    /// Whether all its groups are in the sample.
    pub fn is_whole(&self) -> bool {
        self.size == self.taken
    }
}

/// A sampled group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SampledGroup {
    /// Linear number of the group.
    pub group: u64,
    /// Index of its stratum.
    pub stratum: usize,
}

/// A sample of the groups of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The groups, in ascending order.
    pub groups: Vec<SampledGroup>,
    /// The strata; together they hold every group of the launch once.
    pub strata: Vec<Stratum>,
}

impl Sample {
    /// Samples the groups of a launch.
    pub fn new(range: &NdRange, options: &SampleOptions) -> Self {
        let counts = range.groups();
        let take = if range.group_count() <= options.whole_up_to {
            u64::MAX
        } else {
            options.per_stratum.max(1)
        };
        let [xs, ys, zs] = counts.map(classes);
        let mut sample = Self {
            groups: Vec::new(),
            strata: Vec::new(),
        };
        for &z in &zs {
            for &y in &ys {
                for &x in &xs {
                    sample.add([x, y, z], counts, take, options.seed);
                }
            }
        }
        sample.groups.sort_unstable();
        sample
    }

    fn add(&mut self, spans: [(u64, u64); 3], counts: [u64; 3], take: u64, seed: u64) {
        let size: u64 = spans.iter().map(|(_, n)| n).product();
        let stratum = self.strata.len();
        let numbers = spread(size, take, seed ^ (stratum as u64) << 32);
        self.strata.push(Stratum {
            size,
            taken: numbers.len() as u64,
        });
        let [(x0, nx), (y0, ny), (z0, _)] = spans;
        for n in numbers {
            let [x, y, z] = [x0 + n % nx, y0 + n / nx % ny, z0 + n / (nx * ny)];
            self.groups.push(SampledGroup {
                group: (z * counts[1] + y) * counts[0] + x,
                stratum,
            });
        }
    }

    /// Whether every group of the launch is in the sample.
    pub fn is_whole(&self) -> bool {
        self.strata.iter().all(Stratum::is_whole)
    }

    /// The groups, to run.
    pub fn set(&self) -> GroupSet {
        if self.is_whole() {
            GroupSet::All
        } else {
            GroupSet::list(self.groups.iter().map(|g| g.group).collect())
        }
    }

    /// The stratum of a sampled group.
    pub fn stratum_of(&self, group: u64) -> Option<usize> {
        let at = self.groups.binary_search_by_key(&group, |g| g.group).ok()?;
        Some(self.groups[at].stratum)
    }
}

/// First, inner and last groups of a dimension: where they start, how many.
fn classes(n: u64) -> Vec<(u64, u64)> {
    match n {
        0 | 1 => vec![(0, n)],
        2 => vec![(0, 1), (1, 1)],
        _ => vec![(0, 1), (1, n - 2), (n - 1, 1)],
    }
}

/// Up to `take` numbers below `size`: the first, the last, and one from each
/// of the stretches between.
fn spread(size: u64, take: u64, seed: u64) -> Vec<u64> {
    if size <= take {
        return (0..size).collect();
    }
    let edge = |i: u64| (u128::from(size) * u128::from(i) / u128::from(take)) as u64;
    (0..take)
        .map(|i| match i {
            0 => 0,
            _ if i == take - 1 => size - 1,
            _ => {
                let (low, high) = (edge(i), edge(i + 1));
                low + draw(0, seed.wrapping_add(i)) % (high - low)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(groups: [u64; 3]) -> NdRange {
        NdRange {
            dims: 3,
            global: groups.map(|n| n * 8),
            offset: [0; 3],
            local: [8; 3],
        }
    }

    #[test]
    fn strata_hold_every_group_once() {
        for groups in [
            [1, 1, 1],
            [2, 1, 1],
            [65_536, 1, 1],
            [100, 70, 1],
            [9, 9, 9],
        ] {
            let range = range(groups);
            let sample = Sample::new(&range, &SampleOptions::default());
            let size: u64 = sample.strata.iter().map(|s| s.size).sum();
            assert_eq!(size, range.group_count());
            let weights: f64 = sample
                .groups
                .iter()
                .map(|g| sample.strata[g.stratum].weight())
                .sum();
            assert!((weights - size as f64).abs() < 1e-6 * size as f64);
            assert!(sample.groups.windows(2).all(|w| w[0].group < w[1].group));
            assert_eq!(sample.set().count(&range), sample.groups.len() as u64);
        }
    }

    #[test]
    fn edges_and_their_neighbours_are_in() {
        let sample = Sample::new(&range([1000, 1, 1]), &SampleOptions::default());
        for group in [0, 1, 998, 999] {
            assert!(sample.stratum_of(group).is_some(), "group {group}");
        }
        assert_eq!(sample.groups.len(), 10);
        assert!(!sample.is_whole());
        assert_eq!(sample.strata[0], Stratum { size: 1, taken: 1 });
    }

    #[test]
    fn the_cost_is_flat() {
        let small = Sample::new(&range([1 << 12, 1, 1]), &SampleOptions::default());
        let large = Sample::new(&range([1 << 40, 1, 1]), &SampleOptions::default());
        assert_eq!(small.groups.len(), large.groups.len());
        assert!(Sample::new(&range([64, 1, 1]), &SampleOptions::default()).is_whole());
    }
}
