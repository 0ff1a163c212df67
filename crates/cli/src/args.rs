//! The flags. Each is defined once, in a group that the commands which take it
//! flatten into their own arguments ([`crate::command`]).

mod device;
mod gate;
mod launch;
mod output;
mod terminal;

use clap::{Parser, Subcommand};

pub use device::{DeviceArgs, MeasureArgs, seconds};
#[cfg(test)]
pub use gate::RequiredVerdict;
pub use gate::{FailOn, GateArgs};
pub use launch::{LaunchArgs, SecondKernelArgs};
pub use output::{Format, OutputArgs};
pub use terminal::{Color, TerminalArgs};

use crate::command;

const AFTER_HELP: &str = "\
Try first:
  tilewise demo                  the worked example, needs no kernel of yours
  tilewise init K.cl             write the launch file of your kernel
  tilewise profile K.cl          what it re-reads, and how often
then, with a form of it that stages its data in local memory:
  tilewise advise K.cl --against K.cl::STAGED

Exit codes:
  0  fine
  1  findings (--fail-on), unequal results, unsafe launch, --require not met
  2  usage or input, such as a kernel that does not compile
  3  a tool or device is missing or was lost
  130  interrupted";

const ABOUT: &str =
    "Does staging data in OpenCL local memory pay off, for this kernel, this launch, this device?";

/// The whole command line.
#[derive(Parser)]
#[command(
    name = "tilewise",
    version,
    about = ABOUT,
    after_help = AFTER_HELP,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// How the terminal is used.
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// The commands, in the order in which a new user meets them.
#[derive(Subcommand)]
pub enum Command {
    /// Show a worked example end to end; needs no OpenCL, no clang, no arguments
    Demo(command::demo::Args),
    /// List the simulated profiles and the OpenCL devices
    Devices(command::devices::Args),
    /// Write the launch file of a kernel, guesses marked
    Init(command::init::Args),
    /// Show how a kernel reads memory, what it re-reads, and its occupancy
    Profile(command::profile::Args),
    /// Find what makes a kernel wrong (races, accesses outside buffers, …) or slow
    Check(command::check::Args),
    /// Write the staged form of a kernel, and prove that it does the same
    Stage(command::stage::Args),
    /// Compare the results of two kernels, or of one with a reference
    Verify(command::verify::Args),
    /// Measure kernels in pairs
    Bench(command::bench::Args),
    /// Answer whether staging pays: everything, then the verdict
    Advise(command::advise::Args),
    /// Write a bundle that runs without clang
    Export(command::export::Args),
    /// Show a saved run again, in any format
    Report(command::report::Args),
    /// Explain a finding's code, such as TW104
    Explain(command::explain::Args),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn flags_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
