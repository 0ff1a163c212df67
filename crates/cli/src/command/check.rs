//! `tilewise check`.

use std::time::Duration;

use tilewise::Session;
use tilewise::commands;

use crate::args::{DeviceArgs, GateArgs, LaunchArgs, OutputArgs, seconds};
use crate::failure::Failure;
use crate::outcome;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Examples:
  tilewise check K.cl --fail-on warning
  tilewise check K.cl --sizes --budget 60    at awkward sizes, too, for a minute
  tilewise check K.cl --allow TW102          leave out races in global memory
  tilewise check K.cl --format github        annotations in a GitHub workflow";

/// What makes a kernel wrong, at its place in the source: data races, accesses
/// outside buffers, divergent barriers, loops without end. Where nothing is wrong,
/// what makes it slow: uncoalesced accesses, bank conflicts, tiles that save nothing.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Kernel file (.cl, .spv) or a bundle's folder
    #[arg(value_name = "K.cl[::KERNEL]")]
    target: String,
    /// Report what OpenCL calls a mistake though it seldom does harm: work-items
    /// that write the same value to one place
    #[arg(long)]
    strict: bool,
    /// Check a spread of awkward sizes, too: one, primes, the work-group's extent
    /// and its neighbours
    #[arg(id = "awkward-sizes", long = "sizes")]
    awkward_sizes: bool,
    /// Seconds that these may take
    #[arg(long, value_name = "SECONDS", requires = "awkward-sizes", default_value = "10", value_parser = seconds)]
    budget: f64,
    /// Leave out findings of these codes; `// tilewise: allow TW101` in the
    /// source does so for a line or a function
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    allow: Vec<String>,
    #[command(flatten)]
    launch: LaunchArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    gate: GateArgs,
}

impl Args {
    /// Simulates the launch and shows what came of it.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let input = self.launch.first(&self.target)?;
        let session = Session {
            strict: self.strict,
            allow: self.allow,
            sizes: self
                .awkward_sizes
                .then(|| Duration::try_from_secs_f64(self.budget).unwrap_or(Duration::MAX)),
            ..terminal.session(self.device)
        };
        let runs = commands::check::check(&session, &input)?;
        outcome::deliver(runs, &self.output, &self.gate, false, terminal)
    }
}
