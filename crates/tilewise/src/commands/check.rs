//! `tilewise check`: what a launch does wrong.

use tilewise_report::{Command, Run};

use crate::error::Error;
use crate::findings::findings;
use crate::input::KernelInput;
use crate::load::load;
use crate::runs::empty_run;
use crate::session::Session;
use crate::simulate::{hand_on_printed, run_checked};
use crate::target::{Need, Target};

/// Runs a launch as written: accesses outside buffers, divergent barriers,
/// divisions by zero, loops without end.
///
/// # Errors
/// The kernel, the launch or the environment.
pub fn check(session: &Session, input: &KernelInput) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    for target in Target::resolve(session, Need::Profile)? {
        for loaded in &load(session, &target, std::slice::from_ref(input))? {
            let launch = &loaded.resolved.launch;
            session
                .progress
                .phase(&format!("checking {}", loaded.signature.kernel));
            let (summary, memory) = run_checked(session, &target, loaded, launch)?;
            let mut run = empty_run(Command::Check, &target, loaded);
            hand_on_printed(session, loaded, &summary, &mut run.warnings);
            run.findings = findings(loaded, memory.regions(), &summary.faults)?;
            run.warnings.push(format!(
                "checked {} of {} work-groups for accesses outside buffers, divergent barriers, divisions by zero and loops without end; races and uninitialised reads are not checked",
                summary.groups,
                launch.range.group_count()
            ));
            run.timings = session.timings.take();
            runs.push(run);
        }
    }
    Ok(runs)
}
