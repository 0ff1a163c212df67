//! From paired timings to a speed-up with an interval.
//!
//! Two kernels are timed in turn, so that each pair sees the same clock and
//! temperature; the speed-up of a pair is time of the unstaged over time of
//! the staged kernel. The estimate is the median of those ratios, its interval
//! the percentile bootstrap over pairs ([`speedup_interval`]). What makes an interval
//! untrustworthy comes beside it as [`Warning`]s, each with what to do.

mod bootstrap;
mod drift;
mod order;
mod warning;

pub use bootstrap::{Interval, MIN_PAIRS, RESAMPLES, StatisticsError, speedup_interval};
pub use drift::{Drift, drift};
pub use order::{median, relative_mad};
pub use warning::{Conditions, Warning, warnings};

/// One pair of timings, in seconds: first the unstaged kernel (the numerator
/// of the speed-up), then the staged one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Seconds of the unstaged kernel.
    pub unstaged: f64,
    /// Seconds of the staged kernel.
    pub staged: f64,
}

impl Pair {
    /// Time of the unstaged over time of the staged kernel.
    pub fn speedup(self) -> f64 {
        self.unstaged / self.staged
    }
}

/// A series of pairs, summed up.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Median seconds of the unstaged kernel.
    pub unstaged_seconds: f64,
    /// Median seconds of the staged kernel.
    pub staged_seconds: f64,
    /// Median of the paired ratios with its 95 % interval.
    pub speedup: Interval,
    /// Relative median absolute deviation of the unstaged times.
    pub unstaged_noise: f64,
    /// Relative median absolute deviation of the staged times.
    pub staged_noise: f64,
    /// Pairs that entered.
    pub pairs: usize,
    /// What makes the figures less than trustworthy.
    pub warnings: Vec<Warning>,
}

/// Sums up `pairs`, timed under `conditions`, in the order of measurement.
/// `seed` makes the interval reproducible.
///
/// # Errors
/// [`StatisticsError`] when there are too few pairs for an interval, or when a
/// time is not a positive number.
pub fn compare(
    pairs: &[Pair],
    conditions: Conditions,
    seed: u64,
) -> Result<Comparison, StatisticsError> {
    let speedup = speedup_interval(pairs, seed)?;
    let unstaged: Vec<f64> = pairs.iter().map(|pair| pair.unstaged).collect();
    let staged: Vec<f64> = pairs.iter().map(|pair| pair.staged).collect();
    Ok(Comparison {
        unstaged_seconds: median(&unstaged),
        staged_seconds: median(&staged),
        speedup,
        unstaged_noise: relative_mad(&unstaged),
        staged_noise: relative_mad(&staged),
        pairs: pairs.len(),
        warnings: warnings(&unstaged, &staged, conditions),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_holds_medians_interval_and_warnings() {
        let pairs: Vec<Pair> = (0..40)
            .map(|i| {
                let wobble = 1.0 + 0.01 * f64::from(i % 5 - 2);
                Pair {
                    unstaged: 10e-6 * wobble,
                    staged: 12e-6,
                }
            })
            .collect();
        let conditions = Conditions {
            working_set_bytes: 1 << 30,
            last_cache_bytes: 60 << 20,
        };
        let result = compare(&pairs, conditions, 1).expect("enough pairs");
        assert!((result.speedup.estimate - 10.0 / 12.0).abs() < 1e-9);
        assert!(result.speedup.low < result.speedup.high);
        assert_eq!(result.pairs, 40);
        assert_eq!(result.staged_noise, 0.0);
        assert!(matches!(
            result.warnings.as_slice(),
            [Warning::ShortKernel { .. }]
        ));
    }
}
