//! `tilewise verify`.

use std::path::PathBuf;

use tilewise::commands::verify;

use crate::args::{DeviceArgs, GateArgs, LaunchArgs, MeasureArgs, OutputArgs, SecondKernelArgs};
use crate::failure::Failure;
use crate::outcome;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Examples:
  tilewise verify K.cl::naive ::tiled --arg@2 'tile=local:[local_size(0)+2]'
  tilewise verify before.cl after.cl --device cl:0
  tilewise verify K.cl --expect out=@reference.npy";

/// Whether two kernels give the same results, on the simulator and on a device.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Kernel file (.cl, .spv) or a bundle's folder
    #[arg(value_name = "A.cl[::KERNEL]")]
    first: String,
    /// The other kernel; ::KERNEL is one of the same file
    #[arg(value_name = "B.cl[::KERNEL]", conflicts_with = "expect")]
    second: Option<String>,
    /// Compare this argument with a file instead
    #[arg(long, value_name = "NAME=@FILE", value_parser = expectation)]
    expect: Vec<(String, PathBuf)>,
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
    /// Runs both kernels, or the one, and compares.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let first = self.launch.first(&self.first)?;
        let session = terminal.measuring_session(self.device, &self.measure);
        let runs = match &self.second {
            Some(text) => {
                let second = self.launch.second(text, &first, &self.second_kernel)?;
                verify::verify(&session, &first, &second)?
            }
            None if self.expect.is_empty() => {
                return Err(Failure::Usage(format!(
                    "{} is to be compared with what? Name a second kernel behind it, or a file with --expect out=@reference.npy",
                    self.first
                )));
            }
            None => {
                self.second_kernel
                    .need_a_second("name it behind the first: A.cl B.cl")?;
                verify::verify_expect(&session, &first, &self.expect)?
            }
        };
        outcome::deliver(runs, &self.output, &self.gate, self.measure.force, terminal)
    }
}

/// Reads `NAME=@FILE`.
fn expectation(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once("=@") {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_owned(), file.into()))
        }
        _ => Err("NAME=@FILE is needed, such as out=@reference.npy".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_name_an_argument_and_a_file() {
        assert_eq!(
            expectation("out=@a=@b.npy"),
            Ok(("out".to_owned(), "a=@b.npy".into()))
        );
        for wrong in ["out", "out=ref.npy", "=@ref.npy", "out=@"] {
            assert!(expectation(wrong).is_err(), "{wrong}");
        }
    }
}
