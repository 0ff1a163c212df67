//! `tilewise devices`.

use tilewise::commands;
use tilewise_report::text;

use crate::exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Example:
  tilewise devices
Any name in the first column can follow --device.";

/// What can follow --device: simulated profiles and OpenCL devices.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {}

impl Args {
    /// Lists the devices.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let table = commands::devices::devices(&terminal.plain_session())?;
        terminal.print(&text::devices(&table.rows, &table.notes, terminal.style()))?;
        Ok(exit::FINE)
    }
}
