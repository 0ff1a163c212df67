//! The `tilewise` binary: flags, progress, files and exit codes around the
//! `tilewise` library. Results go to stdout, all else to stderr. Nothing is
//! written unless the command succeeded.

mod args;
mod cache;
mod command;
mod exit;
mod failure;
mod files;
mod outcome;
mod progress;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use args::Cli;
use terminal::Terminal;

/// A simulated launch takes and gives back megabytes in small pieces, often many
/// launches a command: this allocator keeps them, where the system's hands them back to
/// the kernel and has to fault them in again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Usage errors end here with exit code 2, help and version with 0.
    let cli = Cli::parse();
    let terminal = Terminal::new(cli.terminal);
    match command::run(cli.command, &terminal) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            terminal.clear_progress();
            terminal.error(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}
