//! Claims that were measured on a device, read from the committed runs.

use std::path::PathBuf;

use anyhow::Context;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Bench, Claim};
use crate::kept;

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
    let (folder, name) = newest(bench, "h200")?;
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

/// The newest folder of runs whose name ends so, and its name.
///
/// # Errors
/// There is none.
pub fn newest(bench: &Bench, ending: &str) -> anyhow::Result<(PathBuf, String)> {
    let runs = bench.root.join("bench/runs");
    let mut folders: Vec<(String, PathBuf)> = std::fs::read_dir(&runs)
        .with_context(|| format!("can't read {}", runs.display()))?
        .filter_map(Result::ok)
        .map(|entry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            )
        })
        .filter(|(name, path)| path.is_dir() && name.ends_with(ending))
        .collect();
    folders.sort();
    let (name, path) = folders
        .pop()
        .with_context(|| format!("bench/runs holds no run that ends in {ending}"))?;
    Ok((path, name))
}

/// The summary of that run, and its folder from the workspace's root.
///
/// # Errors
/// There is none, or it can't be read.
pub fn newest_summary<T: DeserializeOwned>(
    bench: &Bench,
    ending: &str,
) -> anyhow::Result<(String, T)> {
    let (folder, name) = newest(bench, ending)?;
    let summary = kept::read(&folder.join("summary.json"))?;
    Ok((format!("bench/runs/{name}"), summary))
}
