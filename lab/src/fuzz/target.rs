//! One fuzz target: its process, watched.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, bail};

use super::Fuzzed;
use super::places::Places;

/// Ticks of `/proc/PID/stat` in a second: `USER_HZ`, which is 100 for every
/// process on Linux.
const TICKS: u64 = 100;

/// Lines of libFuzzer's that a failure is shown with.
const LAST: usize = 12;

/// What to run.
pub struct Run<'a> {
    /// Its name.
    pub target: &'a str,
    /// The source of the reader that it is about.
    pub reader: &'a str,
    /// The program.
    pub program: &'a Path,
    /// The folder of the source.
    pub root: &'a Path,
    /// The inputs that the repository holds.
    pub own: &'a Path,
    /// Its dictionary, if that file exists.
    pub dictionary: &'a Path,
    /// Where found inputs go.
    pub found: &'a Path,
    /// Seconds without anything new after which it ends.
    pub quiet: u64,
    /// Seconds after which it ends anyway.
    pub limit: u64,
}

/// Runs a target until it brings nothing new.
///
/// # Errors
/// The program can't be run, or is not libFuzzer's.
pub fn run(run: &Run<'_>) -> anyhow::Result<Fuzzed> {
    // libFuzzer names the edges of what it finds or reads again, not of what it
    // starts with: it starts with nothing.
    let before = run.found.with_extension("before");
    set_aside(run.found, &before)?;
    let longest = longest(&before)?.max(longest(run.own)?).max(4096);
    let mut command = Command::new(run.program);
    command
        .args(["-timeout=20", "-rss_limit_mb=4096", "-reload=1"])
        .args(["-print_pcs=1", "-print_funcs=0"])
        .arg(format!("-max_len={longest}"))
        .arg(format!("-artifact_prefix={}-crash-", run.found.display()))
        .arg(run.found)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if run.dictionary.is_file() {
        command.arg(format!("-dict={}", run.dictionary.display()));
    }
    let mut child = command
        .spawn()
        .with_context(|| format!("can't run {}", run.program.display()))?;
    let mut places = Places::new(run.program, child.id(), run.root)?;
    let lines = child.stderr.take().context("libFuzzer writes to stderr")?;
    let mut fuzzed = Fuzzed::default();
    let (mut newest, mut newest_behind) = (0, 0);
    let mut last = VecDeque::new();
    let mut ended = false;
    // libFuzzer writes a line when it keeps an input, else at powers of two: the
    // time has to be looked at in between.
    let (send, receive) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(lines).split(b'\n') {
            let Ok(line) = line else { return };
            if send.send(line).is_err() {
                return;
            }
        }
    });
    loop {
        let line = match receive.recv_timeout(Duration::from_secs(1)) {
            Ok(line) => Some(String::from_utf8_lossy(&line).into_owned()),
            Err(mpsc::RecvTimeoutError::Timeout) => None,
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        };
        if let Some(seconds) = seconds(&child) {
            fuzzed.seconds = seconds;
        }
        if let Some(line) = line {
            if started(&line) {
                copy(run.own, run.found)?;
                copy(&before, run.found)?;
                std::fs::remove_dir_all(&before)
                    .with_context(|| format!("can't remove {}", before.display()))?;
            }
            if let Some(status) = Status::read(&line) {
                fuzzed.executions = status.executions;
                fuzzed.mib = fuzzed.mib.max(status.mib);
                fuzzed.edges = status.edges;
            }
            if let Some(place) = places.take(&line)? {
                newest_behind = fuzzed.seconds;
                if place.starts_with(run.reader) {
                    newest = fuzzed.seconds;
                }
                eprintln!(
                    "{}: {} s, {} inputs, {} edges, {place}",
                    run.target, fuzzed.seconds, fuzzed.executions, fuzzed.edges
                );
            }
            last.push_back(line);
            if last.len() > LAST {
                last.pop_front();
            }
        }
        fuzzed.quiet = fuzzed.seconds - newest;
        fuzzed.quiet_behind = fuzzed.seconds - newest_behind;
        if fuzzed.quiet >= run.quiet || fuzzed.seconds >= run.limit {
            ended = true;
            child.kill().context("can't end libFuzzer")?;
            break;
        }
    }
    drop(receive);
    if reader.join().is_err() {
        bail!("reading what libFuzzer writes panicked");
    }
    let status = child.wait().context("can't wait for libFuzzer")?;
    if ended {
        return Ok(fuzzed);
    }
    let last = Vec::from(last).join("\n");
    if fuzzed.executions == 0 {
        bail!("{} ended at once ({status}):\n{last}", run.target);
    }
    // Without `-runs` or `-max_total_time` libFuzzer ends at a crash only.
    fuzzed.crashes = 1;
    eprintln!("{}: {status}\n{last}", run.target);
    Ok(fuzzed)
}

/// Moves the inputs of a folder to another one, which may have some of an earlier run
/// that did not come to copy them back, and leaves it empty.
fn set_aside(found: &Path, before: &Path) -> anyhow::Result<()> {
    for folder in [found, before] {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("can't make {}", folder.display()))?;
    }
    for file in files(found)? {
        let name = file.file_name().unwrap_or_default();
        std::fs::rename(&file, before.join(name))
            .with_context(|| format!("can't move {}", file.display()))?;
    }
    Ok(())
}

/// Copies the inputs of a folder to another one, where they are new.
fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    for file in files(from)? {
        let name = file.file_name().unwrap_or_default();
        std::fs::copy(&file, to.join(name))
            .with_context(|| format!("can't copy {}", file.display()))?;
    }
    Ok(())
}

/// Bytes of a folder's longest input.
fn longest(folder: &Path) -> anyhow::Result<u64> {
    let mut longest = 0;
    for file in files(folder)? {
        let data = file
            .metadata()
            .with_context(|| format!("can't read {}", file.display()))?;
        longest = longest.max(data.len());
    }
    Ok(longest)
}

fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()
        .with_context(|| format!("can't read {}", folder.display()))
}

/// Whether a line says that fuzzing begins.
fn started(line: &str) -> bool {
    line.split_ascii_whitespace().nth(1) == Some("INITED")
}

/// One of libFuzzer's status lines: `#1024 NEW cov: 1888 ft: … rss: 31Mb …`.
struct Status {
    executions: u64,
    edges: u64,
    mib: u64,
}

impl Status {
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let executions = words.next()?.strip_prefix('#')?.parse().ok()?;
        let (mut edges, mut mib) = (None, None);
        while let Some(word) = words.next() {
            match word {
                "cov:" => edges = words.next()?.parse().ok(),
                "rss:" => mib = words.next()?.strip_suffix("Mb")?.parse().ok(),
                _ => {}
            }
        }
        Some(Self {
            executions,
            edges: edges?,
            mib: mib?,
        })
    }
}

/// Processor seconds (user and system) that a process has used; `None` if it has
/// ended.
fn seconds(child: &Child) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // The second field is the program's name in parentheses; user and system
    // time are the 14th and 15th (proc(5)).
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((user + system) / TICKS)
}

#[cfg(test)]
mod tests {
    use super::{Status, started};

    #[test]
    fn status_lines_are_read() {
        let line = "#1663394\tNEW    cov: 1888 ft: 6872 corp: 1518/178Kb lim: 4096 \
                    exec/s: 1879 rss: 31Mb L: 1531/3858 MS: 1 EraseBytes-";
        let status = Status::read(line).expect("it is a status line");
        assert_eq!(
            (status.executions, status.edges, status.mib),
            (1_663_394, 1888, 31)
        );
        assert!(Status::read("INFO: seed corpus: files: 12").is_none());
        assert!(started(
            "#2\tINITED cov: 12 ft: 13 corp: 1/1b exec/s: 0 rss: 30Mb"
        ));
        assert!(!started(line));
    }
}
