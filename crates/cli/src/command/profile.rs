//! `tilewise profile`.

use tilewise::commands;

use crate::args::{DeviceArgs, GateArgs, LaunchArgs, OutputArgs};
use crate::failure::Failure;
use crate::outcome;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Examples:
  tilewise profile examples/blur/blur.cl::blur_naive
  tilewise profile K.cl --global 4096x4096 --local 16x16 \\
      --arg W=4096 --arg 'in=[W*W]' --device sim:a100";

/// How a kernel reads memory: reuse, footprint, requests, banks, occupancy.
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
        let runs = commands::profile::profile(&session, &input)?;
        outcome::deliver(runs, &self.output, &self.gate, false, terminal)
    }
}
