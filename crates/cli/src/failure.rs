//! What keeps the binary from giving a result.

use std::path::PathBuf;

use crate::exit;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The library's error.
    #[error(transparent)]
    Command(Box<tilewise::Error>),
    /// A baseline that can't be used.
    #[error(transparent)]
    Baseline(#[from] tilewise::baseline::BaselineError),
    /// Flags that don't go together.
    #[error("{0}")]
    Usage(String),
    /// A file that can't be written.
    #[error("can't write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A result that can't be rendered.
    #[error("can't render the result as {format}: {reason}")]
    Render {
        /// The format.
        format: &'static str,
        /// What the renderer said.
        reason: String,
    },
    /// stdout took no text, for a reason other than a closed pipe.
    #[error("can't write the result to stdout: {0}")]
    Stdout(std::io::Error),
}

impl From<tilewise::Error> for Failure {
    fn from(error: tilewise::Error) -> Self {
        Self::Command(Box::new(error))
    }
}

impl Failure {
    /// 2 for usage and input, 3 for the environment.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Command(error) => error.exit_code(),
            Self::Baseline(_) | Self::Usage(_) | Self::Write { .. } => exit::USAGE,
            Self::Render { .. } | Self::Stdout(_) => exit::ENVIRONMENT,
        }
    }

    /// The message, and each cause that it does not already tell.
    pub fn message(&self) -> String {
        let mut message = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let text = error.to_string();
            if !message.contains(&text) {
                message.push_str("\n  because: ");
                message.push_str(&text);
            }
            cause = error.source();
        }
        message
    }
}
