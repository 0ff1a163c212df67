//! The interval of the speed-up: percentile bootstrap of a median of ratios.
//!
//! Pairs are drawn with replacement, the median of their ratios is taken, and
//! the 2.5 % and 97.5 % quantiles of many such medians bound the interval
//! (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13).
//! The bias-corrected accelerated form is not used: its acceleration comes from
//! the jackknife, which is inconsistent for a median (the same, section 11.6).
//!
//! The method takes pairs as independent. Slow drift moves both kernels of a
//! pair alike and cancels; faster correlation between pairs makes the interval
//! too narrow, which [`super::drift`] can only hint at.

use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand::SeedableRng;

use super::Pair;
use super::order::{median_in_place, quantile_sorted};

/// Bootstrap samples drawn: enough for the third digit of the bounds to stand.
pub const RESAMPLES: usize = 10_000;

/// The fewest pairs for an interval. Five ratios all lie on one side of the
/// true median with probability 2 / 2^5 = 6 %, so no interval within their
/// range reaches 95 %; six are the first that do.
pub const MIN_PAIRS: usize = 6;

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The point estimate.
    pub estimate: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// Why samples give no interval.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StatisticsError {
    /// Fewer than [`MIN_PAIRS`] pairs.
    #[error(
        "{pairs} pairs of timings give no 95 % interval, at least {MIN_PAIRS} are needed; \
         allow more time with --budget"
    )]
    TooFewPairs {
        /// Pairs at hand.
        pairs: usize,
    },
    /// A time that is nought, negative or no number.
    #[error(
        "timing {index} is {seconds} s, which is no duration; the device's event profiling \
         can't be trusted here"
    )]
    NoDuration {
        /// Which pair, from 0.
        index: usize,
        /// What the device said.
        seconds: f64,
    },
}

/// The median of the paired speed-ups and its 95 % interval. The same pairs
/// and `seed` give the same interval everywhere.
///
/// # Errors
/// [`StatisticsError`].
pub fn speedup_interval(pairs: &[Pair], seed: u64) -> Result<Interval, StatisticsError> {
    for (index, pair) in pairs.iter().enumerate() {
        for seconds in [pair.unstaged, pair.staged] {
            if !(seconds.is_finite() && seconds > 0.0) {
                return Err(StatisticsError::NoDuration { index, seconds });
            }
        }
    }
    if pairs.len() < MIN_PAIRS {
        return Err(StatisticsError::TooFewPairs { pairs: pairs.len() });
    }
    let ratios: Vec<f64> = pairs.iter().map(|pair| pair.speedup()).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut sample = vec![0.0; ratios.len()];
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            for slot in &mut sample {
                *slot = ratios[rng.random_range(0..ratios.len())];
            }
            median_in_place(&mut sample)
        })
        .collect();
    medians.sort_unstable_by(f64::total_cmp);
    Ok(Interval {
        estimate: median_in_place(&mut ratios.clone()),
        low: quantile_sorted(&medians, 0.025),
        high: quantile_sorted(&medians, 0.975),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs whose ratios spread over `centre` by up to `spread`.
    fn pairs(n: usize, centre: f64, spread: f64, seed: u64) -> Vec<Pair> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..n)
            .map(|_| Pair {
                unstaged: centre * (1.0 + spread * rng.random_range(-1.0..1.0)),
                staged: 1.0,
            })
            .collect()
    }

    #[test]
    fn the_interval_is_reproducible_and_holds_the_median() {
        let data = pairs(50, 0.83, 0.05, 3);
        let first = speedup_interval(&data, 7).expect("enough");
        assert_eq!(first, speedup_interval(&data, 7).expect("enough"));
        assert!(first.low <= first.estimate && first.estimate <= first.high);
        assert!(first.low > 0.80 && first.high < 0.86, "{first:?}");
    }

    #[test]
    fn the_interval_covers_the_truth_about_as_often_as_it_says() {
        let covered = (0..200)
            .filter(|seed| {
                let interval = speedup_interval(&pairs(30, 1.2, 0.2, *seed), 1).expect("enough");
                interval.low <= 1.2 && 1.2 <= interval.high
            })
            .count();
        // 190 of 200 expected; the bounds are three standard deviations off,
        // and the percentile interval of a median is known to be a little wide.
        assert!((180..=200).contains(&covered), "{covered} of 200");
    }

    #[test]
    fn more_pairs_narrow_the_interval() {
        let width = |n| {
            let interval = speedup_interval(&pairs(n, 1.0, 0.1, 5), 1).expect("enough");
            interval.high - interval.low
        };
        assert!(width(400) < width(25) / 2.0);
    }

    #[test]
    fn equal_ratios_give_a_point() {
        let interval = speedup_interval(&pairs(MIN_PAIRS, 1.5, 0.0, 1), 1);
        let point = Interval {
            estimate: 1.5,
            low: 1.5,
            high: 1.5,
        };
        // A spread of nought still calls the generator, with an empty width.
        assert_eq!(interval, Ok(point));
    }

    #[test]
    fn samples_that_say_nothing_are_refused() {
        let error = speedup_interval(&pairs(5, 1.0, 0.1, 1), 1).expect_err("too few");
        assert_eq!(error, StatisticsError::TooFewPairs { pairs: 5 });
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut data = pairs(8, 1.0, 0.1, 1);
            data[3].staged = bad;
            assert!(matches!(
                speedup_interval(&data, 1),
                Err(StatisticsError::NoDuration { index: 3, .. })
            ));
        }
    }
}
