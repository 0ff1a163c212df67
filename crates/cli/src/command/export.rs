//! `tilewise export`.

use std::path::PathBuf;

use tilewise::commands;
use tilewise_launch::shell_quote;

use crate::args::{DeviceArgs, LaunchArgs};
use crate::exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Example:
  tilewise export K.cl -o k_bundle
  tilewise profile k_bundle      on a machine that has no clang";

/// Write a bundle: the kernel, its launch and what the compiler made of it, in
/// one folder that runs without clang.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Kernel file (.cl)
    #[arg(value_name = "K.cl[::KERNEL]")]
    target: String,
    /// Folder to write
    #[arg(long, short, value_name = "FOLDER")]
    output: PathBuf,
    #[command(flatten)]
    launch: LaunchArgs,
    #[command(flatten)]
    device: DeviceArgs,
}

impl Args {
    /// Writes the bundle.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let input = self.launch.first(&self.target)?;
        let session = terminal.session(self.device);
        commands::export::export(&session, &input, &self.output)?;
        let folder = self.output.display().to_string();
        let target = match input.kernel.as_ref().or(input.flags.kernel.as_ref()) {
            Some(kernel) => format!("{folder}::{kernel}"),
            None => folder.clone(),
        };
        terminal.print(&format!(
            "wrote {folder}; run it with\n  tilewise profile {}\n",
            shell_quote(&target)
        ))?;
        Ok(exit::FINE)
    }
}
