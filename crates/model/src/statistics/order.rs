//! Order statistics of a sample: median and spread.

/// The median of `sample`: the middle value, or the mean of the middle two;
/// NaN for an empty sample. NaNs sort last.
pub fn median(sample: &[f64]) -> f64 {
    median_in_place(&mut sample.to_vec())
}

/// As [`median`], reordering `sample` instead of copying it.
pub(super) fn median_in_place(sample: &mut [f64]) -> f64 {
    let n = sample.len();
    if n == 0 {
        return f64::NAN;
    }
    let (below, &mut upper, _) = sample.select_nth_unstable_by(n / 2, f64::total_cmp);
    if n % 2 == 1 {
        return upper;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    f64::midpoint(lower, upper)
}

/// The spread of `sample` as a share of its median: 1.4826 times the median
/// absolute deviation, which estimates the standard deviation of a normal
/// sample and ignores outliers (Rousseeuw and Croux, Alternatives to the
/// Median Absolute Deviation, 1993). NaN for an empty sample.
pub fn relative_mad(sample: &[f64]) -> f64 {
    let middle = median(sample);
    let mut deviations: Vec<f64> = sample.iter().map(|x| (x - middle).abs()).collect();
    1.4826 * median_in_place(&mut deviations) / middle
}

/// The `q` quantile of a sorted sample by linear interpolation (type 7 of
/// Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996); NaN for
/// an empty sample.
pub(super) fn quantile_sorted(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let at = q.clamp(0.0, 1.0) * last as f64;
    let below = at.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (at - at.floor()) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_samples() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&[7.0]), 7.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn one_outlier_does_not_move_the_spread() {
        let calm = relative_mad(&[9.0, 10.0, 11.0, 10.0, 9.5]);
        let shaken = relative_mad(&[9.0, 10.0, 11.0, 10.0, 500.0]);
        assert!(calm < 0.15 && shaken < 0.2, "{calm} {shaken}");
        assert_eq!(relative_mad(&[2.0, 2.0, 2.0]), 0.0);
    }

    #[test]
    fn quantiles_interpolate() {
        let sorted = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(quantile_sorted(&sorted, 0.0), 1.0);
        assert_eq!(quantile_sorted(&sorted, 0.5), 3.0);
        assert_eq!(quantile_sorted(&sorted, 0.625), 3.5);
        assert_eq!(quantile_sorted(&sorted, 1.0), 5.0);
        assert!(quantile_sorted(&[], 0.5).is_nan());
    }
}
