//! Annotations as a GitHub workflow prints them: one
//! [workflow command](https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands)
//! per finding, `::error file=…,line=…,col=…,title=…::message`. GitHub shows ten
//! of each kind per step; the rest stays in the log.

use crate::diagnostic::{Diagnostic, Severity};
use crate::run::Run;

/// Renders the findings of runs, the worst first.
pub fn render(runs: &[Run]) -> String {
    let mut findings: Vec<&Diagnostic> = runs.iter().flat_map(|run| &run.findings).collect();
    findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
    findings.into_iter().map(command).collect()
}

fn command(finding: &Diagnostic) -> String {
    let kind = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = format!("file={}", property(&finding.file));
    if finding.line > 0 {
        properties.push_str(&format!(",line={}", finding.line));
        if finding.column > 0 {
            properties.push_str(&format!(",col={}", finding.column));
        }
    }
    let title = property(&format!("{} in {}", finding.code, finding.kernel));
    let mut text = finding.message.clone();
    for line in finding.notes.iter().chain(&finding.help) {
        text.push('\n');
        text.push_str(line);
    }
    format!("::{kind} {properties},title={title}::{}\n", message(&text))
}

/// Escapes the text after the second `::`.
fn message(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a property, which a comma or a colon would end.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
