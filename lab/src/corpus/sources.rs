//! The sources under a folder.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// Endings of OpenCL C sources.
const ENDINGS: &[&str] = &["cl", "ocl"];

/// Paths of all sources below `dir`, relative to it, in order.
pub fn find(dir: &Path, filter: Option<&str>) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(dir, &mut |path| {
        let ending = path.extension().and_then(|e| e.to_str());
        if !ending.is_some_and(|e| ENDINGS.contains(&e)) {
            return;
        }
        let path = path.strip_prefix(dir).unwrap_or(path).to_owned();
        if filter.is_none_or(|text| path.to_string_lossy().contains(text)) {
            found.push(path);
        }
    })?;
    found.sort();
    Ok(found)
}

/// Calls `see` for every file below `dir`; hidden folders are left out.
pub fn walk(dir: &Path, see: &mut impl FnMut(&Path)) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(dir).with_context(|| format!("read {}", dir.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        // Links are not followed: they may lead round in a circle.
        let kind = entry.file_type()?;
        if kind.is_dir() && !hidden {
            walk(&path, see)?;
        } else if kind.is_file() {
            see(&path);
        }
    }
    Ok(())
}
