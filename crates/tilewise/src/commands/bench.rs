//! `tilewise bench`: kernels measured against each other.

use tilewise_report::{Command, Run, Verified};

use crate::error::Error;
use crate::form::staged_of;
use crate::input::KernelInput;
use crate::load::load;
use crate::measure::{self, Outcome};
use crate::occupancy_of::local_bytes;
use crate::runs::{empty_candidate, empty_run};
use crate::session::Session;
use crate::target::{Need, Target};

/// Measures the first kernel, and each other one against it.
///
/// # Errors
/// The kernels, the launch or the environment; there is no device.
pub fn bench(session: &Session, inputs: &[KernelInput]) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    for target in Target::resolve(session, Need::Device)? {
        let Some(device) = &target.device else {
            return Err(Error::Input(format!(
                "bench measures on a real device, and {} is a simulated one: leave --device out, or take cl:0 (tilewise devices lists them); `advise` predicts for simulated ones",
                target.id
            )));
        };
        let loaded = load(session, &target, inputs)?;
        let all: Vec<_> = loaded.iter().collect();
        let mut run = empty_run(Command::Bench, &target, &loaded[0]);
        match measure::measure(session, &target, device, &all)? {
            Outcome::Unsafe(found) => {
                run.findings = found;
                run.warnings.push(
                    "nothing was launched: the simulator found the launch unsafe (--force launches it)"
                        .to_owned(),
                );
            }
            Outcome::Measured(measurement) => {
                run.measured = Some(measurement.times[0].clone());
                run.warnings.extend(measurement.warnings.iter().cloned());
                for (index, other) in loaded.iter().enumerate().skip(1) {
                    let bytes = [local_bytes(&loaded[0])?, local_bytes(other)?];
                    // Where neither is staged, the first is the baseline.
                    let staged = staged_of(bytes, None).unwrap_or(1);
                    let (unstaged, staged) = if staged == 1 { (0, index) } else { (index, 0) };
                    let comparison = measurement.compare(unstaged, staged)?;
                    for warning in &comparison.warnings {
                        let text = warning.to_string();
                        if !run.warnings.contains(&text) {
                            run.warnings.push(text);
                        }
                    }
                    let mut candidate = empty_candidate(other, staged == index);
                    let mut measured = measurement.times[index].clone();
                    measured.speedup = Some(comparison.speedup.estimate);
                    measured.interval = Some([comparison.speedup.low, comparison.speedup.high]);
                    candidate.measured = Some(measured);
                    let trial = measurement.trials[index - 1].clone();
                    candidate.verified = Some(Verified {
                        equal: trial.equal,
                        trials: vec![trial],
                    });
                    run.candidates.push(candidate);
                }
            }
        }
        run.timings = session.timings.take();
        runs.push(run);
    }
    Ok(runs)
}
