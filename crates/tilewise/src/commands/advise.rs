//! `tilewise advise`: everything, then the verdict.

use tilewise_launch::shell_quote;
use tilewise_model::statistics::Interval;
use tilewise_model::time::predicted_speedup;
use tilewise_model::verdict::{self, Band, Reason};
use tilewise_report::{Command, Run, Verdict, VerdictKind, Verified, number};

use crate::commands::stage::{Generated, StageOptions, generate};
use crate::error::Error;
use crate::findings::findings;
use crate::form::{Form, staged_of};
use crate::input::KernelInput;
use crate::load::{Loaded, load};
use crate::measure::{self, Outcome};
use crate::procedure;
use crate::runs::{candidate, simulated_run};
use crate::session::Session;
use crate::target::{Need, Target};
use crate::verify;
use crate::written::run_sample;

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

/// One kernel without a staged form: one is generated where there is something to
/// gain and it can be proved; else re-reads, fit and occupancy alone.
fn alone(session: &Session, target: &Target, loaded: &Loaded, band: Band) -> Result<Run, Error> {
    let launch = &loaded.resolved.launch;
    let written = run_sample(session, target, loaded, launch)?;
    let found = findings(session, loaded, &written)?;
    let form = Form::analyse(session, target, loaded)?;
    let mut run = simulated_run(Command::Advise, target, &form);
    run.findings = found;
    let opportunity = procedure::opportunity(target, &form);
    let sampled = &form.profile.sampled;
    let unreached = form.simulation.unreached > 0 && sampled.groups < sampled.of;
    let nothing_to_gain = verdict::not_applicable(&opportunity).filter(|_| !unreached);
    let mut why_not = None;
    if nothing_to_gain.is_none() && run.findings.is_empty() && loaded.path.is_file() {
        match generated(session, target, loaded)? {
            Ok(generated) => {
                return pair(
                    session,
                    target,
                    [loaded, &generated.form],
                    Some(0),
                    band,
                    Some(&generated),
                );
            }
            Err(why) => why_not = why,
        }
    }
    let buffer = procedure::most_reused(&form.profile, |_| true);
    let tile = buffer.and_then(|b| b.tile_bytes);
    let whose = buffer.map_or(String::new(), |b| {
        format!("the box that a group reads of {}", b.name)
    });
    let with_tile = procedure::occupancy_with_tile(target, &form, tile)?;
    run.procedure = vec![
        procedure::re_reads(&form, &[]),
        procedure::fits(target, tile, &whose),
        procedure::occupancy_kept(&form.occupancy, with_tile.as_ref()),
        procedure::equal_results(None, &[]),
        procedure::faster(None, "no staged form to time"),
    ];
    // What was not seen may be what re-reads.
    let judged = match nothing_to_gain {
        Some(why) => {
            run.action = Some(format!("keep {} as it is", form.name()));
            verdict::Verdict::nothing_to_gain(&why)
        }
        _ => {
            run.action = Some(format!(
                "write a staged form of {} and give it with --against",
                form.name()
            ));
            verdict::Verdict::without_staged_form()
        }
    };
    run.warnings.extend(why_not);
    run.verdict = Some(report_verdict(&judged, target, Vec::new()));
    run.timings = session.timings.take();
    Ok(run)
}

/// The staged form of a kernel, proved; or why there is none.
fn generated(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
) -> Result<Result<Generated, Option<String>>, Error> {
    if loaded.unit.source.is_none() {
        return Ok(Err(None));
    }
    // A form that can't be run is no reason to say nothing of the kernel.
    let found = match generate(session, target, loaded, &StageOptions::default()) {
        Ok(found) => found,
        Err(error) => {
            return Ok(Err(Some(format!(
                "the staged form that was written of {} can't be run: {error}",
                loaded.name()
            ))));
        }
    };
    Ok(match found {
        Ok(generated) if generated.proof.holds() => Ok(generated),
        Ok(_) => Err(Some(format!(
            "the staged form that was written of {} could not be proved equal to it (tilewise stage --unverified shows it)",
            loaded.name()
        ))),
        Err(refusals) => Err(refusals.first().map(|r| {
            format!(
                "{} is not staged by tilewise: {} ({}, line {})",
                loaded.name(),
                r.message,
                r.code,
                r.line
            )
        })),
    })
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
    let mut run = simulated_run(Command::Advise, target, &forms[0]);
    let mut other = candidate(&forms[1], staged == 1);
    if let Some(generated) = generated {
        other.source = "generated".to_owned();
        other.staging = Some(generated.staging.clone());
    }
    run.findings = verified.findings;
    run.warnings.extend(verified.notes);
    let mut trials = verified.trials;

    let speedup = predicted_speedup(
        &target.profile,
        &forms[unstaged].prediction,
        &forms[staged].prediction,
    );
    if let Some(predicted) = &mut other.predicted {
        predicted.speedup = Some(speedup.estimate);
    }
    let reasons = verdict::reasons(
        &target.profile,
        (&forms[unstaged].work, &forms[unstaged].prediction),
        (&forms[staged].work, &forms[staged].prediction),
    );
    let mut judged = verdict::Verdict::predicted(speedup, band).because(reasons.clone());
    let mut how = format!("predicted for {}", target.profile.title);
    let mut timed = None;
    let mut refused = None;
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
                let predicted = if target.modelled {
                    format!(" (predicted {:.2}x)", speedup.estimate)
                } else {
                    String::new()
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
                refused = Some(format!(
                    "not launched on {}: the simulator found the launch unsafe",
                    target.name()
                ));
                run.findings.extend(found);
            }
        }
    }
    let verified = Verified {
        equal: !trials.is_empty() && trials.iter().all(|t| t.equal),
        trials,
    };
    let differs = verified.trials.iter().any(|t| !t.equal);
    let buffers = staged_buffers(&forms[unstaged], &forms[staged]);
    run.procedure = vec![
        procedure::re_reads(&forms[unstaged], &buffers),
        procedure::fits(
            target,
            Some(forms[staged].local_bytes),
            &format!("what {} takes", forms[staged].name()),
        ),
        procedure::occupancy_kept(&forms[unstaged].occupancy, Some(&forms[staged].occupancy)),
        procedure::equal_results(Some(&verified), &run.findings),
        procedure::faster(judged.speedup.map(|s| s.estimate), &how),
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
    if let Some(why) = refused {
        report.kind = VerdictKind::Unknown;
        report.basis = "not measured".to_owned();
        (report.speedup, report.lo, report.hi) = (None, None, None);
        report.reasons.insert(0, why);
    }
    run.action = Some(match report.kind {
        VerdictKind::Unknown if report.speedup.is_some() && !differs => format!(
            "measure longer: --budget {:.0}",
            (session.budget_seconds * 4.0).max(10.0)
        ),
        VerdictKind::Pays if generated.is_some() => format!(
            "apply it: tilewise stage {} --write FILE.cl",
            shell_quote(&format!(
                "{}::{}",
                loaded[0].path.display(),
                loaded[0].signature.kernel
            ))
        ),
        kind => action(kind, &forms[unstaged], &forms[staged], unstaged),
    });
    run.verdict = Some(report);
    run.timings = session.timings.take();
    Ok(run)
}

/// The one thing to do.
fn action(kind: VerdictKind, unstaged: &Form<'_>, staged: &Form<'_>, given: usize) -> String {
    let keep_unstaged = || {
        if given == 0 {
            format!("keep {} as it is", unstaged.name())
        } else {
            format!("remove the tile: use {}", unstaged.name())
        }
    };
    match kind {
        VerdictKind::Pays => format!("use {}", staged.name()),
        VerdictKind::Loses | VerdictKind::NotApplicable => keep_unstaged(),
        VerdictKind::Ties => format!("{} (neither is faster, and it is simpler)", keep_unstaged()),
        VerdictKind::Unknown => "settle the first reason, then ask again".to_owned(),
    }
}

/// Buffers that the staged form reads less often from global memory.
fn staged_buffers(unstaged: &Form<'_>, staged: &Form<'_>) -> Vec<String> {
    let fewer = |name: &str, accesses: u64| {
        let other = staged.profile.buffers.iter().find(|b| b.name == name);
        other.is_some_and(|b| b.accesses < accesses)
    };
    unstaged
        .profile
        .buffers
        .iter()
        .filter(|b| b.space != "local" && b.accesses > 0 && fewer(&b.name, b.accesses))
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
