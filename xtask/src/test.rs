//! The whole test run, as CI makes it.

use std::process::Command;

use anyhow::{Context, bail};
use clap::Args;

use crate::setup;

/// Options of `cargo xtask test`.
#[derive(Args)]
pub struct Options {
    /// Leave out formatting and lints
    #[arg(long)]
    no_lints: bool,
    /// Passed to `cargo test`, such as the name of a test
    #[arg(trailing_var_arg = true)]
    args: Vec<String>,
}

/// Sets up, then runs formatting, lints and tests; stops at the first failure.
pub fn run(options: &Options) -> anyhow::Result<()> {
    setup::run()?;
    if !options.no_lints {
        for (component, args) in [
            ("fmt", &["fmt", "--all", "--check"][..]),
            (
                "clippy",
                &[
                    "clippy",
                    "--workspace",
                    "--all-targets",
                    "--",
                    "-D",
                    "warnings",
                ],
            ),
        ] {
            if has_component(component) {
                cargo(args)?;
            } else {
                eprintln!(
                    "test: cargo {component} is not installed, left out (rustup component add {component})"
                );
            }
        }
    }
    let mut args = vec!["test", "--workspace"];
    args.extend(options.args.iter().map(String::as_str));
    cargo(&args)
}

fn has_component(name: &str) -> bool {
    Command::new(cargo_path())
        .args([name, "--version"])
        .output()
        .is_ok_and(|o| o.status.success())
}

fn cargo(args: &[&str]) -> anyhow::Result<()> {
    eprintln!("test: cargo {}", args.join(" "));
    let status = Command::new(cargo_path())
        .args(args)
        // The tests that need OpenCL fail rather than skip: set-up saw to it.
        .env("TILEWISE_REQUIRE_OPENCL", "1")
        .env("TILEWISE_REQUIRE_CLANG", "1")
        .status()
        .context("can't start cargo")?;
    if !status.success() {
        bail!("`cargo {}` failed: {status}", args.join(" "));
    }
    Ok(())
}

/// The cargo that runs this program.
pub fn cargo_path() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}
