//! Compiles, lowers and runs every kernel of a folder of other people's OpenCL
//! sources, and says what became of each.
//!
//! Every source goes through `tilewise::survey` in a process of its own, with a
//! limit of time and memory, so that a panic, an abort or a hang is counted and
//! named. The first folder level of DIR is the suite. Results come in the order
//! of the paths, whatever the number of jobs; they are kept as JSON, and a later
//! run compares itself with them.

mod child;
mod compare;
pub mod facts;
mod headers;
mod record;
pub mod sources;
mod supervise;
mod table;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, bail};
use clap::Args;

pub use child::ChildOptions;
pub use child::run as run_child;

use facts::Facts;
use record::{Record, SourceRecord};

use crate::kept;
pub use sources::find as sources;
pub use table::Summary;

/// Options of `cargo xtask corpus`.
#[derive(Args)]
pub struct Options {
    /// Folder of suites: each folder in it is one
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Keep the results as JSON
    #[arg(long, value_name = "OUT.json")]
    json: Option<PathBuf>,
    /// Keep the counts as JSON
    #[arg(long, value_name = "OUT.json")]
    summary: Option<PathBuf>,
    /// Compare with the results of an earlier run; exit code 1 where something
    /// that was lowered or run is so no more
    #[arg(long, value_name = "EARLIER.json")]
    against: Option<PathBuf>,
    /// Sources at a time
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Seconds of processor time that one step of one kernel may take
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// MiB of address space that a source's process may take
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    memory: u64,
    /// Only sources with this in their path
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Build options and exclusions by path; DIR/corpus.toml if it is there
    /// (docs/corpus.toml shows the format)
    #[arg(long, value_name = "FILE.toml")]
    options: Option<PathBuf>,
    /// The OpenCL device to compare with: a part of its name, or `none`
    #[arg(long, value_name = "NAME", default_value = "pthread")]
    device: String,
    /// List the outcome of every kernel, not only of those that fail
    #[arg(long)]
    all: bool,
}

/// Runs the corpus and prints the table.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let dir = std::path::absolute(&options.dir)?;
    let facts = match &options.options {
        Some(path) => Facts::read(path)?,
        None => {
            let beside = dir.join("corpus.toml");
            if beside.is_file() {
                Facts::read(&beside)?
            } else {
                Facts::default()
            }
        }
    };
    let earlier = options.against.as_deref().map(Record::read).transpose()?;
    let sources = sources::find(&dir, options.filter.as_deref())?;
    if sources.is_empty() {
        bail!("no .cl or .ocl file under {}", dir.display());
    }
    let jobs = options
        .jobs
        .or_else(|| std::thread::available_parallelism().ok().map(Into::into))
        .unwrap_or(1)
        .clamp(1, sources.len());
    let supervisor = supervise::Supervisor {
        executable: std::env::current_exe().context("the path of this program")?,
        dir: dir.clone(),
        device: (options.device != "none").then(|| options.device.clone()),
        seconds: options.seconds,
        memory: options.memory,
    };
    let record = Record {
        sources: all(&sources, jobs, |path| {
            let plan = facts.plan(&dir, path)?;
            supervisor.survey(path, &plan)
        })?,
    };
    print!("{}", table::render(&record, options.all));
    if let Some(path) = &options.json {
        record.write(path)?;
    }
    if let Some(path) = &options.summary {
        kept::write(path, &table::Summary::of(&record))?;
    }
    if let Some(earlier) = earlier {
        let changes = compare::compare(&earlier, &record);
        print!("{}", changes.render());
        if changes.lost() {
            bail!("something that was lowered or run before is so no more");
        }
    }
    Ok(())
}

/// One result per source, in order, worked out by so many threads.
fn all(
    sources: &[PathBuf],
    jobs: usize,
    one: impl Fn(&std::path::Path) -> anyhow::Result<SourceRecord> + Sync,
) -> anyhow::Result<Vec<SourceRecord>> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<anyhow::Result<SourceRecord>>>> =
        Mutex::new(sources.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = sources.get(index) else {
                        break;
                    };
                    eprintln!("[{}/{}] {}", index + 1, sources.len(), path.display());
                    let result = one(path);
                    let mut done = done.lock().unwrap_or_else(|e| e.into_inner());
                    done[index] = Some(result);
                }
            });
        }
    });
    let done = done.into_inner().unwrap_or_else(|e| e.into_inner());
    done.into_iter()
        .map(|result| result.context("a source was left out")?)
        .collect()
}
