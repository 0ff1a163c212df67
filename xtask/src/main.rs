//! Tasks of the workspace: `cargo xtask setup | test | evidence | model | bench |
//! random | stage-random | corpus | stage-corpus | oclgrind-tests |
//! fuzz`.
//!
//! Only `setup` and `test` are here, so that a test run starts without building
//! tilewise twice; the others are the program in `lab/`.

mod setup;
mod test;

use std::ffi::OsString;
use std::process::Command;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tasks of the tilewise workspace")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what the tests need and this machine lacks: clang, the SPIR-V
    /// translator, PoCL and an OpenCL loader
    Setup,
    /// Set up, check formatting, run every test; with --lints clippy first
    Test(test::Options),
    /// Re-run each claim that needs no GPU, read the others from bench/runs,
    /// and print claim, target, figure, ok or not
    #[command(disable_help_flag = true)]
    Evidence(Rest),
    /// Predict measured runs anew and print how far predictions are off
    #[command(disable_help_flag = true)]
    Model(Rest),
    /// Time the simulator against Oclgrind
    #[command(disable_help_flag = true)]
    Bench(Rest),
    /// Compile, lower and run every kernel of a folder of OpenCL sources
    #[command(disable_help_flag = true)]
    Corpus(Rest),
    /// Run the fuzz targets until they bring nothing new
    #[command(disable_help_flag = true)]
    Fuzz(Rest),
    /// Run Oclgrind's own kernel tests and compare the verdicts
    #[command(disable_help_flag = true)]
    OclgrindTests(Rest),
    /// Run random programs on the simulator and on an OpenCL device, and
    /// compare with an interpreter
    #[command(disable_help_flag = true)]
    Random(Rest),
    /// Stage every kernel of a folder of OpenCL sources
    #[command(disable_help_flag = true)]
    StageCorpus(Rest),
    /// Stage random naive kernels and prove each, or see it refused
    #[command(disable_help_flag = true)]
    StageRandom(Rest),
}

/// What the program in `lab/` takes.
#[derive(Args)]
struct Rest {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().task {
        Task::Setup => setup::run(),
        Task::Test(options) => test::run(&options),
        Task::Evidence(rest) => lab("evidence", &rest),
        Task::Model(rest) => lab("model", &rest),
        Task::Bench(rest) => lab("bench", &rest),
        Task::Corpus(rest) => lab("corpus", &rest),
        Task::Fuzz(rest) => lab("fuzz", &rest),
        Task::OclgrindTests(rest) => lab("oclgrind-tests", &rest),
        Task::Random(rest) => lab("random", &rest),
        Task::StageCorpus(rest) => lab("stage-corpus", &rest),
        Task::StageRandom(rest) => lab("stage-random", &rest),
    }
}

/// Builds the program in `lab/` and runs a task of it; its exit code is this
/// one's.
fn lab(task: &str, rest: &Rest) -> anyhow::Result<()> {
    let status = Command::new(test::cargo_path())
        .args(["run", "--quiet", "--release", "--package", "tilewise-lab"])
        .args(["--", task])
        .args(&rest.args)
        .status()
        .context("can't run cargo")?;
    std::process::exit(status.code().unwrap_or(1));
}
