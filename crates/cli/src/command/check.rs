//! `tilewise check`.

use tilewise::commands;

use crate::args::{DeviceArgs, GateArgs, LaunchArgs, OutputArgs};
use crate::failure::Failure;
use crate::outcome;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Examples:
  tilewise check K.cl --fail-on warning
  tilewise check K.cl --format github        annotations in a GitHub workflow";

/// What makes a kernel wrong, at its place in the source: accesses outside
/// buffers, divergent barriers, loops without end.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Kernel file (.cl, .spv) or a bundle's folder
    #[arg(value_name = "K.cl[::KERNEL]")]
    target: String,
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
        let session = terminal.session(self.device);
        let runs = commands::check::check(&session, &input)?;
        outcome::deliver(runs, &self.output, &self.gate, false, terminal)
    }
}
