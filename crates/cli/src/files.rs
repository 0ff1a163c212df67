//! Files that appear whole or not at all: each is written beside its place
//! under a temporary name and renamed once all of them are complete.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// Files that are written but not yet in their places. Dropped without
/// [`Self::commit`], it leaves nothing behind.
#[derive(Default)]
pub struct PendingFiles {
    files: Vec<Pending>,
}

enum Pending {
    /// Complete, waits for its rename to the path.
    Renamed(NamedTempFile, PathBuf),
    /// A pipe or a device such as `/dev/stderr`, which a rename would replace.
    Direct(PathBuf, String),
}

impl PendingFiles {
    /// Writes `text` for `path`, which may exist and is then replaced.
    pub fn add(&mut self, path: &Path, text: String) -> Result<(), Failure> {
        // A rename onto a symbolic link would replace the link, not its target.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let pending = match target.metadata() {
            Ok(existing) if !existing.is_file() && !existing.is_dir() => {
                Pending::Direct(target, text)
            }
            Ok(existing) if existing.is_dir() => {
                return Err(write_error(path)(io::ErrorKind::IsADirectory.into()));
            }
            _ => {
                let file = beside(&target, &text).map_err(write_error(path))?;
                Pending::Renamed(file, target)
            }
        };
        self.files.push(pending);
        Ok(())
    }

    /// Puts all files in their places.
    pub fn commit(self) -> Result<(), Failure> {
        for pending in self.files {
            match pending {
                Pending::Renamed(file, path) => {
                    file.persist(&path)
                        .map_err(|error| write_error(&path)(error.error))?;
                }
                Pending::Direct(path, text) => {
                    std::fs::write(&path, text).map_err(write_error(&path))?;
                }
            }
        }
        Ok(())
    }
}

/// Writes a file that must not exist yet; `false` if it does, and then nothing
/// is changed.
pub fn create_new(path: &Path, text: &str) -> Result<bool, Failure> {
    let file = beside(path, text).map_err(write_error(path))?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(write_error(path)(error.error)),
    }
}

/// A temporary file in the folder of `path` that holds `text`.
fn beside(path: &Path, text: &str) -> io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tilewise-");
    // Temporary files are private; this one becomes an ordinary file, for
    // whose mode the user's umask decides.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(|error| {
        // The message of `tempfile` names the temporary file, which is of no
        // use to anybody.
        io::Error::from(error.kind())
    })?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    Ok(file)
}

/// Why a file that exists was not written.
pub fn left_alone(path: &Path) -> Failure {
    Failure::Usage(format!(
        "{} exists and was left as it is; --force-write replaces it",
        path.display()
    ))
}

fn write_error(path: &Path) -> impl FnOnce(io::Error) -> Failure {
    let path = path.to_owned();
    move |source| Failure::Write { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_appears_before_all_files_are_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut files = PendingFiles::default();
        files
            .add(&folder.path().join("a.json"), "a".into())
            .expect("first");
        let missing = folder.path().join("no/such/folder/b.html");
        let error = files.add(&missing, "b".into()).expect_err("second");
        assert!(error.to_string().contains("b.html"), "{error}");
        drop(files);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn an_existing_file_is_replaced_only_when_asked() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("k.toml");
        assert!(create_new(&path, "first").expect("written"));
        assert!(!create_new(&path, "second").expect("left alone"));
        assert_eq!(std::fs::read_to_string(&path).expect("text"), "first");
        let mut files = PendingFiles::default();
        files.add(&path, "third".into()).expect("added");
        files.commit().expect("in place");
        assert_eq!(std::fs::read_to_string(&path).expect("text"), "third");
        assert_eq!(names(folder.path()), ["k.toml"]);
    }

    #[test]
    #[cfg(unix)]
    fn links_stay_links_and_modes_follow_the_umask() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        std::fs::write(&target, "old").expect("target");
        std::os::unix::fs::symlink(&target, &link).expect("link");
        let mut files = PendingFiles::default();
        files.add(&link, "new".into()).expect("added");
        files.commit().expect("in place");
        assert!(link.symlink_metadata().expect("link").is_symlink());
        assert_eq!(std::fs::read_to_string(&target).expect("text"), "new");

        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        create_new(&ours, "x").expect("ours");
        std::fs::write(&plain, "x").expect("plain");
        let mode = |path: &Path| path.metadata().expect("metadata").permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
