//! Puts a [`Run`] together.

use tilewise_report::{Candidate, Command, Run, SCHEMA};

use crate::form::Form;
use crate::launch_info::launch_info;
use crate::load::Loaded;
use crate::predict::predicted;
use crate::target::Target;

/// A run of a command with nothing but its launch and device.
pub fn empty_run(command: Command, target: &Target, loaded: &Loaded) -> Run {
    let mut warnings = target.notes.clone();
    warnings.extend(loaded.unit.compiled.notes.iter().cloned());
    warnings.extend(loaded.notes.iter().cloned());
    Run {
        schema: SCHEMA.to_owned(),
        tilewise: env!("CARGO_PKG_VERSION").to_owned(),
        command,
        kernel: loaded.signature.kernel.clone(),
        file: loaded.path.display().to_string(),
        launch: launch_info(&loaded.resolved),
        device: target.info(),
        profile: None,
        occupancy: None,
        predicted: None,
        measured: None,
        findings: Vec::new(),
        candidates: Vec::new(),
        procedure: Vec::new(),
        removal: false,
        action: None,
        verdict: None,
        warnings,
        timings: Vec::new(),
    }
}

/// A run with what the simulator says of the kernel.
pub fn simulated_run(command: Command, target: &Target, form: &Form<'_>) -> Run {
    let mut base = empty_run(command, target, form.loaded);
    if form.profile.buffers.iter().any(|b| b.atomics > 0) {
        base.warnings.push(format!(
            "{} uses atomics: the time model counts them as stores and knows nothing of work-items that wait for one address",
            form.name()
        ));
    }
    let sampled = &form.profile.sampled;
    if form.simulation.unreached > 0 && sampled.groups < sampled.of {
        base.warnings.push(format!(
            "{} source lines of {} that access memory were reached by none of the {} work-groups that ran: the counts leave them out (a smaller launch runs whole)",
            form.simulation.unreached,
            form.name(),
            sampled.groups
        ));
    }
    base.warnings.extend(form.unmodelled(target));
    Run {
        profile: Some(form.profile.clone()),
        occupancy: form.occupancy().cloned(),
        predicted: form.modelled.as_ref().map(|m| predicted(&m.prediction)),
        ..base
    }
}

/// Another kernel as a candidate, with what the simulator says of it.
pub fn candidate(form: &Form<'_>, staged: bool) -> Candidate {
    Candidate {
        profile: Some(form.profile.clone()),
        occupancy: form.occupancy().cloned(),
        predicted: form.modelled.as_ref().map(|m| predicted(&m.prediction)),
        ..empty_candidate(form.loaded, staged)
    }
}

/// Another kernel as a candidate, with nothing but its launch.
pub fn empty_candidate(loaded: &Loaded, staged: bool) -> Candidate {
    Candidate {
        id: loaded.name(),
        source: "given".to_owned(),
        file: loaded.path.display().to_string(),
        staged,
        verified: None,
        profile: None,
        occupancy: None,
        predicted: None,
        measured: None,
        launch: Some(launch_info(&loaded.resolved)),
        staging: None,
    }
}
