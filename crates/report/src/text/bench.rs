//! Measured times, and the speed-up of each candidate with its interval.

use super::table::{Side, Table};
use super::{footer, header, section};
use crate::number::{bandwidth, count, duration};
use crate::phrase;
use crate::run::{Measured, Run};
use crate::style::Style;

/// Renders `tilewise bench`.
pub(super) fn bench(run: &Run, style: Style) -> String {
    let mut out = header(run, style);
    out.push_str(&body(run, style));
    out.push_str(&super::check::brief(run, style));
    out.push_str(&footer(run, style));
    if let Some(line) = super::advise::verdict_line(run, style) {
        out.push_str(&format!("\n{line}\n"));
    }
    out
}

/// The measurements alone.
pub(super) fn body(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("kernel", Side::Left),
        ("median", Side::Right),
        ("fastest", Side::Right),
        ("slowest", Side::Right),
        ("samples", Side::Right),
        ("rate", Side::Right),
        ("speed-up of staging", Side::Left),
        ("results", Side::Left),
    ]);
    let mut measured = false;
    if let Some(m) = &run.measured {
        measured = true;
        table.row(row(&run.kernel, m, String::new()));
    }
    for candidate in &run.candidates {
        if let Some(m) = &candidate.measured {
            measured = true;
            let results = phrase::verified(candidate.verified.as_ref());
            table.row(row(&candidate.id, m, results));
        }
    }
    if !measured {
        return "\nnothing was measured in this run\n".to_owned();
    }
    let title = section(
        "Time of one launch",
        "measured; speed-up = time unstaged / time staged, median of pairs",
        style,
    );
    format!("{title}{}", table.render(style))
}

fn row(kernel: &str, m: &Measured, results: String) -> Vec<String> {
    let samples = match m.launches_per_sample {
        0 | 1 => count(m.samples.len() as u64),
        n => format!("{} x {n} launches", count(m.samples.len() as u64)),
    };
    vec![
        kernel.to_owned(),
        duration(m.median_ns),
        duration(m.min_ns),
        duration(m.max_ns),
        samples,
        m.gbps.map_or_else(|| "-".to_owned(), bandwidth),
        phrase::measured_speedup(m).unwrap_or_default(),
        results,
    ]
}
