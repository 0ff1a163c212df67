//! The benchmark's tables, and the folder that keeps its figures.

use std::path::Path;

use anyhow::Context;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::json;

use super::tilewise::Simulation;

/// Raw figures of one kernel, in CPU seconds.
#[derive(Default)]
pub struct Row {
    kernel: &'static str,
    /// Oclgrind on the empty kernel.
    pub oclgrind_empty: Vec<f64>,
    /// Oclgrind with nothing on.
    pub oclgrind_plain: Vec<f64>,
    /// Oclgrind with its checks of races and uninitialised values.
    pub oclgrind_checked: Vec<f64>,
    /// Oclgrind with its checks on the empty kernel.
    pub oclgrind_checked_empty: Vec<f64>,
    /// The flags of its checks.
    pub oclgrind_flags: &'static [&'static str],
    plain: Vec<f64>,
    traffic: Vec<f64>,
    checks: Vec<f64>,
    instructions: f64,
    active_lanes: f64,
}

/// Figures of whole processes, in CPU seconds.
pub struct Whole {
    /// The kernel.
    pub kernel: &'static str,
    /// Oclgrind with nothing on.
    pub oclgrind: f64,
    /// Oclgrind with its checks.
    pub oclgrind_checked: f64,
    /// The flags of its checks.
    pub oclgrind_flags: &'static [&'static str],
    /// `tilewise check`.
    pub check: f64,
    /// `tilewise profile`.
    pub profile: f64,
}

/// Seconds of simulations on one thread (of CPU) and on several (of the day).
pub struct Threads {
    kernel: &'static str,
    watch: &'static str,
    threads: usize,
    /// On one.
    pub one: Vec<f64>,
    /// On several.
    pub many: Vec<f64>,
}

impl Threads {
    /// A kernel without figures.
    pub fn new(kernel: &'static str, watch: &'static str, threads: usize) -> Self {
        Self {
            kernel,
            watch,
            threads,
            one: Vec::new(),
            many: Vec::new(),
        }
    }
}

/// All that was timed.
pub struct Figures<'a> {
    /// Simulations.
    pub rows: &'a [Row],
    /// Whole processes.
    pub whole: &'a [Whole],
    /// Simulations on several threads.
    pub threads: &'a [Threads],
}

impl Row {
    /// A kernel without figures.
    pub fn new(kernel: &'static str) -> Self {
        Self {
            kernel,
            ..Self::default()
        }
    }

    /// Adds runs with nothing watching.
    pub fn add_tilewise_plain(&mut self, simulation: &Simulation) {
        self.plain.extend(&simulation.seconds);
        self.instructions = simulation.instructions;
        self.active_lanes = simulation.active_lanes;
    }

    /// Adds runs with all counters.
    pub fn add_tilewise_traffic(&mut self, simulation: &Simulation) {
        self.traffic.extend(&simulation.seconds);
    }

    /// Adds runs with all checks.
    pub fn add_tilewise_checks(&mut self, simulation: &Simulation) {
        self.checks.extend(&simulation.seconds);
    }

    /// Oclgrind's time for the kernel alone.
    fn oclgrind(&self) -> f64 {
        median(&self.oclgrind_plain) - median(&self.oclgrind_empty)
    }

    /// The same with its checks.
    fn oclgrind_checked(&self) -> f64 {
        median(&self.oclgrind_checked) - median(&self.oclgrind_checked_empty)
    }
}

/// The median; of an even number of figures the mean of the two in the middle.
pub fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 0 => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
        n => sorted[n / 2],
    }
}

/// The tables as text.
pub fn tables(figures: &Figures<'_>) -> String {
    let Figures {
        rows,
        whole,
        threads,
    } = *figures;
    let mut text = String::new();
    if !rows.is_empty() {
        let mut table = table(&[
            "simulation alone",
            "active lanes",
            "Oclgrind",
            "tilewise",
            "ratio",
            "with counters",
            "ratio",
            "Oclgrind, checks",
            "checks",
            "ratio",
            "ns per instruction",
        ]);
        for row in rows {
            table.add_row([
                row.kernel.to_owned(),
                format!("{:.0} %", 100.0 * row.active_lanes),
                seconds(row.oclgrind()),
                seconds(median(&row.plain)),
                format!("{:.0}x", row.oclgrind() / median(&row.plain)),
                seconds(median(&row.traffic)),
                format!("{:.0}x", row.oclgrind() / median(&row.traffic)),
                seconds(row.oclgrind_checked()),
                seconds(median(&row.checks)),
                format!("{:.0}x", row.oclgrind_checked() / median(&row.checks)),
                format!("{:.1}", median(&row.plain) / row.instructions * 1e9),
            ]);
        }
        text.push_str(&format!("{table}\n"));
    }
    if !whole.is_empty() {
        let mut table = table(&[
            "whole process",
            "Oclgrind",
            "profile",
            "ratio",
            "Oclgrind, races",
            "check",
            "ratio",
        ]);
        for row in whole {
            table.add_row([
                row.kernel.to_owned(),
                seconds(row.oclgrind),
                seconds(row.profile),
                format!("{:.0}x", row.oclgrind / row.profile),
                seconds(row.oclgrind_checked),
                seconds(row.check),
                format!("{:.0}x", row.oclgrind_checked / row.check),
            ]);
        }
        text.push_str(&format!("\n{table}\n"));
    }
    if !threads.is_empty() {
        let mut table = table(&["simulation", "watched by", "threads", "one", "all", "ratio"]);
        for row in threads {
            let (one, many) = (median(&row.one), median(&row.many));
            table.add_row([
                row.kernel.to_owned(),
                row.watch.to_owned(),
                row.threads.to_string(),
                seconds(one),
                seconds(many),
                format!("{:.2}x", one / many),
            ]);
        }
        text.push_str(&format!("\n{table}\n"));
    }
    text
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn seconds(value: f64) -> String {
    if value < 1.0 {
        format!("{:.1} ms", value * 1e3)
    } else {
        format!("{value:.1} s")
    }
}

/// Writes raw figures and the tables into a folder.
///
/// # Errors
/// The folder can't be written.
pub fn keep(
    folder: &Path,
    figures: &Figures<'_>,
    text: &str,
    oclgrind: &str,
) -> anyhow::Result<()> {
    let raw = json!({
        "machine": machine(),
        "oclgrind": oclgrind,
        "tilewise": env!("CARGO_PKG_VERSION"),
        "unit": "CPU seconds",
        "simulation": figures.rows.iter().map(|r| json!({
            "kernel": r.kernel,
            "active_lanes": r.active_lanes,
            "instructions": r.instructions,
            "oclgrind_empty": r.oclgrind_empty,
            "oclgrind": r.oclgrind_plain,
            "oclgrind_checks": r.oclgrind_flags,
            "oclgrind_data_races_uninitialized": r.oclgrind_checked,
            "oclgrind_data_races_uninitialized_empty": r.oclgrind_checked_empty,
            "tilewise_plain": r.plain,
            "tilewise_counters": r.traffic,
            "tilewise_checks": r.checks,
        })).collect::<Vec<_>>(),
        "whole": figures.whole.iter().map(|w| json!({
            "kernel": w.kernel,
            "oclgrind": w.oclgrind,
            "oclgrind_checks": w.oclgrind_flags,
            "oclgrind_data_races_uninitialized": w.oclgrind_checked,
            "tilewise_profile": w.profile,
            "tilewise_check": w.check,
        })).collect::<Vec<_>>(),
        "threads": figures.threads.iter().map(|t| json!({
            "kernel": t.kernel,
            "watch": t.watch,
            "threads": t.threads,
            "one": t.one,
            "all": t.many,
        })).collect::<Vec<_>>(),
    });
    std::fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
    std::fs::write(
        folder.join("speed.json"),
        serde_json::to_string_pretty(&raw)? + "\n",
    )?;
    std::fs::write(folder.join("speed.txt"), text)?;
    Ok(())
}

/// The processor's name and number of cores.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown processor", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{name}, {cores} cores")
}
