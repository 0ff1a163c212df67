//! Results that are kept as JSON files.

use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads results.
///
/// # Errors
/// The file can't be read, or holds something else.
pub fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a summary", path.display()))
}

/// Writes results.
///
/// # Errors
/// The file can't be written.
pub fn write(path: &Path, results: &impl Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(results)?;
    std::fs::write(path, text + "\n").with_context(|| format!("can't write {}", path.display()))
}
