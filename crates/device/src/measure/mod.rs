//! Paired measurement: the kernels to compare run in turn on one device.
//!
//! Each round takes one sample of every kernel, in an order that alternates
//! (A B, B A, …), so that a drift of the clock meets all alike and samples of
//! one round can be paired. A sample is the device's own event time. Kernels
//! too short for the launch's overhead and the timer are launched several
//! times back to back per sample; a working set that would stay in
//! the cache goes round several sets of buffers.
//!
//! Raw samples come out; statistics are another room's. What it misses: it
//! neither fixes nor reads the device's clocks.

mod plan;
mod subject;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::bound::BoundLaunch;
use crate::error::DeviceError;
use subject::Subject;

/// How to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureOptions {
    /// Time for launches before the first sample, over all kernels together.
    /// Each kernel is launched at least three times, or once if those take
    /// longer than the budget.
    pub warm_up: Duration,
    /// No new round starts after this time (but [`Self::min_rounds`] are run).
    pub budget: Duration,
    /// Fewest rounds.
    pub min_rounds: u32,
    /// Most rounds.
    pub max_rounds: u32,
    /// A kernel shorter than this, in ns, makes all kernels run in batches.
    pub short_ns: u64,
    /// Size in bytes of the device's last cache. `None`: what the driver says,
    /// which on NVIDIA is not the last one; a device profile knows better.
    pub last_cache: Option<u64>,
    /// Go round several sets of buffers where one is smaller than twice the
    /// last cache.
    pub rotate: bool,
}

impl Default for MeasureOptions {
    fn default() -> Self {
        MeasureOptions {
            warm_up: Duration::from_millis(200),
            budget: Duration::from_secs(2),
            min_rounds: 7,
            max_rounds: 200,
            short_ns: 20_000,
            last_cache: None,
            rotate: true,
        }
    }
}

/// Watches a measurement.
pub trait Observer {
    /// The bytes that a kernel left in a buffer that it writes, after its first
    /// run on poisoned outputs: `subject` is the kernel's position in the list.
    fn output(&mut self, subject: usize, arg: usize, bytes: &[u8]);

    /// A round has ended. [`ControlFlow::Break`] ends the measurement with the
    /// samples so far.
    fn round(&mut self, done: u32, elapsed: Duration) -> ControlFlow<()> {
        let _ = (done, elapsed);
        ControlFlow::Continue(())
    }
}

/// Why a measurement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All rounds were run.
    Rounds,
    /// The time was spent.
    Budget,
    /// The observer ended it.
    Stopped,
}

/// How the data of a kernel lay to the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkingSet {
    /// Bytes of one set of buffers.
    pub bytes: u64,
    /// Bytes of the last cache as assumed.
    pub last_cache: u64,
    /// Number of sets that the samples went round.
    pub sets: usize,
}

impl WorkingSet {
    /// Whether all sets together hold at least twice what the cache does, so
    /// that a run finds little of its data there.
    pub fn exceeds_cache(&self) -> bool {
        self.bytes.saturating_mul(self.sets as u64) >= self.last_cache.saturating_mul(2)
    }
}

/// The samples of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// Name of the kernel.
    pub kernel: String,
    /// Time of each round's sample in ns: of the launch, or from the start of
    /// the first to the end of the last launch of the batch.
    pub ns: Vec<u64>,
    /// Launches per sample. Buffers that the kernel reads and writes are set
    /// back between samples, not between the launches of one.
    pub launches: u32,
    /// How the data lay to the cache.
    pub working_set: WorkingSet,
    /// A last run after all samples left the same bytes as the first. False
    /// means a race, or an order of floating-point atomics that is not fixed.
    pub repeatable: bool,
}

impl Samples {
    /// Time of one launch in ns, by round.
    pub fn per_launch_ns(&self) -> impl Iterator<Item = f64> + '_ {
        self.ns
            .iter()
            .map(|&ns| ns as f64 / f64::from(self.launches))
    }
}

/// What a measurement gives. All kernels have the same number of samples;
/// those of one position were taken in one round.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// By kernel, in the order given.
    pub subjects: Vec<Samples>,
    /// Why it ended.
    pub ended: Ended,
    /// Resolution of the device's timer in ns.
    pub timer_resolution_ns: u64,
}

/// Measures the launches against each other.
///
/// # Errors
/// [`DeviceError::NothingToMeasure`] for an empty list or no rounds, and
/// whatever a launch can fail with.
pub fn measure(
    launches: &mut [BoundLaunch],
    options: &MeasureOptions,
    observer: &mut dyn Observer,
) -> Result<Measurement, DeviceError> {
    let rounds_wanted = options.max_rounds.max(options.min_rounds);
    let Some(first) = launches.first().filter(|_| rounds_wanted > 0) else {
        return Err(DeviceError::NothingToMeasure);
    };
    let device = first.queue().info();
    let (timer_resolution_ns, global_memory) = (device.timer_resolution_ns, device.global_memory);
    let last_cache = options.last_cache.unwrap_or(device.cache);

    // A quarter of the memory is for the further sets, in equal parts.
    let room = global_memory / 4 / launches.len() as u64;
    let mut subjects = Vec::new();
    for (index, launch) in launches.iter_mut().enumerate() {
        let sets = if options.rotate {
            plan::sets(launch.working_set(), last_cache, room)
        } else {
            1
        };
        launch.add_sets(sets)?;
        let mut subject = Subject::new(launch, last_cache);
        subject.first_run(|arg, bytes| observer.output(index, arg, bytes))?;
        subjects.push(subject);
    }

    let singles = warm_up(&mut subjects, options)?;
    let batches = plan::batches(&singles, options.short_ns);

    let started = Instant::now();
    let mut done = 0;
    let ended = loop {
        for index in plan::order(done, subjects.len()) {
            subjects[index].sample(batches[index])?;
        }
        done += 1;
        let elapsed = started.elapsed();
        if observer.round(done, elapsed).is_break() {
            break Ended::Stopped;
        }
        if done >= rounds_wanted {
            break Ended::Rounds;
        }
        if done >= options.min_rounds && elapsed >= options.budget {
            break Ended::Budget;
        }
    };

    let mut results = Vec::new();
    for (subject, &batch) in subjects.into_iter().zip(&batches) {
        results.push(subject.finish(batch)?);
    }
    Ok(Measurement {
        subjects: results,
        ended,
        timer_resolution_ns,
    })
}

/// Launches the kernels in turn until the warm-up is over. Gives the time in ns
/// of the shortest launch of each.
fn warm_up(
    subjects: &mut [Subject<'_>],
    options: &MeasureOptions,
) -> Result<Vec<u64>, DeviceError> {
    const FEWEST: u32 = 3;
    let started = Instant::now();
    let mut shortest = vec![u64::MAX; subjects.len()];
    for turn in 1.. {
        for (subject, shortest) in subjects.iter_mut().zip(&mut shortest) {
            *shortest = (*shortest).min(subject.time(1)?);
        }
        let elapsed = started.elapsed();
        let enough = turn >= FEWEST || elapsed >= options.budget;
        if enough && elapsed >= options.warm_up {
            break;
        }
    }
    Ok(shortest)
}
