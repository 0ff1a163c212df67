//! Staging every kernel of a source, with guessed launches.

use std::sync::Arc;

use tilewise_ir::{Form, Op};
use tilewise_launch::{LaunchSpec, Signature, shell_command};
use tilewise_report::Diagnostic;

use super::{SourceOutcome, SurveyInput, source};
use crate::commands::stage::{StageOptions, generate};
use crate::error::Error;
use crate::fit::{Subject as Fit, fit_small};
use crate::load::{Loaded, Unit};
use crate::proof::Proof;
use crate::session::Session;
use crate::target::Target;

/// What became of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum StagedOutcome {
    /// Staged, and proved on the simulator.
    Proved {
        /// The change.
        diff: String,
        /// Buffers that are not staged beside: code and reason.
        left: Vec<(String, String)>,
        /// What becomes of the staged form where its tiles are to be taken out again.
        removed: RemovedOutcome,
    },
    /// Nothing of it is staged: codes and reasons.
    Refused(Vec<(String, String)>),
    /// The staged form is not what the original is.
    Wrong {
        /// What differs, at which launch.
        why: String,
        /// The change.
        diff: String,
    },
    /// The original could not be run, or its launch not be guessed.
    NotRun(String),
}

/// What became of a staged form whose tiles were to be taken out again.
#[derive(Clone, Debug, PartialEq)]
pub enum RemovedOutcome {
    /// It has no tile and no barrier any more, and does the same.
    Proved,
    /// Codes and reasons.
    Refused(Vec<(String, String)>),
    /// It does something else, or a barrier is left that orders nothing.
    Wrong(String),
}

/// A kernel that was to be staged.
#[derive(Clone, Debug, PartialEq)]
pub struct StagedKernel {
    /// Its name.
    pub kernel: String,
    /// The command that does it again.
    pub command: String,
    /// What became of it.
    pub outcome: StagedOutcome,
}

/// Stages each kernel of a source. `told` hears what comes next, and then what
/// became of it.
///
/// # Errors
/// What is missing on the machine: a compiler.
pub fn stage_each(
    input: &SurveyInput,
    told: &mut dyn FnMut(&str, Option<StagedKernel>),
) -> Result<SourceOutcome, Error> {
    let target = source::target()?;
    let (outcome, unit) = source::compile(input, &target)?;
    let Some(unit) = unit else {
        return Ok(outcome);
    };
    for signature in &unit.compiled.signatures {
        if input.skip.contains(&signature.kernel) {
            continue;
        }
        told(&signature.kernel, None);
        let kernel = stage(input, &target, &unit, signature);
        told(&signature.kernel, Some(kernel));
    }
    Ok(outcome)
}

fn stage(
    input: &SurveyInput,
    target: &Target,
    unit: &Arc<Unit>,
    signature: &Signature,
) -> StagedKernel {
    let session = Session {
        threads: Some(1),
        ..Session::default()
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
    let mut kernel = StagedKernel {
        kernel: signature.kernel.clone(),
        command: String::new(),
        outcome: StagedOutcome::NotRun(String::new()),
    };
    let fitted = match fit_small(&session, fit, given) {
        Ok(fitted) => fitted,
        Err(error) => {
            kernel.outcome = StagedOutcome::NotRun(error.to_string());
            return kernel;
        }
    };
    kernel.command = shell_command("stage", &input.path, fitted.guess.spec());
    if !fitted.clean {
        kernel.outcome = StagedOutcome::NotRun("no launch was found that is clean".to_owned());
        return kernel;
    }
    let original = Loaded {
        path: input.path.clone(),
        unit: unit.clone(),
        signature: signature.clone(),
        resolved: fitted.resolved,
        apart: None,
        notes: Vec::new(),
    };
    let options = StageOptions {
        unverified: true,
        ..StageOptions::default()
    };
    kernel.outcome = match generate(&session, target, &original, &options) {
        Ok(Ok(form)) if form.proof.holds() => StagedOutcome::Proved {
            diff: form.staging.diff,
            left: reasons(&form.refusals),
            removed: remove(&session, target, &form.form),
        },
        Ok(Ok(form)) => StagedOutcome::Wrong {
            why: what_differs(&form.proof),
            diff: form.staging.diff,
        },
        Ok(Err(refusals)) => StagedOutcome::Refused(reasons(&refusals)),
        // The original has run: what fails is the new form.
        Err(error) => StagedOutcome::Wrong {
            why: error.to_string(),
            diff: String::new(),
        },
    };
    kernel
}

/// Takes the tiles of a staged form out again.
fn remove(session: &Session, target: &Target, staged: &Loaded) -> RemovedOutcome {
    let options = StageOptions {
        remove: true,
        unverified: true,
        ..StageOptions::default()
    };
    match generate(session, target, staged, &options) {
        Ok(Ok(form)) if !form.proof.holds() => RemovedOutcome::Wrong(what_differs(&form.proof)),
        Ok(Ok(form)) if !is_without_barriers(&form.form) => {
            RemovedOutcome::Wrong("a barrier is left".to_owned())
        }
        Ok(Ok(_)) => RemovedOutcome::Proved,
        Ok(Err(refusals)) => RemovedOutcome::Refused(reasons(&refusals)),
        Err(error) => RemovedOutcome::Wrong(error.to_string()),
    }
}

/// Whether a kernel is known to have no barrier.
fn is_without_barriers(loaded: &Loaded) -> bool {
    loaded.kernel(Form::AsWritten).is_ok_and(|kernel| {
        let insts = kernel.blocks.iter().flat_map(|b| &b.insts);
        insts
            .into_iter()
            .all(|i| !matches!(i.op, Op::Barrier { .. }))
    })
}

/// What is wrong with a form that was not proved.
fn what_differs(proof: &Proof) -> String {
    let differs = proof.trials.iter().find(|t| !t.equal);
    let trial =
        differs.map(|t| format!("{}: {}", t.launch, t.difference.clone().unwrap_or_default()));
    let finding = proof.findings.first().map(|f| f.message.clone());
    trial.or(finding).unwrap_or_else(|| proof.notes.join("; "))
}

fn reasons(found: &[Diagnostic]) -> Vec<(String, String)> {
    let found = found.iter();
    found.map(|f| (f.code.clone(), f.message.clone())).collect()
}
