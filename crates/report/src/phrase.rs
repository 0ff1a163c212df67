//! Sentences that several renderers say, so that all of them say the same:
//! the verdict, the launch, how a figure was obtained.

use crate::diagnostic::{Diagnostic, Severity};
use crate::number;
use crate::run::{
    BufferProfile, Candidate, DeviceInfo, LaunchInfo, Measured, Run, Sampled, Verdict, VerdictKind,
    Verified,
};

/// `4096x4096`, `-` for an empty list.
pub fn shape(extents: &[u64]) -> String {
    if extents.is_empty() {
        return "-".to_owned();
    }
    let parts: Vec<String> = extents.iter().map(u64::to_string).collect();
    parts.join("x")
}

/// `global 67108864 local 256`, with ` offset …` where there is one.
pub fn launch(launch: &LaunchInfo) -> String {
    let mut line = format!(
        "global {} local {}",
        shape(&launch.global),
        shape(&launch.local)
    );
    if launch.offset.iter().any(|&o| o != 0) {
        line.push_str(&format!(" offset {}", shape(&launch.offset)));
    }
    line
}

/// Name of a device, with what selects it: `NVIDIA H200 (sim:h200), simulated`.
pub fn device(device: &DeviceInfo) -> String {
    let simulated = if device.simulated { ", simulated" } else { "" };
    if device.id.is_empty() || device.id == device.name {
        format!("{}{simulated}", device.name)
    } else {
        format!("{} ({}){simulated}", device.name, device.id)
    }
}

/// Which groups ran and how far that is from the whole:
/// `simulated 24 of 65,536 groups, exact`.
pub fn sampled(sampled: &Sampled) -> String {
    if sampled.of > 0 && sampled.groups == sampled.of {
        let all = match sampled.of {
            1 => "the one group".to_owned(),
            of => format!("all {} groups", number::count(of)),
        };
        return format!("simulated {all}");
    }
    let share = format!(
        "simulated {} of {}",
        number::count(sampled.groups),
        number::counted(sampled.of, "group", "groups"),
    );
    match (sampled.exact, sampled.relative_error) {
        (true, _) => format!("{share}, exact"),
        (false, Some(error)) => format!(
            "{share}, counts within {} (95% CI)",
            // Anything less would be shown as nothing.
            number::percent(error.abs().max(0.001))
        ),
        (false, None) => format!("{share}, estimated"),
    }
}

/// `pays`, `not-applicable`, …: as in the JSON form.
pub fn verdict_kind(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Pays => "pays",
        VerdictKind::Loses => "loses",
        VerdictKind::Ties => "ties",
        VerdictKind::Unknown => "unknown",
        VerdictKind::NotApplicable => "not-applicable",
    }
}

/// What follows the class of a verdict: the speed-up with its interval, or the
/// reason why there is none. Empty if neither is known.
pub fn verdict_figure(verdict: &Verdict) -> String {
    let Some(speedup) = verdict.speedup else {
        return match verdict.reasons.first() {
            Some(reason) => format!("({reason})"),
            None => String::new(),
        };
    };
    let mut figure = number::speedup(speedup);
    if let (Some(lo), Some(hi)) = (verdict.lo, verdict.hi) {
        let name = verdict.interval.as_deref().unwrap_or("interval");
        let unsure = if verdict.unsure { ", unsure" } else { "" };
        // A narrow interval that reaches over a limit must show that it does.
        let narrow = hi - lo < 0.005 && verdict.kind == VerdictKind::Unknown;
        let places = if narrow { 4 } else { 2 };
        figure.push_str(&format!(
            " ({name} {}-{}{unsure})",
            number::fixed(lo, places),
            number::fixed(hi, places)
        ));
    } else if verdict.unsure {
        figure.push_str(" (unsure)");
    }
    figure
}

/// Where and how a verdict holds: `blur_naive, staged: in | global … | device |
/// basis`.
pub fn verdict_scope(run: &Run, verdict: &Verdict) -> String {
    let mut subject = run.kernel.clone();
    if !verdict.staged.is_empty() {
        subject.push_str(&format!(", staged: {}", verdict.staged.join(", ")));
    }
    format!(
        "{subject} | {} | {} | {}",
        launch(&run.launch),
        verdict.device,
        verdict.basis
    )
}

/// Reasons beyond the one that the verdict line already shows.
pub fn further_reasons(verdict: &Verdict) -> &[String] {
    match verdict.speedup {
        Some(_) => &verdict.reasons,
        None => verdict.reasons.get(1..).unwrap_or_default(),
    }
}

/// `[low, high]` of the halo by dimension, fastest first: `7/7, 7/7`.
pub fn halo(buffer: &BufferProfile) -> String {
    if buffer.halo.is_empty() {
        return "-".to_owned();
    }
    let sides: Vec<String> = buffer
        .halo
        .iter()
        .map(|[low, high]| format!("{low}/{high}"))
        .collect();
    sides.join(", ")
}

/// Mean 32-byte sectors of one load request; `None` without requests.
pub fn sectors_per_request(buffer: &BufferProfile) -> Option<f64> {
    (buffer.load_requests > 0).then(|| buffer.load_sectors as f64 / buffer.load_requests as f64)
}

/// The interval of a measured speed-up, if both are known: `0.83x (95% CI
/// 0.82-0.84)`.
pub fn measured_speedup(measured: &Measured) -> Option<String> {
    let speedup = measured.speedup?;
    Some(match measured.interval {
        Some([lo, hi]) => format!(
            "{} (95% CI {}-{})",
            number::speedup(speedup),
            number::fixed(lo, 2),
            number::fixed(hi, 2)
        ),
        None => number::speedup(speedup),
    })
}

/// Whether results were compared and agreed, in words.
pub fn verified(verified: Option<&Verified>) -> String {
    let Some(verified) = verified else {
        return "not compared".to_owned();
    };
    let differing = verified.trials.iter().filter(|t| !t.equal).count() as u64;
    let all = verified.trials.len() as u64;
    match (verified.equal, all) {
        (_, 0) => "not compared: no trial ran".to_owned(),
        (true, _) => format!("equal in {}", number::counted(all, "trial", "trials")),
        (false, _) => format!(
            "differs in {} of {}",
            number::count(differing),
            number::counted(all, "trial", "trials")
        ),
    }
}

/// What a candidate is: `staged, given`.
pub fn candidate_role(candidate: &Candidate) -> String {
    let role = if candidate.staged {
        "staged"
    } else {
        "unstaged"
    };
    format!("{role}, {}", candidate.source)
}

/// `error`, `warning`, `note`: as in the JSON form.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// `2 errors, 1 warning`; `no findings`.
pub fn finding_summary(findings: &[Diagnostic]) -> String {
    let of = |severity| findings.iter().filter(|f| f.severity == severity).count() as u64;
    let parts: Vec<String> = [
        (of(Severity::Error), "error", "errors"),
        (of(Severity::Warning), "warning", "warnings"),
        (of(Severity::Note), "note", "notes"),
    ]
    .into_iter()
    .filter(|&(n, _, _)| n > 0)
    .map(|(n, one, many)| number::counted(n, one, many))
    .collect();
    if parts.is_empty() {
        "no findings".to_owned()
    } else {
        parts.join(", ")
    }
}

/// `file:line:column`, as far as they are known.
pub fn place(file: &str, line: u32, column: u32) -> String {
    match (line, column) {
        (0, _) => file.to_owned(),
        (_, 0) => format!("{file}:{line}"),
        _ => format!("{file}:{line}:{column}"),
    }
}

/// Text of a source as one printable line: control characters, which could
/// drive the reader's terminal, become `\u{fffd}`, tabs one space.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// [`printable`] text cut to `width` characters, with `…` where it was cut.
pub fn excerpt(text: &str, width: usize) -> String {
    let text = printable(text);
    if text.chars().count() <= width {
        return text;
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// Warnings and the defaults that were taken, in this order: the `note:` lines.
pub fn notes(run: &Run) -> impl Iterator<Item = &str> {
    run.warnings
        .iter()
        .chain(&run.launch.defaults)
        .map(String::as_str)
}
