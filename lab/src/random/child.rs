//! The child's side: programs come in a file, lines of JSON go out.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use tilewise_generate::Program;

use super::machines::Machines;
use super::report::Report;

/// A line of a child's output.
#[derive(Debug, Serialize, Deserialize)]
pub enum Line {
    /// What comes next.
    Stage(String),
    /// A program's report.
    Report(Report),
}

/// Runs the programs in a file and prints lines.
pub fn serve(file: &Path, device: bool) -> anyhow::Result<()> {
    let text = std::fs::read(file).with_context(|| format!("can't read {}", file.display()))?;
    let programs: Vec<Program> = serde_json::from_slice(&text)
        .with_context(|| format!("{} holds no programs", file.display()))?;
    let machines = Machines::find(device)?;
    let reports = machines.judge(&programs, &mut |stage| {
        // A parent that is gone is no reason to stop.
        let _ = say(&Line::Stage(stage.to_owned()));
    });
    for report in reports {
        say(&Line::Report(report))?;
    }
    Ok(())
}

fn say(line: &Line) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, line)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}
