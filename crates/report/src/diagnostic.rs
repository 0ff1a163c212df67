//! One model of findings for every renderer.

use serde::{Deserialize, Serialize};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Says something, asks for nothing.
    Note,
    /// Performance: TW2xx.
    Warning,
    /// Correctness: TW1xx.
    Error,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Code such as `TW104`.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// One line: what, with the numbers that matter.
    pub message: String,
    /// File, as the user named it.
    pub file: String,
    /// Line from 1; 0 where it isn't known.
    pub line: u32,
    /// Column from 1; 0 where it isn't known.
    pub column: u32,
    /// Name of the kernel.
    pub kernel: String,
    /// Further places, such as the other side of a race or a call on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
    /// Facts that explain it: which work-items, which address.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What would mend it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub help: Vec<String>,
    /// How often it happened at this site in the run.
    pub count: u64,
    /// The source lines to show, so that a saved run can be rendered without
    /// the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<Snippet>,
}

/// A further place of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// What is there.
    pub message: String,
    /// File, as the user named it.
    pub file: String,
    /// Line from 1.
    pub line: u32,
    /// Column from 1; 0 where it isn't known.
    pub column: u32,
}

/// Some lines of a source file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snippet {
    /// Number of the first line, from 1.
    pub first_line: u32,
    /// The lines, without line ends.
    pub lines: Vec<String>,
}
