//! Runs the process that surveys a source, and again where it ends early, for
//! the kernels that are left.

use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, bail};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tilewise::survey::{SourceOutcome, Stage, SurveyEvent};

use super::child::Line;
use super::facts::Plan;
use super::record::{Ended, Ending, SourceRecord};

/// How sources are surveyed.
pub struct Supervisor {
    /// This program.
    pub executable: PathBuf,
    /// The corpus.
    pub dir: PathBuf,
    /// Part of the name of the device to compare with.
    pub device: Option<String>,
    /// Seconds per step.
    pub seconds: u64,
    /// MiB of address space.
    pub memory: u64,
}

impl Supervisor {
    /// Surveys the source at `path` below the corpus.
    pub fn survey(&self, path: &Path, plan: &Plan) -> anyhow::Result<SourceRecord> {
        let mut record = SourceRecord {
            path: path.to_string_lossy().into_owned(),
            excluded: plan.exclude.clone(),
            outcome: None,
            kernels: Vec::new(),
            ended: None,
        };
        if plan.exclude.is_some() {
            return Ok(record);
        }
        for (name, why) in &plan.skip {
            record.kernel(name).excluded = Some(why.clone());
        }
        // Each round settles one kernel at least, so that this ends.
        loop {
            let before = record.kernels.len();
            let finished = self
                .round(path, plan, &mut record)
                .with_context(|| format!("survey {}", path.display()))?;
            if finished || record.kernels.len() == before {
                return Ok(record);
            }
        }
    }

    /// One process; true where no kernel is left.
    fn round(&self, path: &Path, plan: &Plan, record: &mut SourceRecord) -> anyhow::Result<bool> {
        let folder = tempfile::tempdir()?;
        let events = folder.path().join("events");
        let errors = folder.path().join("errors");
        File::create(&events)?;
        let status = self
            .command(path, plan, record, &events)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&errors)?)
            .spawn()
            .and_then(|mut child| {
                let status = child.wait();
                // What a hung process has started.
                if let Ok(group) = i32::try_from(child.id()) {
                    let _gone = killpg(Pid::from_raw(group), Signal::SIGKILL);
                }
                status
            })?;
        let said = String::from_utf8_lossy(&std::fs::read(&errors)?).into_owned();
        let lines = std::fs::read(&events)?;
        let mut stage = Stage::Compile;
        let mut too_long = false;
        for line in String::from_utf8_lossy(&lines).lines() {
            // The last line may have been cut off.
            let Ok(line) = serde_json::from_str(line) else {
                continue;
            };
            match line {
                Line::Event(SurveyEvent::Begin(next)) => stage = next,
                Line::Event(SurveyEvent::Source(outcome)) => record.outcome = Some(outcome),
                Line::Event(SurveyEvent::Kernel(outcome)) => {
                    let name = outcome.kernel.clone();
                    record.kernel(&name).outcome = Some(outcome);
                }
                Line::TooLong => too_long = true,
                Line::Failed(message) => bail!("{message}"),
                Line::Done => return Ok(true),
            }
        }
        let ended = Ended {
            how: match status.code() {
                _ if too_long => Ending::Hung,
                Some(101) => Ending::Panicked,
                _ => Ending::Aborted,
            },
            stage: name_of(&stage).to_owned(),
            message: last_words(&status, &said),
        };
        match stage.kernel() {
            None => {
                record.ended = Some(ended);
                Ok(true)
            }
            Some(name) => {
                record.kernel(name).ended = Some(ended);
                let left = match &record.outcome {
                    Some(SourceOutcome::Compiled { kernels, .. }) => kernels
                        .iter()
                        .any(|k| !record.kernels.iter().any(|done| done.name == *k)),
                    _ => false,
                };
                Ok(!left)
            }
        }
    }

    fn command(&self, path: &Path, plan: &Plan, record: &SourceRecord, events: &Path) -> Command {
        let mut command = Command::new(&self.executable);
        command
            .arg("corpus-source")
            .arg(path)
            .args(["--seconds", &self.seconds.to_string()])
            .args(["--memory", &self.memory.to_string()])
            .args(["--build-options", &plan.options])
            .arg("--events")
            .arg(events)
            .current_dir(&self.dir)
            // One process per source: threads of its own would only compete.
            .env("POCL_MAX_PTHREAD_COUNT", "1")
            .process_group(0);
        for folder in &plan.include {
            command.arg("--include").arg(folder);
        }
        for file in &plan.prepend {
            command.arg("--prepend").arg(file);
        }
        for kernel in &record.kernels {
            command.args(["--skip", &kernel.name]);
        }
        for (kernel, why) in &plan.not_on_device {
            command.args(["--not-on-device", &format!("{kernel}={why}")]);
        }
        if let Some(device) = &self.device {
            command.args(["--device", device]);
        }
        command
    }
}

fn name_of(stage: &Stage) -> &'static str {
    match stage {
        Stage::Compile => "compile",
        Stage::Launch(_) => "launch",
        Stage::Profile(_) => "profile",
        Stage::Device(_) => "device",
    }
}

/// The end of what a process said, and how it ended.
fn last_words(status: &ExitStatus, said: &str) -> String {
    let how = match status.signal() {
        Some(signal) => format!("signal {signal}"),
        None => status.to_string(),
    };
    let lines: Vec<&str> = said
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    let panic = lines.iter().position(|line| line.contains("panicked at"));
    let first = panic.unwrap_or(lines.len().saturating_sub(2));
    let words: Vec<&str> = lines.iter().skip(first).take(2).copied().collect();
    format!("{how}: {}", words.join(" "))
}
