//! A comment for a pull request: verdict first, then the procedure, the figures
//! as tables and the findings, in GitHub's Markdown. Everything that comes from
//! the user's files is escaped.

use crate::compare::side_by_side;
use crate::number::{bytes, count, fixed};
use crate::phrase;
use crate::run::{Command, Profile, Run, VerdictKind};

/// Renders runs one after the other.
pub fn render(runs: &[Run]) -> String {
    runs.iter().map(one).collect::<Vec<_>>().join("\n---\n\n")
}

fn one(run: &Run) -> String {
    let mut out = match &run.verdict {
        Some(verdict) => {
            let icon = match verdict.kind {
                VerdictKind::Pays => "🟢",
                VerdictKind::Loses => "🔴",
                VerdictKind::Ties => "⚪",
                VerdictKind::Unknown | VerdictKind::NotApplicable => "⚫",
            };
            let kind = phrase::verdict_kind(verdict.kind);
            let figure = escape(&phrase::verdict_figure(verdict));
            let title = format!("{icon} {}: staging {kind} {figure}", code(&run.kernel));
            let basis = escape(&verdict.basis);
            format!("### {}\n\n**{basis}**, ", title.trim_end())
        }
        None => format!("### {}\n\n", code(&run.kernel)),
    };
    out.push_str(&format!(
        "{} on {}, {}\n",
        code(&phrase::launch(&run.launch)),
        escape(&phrase::device(&run.device)),
        code(&run.file)
    ));
    if let Some(action) = &run.action {
        out.push_str(&format!("\n**Do:** {}\n", escape(action)));
    }
    if !run.procedure.is_empty() {
        out.push('\n');
    }
    for (i, step) in run.procedure.iter().enumerate() {
        out.push_str(&format!(
            "{}. {} **{}** {}\n",
            i + 1,
            escape(&step.question),
            escape(&step.answer),
            escape(&step.figure)
        ));
    }
    if let Some(verdict) = &run.verdict {
        let reasons = phrase::further_reasons(verdict);
        if !reasons.is_empty() {
            out.push_str("\nWhy:\n\n");
            for reason in reasons {
                out.push_str(&format!("- {}\n", escape(reason)));
            }
        }
    }
    if let Some(profile) = &run.profile {
        out.push_str(&buffers(profile));
    }
    out.push_str(&staged(run));
    out.push_str(&forms(run));
    out.push_str(&findings(run));
    for note in phrase::notes(run) {
        out.push_str(&format!("\n> note: {}\n", escape(note)));
    }
    out
}

fn buffers(profile: &Profile) -> String {
    let mut out = format!("\n{}:\n\n", escape(&phrase::sampled(&profile.sampled)));
    out.push_str("| buffer | reads | distinct | reuse | halo lo/hi | tile | sectors/request |\n");
    out.push_str("|---|--:|--:|--:|---|--:|--:|\n");
    let dash = || "-".to_owned();
    for b in &profile.buffers {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            code_cell(&b.name),
            count(b.accesses),
            count(b.distinct),
            b.reuse.map_or_else(dash, |r| fixed(r, 3)),
            phrase::halo(b),
            b.tile_bytes.map_or_else(dash, bytes),
            phrase::sectors_per_request(b).map_or_else(dash, |s| fixed(s, 2)),
        ));
    }
    out
}

/// What `stage` wrote: the change, its tiles, its proof, and what the host has to set.
fn staged(run: &Run) -> String {
    let mut out = String::new();
    for candidate in &run.candidates {
        let Some(staging) = &candidate.staging else {
            continue;
        };
        // Beside measured or predicted forms the table of both says so.
        if run.command == Command::Stage {
            let results = phrase::verified(candidate.verified.as_ref());
            out.push_str(&format!("\n**Results:** {}\n", escape(&results)));
        }
        out.push('\n');
        for tile in &staging.tiles {
            out.push_str(&format!(
                "- {} in {}: {} elements\n",
                code(&tile.buffer),
                code(&tile.name),
                code(&tile.elements)
            ));
        }
        out.push_str(&fenced("diff", &staging.diff));
        out.push_str(&fenced("", &staging.host.join("\n")));
    }
    out
}

/// A block of code, in more backticks than it has in a row; none of no text.
fn fenced(language: &str, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("\n{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

/// The kernel and its candidates as columns, one figure a row.
fn forms(run: &Run) -> String {
    let rows = side_by_side(run);
    if rows.is_empty() {
        return String::new();
    }
    let mut out = format!("\n| | {} |", code_cell(&run.kernel));
    for candidate in &run.candidates {
        out.push_str(&format!(" {} |", code_cell(&candidate.id)));
    }
    out.push_str(" |\n|---|--:|");
    out.push_str(&"--:|".repeat(run.candidates.len()));
    out.push_str("---|\n");
    for row in rows {
        out.push_str(&format!("| {} |", row.name));
        for figure in row.figures {
            out.push_str(&format!(" {} |", escape(figure.as_deref().unwrap_or("-"))));
        }
        out.push_str(&format!(" {} |\n", row.how));
    }
    out.push_str("| results | |");
    for candidate in &run.candidates {
        let results = phrase::verified(candidate.verified.as_ref());
        out.push_str(&format!(" {} |", escape(&results)));
    }
    out.push_str(" |\n");
    out
}

fn findings(run: &Run) -> String {
    if run.findings.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}:\n\n", phrase::finding_summary(&run.findings));
    for f in &run.findings {
        out.push_str(&format!(
            "- {} {} {}: {}\n",
            phrase::severity(f.severity),
            escape(&f.code),
            code(&phrase::place(&f.file, f.line, f.column)),
            escape(&f.message)
        ));
    }
    out
}

/// Escapes what Markdown or HTML would read as markup, and joins lines.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in phrase::printable(&text.replace(['\n', '\r'], " ")).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A mention or a link would notify or lead somewhere.
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// A code span in a table, where a bar would end the cell even within it.
fn code_cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// A code span. Its fence is longer than any run of backticks within.
fn code(text: &str) -> String {
    let text = phrase::printable(&text.replace(['\n', '\r'], " "));
    if text.is_empty() {
        return "-".to_owned();
    }
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}
