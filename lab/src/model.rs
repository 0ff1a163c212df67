//! How well the time model predicts what was measured.
//!
//! Reads the runs that `bench/measure.sh` keeps, predicts each pair anew for
//! the simulated device with the launch that the run holds, and compares. A
//! run without two measured times, or whose example is gone, is named and left
//! out of the summary.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use clap::Args;
use comfy_table::{Table, presets};
use serde_json::Value;

use crate::workspace;

/// Half of the width of the band within which two forms tie, as `advise` has
/// it.
const BAND: f64 = 0.05;

/// Options of `cargo xtask model`.
#[derive(Args)]
pub struct Options {
    /// Folder of measured runs
    #[arg(value_name = "RUNS_DIR", default_value = "bench/runs/2026-11-30-h200")]
    runs: PathBuf,
    /// The tilewise binary; built where none is given
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// The simulated device that stands for the measured one
    #[arg(long, value_name = "NAME", default_value = "sim:h200")]
    device: String,
}

/// Times of both forms, in nanoseconds.
#[derive(Clone, Copy)]
struct Times {
    unstaged: f64,
    staged: f64,
}

impl Times {
    fn speedup(self) -> f64 {
        self.unstaged / self.staged
    }

    /// Of the original's and the candidate's field `path` of a run.
    fn of(run: &Value, path: &str) -> Option<Self> {
        let candidate = &run["candidates"][0];
        let (first, second) = (run.pointer(path)?, candidate.pointer(path)?);
        let (first, second) = (first.as_f64()?, second.as_f64()?);
        // The candidate is the staged form unless it says that it isn't.
        Some(if candidate["staged"] == Value::Bool(false) {
            Self {
                unstaged: second,
                staged: first,
            }
        } else {
            Self {
                unstaged: first,
                staged: second,
            }
        })
    }
}

/// The class of a speed-up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Pays,
    Ties,
    Loses,
}

impl Class {
    fn of(speedup: f64) -> Self {
        if speedup > 1.0 + BAND {
            Self::Pays
        } else if speedup < 1.0 - BAND {
            Self::Loses
        } else {
            Self::Ties
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pays => "pays",
            Self::Ties => "ties",
            Self::Loses => "loses",
        })
    }
}

/// Predicts every run anew and prints the table.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let root = workspace::root()?;
    let folder = root.join(&options.runs);
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => workspace::build_tilewise(root)?,
    };
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header([
        "run",
        "measured us",
        "predicted us",
        "speed-up",
        "predicted",
        "class",
        "predicted",
        "agrees",
    ]);
    let mut pairs = Vec::new();
    for file in runs_in(&folder)? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("{} can't be read", file.display()))?;
        let run: Value = serde_json::from_str(&text)
            .with_context(|| format!("{} is no JSON", file.display()))?;
        let Some(measured) = Times::of(&run, "/measured/median_ns") else {
            eprintln!("{name}: left out, it holds no two measured times");
            continue;
        };
        let predicted = match predict(&binary, root, &options.device, &run) {
            Ok(times) => times,
            Err(error) => {
                eprintln!("{name}: left out, {error:#}");
                continue;
            }
        };
        let (m, p) = (measured.speedup(), predicted.speedup());
        table.add_row([
            name.to_string(),
            format!(
                "{:.1} / {:.1}",
                measured.unstaged / 1e3,
                measured.staged / 1e3
            ),
            format!(
                "{:.1} / {:.1}",
                predicted.unstaged / 1e3,
                predicted.staged / 1e3
            ),
            format!("{m:.2}"),
            format!("{p:.2}"),
            Class::of(m).to_string(),
            Class::of(p).to_string(),
            if Class::of(m) == Class::of(p) {
                "yes"
            } else {
                "no"
            }
            .to_owned(),
        ]);
        pairs.push((measured, predicted));
    }
    if pairs.is_empty() {
        bail!("{} holds no run to compare with", folder.display());
    }
    println!("{table}");
    print_summary(&pairs);
    Ok(())
}

fn print_summary(pairs: &[(Times, Times)]) {
    let agree = pairs
        .iter()
        .filter(|(m, p)| Class::of(m.speedup()) == Class::of(p.speedup()))
        .count();
    let times: Vec<f64> = pairs
        .iter()
        .flat_map(|(m, p)| [p.unstaged / m.unstaged, p.staged / m.staged])
        .collect();
    let mut speedups: Vec<f64> = pairs
        .iter()
        .map(|(m, p)| m.speedup() / p.speedup())
        .collect();
    speedups.sort_by(f64::total_cmp);
    let quantile = |q: f64| speedups[((speedups.len() - 1) as f64 * q).round() as usize];
    println!("classes agree: {agree} of {}", pairs.len());
    println!("error of times, geometric: x{:.2}", geometric_error(&times));
    println!(
        "error of speed-ups, geometric: x{:.2}",
        geometric_error(&speedups)
    );
    println!(
        "measured over predicted speed-up: {:.2} (10 %), {:.2} (50 %), {:.2} (90 %)",
        quantile(0.1),
        quantile(0.5),
        quantile(0.9)
    );
}

/// The root mean square of the logarithms of ratios, as a factor.
fn geometric_error(ratios: &[f64]) -> f64 {
    let squares: f64 = ratios.iter().map(|r| r.ln().powi(2)).sum();
    (squares / ratios.len() as f64).sqrt().exp()
}

fn predict(binary: &Path, root: &Path, device: &str, run: &Value) -> anyhow::Result<Times> {
    let text = |value: &Value, what: &str| {
        let text = value.as_str().map(str::to_owned);
        text.with_context(|| format!("the run does not say its {what}"))
    };
    let source = example(root, &text(&run["file"], "file")?)?;
    let kernel = text(&run["kernel"], "kernel")?;
    let other = text(&run["candidates"][0]["id"], "candidate")?;
    let mut command = Command::new(binary);
    command
        .current_dir(root)
        .arg("advise")
        .arg(format!("{}::{kernel}", source.display()))
        .args(["--against", &format!("::{other}")])
        .args(["--device", device, "--format", "json"])
        .args(["--global", &sizes(&run["launch"]["global"])?])
        .args(["--local", &sizes(&run["launch"]["local"])?]);
    for arg in run["launch"]["args"].as_array().into_iter().flatten() {
        let (name, value) = (
            text(&arg["name"], "argument")?,
            text(&arg["value"], "value")?,
        );
        // Lengths of buffers follow from the scalars.
        if value.parse::<f64>().is_ok() {
            command.args(["--arg", &format!("{name}={value}")]);
        }
    }
    let output = command.output().context("tilewise can't be run")?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        bail!("{}", message.lines().next().unwrap_or("tilewise failed"));
    }
    let again: Value = serde_json::from_slice(&output.stdout).context("tilewise gave no JSON")?;
    Times::of(&again, "/predicted/time_ns").context("tilewise gave no predicted times")
}

/// The example that a run's file, a bundle or a source, was made from.
fn example(root: &Path, file: &str) -> anyhow::Result<PathBuf> {
    let stem = Path::new(file).file_stem().unwrap_or_default();
    let name = stem.to_string_lossy();
    let path = Path::new("examples")
        .join(&*name)
        .join(format!("{name}.cl"));
    if !root.join(&path).is_file() {
        bail!("there is no {}", path.display());
    }
    Ok(path)
}

fn sizes(value: &Value) -> anyhow::Result<String> {
    let sizes = value.as_array().context("the run holds no launch sizes")?;
    let sizes: Vec<String> = sizes.iter().map(Value::to_string).collect();
    Ok(sizes.join("x"))
}

fn runs_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("{} can't be listed", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_candidate_is_staged_unless_it_says_no() {
        let run = |staged: bool| {
            json!({
                "measured": {"median_ns": 200.0},
                "candidates": [{"staged": staged, "measured": {"median_ns": 100.0}}],
            })
        };
        let speedup = |staged| Times::of(&run(staged), "/measured/median_ns").map(Times::speedup);
        assert_eq!(speedup(true), Some(2.0));
        assert_eq!(speedup(false), Some(0.5));
        let unmeasured = json!({"candidates": []});
        assert!(Times::of(&unmeasured, "/measured/median_ns").is_none());
    }

    #[test]
    fn errors_count_in_both_directions() {
        assert!((geometric_error(&[2.0, 0.5]) - 2.0).abs() < 1e-12);
        assert_eq!(geometric_error(&[1.0]), 1.0);
    }
}
