//! Findings with their source, and a summary of how many there are and what
//! was run to look for them.

use super::{footer, header};
use crate::findings;
use crate::phrase;
use crate::run::Run;
use crate::style::Style;

/// Renders `tilewise check`.
pub(super) fn check(run: &Run, style: Style) -> String {
    let mut out = header(run, style);
    if !run.findings.is_empty() {
        out.push('\n');
        out.push_str(&findings::render(&run.findings, style));
    }
    out.push_str(&footer(run, style));
    let worst = run.findings.iter().map(|f| f.severity).max();
    let summary = phrase::finding_summary(&run.findings);
    let summary = match worst {
        Some(severity) => style.severity(severity, summary),
        None => style.good(summary),
    };
    out.push_str(&format!("\n{summary} in {}\n", run.kernel));
    out
}

/// The findings in one line each, after an empty line, for commands whose
/// subject they are not.
pub(super) fn brief(run: &Run, style: Style) -> String {
    let mut out = String::new();
    for finding in &run.findings {
        let title = format!("{}[{}]", phrase::severity(finding.severity), finding.code);
        let place = phrase::place(&finding.file, finding.line, finding.column);
        out.push_str(&format!(
            "{} {}: {}\n",
            style.severity(finding.severity, title),
            phrase::printable(&place),
            phrase::printable(&finding.message)
        ));
        for help in &finding.help {
            out.push_str(&format!("  help: {}\n", phrase::printable(help)));
        }
    }
    if !out.is_empty() {
        out.insert(0, '\n');
    }
    out
}
