//! Flags about the result: its format, and files that it is saved to.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The format of the result on stdout, and files to save it to.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Format of the result on stdout
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    /// Save the result, for `tilewise report FILE`
    #[arg(long, value_name = "FILE")]
    pub export_json: Option<PathBuf>,
    /// Save the result as one page for a browser
    #[arg(long, value_name = "FILE")]
    pub export_html: Option<PathBuf>,
    /// Leave the raw samples out of JSON
    #[arg(long)]
    pub no_data: bool,
    /// Say where the time went
    #[arg(long)]
    pub timings: bool,
}

/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[value(help = None)]
    Text,
    /// The saved form, described by the project's JSON schema.
    #[value(help = None)]
    Json,
    /// A comment on a pull request.
    #[value(help = None)]
    Markdown,
    /// Annotations that a GitHub workflow prints.
    #[value(help = None)]
    Github,
    /// Findings for code scanning.
    #[value(help = None)]
    Sarif,
}
