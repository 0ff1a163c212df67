//! Which places of tilewise's source the edges stand at that a target comes to reach.
//!
//! libFuzzer names edges by address. One line of source has as many as the compiler
//! makes of it: a generic function of the standard library has its own in each crate
//! that uses it, and a probe of a hash table, whose order is random, reaches another
//! one every now and then without doing anything new. The debug information tells
//! them apart: an edge counts for the innermost of the functions inlined there that
//! is tilewise's, by file, line and column, and for nothing if none is.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use addr2line::Loader;
use anyhow::{Context, anyhow};

/// The places reached so far.
pub struct Places {
    loader: Loader,
    root: PathBuf,
    program: PathBuf,
    /// The process, whose program is loaded at another address each time.
    process: u32,
    /// Where it is loaded, once that is known.
    base: Option<u64>,
    reached: HashSet<(String, u32, u32)>,
}

impl Places {
    /// Of the running `process` of a program, in the source below `root`.
    ///
    /// # Errors
    /// The program or its debug information can't be read.
    pub fn new(program: &Path, process: u32, root: &Path) -> anyhow::Result<Self> {
        let program = program
            .canonicalize()
            .with_context(|| format!("can't find {}", program.display()))?;
        let loader =
            Loader::new(&program).map_err(|e| anyhow!("can't read {}: {e}", program.display()))?;
        Ok(Self {
            loader,
            root: root.to_path_buf(),
            program,
            process,
            base: None,
            reached: HashSet::new(),
        })
    }

    /// Takes a line of libFuzzer's; the place, if the line names an edge at one that
    /// was not reached before.
    ///
    /// # Errors
    /// The process has ended, or its debug information is broken.
    pub fn take(&mut self, line: &str) -> anyhow::Result<Option<String>> {
        let Some(address) = edge(line) else {
            return Ok(None);
        };
        let base = match self.base {
            Some(base) => base,
            None => *self.base.insert(base(self.process, &self.program)?),
        };
        let Some(probe) = address.checked_sub(base) else {
            return Ok(None);
        };
        let mut frames = self
            .loader
            .find_frames(probe)
            .map_err(|e| anyhow!("debug information of {}: {e}", self.program.display()))?;
        while let Some(frame) = frames.next()? {
            let Some(location) = frame.location else {
                continue;
            };
            let (Some(file), Some(line)) = (location.file, location.line) else {
                continue;
            };
            let Ok(own) = Path::new(file).strip_prefix(&self.root) else {
                continue;
            };
            let own = own.display().to_string();
            let column = location.column.unwrap_or(0);
            let text = format!("{own}:{line}:{column}");
            let new = self.reached.insert((own, line, column));
            return Ok(new.then_some(text));
        }
        Ok(None)
    }
}

/// The address of the edge that a line of `-print_pcs=1` names: libFuzzer shows what
/// follows its first byte.
fn edge(line: &str) -> Option<u64> {
    let address = line.trim().strip_prefix("NEW_PC: 0x")?;
    let address = u64::from_str_radix(address.split_whitespace().next()?, 16).ok()?;
    address.checked_sub(1)
}

/// The address at which a process has its program (proc(5), `maps`).
fn base(process: u32, program: &Path) -> anyhow::Result<u64> {
    let path = format!("/proc/{process}/maps");
    let maps = std::fs::File::open(&path).with_context(|| format!("can't read {path}"))?;
    for line in BufReader::new(maps).lines() {
        let line = line.with_context(|| format!("can't read {path}"))?;
        let mut words = line.split_ascii_whitespace();
        let (range, offset) = (words.next(), words.nth(1));
        let file = words.nth(2);
        if offset.is_some_and(|o| o.bytes().all(|b| b == b'0'))
            && file.is_some_and(|f| Path::new(f) == program)
        {
            let start = range.and_then(|r| r.split('-').next());
            let start = start.and_then(|s| u64::from_str_radix(s, 16).ok());
            return start.with_context(|| format!("{path} has no address in {line:?}"));
        }
    }
    Err(anyhow!("{path} does not name {}", program.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_told_from_other_lines() {
        assert_eq!(edge("\tNEW_PC: 0x5555556d3024"), Some(0x5555_556d_3023));
        assert_eq!(edge("\tNEW_FUNC[1/2]: 0x5555556d3024"), None);
        assert_eq!(edge("#1024\tNEW    cov: 1888"), None);
    }

    /// This test's own address is at this test's own line.
    #[test]
    fn addresses_have_places() {
        let program = std::env::current_exe().expect("it runs");
        let root = crate::workspace::root().expect("it is in the workspace");
        let mut places = Places::new(&program, std::process::id(), root).expect("it has symbols");
        let address = addresses_have_places as fn() as usize as u64 + 1;
        let line = format!("\tNEW_PC: {address:#x}");
        let place = places.take(&line).expect("it is found").expect("it is new");
        assert!(place.starts_with("lab/src/fuzz/places.rs:"), "{place}");
        assert_eq!(places.take(&line).expect("it is found"), None);
    }
}
