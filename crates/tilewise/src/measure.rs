//! Measures kernels against each other on an OpenCL device.

use std::ops::ControlFlow;
use std::time::Duration;

use tilewise_device::measure::{self as device_measure, MeasureOptions, Samples};
use tilewise_device::{
    BoundLaunch, BufferRole, Clearance, Device, HiddenPrintf, Program, Queue, copy_ceiling,
};
use tilewise_launch::Launch;
use tilewise_model::statistics::{self, Conditions, Pair};
use tilewise_report::{Diagnostic, Measured, Trial};
use tilewise_sim::RunSummary;

use crate::compare::{self, Tolerance};
use crate::error::Error;
use crate::findings::unsafe_findings;
use crate::launch_info::in_words;
use crate::load::Loaded;
use crate::session::Session;
use crate::target::Target;
use crate::written::{Written, run_sample};

/// Seed of the bootstrap: the same samples give the same interval.
const BOOTSTRAP_SEED: u64 = 1;

/// What a measurement gave.
pub enum Outcome {
    /// Times of each kernel, in the order given.
    Measured(Measurement),
    /// A kernel was not launched: the simulator found it unsafe.
    Unsafe(Vec<Diagnostic>),
}

/// Times of kernels that ran in turn.
pub struct Measurement {
    /// By kernel, in the order given.
    pub times: Vec<Measured>,
    /// Results of every kernel but the first, compared with the first's.
    pub trials: Vec<Trial>,
    /// What to know about the figures.
    pub warnings: Vec<String>,
    samples: Vec<Samples>,
}

impl Measurement {
    /// Speed-up of one kernel over another with its 95 % interval, and what
    /// makes it doubtful.
    ///
    /// # Errors
    /// Too few samples.
    pub fn compare(&self, unstaged: usize, staged: usize) -> Result<statistics::Comparison, Error> {
        let (a, b) = (&self.samples[unstaged], &self.samples[staged]);
        let pairs: Vec<Pair> = a
            .per_launch_ns()
            .zip(b.per_launch_ns())
            .map(|(x, y)| Pair {
                unstaged: x / 1e9,
                staged: y / 1e9,
            })
            .collect();
        let set = a.working_set;
        let conditions = Conditions {
            working_set_bytes: set.bytes * set.sets as u64,
            last_cache_bytes: set.last_cache,
        };
        statistics::compare(&pairs, conditions, BOOTSTRAP_SEED)
            .map_err(|e| Error::Input(format!("{e}; give more time with --budget")))
    }
}

/// Runs the kernels in turn on the device, after a simulated run of each.
///
/// # Errors
/// The device, its compiler, or input that the simulator asks for.
pub fn measure(
    session: &Session,
    target: &Target,
    device: &Device,
    kernels: &[&Loaded],
) -> Result<Outcome, Error> {
    // Dropped last: drivers may print when they let go of things.
    let _printed = session.hide_printf.then(HiddenPrintf::new);
    let queue = Queue::new(device)?;
    let mut bound = Vec::new();
    let mut logs = Vec::new();
    let mut moved = Vec::new();
    let mut operations = Vec::new();
    let mut refused = Vec::new();
    for loaded in kernels {
        let launch = &loaded.resolved.launch;
        session.progress.phase(&format!(
            "checking that {} is safe to launch",
            loaded.signature.kernel
        ));
        let Written {
            summary, memory, ..
        } = run_sample(session, target, loaded, launch)?;
        let found = unsafe_findings(loaded, memory.regions(), &summary.faults)?;
        if !found.is_empty() && !session.force {
            refused.extend(found);
            continue;
        }
        let clearance = if found.is_empty() {
            Clearance::Simulated
        } else {
            Clearance::Forced
        };
        let touched = touched(launch, &summary, memory.regions());
        let launch = with_lengths(launch, &touched);
        moved.push(
            touched
                .iter()
                .map(|u| u.read_end + u.write_end)
                .sum::<u64>(),
        );
        operations.push(operations_per_work_item(&summary));
        session
            .progress
            .phase(&format!("building {}", loaded.signature.kernel));
        let (form, log) = bind(&queue, loaded, &launch, &touched, clearance)?;
        bound.push(form);
        logs.push(log);
    }
    if !refused.is_empty() {
        return Ok(Outcome::Unsafe(refused));
    }
    session
        .progress
        .phase(&format!("measuring on {}", device.info().name.trim()));
    let budget = Duration::from_secs_f64(session.budget_seconds);
    let options = MeasureOptions {
        budget,
        last_cache: last_cache(target),
        ..MeasureOptions::default()
    };
    let mut watch = Watch {
        session,
        budget,
        outputs: vec![Vec::new(); kernels.len()],
    };
    let result = device_measure::measure(&mut bound, &options, &mut watch)?;
    let most = operations.iter().copied().fold(0.0, f64::max);
    let trials = compare_outputs(
        device,
        kernels,
        &watch.outputs,
        Tolerance::for_operations(most),
    );
    let mut warnings = new_compiler_warnings(kernels, &logs);
    for samples in &result.subjects {
        if !samples.repeatable {
            warnings.push(format!(
                "{} does not give the same bytes twice: it has a race, or atomics on floating-point values in no fixed order",
                samples.kernel
            ));
        }
    }
    let times: Vec<Measured> = result
        .subjects
        .iter()
        .zip(&moved)
        .map(|(samples, &bytes)| times(samples, bytes))
        .collect();
    // Without a budget the results are the question, not the times.
    if session.budget_seconds > 0.0 {
        warnings.push(against_ceiling(&queue, kernels, &times)?);
    }
    Ok(Outcome::Measured(Measurement {
        times,
        trials,
        warnings,
        samples: result.subjects,
    }))
}

/// Keeps first outputs and passes progress on.
struct Watch<'s> {
    session: &'s Session,
    budget: Duration,
    /// By kernel: argument index and bytes.
    outputs: Vec<Vec<(usize, Vec<u8>)>>,
}

impl device_measure::Observer for Watch<'_> {
    fn output(&mut self, subject: usize, arg: usize, bytes: &[u8]) {
        self.outputs[subject].push((arg, bytes.to_vec()));
    }

    fn round(&mut self, _done: u32, elapsed: Duration) -> ControlFlow<()> {
        self.session
            .progress
            .step(elapsed.as_millis() as u64, self.budget.as_millis() as u64);
        ControlFlow::Continue(())
    }
}

/// How an argument's buffer is used: end of what is read and of what is
/// written, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Use {
    read_end: u64,
    write_end: u64,
}

pub(crate) fn touched(
    launch: &Launch,
    summary: &RunSummary,
    regions: &tilewise_sim::Regions,
) -> Vec<Use> {
    (0..launch.args.len())
        .map(|arg| {
            let region = regions.of_arg(arg);
            summary
                .touched
                .iter()
                .find(|t| Some(t.region) == region)
                .map_or(Use::default(), |t| Use {
                    read_end: t.read_end,
                    write_end: t.write_end,
                })
        })
        .collect()
}

/// The launch with buffers of unknown length as long as what was touched.
pub(crate) fn with_lengths(launch: &Launch, touched: &[Use]) -> Launch {
    let mut launch = launch.clone();
    for (arg, used) in launch.args.iter_mut().zip(touched) {
        if let Some(buffer) = arg.value.memory_mut()
            && buffer.len.is_none()
        {
            let end = used.read_end.max(used.write_end);
            buffer.len = Some(end.div_ceil(buffer.elem.size().max(1)).max(1));
        }
    }
    launch
}

fn bind(
    queue: &Queue,
    loaded: &Loaded,
    launch: &Launch,
    touched: &[Use],
    clearance: Clearance,
) -> Result<(BoundLaunch, String), Error> {
    let Some(source) = &loaded.unit.source else {
        return Err(Error::Input(format!(
            "{} is SPIR-V: a device is given OpenCL C source; name the .cl file",
            loaded.path.display()
        )));
    };
    let program = Program::build(queue, source, &loaded.unit.build_options)?;
    let kernel = program.kernel(&loaded.signature.kernel)?;
    let roles: Vec<BufferRole> = touched
        .iter()
        .map(|used| match (used.read_end > 0, used.write_end > 0) {
            (false, true) => BufferRole::Output,
            (true, true) => BufferRole::InOut,
            _ => BufferRole::Input,
        })
        .collect();
    let mut contents = |arg: usize, first: u64, out: &mut [u8]| launch.contents(arg, first, out);
    let bound = BoundLaunch::new(kernel, launch, &roles, &mut contents, clearance)?;
    Ok((bound, program.log().to_owned()))
}

/// What the device's compiler warns of in a form more often than in the first one, whose
/// author knows.
fn new_compiler_warnings(kernels: &[&Loaded], logs: &[String]) -> Vec<String> {
    let warnings = |log: &String| -> Vec<String> {
        let lines = log.lines().filter(|l| l.contains("warning:"));
        lines.map(str::to_owned).collect()
    };
    let known = logs.first().map_or(0, |log| warnings(log).len());
    kernels
        .iter()
        .zip(logs)
        .filter_map(|(loaded, log)| {
            let own = warnings(log);
            let first = own.first().filter(|_| own.len() > known)?;
            Some(format!(
                "the device's compiler warns of {}: {}",
                loaded.name(),
                first.trim()
            ))
        })
        .collect()
}

/// The last cache of a device that a profile describes; else the driver's word.
fn last_cache(target: &Target) -> Option<u64> {
    let device = target.device.as_ref()?;
    target
        .profile
        .matches(&device.info().name)
        .then(|| target.profile.l2.size.value())
}

pub(crate) fn operations_per_work_item(summary: &RunSummary) -> f64 {
    let lanes = f64::from(summary.width.max(1));
    summary.lane_instructions as f64 / (summary.groups.max(1) as f64 * lanes)
}

fn compare_outputs(
    device: &Device,
    kernels: &[&Loaded],
    outputs: &[Vec<(usize, Vec<u8>)>],
    tolerance: Tolerance,
) -> Vec<Trial> {
    let name = |k: usize, arg: usize| kernels[k].resolved.launch.args[arg].name.as_str();
    (1..kernels.len())
        .map(|k| {
            let launch = &kernels[k].resolved.launch;
            let mut how = Tolerance::Exact;
            let mut difference = None;
            for (arg, bytes) in &outputs[k] {
                let Some((_, first)) = outputs[0]
                    .iter()
                    .find(|(a, _)| name(0, *a) == name(k, *arg))
                else {
                    continue;
                };
                if bytes == first {
                    continue;
                }
                how = tolerance;
                let value = &launch.args[*arg].value;
                let found = compare::compare_argument(value, first, bytes, tolerance);
                if let Some(found) = found {
                    let by = [0, k].map(|form| format!("by {}", kernels[form].name()));
                    let whose = by.each_ref().map(String::as_str);
                    difference.get_or_insert(found.describe(name(k, *arg), whose));
                }
            }
            Trial {
                on: device.info().name.trim().to_owned(),
                launch: in_words(launch, &[]),
                equal: difference.is_none(),
                how: how.to_string(),
                difference,
            }
        })
        .collect()
}

/// How near the kernels come to what a copy reaches on this device.
fn against_ceiling(
    queue: &Queue,
    kernels: &[&Loaded],
    times: &[Measured],
) -> Result<String, Error> {
    let best = copy_ceiling(queue)?.gb_per_s();
    let shares: Vec<String> = kernels
        .iter()
        .zip(times)
        .filter_map(|(loaded, time)| {
            let rate = time.gbps?;
            Some(format!(
                "{} {rate:.1} GB/s ({:.0} %)",
                loaded.name(),
                rate / best * 100.0
            ))
        })
        .collect();
    Ok(format!(
        "each buffer moved once: {}, where a copy reaches {best:.0} GB/s on this device (measured)",
        shares.join(", ")
    ))
}

/// Times of one kernel that must move so many bytes: each byte that is read
/// or written once.
fn times(samples: &Samples, bytes: u64) -> Measured {
    let each: Vec<f64> = samples.per_launch_ns().collect();
    let median_ns = statistics::median(&each);
    Measured {
        median_ns,
        min_ns: each.iter().copied().fold(f64::INFINITY, f64::min),
        max_ns: each.iter().copied().fold(0.0, f64::max),
        launches_per_sample: samples.launches,
        samples: each,
        gbps: (median_ns > 0.0).then(|| bytes as f64 / median_ns),
        speedup: None,
        interval: None,
    }
}
