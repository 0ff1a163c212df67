//! Latency under load.
//!
//! A memory level that is used to the share `u` of its bandwidth keeps requests
//! waiting. In an M/D/1 queue the wait is `u / (2 (1 - u))` service times
//! (Kleinrock, Queueing Systems, volume 1, 1975, section 5.6); the part of a
//! latency that queues is unknown, so the factor before `u / (1 - u)` is a
//! figure of the profile (`prediction.queueing`), for calibration.

/// No level is taken as fuller than this: beyond, the formula has a pole that
/// a finite launch never reaches.
const FULLEST: f64 = 1.0 - 1e-9;

/// The share of `seconds` for which a level that needs `busy` seconds works.
pub(super) fn utilisation(busy: f64, seconds: f64) -> f64 {
    if busy == 0.0 {
        return 0.0;
    }
    (busy / seconds).min(1.0)
}

/// The latency, in the unit of `base`, of a level with utilisation `u` from 0
/// to 1, for the profile's queueing factor `k`.
pub fn loaded_latency(base: f64, u: f64, k: f64) -> f64 {
    let u = u.clamp(0.0, FULLEST);
    base * (1.0 + k * u / (1.0 - u))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_level_has_its_base_latency() {
        assert_eq!(loaded_latency(600.0, 0.0, 0.5), 600.0);
        assert_eq!(utilisation(0.0, 0.0), 0.0);
        assert_eq!(utilisation(1.0, f64::INFINITY), 0.0);
    }

    #[test]
    fn latency_grows_with_load_and_stays_finite() {
        assert_eq!(loaded_latency(600.0, 0.5, 0.5), 900.0);
        assert!(loaded_latency(600.0, 0.9, 0.5) > loaded_latency(600.0, 0.8, 0.5));
        assert!(loaded_latency(600.0, 1.0, 0.5).is_finite());
    }
}
