//! One kernel without another form of it: tilewise writes the other form where it can.

use tilewise_model::verdict::{self, Band};
use tilewise_report::{Command, Run};

use super::{pair, report_verdict, too_large_for};
use crate::commands::stage::{Generated, StageOptions, generate};
use crate::error::Error;
use crate::findings::findings;
use crate::form::Form;
use crate::load::Loaded;
use crate::occupancy_of::occupancy_with;
use crate::procedure;
use crate::runs::simulated_run;
use crate::session::Session;
use crate::target::Target;
use crate::written::run_sample;

/// Which form there is none of.
const STAGED: &str = "staged form";
const UNSTAGED: &str = "form without the tile";

/// A kernel against the form that tilewise writes of it: the staged one where there is
/// something to gain, the one without its tiles where it stages already. It has to be
/// proved; else re-reads, fit and occupancy alone.
pub(super) fn alone(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    band: Band,
) -> Result<Run, Error> {
    let launch = &loaded.resolved.launch;
    let written = run_sample(session, target, loaded, launch)?;
    let found = findings(session, loaded, &written)?;
    let form = Form::analyse(session, target, loaded)?;
    let mut run = simulated_run(Command::Advise, target, &form);
    run.findings = found;
    let opportunity = procedure::opportunity(target, &form);
    let sampled = &form.profile.sampled;
    // What was not seen may be what re-reads.
    let unreached = form.simulation.unreached > 0 && sampled.groups < sampled.of;
    let nothing_to_gain = verdict::not_applicable(&opportunity).filter(|_| !unreached);
    let stages = form.local_bytes > 0;
    let mut why_not = Vec::new();
    let mut tries = Vec::new();
    if run.findings.is_empty() && loaded.path.is_file() {
        // Whether a tile pays is asked of a kernel that has one, even if the tile has
        // left nothing to gain.
        tries.extend(stages.then_some(true));
        tries.extend(nothing_to_gain.is_none().then_some(false));
    }
    for remove in tries {
        match generated(session, target, loaded, remove)? {
            Ok(generated) => {
                let unstaged = usize::from(remove);
                let forms = [loaded, &generated.form];
                return pair(
                    session,
                    target,
                    forms,
                    Some(unstaged),
                    band,
                    Some(&generated),
                );
            }
            Err(why) => why_not.extend(why),
        }
    }
    let missing = if stages { UNSTAGED } else { STAGED };
    let [fits, occupancy] = if stages {
        own_tile(target, &form)?
    } else {
        ideal_tile(target, &form)?
    };
    run.procedure = vec![
        procedure::re_reads(&form, &[]),
        fits,
        occupancy,
        procedure::nothing_to_compare(missing),
        procedure::nothing_to_time(missing),
    ];
    let name = form.name();
    let (judged, action) = match nothing_to_gain {
        Some(why) => (
            verdict::Verdict::nothing_to_gain(&why),
            format!("keep {name} as it is"),
        ),
        None if stages => (
            verdict::Verdict::without_unstaged_form(),
            format!(
                "{name} stages already: write its form without the tile and give it with --against"
            ),
        ),
        None => (
            verdict::Verdict::without_staged_form(),
            format!("write a staged form of {name} and give it with --against"),
        ),
    };
    run.action = Some(action);
    run.warnings.extend(why_not);
    run.verdict = Some(report_verdict(&judged, target, Vec::new()));
    run.timings = session.timings.take();
    Ok(run)
}

/// Questions 2 and 3 of a kernel that has no tile: the one that would hold what a group
/// reads of the buffer that is re-read most.
fn ideal_tile(target: &Target, form: &Form<'_>) -> Result<[tilewise_report::Answer; 2], Error> {
    let buffer = procedure::most_reused(&form.profile, |_| true);
    let tile = buffer.and_then(|b| b.tile_bytes);
    let whose = buffer.map_or(String::new(), |b| {
        format!("the box that a group reads of {}", b.name)
    });
    let with_tile = procedure::occupancy_with_tile(target, form, tile)?;
    let missing = match tile {
        Some(_) => too_large_for(target),
        None => "no tile to compute it for".to_owned(),
    };
    Ok([
        procedure::fits(target, tile, &whose),
        procedure::occupancy_kept(form.occupancy(), with_tile.as_ref(), &missing),
    ])
}

/// Questions 2 and 3 of a kernel with local memory: what it takes, and what would be
/// without.
fn own_tile(target: &Target, form: &Form<'_>) -> Result<[tilewise_report::Answer; 2], Error> {
    let without = occupancy_with(target, form.loaded, 0)?;
    let whose = format!("what {} takes", form.name());
    Ok([
        procedure::fits(target, Some(form.local_bytes), &whose),
        procedure::occupancy_kept(without.as_ref(), form.occupancy(), &too_large_for(target)),
    ])
}

/// The staged form of a kernel, or the one without its tiles, proved; or why there is
/// none.
fn generated(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    remove: bool,
) -> Result<Result<Generated, Option<String>>, Error> {
    if loaded.unit.source.is_none() {
        return Ok(Err(None));
    }
    let options = StageOptions {
        remove,
        ..StageOptions::default()
    };
    let name = loaded.name();
    let what = if remove {
        format!("form of {name} without its tiles that was written")
    } else {
        format!("staged form that was written of {name}")
    };
    let found = match generate(session, target, loaded, &options) {
        Ok(found) => found,
        Err(error) => return Ok(Err(Some(cannot_run(&what, error)?))),
    };
    Ok(match found {
        Ok(generated) if generated.proof.holds() => Ok(generated),
        Ok(_) => {
            let flag = if remove { "--remove " } else { "" };
            Err(Some(format!(
                "the {what} could not be proved equal to it (tilewise stage {flag}--unverified shows it)"
            )))
        }
        Err(refusals) => Err(refusals.first().map(|r| {
            let verdict = if remove {
                format!("the tiles of {name} are not taken out by tilewise")
            } else {
                format!("{name} is not staged by tilewise")
            };
            format!("{verdict}: {} ({}, line {})", r.message, r.code, r.line)
        })),
    })
}

/// A note in place of a form that can't be run, which is no reason to say nothing of
/// the kernel.
///
/// # Errors
/// The form does not even compile: nobody is to take tilewise's own fault for an answer,
/// and `stage` ends the same way.
pub(super) fn cannot_run(what: &str, error: Error) -> Result<String, Error> {
    match error {
        Error::Generated { .. } => Err(error),
        error => Ok(format!("the {what} can't be run: {error}")),
    }
}
