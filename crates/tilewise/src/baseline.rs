//! Findings that are known: a file of them, so that only new ones fail a build.
//!
//! A finding is known again by its fingerprint
//! ([`tilewise_report::fingerprint`]), which bears that lines move. The file also
//! holds what the finding was, for those who read it; that decides nothing, but for
//! the kernel and the file, by which a later run knows what it can speak of: it says
//! nothing about kernels that it did not check.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tilewise_report::fingerprint::{fingerprints, line_text};
use tilewise_report::{Diagnostic, Run};

/// Name and version of the file's form.
const SCHEMA: &str = "tilewise-baseline/1";

/// What keeps a baseline from being read.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// It is not there, or can't be read.
    #[error("can't read the baseline {}: {source}\n  write it first: tilewise check … --write-baseline {}", path.display(), path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is no JSON, or lacks something.
    #[error("{} is no baseline: {reason}\n  mend it, or write it anew: tilewise check … --write-baseline FILE", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// It is of another form.
    #[error("{} is of the form `{found}`, and this version reads `{SCHEMA}`: write it anew with --write-baseline", path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// Its form.
        found: String,
    },
}

/// Known findings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    schema: String,
    findings: Vec<Known>,
}

/// A known finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// The kernel's file, as the user named it.
    file: String,
    kernel: String,
    code: String,
    /// The text of its line.
    line: String,
    message: String,
    fingerprint: String,
}

impl Default for Baseline {
    fn default() -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            findings: Vec::new(),
        }
    }
}

/// What a baseline said of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Findings that were known, and were taken out of the runs.
    pub known: usize,
    /// Known findings of the kernels that were checked, which are no more: code,
    /// kernel and line.
    pub gone: Vec<String>,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// [`BaselineError`].
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        let text = std::fs::read_to_string(path).map_err(|source| BaselineError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, BaselineError> {
        // The form first: one that is not known may well hold other fields.
        #[derive(Deserialize)]
        struct Form {
            schema: String,
        }
        let malformed = |e: serde_json::Error| BaselineError::Malformed {
            path: path.to_owned(),
            reason: e.to_string(),
        };
        let form: Form = serde_json::from_str(text).map_err(malformed)?;
        if form.schema != SCHEMA {
            return Err(BaselineError::Schema {
                path: path.to_owned(),
                found: form.schema,
            });
        }
        serde_json::from_str(text).map_err(malformed)
    }

    /// The file's text, in an order that keeps changes of it small.
    ///
    /// # Errors
    /// Only what `serde_json` reports when it writes.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }

    /// Takes known findings out of runs.
    pub fn take_out(&self, runs: &mut [Run]) -> Compared {
        let known: BTreeSet<&str> = self
            .findings
            .iter()
            .map(|k| k.fingerprint.as_str())
            .collect();
        let mut met = BTreeSet::new();
        let mut compared = Compared::default();
        let mut prints = of_runs(runs).into_iter();
        for run in runs.iter_mut() {
            run.findings.retain(|_| {
                let Some(print) = prints.next() else {
                    return true;
                };
                let is_known = known.contains(print.as_str());
                compared.known += usize::from(is_known);
                met.insert(print);
                !is_known
            });
        }
        let gone = self
            .findings
            .iter()
            .filter(|k| k.is_of(runs) && !met.contains(&k.fingerprint));
        compared.gone = gone
            .map(|k| format!("{} in {}: {}", k.code, k.kernel, k.line))
            .collect();
        compared
    }

    /// This baseline with the findings of runs in the place of those that it has of
    /// their kernels.
    #[must_use]
    pub fn updated(mut self, runs: &[Run]) -> Self {
        self.findings.retain(|k| !k.is_of(runs));
        // One place may be found in several runs.
        let mut all: BTreeMap<String, Known> = BTreeMap::new();
        let findings = runs
            .iter()
            .flat_map(|run| run.findings.iter().map(move |f| (run, f)));
        for ((run, finding), fingerprint) in findings.zip(of_runs(runs)) {
            let known = Known::of(run, finding, &fingerprint);
            all.insert(fingerprint, known);
        }
        self.findings.extend(all.into_values());
        self.findings.sort();
        self
    }

    /// Number of known findings.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }
}

impl Known {
    fn of(run: &Run, finding: &Diagnostic, fingerprint: &str) -> Self {
        Self {
            file: plain(&run.file).to_owned(),
            kernel: finding.kernel.clone(),
            code: finding.code.clone(),
            line: line_text(finding).unwrap_or_default().to_owned(),
            message: finding.message.clone(),
            fingerprint: fingerprint.to_owned(),
        }
    }

    /// Whether it is of a kernel that these runs checked.
    fn is_of(&self, runs: &[Run]) -> bool {
        let same = |run: &Run| run.kernel == self.kernel && plain(&run.file) == self.file;
        runs.iter().any(same)
    }
}

/// A file's name without what says nothing.
fn plain(file: &str) -> &str {
    file.trim_start_matches("./")
}

/// The fingerprints of all findings, in order. Runs of one kernel, such as on two
/// devices, may have the same.
fn of_runs(runs: &[Run]) -> Vec<String> {
    let of_run = |run: &Run| fingerprints(&run.findings.iter().collect::<Vec<_>>());
    runs.iter().flat_map(of_run).collect()
}

#[cfg(test)]
mod tests;
