//! Runs a launch on the simulator and collects what every analysis has to say.

use std::collections::HashSet;
use std::sync::Arc;

use tilewise_analysis::banks::Banks;
use tilewise_analysis::estimate::{SamplePlan, SampledGroup};
use tilewise_analysis::footprint::{FootprintAnalysis, Footprints};
use tilewise_analysis::mix::{Contraction, Lowering, Mix, MixAnalysis};
use tilewise_analysis::scoreboard::{Latencies, Lifetimes, ScoreboardAnalysis};
use tilewise_analysis::shape::MemoryShape;
use tilewise_analysis::traffic::Traffic;
use tilewise_ir::{Form, InstId, Kernel, Op, SiteTable};
use tilewise_launch::Launch;
use tilewise_model::profile::DeviceProfile;
use tilewise_sim::sampling::{Sample, SampleOptions};
use tilewise_sim::{
    DecodeOptions, Fault, FaultKind, GroupSet, Memory, Prepared, Regions, RunOptions, RunSummary,
    SimError,
};

use crate::as_compiled::{Analyses, Ready};
use crate::error::Error;
use crate::load::Loaded;
use crate::session::Session;
use crate::target::Target;

/// A group of more sub-group instructions than this takes long to simulate.
const HEAVY_GROUP: u64 = 1 << 20;
/// Groups of a stratum that run where a group takes long: both ends and one
/// from the middle.
const FEW: u64 = 3;
/// A launch of so many groups runs whole, however long a group takes.
pub const WHOLE_IF_HEAVY: u64 = 8;

/// What a simulated run of a launch shows.
pub struct Simulation {
    /// Faults and counts of the machine.
    pub summary: RunSummary,
    /// Which region is which.
    pub regions: Regions,
    /// Accesses, reuse, requests, sectors.
    pub traffic: Traffic,
    /// Passes over local memory.
    pub banks: Banks,
    /// Instructions by class.
    pub mix: Mix,
    /// Latency of a work-group without load.
    pub lifetimes: Lifetimes,
    /// Boxes and halos.
    pub footprint: Footprints,
    /// Source lines with memory accesses that no group that ran has reached.
    pub unreached: usize,
    /// Granularities that the counts assume.
    pub shape: MemoryShape,
}

/// Simulates a launch as compiled, on a sample of its work-groups, with every
/// analysis.
///
/// # Errors
/// The kernel uses something that the simulator lacks.
pub fn simulate(session: &Session, target: &Target, loaded: &Loaded) -> Result<Simulation, Error> {
    simulate_groups(session, target, loaded, Which::Sample)
}

/// As [`simulate`], on the groups asked for.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_groups(
    session: &Session,
    target: &Target,
    loaded: &Loaded,
    which: Which,
) -> Result<Simulation, Error> {
    let kernel = loaded.kernel(Form::AsCompiled)?;
    let sites = &loaded.program(Form::AsCompiled).sites;
    let _phase = session
        .timings
        .phase(format!("simulate {} as compiled", kernel.name));
    let ready = Ready::new(session, target, loaded, which)?;
    let (regions, shape, plan) = (&ready.regions, ready.shape, &ready.plan);
    let lowering = Arc::new(Lowering::new(kernel, &shape, Contraction::Allowed));
    let (mut traffic, mut banks) = (ready.traffic(kernel), ready.banks(kernel));
    let mut mix = MixAnalysis::new(kernel, lowering.clone(), plan.clone());
    let mut scoreboard = ScoreboardAnalysis::new(
        kernel,
        &lowering,
        regions.clone(),
        shape,
        latencies(&target.profile),
        plan.clone(),
    );
    let mut footprint = FootprintAnalysis::new(kernel, regions.clone(), plan);
    let summary = Analyses {
        traffic: &mut traffic,
        banks: &mut banks,
        mix: Some(&mut mix),
        scoreboard: Some(&mut scoreboard),
        footprint: Some(&mut footprint),
        pitches: None,
        handover: None,
    }
    .run(&ready)
    .map_err(|e| sim_error(e, sites))?;
    let mix = mix.result();
    Ok(Simulation {
        unreached: unreached(kernel, sites, &mix),
        regions: ready.prepared.regions().clone(),
        summary,
        traffic: traffic.result(),
        banks: banks.result(),
        mix,
        lifetimes: scoreboard.result(),
        footprint: footprint.result(),
        shape,
    })
}

/// Source lines with memory accesses of which none ran. (A compiler's copies of
/// a line, such as the rest of an unrolled loop, may well never run.)
fn unreached(kernel: &Kernel, sites: &SiteTable, mix: &Mix) -> usize {
    let numbering = kernel.numbering();
    let ran: HashSet<InstId> = mix.insts.iter().map(|c| c.inst).collect();
    let (mut all, mut reached) = (HashSet::new(), HashSet::new());
    for id in kernel.block_ids() {
        for (i, inst) in kernel.block(id).insts.iter().enumerate() {
            let memory = matches!(
                inst.op,
                Op::Load { .. }
                    | Op::Store { .. }
                    | Op::Atomic { .. }
                    | Op::Copy { .. }
                    | Op::ImageRead { .. }
                    | Op::ImageWrite { .. }
            );
            if memory {
                let position = sites.get(inst.site).position;
                let line = (position.file, position.line);
                all.insert(line);
                if ran.contains(&numbering.id(id, i)) {
                    reached.insert(line);
                }
            }
        }
    }
    all.difference(&reached).count()
}

/// Which groups of a launch to run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Every one.
    All,
    /// Every one where that is quick, else a sample.
    AllIfQuick,
    /// A sample.
    Sample,
}

/// Hands on what a kernel printed, and says so in a note.
pub fn hand_on_printed(
    session: &Session,
    loaded: &Loaded,
    summary: &RunSummary,
    notes: &mut Vec<String>,
) {
    if summary.printed.is_empty() {
        return;
    }
    let kernel = &loaded.signature.kernel;
    session.progress.printed(kernel, &summary.printed);
    let dropped = match summary.prints_dropped {
        0 => String::new(),
        n => format!(", and {n} calls of printf more, which had no room"),
    };
    notes.push(format!(
        "{kernel} printed {} lines in the work-groups that ran{dropped} (shown on stderr)",
        summary.printed.lines().count()
    ));
}

/// A kernel, decoded as a session wants it run.
pub(crate) fn prepare(
    session: &Session,
    kernel: &Kernel,
    launch: &Launch,
    width: u32,
    checks: DecodeOptions,
) -> Result<Prepared, SimError> {
    let options = DecodeOptions {
        reference: session.reference,
        ..checks
    };
    Prepared::with(kernel, launch, width, options)
}

/// How the machine runs for a session.
pub(crate) fn run_options(session: &Session) -> RunOptions {
    let usual = RunOptions::default();
    RunOptions {
        threads: session.threads,
        step_budget: session.loop_budget.unwrap_or(usual.step_budget),
    }
}

/// Whether one group takes long. The first group runs, unwatched, and its
/// sub-groups stop where that is known.
pub(crate) fn is_heavy(
    prepared: &Prepared,
    kernel: &Kernel,
    launch: &Launch,
    options: &RunOptions,
) -> Result<bool, SimError> {
    let sub_groups = launch
        .range
        .group_size()
        .div_ceil(u64::from(prepared.width()))
        .max(1);
    let probe = RunOptions {
        step_budget: HEAVY_GROUP / sub_groups,
        ..*options
    };
    let memory = Memory::new(kernel, launch)?;
    let first = GroupSet::list(vec![0]);
    let probe = tilewise_sim::run(prepared, &memory, &first, &mut (), &probe)?;
    let stopped = |f: &Fault| matches!(f.kind, FaultKind::Runaway { .. });
    Ok(probe.instructions > HEAVY_GROUP || probe.faults.iter().any(stopped))
}

/// The groups to run, and the plan by which their figures are scaled.
pub(crate) fn sample(
    prepared: &Prepared,
    kernel: &Kernel,
    launch: &Launch,
    options: &RunOptions,
) -> Result<(SamplePlan, GroupSet), SimError> {
    let range = &launch.range;
    if range.group_count() <= WHOLE_IF_HEAVY {
        return Ok((SamplePlan::all(range.group_count()), GroupSet::All));
    }
    let heavy = is_heavy(prepared, kernel, launch, options)?;
    let usual = SampleOptions {
        seed: launch.seed,
        ..SampleOptions::default()
    };
    let options = if heavy {
        SampleOptions {
            whole_up_to: WHOLE_IF_HEAVY,
            per_stratum: FEW,
            ..usual
        }
    } else {
        usual
    };
    let sample = Sample::new(&launch.range, &options);
    if sample.is_whole() {
        return Ok((SamplePlan::all(launch.range.group_count()), GroupSet::All));
    }
    let groups = sample
        .groups
        .iter()
        .map(|g| SampledGroup {
            linear: g.group,
            stratum: g.stratum as u32,
        })
        .collect();
    let sizes = sample.strata.iter().map(|s| s.size).collect();
    let plan = SamplePlan::new(groups, sizes).map_err(|e| SimError::Range(e.to_string()))?;
    Ok((plan, sample.set()))
}

pub(crate) fn sim_error(error: SimError, sites: &SiteTable) -> Error {
    if let SimError::Unsupported { site, .. } = &error {
        let position = sites.get(*site).position;
        return Error::Unsupported(format!(
            "{}:{}:{}: {error}",
            sites.file_name(position.file),
            position.line,
            position.column
        ));
    }
    Error::Input(error.to_string())
}

/// Granularities of a device's memory, from its profile.
pub(crate) fn memory_shape(profile: &DeviceProfile) -> MemoryShape {
    let local = &profile.local_memory;
    MemoryShape {
        sector_bytes: profile.l1.sector.value() as u32,
        line_bytes: profile.l1.line.value() as u32,
        access_bytes: 16,
        banks: local.banks.value() as u32,
        bank_bytes: local.bank_width.value() as u32,
        bytes_per_pass: local.bytes_per_pass.value() as u32,
        pairs_lanes: local.merges_adjacent_loads.value,
        merges_local_loads: local.merges_adjacent_loads.value,
    }
}

/// Latencies without load, from a profile.
fn latencies(profile: &DeviceProfile) -> Latencies {
    let arithmetic = profile.latency.arithmetic.value().round() as u32;
    Latencies {
        arithmetic,
        double: 2 * arithmetic,
        special: 5 * arithmetic,
        far: profile.dram.latency.value().round() as u32,
        l1: profile.l1.latency.value().round() as u32,
        constant: profile.l1.latency.value().round() as u32,
        local: profile.local_memory.latency.value().round() as u32,
        barrier: profile.latency.barrier.value().round() as u32,
        launch: profile.latency.group_launch.value().round() as u32,
    }
}
