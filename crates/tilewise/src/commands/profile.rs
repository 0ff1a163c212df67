//! `tilewise profile`: how a kernel reads and writes memory.

use tilewise_report::{Command, Run};

use crate::error::Error;
use crate::findings::findings;
use crate::form::Form;
use crate::input::KernelInput;
use crate::load::load;
use crate::runs::simulated_run;
use crate::session::Session;
use crate::simulate::hand_on_printed;
use crate::target::{Need, Target};
use crate::written::run_sample;

/// The access profile, occupancy and predicted time of a launch, with what the
/// simulator found wrong in the sampled groups.
///
/// # Errors
/// The kernel, the launch or the environment.
pub fn profile(session: &Session, input: &KernelInput) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    for target in Target::resolve(session, Need::Profile)? {
        let loaded = load(session, &target, std::slice::from_ref(input))?;
        for loaded in &loaded {
            let launch = &loaded.resolved.launch;
            let written = run_sample(session, &target, loaded, launch)?;
            let found = findings(session, loaded, &written)?;
            let form = Form::analyse(session, &target, loaded)?;
            let mut run = simulated_run(Command::Profile, &target, &form);
            hand_on_printed(session, loaded, &written.summary, &mut run.warnings);
            run.findings = found;
            run.timings = session.timings.take();
            runs.push(run);
        }
    }
    Ok(runs)
}
