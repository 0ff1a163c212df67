//! How fast the simulator is: one launch, all its work-groups, nothing but the
//! simulation timed.
//!
//! What a command does besides (compiling, resolving, reporting) is left out, so
//! that the figure can be set against another simulator's: it is the phase that
//! `--timings` shows as simulation. With one thread the time is that of the thread, where
//! the system counts it: other work on the machine does not matter. With several it is
//! the time of day.

use std::sync::LazyLock;
use std::time::Instant;

use tilewise_ir::Form;

use crate::error::Error;
use crate::input::KernelInput;
use crate::load::load;
use crate::session::Session;
use crate::simulate::{Which, simulate_groups};
use crate::target::{Need, Target};
use crate::written::{run_all, run_for_results};

/// What watches the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Nothing: the kernel as written runs, and bounds are checked.
    Nothing,
    /// Everything that `profile` counts, on the kernel as compiled.
    Traffic,
    /// Everything that `check` looks for, on the kernel as written: races,
    /// bounds, reads of what nothing has set, alignment, asynchronous copies.
    Checks,
}

impl std::str::FromStr for Watch {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "nothing" => Ok(Self::Nothing),
            "traffic" => Ok(Self::Traffic),
            "checks" => Ok(Self::Checks),
            _ => Err(Error::Input(format!(
                "`{text}` watches nothing known: nothing, traffic or checks"
            ))),
        }
    }
}

/// How fast a launch was simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// Seconds of each repetition.
    pub seconds: Vec<f64>,
    /// Instructions that sub-groups ran.
    pub instructions: u64,
    /// Mean share of a sub-group's lanes that were active, 0 to 1.
    pub active_lanes: f64,
}

/// Simulates a launch `repetitions` times on so many threads.
///
/// # Errors
/// The kernel, the launch or the environment; a launch with findings, since
/// what a machine does then depends on the machine.
pub fn speed(
    session: &Session,
    input: &KernelInput,
    watch: Watch,
    repetitions: usize,
    threads: usize,
) -> Result<Speed, Error> {
    let now = match threads {
        1 => thread_seconds,
        _ => wall_seconds,
    };
    let session = Session {
        threads: Some(threads),
        ..session.clone()
    };
    let targets = Target::resolve(&session, Need::Profile)?;
    let target = targets
        .first()
        .ok_or_else(|| Error::Input("no device to simulate".to_owned()))?;
    let loaded = load(&session, target, std::slice::from_ref(input))?;
    let loaded = loaded
        .first()
        .ok_or_else(|| Error::Input("no kernel to simulate".to_owned()))?;
    let mut speed = Speed {
        seconds: Vec::new(),
        instructions: 0,
        active_lanes: 0.0,
    };
    for _ in 0..repetitions {
        let start = now();
        let summary = match watch {
            Watch::Nothing => {
                let launch = &loaded.resolved.launch;
                run_for_results(&session, target, loaded, launch)?.summary
            }
            Watch::Traffic => simulate_groups(&session, target, loaded, Which::All)?.summary,
            Watch::Checks => {
                let launch = &loaded.resolved.launch;
                let run = run_all(&session, target, loaded, launch)?;
                if !run.checks.is_empty() {
                    return Err(Error::Input(format!(
                        "{} runs with findings: not a launch to time",
                        loaded.kernel(Form::AsWritten)?.name
                    )));
                }
                run.summary
            }
        };
        let seconds = now() - start;
        if let Some(fault) = summary.faults.first() {
            return Err(Error::Input(format!(
                "{} runs with findings ({:?}): not a launch to time",
                loaded.kernel(Form::AsWritten)?.name,
                fault.kind
            )));
        }
        speed.seconds.push(seconds);
        speed.instructions = summary.instructions;
        speed.active_lanes = summary.active_lanes();
    }
    Ok(speed)
}

/// Seconds that this thread has run, since some moment. The system's counter in
/// `/proc/thread-self/schedstat` would not do: it moves on with the scheduler's ticks,
/// 4 ms or so, which is as long as some launches take.
#[cfg(unix)]
fn thread_seconds() -> f64 {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or_else(
        |_| wall_seconds(),
        |t| t.tv_sec() as f64 + t.tv_nsec() as f64 * 1e-9,
    )
}

/// Where there is no such clock it is the time of day.
#[cfg(not(unix))]
fn thread_seconds() -> f64 {
    wall_seconds()
}

fn wall_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}
