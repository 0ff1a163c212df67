//! `tilewise check`: what a launch does wrong.

use tilewise_launch::Launch;
use tilewise_report::{Command, Run};

use crate::error::Error;
use crate::findings::findings;
use crate::input::KernelInput;
use crate::load::load;
use crate::runs::empty_run;
use crate::session::Session;
use crate::simulate::hand_on_printed;
use crate::target::{Need, Target};
use crate::written::{Written, run_checked};

/// Runs a launch as written with every check: data races, uninitialised reads, accesses
/// outside buffers, divergent barriers, divisions by zero, loops without end.
///
/// # Errors
/// The kernel, the launch or the environment.
pub fn check(session: &Session, input: &KernelInput) -> Result<Vec<Run>, Error> {
    check_all(session, std::slice::from_ref(input))
}

/// [`check`] for several kernels: a file that holds more than one of them is
/// compiled once.
///
/// # Errors
/// As [`check`].
pub fn check_all(session: &Session, inputs: &[KernelInput]) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    for target in Target::resolve(session, Need::Profile)? {
        for loaded in &load(session, &target, inputs)? {
            let launch = &loaded.resolved.launch;
            session
                .progress
                .phase(&format!("checking {}", loaded.signature.kernel));
            let written = run_checked(session, &target, loaded, launch)?;
            let mut run = empty_run(Command::Check, &target, loaded);
            hand_on_printed(session, loaded, &written.summary, &mut run.warnings);
            run.findings = findings(session, loaded, &written)?;
            run.warnings.extend(covered(&written, launch));
            run.timings = session.timings.take();
            runs.push(run);
        }
    }
    Ok(runs)
}

/// What the check covered, and what it did not.
fn covered(written: &Written, launch: &Launch) -> Vec<String> {
    let (ran, of) = (written.summary.groups, launch.range.group_count());
    let mut notes = vec![format!(
        "checked {ran} of {of} work-groups for data races, uninitialised reads, accesses outside buffers and misaligned ones, divergent barriers, asynchronous copies, divisions by zero and loops without end"
    )];
    if ran < of {
        notes.push(
            "races between work-groups show only where both of them ran: a smaller --global runs all"
                .to_owned(),
        );
    }
    let races = &written.checks.races;
    if let Some(why) = &races.unchecked {
        notes.push(format!("data races were not checked: {why}"));
    }
    if races.not_kept > 0 {
        notes.push(format!(
            "{} more races were found than are listed",
            races.not_kept
        ));
    }
    notes
}
