//! Bundles: a kernel file's compiled forms, signatures, source and launches in
//! one folder, so that another machine needs no clang.
//!
//! A bundle holds all kernels of a file, so that a pair in one file stays one.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tilewise_frontend::Artifacts;

use crate::error::Error;
use crate::load::Unit;

/// Form of the folder; a newer one is refused by name.
const SCHEMA: &str = "tilewise-bundle/1";
const MANIFEST: &str = "bundle.json";
const AS_WRITTEN: &str = "as_written.spv";
const AS_COMPILED: &str = "as_compiled.spv";
const SOURCE: &str = "kernel.cl";
const LAUNCHES: &str = "launch.toml";

#[derive(Serialize, Deserialize)]
struct Manifest {
    schema: String,
    /// The file that was exported, as the user named it.
    file: String,
    build_options: String,
    c_version: (u32, u32),
    /// The form as compiled is in the folder.
    as_compiled: bool,
    artifacts: Artifacts,
    /// Names and texts of the source's files and of what they include, for messages.
    #[serde(default)]
    texts: Vec<(String, String)>,
}

/// Everything that a bundle holds.
pub struct Contents<'a> {
    /// The file that was exported, as the user named it.
    pub file: &'a Path,
    /// What the front end made of it.
    pub artifacts: &'a Artifacts,
    /// OpenCL C text for a device.
    pub source: &'a str,
    /// Build options for a device.
    pub build_options: &'a str,
    /// Version of OpenCL C.
    pub c_version: (u32, u32),
    /// Text of the launch file.
    pub launches: &'a str,
    /// Names and texts of the source's files and of what they include.
    pub texts: Vec<(String, String)>,
}

/// Writes a bundle and names the files written. The folder appears whole or
/// not at all.
///
/// # Errors
/// The folder exists and is no bundle, or can't be written.
pub fn write(folder: &Path, contents: &Contents<'_>) -> Result<Vec<PathBuf>, Error> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    };
    if folder.exists() && !folder.join(MANIFEST).is_file() {
        return Err(Error::Input(format!(
            "{} exists and is no bundle; name a new folder with -o",
            folder.display()
        )));
    }
    let manifest = Manifest {
        schema: SCHEMA.to_owned(),
        file: contents.file.display().to_string(),
        build_options: contents.build_options.to_owned(),
        c_version: contents.c_version,
        as_compiled: contents.artifacts.as_compiled.is_some(),
        artifacts: contents.artifacts.clone(),
        texts: contents.texts.clone(),
    };
    let json = serde_json::to_string_pretty(&manifest)
        .map_err(|e| Error::Input(format!("can't describe the bundle: {e}")))?;
    let mut files: Vec<(&str, &[u8])> = vec![
        (AS_WRITTEN, &contents.artifacts.as_written),
        (SOURCE, contents.source.as_bytes()),
        (LAUNCHES, contents.launches.as_bytes()),
        (MANIFEST, json.as_bytes()),
    ];
    if let Some(bytes) = &contents.artifacts.as_compiled {
        files.push((AS_COMPILED, bytes));
    }
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(parent).map_err(failed(parent))?;
    let staging = tempfile::tempdir_in(parent).map_err(failed(parent))?;
    for (name, bytes) in &files {
        let path = staging.path().join(name);
        std::fs::write(&path, bytes).map_err(failed(&path))?;
    }
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(failed(folder))?;
    }
    let staged = staging.keep();
    std::fs::rename(&staged, folder).map_err(failed(folder))?;
    Ok(files.iter().map(|(name, _)| folder.join(name)).collect())
}

/// The launch file of a bundle, if it has one.
pub fn launch_file(folder: &Path) -> Option<PathBuf> {
    let path = folder.join(LAUNCHES);
    path.is_file().then_some(path)
}

/// Reads a bundle.
///
/// # Errors
/// The folder is no bundle, or holds broken files.
pub fn read(folder: &Path) -> Result<Unit, Error> {
    if !folder.join(MANIFEST).is_file() {
        return Err(Error::Input(format!(
            "{} is a folder without {MANIFEST}: name a kernel file, or a bundle that `tilewise export` wrote",
            folder.display()
        )));
    }
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read(&path).map_err(|source| Error::Read { path, source })
    };
    let as_compiled = match folder.join(AS_COMPILED).is_file() {
        true => Some(read(AS_COMPILED)?),
        false => None,
    };
    from_parts(
        &folder.display().to_string(),
        &read(MANIFEST)?,
        &read(SOURCE)?,
        read(AS_WRITTEN)?,
        as_compiled,
    )
}

/// Reads a bundle from the contents of its files; `name` is for messages.
///
/// # Errors
/// The contents are broken, or of a version that this tilewise does not read.
pub fn from_parts(
    name: &str,
    manifest: &[u8],
    source: &[u8],
    as_written: Vec<u8>,
    as_compiled: Option<Vec<u8>>,
) -> Result<Unit, Error> {
    let manifest: Manifest = serde_json::from_slice(manifest).map_err(|e| {
        Error::Input(format!(
            "{MANIFEST} of {name} is no bundle of this version: {e}"
        ))
    })?;
    if manifest.schema != SCHEMA {
        return Err(Error::Input(format!(
            "the bundle {name} is of form {}, this tilewise reads {SCHEMA}; export it again",
            manifest.schema
        )));
    }
    if manifest.as_compiled != as_compiled.is_some() {
        return Err(Error::Input(format!(
            "the bundle {name} lost its {AS_COMPILED}; export it again"
        )));
    }
    let mut artifacts = manifest.artifacts;
    artifacts.as_written = as_written;
    artifacts.as_compiled = as_compiled;
    let source = String::from_utf8_lossy(source).into_owned();
    Ok(Unit {
        compiled: tilewise_frontend::lower(&artifacts)?,
        files: match manifest.texts.is_empty() {
            true => vec![(manifest.file, source.clone())],
            false => manifest.texts,
        },
        included: Vec::new(),
        source: Some(source),
        build_options: manifest.build_options,
        c_version: manifest.c_version,
        artifacts: Some(artifacts),
    })
}
