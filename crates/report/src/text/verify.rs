//! Whether kernels give the same results, trial by trial. Trials that agree
//! fill one line for each place and manner of comparison; each that differs is
//! shown with its first difference.

use super::{footer, header};
use crate::number::counted;
use crate::phrase;
use crate::run::{Candidate, Run, Trial, Verified};
use crate::style::Style;

/// Differing trials that are shown in full.
const DIFFERENCES_SHOWN: usize = 8;

/// Equal launches that are named, by place and manner of comparison.
const LAUNCHES_SHOWN: usize = 6;

/// Renders `tilewise verify`.
pub(super) fn verify(run: &Run, style: Style) -> String {
    let mut out = header(run, style);
    out.push_str(&body(run, style));
    out.push_str(&super::check::brief(run, style));
    out.push_str(&footer(run, style));
    out
}

/// The comparisons alone.
pub(super) fn body(run: &Run, style: Style) -> String {
    if run.candidates.is_empty() {
        return "\nnothing was compared in this run\n".to_owned();
    }
    run.candidates
        .iter()
        .map(|candidate| comparison(&run.kernel, candidate, style))
        .collect()
}

/// The comparisons of some candidates.
pub(super) fn body_of(run: &Run, candidates: &[&Candidate], style: Style) -> String {
    candidates
        .iter()
        .map(|candidate| comparison(&run.kernel, candidate, style))
        .collect()
}

fn comparison(original: &str, candidate: &Candidate, style: Style) -> String {
    let summary = phrase::verified(candidate.verified.as_ref());
    let summary = match &candidate.verified {
        Some(v) if v.equal && !v.trials.is_empty() => style.good(summary),
        Some(v) if !v.equal => style.bad(summary),
        _ => style.notable(summary),
    };
    let mut out = format!(
        "\n{} against {original}: {summary}\n",
        style.heading(&candidate.id)
    );
    if let Some(verified) = &candidate.verified {
        out.push_str(&equal_trials(verified));
        out.push_str(&differences(verified, style));
    }
    out
}

fn equal_trials(verified: &Verified) -> String {
    let mut kinds: Vec<(&str, &str, Vec<&Trial>)> = Vec::new();
    for trial in verified.trials.iter().filter(|t| t.equal) {
        match kinds
            .iter_mut()
            .find(|(on, how, _)| *on == trial.on && *how == trial.how)
        {
            Some((_, _, trials)) => trials.push(trial),
            None => kinds.push((&trial.on, &trial.how, vec![trial])),
        }
    }
    let mut out = String::new();
    for (on, how, trials) in kinds {
        out.push_str(&format!(
            "  equal {how} on {on}, {}\n",
            counted(trials.len() as u64, "launch", "launches")
        ));
        for trial in trials.iter().take(LAUNCHES_SHOWN) {
            out.push_str(&format!("    {}\n", trial.launch));
        }
        if let Some(more) = beyond(trials.len(), LAUNCHES_SHOWN) {
            out.push_str(&format!("    {more}\n"));
        }
    }
    out
}

fn differences(verified: &Verified, style: Style) -> String {
    let differing: Vec<&Trial> = verified.trials.iter().filter(|t| !t.equal).collect();
    let mut out = String::new();
    for trial in differing.iter().take(DIFFERENCES_SHOWN) {
        out.push_str(&format!(
            "  {} on {} ({}), {}\n",
            style.bad("differs"),
            trial.on,
            trial.how,
            trial.launch
        ));
        if let Some(difference) = &trial.difference {
            out.push_str(&format!("    {}\n", phrase::printable(difference)));
        }
    }
    if let Some(more) = beyond(differing.len(), DIFFERENCES_SHOWN) {
        out.push_str(&format!("  {more} that differ\n"));
    }
    out
}

/// `… 14 more`, if there are more than are shown.
fn beyond(all: usize, shown: usize) -> Option<String> {
    (all > shown).then(|| format!("… {} more", all - shown))
}
