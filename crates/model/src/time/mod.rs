//! How long a launch takes, predicted from its counts.
//!
//! Every resource that a launch needs gives a *term*, the time it would take
//! if nothing else mattered ([`Term`]): DRAM, L2, L1, local memory,
//! instruction issue, and latency, the last by Little's law from a group's
//! lifetime and the resident groups. The terms overlap in part ([`overlapped`]):
//! the result lies between the largest and their sum. Latencies grow with the
//! load on each memory level ([`loaded_latency`]), which depends on the time sought,
//! so the time is the fixed point of both. What a launch takes by itself is
//! added. In short, with `c` for the clock and `g` for the groups of the unit
//! that gets most of them:
//!
//! ```text
//! t    = launch + (dram^p + l2^p + (l1 + local)^p + issue^p + latency^p)^(1/p)
//! dram = bytes / bandwidth                    l2 = sectors / bandwidth
//! l1   = g / groups * max(bytes read, bytes handed out, lines, store lines), each over its rate, / c
//! local = g / groups * max(passes, bytes handed out), each over its rate, / c
//! issue = g / groups * max(instructions / slots, those of a pipe / its lanes) / c
//! latency = ceil(g / resident) * lifetime / c
//! lifetime = group launch + arithmetic + barriers * barrier + round trips * latency of their level
//! ```
//!
//! (`l1` and `local` are terms of their own where they have separate paths.)
//! On an H200 the exponent, the launch, the barrier, the group's launch, the
//! integer rate and the rates of lines are fitted to measured pairs of the
//! example kernels; `cargo xtask model` prints how well that does.
//!
//! Only counts and the profile enter; a lifetime is never taken back from a
//! measured time. What the model misses: the time between enqueue and first
//! instruction, unequal groups, power limits of the clock, TLB misses, which of
//! the resident groups hide whose latency, residency lost to registers, and
//! data that several groups on one unit share in its L1. Where an address
//! lies across two neighbouring lines, some devices look both up at once; a
//! look-up each is charged, so that unaligned streams come out up to 25 % too
//! slow.

mod overlap;
mod queueing;
mod terms;
mod work;

pub use overlap::overlapped;
pub use queueing::loaded_latency;
pub use terms::{Term, TermKind};
pub use work::{Instructions, Lifetime, RoundTrips, Work, WorkError};

use crate::profile::DeviceProfile;
use crate::statistics::Interval;
use terms::Seconds;

/// A predicted time and what it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Seconds of the launch.
    pub seconds: f64,
    /// All terms, the longest first.
    pub terms: Vec<Term>,
    /// Cycles from a group's launch to its end, on the loaded device.
    pub lifetime_cycles: f64,
    /// Rounds of resident groups that one compute unit runs.
    pub waves: f64,
    /// Achieved over sustained DRAM bandwidth, from 0 to 1.
    pub dram_utilisation: f64,
}

impl Prediction {
    /// The term that the time depends on most.
    pub fn bottleneck(&self) -> TermKind {
        // The longest term, but where two queue for one data path the path
        // as a whole decides, which the sensitivity shows.
        self.terms
            .iter()
            .max_by(|a, b| {
                let weight = |term: &Term| term.seconds * term.sensitivity;
                weight(a).total_cmp(&weight(b))
            })
            .map_or(TermKind::Latency, |term| term.kind)
    }

    /// The term of this kind.
    pub fn term(&self, kind: TermKind) -> Option<&Term> {
        self.terms.iter().find(|term| term.kind == kind)
    }
}

/// Predicts the time of a launch that does `work` on the device.
///
/// # Errors
/// [`WorkError`] when a count is no count.
pub fn predict(profile: &DeviceProfile, work: &Work) -> Result<Prediction, WorkError> {
    work.check()?;
    let loads = terms::without_latency(profile, work);
    let total = |seconds: f64| {
        let latency = terms::latency(profile, work, &loads, seconds);
        terms::total(profile, &loads, latency)
    };
    let seconds = fixed_point(total);
    let latency = terms::latency(profile, work, &loads, seconds);
    Ok(Prediction {
        seconds: seconds + profile.latency.launch.value(),
        terms: terms::described(profile, work, &Seconds { latency, ..loads }, seconds),
        lifetime_cycles: terms::lifetime_cycles(profile, work, &loads, seconds),
        waves: terms::waves(profile, work),
        dram_utilisation: queueing::utilisation(loads.dram, seconds),
    })
}

/// The predicted speed-up of the second launch over the first, with the
/// model's 80 % interval: the quantiles of its error that the profile holds.
pub fn predicted_speedup(
    profile: &DeviceProfile,
    unstaged: &Prediction,
    staged: &Prediction,
) -> Interval {
    let estimate = unstaged.seconds / staged.seconds;
    let calibration = &profile.prediction;
    Interval {
        estimate,
        low: estimate * calibration.speedup_error_low.value(),
        high: estimate * calibration.speedup_error_high.value(),
    }
}

/// The time `t` with `total(t) = t`, for a `total` that does not grow with
/// `t`: the longer a launch takes, the less its memory is loaded.
fn fixed_point(total: impl Fn(f64) -> f64) -> f64 {
    // Unloaded latencies give the shortest time there can be.
    let mut low = total(f64::INFINITY);
    if low == 0.0 {
        return 0.0;
    }
    let mut high = low;
    while total(high) > high {
        low = high;
        high *= 2.0;
    }
    // Fifty halvings exhaust the precision of the interval.
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if total(middle) > middle {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests;
