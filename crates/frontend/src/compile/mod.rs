//! From OpenCL C to SPIR-V: drives clang and the translator.
//!
//! 1. The preprocessor expands the source ([`expand`]), beside a check of the
//!    source as the user wrote it, whose messages have the user's lines.
//! 2. The expanded text is compiled twice, side by side ([`chains`]): as
//!    written, and as an optimising compiler leaves it; a third process gives
//!    its syntax tree.
//!
//! All tools are child processes that get their input through files in a
//! folder of their own; no shell is involved.

pub mod chains;
pub mod expand;
pub(crate) mod extension_hint;
pub(crate) mod half_prelude;
mod llvm_text;
mod odd_vectors;
pub mod options;
pub mod process;

use std::path::PathBuf;

pub use options::Options;

/// The source of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Path of the file, as messages name it.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Files that the host puts in front of it, with their texts.
    pub prepend: Vec<(PathBuf, String)>,
}

impl Source {
    /// Reads a source from its file.
    ///
    /// # Errors
    /// [`std::io::Error`] where the file can't be read; text that is not UTF-8
    /// is taken with replacement characters, as comments in old files have it.
    pub fn read(path: impl Into<PathBuf>) -> std::io::Result<Self> {
        let path = path.into();
        let bytes = std::fs::read(&path)?;
        Ok(Self {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            path,
            prepend: Vec::new(),
        })
    }
}
