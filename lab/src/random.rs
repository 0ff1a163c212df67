//! `cargo xtask random`: random programs on the simulator, as written and as
//! compiled, and on an OpenCL device, against an interpreter of their trees.
//!
//! Programs run in batches, each batch in a child process with a time limit
//! (compilers start once for a batch), so that a crash or a hang is a result
//! with a name and the others go on. What differs is made smaller and kept.

mod batch;
mod child;
mod keep;
mod machines;
mod report;
mod shrink;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;
use serde::{Deserialize, Serialize};
use tilewise_generate::{Program, draw};

use report::{Class, Report};

use crate::kept;

/// Options of `cargo xtask random`.
#[derive(Args)]
pub struct Options {
    /// Number of programs
    #[arg(long, default_value_t = 200)]
    count: u64,
    /// Seed of the first program; the others follow
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Child processes at a time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Programs of a batch
    #[arg(long, default_value_t = 25)]
    batch: u64,
    /// Start no more batches after this many seconds
    #[arg(long)]
    seconds: Option<u64>,
    /// Folder for programs that differ
    #[arg(long, default_value = "target/random")]
    keep: PathBuf,
    /// Leave the OpenCL device out
    #[arg(long)]
    no_device: bool,
    /// Keep what differs as it was drawn
    #[arg(long)]
    no_shrink: bool,
    /// Keep the counts, and what does not agree, as JSON
    #[arg(long, value_name = "OUT.json")]
    summary: Option<PathBuf>,
    /// Print the program of the seed and end
    #[arg(long)]
    print: bool,
    /// Run the programs in FILE (JSON, as kept) in this process and print a
    /// report for each: what a child does
    #[arg(long, value_name = "FILE", hide = true)]
    run: Option<PathBuf>,
}

/// Runs programs and reports on them.
pub fn run(options: &Options) -> anyhow::Result<()> {
    if options.print {
        let program = program_of(options.seed);
        println!(
            "{}{}",
            tilewise_generate::HEADER,
            tilewise_generate::render(&program)
        );
        println!("// {}", keep::launch_line(&program));
        return Ok(());
    }
    if let Some(file) = &options.run {
        return child::serve(file, !options.no_device);
    }
    std::fs::create_dir_all(&options.keep)
        .with_context(|| format!("can't make {}", options.keep.display()))?;
    let tally = run_batches(options)?;
    tally.print();
    if let Some(path) = &options.summary {
        kept::write(path, &tally.summary())?;
    }
    if tally.faults() > 0 {
        eprintln!(
            "random: {} programs show a fault of tilewise's own; they are in {}",
            tally.faults(),
            options.keep.display()
        );
        std::process::exit(1);
    }
    Ok(())
}

/// The program of a seed.
fn program_of(seed: u64) -> Program {
    draw(&format!("k{seed}"), seed)
}

/// What has come out so far.
struct Tally {
    counts: BTreeMap<Class, u64>,
    steps: u64,
    /// What is said of programs that do not just agree.
    others: BTreeMap<String, String>,
    started: Instant,
}

/// The outcome of a run, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Programs.
    pub programs: u64,
    /// Those of them in which a machine of tilewise's own is wrong.
    pub faults: u64,
    /// By what came out.
    pub outcomes: BTreeMap<String, u64>,
    /// What is said of programs that do not just agree, by name (`k` and the
    /// seed).
    pub others: BTreeMap<String, String>,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        if !matches!(report.class(), Class::Agrees | Class::TooLong) {
            self.others.insert(report.name.clone(), report.to_string());
        }
        *self.counts.entry(report.class()).or_default() += 1;
        self.steps += report.steps;
    }

    fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Programs that show a fault of the simulator, the front end, the
    /// generator or the interpreter.
    fn faults(&self) -> u64 {
        let ours = self.counts.iter().filter(|(class, _)| class.is_fault());
        ours.map(|(_, n)| n).sum()
    }

    fn summary(&self) -> Summary {
        Summary {
            programs: self.total(),
            faults: self.faults(),
            outcomes: self
                .counts
                .iter()
                .map(|(class, n)| (class.to_string(), *n))
                .collect(),
            others: self.others.clone(),
        }
    }

    fn print(&self) {
        let seconds = self.started.elapsed().as_secs_f64();
        println!(
            "{} programs in {seconds:.0} s, {} statements of work-items",
            self.total(),
            self.steps
        );
        for (class, count) in &self.counts {
            println!("  {count:6}  {class}");
        }
    }
}

fn run_batches(options: &Options) -> anyhow::Result<Tally> {
    let tally = Mutex::new(Tally {
        counts: BTreeMap::new(),
        steps: 0,
        others: BTreeMap::new(),
        started: Instant::now(),
    });
    let next = AtomicU64::new(0);
    let size = options.batch.max(1);
    let deadline = options
        .seconds
        .map(|s| Instant::now() + Duration::from_secs(s));
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(size, Ordering::Relaxed);
                    let late = deadline.is_some_and(|d| Instant::now() > d);
                    let stop = failed.lock().is_ok_and(|f| f.is_some());
                    if first >= options.count || late || stop {
                        return;
                    }
                    let seeds = first..(first + size).min(options.count);
                    let programs: Vec<Program> = seeds
                        .map(|i| program_of(options.seed.wrapping_add(i)))
                        .collect();
                    let done = batch::run(&programs, !options.no_device)
                        .and_then(|reports| take(options, &programs, &reports, &tally));
                    if let (Err(error), Ok(mut failed)) = (done, failed.lock()) {
                        *failed = Some(error);
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

/// Counts the reports of a batch and keeps what differs.
fn take(
    options: &Options,
    programs: &[Program],
    reports: &[Report],
    tally: &Mutex<Tally>,
) -> anyhow::Result<()> {
    for (program, report) in programs.iter().zip(reports) {
        if !matches!(report.class(), Class::Agrees | Class::TooLong) {
            eprintln!("{}: {report}", program.name);
            let kept = if options.no_shrink {
                program.clone()
            } else {
                shrink::shrink(program, report, !options.no_device)?
            };
            keep::keep(&options.keep, &kept, report)?;
        }
    }
    let Ok(mut tally) = tally.lock() else {
        bail!("a worker thread panicked");
    };
    let before = tally.total();
    for report in reports {
        tally.add(report);
    }
    if before / 500 != tally.total() / 500 {
        tally.print();
    }
    Ok(())
}
