//! Writes down a program that a machine gets wrong.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use tilewise_generate::tree::ParamKind;
use tilewise_generate::{HEADER, Program, render};

use super::report::Report;

/// Writes `NAME.cl`, with the report and the launch as comments, and
/// `NAME.json`, which `cargo xtask random --run` takes.
pub fn keep(folder: &Path, program: &Program, report: &Report) -> anyhow::Result<()> {
    let mut text = String::new();
    writeln!(text, "// {}", report.to_string().replace('\n', "\n// "))?;
    writeln!(text, "// {}", launch_line(program))?;
    text.push_str(HEADER);
    text.push_str(&render(program));
    let file = folder.join(format!("{}.cl", report.name));
    std::fs::write(&file, text).with_context(|| format!("can't write {}", file.display()))?;
    let file = folder.join(format!("{}.json", report.name));
    std::fs::write(&file, serde_json::to_vec(&[program])?)
        .with_context(|| format!("can't write {}", file.display()))
}

/// The launch in one line.
pub fn launch_line(program: &Program) -> String {
    let range = &program.range;
    let mut line = format!(
        "global {:?} offset {:?} local {:?}",
        range.global, range.offset, range.local
    );
    for param in &program.params {
        let of = match &param.kind {
            ParamKind::Value { seed } => format!("value, seed {seed}"),
            ParamKind::Buffer { len, contents, .. } => format!("{len} elements, {contents:?}"),
            ParamKind::Local { len } => format!("local, {len} elements"),
        };
        // Writing to a string does not fail.
        let _ = write!(line, "; v{}: {of}", param.var);
    }
    line
}
