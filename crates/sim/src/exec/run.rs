//! Runs the work-groups of a launch, in parallel where that can't be told.

use std::ops::ControlFlow;
use std::sync::{PoisonError, RwLock};

use tilewise_ir::pointer::Region;

use super::control::{Counts, Extent};
use super::group::{Outcome, Worker};
use super::in_order::{Threads, in_order};
use super::print::Printed;
use crate::alu::multiversion::Cpu;
use crate::decode::Prepared;
use crate::error::SimError;
use crate::fault::{Fault, FaultLog};
use crate::groups::{GroupSet, group_info};
use crate::memory::Memory;
use crate::observer::Analysis;

/// More threads than this only cost.
const MOST_THREADS: usize = 256;

/// How to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Threads; `None` for as many as the machine has.
    pub threads: Option<usize>,
    /// Instructions that one sub-group may run before the kernel counts as
    /// one that does not end.
    pub step_budget: u64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            threads: None,
            step_budget: 1 << 26,
        }
    }
}

/// What a run has come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSummary {
    /// What went wrong, by site, in the order of the groups.
    pub faults: Vec<Fault>,
    /// Work-groups run.
    pub groups: u64,
    /// Instructions run by sub-groups.
    pub instructions: u64,
    /// Instructions run by work-items.
    pub lane_instructions: u64,
    /// Lanes of a sub-group.
    pub width: u32,
    /// How far each buffer and program-scope variable was touched.
    pub touched: Vec<Touched>,
    /// What the kernel printed, in the order of the groups.
    pub printed: String,
    /// Calls of `printf` at the end whose text is left out, since all of it
    /// takes more than a mebibyte.
    pub prints_dropped: u64,
}

/// How far a region was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The region.
    pub region: Region,
    /// End of the last byte read, from the start of the region; 0 if none was.
    pub read_end: u64,
    /// End of the last byte written; 0 if none was.
    pub write_end: u64,
}

impl RunSummary {
    /// Mean share of a sub-group's lanes that were active, 0 to 1.
    pub fn active_lanes(&self) -> f64 {
        let all = self.instructions * u64::from(self.width);
        if all == 0 {
            return 0.0;
        }
        self.lane_instructions as f64 / all as f64
    }
}

/// Runs work-groups of a launch. The result does not depend on the number of
/// threads, unless groups race for the same memory.
///
/// # Errors
/// Where the groups asked for are not of this launch.
pub fn run<A: Analysis>(
    prepared: &Prepared,
    memory: &Memory,
    groups: &GroupSet,
    analysis: &mut A,
    options: &RunOptions,
) -> Result<RunSummary, SimError> {
    if prepared.width <= 32 {
        run_wide::<32, A>(prepared, memory, groups, analysis, options)
    } else {
        run_wide::<64, A>(prepared, memory, groups, analysis, options)
    }
}

fn run_wide<const W: usize, A: Analysis>(
    prepared: &Prepared,
    memory: &Memory,
    groups: &GroupSet,
    analysis: &mut A,
    options: &RunOptions,
) -> Result<RunSummary, SimError> {
    groups.check(&prepared.range)?;
    let cpu = if prepared.reference {
        Cpu::lane_by_lane()
    } else {
        Cpu::detect()
    };
    let mut totals = Totals::new(prepared);
    let count = groups.count(&prepared.range);
    let threads = match options.threads {
        _ if prepared.serial => 1,
        Some(n) => n.clamp(1, MOST_THREADS),
        None => rayon::current_num_threads(),
    };
    if threads == 1 || count <= 1 {
        let mut worker = Worker::<W>::new(prepared);
        for n in 0..count {
            let group = group_info(&prepared.range, prepared.width, groups.nth(n));
            let mut observer = analysis.begin(&group);
            let budget = options.step_budget;
            let outcome = worker.run(prepared, memory, cpu, &group, &mut observer, budget);
            analysis.finish(&group, observer);
            totals.add(outcome);
            if totals.ran_away() {
                break;
            }
        }
        return Ok(totals.finish());
    }
    let threads = match options.threads {
        Some(_) => Threads::Own(threads),
        None => Threads::Shared(threads),
    };
    let analysis = RwLock::new(analysis);
    let one = |worker: &mut Worker<W>, n: u64| {
        let group = group_info(&prepared.range, prepared.width, groups.nth(n));
        let mut observer = {
            let analysis = analysis.read().unwrap_or_else(PoisonError::into_inner);
            analysis.begin(&group)
        };
        let budget = options.step_budget;
        let outcome = worker.run(prepared, memory, cpu, &group, &mut observer, budget);
        (group, observer, outcome)
    };
    in_order(
        count,
        threads,
        || Worker::<W>::new(prepared),
        one,
        |(group, observer, outcome)| {
            let mut analysis = analysis.write().unwrap_or_else(PoisonError::into_inner);
            analysis.finish(&group, observer);
            totals.add(outcome);
            // Later groups may have run, too, but a run with one thread would not have
            // come to them.
            match totals.ran_away() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        },
    );
    Ok(totals.finish())
}

/// Sums over work-groups.
struct Totals {
    faults: FaultLog,
    counts: Counts,
    extents: Vec<Extent>,
    printed: Printed,
    groups: u64,
    width: u32,
}

impl Totals {
    fn new(prepared: &Prepared) -> Self {
        Self {
            faults: FaultLog::default(),
            counts: Counts::default(),
            extents: vec![Extent::default(); prepared.lengths.len()],
            printed: Printed::default(),
            groups: 0,
            width: prepared.width,
        }
    }

    fn add(&mut self, outcome: Outcome) {
        self.groups += 1;
        self.faults.append(outcome.faults);
        self.printed.append(&outcome.printed);
        self.counts.instructions += outcome.counts.instructions;
        self.counts.lanes += outcome.counts.lanes;
        for (all, one) in self.extents.iter_mut().zip(outcome.extents) {
            all.read_end = all.read_end.max(one.read_end);
            all.write_end = all.write_end.max(one.write_end);
        }
    }

    /// Whether a group did not end: the others would most likely take as long.
    fn ran_away(&self) -> bool {
        self.faults.has_runaway()
    }

    fn finish(self) -> RunSummary {
        let touched = self
            .extents
            .iter()
            .enumerate()
            .filter(|(_, e)| **e != Extent::default())
            .map(|(i, e)| Touched {
                region: Region(i as u16),
                read_end: e.read_end,
                write_end: e.write_end,
            })
            .collect();
        let (printed, prints_dropped) = self.printed.into_text();
        RunSummary {
            printed,
            prints_dropped,
            faults: self.faults.into_faults(),
            groups: self.groups,
            instructions: self.counts.instructions,
            lane_instructions: self.counts.lanes,
            width: self.width,
            touched,
        }
    }
}
