//! `tilewise bench`.

use tilewise::commands;

use crate::args::{DeviceArgs, GateArgs, LaunchArgs, MeasureArgs, OutputArgs, SecondKernelArgs};
use crate::failure::Failure;
use crate::outcome;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Examples:
  tilewise bench K.cl::naive ::tiled --arg@2 'tile=local:[local_size(0)+2]'
  tilewise bench before.cl after.cl --device cl:0 --export-json bench.json";

/// How fast kernels are, measured in turns so that both see the same clock;
/// each against the first.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Kernel files (.cl, .spv) or bundles; ::KERNEL is one of the first file
    #[arg(value_name = "A.cl[::KERNEL]", required = true)]
    kernels: Vec<String>,
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
    /// Measures the kernels.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let mut inputs = Vec::with_capacity(self.kernels.len());
        for (index, text) in self.kernels.iter().enumerate() {
            inputs.push(match (index, inputs.first()) {
                (1, Some(first)) => self.launch.second(text, first, &self.second_kernel)?,
                (_, Some(first)) => self.launch.further(text, first)?,
                (_, None) => self.launch.first(text)?,
            });
        }
        if inputs.len() < 2 {
            self.second_kernel
                .need_a_second("name it behind the first: A.cl B.cl")?;
        }
        let session = terminal.measuring_session(self.device, &self.measure);
        let runs = commands::bench::bench(&session, &inputs)?;
        outcome::deliver(runs, &self.output, &self.gate, self.measure.force, terminal)
    }
}
