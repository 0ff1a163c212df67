//! The procedure of the decision, answered step by step, what to do, and last
//! the verdict.

use super::check::brief;
use super::compare::compare;
use super::{footer, header, section};
use crate::phrase;
use crate::run::Run;
use crate::style::Style;

/// Renders `tilewise advise`. The verdict is the last line.
pub(super) fn advise(run: &Run, style: Style) -> String {
    let mut out = header(run, style);
    out.push_str(&compare(run, style));
    out.push_str(&conclusion(run, style));
    out
}

/// The answers, the reasons, what to do and the verdict.
pub(super) fn conclusion(run: &Run, style: Style) -> String {
    let mut out = procedure(run, style);
    out.push_str(&brief(run, style));
    if let Some(verdict) = &run.verdict {
        let reasons = phrase::further_reasons(verdict);
        if !reasons.is_empty() {
            out.push_str(&section("Why", "", style));
            for reason in reasons {
                out.push_str(&format!("  {reason}\n"));
            }
        }
    }
    out.push_str(&footer(run, style));
    let verdict = verdict_line(run, style);
    if run.action.is_some() || verdict.is_some() {
        out.push('\n');
    }
    if let Some(action) = &run.action {
        out.push_str(&format!("{} {action}\n", style.heading("do:")));
    }
    if let Some(line) = verdict {
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// The numbered answers, aligned; empty if the run has none.
fn procedure(run: &Run, style: Style) -> String {
    if run.procedure.is_empty() {
        return String::new();
    }
    let question = run
        .procedure
        .iter()
        .map(|a| a.question.chars().count())
        .max()
        .unwrap_or(0);
    let answer = run
        .procedure
        .iter()
        .map(|a| a.answer.chars().count())
        .max()
        .unwrap_or(0);
    let mut out = "\n".to_owned();
    for (i, step) in run.procedure.iter().enumerate() {
        let line = format!(
            "{} {:<question$}  {}  {}",
            i + 1,
            step.question,
            // Padded before it is coloured: escape sequences have no width.
            style.answer(&step.answer, format_args!("{:<answer$}", step.answer)),
            step.figure
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// See [`super::verdict_line`].
pub(super) fn verdict_line(run: &Run, style: Style) -> Option<String> {
    let verdict = run.verdict.as_ref()?;
    let kind = phrase::verdict_kind(verdict.kind);
    let figure = phrase::verdict_figure(verdict);
    let gap = if figure.is_empty() { "" } else { " " };
    Some(format!(
        "{} {}{gap}{figure} | {}",
        style.heading("verdict:"),
        style.verdict(verdict.kind, kind),
        phrase::verdict_scope(run, verdict)
    ))
}
