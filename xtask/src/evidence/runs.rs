//! Claims that were measured on a device, read from the committed runs.

use std::path::PathBuf;

use anyhow::Context;
use serde_json::Value;

use super::{Bench, Claim};

/// Verdicts that the H200 gave, by the run's file name.
const TARGETS: [(&str, &str); 5] = [
    ("blur", "loses"),
    ("matmul_16", "pays"),
    ("conv2d_r7_32x8", "pays"),
    ("nbody", "pays"),
    ("transpose_padded", "pays"),
];

/// One claim per target, from the newest folder of runs on an H200.
///
/// # Errors
/// `bench/runs` can't be read.
pub fn measured(bench: &Bench) -> anyhow::Result<Vec<Claim>> {
    let folder = newest(bench)?;
    let name = folder
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    Ok(TARGETS
        .into_iter()
        .map(|(run, target)| {
            let path = folder.join(format!("{run}.json"));
            Claim::new(
                format!("{run}, measured on an H200 (bench/runs/{name})"),
                target,
                move |_| {
                    let text = std::fs::read_to_string(&path)
                        .with_context(|| format!("can't read {}", path.display()))?;
                    let json: Value = serde_json::from_str(&text)?;
                    let verdict = &json["verdict"];
                    let kind = verdict["kind"].as_str().unwrap_or("none");
                    let basis = verdict["basis"].as_str().unwrap_or("none");
                    let device = verdict["device"].as_str().unwrap_or("none");
                    let speedup = verdict["speedup"].as_f64().unwrap_or(f64::NAN);
                    let ok = kind == target && basis == "measured" && device.contains("H200");
                    Ok((format!("{kind} {speedup:.2}x, {basis} on {device}"), ok))
                },
            )
        })
        .collect())
}

fn newest(bench: &Bench) -> anyhow::Result<PathBuf> {
    let runs = bench.root.join("bench/runs");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&runs)
        .with_context(|| format!("can't read {}", runs.display()))?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && path.to_string_lossy().ends_with("h200"))
        .collect();
    folders.sort();
    folders.pop().context("bench/runs holds no run on an H200")
}
