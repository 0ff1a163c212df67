//! Every measured sample as a dot on a time axis, one strip for each kernel,
//! with its median.

use askama::Template;

use super::axis::{Axis, px};
use crate::number;
use crate::phrase;
use crate::run::{Measured, Run};

/// Dots of one strip; of longer lists every n-th sample is drawn.
const DOTS: usize = 400;

const LEFT: f64 = 16.0;
const RIGHT: f64 = 704.0;
const STRIP_HEIGHT: f64 = 62.0;
/// Room above the dots for the name and the figures.
const CAPTION: f64 = 22.0;

#[derive(Template)]
#[template(path = "strip.html")]
struct Plot {
    height: String,
    axis_y: String,
    ticks: Vec<(String, String)>,
    strips: Vec<Strip>,
}

struct Strip {
    name: String,
    figures: String,
    caption_y: String,
    base_y: String,
    top_y: String,
    bottom_y: String,
    median: Option<String>,
    dots: Vec<(String, String)>,
    staged: bool,
}

/// Draws the samples; `None` if none were kept.
pub(super) fn strip(run: &Run) -> Result<Option<String>, askama::Error> {
    let mut kernels: Vec<(&str, bool, &Measured)> = Vec::new();
    if let Some(m) = &run.measured {
        kernels.push((&run.kernel, false, m));
    }
    for c in &run.candidates {
        if let Some(m) = &c.measured {
            kernels.push((&c.id, c.staged, m));
        }
    }
    let samples = || {
        kernels
            .iter()
            .flat_map(|(_, _, m)| m.samples.iter().copied())
            .filter(|s| s.is_finite())
    };
    let least = samples().fold(f64::INFINITY, f64::min);
    let most = samples().fold(f64::NEG_INFINITY, f64::max);
    let margin = (most - least) * 0.03;
    let Some(axis) = Axis::new(least - margin, most + margin, LEFT, RIGHT) else {
        return Ok(None);
    };
    let strips: Vec<Strip> = kernels
        .iter()
        .enumerate()
        .map(|(i, (name, staged, m))| one(&axis, i, name, *staged, m))
        .collect();
    let axis_y = strips.len() as f64 * STRIP_HEIGHT + 6.0;
    Plot {
        height: px(axis_y + 24.0),
        axis_y: px(axis_y),
        ticks: axis
            .ticks(5)
            .into_iter()
            .map(|t| (px(axis.at(t)), number::duration(t)))
            .collect(),
        strips,
    }
    .render()
    .map(Some)
}

fn one(axis: &Axis, row: usize, name: &str, staged: bool, m: &Measured) -> Strip {
    let top = row as f64 * STRIP_HEIGHT;
    let (first, last) = (top + CAPTION, top + STRIP_HEIGHT - 8.0);
    let middle = f64::midpoint(first, last);
    let stride = m.samples.len().div_ceil(DOTS).max(1);
    let dots = m
        .samples
        .iter()
        .step_by(stride)
        .enumerate()
        .filter(|(_, s)| s.is_finite())
        .map(|(i, &s)| {
            (
                px(axis.at(s)),
                px(middle + spread(i) * (last - first) * 0.5),
            )
        })
        .collect();
    let mut figures = format!("median {}", number::duration(m.median_ns));
    if let Some(gbps) = m.gbps {
        figures.push_str(&format!(" · {}", number::bandwidth(gbps)));
    }
    if let Some(speedup) = phrase::measured_speedup(m) {
        figures.push_str(&format!(" · speed-up of staging {speedup}"));
    }
    if stride > 1 {
        figures.push_str(&format!(" · every {stride}th sample drawn"));
    }
    Strip {
        name: name.to_owned(),
        figures,
        caption_y: px(top + 14.0),
        base_y: px(middle),
        top_y: px(first),
        bottom_y: px(last),
        median: m.median_ns.is_finite().then(|| px(axis.at(m.median_ns))),
        dots,
        staged,
    }
}

/// Places dots one above the other in -0.8..0.8, always the same way: the
/// fractional parts of multiples of the golden ratio fill a range evenly.
fn spread(i: usize) -> f64 {
    let part = (i as f64 * 0.618_033_988_749_895).fract();
    (part - 0.5) * 1.6
}
