//! `tilewise check`.

use tilewise::Session;
use tilewise::commands;

use crate::args::{DeviceArgs, GateArgs, LaunchArgs, OutputArgs};
use crate::failure::Failure;
use crate::outcome;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Examples:
  tilewise check K.cl --fail-on warning
  tilewise check K.cl --allow TW102          leave out races in global memory
  tilewise check K.cl --format github        annotations in a GitHub workflow";

/// What makes a kernel wrong, at its place in the source: data races, accesses
/// outside buffers, divergent barriers, loops without end.
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
            ..terminal.session(self.device)
        };
        let runs = commands::check::check(&session, &input)?;
        outcome::deliver(runs, &self.output, &self.gate, false, terminal)
    }
}
