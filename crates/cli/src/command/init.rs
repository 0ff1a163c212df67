//! `tilewise init`.

use tilewise::commands;
use tilewise_launch::shell_quote;

use crate::args::{DeviceArgs, LaunchArgs};
use crate::exit;
use crate::failure::Failure;
use crate::files::{self, PendingFiles};
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Example:
  tilewise init K.cl             writes K.toml, which the other commands find";

/// Write the launch file of a kernel. What was guessed is marked in it: look
/// these lines over, then profile the kernel.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Kernel file (.cl, .spv)
    #[arg(value_name = "K.cl[::KERNEL]")]
    target: String,
    /// Replace the launch file if there is one
    #[arg(long)]
    force_write: bool,
    #[command(flatten)]
    launch: LaunchArgs,
    #[command(flatten)]
    device: DeviceArgs,
}

impl Args {
    /// Writes the file, and prints the command that needs none.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let input = self.launch.first(&self.target)?;
        let init = commands::init::init(&terminal.session(self.device), &input)?;
        if self.force_write {
            let mut files = PendingFiles::default();
            files.add(&init.path, init.text)?;
            files.commit()?;
        } else if !files::create_new(&init.path, &init.text)? {
            return Err(files::left_alone(&init.path));
        }
        let path = init.path.display().to_string();
        let short = init
            .kernels
            .iter()
            .map(|kernel| format!("{}::{kernel}", input.path.display()))
            .map(|target| format!("tilewise profile {}", shell_quote(&target)));
        let mut text = format!(
            "wrote {path}; look over the lines marked as guesses, then run\n{}or, without the file,\n{}",
            indented(short),
            indented(init.command_lines),
        );
        for note in &init.notes {
            text.push_str(&format!("note: {note}\n"));
        }
        terminal.print(&text)?;
        Ok(exit::FINE)
    }
}

/// Lines as they stand under a sentence.
fn indented(lines: impl IntoIterator<Item = String>) -> String {
    lines
        .into_iter()
        .map(|line| format!("  {line}\n"))
        .collect()
}
