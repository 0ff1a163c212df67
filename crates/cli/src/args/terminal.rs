//! Flags about the terminal, the same for every command.

use clap::{Args, ValueEnum};

/// How the terminal is used.
#[derive(Args, Clone, Copy)]
#[command(next_help_heading = "Terminal")]
pub struct TerminalArgs {
    /// Colours: auto takes them on a terminal unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// No progress and no warnings on stderr, only errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// When to use colours.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "lower")]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[value(help = None)]
    Auto,
    /// Also into files and pipes.
    #[value(help = None)]
    Always,
    /// No escape sequences at all.
    #[value(help = None)]
    Never,
}
