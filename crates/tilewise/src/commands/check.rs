//! `tilewise check`: what a launch does wrong, and what makes it slow.

use std::time::{Duration, Instant};

use tilewise_launch::{FreeSize, Launch};
use tilewise_report::{Command, Diagnostic, Run};

use crate::error::Error;
use crate::examine::examine;
use crate::findings::{findings, performance_findings, text_findings};
use crate::input::KernelInput;
use crate::launch_info::in_words;
use crate::load::{Loaded, each_kernel, load};
use crate::occupancy_of::local_bytes;
use crate::runs::empty_run;
use crate::session::Session;
use crate::simulate::hand_on_printed;
use crate::sizes;
use crate::target::{Need, Target};
use crate::written::{Written, run_all, run_checked};

/// Bytes of local memory of a work-group up to which a launch is checked, be they more
/// than the device has.
const LARGEST_TILE: u64 = 16 << 20;

/// Runs a launch as written with every check: data races, uninitialised reads, accesses
/// outside buffers, divergent barriers, divisions by zero, loops without end. Where
/// nothing is wrong, runs it as compiled to see what makes it slow.
///
/// Where no kernel is named, and the launch file has launches of several by name, each
/// of them is checked.
///
/// # Errors
/// The kernel, the launch or the environment.
pub fn check(session: &Session, input: &KernelInput) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    for kernel in each_kernel(input)? {
        runs.extend(check_all(session, &[kernel])?);
    }
    Ok(runs)
}

/// [`check`] for several kernels: a file that holds more than one of them is
/// compiled once.
///
/// # Errors
/// As [`check`].
pub fn check_all(session: &Session, inputs: &[KernelInput]) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    for mut target in Target::resolve(session, Need::Profile)? {
        target.lets_large_tiles_through = true;
        for loaded in &load(session, &target, inputs)? {
            keep_in_hand(&target, loaded)?;
            let launch = &loaded.resolved.launch;
            session
                .progress
                .phase(&format!("checking {}", loaded.signature.kernel));
            let written = run_checked(session, &target, loaded, launch)?;
            let mut run = empty_run(Command::Check, &target, loaded);
            hand_on_printed(session, loaded, &written.summary, &mut run.warnings);
            run.findings = findings(session, loaded, &written)?;
            run.findings
                .extend(text_findings(session, &target, loaded)?);
            run.warnings.extend(covered(&written, launch));
            if let Some(budget) = session.sizes {
                let more = other_sizes(session, &target, loaded, budget)?;
                for finding in more.findings {
                    add(&mut run.findings, finding);
                }
                run.warnings.extend(more.notes);
            }
            // What a wrong kernel does says nothing about how it performs.
            if run.findings.is_empty() {
                let examined = examine(session, &target, loaded)?;
                let slow = performance_findings(session, &target, loaded, &examined)?;
                run.findings.extend(slow);
                run.warnings.push(format!(
                    "looked at the performance of {} of {} work-groups, as compiled",
                    examined.traffic.sampled_groups, examined.traffic.groups
                ));
            } else {
                run.warnings
                    .push("performance (TW2xx) is looked at once nothing else is wrong".to_owned());
            }
            run.timings = session.timings.take();
            runs.push(run);
        }
    }
    Ok(runs)
}

/// Refuses a tile beyond what any device has, which would only take the host's memory.
fn keep_in_hand(target: &Target, loaded: &Loaded) -> Result<(), Error> {
    let bytes = local_bytes(loaded)?;
    if bytes <= LARGEST_TILE.max(target.local_limit()) {
        return Ok(());
    }
    Err(Error::Input(format!(
        "{} takes {bytes} B of local memory a work-group, {} has {}: make the tile or --local smaller",
        loaded.signature.kernel,
        target.name(),
        target.local_limit()
    )))
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
    if races.not_followed > 0 {
        notes.push(format!(
            "data races were not checked everywhere: the atomics of a work-group that may order {} more accesses are too many to follow",
            races.not_followed
        ));
    }
    if races.not_kept > 0 {
        notes.push(format!(
            "{} more races were found than are listed",
            races.not_kept
        ));
    }
    notes
}

/// What other sizes showed.
#[derive(Default)]
struct Sizes {
    findings: Vec<Diagnostic>,
    notes: Vec<String>,
}

/// Runs a launch with every check at a spread of awkward sizes, one after another
/// until the time is over.
fn other_sizes(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    budget: Duration,
) -> Result<Sizes, Error> {
    let mut found = Sizes::default();
    let resolved = &loaded.resolved;
    found.notes.extend(resolved.describe_sizes());
    let names: Vec<&str> = resolved
        .free_sizes
        .iter()
        .map(|f| f.name.as_str())
        .collect();
    if names.is_empty() {
        return Ok(found);
    }
    let free: Vec<&FreeSize> = resolved.free_sizes.iter().collect();
    let rows = sizes::rows(resolved, &free);
    let launches: Vec<(Vec<(&str, u64)>, Launch)> = rows
        .into_iter()
        .filter_map(|row| {
            let sizes: Vec<(&str, u64)> = names.iter().copied().zip(row).collect();
            // A size at which the launch can't be made is none.
            let launch = sizes::resize(resolved, &sizes)?;
            let small = launch.range.work_items() <= sizes::MOST_WORK_ITEMS;
            small.then_some((sizes, launch))
        })
        .collect();
    let (mut ran, mut unguarded, mut without_data) = (Vec::new(), Vec::new(), Vec::new());
    let start = Instant::now();
    for (done, (sizes, launch)) in launches.iter().enumerate() {
        if start.elapsed() >= budget {
            break;
        }
        session.progress.step(done as u64, launches.len() as u64);
        let words = in_words(launch, sizes);
        let written = run_all(session, target, loaded, launch)?;
        // Where it is not the host that rounds the range up, a kernel need not
        // guard it.
        if !sizes::is_meant(loaded, sizes) && sizes::is_unguarded(&written) {
            unguarded.push(words);
            continue;
        }
        match findings(session, loaded, &written) {
            Ok(here) => {
                for mut finding in here {
                    finding.notes.push(format!("at {words}"));
                    add(&mut found.findings, finding);
                }
                ran.push(words);
            }
            Err(Error::NeedsData(_)) => without_data.push(words),
            Err(error) => return Err(error),
        }
    }
    let tried = ran.len() + unguarded.len() + without_data.len();
    let list = |what: &str, launches: &[String]| match launches {
        [] => None,
        all => Some(format!("{what}: {}", all.join("; "))),
    };
    found.notes.extend(list("also checked whole at", &ran));
    found.notes.extend(list(
        "left out, since the kernel does not guard its range and its launch does not say that the range is rounded up",
        &unguarded,
    ));
    found.notes.extend(list(
        "left out, since generated values select elements that are not there",
        &without_data,
    ));
    if tried < launches.len() {
        found.notes.push(format!(
            "{tried} of {} sizes fitted into {} s (--budget)",
            launches.len(),
            budget.as_secs_f64()
        ));
    }
    Ok(found)
}

/// Adds a finding unless its place is known.
fn add(all: &mut Vec<Diagnostic>, finding: Diagnostic) {
    let place = |f: &Diagnostic| (f.code.clone(), f.file.clone(), f.line, f.column);
    if !all.iter().any(|f| place(f) == place(&finding)) {
        all.push(finding);
    }
}
