//! Runs a launch as written: to compare results, and to look for what the
//! kernel does wrong.

use tilewise_analysis::async_copies::{AsyncCopyAnalysis, CopyFinding};
use tilewise_analysis::misaligned::{Misaligned, MisalignedAnalysis};
use tilewise_analysis::races::{RaceAnalysis, Races};
use tilewise_analysis::uninit::{UninitAnalysis, UninitRead};
use tilewise_ir::Form;
use tilewise_launch::Launch;
use tilewise_sim::{Analysis, DecodeOptions, GroupSet, Memory, RunOptions, RunSummary};

use crate::error::Error;
use crate::load::Loaded;
use crate::session::Session;
use crate::simulate::{WHOLE_IF_HEAVY, Which, is_heavy, prepare, run_options, sample, sim_error};
use crate::target::Target;

/// A check runs all groups of a launch of up to so many work-items, unless
/// its groups take long.
const CHECKED_WHOLE: u64 = 1 << 18;

/// A launch that has run as written.
pub struct Written {
    /// Faults and counts of the machine.
    pub summary: RunSummary,
    /// What the kernel left.
    pub memory: Memory,
    /// What watched the run; nothing where only faults were asked for.
    pub checks: Checks,
}

/// What the checks found beyond the machine's own faults.
#[derive(Default)]
pub struct Checks {
    /// Data races.
    pub races: Races,
    /// Reads of local and private memory that nothing has set.
    pub uninit: Vec<UninitRead>,
    /// Accesses at addresses that their type does not allow.
    pub misaligned: Vec<Misaligned>,
    /// Mistakes about asynchronous copies.
    pub copies: Vec<CopyFinding>,
}

impl Checks {
    /// Whether no check found anything.
    pub fn is_empty(&self) -> bool {
        self.races.races.is_empty()
            && self.races.not_kept == 0
            && self.uninit.is_empty()
            && self.misaligned.is_empty()
            && self.copies.is_empty()
    }
}

/// Runs every work-group of a launch with every check.
///
/// # Errors
/// The kernel uses something that the simulator lacks.
pub fn run_all(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    launch: &Launch,
) -> Result<Written, Error> {
    run(
        session,
        loaded,
        launch,
        &How::new(session, target, Which::All),
    )
}

/// [`run_all`] with one more analysis that watches.
///
/// # Errors
/// As [`run_all`].
pub fn run_all_with<A: Analysis>(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    launch: &Launch,
    analysis: A,
) -> Result<(Written, A), Error> {
    let how = How::new(session, target, Which::All);
    run_with(session, loaded, launch, &how, analysis)
}

/// Runs every work-group. Only the machine's own faults are looked for.
///
/// # Errors
/// As [`run_all`].
pub fn run_for_results(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    launch: &Launch,
) -> Result<Written, Error> {
    let how = How {
        checks: false,
        ..How::new(session, target, Which::All)
    };
    run(session, loaded, launch, &how)
}

/// Runs every work-group with sub-groups of one work-item, so that work-items
/// run one after the other from barrier to barrier. Only the machine's own
/// faults are looked for.
///
/// # Errors
/// As [`run_all`].
pub fn run_in_turn(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    launch: &Launch,
) -> Result<Written, Error> {
    let how = How {
        width: 1,
        checks: false,
        ..How::new(session, target, Which::All)
    };
    run(session, loaded, launch, &how)
}

/// Runs a sample of the work-groups, to see whether the launch is safe to make
/// on a device. Only the machine's own faults are looked for.
///
/// # Errors
/// As [`run_all`].
pub fn run_sample(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    launch: &Launch,
) -> Result<Written, Error> {
    let how = How {
        checks: false,
        ..How::new(session, target, Which::Sample)
    };
    run(session, loaded, launch, &how)
}

/// Runs a launch with every check: all its work-groups where that is quick,
/// else a sample.
///
/// # Errors
/// As [`run_all`].
pub fn run_checked(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    launch: &Launch,
) -> Result<Written, Error> {
    let how = How::new(session, target, Which::AllIfQuick);
    run(session, loaded, launch, &how)
}

/// Runs the groups of [`run_checked`], but no sub-group more instructions than
/// `budget`. Only the machine's own faults are looked for.
///
/// # Errors
/// As [`run_all`].
pub fn run_trial(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    launch: &Launch,
    budget: u64,
) -> Result<Written, Error> {
    let mut how = How::new(session, target, Which::AllIfQuick);
    how.checks = false;
    how.options.step_budget = budget;
    run(session, loaded, launch, &how)
}

/// Whether running every work-group of a launch takes minutes: there are many,
/// and the first one takes long.
///
/// # Errors
/// As [`run_all`].
pub fn takes_long(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    launch: &Launch,
) -> Result<bool, Error> {
    if launch.range.group_count() <= WHOLE_IF_HEAVY {
        return Ok(false);
    }
    let kernel = loaded.kernel(Form::AsWritten)?;
    let sites = &loaded.program(Form::AsWritten).sites;
    let failed = |e| sim_error(e, sites);
    let how = How::new(session, target, Which::All);
    let prepared =
        prepare(session, kernel, launch, how.width, DecodeOptions::default()).map_err(failed)?;
    is_heavy(&prepared, kernel, launch, &how.options).map_err(failed)
}

/// How a launch is run as written.
struct How {
    which: Which,
    options: RunOptions,
    /// Work-items of a sub-group.
    width: u32,
    /// Look for more than the machine's own faults.
    checks: bool,
}

impl How {
    fn new(session: &Session, target: &Target, which: Which) -> Self {
        Self {
            which,
            options: run_options(session),
            width: target.profile.execution.sub_group_width.value() as u32,
            checks: true,
        }
    }
}

fn run(session: &Session, loaded: &Loaded, launch: &Launch, how: &How) -> Result<Written, Error> {
    Ok(run_with(session, loaded, launch, how, ())?.0)
}

fn run_with<A: Analysis>(
    session: &Session,
    loaded: &Loaded,
    launch: &Launch,
    how: &How,
    mut analysis: A,
) -> Result<(Written, A), Error> {
    let kernel = loaded.kernel(Form::AsWritten)?;
    let _phase = session
        .timings
        .phase(format!("simulate {} as written", kernel.name));
    session
        .progress
        .phase(&format!("running {} on the simulator", kernel.name));
    let sites = &loaded.program(Form::AsWritten).sites;
    let failed = |e| sim_error(e, sites);
    let (width, options) = (how.width, &how.options);
    let checks = DecodeOptions {
        shift_counts: how.checks && session.strict,
        member_arrays: how.checks,
        ..DecodeOptions::default()
    };
    let prepared = prepare(session, kernel, launch, width, checks).map_err(failed)?;
    let groups = match how.which {
        Which::All => GroupSet::All,
        Which::AllIfQuick
            if launch.range.work_items() <= CHECKED_WHOLE
                && !is_heavy(&prepared, kernel, launch, options).map_err(failed)? =>
        {
            GroupSet::All
        }
        Which::AllIfQuick | Which::Sample => {
            let (_, groups) = sample(&prepared, kernel, launch, options).map_err(failed)?;
            groups
        }
    };
    let memory = Memory::new(kernel, launch).map_err(failed)?;
    let (summary, checks) = if !how.checks {
        let summary = tilewise_sim::run(&prepared, &memory, &groups, &mut analysis, options);
        (summary.map_err(failed)?, Checks::default())
    } else {
        let regions = prepared.regions();
        let watching = (
            (
                RaceAnalysis::new(kernel, regions, &launch.range, width),
                UninitAnalysis::new(kernel, regions),
            ),
            (
                MisalignedAnalysis::default(),
                AsyncCopyAnalysis::new(kernel),
            ),
        );
        let mut all = (watching, analysis);
        let summary = tilewise_sim::run(&prepared, &memory, &groups, &mut all, options);
        let (((races, uninit), (misaligned, copies)), watched) = all;
        analysis = watched;
        let checks = Checks {
            races: races.result(),
            uninit: uninit.result(),
            misaligned: misaligned.result(),
            copies: copies.result(),
        };
        (summary.map_err(failed)?, checks)
    };
    let ran = Written {
        summary,
        memory,
        checks,
    };
    Ok((ran, analysis))
}
