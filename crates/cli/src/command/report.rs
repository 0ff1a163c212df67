//! `tilewise report`.

use std::path::PathBuf;

use tilewise::commands;

use crate::args::{FailOn, GateArgs, OutputArgs};
use crate::failure::Failure;
use crate::outcome;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Examples:
  tilewise report run.json
  tilewise report run.json --export-html run.html
  tilewise report run.json --format markdown     for a pull request
Findings in the file don't change the exit code unless --fail-on is given.";

/// Show a saved run again, in any format. Nothing is run.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// A file that --export-json wrote
    #[arg(value_name = "RUN.json")]
    run: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    gate: GateArgs,
}

impl Args {
    /// Reads the runs and renders them.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let runs = commands::report::report(&self.run)?;
        let gate = self.gate.or_fail_on(FailOn::Never);
        outcome::deliver(runs, &self.output, &gate, false, terminal)
    }
}
