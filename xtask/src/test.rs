//! The whole test run, as CI makes it.

use std::process::Command;

use anyhow::{Context, bail};
use clap::Args;

use crate::setup;

/// Options of `cargo xtask test`.
#[derive(Args)]
pub struct Options {
    /// Run clippy, too, which checks every crate once more: before a commit
    #[arg(long)]
    lints: bool,
    /// Passed to `cargo test`, such as the name of a test
    #[arg(trailing_var_arg = true)]
    args: Vec<String>,
}

/// Sets up, then checks formatting and, if wanted, lints, and runs the tests;
/// stops at the first failure.
pub fn run(options: &Options) -> anyhow::Result<()> {
    setup::run()?;
    let lints = ["clippy", "--workspace", "--all-targets"];
    let lints = [&lints[..], &["--", "-D", "warnings"]].concat();
    let checks = [
        ("fmt", &["fmt", "--all", "--check"][..], true),
        ("clippy", &lints, options.lints),
    ];
    for (component, args, wanted) in checks {
        if !wanted {
            continue;
        }
        if has_component(component) {
            cargo(args)?;
        } else {
            eprintln!(
                "test: cargo {component} is not installed, left out (rustup component add {component})"
            );
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
