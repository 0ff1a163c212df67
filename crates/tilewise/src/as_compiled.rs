//! A launch as compiled: what runs, and what watches it.

use std::sync::Arc;

use tilewise_analysis::banks::{BankAnalysis, PitchAnalysis};
use tilewise_analysis::estimate::SamplePlan;
use tilewise_analysis::footprint::FootprintAnalysis;
use tilewise_analysis::handover::HandoverAnalysis;
use tilewise_analysis::mix::MixAnalysis;
use tilewise_analysis::region::RegionTable;
use tilewise_analysis::scoreboard::ScoreboardAnalysis;
use tilewise_analysis::shape::MemoryShape;
use tilewise_analysis::traffic::TrafficAnalysis;
use tilewise_ir::{Form, Kernel};
use tilewise_sim::{
    Analysis, GroupInfo, GroupSet, Memory, Prepared, RunOptions, RunSummary, SimError,
};

use crate::error::Error;
use crate::load::Loaded;
use crate::session::Session;
use crate::simulate::{Which, memory_shape, prepare, run_options, sample, sim_error};
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
        let prepared = prepare(session, kernel, launch, width, false).map_err(failed)?;
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
        let (prepared, memory) = (&ready.prepared, &ready.memory);
        tilewise_sim::run(prepared, memory, &ready.groups, self, &ready.options)
    }
}

type Group<A> = <A as Analysis>::Group;
type Optional<A> = Option<Group<A>>;

impl Analysis for Analyses<'_> {
    // Observers go in pairs.
    type Group = (
        (Group<TrafficAnalysis>, Group<BankAnalysis>),
        (
            (Optional<MixAnalysis>, Optional<ScoreboardAnalysis>),
            (
                Optional<FootprintAnalysis>,
                (Optional<PitchAnalysis>, Optional<HandoverAnalysis>),
            ),
        ),
    );

    fn begin(&self, group: &GroupInfo) -> Self::Group {
        (
            (self.traffic.begin(group), self.banks.begin(group)),
            (
                (self.mix.begin(group), self.scoreboard.begin(group)),
                (
                    self.footprint.begin(group),
                    (self.pitches.begin(group), self.handover.begin(group)),
                ),
            ),
        )
    }

    fn finish(&mut self, group: &GroupInfo, observers: Self::Group) {
        let ((traffic, banks), ((mix, scoreboard), (footprint, (pitches, handover)))) = observers;
        self.traffic.finish(group, traffic);
        self.banks.finish(group, banks);
        self.mix.finish(group, mix);
        self.scoreboard.finish(group, scoreboard);
        self.footprint.finish(group, footprint);
        self.pitches.finish(group, pitches);
        self.handover.finish(group, handover);
    }
}
