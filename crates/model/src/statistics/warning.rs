//! What makes a measurement less than trustworthy, and what to do about it.

use std::fmt;

use super::drift::{Drift, drift};
use super::order::{median, relative_mad};

/// Below this an event's resolution and the launch's own cost show.
const SHORTEST_SECONDS: f64 = 20e-6;
/// Above this spread a 5 % band can't be resolved with a few dozen pairs.
const MOST_NOISE: f64 = 0.05;
/// A drift smaller than this share of the median is harmless.
const LEAST_DRIFT: f64 = 0.02;

/// What is known of the run that the times themselves don't show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conditions {
    /// Bytes of all buffers that one launch touches, over all copies among
    /// which launches rotate.
    pub working_set_bytes: u64,
    /// Bytes of the device's last cache.
    pub last_cache_bytes: u64,
}

/// A doubt about a measurement. Its text says what was seen, why it matters
/// and what to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Warning {
    /// A kernel too short to be timed well.
    ShortKernel {
        /// Median seconds of the shorter kernel.
        seconds: f64,
    },
    /// Times that scatter.
    Noisy {
        /// Relative median absolute deviation of the noisier kernel.
        spread: f64,
    },
    /// Times that creep.
    Drifting(
        /// The larger trend of the two kernels.
        Drift,
    ),
    /// Data that stay in the cache from launch to launch.
    FitsCache {
        /// Bytes of the working set.
        bytes: u64,
        /// Bytes of the last cache.
        cache: u64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ShortKernel { seconds } => write!(
                f,
                "the kernel takes {:.1} us; below {:.0} us the launch itself shows in the time: \
                 use a larger problem size",
                seconds * 1e6,
                SHORTEST_SECONDS * 1e6
            ),
            Self::Noisy { spread } => write!(
                f,
                "times scatter by {:.0} %: lock the device's clock, stop other work on it, or \
                 allow more time with --budget",
                spread * 100.0
            ),
            Self::Drifting(drift) => write!(
                f,
                "times {} by {:.0} % during the measurement: warm up longer or lock the \
                 device's clock",
                if drift.change > 0.0 { "rise" } else { "fall" },
                drift.change.abs() * 100.0
            ),
            Self::FitsCache { bytes, cache } => write!(
                f,
                "the working set of {:.1} MiB fits the last cache of {:.1} MiB, so loads hardly \
                 reach device memory: use a larger problem size, unless your application's \
                 data stay in the cache as well",
                *bytes as f64 / f64::from(1 << 20),
                *cache as f64 / f64::from(1 << 20)
            ),
        }
    }
}

/// The doubts about two series of times in seconds, in order of measurement.
pub fn warnings(unstaged: &[f64], staged: &[f64], conditions: Conditions) -> Vec<Warning> {
    let mut found = Vec::new();
    let seconds = median(unstaged).min(median(staged));
    if seconds < SHORTEST_SECONDS {
        found.push(Warning::ShortKernel { seconds });
    }
    let spread = relative_mad(unstaged).max(relative_mad(staged));
    if spread > MOST_NOISE {
        found.push(Warning::Noisy { spread });
    }
    let trend = [drift(unstaged), drift(staged)]
        .into_iter()
        .flatten()
        .max_by(|a, b| a.change.abs().total_cmp(&b.change.abs()));
    if let Some(trend) = trend.filter(|trend| trend.change.abs() > LEAST_DRIFT) {
        found.push(Warning::Drifting(trend));
    }
    let Conditions {
        working_set_bytes: bytes,
        last_cache_bytes: cache,
    } = conditions;
    if bytes <= cache {
        found.push(Warning::FitsCache { bytes, cache });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: Conditions = Conditions {
        working_set_bytes: 1 << 30,
        last_cache_bytes: 1 << 26,
    };

    #[test]
    fn a_calm_long_large_measurement_raises_none() {
        assert_eq!(warnings(&[1e-3; 30], &[1.1e-3; 30], LARGE), []);
    }

    #[test]
    fn each_doubt_says_what_to_do() {
        let short = warnings(&[15e-6; 30], &[25e-6; 30], LARGE);
        assert!(short[0].to_string().contains("15.0 us"));
        assert!(short[0].to_string().contains("larger problem size"));

        let noisy: Vec<f64> = (0..30).map(|i| 1e-3 * f64::from(10 + i * 7 % 5)).collect();
        let found = warnings(&noisy, &[1e-3; 30], LARGE);
        assert!(matches!(found.as_slice(), [Warning::Noisy { spread }] if *spread > 0.05));
        assert!(found[0].to_string().contains("lock the device's clock"));

        let creeping: Vec<f64> = (0..60)
            .map(|i| 1e-3 * (1.0 + 0.001 * f64::from(i)))
            .collect();
        let found = warnings(&[1e-3; 60], &creeping, LARGE);
        assert!(
            matches!(found.as_slice(), [Warning::Drifting(_)]),
            "{found:?}"
        );
        assert!(found[0].to_string().contains("rise by 6 %"));

        let small = Conditions {
            working_set_bytes: 32 << 20,
            last_cache_bytes: 60 << 20,
        };
        let found = warnings(&[1e-3; 30], &[1e-3; 30], small);
        assert!(
            found[0]
                .to_string()
                .contains("32.0 MiB fits the last cache of 60.0 MiB")
        );
    }
}
