//! CPU time of child processes.

use std::process::{Command, Output};

use anyhow::{Context, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// Runs a command to its end and gives its output and the CPU seconds (user
/// and system, with its own children) that it took.
///
/// # Errors
/// It can't be run or fails; the message holds what it printed.
pub fn timed(command: &mut Command) -> anyhow::Result<(Output, f64)> {
    let before = children()?;
    let output = command
        .output()
        .with_context(|| format!("can't run {:?}", command.get_program()))?;
    let seconds = children()? - before;
    if !output.status.success() {
        bail!(
            "{command:?} failed ({}): {}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok((output, seconds))
}

/// CPU seconds of all children that have ended. Children run one at a time.
fn children() -> anyhow::Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("can't read CPU times")?;
    let seconds = |t: TimeVal| t.tv_sec() as f64 + t.tv_usec() as f64 * 1e-6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}
