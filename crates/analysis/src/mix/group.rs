//! Instructions of one work-group.

use std::sync::Arc;

use tilewise_ir::{InstId, Kernel, Op, Space};
use tilewise_sim::Observer;

use super::lowering::Lowering;

/// Classes of instructions, as figures are ordered.
pub const CLASSES: usize = IMAGES + 2;
/// Reads of images; writes follow.
pub const IMAGES: usize = MEMORY + 8;
/// First class of memory instructions: four spaces, loads and others.
pub const MEMORY: usize = 6;
/// Everything that is issued, and lanes: see [`GroupMix::figures`].
pub const TOTALS: usize = 4;

/// What all groups of a run share.
#[derive(Debug)]
pub struct Layout {
    pub lowering: Arc<Lowering>,
    /// Class of each memory instruction.
    memory_class: Vec<usize>,
}

impl Layout {
    pub fn new(kernel: &Kernel, lowering: Arc<Lowering>) -> Self {
        let mut memory_class = Vec::with_capacity(kernel.numbering().len());
        for block in &kernel.blocks {
            memory_class.extend(block.insts.iter().map(|i| class_of(&i.op)));
            memory_class.push(MEMORY);
        }
        Self {
            lowering,
            memory_class,
        }
    }

    pub fn insts(&self) -> usize {
        self.memory_class.len()
    }

    /// Figures of a group: classes, totals, then one count per instruction.
    pub fn figures(&self) -> usize {
        CLASSES + TOTALS + self.insts()
    }
}

/// Class of a memory instruction: global, constant, local and private memory,
/// loads and others apart.
fn class_of(op: &Op) -> usize {
    let (space, writes) = match *op {
        Op::Load { access, .. } => (access.space, 0),
        Op::Store { access, .. } | Op::Atomic { access, .. } => (access.space, 1),
        Op::Copy { dst_space, .. } | Op::AsyncCopy { dst_space, .. } => (dst_space, 1),
        Op::ImageRead { .. } => return IMAGES,
        Op::ImageWrite { .. } => return IMAGES + 1,
        _ => return MEMORY,
    };
    let space = match space {
        Space::Global | Space::Generic => 0,
        Space::Constant => 1,
        Space::Local => 2,
        Space::Private => 3,
    };
    MEMORY + 2 * space + writes
}

/// Watches one work-group for [`MixAnalysis`](super::MixAnalysis).
#[derive(Debug)]
pub struct GroupMix {
    width: u32,
    /// Runs and active lanes of each instruction, less those of the one before
    /// it: a stretch of instructions costs no more than one.
    steps: Vec<(u64, u64)>,
}

impl GroupMix {
    pub(super) fn new(layout: &Layout, width: u32) -> Self {
        Self {
            width,
            // One more for the end of a stretch that ends with the kernel.
            steps: vec![(0, 0); layout.insts() + 1],
        }
    }

    /// Makes the state ready for a group.
    pub(super) fn start(&mut self) {
        self.steps.fill((0, 0));
    }

    /// The figures of the group, in the order of [`Layout::figures`].
    pub(super) fn figures(&self, layout: &Layout) -> Vec<u64> {
        let mut figures = vec![0; layout.figures()];
        let (mut count, mut lanes) = (0u64, 0u64);
        for (i, &step) in self.steps.iter().take(layout.insts()).enumerate() {
            count = count.wrapping_add(step.0);
            lanes = lanes.wrapping_add(step.1);
            if count == 0 {
                continue;
            }
            let cost = layout.lowering.cost(InstId::new(i));
            let by_class = [
                cost.fp32,
                cost.fp64,
                cost.integer,
                cost.special,
                cost.control,
                cost.barrier,
            ];
            for (figure, n) in figures.iter_mut().zip(by_class) {
                *figure += count * u64::from(n);
            }
            figures[layout.memory_class[i]] += count * u64::from(cost.memory);
            let issued = u64::from(cost.total());
            let totals = [
                count * issued,
                count,
                lanes * issued,
                count * issued * u64::from(self.width),
            ];
            for (at, n) in totals.into_iter().enumerate() {
                figures[CLASSES + at] += n;
            }
            figures[CLASSES + TOTALS + i] = count;
        }
        figures
    }
}

impl Observer for GroupMix {
    const INSTRUCTIONS: bool = true;

    fn instruction(&mut self, sub_group: u32, inst: InstId, mask: u64) {
        self.instructions(sub_group, inst, 1, mask);
    }

    fn instructions(&mut self, _: u32, first: InstId, count: u32, mask: u64) {
        let lanes = u64::from(mask.count_ones());
        let first = first.index();
        let begin = &mut self.steps[first];
        begin.0 = begin.0.wrapping_add(1);
        begin.1 = begin.1.wrapping_add(lanes);
        let end = &mut self.steps[first + count as usize];
        end.0 = end.0.wrapping_sub(1);
        end.1 = end.1.wrapping_sub(lanes);
    }
}
