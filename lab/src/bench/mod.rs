//! `cargo xtask bench`: the simulator against Oclgrind, an interpreter of LLVM
//! IR (J. Price and S. McIntosh-Smith, "Oclgrind: an extensible OpenCL device
//! simulator", IWOCL 2015), in one run on one machine.
//!
//! Both run the same kernels on the same data, on one thread, in turn. (a) The
//! *simulation* of tilewise is timed by itself; of Oclgrind, a whole process
//! less a process that runs an empty kernel of the same file with the same
//! arguments. (b) *Whole processes* are set side by side on problems for which
//! Oclgrind needs half a minute. Those times are CPU seconds as the system counts
//! them, so that other work on the machine hardly matters. (c) The simulation on one
//! *thread* is set beside that on several, by the time of day.

mod cases;
mod oclgrind;
mod process;
mod summary;
mod tilewise;

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use cases::PARALLEL;
pub use cases::{CASES, LONG};
use oclgrind::{Oclgrind, Problem};
pub use summary::median;
use summary::{Figures, Row, Threads, Whole};
use tilewise::Tilewise;

use crate::workspace;

/// Oclgrind's checks beside that of bounds, which is always on.
const CHECKS: &[&str] = &["--data-races", "--uninitialized"];
/// Those it has to do with where both end it with a segmentation fault of its own, as
/// they do Oclgrind 21.10 on `nbody_naive`.
const FEWER_CHECKS: &[&str] = &["--data-races"];

/// Options of `cargo xtask bench`.
#[derive(Args)]
pub struct Options {
    /// Only kernels whose name holds one of these
    #[arg(value_name = "TEXT")]
    filter: Vec<String>,
    /// Rounds; each runs every simulator once per kernel
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Leave out the whole processes
    #[arg(long)]
    no_whole: bool,
    /// Threads to set beside one; those that the machine runs at once unless said
    #[arg(long)]
    threads: Option<usize>,
    /// Keep raw figures and a summary in this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the benchmark and prints its tables.
///
/// # Errors
/// A simulator is missing or fails; a folder can't be written.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let root = workspace::root()?;
    let oclgrind = Oclgrind::find()?;
    let tilewise = Tilewise::build(root)?;
    let wanted = |name: &str| {
        let filter = &options.filter;
        filter.is_empty() || filter.iter().any(|f| name.contains(f.as_str()))
    };
    let mut rows = Vec::new();
    for case in CASES.iter().filter(|c| wanted(c.kernel)) {
        eprintln!("bench: {}", case.kernel);
        let problem = oclgrind.problem(root, case, None)?;
        let mut row = Row::new(case.kernel);
        for _ in 0..options.rounds {
            row.oclgrind_empty.push(oclgrind.empty(&problem, &[])?);
            row.oclgrind_plain.push(oclgrind.run(&problem, &[])?);
            row.add_tilewise_plain(&tilewise.simulation(case, "nothing", 1)?);
            row.add_tilewise_traffic(&tilewise.simulation(case, "traffic", 1)?);
            let (flags, seconds) = checked(&oclgrind, &problem)?;
            row.oclgrind_flags = flags;
            row.oclgrind_checked_empty
                .push(oclgrind.empty(&problem, flags)?);
            row.oclgrind_checked.push(seconds);
            row.add_tilewise_checks(&tilewise.simulation(case, "checks", 1)?);
        }
        rows.push(row);
    }
    let mut whole = Vec::new();
    if !options.no_whole {
        let binary = tilewise.build_binary()?;
        for case in LONG.iter().filter(|c| wanted(c.kernel)) {
            eprintln!("bench: {} (whole processes)", case.kernel);
            let problem = oclgrind.problem(root, case, Some("long"))?;
            let (flags, seconds) = checked(&oclgrind, &problem)?;
            whole.push(Whole {
                kernel: case.kernel,
                oclgrind: oclgrind.run(&problem, &[])?,
                oclgrind_checked: seconds,
                oclgrind_flags: flags,
                check: tilewise.whole(&binary, case, "long", "check")?,
                profile: tilewise.whole(&binary, case, "long", "profile")?,
            });
        }
    }
    let mut threads = Vec::new();
    let many = match options.threads {
        Some(n) => n,
        None => std::thread::available_parallelism()?.get(),
    };
    for case in PARALLEL.iter().filter(|c| many > 1 && wanted(c.kernel)) {
        eprintln!("bench: {} ({many} threads)", case.kernel);
        for watch in ["nothing", "traffic", "checks"] {
            let mut row = Threads::new(case.kernel, watch, many);
            for _ in 0..options.rounds {
                row.one.extend(tilewise.simulation(case, watch, 1)?.seconds);
                row.many
                    .extend(tilewise.simulation(case, watch, many)?.seconds);
            }
            threads.push(row);
        }
    }
    if rows.is_empty() && whole.is_empty() && threads.is_empty() {
        bail!("no kernel's name holds such a text");
    }
    let figures = Figures {
        rows: &rows,
        whole: &whole,
        threads: &threads,
    };
    let text = summary::tables(&figures);
    println!("{text}");
    if let Some(folder) = &options.out {
        summary::keep(folder, &figures, &text, &oclgrind.version)?;
    }
    Ok(())
}

/// A run of Oclgrind with its checks: their flags and CPU seconds.
fn checked(
    oclgrind: &Oclgrind,
    problem: &Problem,
) -> anyhow::Result<(&'static [&'static str], f64)> {
    match oclgrind.run(problem, CHECKS) {
        Ok(seconds) => Ok((CHECKS, seconds)),
        Err(error) if !error.to_string().contains("(signal: 11 ") => Err(error),
        Err(error) => {
            eprintln!(
                "bench: {error:#}; once more with {}",
                FEWER_CHECKS.join(" ")
            );
            Ok((FEWER_CHECKS, oclgrind.run(problem, FEWER_CHECKS)?))
        }
    }
}
