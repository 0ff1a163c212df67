//! The process that surveys one source.
//!
//! Each event of the survey is a line of JSON in a file, so that what a kernel
//! or a driver prints does no harm. A step that takes too long ends the process
//! with an abort, from a thread of its own, after a last line that says so.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use nix::sys::prctl;
use nix::sys::resource::{Resource, UsageWho, getrusage, setrlimit};
use nix::sys::signal::Signal;
use nix::sys::time::TimeValLike;
use serde::{Deserialize, Serialize};
use tilewise::survey::{SurveyEvent, SurveyInput, survey};

/// Options of the hidden command.
#[derive(Args)]
pub struct ChildOptions {
    /// The source
    path: PathBuf,
    /// Where events go
    #[arg(long)]
    events: PathBuf,
    /// Seconds of processor time that one step may take
    #[arg(long)]
    seconds: u64,
    /// MiB of address space
    #[arg(long)]
    memory: u64,
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    build_options: String,
    #[arg(long)]
    include: Vec<PathBuf>,
    #[arg(long)]
    prepend: Vec<PathBuf>,
    #[arg(long)]
    skip: Vec<String>,
    /// KERNEL=REASON
    #[arg(long)]
    not_on_device: Vec<String>,
    #[arg(long)]
    device: Option<String>,
}

/// A line of the events' file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// An event of the survey.
    Event(SurveyEvent),
    /// The current step takes too long.
    TooLong,
    /// The survey ended with an error.
    Failed(String),
    /// The survey is through.
    Done,
}

/// Surveys the source.
pub fn run(options: &ChildOptions) -> anyhow::Result<()> {
    // A run that is interrupted leaves nothing behind.
    prctl::set_pdeathsig(Signal::SIGKILL).context("end with the parent process")?;
    let bytes = options.memory << 20;
    setrlimit(Resource::RLIMIT_AS, bytes, bytes).context("limit the address space")?;
    let file = OpenOptions::new()
        .append(true)
        .open(&options.events)
        .with_context(|| format!("open {}", options.events.display()))?;
    let watch = Watch::start(file.try_clone()?, Duration::from_secs(options.seconds));
    let input = SurveyInput {
        path: options.path.clone(),
        build_options: options.build_options.clone(),
        include: options.include.clone(),
        prepend: options.prepend.clone(),
        skip: options.skip.clone(),
        not_on_device: options
            .not_on_device
            .iter()
            .filter_map(|text| text.split_once('='))
            .map(|(kernel, why)| (kernel.to_owned(), why.to_owned()))
            .collect(),
        device: options.device.clone(),
    };
    let mut lost = None;
    let result = survey(&input, &mut |event| {
        watch.restart();
        if let Err(error) = write(&file, &Line::Event(event)) {
            lost.get_or_insert(error);
        }
    });
    if let Some(error) = lost {
        return Err(error).context("write the events");
    }
    let last = match result {
        Ok(()) => Line::Done,
        Err(error) => Line::Failed(error.to_string()),
    };
    write(&file, &last)
}

fn write(mut file: &File, line: &Line) -> anyhow::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    file.write_all(text.as_bytes())?;
    Ok(())
}

/// Ends the process where a step takes too long: by its processor time, since a
/// busy machine is no fault of the source, or, for what waits for ever, by many
/// times as much on the clock.
struct Watch {
    /// Counts the steps.
    step: Arc<(Mutex<u64>, Condvar)>,
}

/// Clock time that a step may take, in multiples of its processor time.
const CLOCK: u32 = 20;
/// How often the time is looked at.
const TICK: Duration = Duration::from_secs(1);

impl Watch {
    fn start(file: File, limit: Duration) -> Self {
        let step = Arc::new((Mutex::new(0), Condvar::new()));
        let shared = step.clone();
        std::thread::spawn(move || {
            let (count, changed) = &*shared;
            let mut count = count.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let (before, began, spent) = (*count, Instant::now(), processor_time());
                while *count == before {
                    let waited = changed.wait_timeout(count, TICK);
                    (count, _) = waited.unwrap_or_else(PoisonError::into_inner);
                    let spent = processor_time().saturating_sub(spent);
                    if *count == before && (spent > limit || began.elapsed() > CLOCK * limit) {
                        eprintln!("a step took longer than {limit:?}");
                        if let Err(error) = write(&file, &Line::TooLong) {
                            eprintln!("and that could not be written down: {error}");
                        }
                        std::process::abort();
                    }
                }
            }
        });
        Self { step }
    }

    fn restart(&self) {
        let (count, changed) = &*self.step;
        *count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        changed.notify_all();
    }
}

/// Processor time of this process and of the tools that it has run.
fn processor_time() -> Duration {
    [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN]
        .into_iter()
        .filter_map(|who| getrusage(who).ok())
        .flat_map(|usage| [usage.user_time(), usage.system_time()])
        .map(|time| Duration::from_micros(u64::try_from(time.num_microseconds()).unwrap_or(0)))
        .sum()
}
