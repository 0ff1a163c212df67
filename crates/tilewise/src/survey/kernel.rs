//! One kernel of a survey: a launch, its runs, the comparison.

use std::sync::Arc;

use tilewise_launch::{LaunchSpec, Signature, shell_command};
use tilewise_report::Diagnostic;
use tilewise_sim::{Memory, RunSummary};

use super::device::Subject;
use super::{KernelOutcome, OnDevice, Simulated, Stage, SurveyEvent, SurveyInput};
use crate::error::Error;
use crate::findings::fault_findings;
use crate::fit::{Fitted, Subject as Fit, fit_small};
use crate::load::{Loaded, Unit};
use crate::session::Session;
use crate::simulate::simulate;
use crate::target::Target;
use crate::written::{run_all, run_for_results, run_in_turn};

pub(super) fn survey(
    input: &SurveyInput,
    target: &Target,
    unit: &Arc<Unit>,
    signature: &Signature,
    subject: &Subject,
    told: &mut dyn FnMut(SurveyEvent),
) -> Result<KernelOutcome, Error> {
    let session = Session {
        threads: Some(1),
        ..Session::default()
    };
    let name = signature.kernel.clone();
    told(SurveyEvent::Begin(Stage::Launch(name.clone())));
    let mut outcome = KernelOutcome {
        kernel: name.clone(),
        command: String::new(),
        written: Simulated::Clean,
        compiled: None,
        device: OnDevice::NotRun {
            why: "no clean run".to_owned(),
        },
    };
    let given = LaunchSpec {
        build_options: (!input.build_options.is_empty()).then(|| input.build_options.clone()),
        include: input.include.clone(),
        prepend: input.prepend.clone(),
        ..LaunchSpec::default()
    };
    let fit = Fit {
        target,
        path: &input.path,
        unit,
        signature,
    };
    let Fitted {
        guess, resolved, ..
    } = match fit_small(&session, fit, given) {
        Ok(fitted) => fitted,
        Err(error) => {
            outcome.written = not_run(error)?;
            return Ok(outcome);
        }
    };
    outcome.command = shell_command("profile", &input.path, guess.spec());
    let loaded = Loaded {
        path: input.path.clone(),
        unit: unit.clone(),
        signature: signature.clone(),
        resolved,
        apart: None,
        notes: Vec::new(),
    };
    let launch = &loaded.resolved.launch;
    let run = run_for_results(&session, target, &loaded, launch).and_then(|ran| {
        let (summary, memory) = (ran.summary, ran.memory);
        Ok((found(&loaded, &summary, &memory)?, summary, memory))
    });
    let (found, summary, memory) = match run {
        Ok(run) => run,
        Err(error) => {
            outcome.written = not_run(error)?;
            return Ok(outcome);
        }
    };
    outcome.written = found;
    told(SurveyEvent::Begin(Stage::Profile(name.clone())));
    outcome.compiled = Some(match simulate(&session, target, &loaded) {
        Ok(_) => Simulated::Clean,
        Err(error) => not_run(error)?,
    });
    if outcome.written == Simulated::Clean {
        let mut excuses = input.not_on_device.iter();
        let excused = excuses.find(|(kernel, _)| *kernel == name || kernel == "*");
        outcome.device = match excused {
            Some((_, why)) => OnDevice::NotRun { why: why.clone() },
            None => {
                told(SurveyEvent::Kernel(outcome.clone()));
                told(SurveyEvent::Begin(Stage::Device(name)));
                match subject.compare(&loaded, &summary, &memory) {
                    differs @ OnDevice::Differs { .. } => {
                        match undefined(&session, target, &loaded, &memory)? {
                            Some(why) => OnDevice::NotRun { why },
                            None => differs,
                        }
                    }
                    outcome => outcome,
                }
            }
        };
    }
    Ok(outcome)
}

/// Why OpenCL leaves the result of a launch open, if it does: devices may then
/// differ.
fn undefined(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    lockstep: &Memory,
) -> Result<Option<String>, Error> {
    let launch = &loaded.resolved.launch;
    let checks = run_all(session, target, loaded, launch)?.checks;
    // Equal values leave the result as it is, in whichever order they come.
    if checks.races.races.iter().any(|race| !race.same_value) {
        return Ok(Some("work-items race".to_owned()));
    }
    if !checks.uninit.is_empty() {
        return Ok(Some("reads what nothing has set".to_owned()));
    }
    let in_turn = run_in_turn(session, target, loaded, launch)?.memory;
    let mut arguments = launch.args.iter().enumerate();
    let differs = arguments.any(|(index, arg)| {
        arg.value.memory().is_some() && lockstep.first_difference(index, &in_turn, index).is_some()
    });
    Ok(differs.then(|| "the result depends on the order of work-items".to_owned()))
}

/// Findings of a run as written.
fn found(loaded: &Loaded, summary: &RunSummary, memory: &Memory) -> Result<Simulated, Error> {
    let findings = fault_findings(loaded, memory.regions(), &summary.faults)?;
    let Some(first) = findings.first() else {
        return Ok(Simulated::Clean);
    };
    let mut codes: Vec<String> = Vec::new();
    for finding in &findings {
        if !codes.contains(&finding.code) {
            codes.push(finding.code.clone());
        }
    }
    Ok(Simulated::Findings {
        codes,
        first: in_a_line(first),
    })
}

fn in_a_line(d: &Diagnostic) -> String {
    format!("{}:{}: {} {}", d.file, d.line, d.code, d.message)
}

/// What keeps a kernel from being run, as an outcome; what the machine lacks
/// stays an error.
fn not_run(error: Error) -> Result<Simulated, Error> {
    let message = error.to_string();
    match error {
        _ if error.exit_code() == 3 => Err(error),
        Error::Unsupported(_) => Ok(Simulated::Refused { message }),
        Error::NeedsData(_) => Ok(Simulated::NeedsData { message }),
        _ => Ok(Simulated::NoLaunch { message }),
    }
}
