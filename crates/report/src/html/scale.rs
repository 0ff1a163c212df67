//! The speed-up on a scale: its point, its interval, and the line at 1 that
//! parts faster from slower. The scale is logarithmic, so that half and double
//! lie equally far from it.

use askama::Template;

use super::axis::{Axis, px};
use crate::phrase;
use crate::run::Verdict;

#[derive(Template)]
#[template(path = "scale.html")]
struct Scale {
    label: String,
    class: &'static str,
    one: String,
    point: String,
    lo: String,
    width: String,
    ticks: Vec<(String, String)>,
}

/// Draws the scale; `None` if the verdict has no positive, finite speed-up.
pub(super) fn scale(verdict: &Verdict) -> Result<Option<String>, askama::Error> {
    let positive = |x: &f64| x.is_finite() && *x > 0.0;
    let Some(speedup) = verdict.speedup.filter(positive) else {
        return Ok(None);
    };
    let lo = verdict.lo.filter(positive).unwrap_or(speedup);
    let hi = verdict.hi.filter(positive).unwrap_or(speedup);
    // At least from half to double, as far on one side as on the other.
    let reach = [lo, hi, speedup]
        .map(|x| x.log2().abs() * 1.15)
        .into_iter()
        .fold(1.0, f64::max);
    let Some(axis) = Axis::new(-reach, reach, 20.0, 620.0) else {
        return Ok(None);
    };
    let steps = if reach > 1.6 {
        vec![-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0]
    } else {
        vec![-1.0, -0.5, 0.0, 0.5, 1.0]
    };
    let ticks = steps
        .into_iter()
        .filter(|s: &f64| s.abs() <= reach)
        .map(|s| {
            let value = s.exp2();
            let decimals = usize::from(value.fract() != 0.0) * 2;
            (px(axis.at(s)), format!("{value:.decimals$}x"))
        })
        .collect();
    Scale {
        label: phrase::verdict_figure(verdict),
        class: phrase::verdict_kind(verdict.kind),
        one: px(axis.at(0.0)),
        point: px(axis.at(speedup.log2())),
        lo: px(axis.at(lo.log2())),
        width: px((axis.at(hi.log2()) - axis.at(lo.log2())).max(1.0)),
        ticks,
    }
    .render()
    .map(Some)
}
