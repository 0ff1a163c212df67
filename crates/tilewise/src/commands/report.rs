//! `tilewise report`: a saved run, read back.

use std::path::Path;

use tilewise_report::{Run, json};

use crate::error::Error;

/// Reads runs that `--export-json` wrote.
///
/// # Errors
/// The file can't be read, or is no run of a version that this tilewise knows.
pub fn report(path: &Path) -> Result<Vec<Run>, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    json::from_json(&text).map_err(|e| Error::Input(format!("{}: {e}", path.display())))
}
