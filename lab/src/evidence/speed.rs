//! Claims about the simulator's speed: its ratios to Oclgrind, from the newest run of
//! `cargo xtask bench` that is kept, and how `advise` takes to larger problems, which is
//! timed now.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use serde::Deserialize;

use super::{Bench, Claim, runs};
use crate::bench::{CASES, LONG, median};
use crate::kept;

/// What a kernel's simulation must reach, by the share of its lanes that are active.
const RATIO: f64 = 100.0;
const RATIO_DIVERGENT: f64 = 20.0;
const DIVERGENT: f64 = 0.5;
/// What a whole process must reach.
const RATIO_WHOLE: f64 = 50.0;
/// How much longer the slowest size of `advise` may take than the fastest. The times
/// are those of the day, most of it the preprocessor's.
const FLAT: f64 = 1.5;

/// What is read of a kept run.
#[derive(Deserialize)]
struct Speed {
    simulation: Vec<Kernel>,
    whole: Vec<Whole>,
}

/// CPU seconds of one kernel's simulation.
#[derive(Deserialize)]
struct Kernel {
    kernel: String,
    active_lanes: f64,
    oclgrind: Vec<f64>,
    oclgrind_empty: Vec<f64>,
    oclgrind_data_races_uninitialized: Vec<f64>,
    oclgrind_data_races_uninitialized_empty: Vec<f64>,
    tilewise_plain: Vec<f64>,
    tilewise_counters: Vec<f64>,
    tilewise_checks: Vec<f64>,
}

/// CPU seconds of whole processes.
#[derive(Deserialize)]
struct Whole {
    kernel: String,
    oclgrind: f64,
    oclgrind_data_races_uninitialized: f64,
    tilewise_profile: f64,
    tilewise_check: f64,
}

impl Kernel {
    fn target(&self) -> f64 {
        if self.active_lanes < DIVERGENT {
            RATIO_DIVERGENT
        } else {
            RATIO
        }
    }

    fn plain(&self) -> f64 {
        self.oclgrind() / median(&self.tilewise_plain)
    }

    fn counters(&self) -> f64 {
        self.oclgrind() / median(&self.tilewise_counters)
    }

    fn checks(&self) -> f64 {
        let checked = median(&self.oclgrind_data_races_uninitialized)
            - median(&self.oclgrind_data_races_uninitialized_empty);
        checked / median(&self.tilewise_checks)
    }

    fn oclgrind(&self) -> f64 {
        median(&self.oclgrind) - median(&self.oclgrind_empty)
    }
}

/// The claims.
pub fn claims() -> Vec<Claim> {
    let mut claims: Vec<Claim> = [
        ("plain", Kernel::plain as fn(&Kernel) -> f64),
        ("all counters", Kernel::counters),
        ("all checks", Kernel::checks),
    ]
    .into_iter()
    .map(|(column, ratio)| simulation(column, ratio))
    .collect();
    claims.extend([whole(), flat()]);
    claims
}

/// One column of the table.
fn simulation(column: &str, ratio: fn(&Kernel) -> f64) -> Claim {
    Claim::new(
        format!("the simulator against Oclgrind, {column}"),
        format!(
            "{RATIO}x for each of {} kernels, {RATIO_DIVERGENT}x with fewer than half of the \
             lanes active",
            CASES.len()
        ),
        move |bench| {
            let (name, speed) = newest(bench)?;
            let rows: Vec<(&str, f64, f64)> = speed
                .simulation
                .iter()
                .map(|k| (k.kernel.as_str(), ratio(k), k.target()))
                .collect();
            let wanted = CASES.iter().map(|c| c.kernel);
            found(&name, wanted, &rows)
        },
    )
}

/// Whole processes, of `profile` and of `check`.
fn whole() -> Claim {
    Claim::new(
        "whole processes against Oclgrind",
        format!("{RATIO_WHOLE}x for each of {} kernels", LONG.len()),
        |bench| {
            let (name, speed) = newest(bench)?;
            let rows: Vec<(&str, f64, f64)> = speed
                .whole
                .iter()
                .map(|w| {
                    let profile = w.oclgrind / w.tilewise_profile;
                    let check = w.oclgrind_data_races_uninitialized / w.tilewise_check;
                    (w.kernel.as_str(), profile.min(check), RATIO_WHOLE)
                })
                .collect();
            found(&name, LONG.iter().map(|c| c.kernel), &rows)
        },
    )
}

/// The run that is read, and its folder.
fn newest(bench: &Bench) -> anyhow::Result<(String, Speed)> {
    let (folder, name) = runs::newest(bench, "-speed")?;
    Ok((
        format!("bench/runs/{name}"),
        kept::read(&folder.join("speed.json"))?,
    ))
}

/// What rows of kernel, ratio and target come to: the kernel that is furthest from its
/// target, how many reach theirs, and which are not there.
fn found<'a>(
    run: &str,
    wanted: impl Iterator<Item = &'a str>,
    rows: &[(&str, f64, f64)],
) -> anyhow::Result<(String, bool)> {
    // A ratio that is no number reaches nothing, and is the worst.
    let reached = |&&(_, ratio, target): &&(&str, f64, f64)| ratio >= target;
    let share = |&(_, ratio, target): &(&str, f64, f64)| match ratio.is_nan() {
        true => f64::NEG_INFINITY,
        false => ratio / target,
    };
    let worst = rows.iter().min_by(|a, b| share(a).total_cmp(&share(b)));
    let Some((kernel, ratio, target)) = worst else {
        return Ok((format!("not measured in {run}"), false));
    };
    let reach = rows.iter().filter(reached).count();
    let missing: Vec<&str> = wanted
        .filter(|w| rows.iter().all(|(kernel, ..)| kernel != w))
        .collect();
    let mut text = format!(
        "worst: {kernel} {ratio:.0}x of {target}x; {reach} of {} measured reach it, {run}",
        rows.len()
    );
    if !missing.is_empty() {
        text.push_str(&format!("; not measured: {}", missing.join(", ")));
    }
    Ok((text, reach == rows.len() && missing.is_empty()))
}

/// `advise` over sizes of the blur pair, in its benchmark.
fn flat() -> Claim {
    Claim::new(
        "advise on the blur pair, 2^20 to 2^30 elements",
        format!("no size takes {FLAT}x the time of another"),
        |bench| {
            let times = advise(&bench.root)?;
            let slowest = times.iter().copied().fold(f64::MIN, f64::max);
            let fastest = times.iter().copied().fold(f64::MAX, f64::min);
            let found = format!("{fastest:.0} to {slowest:.0} ms, {} sizes", times.len());
            Ok((found, times.len() > 1 && slowest < FLAT * fastest))
        },
    )
}

/// The least time of each size, in milliseconds: what other work on the machine
/// disturbs least.
fn advise(root: &Path) -> anyhow::Result<Vec<f64>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["bench", "--locked", "-p", "tilewise", "--bench", "advise"])
        .current_dir(root)
        .output()
        .context("can't run cargo")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let times = least_times(&text);
    if !output.status.success() || times.is_empty() {
        bail!(
            "the benchmark did not run: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(times)
}

/// The first column of a table that divan prints, in milliseconds. A row is a branch of
/// a tree, a name, and times with their units.
fn least_times(table: &str) -> Vec<f64> {
    let row = |line: &str| {
        // What stands above the table has no columns.
        line.find('│')?;
        let cell = line.split('│').find(|c| !c.trim().is_empty())?;
        let mut words = cell.split_whitespace().rev();
        let unit = match words.next()? {
            "ns" => 1e-6,
            "µs" => 1e-3,
            "ms" => 1.0,
            "s" => 1e3,
            _ => return None,
        };
        let number: f64 = words.next()?.parse().ok()?;
        Some(number * unit)
    };
    table.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_is_named_and_what_is_missing() {
        let rows = [("a", 300.0, 100.0), ("b", 30.0, 20.0), ("c", 99.0, 100.0)];
        let (text, ok) = found("run", ["a", "b", "c", "d"].into_iter(), &rows).expect("rows");
        assert!(text.starts_with("worst: c 99x of 100x; 2 of 3"), "{text}");
        assert!(text.ends_with("not measured: d"), "{text}");
        assert!(!ok);
        let all = found("run", ["a", "b"].into_iter(), &rows[..2]).expect("rows");
        assert!(all.1, "{}", all.0);
        let none = [("a", f64::NAN, 100.0), ("b", 1.0, 20.0)];
        let (text, ok) = found("run", ["a", "b"].into_iter(), &none).expect("rows");
        assert!(text.starts_with("worst: a") && !ok, "{text}");
        assert!(!found("run", ["a"].into_iter(), &[]).expect("no rows").1);
    }

    #[test]
    fn the_first_column_of_the_table() {
        let table = "\
Timer precision: 20 ns
advise                      fastest       │ slowest       │ median        │ samples
╰─ blur_pair_of_two_to_the                │               │               │
   ├─ 20                    188.4 ms      │ 290.1 ms      │ 205.2 ms      │ 5
   │                        1 KB          │               │               │
   ╰─ 30                    1.2 s         │ 1.3 s         │ 1.25 s        │ 5
";
        assert_eq!(least_times(table), [188.4, 1200.0]);
    }
}
