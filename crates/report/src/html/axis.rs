//! A linear axis with round ticks.

/// Maps a range of values to a range of pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Axis {
    /// `None` unless both values are finite. A range of no width is widened.
    pub(super) fn new(from: f64, to: f64, start: f64, end: f64) -> Option<Self> {
        if !(from.is_finite() && to.is_finite()) {
            return None;
        }
        let to = if to > from {
            to
        } else {
            from + from.abs().max(1.0) * 0.1
        };
        Some(Self {
            from,
            to,
            start,
            end,
        })
    }

    /// Pixel of a value, kept within the axis.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0);
        self.start + share * (self.end - self.start)
    }

    /// Round values (1, 2 or 5 times a power of ten apart), about `n` of them.
    pub(super) fn ticks(&self, n: u32) -> Vec<f64> {
        let rough = (self.to - self.from) / f64::from(n.max(1));
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|m| m * power)
            .find(|&step| step >= rough * 0.999)
            .unwrap_or(10.0 * power);
        let first = (self.from / step).ceil();
        (0..=2 * n)
            .map(|i| (first + f64::from(i)) * step)
            .take_while(|&t| t <= self.to * (1.0 + 1e-12))
            .collect()
    }
}

/// A coordinate as SVG wants it, to a tenth of a pixel.
pub(super) fn px(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(test)]
mod tests {
    use super::Axis;

    #[test]
    fn ticks_are_round_and_within() {
        let axis = Axis::new(190.0, 260.0, 0.0, 100.0).expect("finite");
        assert_eq!(axis.ticks(5), [200.0, 220.0, 240.0, 260.0]);
    }

    #[test]
    fn a_single_value_still_has_an_axis() {
        let axis = Axis::new(5.0, 5.0, 0.0, 100.0).expect("finite");
        assert!(axis.at(5.0).is_finite());
        assert!(axis.ticks(4).len() < 10);
    }

    #[test]
    fn no_axis_without_numbers() {
        assert!(Axis::new(f64::NAN, 1.0, 0.0, 1.0).is_none());
        assert!(Axis::new(0.0, f64::INFINITY, 0.0, 1.0).is_none());
    }
}
