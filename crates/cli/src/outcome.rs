//! What becomes of the runs of a command: files, stdout, exit code.

use tilewise_report::{Run, github, html, json, markdown, sarif, text};

use crate::args::{Format, GateArgs, OutputArgs};
use crate::command::explain::title;
use crate::exit;
use crate::failure::Failure;
use crate::files::PendingFiles;
use crate::terminal::Terminal;
use tilewise::commands::explain::explain;

/// Writes the files that were asked for, then prints the runs, and returns the
/// exit code. `forced` says that `--force` was given.
pub fn deliver(
    mut runs: Vec<Run>,
    output: &OutputArgs,
    gate: &GateArgs,
    forced: bool,
    terminal: &Terminal,
) -> Result<u8, Failure> {
    if !output.timings {
        // Two runs of the same command then give the same text.
        runs.iter_mut().for_each(|run| run.timings.clear());
    }
    for path in [&output.export_json, &output.export_html]
        .into_iter()
        .flatten()
    {
        let same = |file: &str| {
            let (a, b) = (
                path.canonicalize(),
                std::path::Path::new(file).canonicalize(),
            );
            matches!((a, b), (Ok(a), Ok(b)) if a == b)
        };
        let mut inputs = runs
            .iter()
            .flat_map(|run| run.candidates.iter().map(|c| &c.file).chain([&run.file]));
        if inputs.any(|file| same(file)) {
            return Err(Failure::Usage(format!(
                "{} is the kernel's own file; name another one for the export",
                path.display()
            )));
        }
    }
    let rendered = render(&runs, output, terminal)?;
    let mut files = PendingFiles::default();
    if let Some(path) = &output.export_json {
        files.add(path, as_json(&runs, output)?)?;
    }
    if let Some(path) = &output.export_html {
        files.add(path, as_html(&runs)?)?;
    }
    files.commit()?;
    terminal.print(&rendered)?;

    let objections = exit::objections(&runs, gate, forced);
    for objection in &objections {
        terminal.objection(objection);
    }
    Ok(if objections.is_empty() {
        exit::FINE
    } else {
        exit::OBJECTION
    })
}

/// The runs in the format of stdout.
fn render(runs: &[Run], output: &OutputArgs, terminal: &Terminal) -> Result<String, Failure> {
    match output.format {
        Format::Text => Ok(text::render(runs, terminal.style())),
        Format::Json => as_json(runs, output),
        Format::Markdown => Ok(markdown::render(runs)),
        Format::Github => Ok(github::render(runs)),
        Format::Sarif => sarif::render(runs, &rules(runs)).map_err(render_error("SARIF")),
    }
}

fn as_json(runs: &[Run], output: &OutputArgs) -> Result<String, Failure> {
    let samples = if output.no_data {
        json::Samples::Dropped
    } else {
        json::Samples::Kept
    };
    json::to_json(runs, samples).map_err(render_error("JSON"))
}

fn as_html(runs: &[Run]) -> Result<String, Failure> {
    html::render(runs).map_err(render_error("HTML"))
}

/// The rules behind the findings, each with its page of `tilewise explain`.
fn rules(runs: &[Run]) -> Vec<sarif::Rule> {
    let mut rules: Vec<sarif::Rule> = Vec::new();
    for finding in runs.iter().flat_map(|run| &run.findings) {
        if rules.iter().any(|rule| rule.code == finding.code) {
            continue;
        }
        let Some(page) = explain(&finding.code) else {
            continue;
        };
        rules.push(sarif::Rule {
            code: finding.code.clone(),
            title: title(page, &finding.code).to_owned(),
            help: page.to_owned(),
            severity: finding.severity,
        });
    }
    rules.sort_by(|a, b| a.code.cmp(&b.code));
    rules
}

fn render_error<E: std::fmt::Display>(format: &'static str) -> impl Fn(E) -> Failure {
    move |error| Failure::Render {
        format,
        reason: error.to_string(),
    }
}
