//! `cargo xtask stage-random`: random naive kernels, each staged and proved, or
//! refused with a code.
//!
//! What is wrong or crashes is made simpler and kept: the kernel with its launch, as
//! a file that `tilewise stage` takes, and its choices as JSON.

mod keep;
mod outcome;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Args;
use serde::{Deserialize, Serialize};
use tilewise::session::DeviceChoice;
use tilewise_device::{OpenCl, Queue};
use tilewise_generate::naive::Naive;

use outcome::{OnDevice, Outcome, stage};

use crate::kept;

/// Kernels that are tried to make one simpler.
const TRIES: usize = 60;

/// Options of `cargo xtask stage-random`.
#[derive(Args)]
pub struct Options {
    /// Number of kernels
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// Seed of the first kernel; the others follow
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Kernels at a time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Start no more kernels after this many seconds
    #[arg(long)]
    seconds: Option<u64>,
    /// Folder for kernels that are wrong or crash
    #[arg(long, default_value = "target/stage-random")]
    keep: PathBuf,
    /// Keep them as they were drawn
    #[arg(long)]
    no_shrink: bool,
    /// Print the kernel of the seed with its launch and end
    #[arg(long)]
    print: bool,
    /// Name the seeds that were refused
    #[arg(long)]
    refused: bool,
    /// OpenCL device on which staged kernels are compared as well: cl:NAME
    #[arg(long, value_name = "cl:NAME")]
    device: Option<String>,
    /// Compare only every Nth kernel on the device
    #[arg(long, value_name = "N", default_value_t = 1, requires = "device")]
    every: u64,
    /// Add the counts of another run, which --json wrote (repeatable)
    #[arg(long, value_name = "FILE.json")]
    also: Vec<PathBuf>,
    /// Write the counts to this file
    #[arg(long, value_name = "FILE.json")]
    json: Option<PathBuf>,
}

/// The counts of a run, as it is kept.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Seed of the first kernel.
    pub seed: u64,
    /// Kernels drawn.
    pub kernels: u64,
    /// Staged, and proved.
    pub staged: u64,
    /// Of those: equal on an OpenCL device, too.
    #[serde(default)]
    pub equal_on_device: u64,
    /// Of those: not run there, by reason.
    #[serde(default)]
    pub not_run_on_device: BTreeMap<String, u64>,
    /// Refused, by code and reason.
    pub refused: BTreeMap<String, u64>,
    /// The staged form does something else.
    pub wrong: u64,
    /// tilewise panicked.
    pub crashed: u64,
}

/// Runs kernels and reports on them.
pub fn run(options: &Options) -> anyhow::Result<()> {
    if options.print {
        let kernel = Naive::draw(options.seed);
        println!("{}// {}", kernel.text(), kernel.shape().flags());
        return Ok(());
    }
    let device = options.device.as_deref().map(str::parse).transpose()?;
    let _held = device.as_ref().and_then(held);
    let tally = all(options, device.as_ref())?;
    let mut summary = tally.summary(options.seed);
    for path in &options.also {
        summary.add(kept::read(path)?);
    }
    let seconds = tally.started.elapsed().as_secs_f64();
    println!("{} kernels in {seconds:.0} s", summary.kernels);
    summary.print();
    if options.refused {
        tally.print_seeds();
    }
    if let Some(path) = &options.json {
        kept::write(path, &summary)?;
    }
    let faults = summary.wrong + summary.crashed;
    if faults > 0 {
        eprintln!(
            "stage-random: {faults} kernels are wrong or crash; they are in {}",
            options.keep.display()
        );
        std::process::exit(1);
    }
    Ok(())
}

/// A context of the device that stays: a driver that has one need not set itself up for
/// each kernel. `None` where there is no such device, which the first kernel tells.
fn held(device: &DeviceChoice) -> Option<Queue> {
    let DeviceChoice::OpenCl(which) = device else {
        return None;
    };
    let devices = OpenCl::load().ok()?.devices().ok()?;
    Queue::new(devices.select(which).ok()?).ok()
}

impl Summary {
    /// Adds the counts of a run on other seeds.
    fn add(&mut self, other: Self) {
        self.seed = match self.kernels {
            0 => other.seed,
            _ => self.seed.min(other.seed),
        };
        self.kernels += other.kernels;
        self.staged += other.staged;
        self.equal_on_device += other.equal_on_device;
        self.wrong += other.wrong;
        self.crashed += other.crashed;
        for (of, more) in [
            (&mut self.refused, other.refused),
            (&mut self.not_run_on_device, other.not_run_on_device),
        ] {
            for (why, count) in more {
                *of.entry(why).or_default() += count;
            }
        }
    }

    fn print(&self) {
        let percent = 100.0 * self.staged as f64 / self.kernels.max(1) as f64;
        println!("{:6}  staged and proved ({percent:.1} %)", self.staged);
        if self.equal_on_device > 0 || !self.not_run_on_device.is_empty() {
            println!("  {:6}  of them equal on the device", self.equal_on_device);
            for (why, count) in &self.not_run_on_device {
                let line = why.lines().next().unwrap_or_default();
                println!("  {count:6}  not run there: {line}");
            }
        }
        println!("{:6}  refused", self.refused.values().sum::<u64>());
        let mut list: Vec<_> = self.refused.iter().collect();
        list.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (why, count) in list {
            println!("  {count:4}  {why}");
        }
        println!("{:6}  wrong", self.wrong);
        println!("{:6}  crashed", self.crashed);
    }
}

/// What has come out so far.
struct Tally {
    staged: u64,
    equal_on_device: u64,
    not_run_on_device: BTreeMap<String, u64>,
    refused: BTreeMap<(String, String), Vec<u64>>,
    wrong: u64,
    crashed: u64,
    started: Instant,
}

impl Tally {
    fn add(&mut self, seed: u64, outcome: &Outcome) {
        match outcome {
            Outcome::Staged(on_device) => {
                self.staged += 1;
                match on_device {
                    OnDevice::NotAsked => {}
                    OnDevice::Equal => self.equal_on_device += 1,
                    OnDevice::NotRun(why) => {
                        *self.not_run_on_device.entry(why.clone()).or_default() += 1;
                    }
                }
            }
            Outcome::Refused { code, why } => {
                // How many loads a reason stands for is no other reason.
                let why = match why.rfind(" (and ") {
                    Some(at) if why.ends_with(" like it)") => &why[..at],
                    _ => why,
                };
                let key = (code.clone(), why.to_owned());
                self.refused.entry(key).or_default().push(seed);
            }
            Outcome::Wrong(_) | Outcome::Failed(_) => self.wrong += 1,
            Outcome::Crashed(_) => self.crashed += 1,
        }
    }

    fn summary(&self, seed: u64) -> Summary {
        let refused: BTreeMap<String, u64> = self
            .refused
            .iter()
            .map(|((code, why), seeds)| (format!("{code} {why}"), seeds.len() as u64))
            .collect();
        Summary {
            seed,
            kernels: self.staged + refused.values().sum::<u64>() + self.faults(),
            staged: self.staged,
            equal_on_device: self.equal_on_device,
            not_run_on_device: self.not_run_on_device.clone(),
            refused,
            wrong: self.wrong,
            crashed: self.crashed,
        }
    }

    fn faults(&self) -> u64 {
        self.wrong + self.crashed
    }

    /// The first seeds of each reason to refuse.
    fn print_seeds(&self) {
        for ((code, why), of) in &self.refused {
            let shown: Vec<String> = of.iter().take(8).map(u64::to_string).collect();
            println!("  {code} {why}  [{}]", shown.join(" "));
        }
    }
}

fn all(options: &Options, device: Option<&DeviceChoice>) -> anyhow::Result<Tally> {
    let tally = Mutex::new(Tally {
        staged: 0,
        equal_on_device: 0,
        not_run_on_device: BTreeMap::new(),
        refused: BTreeMap::new(),
        wrong: 0,
        crashed: 0,
        started: Instant::now(),
    });
    let next = AtomicU64::new(0);
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let late = options.seconds.is_some_and(|s| {
                        tally
                            .lock()
                            .is_ok_and(|t| t.started.elapsed().as_secs() >= s)
                    });
                    if i >= options.count || late || failed.lock().is_ok_and(|f| f.is_some()) {
                        return;
                    }
                    let seed = options.seed.wrapping_add(i);
                    match one(options, device, seed) {
                        Ok(outcome) => {
                            if let Ok(mut tally) = tally.lock() {
                                tally.add(seed, &outcome);
                            }
                        }
                        Err(error) => {
                            if let Ok(mut failed) = failed.lock() {
                                *failed = Some(error);
                            }
                        }
                    }
                }
            });
        }
    });
    if let Some(error) = failed.into_inner().unwrap_or(None) {
        return Err(error);
    }
    tally
        .into_inner()
        .map_err(|_| anyhow::anyhow!("a worker thread panicked"))
}

fn one(options: &Options, device: Option<&DeviceChoice>, seed: u64) -> anyhow::Result<Outcome> {
    let kernel = Naive::draw(seed);
    let device = device.filter(|_| seed.is_multiple_of(options.every.max(1)));
    let outcome = stage(&kernel, device)?;
    if let Some(kind) = outcome.fault() {
        eprintln!("seed {seed}: {kind}: {}", outcome.why());
        let kept = if options.no_shrink {
            kernel
        } else {
            kernel.reduced(TRIES, &mut |smaller| {
                stage(smaller, device).is_ok_and(|o| o.fault() == Some(kind))
            })
        };
        let why = stage(&kept, device)?;
        keep::keep(&options.keep, seed, &kept, why.why())?;
    }
    Ok(outcome)
}
