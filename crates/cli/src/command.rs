//! One module per command: its arguments, and what it does with them. Each
//! returns its exit code.

pub mod advise;
pub mod bench;
pub mod check;
pub mod demo;
pub mod devices;
pub mod explain;
pub mod export;
pub mod init;
pub mod profile;
pub mod report;
pub mod stage;
pub mod verify;

use crate::args::Command;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Runs a command and returns its exit code.
pub fn run(command: Command, terminal: &Terminal) -> Result<u8, Failure> {
    match command {
        Command::Demo(args) => args.run(terminal),
        Command::Devices(args) => args.run(terminal),
        Command::Init(args) => args.run(terminal),
        Command::Profile(args) => args.run(terminal),
        Command::Check(args) => args.run(terminal),
        Command::Stage(args) => args.run(terminal),
        Command::Verify(args) => args.run(terminal),
        Command::Bench(args) => args.run(terminal),
        Command::Advise(args) => args.run(terminal),
        Command::Export(args) => args.run(terminal),
        Command::Report(args) => args.run(terminal),
        Command::Explain(args) => args.run(terminal),
    }
}
