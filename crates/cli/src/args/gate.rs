//! Flags that turn a result into an exit code.

use clap::{Args, ValueEnum};
use tilewise_report::{Severity, VerdictKind};

/// When the exit code is 1.
#[derive(Args, Default)]
#[command(next_help_heading = "Exit code")]
pub struct GateArgs {
    /// Findings that make the exit code 1 [default: error]
    #[arg(long, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
    /// Make the exit code 1 unless each verdict is one of these
    #[arg(long, value_name = "VERDICT", value_delimiter = ',')]
    pub require: Vec<RequiredVerdict>,
}

impl GateArgs {
    /// The same flags, where `--fail-on` left out means `default`.
    #[must_use]
    pub fn or_fail_on(self, default: FailOn) -> Self {
        Self {
            fail_on: self.fail_on.or(Some(default)),
            ..self
        }
    }
}

/// `--fail-on`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors: TW1xx.
    #[default]
    #[value(help = None)]
    Error,
    /// Errors and warnings: TW2xx too.
    #[value(help = None)]
    Warning,
    /// No finding.
    #[value(help = None)]
    Never,
}

impl FailOn {
    /// Whether a finding of this severity makes the exit code 1.
    pub fn covers(self, severity: Severity) -> bool {
        match self {
            FailOn::Error => severity >= Severity::Error,
            FailOn::Warning => severity >= Severity::Warning,
            FailOn::Never => false,
        }
    }
}

/// `--require`: a class of verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RequiredVerdict {
    /// Staging is faster.
    #[value(help = None)]
    Pays,
    /// Neither by more than the band.
    #[value(help = None)]
    Ties,
    /// Staging is slower.
    #[value(help = None)]
    Loses,
    /// There is nothing to gain.
    #[value(help = None)]
    NotApplicable,
}

impl From<RequiredVerdict> for VerdictKind {
    fn from(required: RequiredVerdict) -> Self {
        match required {
            RequiredVerdict::Pays => VerdictKind::Pays,
            RequiredVerdict::Ties => VerdictKind::Ties,
            RequiredVerdict::Loses => VerdictKind::Loses,
            RequiredVerdict::NotApplicable => VerdictKind::NotApplicable,
        }
    }
}
