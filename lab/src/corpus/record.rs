//! The results of a run, as they are kept.

use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use tilewise::survey::{KernelOutcome, SourceOutcome};

use crate::kept;

/// All sources of a run, by path.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// In the order of the paths.
    pub sources: Vec<SourceRecord>,
}

/// What became of a source.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SourceRecord {
    /// Path below the corpus.
    pub path: String,
    /// Why it was left out, if it was.
    pub excluded: Option<String>,
    /// What came of compiling it; `None` where it was left out or its process
    /// ended early.
    pub outcome: Option<SourceOutcome>,
    /// Its kernels that were tried, in the order of the source.
    pub kernels: Vec<KernelRecord>,
    /// How its process ended while it compiled, if it did not come through.
    pub ended: Option<Ended>,
}

/// What became of a kernel.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct KernelRecord {
    /// Its name.
    pub name: String,
    /// How far it came; `None` where the process ended early or the kernel was
    /// left out.
    pub outcome: Option<KernelOutcome>,
    /// How the process ended while it was at this kernel.
    pub ended: Option<Ended>,
    /// Why it was left out, if it was.
    pub excluded: Option<String>,
}

/// A process that did not come to its end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ended {
    /// How.
    pub how: Ending,
    /// What it was at: `compile`, `launch`, `profile` or `device`.
    pub stage: String,
    /// What it said last.
    pub message: String,
}

/// How a process ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// A panic of tilewise.
    Panicked,
    /// It took longer than a step may.
    Hung,
    /// A signal, such as that of an abort or a stack overflow.
    Aborted,
}

impl Record {
    /// Reads the results of an earlier run.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| {
            format!(
                "{} holds no results of `cargo xtask corpus`",
                path.display()
            )
        })
    }

    /// Writes the results.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        kept::write(path, self)
    }
}

impl SourceRecord {
    /// The suite: the first part of the path.
    pub fn suite(&self) -> &str {
        self.path.split('/').next().unwrap_or_default()
    }

    /// The record of a kernel, a new one where there is none.
    pub fn kernel(&mut self, name: &str) -> &mut KernelRecord {
        let at = self.kernels.iter().position(|k| k.name == name);
        let at = at.unwrap_or_else(|| {
            self.kernels.push(KernelRecord {
                name: name.to_owned(),
                ..KernelRecord::default()
            });
            self.kernels.len() - 1
        });
        &mut self.kernels[at]
    }
}
