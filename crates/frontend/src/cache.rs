//! What the tools have given before, kept on disk by content.
//!
//! clang's chains and the translator take most of a command's time, and give
//! the same for the same text. An entry is found by all that decides on its
//! content: the expanded text with the positions it came from, the options, the
//! tools and this program, each told by path, size and time of change. The
//! preprocessor runs every time, so that a changed header is never missed.
//!
//! An entry holds its whole key, which is compared: a collision of hashes is a
//! miss. Entries are written under another name and renamed, so that programs
//! that run side by side see whole entries only; what can't be read is a miss.
//!
//! What the key misses: a shared library of clang's that changes while clang's
//! own file does not.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::artifacts::Artifacts;
use crate::compile::Options;
use crate::compile::expand::Expanded;
use crate::toolchain::Toolchain;

/// Entries that are kept; the ones used last.
const MOST_ENTRIES: usize = 256;
/// Ending of an entry's file.
const ENDING: &str = "tilewise-unit";

/// A folder of kept results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
}

/// All that decides on what the tools give.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Key {
    programs: Vec<Program>,
    options: String,
    text: String,
    positions: serde_json::Value,
    warnings: String,
}

/// A program as it lies on disk.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Program {
    path: PathBuf,
    bytes: u64,
    /// Nanoseconds since 1970.
    changed: u64,
}

/// The first line of an entry; both modules follow.
#[derive(Serialize, Deserialize)]
struct Head {
    key: Key,
    artifacts: Artifacts,
    as_written_bytes: usize,
    as_compiled_bytes: Option<usize>,
}

impl Key {
    /// # Errors
    /// A program can't be looked at: its results are then not kept.
    pub(crate) fn new(
        tools: &Toolchain,
        options: &Options,
        expanded: &Expanded,
    ) -> io::Result<Self> {
        let own = std::env::current_exe()?;
        let programs = [&tools.clang, &tools.translator, &own];
        Ok(Self {
            programs: programs
                .into_iter()
                .map(|path| Program::new(path))
                .collect::<io::Result<_>>()?,
            options: format!("{options:?}"),
            text: expanded.text.clone(),
            positions: serde_json::to_value(&expanded.positions)?,
            warnings: expanded.warnings.clone(),
        })
    }

    fn file_name(&self) -> io::Result<String> {
        let mut hasher = DefaultHasher::new();
        serde_json::to_vec(self)?.hash(&mut hasher);
        Ok(format!("{:016x}.{ENDING}", hasher.finish()))
    }
}

impl Program {
    fn new(path: &Path) -> io::Result<Self> {
        // A package's upgrade changes what a link points to.
        let path = path.canonicalize()?;
        let found = path.metadata()?;
        let changed = found.modified()?.duration_since(UNIX_EPOCH);
        Ok(Self {
            bytes: found.len(),
            changed: changed.map_or(0, |d| d.as_nanos() as u64),
            path,
        })
    }
}

impl Cache {
    /// Keeps results in this folder, which is made when there are any.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// What was kept under a key.
    pub(crate) fn find(&self, key: &Key) -> Option<Artifacts> {
        let path = self.folder.join(key.file_name().ok()?);
        let bytes = std::fs::read(&path).ok()?;
        let end = bytes.iter().position(|&b| b == b'\n')?;
        let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
        if head.key != *key {
            return None;
        }
        let (as_written, rest) = bytes[end + 1..].split_at_checked(head.as_written_bytes)?;
        let as_compiled = match head.as_compiled_bytes {
            Some(count) if count == rest.len() => Some(rest.to_vec()),
            None if rest.is_empty() => None,
            _ => return None,
        };
        // Used now: others go first. Where that can't be noted, it goes sooner.
        if let Ok(file) = std::fs::File::options().append(true).open(&path) {
            file.set_modified(SystemTime::now()).ok();
        }
        Some(Artifacts {
            as_written: as_written.to_vec(),
            as_compiled,
            ..head.artifacts
        })
    }

    /// Keeps what the tools gave.
    ///
    /// # Errors
    /// The folder can't be written.
    pub(crate) fn keep(&self, key: Key, artifacts: &Artifacts) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let path = self.folder.join(key.file_name()?);
        let head = Head {
            key,
            artifacts: Artifacts {
                as_written: Vec::new(),
                as_compiled: None,
                ..artifacts.clone()
            },
            as_written_bytes: artifacts.as_written.len(),
            as_compiled_bytes: artifacts.as_compiled.as_ref().map(Vec::len),
        };
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        serde_json::to_writer(&mut file, &head)?;
        file.write_all(b"\n")?;
        file.write_all(&artifacts.as_written)?;
        file.write_all(artifacts.as_compiled.as_deref().unwrap_or_default())?;
        file.persist(path).map_err(|e| e.error)?;
        self.drop_old()
    }

    /// Drops the entries that were used longest ago, where there are too many.
    fn drop_old(&self) -> io::Result<()> {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == ENDING)
                && let Ok(used) = path.metadata().and_then(|m| m.modified())
            {
                entries.push((used, path));
            }
        }
        entries.sort_unstable();
        let surplus = entries.len().saturating_sub(MOST_ENTRIES);
        for (_, path) in &entries[..surplus] {
            match std::fs::remove_file(path) {
                // Another program was quicker.
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::PositionMap;

    fn key(text: &str) -> Key {
        let tools = Toolchain {
            clang: "/bin/sh".into(),
            translator: "/bin/sh".into(),
            cache: None,
        };
        let expanded = Expanded {
            text: text.to_owned(),
            positions: PositionMap::identity("k.cl"),
            warnings: String::new(),
        };
        Key::new(&tools, &Options::default(), &expanded).expect("the shell is there")
    }

    fn artifacts(note: &str) -> Artifacts {
        Artifacts {
            as_written: vec![1, 2, b'\n', 3],
            as_compiled: Some(vec![4; 100]),
            signatures: Vec::new(),
            refusals: Vec::new(),
            positions: PositionMap::identity("k.cl"),
            notes: vec![note.to_owned()],
            warnings: "line\nline".to_owned(),
        }
    }

    #[test]
    fn what_was_kept_is_found_by_the_whole_key() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("new/folder"));
        assert_eq!(cache.find(&key("a")), None);
        cache.keep(key("a"), &artifacts("of a")).unwrap();
        assert_eq!(cache.find(&key("a")), Some(artifacts("of a")));
        assert_eq!(cache.find(&key("b")), None);
        let other = Key {
            options: "others".to_owned(),
            ..key("a")
        };
        assert_eq!(cache.find(&other), None);

        // A file that holds another key, as where two hashes agree.
        let at = |key: &Key| cache.folder.join(key.file_name().unwrap());
        std::fs::copy(at(&key("a")), at(&key("b"))).unwrap();
        assert_eq!(cache.find(&key("b")), None);
        // One that was cut off.
        let whole = std::fs::read(at(&key("a"))).unwrap();
        for length in [0, 10, whole.len() - 101, whole.len() - 1] {
            std::fs::write(at(&key("a")), &whole[..length]).unwrap();
            assert_eq!(cache.find(&key("a")), None, "{length} bytes");
        }
    }

    #[test]
    fn the_oldest_go_where_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        for i in 0..MOST_ENTRIES {
            let path = folder.path().join(format!("{i}.{ENDING}"));
            let file = std::fs::File::create(path).unwrap();
            let used = UNIX_EPOCH + std::time::Duration::from_secs(1 + i as u64);
            file.set_modified(used).unwrap();
        }
        cache.keep(key("a"), &artifacts("")).unwrap();
        let there = |i: usize| folder.path().join(format!("{i}.{ENDING}")).exists();
        assert!(!there(0));
        assert!(there(1) && there(MOST_ENTRIES - 1));
        assert!(cache.find(&key("a")).is_some());
    }
}
