//! `tilewise verify`: do two kernels give the same results, or a kernel those
//! that are expected?

use std::path::PathBuf;

use tilewise_launch::{ArgKey, ArgSetting, ArgValue, Fill};
use tilewise_report::{Command, Run, Trial, Verified};

use crate::compare::{self, Tolerance};
use crate::error::Error;
use crate::findings::findings;
use crate::form::staged_of;
use crate::input::KernelInput;
use crate::launch_info::in_words;
use crate::load::{Loaded, load};
use crate::measure::{self, Outcome};
use crate::occupancy_of::local_bytes;
use crate::runs::{empty_candidate, empty_run};
use crate::session::Session;
use crate::target::{Need, Target};
use crate::verify;
use crate::written::run_all;

/// Compares the results of two kernels on the simulator over a spread of
/// sizes, and on the device at the given one.
///
/// # Errors
/// The kernels, the launch or the environment.
pub fn verify(session: &Session, a: &KernelInput, b: &KernelInput) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    for target in Target::resolve(session, Need::PreferDevice)? {
        let loaded = load(session, &target, &[a.clone(), b.clone()])?;
        let (first, second) = (&loaded[0], &loaded[1]);
        let mut run = empty_run(Command::Verify, &target, first);
        let outcome = verify::verify(session, &target, first, second)?;
        let mut trials = outcome.trials;
        run.findings = outcome.findings;
        run.warnings.extend(outcome.notes);
        if let Some(device) = &target.device {
            // One sample each: the times are not the question.
            let brief = Session {
                budget_seconds: 0.0,
                ..session.clone()
            };
            match measure::measure(&brief, &target, device, &[first, second])? {
                Outcome::Measured(measurement) => trials.extend(measurement.trials),
                Outcome::Unsafe(found) => {
                    run.warnings.push(format!(
                        "not run on {}: the simulator found the launch unsafe (--force runs it)",
                        target.name()
                    ));
                    run.findings.extend(found);
                }
            }
        }
        let staged = staged_of([local_bytes(first)?, local_bytes(second)?], None).ok();
        let mut candidate = empty_candidate(second, staged == Some(1));
        candidate.verified = Some(Verified {
            equal: !trials.is_empty() && trials.iter().all(|t| t.equal),
            trials,
        });
        run.candidates.push(candidate);
        run.timings = session.timings.take();
        runs.push(run);
    }
    Ok(runs)
}

/// Compares what a kernel leaves in buffers with files.
///
/// # Errors
/// The kernel, the launch, the files or the environment.
pub fn verify_expect(
    session: &Session,
    input: &KernelInput,
    expect: &[(String, PathBuf)],
) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    for target in Target::resolve(session, Need::Profile)? {
        let loaded = load(session, &target, std::slice::from_ref(input))?;
        let loaded = &loaded[0];
        let launch = &loaded.resolved.launch;
        let written = run_all(session, &target, loaded, launch)?;
        let (summary, memory) = (&written.summary, &written.memory);
        let operations = summary.lane_instructions as f64 / launch.range.work_items() as f64;
        let mut run = empty_run(Command::Verify, &target, loaded);
        run.findings = findings(session, loaded, &written)?;
        let mut trials = Vec::new();
        for (name, path) in expect {
            let (index, expected) = expected(loaded, name, path, &target)?;
            if let Some(buffer) = launch.args[index].value.memory()
                && let Some(bytes) = buffer.bytes()
                && bytes != expected.len() as u64
            {
                return Err(Error::Input(format!(
                    "--expect {name}=@{}: the file holds {} B, {name} has {bytes} B",
                    path.display(),
                    expected.len()
                )));
            }
            let mut got = vec![0; expected.len()];
            memory.read(index, 0, &mut got);
            let value = &launch.args[index].value;
            let how = match got == expected {
                true => Tolerance::Exact,
                false => Tolerance::for_operations(operations),
            };
            let difference = compare::compare_argument(value, &got, &expected, how)
                .map(|d| d.describe(name, ["here", "in the file"]));
            trials.push(Trial {
                on: "simulator".to_owned(),
                launch: in_words(launch, &[]),
                equal: difference.is_none(),
                how: format!("{name} against {}, {how}", path.display()),
                difference,
            });
        }
        let mut candidate = empty_candidate(loaded, false);
        candidate.source = "expected".to_owned();
        run.warnings
            .push("--expect compares what the simulator computes; no device was used".to_owned());
        candidate.verified = Some(Verified {
            equal: trials.iter().all(|t| t.equal),
            trials,
        });
        run.candidates.push(candidate);
        run.timings = session.timings.take();
        runs.push(run);
    }
    Ok(runs)
}

/// The index of a buffer argument and the bytes that a file expects in it. The
/// file is read as `--arg NAME=@FILE` reads it, so that its type is checked.
fn expected(
    loaded: &Loaded,
    name: &str,
    path: &std::path::Path,
    target: &Target,
) -> Result<(usize, Vec<u8>), Error> {
    let launch = &loaded.resolved.launch;
    let index = launch.args.iter().position(|arg| arg.name == name);
    let what = match index.map(|i| &launch.args[i].value) {
        Some(ArgValue::Image(image)) => {
            let extent: Vec<String> = image.extent().iter().map(u64::to_string).collect();
            format!("image[{}]:{}:", extent.join(","), image.format)
        }
        _ => String::new(),
    };
    let setting = ArgSetting::from_flag(&format!("{name}={what}@{}", path.display()))?;
    let mut spec = loaded.resolved.spec().clone();
    let same =
        |key: &ArgKey| *key == setting.key || index.is_some_and(|i| *key == ArgKey::Index(i));
    spec.args.retain(|a| !same(&a.key));
    spec.args.push(setting);
    let limits = loaded.unit.limits(target);
    let resolved = tilewise_launch::resolve::resolve(&spec, &loaded.signature, &limits)?;
    let found = resolved
        .launch
        .args
        .iter()
        .enumerate()
        .filter(|(_, arg)| arg.name == name)
        .find_map(|(index, arg)| match &arg.value.memory()?.fill {
            Fill::File { data, .. } => Some((index, data.to_vec())),
            _ => None,
        });
    found.ok_or_else(|| {
        Error::Input(format!(
            "--expect {name}=@{}: {name} is no buffer of {}",
            path.display(),
            loaded.signature.kernel
        ))
    })
}
