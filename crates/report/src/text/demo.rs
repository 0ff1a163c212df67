//! The worked example, told in chapters: what the kernels do, that they agree,
//! how they read memory, how fast they are, and the verdict.

use super::{advise, bench, compare, header, profile, verify};
use crate::run::Run;
use crate::style::Style;

/// A chapter of a longer account: its title, underlined, and its text.
pub fn chapter(title: &str, text: &str, style: Style) -> String {
    let rule = "─".repeat(title.chars().count());
    let mut out = format!("{}\n{}\n", style.heading(title), style.quiet(rule));
    if !text.is_empty() {
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

/// Renders `tilewise demo` for one device. Chapters whose figures the run
/// doesn't have are left out.
pub(super) fn demo(run: &Run, style: Style) -> String {
    let mut chapters = Vec::new();
    let mut add = |title: &str, body: String| {
        let body = body.trim_matches('\n');
        if !body.is_empty() {
            chapters.push(chapter(title, body, style));
        }
    };
    add("The launch", header(run, style));
    if run.candidates.iter().any(|c| c.verified.is_some()) {
        add("Do the kernels agree?", verify::body(run, style));
    }
    if let Some(p) = &run.profile {
        add("How is memory read?", profile::buffers(p, style));
    }
    add("What does staging change?", compare::compare(run, style));
    let measured = run.measured.is_some() || run.candidates.iter().any(|c| c.measured.is_some());
    if measured {
        add("How fast is it?", bench::body(run, style));
    }
    add("Does staging pay?", advise::conclusion(run, style));
    chapters.join("\n")
}
