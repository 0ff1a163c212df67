//! The workspace: where it is, and building its programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;

/// The folder of the workspace.
///
/// # Errors
/// lab does not stand in a folder.
pub fn root() -> anyhow::Result<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("lab stands in the workspace")
}

/// Builds the `tilewise` binary, optimised, and says where it is.
///
/// # Errors
/// It does not build.
pub fn build_tilewise(root: &Path) -> anyhow::Result<PathBuf> {
    build(root, &["build", "--release", "--package", "tilewise-cli"])
}

/// Runs a cargo command that builds a program and says where that is.
///
/// # Errors
/// Cargo can't be run, fails, or names no program.
pub fn build(root: &Path, args: &[&str]) -> anyhow::Result<PathBuf> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(args)
        .args(["--message-format", "json-render-diagnostics"])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .context("can't start cargo")?;
    if !output.status.success() {
        bail!("`cargo {}` failed", args.join(" "));
    }
    // The last artifact with an executable is the program.
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .next_back()
        .context("cargo names no executable")
}
