//! Whether times creep in one direction while they are measured.
//!
//! The Mann-Kendall test counts rising against falling pairs of times (Kendall,
//! Rank Correlation Methods, 1975); it needs no shape of the trend and ignores
//! outliers. Ties enter the variance. The size of the trend is the Theil-Sen
//! slope, the median slope over all pairs (Sen, 1968).
//!
//! Both are quadratic in the sample, so a long series is cut into [`MOST`] runs
//! first, each with its median: picking every n-th time instead would turn a
//! periodic disturbance into a trend.

use super::order::{median, median_in_place};

/// Times that enter the test at most.
const MOST: usize = 400;

/// A trend that is unlikely to be chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Change from the first to the last time along the Theil-Sen line, as a
    /// share of the median; positive when the kernel gets slower.
    pub change: f64,
    /// Standard score of the Mann-Kendall statistic.
    pub score: f64,
}

/// The trend of `times`, in order of measurement, when the Mann-Kendall test
/// rejects "no trend" at 1 %; nothing for fewer than ten times.
pub fn drift(times: &[f64]) -> Option<Drift> {
    const SCORE_AT_1_PERCENT: f64 = 2.576;
    let times = condensed(times);
    let n = times.len();
    if n < 10 {
        return None;
    }
    let mut statistic = 0.0;
    let mut slopes = Vec::with_capacity(n * (n - 1) / 2);
    for later in 1..n {
        for earlier in 0..later {
            let difference = times[later] - times[earlier];
            statistic += if difference == 0.0 {
                0.0
            } else {
                difference.signum()
            };
            slopes.push(difference / (later - earlier) as f64);
        }
    }
    let variance = variance(&times);
    if variance <= 0.0 {
        return None;
    }
    // The continuity correction moves the statistic one step towards nought.
    let corrected = statistic
        - if statistic == 0.0 {
            0.0
        } else {
            f64::signum(statistic)
        };
    let score = corrected / variance.sqrt();
    (score.abs() > SCORE_AT_1_PERCENT).then(|| Drift {
        change: median_in_place(&mut slopes) * (n - 1) as f64 / median(&times),
        score,
    })
}

/// Variance of the statistic under "no trend", with ties.
fn variance(times: &[f64]) -> f64 {
    let weight = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let mut sorted = times.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let ties: f64 = sorted
        .chunk_by(|a, b| a == b)
        .map(|run| weight(run.len() as f64))
        .sum();
    (weight(times.len() as f64) - ties) / 18.0
}

fn condensed(times: &[f64]) -> Vec<f64> {
    let run = times.len().div_ceil(MOST).max(1);
    times.chunks(run).map(median).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_creeping_clock_is_found_with_its_size() {
        let times: Vec<f64> = (0..100)
            .map(|i| 1.0 + 0.001 * f64::from(i) + 0.01 * f64::from(i * 7 % 5))
            .collect();
        let found = drift(&times).expect("a trend");
        assert!(found.score > 2.576);
        assert!((found.change - 0.099 / 1.07).abs() < 0.02, "{found:?}");
        let falling: Vec<f64> = times.iter().rev().copied().collect();
        assert!(drift(&falling).expect("a trend").change < 0.0);
    }

    #[test]
    fn a_level_series_has_none() {
        let level: Vec<f64> = (0..100)
            .map(|i| 1.0 + 0.01 * f64::from(i * 7 % 5))
            .collect();
        assert_eq!(drift(&level), None);
        assert_eq!(drift(&[1.0; 50]), None);
        assert_eq!(drift(&[1.0, 2.0, 3.0]), None);
        let long: Vec<f64> = (0..10_000).map(|i| f64::from(i * 31 % 97)).collect();
        assert_eq!(drift(&long), None);
    }
}
