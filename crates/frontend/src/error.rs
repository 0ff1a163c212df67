//! What can go wrong between a kernel file and its IR, told apart by whose
//! move is next: the user's (the kernel), the machine's owner (a tool), or
//! nobody's (a construct that is refused on purpose).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Why a source has no IR.
#[derive(Debug, thiserror::Error)]
pub enum FrontendError {
    /// clang or the translator is not on this machine.
    #[error("{tool} not found: {reason}\n  {install}")]
    ToolMissing {
        /// What was looked for, such as `clang`.
        tool: &'static str,
        /// Where it was looked for.
        reason: String,
        /// What to do: an install line for this platform.
        install: String,
    },
    /// A tool could not be run, or its files not be written.
    #[error("can't {action}: {source}")]
    Io {
        /// What was tried, such as ``run `/usr/bin/clang-14` ``.
        action: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// clang rejects the kernel. The text is clang's own.
    #[error("{path} does not compile\n{stderr}", path = path.display())]
    Compile {
        /// The user's file.
        path: PathBuf,
        /// What clang printed, with the user's lines.
        stderr: String,
    },
    /// The translator from LLVM to SPIR-V gave up on a file that clang accepts.
    #[error(
        "{path}: the kernel compiles, but {tool} can't translate it to SPIR-V\n{message}",
        path = path.display()
    )]
    Translator {
        /// The user's file.
        path: PathBuf,
        /// The translator that was run.
        tool: String,
        /// What it printed.
        message: String,
    },
    /// The kernel uses something that tilewise does not run.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// The SPIR-V (or clang's output) is not what its specification says.
    #[error("malformed {what}: {reason}")]
    Malformed {
        /// What was read, such as `SPIR-V module`.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A build option can't be understood.
    #[error("build option `{option}`: {reason}")]
    Option {
        /// The option as given.
        option: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// A construct that is refused on purpose, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}{construct} can't be run: {reason}", place(.at, .kernel))]
pub struct Refusal {
    /// What is refused, such as ``a call of `foo` ``.
    pub construct: String,
    /// Why, and what to do instead.
    pub reason: String,
    /// The kernel that reaches it, if known.
    pub kernel: Option<String>,
    /// File, line and column (0 where only the line is known), if known.
    pub at: Option<(String, u32, u32)>,
}

fn place(at: &Option<(String, u32, u32)>, kernel: &Option<String>) -> String {
    let mut text = match at {
        Some((file, line, 0)) => format!("{file}:{line}: "),
        Some((file, line, column)) => format!("{file}:{line}:{column}: "),
        None => String::new(),
    };
    if let Some(kernel) = kernel {
        text.push_str(&format!("kernel `{kernel}`: "));
    }
    text
}

impl Refusal {
    /// A refusal whose place is filled in later.
    pub(crate) fn new(construct: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            construct: construct.into(),
            reason: reason.into(),
            kernel: None,
            at: None,
        }
    }
}

impl From<Refusal> for FrontendError {
    fn from(refusal: Refusal) -> Self {
        FrontendError::Refused(Box::new(refusal))
    }
}

impl FrontendError {
    /// The exit code of a command that fails with this error: 3 where the
    /// environment lacks something, else 2.
    pub fn exit_code(&self) -> u8 {
        match self {
            FrontendError::ToolMissing { .. } | FrontendError::Io { .. } => 3,
            _ => 2,
        }
    }

    pub(crate) fn malformed(reason: impl Into<String>) -> Self {
        FrontendError::Malformed {
            what: "SPIR-V module",
            reason: reason.into(),
        }
    }
}
