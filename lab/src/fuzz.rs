//! Runs the fuzz targets until they bring nothing new.
//!
//! A target has reached its end when it has used `--quiet` seconds of processor
//! time without an input that reached a place of its reader's source which none had
//! reached before ([`places`]; `fuzz/own_code.sh` leaves dependencies out). Processor
//! time, not the clock, so that a busy machine does not pass for a quiet target. New
//! *counts* of known edges (`ft`), and edges within what the compiler copied from the
//! standard library, are kept as inputs and do not start the time anew.
//!
//! What is found goes into `--corpus`, a folder outside the repository; what the
//! repository holds (`fuzz/corpus`) is read only. A crash ends its target and
//! leaves the input in that folder.

mod places;
mod target;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, bail};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::{kept, workspace};

/// Fuzz targets, those of `fuzz/Cargo.toml`.
pub const TARGETS: [&str; 4] = ["ast", "expression", "launch_file", "spirv"];

/// The source of the reader that a target is about. What it runs behind the reader (the
/// lowering of a module, the launch that is guessed for a kernel) must not break
/// either, but is not read from people's files.
fn reader(target: &str) -> &'static str {
    match target {
        "ast" => "crates/frontend/src/ast/",
        "spirv" => "crates/frontend/src/spirv/",
        _ => "crates/launch/src/",
    }
}

/// Options of `cargo xtask fuzz`.
#[derive(Args)]
pub struct Options {
    /// Targets; all if none is named
    #[arg(value_name = "TARGET", value_parser = TARGETS)]
    targets: Vec<String>,
    /// Seconds of processor time in which a target must find nothing new
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    quiet: u64,
    /// Seconds of processor time after which a target ends anyway
    #[arg(long, value_name = "SECONDS", default_value_t = 7200)]
    limit: u64,
    /// Targets side by side
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Where the inputs that were found are kept, a folder per target
    #[arg(long, value_name = "DIR", default_value = "target/fuzz")]
    corpus: PathBuf,
    /// Write what each target came to, keeping what the file says of others
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
}

/// What a target came to.
#[derive(Default, Serialize, Deserialize)]
pub struct Fuzzed {
    /// Seconds of processor time since a place of the reader's source was reached that
    /// had not been reached before.
    pub quiet: u64,
    /// The same of all of tilewise's source that the target runs.
    #[serde(default)]
    pub quiet_behind: u64,
    /// Seconds of processor time in all.
    pub seconds: u64,
    /// Inputs that were run.
    pub executions: u64,
    /// Edges reached, with those of generic code that is compiled with it.
    pub edges: u64,
    /// Inputs on which the target crashed, hung or ran out of memory.
    pub crashes: u64,
    /// Peak resident memory, MiB.
    pub mib: u64,
}

/// Fuzzes.
///
/// # Errors
/// cargo-fuzz is missing, a target does not build or start, crashed, or did not
/// come to rest.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let root = workspace::root()?;
    let built = build(root)?;
    let mut targets: Vec<&str> = options.targets.iter().map(String::as_str).collect();
    if targets.is_empty() {
        targets = TARGETS.to_vec();
    }
    let waiting = Mutex::new(targets.into_iter());
    let earlier = options.summary.as_deref().filter(|p| p.exists());
    let results: BTreeMap<String, Fuzzed> =
        earlier.map(kept::read).transpose()?.unwrap_or_default();
    let results = Mutex::new(results);
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let workers: Vec<_> = (0..options.jobs.max(1))
            .map(|_| scope.spawn(|| work(options, root, &built, &waiting, &results)))
            .collect();
        for worker in workers {
            match worker.join() {
                Ok(result) => result?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(())
    })?;
    let results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    let mut open = Vec::new();
    for (target, fuzzed) in &results {
        println!(
            "{target}: {} s, {} inputs, {} edges, nothing new in the reader for {} s, behind it for {} s, {} crashes, {} MiB",
            fuzzed.seconds,
            fuzzed.executions,
            fuzzed.edges,
            fuzzed.quiet,
            fuzzed.quiet_behind,
            fuzzed.crashes,
            fuzzed.mib
        );
        if fuzzed.crashes > 0 || fuzzed.quiet < options.quiet {
            open.push(target.as_str());
        }
    }
    if !open.is_empty() {
        bail!("not at rest: {}", open.join(", "));
    }
    Ok(())
}

/// Takes target after target, and writes the summary after each.
fn work<'t>(
    options: &Options,
    root: &Path,
    built: &Path,
    waiting: &Mutex<impl Iterator<Item = &'t str>>,
    results: &Mutex<BTreeMap<String, Fuzzed>>,
) -> anyhow::Result<()> {
    loop {
        let next = waiting.lock().unwrap_or_else(|e| e.into_inner()).next();
        let Some(target) = next else { return Ok(()) };
        let fuzzed = target::run(&target::Run {
            target,
            reader: reader(target),
            program: &built.join(target),
            root,
            own: &root.join("fuzz/corpus").join(target),
            dictionary: &root
                .join("fuzz/dictionaries")
                .join(target)
                .with_extension("dict"),
            found: &options.corpus.join(target),
            quiet: options.quiet,
            limit: options.limit,
        })?;
        let mut results = results.lock().unwrap_or_else(|e| e.into_inner());
        results.insert(target.to_owned(), fuzzed);
        if let Some(path) = &options.summary {
            kept::write(path, &*results)?;
        }
    }
}

/// Builds the targets as cargo-fuzz does (nightly Rust, libFuzzer), without a
/// sanitizer, since there is no `unsafe` code in them; with debug assertions.
fn build(root: &Path) -> anyhow::Result<PathBuf> {
    let folder = root.join("fuzz");
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(&folder)
        .output()
        .context("can't start cargo")?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let target = metadata["target_directory"]
        .as_str()
        .context("cargo names no target folder")?;
    // Cargo does not build anew what a wrapper would build otherwise.
    let target = Path::new(target).join("own_code");
    // Cargo's own variables name the toolchain of this program, which is not
    // the one that is asked for.
    let status = Command::new("cargo")
        .args([
            "+nightly",
            "fuzz",
            "build",
            "-s",
            "none",
            "-a",
            "--target-dir",
        ])
        .arg(&target)
        .current_dir(&folder)
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env("RUSTC_WRAPPER", folder.join("own_code.sh"))
        .status()
        .context("can't start cargo")?;
    if !status.success() {
        bail!(
            "`cargo +nightly fuzz build` failed in {}; it needs nightly Rust and cargo-fuzz \
             (`cargo install cargo-fuzz`)",
            folder.display()
        );
    }
    // cargo-fuzz always names the machine that it builds for.
    let output = Command::new("rustc").arg("-vV").output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text
        .lines()
        .find_map(|l| l.strip_prefix("host: "))
        .context("rustc names no host")?;
    Ok(target.join(host).join("release"))
}
