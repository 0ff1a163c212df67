//! How terms overlap.
//!
//! A device works on all its resources at once, but never perfectly: while it
//! waits for one, others idle. The terms are combined by the p-norm
//! `(sum of t^p)^(1/p)`, which is their sum for p = 1 and their maximum for p
//! without bound, and lies between for every p in between. One exponent per
//! device is calibrated; on an H200 neither end is right.

/// The p-norm of `terms`, all at least 0, for an exponent `p` of at least 1.
pub fn overlapped(terms: &[f64], p: f64) -> f64 {
    let largest = terms.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return 0.0;
    }
    // Scaled by the largest, so that no power overflows or vanishes.
    let sum: f64 = terms.iter().map(|term| (term / largest).powf(p)).sum();
    largest * sum.powf(1.0 / p)
}

/// By how much the p-norm `total` grows per growth of one of its terms:
/// `(term / total)^(p - 1)`, from 0 (hidden) to 1 (decides alone).
pub(super) fn sensitivity(term: f64, total: f64, p: f64) -> f64 {
    if total == 0.0 {
        return 0.0;
    }
    (term / total).powf(p - 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_ends_are_the_sum_and_the_maximum() {
        let terms = [1.0, 2.0, 4.0];
        assert!((overlapped(&terms, 1.0) - 7.0).abs() < 1e-12);
        assert!((overlapped(&terms, 500.0) - 4.0).abs() < 1e-2);
        assert_eq!(overlapped(&[], 2.0), 0.0);
        assert_eq!(overlapped(&[0.0, 0.0], 2.0), 0.0);
        assert!((overlapped(&[3e-200, 4e-200], 2.0) - 5e-200).abs() < 1e-212);
    }

    #[test]
    fn sensitivity_is_the_derivative() {
        let total = |t: f64| overlapped(&[t, 2.0, 0.5], 3.0);
        let step = 1e-6;
        let slope = (total(1.5 + step) - total(1.5 - step)) / (2.0 * step);
        assert!((slope - sensitivity(1.5, total(1.5), 3.0)).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn between_the_maximum_and_the_sum(
            terms in prop::collection::vec(0.0f64..1.0, 1..7),
            p in 1.0f64..20.0,
        ) {
            let total = overlapped(&terms, p);
            let largest = terms.iter().copied().fold(0.0, f64::max);
            let sum: f64 = terms.iter().sum();
            prop_assert!(total >= largest * (1.0 - 1e-12));
            prop_assert!(total <= sum * (1.0 + 1e-12));
        }
    }
}
