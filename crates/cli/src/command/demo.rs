//! `tilewise demo`.

use tilewise::commands;

use crate::args::{DeviceArgs, GateArgs, MeasureArgs, OutputArgs};
use crate::failure::Failure;
use crate::outcome;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Examples:
  tilewise demo
  tilewise demo --device cl:0 --export-html demo.html";

/// A worked example end to end: a 3-tap blur, naive and tiled, checked against
/// a reference, profiled, measured where an OpenCL device is there, judged.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
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
    /// Runs the example and tells it in chapters.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let session = terminal.measuring_session(self.device, &self.measure);
        let demo = commands::demo::demo(&session)?;
        outcome::deliver(
            demo.runs,
            &self.output,
            &self.gate,
            self.measure.force,
            terminal,
        )
    }
}
