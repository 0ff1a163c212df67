//! `tilewise explain`.

use tilewise::commands::explain::explain;

use crate::exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Example:
  tilewise explain TW104

TW1xx  wrong results (errors)
TW2xx  slow (warnings)";

/// What a finding means, why it matters, how to mend it, what the check misses.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Code of the finding
    #[arg(value_name = "CODE")]
    code: String,
}

impl Args {
    /// Prints the page of the code.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let code = self.code.to_ascii_uppercase();
        let Some(page) = explain(&code) else {
            return Err(Failure::Usage(format!(
                "there is no finding with the code {}; codes look like TW104 and stand in brackets behind the severity of a finding",
                self.code
            )));
        };
        terminal.print(&format!("{}\n", page.trim_end()))?;
        Ok(exit::FINE)
    }
}
