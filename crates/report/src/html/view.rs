//! What the page shows of a run, as text in its final form, so that the
//! template only places it.

use super::heat::{HeatRow, heat};
use super::{occupancy, scale, strip};
use crate::compare::side_by_side;
use crate::diagnostic::Diagnostic;
use crate::findings;
use crate::number::{bytes, count, counted, duration, fixed, percent};
use crate::phrase;
use crate::run::{Answer, BufferProfile, Occupancy, Predicted, Profile, Run, Verdict};
use crate::style::Style;

pub(super) struct RunView {
    pub kernel: String,
    pub file: String,
    pub launch: String,
    pub device: String,
    pub args: Vec<(String, String, String)>,
    pub verdict: Option<VerdictView>,
    pub procedure: Vec<Answer>,
    pub action: Option<String>,
    pub reasons: Vec<String>,
    pub forms: Option<FormsView>,
    pub strip: Option<String>,
    pub terms: Vec<TermView>,
    pub profile: Option<ProfileView>,
    pub occupancy: Option<OccupancyView>,
    pub trials: Vec<TrialView>,
    pub findings: Vec<FindingView>,
    pub finding_summary: String,
    pub notes: Vec<String>,
}

pub(super) struct VerdictView {
    pub kind: &'static str,
    pub speedup: Option<String>,
    pub detail: String,
    pub basis: String,
    pub staged: String,
    pub scale: Option<String>,
}

/// The kernel and its candidates, a column each.
pub(super) struct FormsView {
    pub names: Vec<(String, String)>,
    pub rows: Vec<FormsRow>,
}

pub(super) struct FormsRow {
    pub name: &'static str,
    pub how: &'static str,
    pub cells: Vec<String>,
}

/// The terms of one predicted time.
pub(super) struct TermView {
    pub kernel: String,
    pub total: String,
    pub bottleneck: String,
    /// Name, time, share of the longest in percent.
    pub bars: Vec<(String, String, String, String)>,
}

pub(super) struct ProfileView {
    pub sampled: String,
    pub buffers: Vec<Vec<String>>,
    pub heat: Vec<HeatRow>,
}

pub(super) struct OccupancyView {
    pub summary: String,
    pub limits: String,
    pub curve: Option<String>,
}

pub(super) struct TrialView {
    pub candidate: String,
    pub on: String,
    pub launch: String,
    pub how: String,
    pub equal: bool,
    pub difference: String,
}

pub(super) struct FindingView {
    pub severity: &'static str,
    pub code: String,
    pub message: String,
    /// The place, its source, notes and help.
    pub snippet: String,
}

impl RunView {
    pub(super) fn new(run: &Run) -> Result<Self, askama::Error> {
        Ok(Self {
            kernel: run.kernel.clone(),
            file: run.file.clone(),
            launch: phrase::launch(&run.launch),
            device: phrase::device(&run.device),
            args: run
                .launch
                .args
                .iter()
                .map(|a| (a.ty.clone(), a.name.clone(), a.value.clone()))
                .collect(),
            verdict: run.verdict.as_ref().map(verdict).transpose()?,
            procedure: run.procedure.clone(),
            action: run.action.clone(),
            reasons: run
                .verdict
                .as_ref()
                .map(|v| phrase::further_reasons(v).to_vec())
                .unwrap_or_default(),
            forms: forms(run),
            strip: strip::strip(run)?,
            terms: terms(run),
            profile: run.profile.as_ref().map(profile),
            occupancy: run.occupancy.as_ref().map(occupancy_view).transpose()?,
            trials: trials(run),
            findings: run.findings.iter().map(finding).collect(),
            finding_summary: phrase::finding_summary(&run.findings),
            notes: phrase::notes(run).map(str::to_owned).collect(),
        })
    }
}

fn verdict(verdict: &Verdict) -> Result<VerdictView, askama::Error> {
    let figure = phrase::verdict_figure(verdict);
    let (speedup, detail) = match verdict.speedup {
        Some(speedup) => {
            let shown = crate::number::speedup(speedup);
            let detail = figure
                .strip_prefix(&shown)
                .unwrap_or_default()
                .trim()
                .to_owned();
            (Some(shown), detail)
        }
        None => (None, figure),
    };
    Ok(VerdictView {
        kind: phrase::verdict_kind(verdict.kind),
        speedup,
        detail: detail
            .trim_start_matches('(')
            .trim_end_matches(')')
            .to_owned(),
        basis: verdict.basis.clone(),
        staged: verdict.staged.join(", "),
        scale: scale::scale(verdict)?,
    })
}

fn forms(run: &Run) -> Option<FormsView> {
    if run.candidates.is_empty() {
        return None;
    }
    let mut names = vec![(run.kernel.clone(), "as given".to_owned())];
    names.extend(
        run.candidates
            .iter()
            .map(|c| (c.id.clone(), phrase::candidate_role(c))),
    );
    let rows = side_by_side(run)
        .into_iter()
        .map(|row| FormsRow {
            name: row.name,
            how: row.how,
            cells: row
                .figures
                .into_iter()
                .map(|f| f.unwrap_or_else(|| "-".to_owned()))
                .collect(),
        })
        .collect();
    Some(FormsView { names, rows })
}

fn terms(run: &Run) -> Vec<TermView> {
    let own = run.predicted.iter().map(|p| (run.kernel.as_str(), p));
    let others = run
        .candidates
        .iter()
        .filter_map(|c| Some((c.id.as_str(), c.predicted.as_ref()?)));
    let all: Vec<(&str, &Predicted)> = own.chain(others).collect();
    let longest = all
        .iter()
        .flat_map(|(_, p)| &p.terms)
        .map(|t| t.ns)
        .filter(|ns| ns.is_finite())
        .fold(0.0, f64::max);
    all.into_iter()
        .filter(|(_, p)| !p.terms.is_empty())
        .map(|(kernel, p)| TermView {
            kernel: kernel.to_owned(),
            total: duration(p.time_ns),
            bottleneck: p.bottleneck.clone(),
            bars: p
                .terms
                .iter()
                .map(|t| {
                    let share = if longest > 0.0 && t.ns.is_finite() {
                        (t.ns / longest).clamp(0.0, 1.0) * 100.0
                    } else {
                        0.0
                    };
                    (
                        t.name.clone(),
                        t.detail.clone(),
                        duration(t.ns),
                        format!("{share:.1}"),
                    )
                })
                .collect(),
        })
        .collect()
}

fn profile(profile: &Profile) -> ProfileView {
    ProfileView {
        sampled: phrase::sampled(&profile.sampled),
        buffers: profile.buffers.iter().map(buffer).collect(),
        heat: heat(profile),
    }
}

fn buffer(b: &BufferProfile) -> Vec<String> {
    let dash = || "-".to_owned();
    vec![
        b.name.clone(),
        format!("{} {}", b.space, b.element),
        count(b.accesses),
        count(b.distinct),
        b.reuse.map_or_else(dash, |r| fixed(r, 3)),
        phrase::halo(b),
        phrase::shape(&b.footprint),
        b.tile_bytes.map_or_else(dash, bytes),
        phrase::sectors_per_request(b).map_or_else(dash, |s| fixed(s, 2)),
        count(b.stores + b.atomics),
    ]
}

fn occupancy_view(occ: &Occupancy) -> Result<OccupancyView, askama::Error> {
    let limits: Vec<String> = occ
        .limits
        .iter()
        .map(|l| format!("{} {}", l.resource, l.groups))
        .collect();
    Ok(OccupancyView {
        summary: format!(
            "{} per compute unit, {} of its sub-groups, limited by {}.",
            counted(occ.groups_per_unit.into(), "group", "groups"),
            percent(occ.fraction),
            occ.limited_by
        ),
        limits: limits.join(" · "),
        curve: occupancy::curve(occ)?,
    })
}

fn trials(run: &Run) -> Vec<TrialView> {
    run.candidates
        .iter()
        .filter_map(|c| Some((c, c.verified.as_ref()?)))
        .flat_map(|(c, v)| {
            v.trials.iter().map(|t| TrialView {
                candidate: c.id.clone(),
                on: t.on.clone(),
                launch: t.launch.clone(),
                how: t.how.clone(),
                equal: t.equal,
                difference: t.difference.clone().unwrap_or_default(),
            })
        })
        .collect()
}

fn finding(f: &Diagnostic) -> FindingView {
    let shown = findings::render(std::slice::from_ref(f), Style::plain());
    // The first line is the title, which the page sets in its own way.
    let snippet = shown.split_once('\n').map_or("", |(_, rest)| rest);
    FindingView {
        severity: phrase::severity(f.severity),
        code: f.code.clone(),
        message: f.message.clone(),
        snippet: snippet.trim_end().to_owned(),
    }
}
