//! Totals over all work-groups from the figures of those that ran.

use super::plan::SamplePlan;

/// A total over all work-groups of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The total, or the best estimate of it.
    pub value: u64,
    /// Half the width of the 95 % interval; 0 where the total is exact.
    pub half_width: u64,
    /// Every group ran, or all samples of each stratum agree.
    pub exact: bool,
}

impl Estimate {
    /// A total that is known.
    pub const fn exact(value: u64) -> Self {
        Self {
            value,
            half_width: 0,
            exact: true,
        }
    }

    /// Lower end of the interval.
    pub fn low(&self) -> u64 {
        self.value.saturating_sub(self.half_width)
    }

    /// Upper end of the interval.
    pub fn high(&self) -> u64 {
        self.value.saturating_add(self.half_width)
    }

    /// The same figure in units that are `unit` times as large, rounded up.
    pub fn in_units_of(&self, unit: u64) -> Self {
        let unit = unit.max(1);
        Self {
            value: self.value.div_ceil(unit),
            half_width: self.half_width.div_ceil(unit),
            exact: self.exact,
        }
    }
}

/// Adds up figures by stratum: always the same number of figures per group.
#[derive(Clone, Debug)]
pub struct Accumulator {
    metrics: usize,
    strata: Vec<Stratum>,
}

/// Sums of one stratum. Deviations are taken from the first sample, so that
/// nothing cancels where samples lie close together.
#[derive(Clone, Debug, Default)]
struct Stratum {
    count: u64,
    first: Vec<u64>,
    sum: Vec<u64>,
    deviation: Vec<f64>,
    squares: Vec<f64>,
}

impl Accumulator {
    /// Nothing added yet; `metrics` figures per group.
    pub fn new(plan: &SamplePlan, metrics: usize) -> Self {
        Self {
            metrics,
            strata: vec![Stratum::default(); plan.stratum_sizes().len()],
        }
    }

    /// Number of groups added.
    pub fn groups(&self) -> u64 {
        self.strata.iter().map(|s| s.count).sum()
    }

    /// Adds the figures of a group of this stratum. Figures that are missing
    /// at the end count as 0.
    pub fn add(&mut self, stratum: usize, figures: &[u64]) {
        let metrics = self.metrics;
        let Some(s) = self.strata.get_mut(stratum) else {
            return;
        };
        if s.count == 0 {
            s.first = figures.to_vec();
            s.first.resize(metrics, 0);
            s.sum = vec![0; metrics];
            s.deviation = vec![0.0; metrics];
            s.squares = vec![0.0; metrics];
        }
        s.count += 1;
        if s.first == figures {
            s.sum.iter_mut().zip(figures).for_each(|(sum, y)| *sum += y);
            return;
        }
        for i in 0..metrics {
            let y = figures.get(i).copied().unwrap_or(0);
            s.sum[i] += y;
            // Groups mostly agree.
            if y != s.first[i] {
                let d = y.wrapping_sub(s.first[i]) as i64 as f64;
                s.deviation[i] += d;
                s.squares[i] += d * d;
            }
        }
    }

    /// The total of one figure over all groups of the plan.
    pub fn total(&self, plan: &SamplePlan, metric: usize) -> Estimate {
        let mut value = 0u64;
        let mut exact = true;
        let mut variance = 0.0;
        let mut freedom = 0.0;
        for (s, &size) in self.strata.iter().zip(plan.stratum_sizes()) {
            if size == 0 {
                continue;
            }
            if s.count == 0 {
                // A stratum that was to run and did not: nothing is known.
                exact = false;
                continue;
            }
            if s.count >= size {
                value += s.sum[metric];
                continue;
            }
            if s.squares[metric] == 0.0 {
                value += s.first[metric].saturating_mul(size);
                continue;
            }
            exact = false;
            let n = s.count as f64;
            let all = size as f64;
            value += (s.sum[metric] as f64 / n * all).round() as u64;
            if s.count > 1 {
                let squares = s.squares[metric] - s.deviation[metric].powi(2) / n;
                let within = squares.max(0.0) / (n - 1.0);
                let term = all * (all - n) * within / n;
                variance += term;
                freedom += term * term / (n - 1.0);
            }
        }
        let half_width = if variance > 0.0 {
            (student_975(variance * variance / freedom) * variance.sqrt()).ceil() as u64
        } else {
            0
        };
        Estimate {
            value,
            half_width,
            exact,
        }
    }
}

/// The 97.5 % quantile of Student's t distribution: exact for 1 and 2 degrees
/// of freedom, else by the expansion in Abramowitz and Stegun, *Handbook of
/// Mathematical Functions* (1964), 26.7.5 (within 1 % from 3 on).
fn student_975(freedom: f64) -> f64 {
    if freedom < 1.5 {
        return 12.706;
    }
    if freedom < 2.5 {
        return 4.303;
    }
    let z: f64 = 1.959_964;
    let z3 = z.powi(3);
    let z5 = z.powi(5);
    let z7 = z.powi(7);
    z + (z3 + z) / (4.0 * freedom)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * freedom.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * freedom.powi(3))
}

#[cfg(test)]
mod tests {
    use super::super::plan::SampledGroup;
    use super::*;

    fn plan(strata: &[(u64, u64)]) -> SamplePlan {
        let mut groups = Vec::new();
        let mut linear = 0;
        for (stratum, &(sampled, _)) in strata.iter().enumerate() {
            for _ in 0..sampled {
                groups.push(SampledGroup {
                    linear,
                    stratum: stratum as u32,
                });
                linear += 1;
            }
        }
        SamplePlan::new(groups, strata.iter().map(|s| s.1).collect()).unwrap()
    }

    #[test]
    fn agreeing_samples_are_exact() {
        let plan = plan(&[(1, 1), (4, 1000)]);
        let mut sums = Accumulator::new(&plan, 2);
        sums.add(0, &[7, 1]);
        for _ in 0..4 {
            sums.add(1, &[9]);
        }
        assert_eq!(sums.total(&plan, 0), Estimate::exact(9007));
        assert_eq!(sums.total(&plan, 1), Estimate::exact(1));
        assert_eq!(sums.groups(), 5);
    }

    #[test]
    fn a_census_is_exact_though_groups_differ() {
        let plan = SamplePlan::all(3);
        let mut sums = Accumulator::new(&plan, 1);
        for y in [1, 5, 30] {
            sums.add(0, &[y]);
        }
        assert_eq!(sums.total(&plan, 0), Estimate::exact(36));
    }

    #[test]
    fn the_interval_follows_cochran() {
        // n = 4 of N = 100, y = 1, 2, 3, 4: s^2 = 5/3,
        // Var = 100 * 96 * (5/3) / 4 = 4000, t(3) = 3.182.
        let plan = plan(&[(4, 100)]);
        let mut sums = Accumulator::new(&plan, 1);
        for y in [1, 2, 3, 4] {
            sums.add(0, &[y]);
        }
        let total = sums.total(&plan, 0);
        assert_eq!(total.value, 250);
        assert!(!total.exact);
        assert!((199..=203).contains(&total.half_width), "{total:?}");
    }

    #[test]
    fn student_quantiles() {
        for (freedom, quantile) in [(3.0, 3.182), (5.0, 2.571), (10.0, 2.228), (1e9, 1.96)] {
            assert!((student_975(freedom) / quantile - 1.0).abs() < 0.012);
        }
    }
}
