//! Do two kernels give the same results?
//!
//! Both run on the simulator as written, every work-group of them, over a
//! spread of awkward sizes, and what they leave in the buffers that both have
//! is compared; data races are looked for meanwhile. Sub-groups run one after
//! another between barriers there, and local memory starts as garbage, so a tile
//! that is read before it is filled shows as a difference.

use tilewise_launch::{FreeSize, Launch};
use tilewise_report::{Diagnostic, Trial};
use tilewise_sim::{Memory, RunSummary};

use crate::compare::{self, Tolerance};
use crate::error::Error;
use crate::findings::{findings, is_unsafe};
use crate::launch_info::in_words;
use crate::load::Loaded;
use crate::session::Session;
use crate::simulate::hand_on_printed;
use crate::sizes;
use crate::target::Target;
use crate::written::{run_all, takes_long};

/// Most trials of a pair.
const MOST_TRIALS: usize = 8;
/// Most bytes of a buffer that is compared at once.
const PIECE: u64 = 1 << 20;

/// What verification on the simulator gave.
#[derive(Default)]
pub struct Outcome {
    /// Each size tried.
    pub trials: Vec<Trial>,
    /// Findings of either kernel at any size.
    pub findings: Vec<Diagnostic>,
    /// What to know about the spread of sizes.
    pub notes: Vec<String>,
}

/// Compares two kernels on the simulator.
///
/// # Errors
/// A kernel can't be simulated, or the two share no buffer that is written.
pub fn verify(
    session: &Session,
    target: &Target,
    a: &Loaded,
    b: &Loaded,
) -> Result<Outcome, Error> {
    let mut outcome = Outcome::default();
    let mut launches = spread(a, b, &mut outcome.notes);
    // The launch as given stands in front; smaller ones show the same sooner.
    if launches.len() > 1
        && let Some((sizes, first, second)) = launches.first()
        && sizes.is_empty()
        && (takes_long(session, target, a, first)? || takes_long(session, target, b, second)?)
    {
        outcome.notes.push(
            "the launch as given takes minutes to simulate whole: compared at smaller sizes"
                .to_owned(),
        );
        launches.remove(0);
    }
    let of = launches.len() as u64;
    session.progress.phase(&format!(
        "comparing {} and {} on the simulator",
        a.signature.kernel, b.signature.kernel
    ));
    let mut silent = Vec::new();
    let mut unguarded = Vec::new();
    let mut unstaged = Vec::new();
    let mut doubtful = Vec::new();
    let mut multiples = None;
    for (done, (sizes, first, second)) in launches.into_iter().enumerate() {
        session.progress.step(done as u64, of);
        let ran_a = run_all(session, target, a, &first)?;
        let named: Vec<(&str, u64)> = sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let launch = in_words(&second, &named);
        // A kernel that does not guard its range is not meant for a size whose
        // range is rounded up: no trial, and no finding about either form.
        if !named.is_empty() && sizes::is_unguarded(&ran_a) {
            unguarded.push(launch);
            continue;
        }
        let ran_b = run_all(session, target, b, &second)?;
        if done == 0 {
            for (loaded, ran) in [(a, &ran_a), (b, &ran_b)] {
                hand_on_printed(session, loaded, &ran.summary, &mut outcome.notes);
            }
        }
        // Nor is a staged form without guards, where it is not the host that rounds
        // the range up.
        if !named.is_empty() && !sizes::is_meant(b, &named) && sizes::is_unguarded(&ran_b) {
            unstaged.push(launch);
            continue;
        }
        if sizes::guessed(a, &named) && ran_b.summary.faults.iter().any(is_unsafe) {
            doubtful.push(launch);
            continue;
        }
        for (loaded, ran) in [(a, &ran_a), (b, &ran_b)] {
            for mut finding in findings(session, loaded, ran)? {
                if !named.is_empty() {
                    finding.notes.push(format!("at {launch}"));
                }
                let known = outcome.findings.iter().any(|f| {
                    f.code == finding.code
                        && f.line == finding.line
                        && f.column == finding.column
                        && f.kernel == finding.kernel
                });
                if !known {
                    outcome.findings.push(finding);
                }
            }
        }
        let sides = (
            (&first, &ran_a.summary, &ran_a.memory),
            (&second, &ran_b.summary, &ran_b.memory),
        );
        let by = [a, b].map(|form| format!("by {}", form.name()));
        let whose = by.each_ref().map(String::as_str);
        match trial(&launch, sides.0, sides.1, whose) {
            Some(trial) if !trial.equal && sizes::guessed(a, &named) => doubtful.push(launch),
            Some(trial) => {
                let group = b.resolved.launch.range.local[0].max(1);
                let ragged = named.iter().find(|(_, n)| !n.is_multiple_of(group));
                if !trial.equal
                    && let Some((name, _)) = ragged
                {
                    multiples.get_or_insert(format!("--size {name}%{group}"));
                }
                outcome.trials.push(trial);
            }
            // At a small size a kernel may have nothing to write: a stencil
            // without an interior.
            None => silent.push(launch),
        }
    }
    if !unguarded.is_empty() {
        outcome.notes.push(format!(
            "{} does not guard its range, so these sizes were left out: {}",
            a.signature.kernel,
            unguarded.join("; ")
        ));
    }
    if !unstaged.is_empty() {
        outcome.notes.push(format!(
            "{} does not guard its range and its launch does not say that the range is rounded up, so these sizes were left out: {}",
            b.signature.kernel,
            unstaged.join("; ")
        ));
    }
    if let Some(flag) = multiples.filter(|_| outcome.trials.iter().any(|t| t.equal)) {
        outcome.notes.push(format!(
            "the results differ where a size is no multiple of the group: if that never happens, {flag} says so"
        ));
    }
    if !doubtful.is_empty() {
        outcome.notes.push(format!(
            "the results differ at {}, but that the global size follows these arguments is a guess from their values: --size NAME says that it does, and the difference then counts",
            doubtful.join("; ")
        ));
    }
    if !silent.is_empty() {
        if outcome.trials.is_empty() {
            return Err(Error::Input(format!(
                "{} and {} write no buffer of the same name: there is nothing to compare",
                a.signature.kernel, b.signature.kernel
            )));
        }
        outcome.notes.push(format!(
            "nothing to compare, since no buffer that both have is written, at {}",
            silent.join("; ")
        ));
    }
    Ok(outcome)
}

pub(crate) type Side<'a> = (&'a Launch, &'a RunSummary, &'a Memory);

/// Compares what two launches left; `None` if neither wrote a buffer that both
/// have.
fn trial(launch: &str, a: Side<'_>, b: Side<'_>, whose: [&str; 2]) -> Option<Trial> {
    let mut how = Tolerance::Exact;
    let mut difference = None;
    let shared = shared_outputs(a, b);
    if shared.is_empty() {
        return None;
    }
    for (index_a, index_b) in shared {
        if a.2.first_difference(index_a, b.2, index_b).is_none() {
            continue;
        }
        // Sums in another order are equal within rounding, not bit for bit.
        let operations = a.1.lane_instructions as f64 / a.0.range.work_items().max(1) as f64;
        how = Tolerance::for_operations(operations);
        difference = buffers_differ(a, index_a, b, index_b, how, whose);
        if difference.is_some() {
            break;
        }
    }
    Some(Trial {
        on: "simulator".to_owned(),
        launch: launch.to_owned(),
        equal: difference.is_none(),
        how: how.to_string(),
        difference,
    })
}

/// Buffers that either kernel writes, by their indices in both.
pub(crate) fn shared_outputs(a: Side<'_>, b: Side<'_>) -> Vec<(usize, usize)> {
    let written = |side: Side<'_>, index: usize| !side.2.written_pages(index).is_empty();
    let mut shared = Vec::new();
    for (index_a, arg) in a.0.args.iter().enumerate() {
        if arg.value.memory().is_none() {
            continue;
        }
        let index_b =
            b.0.args
                .iter()
                .position(|other| other.name == arg.name && other.value.memory().is_some());
        if let Some(index_b) = index_b
            && (written(a, index_a) || written(b, index_b))
        {
            shared.push((index_a, index_b));
        }
    }
    shared
}

fn buffers_differ(
    a: Side<'_>,
    index_a: usize,
    b: Side<'_>,
    index_b: usize,
    tolerance: Tolerance,
    whose: [&str; 2],
) -> Option<String> {
    let buffer = a.0.args[index_a].value.memory()?;
    let value = &a.0.args[index_a].value;
    let end = [a.2.written_pages(index_a), b.2.written_pages(index_b)]
        .iter()
        .flatten()
        .map(|range| range.end)
        .max()
        .unwrap_or(0)
        .min(buffer.bytes().unwrap_or(u64::MAX));
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < end {
        let n = (end - at).min(PIECE) as usize;
        let start = first.len();
        first.resize(start + n, 0);
        second.resize(start + n, 0);
        a.2.read(index_a, at, &mut first[start..]);
        b.2.read(index_b, at, &mut second[start..]);
        at += n as u64;
    }
    compare::compare_argument(value, &first, &second, tolerance)
        .map(|d| d.describe(&a.0.args[index_a].name, whose))
}

/// Sizes by name, and both launches at them.
pub(crate) type SizedPair = (Vec<(String, u64)>, Launch, Launch);

/// The launches to compare at: a spread over the sizes that both kernels have
/// free, or the launch as given where it is small enough.
pub(crate) fn spread(a: &Loaded, b: &Loaded, notes: &mut Vec<String>) -> Vec<SizedPair> {
    let shared: Vec<&FreeSize> = a
        .resolved
        .free_sizes
        .iter()
        .filter(|f| b.resolved.free_sizes.iter().any(|g| g.name == f.name))
        .collect();
    let mut pairs: Vec<SizedPair> = Vec::new();
    if !shared.is_empty() {
        notes.extend(a.resolved.describe_sizes());
        for values in sizes::rows(&a.resolved, &shared) {
            let names = shared.iter().map(|f| f.name.as_str());
            let sizes: Vec<(&str, u64)> = names.zip(values).collect();
            let resized = sizes::resize(&a.resolved, &sizes)
                .and_then(|x| Some((x, sizes::resize(&b.resolved, &sizes)?)));
            match resized {
                Some((x, y))
                    if x.range.work_items().max(y.range.work_items()) <= sizes::MOST_WORK_ITEMS =>
                {
                    let named = sizes.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
                    pairs.push((named, x, y));
                }
                // A size at which the launch can't be made is no trial.
                Some(_) | None => {}
            }
            if pairs.len() == MOST_TRIALS {
                break;
            }
        }
    }
    let (x, y) = (&a.resolved.launch, &b.resolved.launch);
    let given = x.range.work_items().max(y.range.work_items());
    if given <= sizes::MOST_WORK_ITEMS || (pairs.is_empty() && given <= sizes::MOST_WORK_ITEMS << 4)
    {
        if pairs.is_empty() {
            notes.push(
                "no argument is a size: compared at the given range only (--size NAME makes one a size)"
                    .to_owned(),
            );
        }
        pairs.insert(0, (Vec::new(), x.clone(), y.clone()));
    }
    if pairs.is_empty() {
        notes.push(
            "not compared on the simulator: the launch is too large to run whole and no argument is a size (--size NAME makes one a size)"
                .to_owned(),
        );
    }
    pairs
}
