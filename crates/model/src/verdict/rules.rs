//! The band around 1 and the classes on either side of it.

use super::VerdictKind;
use crate::statistics::Interval;

/// How far from 1 a speed-up must lie to count, as a share: 0.05 by default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band(f64);

/// A band that is none.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("a band of {0} makes no sense; give a share from 0 up to, not including, 1, such as 0.05")]
pub struct BandError(f64);

impl Band {
    /// A band of `width`, from 0 up to, not including, 1.
    ///
    /// # Errors
    /// [`BandError`] for any other number.
    pub fn new(width: f64) -> Result<Self, BandError> {
        if (0.0..1.0).contains(&width) {
            Ok(Self(width))
        } else {
            Err(BandError(width))
        }
    }

    /// The share.
    pub fn width(self) -> f64 {
        self.0
    }

    /// The class of a speed-up.
    pub(super) fn class_of_point(self, speedup: f64) -> VerdictKind {
        if speedup > 1.0 + self.0 {
            VerdictKind::Pays
        } else if speedup < 1.0 - self.0 {
            VerdictKind::Loses
        } else if speedup.is_nan() {
            VerdictKind::Unknown
        } else {
            VerdictKind::Ties
        }
    }

    /// The class that holds all of `speedup`; unknown when it lies in several.
    pub(super) fn class_of_interval(self, speedup: Interval) -> VerdictKind {
        let (low, high) = (
            self.class_of_point(speedup.low),
            self.class_of_point(speedup.high),
        );
        if low == high {
            low
        } else {
            VerdictKind::Unknown
        }
    }
}

impl Default for Band {
    fn default() -> Self {
        Self(0.05)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_belong_to_the_tie() {
        let band = Band::new(0.25).expect("a share");
        assert_eq!(band.class_of_point(1.25), VerdictKind::Ties);
        assert_eq!(band.class_of_point(0.75), VerdictKind::Ties);
        assert_eq!(band.class_of_point(1.26), VerdictKind::Pays);
        assert_eq!(band.class_of_point(0.74), VerdictKind::Loses);
        assert_eq!(band.class_of_point(f64::NAN), VerdictKind::Unknown);
    }

    #[test]
    fn bands_are_shares() {
        assert_eq!(Band::default().width(), 0.05);
        assert!(Band::new(0.0).is_ok());
        for bad in [1.0, -0.1, f64::NAN, 5.0] {
            assert!(Band::new(bad).is_err(), "{bad}");
        }
    }
}
