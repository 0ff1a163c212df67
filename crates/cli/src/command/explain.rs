//! `tilewise explain`.

use tilewise::commands::explain::{codes, explain};

use crate::exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Example:
  tilewise explain TW104

TW1xx are errors: what makes results wrong. TW2xx are warnings: what makes a kernel
slow. TW3xx say why something is not staged.";

/// What a finding means, why it matters, how to mend it, what the check misses.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Code of the finding; without one, all codes are listed
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

impl Args {
    /// Prints the page of the code, or the list of codes.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let text = match self.code {
            Some(code) => page(&code)?.to_owned(),
            None => codes().map(entry).collect(),
        };
        terminal.print(&format!("{}\n", text.trim_end()))?;
        Ok(exit::FINE)
    }
}

fn page(code: &str) -> Result<&'static str, Failure> {
    explain(&code.to_ascii_uppercase()).ok_or_else(|| {
        let known: Vec<&str> = codes().collect();
        Failure::Usage(format!(
            "no finding has the code {code}; the codes are {}",
            known.join(", ")
        ))
    })
}

/// A line of the list.
fn entry(code: &str) -> String {
    let title = explain(code).map_or("", |page| title(page, code));
    format!("{code}  {title}\n")
}

/// The first line of a code's page, without its mark-up and the code.
pub fn title<'a>(page: &'a str, code: &str) -> &'a str {
    let line = page
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("");
    let line = line.trim_start_matches('#').trim_start();
    let title = line.strip_prefix(code).unwrap_or(line);
    title.trim_start_matches([':', ' ', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_a_page_is_its_heading() {
        let page = "\n# TW104: access outside its buffer\n\nText.\n";
        assert_eq!(title(page, "TW104"), "access outside its buffer");
        assert_eq!(title("Plain", "TW104"), "Plain");
        assert_eq!(title("", "TW104"), "");
    }

    #[test]
    fn each_page_has_a_title() {
        for code in codes() {
            let page = explain(code).expect("a listed code has a page");
            assert!(!title(page, code).is_empty(), "{code}");
        }
    }
}
