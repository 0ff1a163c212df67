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
use tilewise_generate::naive::Naive;

use outcome::{Outcome, stage};

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
    let tally = all(options)?;
    tally.print(options.refused);
    if let Some(path) = &options.json {
        kept::write(path, &tally.summary(options.seed))?;
    }
    if tally.faults() > 0 {
        eprintln!(
            "stage-random: {} kernels are wrong or crash; they are in {}",
            tally.faults(),
            options.keep.display()
        );
        std::process::exit(1);
    }
    Ok(())
}

/// What has come out so far.
struct Tally {
    staged: u64,
    refused: BTreeMap<(String, String), Vec<u64>>,
    wrong: u64,
    crashed: u64,
    started: Instant,
}

impl Tally {
    fn add(&mut self, seed: u64, outcome: &Outcome) {
        match outcome {
            Outcome::Staged => self.staged += 1,
            Outcome::Refused { code, why } => {
                let key = (code.clone(), why.clone());
                self.refused.entry(key).or_default().push(seed);
            }
            Outcome::Wrong(_) => self.wrong += 1,
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
            refused,
            wrong: self.wrong,
            crashed: self.crashed,
        }
    }

    fn faults(&self) -> u64 {
        self.wrong + self.crashed
    }

    fn print(&self, seeds: bool) {
        let refused: usize = self.refused.values().map(Vec::len).sum();
        let total = self.staged + refused as u64 + self.faults();
        let percent = 100.0 * self.staged as f64 / total.max(1) as f64;
        println!(
            "{total} kernels in {:.0} s",
            self.started.elapsed().as_secs_f64()
        );
        println!("{:6}  staged and proved ({percent:.1} %)", self.staged);
        println!("{refused:6}  refused");
        let mut list: Vec<_> = self.refused.iter().collect();
        list.sort_by_key(|(_, s)| std::cmp::Reverse(s.len()));
        for ((code, why), of) in list {
            let shown: Vec<String> = of.iter().take(8).map(u64::to_string).collect();
            let shown = match seeds {
                true => format!("  [{}]", shown.join(" ")),
                false => String::new(),
            };
            println!("  {:4}  {code} {why}{shown}", of.len());
        }
        println!("{:6}  wrong", self.wrong);
        println!("{:6}  crashed", self.crashed);
    }
}

fn all(options: &Options) -> anyhow::Result<Tally> {
    let tally = Mutex::new(Tally {
        staged: 0,
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
                    match one(options, seed) {
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

fn one(options: &Options, seed: u64) -> anyhow::Result<Outcome> {
    let kernel = Naive::draw(seed);
    let outcome = stage(&kernel)?;
    if let Some(kind) = outcome.fault() {
        eprintln!("seed {seed}: {kind}: {}", outcome.why());
        let kept = if options.no_shrink {
            kernel
        } else {
            kernel.reduced(TRIES, &mut |smaller| {
                stage(smaller).is_ok_and(|o| o.fault() == Some(kind))
            })
        };
        let why = stage(&kept)?;
        keep::keep(&options.keep, seed, &kept, why.why())?;
    }
    Ok(outcome)
}
