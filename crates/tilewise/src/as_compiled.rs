//! A launch as compiled: what runs, and what watches it.

use std::sync::Arc;

use tilewise_analysis::banks::{BankAnalysis, PitchAnalysis};
use tilewise_analysis::estimate::SamplePlan;
use tilewise_analysis::footprint::FootprintAnalysis;
use tilewise_analysis::handover::HandoverAnalysis;
use tilewise_analysis::mix::MixAnalysis;
use tilewise_analysis::region::RegionTable;
use tilewise_analysis::repeats::Repeats;
use tilewise_analysis::scoreboard::ScoreboardAnalysis;
use tilewise_analysis::shape::MemoryShape;
use tilewise_analysis::traffic::TrafficAnalysis;
use tilewise_ir::{Form, Kernel};
use tilewise_sim::{DecodeOptions, GroupSet, Memory, Prepared, RunOptions, RunSummary, SimError};

use crate::error::Error;
use crate::load::Loaded;
use crate::session::Session;
use crate::simulate::{Which, memory_shape, run_options, sample, sim_error};
use crate::target::Target;

/// A launch as compiled, ready to run on some of its work-groups.
pub(crate) struct Ready {
    pub prepared: Prepared,
    pub memory: Memory,
    pub options: RunOptions,
    pub groups: GroupSet,
    /// How the groups stand for all.
    pub plan: Arc<SamplePlan>,
    pub regions: Arc<RegionTable>,
    pub shape: MemoryShape,
    /// Groups that do what another has done are not watched again.
    short_cuts: bool,
}

impl Ready {
    /// # Errors
    /// The kernel uses something that the simulator lacks.
    pub fn new(
        session: &Session,
        target: &Target,
        loaded: &Loaded,
        which: Which,
    ) -> Result<Self, Error> {
        let kernel = loaded.kernel(Form::AsCompiled)?;
        let launch = &loaded.resolved.launch;
        session.progress.phase(&format!(
            "simulating {} on {}",
            kernel.name, target.profile.title
        ));
        let failed = |e| sim_error(e, &loaded.program(Form::AsCompiled).sites);
        let width = target.profile.execution.sub_group_width.value() as u32;
        let decode = DecodeOptions {
            reference: session.reference,
            // No one reads what the kernel computes.
            without_results: !session.reference,
            shift_counts: false,
            member_arrays: false,
        };
        let prepared = Prepared::with(kernel, launch, width, decode).map_err(failed)?;
        let options = run_options(session);
        let (plan, groups) = match which {
            Which::All => (SamplePlan::all(launch.range.group_count()), GroupSet::All),
            Which::AllIfQuick | Which::Sample => {
                sample(&prepared, kernel, launch, &options).map_err(failed)?
            }
        };
        Ok(Self {
            memory: Memory::new(kernel, launch).map_err(failed)?,
            regions: Arc::new(RegionTable::of_launch(prepared.regions(), launch)),
            shape: memory_shape(&target.profile),
            plan: Arc::new(plan),
            short_cuts: !session.reference,
            prepared,
            options,
            groups,
        })
    }

    /// Counts accesses to memory.
    pub fn traffic(&self, kernel: &Kernel) -> TrafficAnalysis {
        TrafficAnalysis::new(kernel, self.regions.clone(), self.shape, self.plan.clone())
    }

    /// Counts passes over local memory.
    pub fn banks(&self, kernel: &Kernel) -> BankAnalysis {
        BankAnalysis::new(kernel, self.regions.clone(), self.shape, self.plan.clone())
    }
}

/// What watches a launch as compiled. Those that may be left out are part of the
/// same run: the machine is compiled once for all of them.
pub(crate) struct Analyses<'a> {
    pub traffic: &'a mut TrafficAnalysis,
    pub banks: &'a mut BankAnalysis,
    pub mix: Option<&'a mut MixAnalysis>,
    pub scoreboard: Option<&'a mut ScoreboardAnalysis>,
    pub footprint: Option<&'a mut FootprintAnalysis>,
    pub pitches: Option<&'a mut PitchAnalysis>,
    pub handover: Option<&'a mut HandoverAnalysis>,
}

impl Analyses<'_> {
    /// Runs the launch.
    ///
    /// # Errors
    /// The kernel uses something that the simulator lacks.
    pub fn run(&mut self, ready: &Ready) -> Result<RunSummary, SimError> {
        let counting = (
            (&mut *self.traffic, &mut *self.banks),
            (self.mix.as_deref_mut(), self.scoreboard.as_deref_mut()),
        );
        // Where a group works in its buffers matters to the others.
        let mut all = (
            Repeats::new(counting, &ready.shape, ready.short_cuts),
            (
                self.footprint.as_deref_mut(),
                (self.pitches.as_deref_mut(), self.handover.as_deref_mut()),
            ),
        );
        let (prepared, memory) = (&ready.prepared, &ready.memory);
        tilewise_sim::run(prepared, memory, &ready.groups, &mut all, &ready.options)
    }
}
