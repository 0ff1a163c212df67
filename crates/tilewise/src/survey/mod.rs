//! What of a source can be run: each step of its way, one kernel after the
//! other.
//!
//! A survey compiles a source, guesses a small launch of each kernel, runs it
//! on the simulator in both forms, and, where the run was clean, on an OpenCL
//! device with the same inputs. It is for measuring tilewise against many
//! sources that nobody wrote a launch for, so nothing here is an error: each
//! step's failure is an outcome, told as soon as it is known, and a caller that
//! runs the survey in a process of its own sees how far it came.
//!
//! What it misses: a guessed launch may touch only a part of what a kernel
//! does, and a device's result says nothing where work-items race.

mod device;
mod kernel;
mod outcome;
mod source;
mod staging;

use std::path::PathBuf;

pub use outcome::{
    KernelOutcome, OnDevice, RefusedKernel, Simulated, SourceOutcome, Stage, SurveyEvent,
};
pub use staging::{RemovedOutcome, StagedKernel, StagedOutcome, stage_each};

use crate::error::Error;

/// A source to survey.
#[derive(Clone, Debug, Default)]
pub struct SurveyInput {
    /// The file.
    pub path: PathBuf,
    /// Options as for `clBuildProgram`.
    pub build_options: String,
    /// Folders as after `-I`.
    pub include: Vec<PathBuf>,
    /// Sources that the host puts in front.
    pub prepend: Vec<PathBuf>,
    /// Kernels to leave out, by name.
    pub skip: Vec<String>,
    /// Kernels (`*`: all) whose result on a device is not compared, with the
    /// reason.
    pub not_on_device: Vec<(String, String)>,
    /// Part of the name of the device to compare with; `None` compares with none.
    pub device: Option<String>,
}

/// Surveys a source. `told` hears what comes next and what came of it.
///
/// # Errors
/// What is missing on the machine: a compiler, or the device asked for.
pub fn survey(input: &SurveyInput, told: &mut dyn FnMut(SurveyEvent)) -> Result<(), Error> {
    let subject = device::Subject::find(input.device.as_deref())?;
    let target = source::target()?;
    told(SurveyEvent::Begin(Stage::Compile));
    let (outcome, unit) = source::compile(input, &target)?;
    let compiled = unit.filter(|_| matches!(outcome, SourceOutcome::Compiled { .. }));
    told(SurveyEvent::Source(outcome));
    let Some(unit) = compiled else {
        return Ok(());
    };
    for signature in &unit.compiled.signatures {
        if input.skip.contains(&signature.kernel) {
            continue;
        }
        let outcome = kernel::survey(input, &target, &unit, signature, &subject, told)?;
        told(SurveyEvent::Kernel(outcome));
    }
    Ok(())
}
