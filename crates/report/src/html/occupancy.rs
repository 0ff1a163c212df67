//! Work-groups resident on a compute unit over the size of the tile, as steps,
//! with the kernel's own tile marked.

use askama::Template;

use super::axis::{Axis, px};
use crate::number;
use crate::run::Occupancy;

const LEFT: f64 = 34.0;
const RIGHT: f64 = 700.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 168.0;

#[derive(Template)]
#[template(path = "occupancy.html")]
struct Curve {
    line: String,
    area: String,
    here_x: String,
    here_y: String,
    here: String,
    here_anchor: &'static str,
    x_ticks: Vec<(String, String)>,
    y_ticks: Vec<(String, String)>,
}

/// Draws the curve; `None` if the run has no curve of two points or more.
pub(super) fn curve(occupancy: &Occupancy) -> Result<Option<String>, askama::Error> {
    let mut points = occupancy.curve.clone();
    points.sort_unstable();
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Ok(None);
    };
    if points.len() < 2 {
        return Ok(None);
    }
    let most = points
        .iter()
        .map(|p| p.1)
        .chain([occupancy.groups_per_unit])
        .max()
        .unwrap_or(1);
    let axes = (
        Axis::new(first.0 as f64, last.0 as f64, LEFT, RIGHT),
        Axis::new(0.0, f64::from(most.max(1)) * 1.1, BOTTOM, TOP),
    );
    let (Some(x), Some(y)) = axes else {
        return Ok(None);
    };
    // Each point holds for sizes up to its own, so the line steps down after it.
    let mut line = String::new();
    let mut before = first.0;
    for (i, &(size, groups)) in points.iter().enumerate() {
        let from = if i == 0 { size } else { before };
        let verb = if i == 0 { 'M' } else { 'L' };
        let height = px(y.at(groups.into()));
        line.push_str(&format!("{verb}{} {height}", px(x.at(from as f64))));
        line.push_str(&format!("L{} {height}", px(x.at(size as f64))));
        before = size;
    }
    let area = format!("{line}L{RIGHT} {BOTTOM}L{LEFT} {BOTTOM}Z");
    let here = x.at(occupancy.local_bytes as f64);
    Curve {
        line,
        area,
        here_x: px(here),
        here_y: px(y.at(occupancy.groups_per_unit.into())),
        here: format!(
            "this kernel: {}, {}",
            number::bytes(occupancy.local_bytes),
            number::counted(occupancy.groups_per_unit.into(), "group", "groups")
        ),
        here_anchor: if here > f64::midpoint(LEFT, RIGHT) {
            "end"
        } else {
            "start"
        },
        x_ticks: size_ticks(last.0)
            .into_iter()
            .filter(|&b| b >= first.0)
            .map(|b| (px(x.at(b as f64)), number::bytes(b)))
            .collect(),
        y_ticks: y
            .ticks(5)
            .into_iter()
            .filter(|t| t.fract() == 0.0)
            .map(|t| (px(y.at(t)), format!("{t:.0}")))
            .collect(),
    }
    .render()
    .map(Some)
}

/// About six sizes that are round in binary.
fn size_ticks(last: u64) -> Vec<u64> {
    let step = (last / 6).max(1).next_power_of_two();
    (0..=last / step).map(|i| i * step).collect()
}
