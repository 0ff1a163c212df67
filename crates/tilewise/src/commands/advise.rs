//! `tilewise advise`: everything, then the verdict.

mod alone;
mod next;

use tilewise_model::statistics::Interval;
use tilewise_model::time::predicted_speedup;
use tilewise_model::verdict::{self, Band, Reason};
use tilewise_report::{
    BufferProfile, Command, Run, StagedTile, Verdict, VerdictKind, Verified, number,
};

use crate::commands::stage::Generated;
use crate::error::Error;
use crate::form::{Form, staged_of};
use crate::input::KernelInput;
use crate::load::{Loaded, load};
use crate::measure::{self, Outcome};
use crate::procedure;
use crate::runs::{candidate, simulated_run};
use crate::session::Session;
use crate::target::{Need, Target};
use crate::verify;

use alone::alone;
use next::{Origin, next};

/// Answers the five questions for a kernel, alone or against another form of
/// it, and gives a verdict. `baseline` is the position (from 0) of the unstaged
/// kernel, where local memory does not show it.
///
/// # Errors
/// The kernels, the launch or the environment.
pub fn advise(
    session: &Session,
    a: &KernelInput,
    against: Option<&KernelInput>,
    baseline: Option<usize>,
) -> Result<Vec<Run>, Error> {
    let band = Band::new(session.band).map_err(|e| Error::Input(e.to_string()))?;
    let mut runs = Vec::new();
    for target in Target::resolve(session, Need::PreferDevice)? {
        let inputs: Vec<KernelInput> = [Some(a), against].into_iter().flatten().cloned().collect();
        let loaded = load(session, &target, &inputs)?;
        runs.push(match &loaded[..] {
            [one] => alone(session, &target, one, band)?,
            [first, second, ..] => pair(session, &target, [first, second], baseline, band, None)?,
            [] => continue,
        });
    }
    Ok(runs)
}

/// A kernel against another form of it, given or generated.
///
/// # Errors
/// As [`advise`].
pub(crate) fn pair(
    session: &Session,
    target: &Target,
    loaded: [&Loaded; 2],
    baseline: Option<usize>,
    band: Band,
    generated: Option<&Generated>,
) -> Result<Run, Error> {
    let verified = match generated {
        Some(generated) => verify::Outcome {
            trials: generated.proof.trials.clone(),
            findings: generated.proof.findings.clone(),
            notes: generated.proof.notes.clone(),
        },
        None => verify::verify(session, target, loaded[0], loaded[1])?,
    };
    let forms = [
        Form::analyse(session, target, loaded[0])?,
        Form::analyse(session, target, loaded[1])?,
    ];
    let staged = staged_of([forms[0].local_bytes, forms[1].local_bytes], baseline)?;
    let unstaged = 1 - staged;
    let origin = match generated {
        None => Origin::Given,
        Some(_) if staged == 1 => Origin::Staged,
        Some(_) => Origin::Removed,
    };
    let mut run = simulated_run(Command::Advise, target, &forms[0]);
    let mut other = candidate(&forms[1], staged == 1);
    if let Some(generated) = generated {
        other.source = "generated".to_owned();
        other.staging = Some(generated.staging.clone());
    }
    run.findings = verified.findings;
    run.warnings.extend(verified.notes);
    let mut trials = verified.trials;

    run.warnings.extend(forms[1].unmodelled(target));
    let predicted = prediction(target, &forms[unstaged], &forms[staged]);
    let (speedup, reasons) = predicted.unzip();
    let reasons = reasons.unwrap_or_default();
    if let Some(predicted) = &mut other.predicted {
        predicted.speedup = speedup.map(|s| s.estimate);
    }
    let mut judged = match speedup {
        Some(speedup) => verdict::Verdict::predicted(speedup, band).because(reasons.clone()),
        None => verdict::Verdict::unknown("no time is predicted".to_owned()),
    };
    let mut how = format!("predicted for {}", target.profile.title);
    let mut timed = None;
    let mut refused = false;
    if let Some(device) = &target.device {
        match measure::measure(session, target, device, &loaded)? {
            Outcome::Measured(measurement) => {
                let comparison = measurement.compare(unstaged, staged)?;
                run.measured = Some(measurement.times[0].clone());
                let mut times = measurement.times[1].clone();
                times.speedup = Some(comparison.speedup.estimate);
                times.interval = Some([comparison.speedup.low, comparison.speedup.high]);
                other.measured = Some(times);
                trials.extend(measurement.trials);
                run.warnings.extend(measurement.warnings);
                run.warnings
                    .extend(comparison.warnings.iter().map(ToString::to_string));
                // The model's reasons are about the device that it describes.
                let reasons = if target.modelled { reasons } else { Vec::new() };
                judged = verdict::Verdict::measured(comparison.speedup, band).because(reasons);
                let predicted = match speedup.filter(|_| target.modelled) {
                    Some(speedup) => format!(" (predicted {:.2}x)", speedup.estimate),
                    None => String::new(),
                };
                how = format!(
                    "measured on {}, {} pairs{predicted}",
                    target.name(),
                    comparison.pairs,
                );
                timed = Some(format!(
                    "{} takes {}, {} {} (medians of {} pairs)",
                    forms[unstaged].name(),
                    number::duration(comparison.unstaged_seconds * 1e9),
                    forms[staged].name(),
                    number::duration(comparison.staged_seconds * 1e9),
                    comparison.pairs
                ));
            }
            Outcome::Unsafe(found) => {
                how = format!(
                    "not launched on {}: the simulator found the launch unsafe",
                    target.name()
                );
                judged = verdict::Verdict::unknown(how.clone()).because(reasons);
                refused = true;
                run.findings.extend(found);
            }
        }
    }
    let verified = Verified {
        equal: !trials.is_empty() && trials.iter().all(|t| t.equal),
        trials,
    };
    let differs = verified.trials.iter().any(|t| !t.equal);
    let buffers = match generated.map(|g| &g.staging.tiles[..]) {
        Some(tiles) if !tiles.is_empty() => names_of(tiles),
        // Texts say nothing of forms that were given, nor of tiles that are gone.
        _ => staged_buffers(&forms[unstaged], &forms[staged]),
    };
    run.procedure = vec![
        procedure::re_reads(&forms[unstaged], &buffers),
        procedure::fits(
            target,
            Some(forms[staged].local_bytes),
            &format!("what {} takes", forms[staged].name()),
        ),
        procedure::occupancy_kept(
            forms[unstaged].occupancy(),
            forms[staged].occupancy(),
            &too_large_for(target),
        ),
        procedure::equal_results(&verified, &run.findings),
        procedure::faster(&judged, &how),
    ];
    other.verified = Some(verified);
    run.candidates.push(other);

    let mut report = report_verdict(&judged, target, buffers);
    if let Some(timed) = timed {
        report
            .reasons
            .insert(usize::from(judged.note.is_some()), timed);
    }
    if differs {
        report.kind = VerdictKind::Unknown;
        report
            .reasons
            .insert(0, "the two kernels do not give the same results".to_owned());
    }
    if refused {
        report.basis = "not measured".to_owned();
    }
    run.action = Some(match report.kind {
        VerdictKind::Unknown if report.speedup.is_some() && !differs => format!(
            "measure longer: --budget {:.0}",
            (session.budget_seconds * 4.0).max(10.0)
        ),
        _ => next(
            &report,
            &forms[unstaged],
            &forms[staged],
            unstaged == 0,
            origin,
        ),
    });
    run.verdict = Some(report);
    run.timings = session.timings.take();
    Ok(run)
}

/// The speed-up that the model predicts, and why; nothing where it says nothing of one
/// of the forms.
fn prediction(
    target: &Target,
    unstaged: &Form<'_>,
    staged: &Form<'_>,
) -> Option<(Interval, Vec<Reason>)> {
    let (unstaged, staged) = (unstaged.modelled.as_ref()?, staged.modelled.as_ref()?);
    Some((
        predicted_speedup(&target.profile, &unstaged.prediction, &staged.prediction),
        verdict::reasons(
            &target.profile,
            (&unstaged.work, &unstaged.prediction),
            (&staged.work, &staged.prediction),
        ),
    ))
}

/// Why there is no occupancy of a launch that runs on the device.
fn too_large_for(target: &Target) -> String {
    format!("a group is larger than {} allows", target.profile.title)
}

/// The buffers that have tiles, each once, in the order of the tiles.
fn names_of(tiles: &[StagedTile]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for tile in tiles {
        if !names.contains(&tile.buffer) {
            names.push(tile.buffer.clone());
        }
    }
    names
}

/// Buffers that the staged form reads less often from global memory, or, where a tile
/// serves to read along the rows, in clearly fewer sectors.
fn staged_buffers(unstaged: &Form<'_>, staged: &Form<'_>) -> Vec<String> {
    let less = |before: &BufferProfile| {
        let mut others = staged.profile.buffers.iter();
        let after = others.find(|b| b.name == before.name);
        after.is_some_and(|after| {
            after.accesses < before.accesses || 2 * after.load_sectors < before.load_sectors
        })
    };
    unstaged
        .profile
        .buffers
        .iter()
        .filter(|b| b.space != "local" && b.accesses > 0 && less(b))
        .map(|b| b.name.clone())
        .collect()
}

/// A verdict of the model as a report shows it.
fn report_verdict(verdict: &verdict::Verdict, target: &Target, staged: Vec<String>) -> Verdict {
    let interval = |f: fn(&Interval) -> f64| verdict.speedup.as_ref().map(f);
    let mut reasons: Vec<String> = verdict.note.iter().cloned().collect();
    reasons.extend(verdict.reasons.iter().map(reason));
    Verdict {
        kind: match verdict.kind {
            verdict::VerdictKind::Pays => VerdictKind::Pays,
            verdict::VerdictKind::Loses => VerdictKind::Loses,
            verdict::VerdictKind::Ties => VerdictKind::Ties,
            verdict::VerdictKind::Unknown => VerdictKind::Unknown,
            verdict::VerdictKind::NotApplicable => VerdictKind::NotApplicable,
        },
        basis: verdict.basis.to_string(),
        speedup: interval(|i| i.estimate),
        lo: interval(|i| i.low),
        hi: interval(|i| i.high),
        interval: verdict.speedup.map(|_| {
            match verdict.basis {
                verdict::Basis::Measured => "95% CI",
                _ => "80% model interval",
            }
            .to_owned()
        }),
        unsure: verdict.unsure,
        staged,
        device: target.name(),
        reasons,
    }
}

fn reason(reason: &Reason) -> String {
    let share = reason.weight.abs() * 100.0;
    let side = reason.favours;
    format!("{side}, {share:.0} % of the time (model): {}", reason.text)
}

#[cfg(test)]
mod tests;
