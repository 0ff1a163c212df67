//! Claims about the staged kernels that tilewise writes: the examples, random naive
//! kernels, naive kernels of public suites.
//!
//! Long runs are read from `bench/runs/`, a short form of them is run now.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::Context;

use super::{Bench, Claim, runs};
use crate::bench::median;
use crate::kept;
use crate::stage_corpus::Suite;
use crate::stage_random::Summary;

/// Naive kernels of `examples/` that have something to gain from a tile, or did.
const STAGED: [&str; 18] = [
    "blur/blur.cl::blur_naive",
    "conv2d/conv2d.cl::conv2d_naive",
    "conv2d_fixed/conv2d_fixed.cl::conv2d_fixed_naive",
    "conv2d_wrap/conv2d_wrap.cl::conv2d_wrap_naive",
    "conv2d_zero/conv2d_zero.cl::conv2d_zero_naive",
    "fir/fir.cl::fir_naive",
    "gaussian/gaussian.cl::gaussian_columns_naive",
    "gaussian/gaussian.cl::gaussian_rows_naive",
    "image_blur/image_blur.cl::image_blur_naive",
    "jacobi/jacobi.cl::jacobi_naive",
    "kmeans/kmeans.cl::kmeans_naive",
    "lut/lut.cl::lut_naive",
    "matmul/matmul.cl::matmul_naive",
    "nbody/nbody.cl::nbody_naive",
    "pairwise/pairwise.cl::pairwise_naive",
    "rowsum/rowsum.cl::rowsum_naive",
    "stencil3d/stencil3d.cl::stencil3d_naive",
    "transpose/transpose.cl::transpose_naive",
];
/// The one that reads every element once and along memory.
const REFUSED: (&str, &str) = ("map/map.cl::map_naive", "TW310");

/// Kernels of the run that is kept, and the share of them that is staged.
const KERNELS: u64 = 10_000;
const SHARE: f64 = 90.0;
/// Kernels that are run now, from a seed behind those.
const KERNELS_NOW: &str = "20";
const SEED_NOW: &str = "200001";

/// What a form that tilewise stages may take against its twin staged by hand, as the
/// twin's time over its own: the least of any example, and the least median of all, which
/// is 1.00 to the two digits that a second run repeats.
const LEAST: f64 = 0.95;
const LEAST_MEDIAN: f64 = 0.995;

/// The claims.
pub fn claims() -> Vec<Claim> {
    vec![
        examples(),
        by_hand("an H200", "-h200-staged"),
        by_hand("PoCL", "-pocl-staged"),
        refused(),
        random(),
        random_now(),
        suites(),
        removed(),
    ]
}

/// Forms that tilewise staged, measured in turn with their twins.
fn by_hand(device: &'static str, ending: &'static str) -> Claim {
    Claim::new(
        format!("examples staged by tilewise against by hand, on {device}"),
        format!(
            "each at least {LEAST}, the median 1.00 or more, {} kernels",
            STAGED.len()
        ),
        move |bench| {
            let (folder, name) = runs::newest(bench, ending)?;
            let mut ratios = Vec::new();
            for entry in std::fs::read_dir(&folder)? {
                let file = entry?.file_name().to_string_lossy().into_owned();
                let Some(kernel) = file.strip_suffix("_hand.json") else {
                    continue;
                };
                let run: serde_json::Value = kept::read(&folder.join(&file))?;
                let ratio = run["candidates"][0]["measured"]["speedup"].as_f64();
                let ratio = ratio.with_context(|| format!("{name}/{file} has no speed-up"))?;
                ratios.push((ratio, kernel.to_owned()));
            }
            ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (least, of) = ratios.first().context("no pair was measured")?;
            let values: Vec<f64> = ratios.iter().map(|r| r.0).collect();
            let median = median(&values);
            let found = format!(
                "{} pairs: least {least:.3} ({of}), median {median:.3}, bench/runs/{name}",
                ratios.len()
            );
            let ok = *least >= LEAST && median >= LEAST_MEDIAN && ratios.len() >= STAGED.len();
            Ok((found, ok))
        },
    )
}

/// Staged forms of the suites' kernels with their tiles taken out again.
fn removed() -> Claim {
    Claim::new(
        "tiles of the suites' staged kernels taken out again",
        "each equal and without a barrier, or refused",
        |bench| {
            let (name, kept) =
                runs::newest_summary::<BTreeMap<String, Suite>>(bench, "-stage-suites")?;
            let total = |of: fn(&Suite) -> usize| kept.values().map(of).sum::<usize>();
            let (staged, removed) = (total(|s| s.staged), total(|s| s.removed));
            let refused = total(|s| s.not_removed.values().sum());
            let found = format!("{removed} of {staged} proved, {refused} refused, {name}");
            let faults = total(|s| s.wrong + s.crashed);
            let all = removed + refused == staged;
            Ok((found, all && removed > 0 && faults == 0))
        },
    )
}

fn examples() -> Claim {
    Claim::new(
        "naive examples, staged by tilewise",
        format!("{} of {}, each proved", STAGED.len(), STAGED.len()),
        |bench| {
            let mut missing = Vec::new();
            for kernel in STAGED {
                let run = staged(bench, kernel)?;
                if run["candidates"][0]["verified"]["equal"] != true {
                    missing.push(kernel);
                }
            }
            let proved = STAGED.len() - missing.len();
            let mut found = format!("{proved} of {}", STAGED.len());
            if !missing.is_empty() {
                found.push_str(&format!("; not {}", missing.join(", ")));
            }
            Ok((found, missing.is_empty()))
        },
    )
}

fn refused() -> Claim {
    let (kernel, code) = REFUSED;
    Claim::new(
        format!("{kernel}, which nothing can be gained from"),
        format!("refused, {code}"),
        move |bench| {
            let run = staged(bench, kernel)?;
            let found = run["findings"][0]["code"].as_str().unwrap_or("none");
            let none = run["candidates"].as_array().is_none_or(Vec::is_empty);
            Ok((found.to_owned(), none && found == code))
        },
    )
}

/// The run of `stage` on an example at its small launch.
fn staged(bench: &Bench, kernel: &str) -> anyhow::Result<serde_json::Value> {
    let path = format!("examples/{kernel}");
    let mut run = bench.json(&[
        "stage",
        &path,
        "--launch-name",
        "small",
        "--device",
        "sim:h200",
    ])?;
    Ok(match run.get_mut(0) {
        Some(first) => first.take(),
        None => run,
    })
}

fn random() -> Claim {
    Claim::new(
        "random naive kernels, staged by tilewise",
        format!("{KERNELS}, none wrong, none crashed, at least {SHARE} % staged"),
        |bench| {
            let (name, kept) = runs::newest_summary::<Summary>(bench, "-stage-drawn")?;
            let share = 100.0 * kept.staged as f64 / kept.kernels.max(1) as f64;
            let refused: u64 = kept.refused.values().sum();
            let found = format!(
                "{} kernels: {} staged and proved ({share:.1} %), {refused} refused, {} wrong, \
                 {} crashed, {name}",
                kept.kernels, kept.staged, kept.wrong, kept.crashed
            );
            let ok = kept.kernels >= KERNELS && kept.wrong + kept.crashed == 0 && share >= SHARE;
            Ok((found, ok))
        },
    )
}

fn random_now() -> Claim {
    Claim::new(
        "random naive kernels that are not among those",
        format!("{KERNELS_NOW}, none wrong, none crashed"),
        |bench| {
            let output = Command::new(std::env::current_exe()?)
                .args(["stage-random", "--count", KERNELS_NOW, "--seed", SEED_NOW])
                .arg("--keep")
                .arg(bench.root.join("target/stage-random"))
                .current_dir(&bench.root)
                .output()
                .context("can't run the kernels")?;
            let text = String::from_utf8_lossy(&output.stdout);
            let counts: Vec<&str> = text
                .lines()
                .filter(|l| l.starts_with(' ') && !l.contains("TW3"))
                .map(str::trim)
                .collect();
            Ok((counts.join("; "), output.status.success()))
        },
    )
}

fn suites() -> Claim {
    Claim::new(
        "naive kernels of public suites, staged by tilewise",
        "none wrong, none crashed",
        |bench| {
            let (name, kept) =
                runs::newest_summary::<BTreeMap<String, Suite>>(bench, "-stage-suites")?;
            let shown: Vec<String> = kept
                .iter()
                .map(|(suite, of)| {
                    let refused: usize = of.refused.values().sum();
                    format!("{suite}: {} staged, {refused} refused", of.staged)
                })
                .collect();
            let faults: usize = kept.values().map(|s| s.wrong + s.crashed).sum();
            let found = format!("{}; {faults} wrong or crashed, {name}", shown.join("; "));
            Ok((found, !kept.is_empty() && faults == 0))
        },
    )
}
