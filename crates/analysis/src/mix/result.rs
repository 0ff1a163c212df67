//! What [`MixAnalysis`](super::MixAnalysis) has to say.

use tilewise_ir::{InstId, Space};

use super::group::{CLASSES, IMAGES, Layout, MEMORY, TOTALS};
use crate::estimate::{Accumulator, Estimate, SamplePlan};

/// How often an instruction runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstCount {
    /// The instruction.
    pub inst: InstId,
    /// Runs, one per sub-group and time.
    pub runs: Estimate,
    /// Machine instructions that each run issues.
    pub issues: u32,
}

/// Sub-group instructions of a launch, as a GPU issues them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Single (and half) precision arithmetic.
    pub fp32: Estimate,
    /// Double precision arithmetic.
    pub fp64: Estimate,
    /// Integer arithmetic, comparison, selection, conversion, addresses.
    pub integer: Estimate,
    /// Special-function unit.
    pub special: Estimate,
    /// Branches and ends of the kernel.
    pub control: Estimate,
    /// Barriers: one per sub-group and barrier.
    pub barriers: Estimate,
    /// Loads from global, constant, local and private memory, in this order.
    pub loads: [Estimate; 4],
    /// Stores and atomics to the same.
    pub stores: [Estimate; 4],
    /// Reads and writes of images.
    pub images: [Estimate; 2],
    /// All of these.
    pub issued: Estimate,
    /// Instructions of the IR, terminators included.
    pub ir_instructions: Estimate,
    /// Active lanes over all issued instructions.
    pub active_lanes: Estimate,
    /// Lanes over all issued instructions, active or not.
    pub lanes: Estimate,
    /// Every instruction that ran.
    pub insts: Vec<InstCount>,
}

impl Mix {
    /// Part of the lanes that are active; `None` where nothing ran.
    pub fn active_lane_ratio(&self) -> Option<f64> {
        (self.lanes.value > 0).then(|| self.active_lanes.value as f64 / self.lanes.value as f64)
    }

    /// Loads from one address space.
    pub fn loads_from(&self, space: Space) -> Estimate {
        self.loads[space_index(space)]
    }

    /// Stores and atomics to one address space.
    pub fn stores_to(&self, space: Space) -> Estimate {
        self.stores[space_index(space)]
    }

    pub(super) fn new(layout: &Layout, plan: &SamplePlan, sums: &Accumulator) -> Self {
        let total = |metric: usize| sums.total(plan, metric);
        let insts = (0..layout.insts())
            .map(|i| InstCount {
                inst: InstId::new(i),
                runs: total(CLASSES + TOTALS + i),
                issues: layout.lowering.cost(InstId::new(i)).total(),
            })
            .filter(|c| c.runs.value > 0)
            .collect();
        Self {
            fp32: total(0),
            fp64: total(1),
            integer: total(2),
            special: total(3),
            control: total(4),
            barriers: total(5),
            loads: std::array::from_fn(|s| total(MEMORY + 2 * s)),
            stores: std::array::from_fn(|s| total(MEMORY + 2 * s + 1)),
            images: std::array::from_fn(|w| total(IMAGES + w)),
            issued: total(CLASSES),
            ir_instructions: total(CLASSES + 1),
            active_lanes: total(CLASSES + 2),
            lanes: total(CLASSES + 3),
            insts,
        }
    }
}

fn space_index(space: Space) -> usize {
    match space {
        Space::Global | Space::Generic => 0,
        Space::Constant => 1,
        Space::Local => 2,
        Space::Private => 3,
    }
}
