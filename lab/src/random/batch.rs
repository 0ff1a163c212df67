//! The parent's side of a batch: a child process with a time limit. Where it
//! dies or hangs, each program gets a child of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tilewise_generate::Program;

use super::child::Line;
use super::report::Report;

/// For a batch, and on top of it for each of its programs.
const LIMIT: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(10));

/// Runs programs in a child process; one report for each, in order.
pub fn run(programs: &[Program], device: bool) -> anyhow::Result<Vec<Report>> {
    let reports = match attempt(programs, device)? {
        Ok(reports) => reports,
        Err(how) => match programs {
            [one] => {
                let mut report = Report::new(&one.name);
                report.crashed = Some(how);
                vec![report]
            }
            several => {
                let mut all = Vec::new();
                for one in several.chunks(1) {
                    all.extend(run(one, device)?);
                }
                all
            }
        },
    };
    programs
        .iter()
        .map(|p| {
            let found = reports.iter().find(|r| r.name == p.name);
            found
                .cloned()
                .with_context(|| format!("no report on {} came back", p.name))
        })
        .collect()
}

/// One child. `Err` says how it ended where it did not report.
fn attempt(programs: &[Program], device: bool) -> anyhow::Result<Result<Vec<Report>, String>> {
    // In memory, if there is a file system for it: PoCL writes a lot.
    let shared = Path::new("/dev/shm");
    let folder = if shared.is_dir() {
        tempfile::tempdir_in(shared)
    } else {
        tempfile::tempdir()
    }
    .context("can't make a temporary folder")?;
    let file = folder.path().join("programs.json");
    std::fs::write(&file, serde_json::to_vec(programs)?).context("can't write the programs")?;

    let mut command = Command::new(std::env::current_exe().context("no own path")?);
    command.arg("random").arg("--run").arg(&file);
    if !device {
        command.arg("--no-device");
    }
    let mut child = command
        .env("POCL_CACHE_DIR", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("can't start a child process")?;
    let limit = LIMIT.0 + LIMIT.1 * u32::try_from(programs.len()).unwrap_or(u32::MAX);
    collect(&mut child, limit)
}

fn collect(child: &mut Child, limit: Duration) -> anyhow::Result<Result<Vec<Report>, String>> {
    let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
        bail!("a child process without output");
    };
    let (send, lines) = channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    let errors = std::thread::spawn(move || {
        let mut last = String::new();
        for line in BufReader::new(err).lines().map_while(Result::ok) {
            if !line.trim().is_empty() {
                last = line;
            }
        }
        last
    });
    let deadline = Instant::now() + limit;
    let mut stage = "start".to_owned();
    let mut reports = Vec::new();
    let hung = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match lines.recv_timeout(left) {
            Ok(line) => match serde_json::from_str(&line) {
                Ok(Line::Stage(next)) => stage = next,
                Ok(Line::Report(report)) => reports.push(report),
                // Whatever a driver prints.
                Err(_) => {}
            },
            Err(RecvTimeoutError::Timeout) => break true,
            Err(RecvTimeoutError::Disconnected) => break false,
        }
    };
    if hung {
        child.kill().context("can't end a child process")?;
    }
    let status = child.wait().context("can't wait for a child process")?;
    let _ = reader.join();
    let last = errors.join().unwrap_or_default();
    if hung {
        return Ok(Err(format!("no end after {limit:?}, at: {stage}")));
    }
    if status.success() {
        return Ok(Ok(reports));
    }
    // An exit code of its own: the child could not even start.
    if stage == "start" {
        bail!("a child process failed ({status}): {last}");
    }
    Ok(Err(format!("{status} at: {stage}; {last}")))
}
