//! A kernel and its candidates side by side: what staging changes, one figure
//! per row, and how each figure was obtained.

use crate::number::{count, duration, percent};
use crate::run::{Candidate, Counters, Measured, Occupancy, Predicted, Profile, Run};

/// One figure of every form.
pub(crate) struct Row {
    /// What it is.
    pub name: &'static str,
    /// How it was obtained.
    pub how: &'static str,
    /// The kernel's, then each candidate's; `None` where it isn't known.
    pub figures: Vec<Option<String>>,
}

/// Picks one counter.
type Counter = fn(&Counters) -> u64;

/// One form of the kernel.
struct Form<'a> {
    profile: Option<&'a Profile>,
    occupancy: Option<&'a Occupancy>,
    predicted: Option<&'a Predicted>,
    measured: Option<&'a Measured>,
}

impl<'a> Form<'a> {
    fn of_run(run: &'a Run) -> Self {
        Self {
            profile: run.profile.as_ref(),
            occupancy: run.occupancy.as_ref(),
            predicted: run.predicted.as_ref(),
            measured: run.measured.as_ref(),
        }
    }

    fn of_candidate(candidate: &'a Candidate) -> Self {
        Self {
            profile: candidate.profile.as_ref(),
            occupancy: candidate.occupancy.as_ref(),
            predicted: candidate.predicted.as_ref(),
            measured: candidate.measured.as_ref(),
        }
    }
}

/// The rows of which at least one form has a figure; none without candidates.
pub(crate) fn side_by_side(run: &Run) -> Vec<Row> {
    if run.candidates.is_empty() {
        return Vec::new();
    }
    let forms: Vec<Form<'_>> = std::iter::once(Form::of_run(run))
        .chain(run.candidates.iter().map(Form::of_candidate))
        .collect();
    let mut rows = Vec::new();
    let mut row = |name, how, figure: &dyn Fn(&Form<'_>) -> Option<String>| {
        let figures: Vec<Option<String>> = forms.iter().map(figure).collect();
        if figures.iter().any(Option::is_some) {
            rows.push(Row { name, how, figures });
        }
    };
    let counters: [(&str, Counter); 7] = [
        ("global load requests", |c| c.global_load_requests),
        ("global load sectors", |c| c.global_load_sectors),
        ("local load requests", |c| c.local_load_requests),
        ("local load passes", |c| c.local_load_passes),
        ("bank conflicts", |c| c.local_bank_conflicts),
        ("instructions", |c| c.instructions),
        ("barriers", |c| c.barriers),
    ];
    for (name, get) in counters {
        row(name, "simulated", &|form| {
            Some(count(get(&form.profile?.counters)))
        });
    }
    let images = |form: &Form<'_>| form.profile.map_or(0, |p| p.counters.image_read_requests);
    if forms.iter().any(|form| images(form) > 0) {
        row("image reads", "simulated", &|form| {
            Some(count(images(form)))
        });
    }
    row("groups per unit", "device profile", &|form| {
        Some(form.occupancy?.groups_per_unit.to_string())
    });
    row("occupancy", "device profile", &|form| {
        Some(percent(form.occupancy?.fraction))
    });
    row("predicted time", "time model", &|form| {
        Some(duration(form.predicted?.time_ns))
    });
    row("bottleneck", "time model", &|form| {
        Some(form.predicted?.bottleneck.clone())
    });
    row("measured time", "median", &|form| {
        Some(duration(form.measured?.median_ns))
    });
    rows
}
