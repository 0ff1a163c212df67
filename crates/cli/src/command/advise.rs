//! `tilewise advise`.

use tilewise::commands;

use crate::args::{DeviceArgs, GateArgs, LaunchArgs, MeasureArgs, OutputArgs, SecondKernelArgs};
use crate::failure::Failure;
use crate::outcome;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Examples:
  tilewise advise examples/blur/blur.cl::blur_naive --against ::blur_tiled
  tilewise advise K.cl::naive --against K_tiled.cl --device sim:h200
  tilewise advise K.cl::naive --against ::tiled --require pays   for a build";

/// Whether staging pays: does the kernel re-read, does the tile fit, is
/// occupancy kept, are the results equal, is it faster; then what to do, and
/// the verdict.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Kernel file (.cl, .spv) or a bundle's folder
    #[arg(value_name = "K.cl[::KERNEL]")]
    target: String,
    /// The other form of the kernel; ::KERNEL is one of the same file
    #[arg(long, value_name = "B.cl[::KERNEL]")]
    against: Option<String>,
    /// Which of the two is the unstaged one [default: the one with less local memory]
    #[arg(
        long,
        value_name = "1|2",
        requires = "against",
        value_parser = clap::value_parser!(u8).range(1..=2)
    )]
    baseline_kernel: Option<u8>,
    #[command(flatten)]
    launch: LaunchArgs,
    #[command(flatten)]
    second_kernel: SecondKernelArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    gate: GateArgs,
}

impl Args {
    /// Answers the five questions, and gives the verdict.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let first = self.launch.first(&self.target)?;
        let second = match &self.against {
            Some(text) => Some(self.launch.second(text, &first, &self.second_kernel)?),
            None => {
                self.second_kernel.need_a_second("name it with --against")?;
                None
            }
        };
        let session = terminal.measuring_session(self.device, &self.measure);
        // People count from 1, the library from 0.
        let baseline = self.baseline_kernel.map(|n| usize::from(n - 1));
        let runs = commands::advise::advise(&session, &first, second.as_ref(), baseline)?;
        outcome::deliver(runs, &self.output, &self.gate, self.measure.force, terminal)
    }
}
