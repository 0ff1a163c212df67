//! The state of one sub-group: its registers, its private memory, and where
//! its lanes stand.

use tilewise_ir::{BlockId, InstId};

use super::queries::LocalIds;
use super::runaway::Watch;
use crate::affine::LaneClass;
use crate::decode::{At, Prepared};
use crate::lanes::first_lanes;
use crate::memory::POISON;
use crate::observer::GroupInfo;
use crate::registers::Registers;

/// Lanes that run together, on top of those that wait for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The next step.
    pub pc: u32,
    /// The block where these lanes meet those of the frame below.
    pub until: Option<BlockId>,
    pub mask: u64,
}

/// Where a fragment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It can go on.
    Ready,
    /// It waits at a barrier or a work-group or sub-group function: the step.
    Parked { step: u32 },
    /// It waits for memory to change; others go first.
    Spinning { at: At },
    /// Its lanes have returned.
    Done,
}

/// Lanes of a sub-group that go their own way. There is one as long as no lane
/// waits for another: lanes that wait let the others go on.
#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    pub scalars: Registers<1>,
    /// The last frame runs; those below wait.
    pub stack: Vec<Frame>,
    pub state: State,
}

impl Fragment {
    /// All lanes of the fragment.
    pub fn lanes(&self) -> u64 {
        self.stack.iter().fold(0, |all, f| all | f.mask)
    }
}

/// One sub-group.
#[derive(Debug)]
pub(crate) struct SubGroup<const W: usize> {
    pub index: u32,
    pub vectors: Registers<W>,
    pub local_ids: LocalIds<W>,
    /// What its lanes add to affine values.
    pub classes: Vec<LaneClass>,
    pub private: Vec<[u32; W]>,
    /// Iterations of counted loops.
    pub iterations: Vec<[u32; W]>,
    /// Room for the addresses of an access, which is not cleared in between.
    pub room: Option<Box<[u64; W]>>,
    /// Lanes that hold work-items.
    pub initial: u64,
    /// Lanes that have not returned.
    pub live: u64,
    pub fragments: Vec<Fragment>,
    /// Instructions left before the sub-group counts as a runaway.
    pub budget: u64,
    /// What it does beyond that.
    pub watch: Option<Box<Watch>>,
}

impl<const W: usize> SubGroup<W> {
    /// A sub-group with the constants of a kernel in its registers.
    pub fn new(prepared: &Prepared, index: u32) -> Self {
        let mut vectors = Registers::new(prepared.vector_sizes);
        for &(ty, slot, bits) in &prepared.vector_constants {
            vectors.splat(ty, slot, bits);
        }
        let mut scalars = Registers::new(prepared.scalar_sizes);
        for &(ty, slot, bits) in &prepared.scalar_constants {
            scalars.set(ty, slot, 0, bits);
        }
        Self {
            index,
            vectors,
            classes: Vec::new(),
            local_ids: LocalIds::new(),
            private: vec![[POISON; W]; prepared.regions.private_words],
            iterations: vec![[0; W]; prepared.counted_loops],
            room: None,
            initial: 0,
            live: 0,
            fragments: vec![Fragment {
                scalars,
                stack: Vec::new(),
                state: State::Done,
            }],
            budget: 0,
            watch: None,
        }
    }

    /// Room for the addresses of an access, which whoever takes it gives back.
    #[inline(always)]
    pub fn room(&mut self) -> Box<[u64; W]> {
        self.room.take().unwrap_or_else(|| Box::new([0; W]))
    }

    /// Makes the sub-group ready for a work-group.
    pub fn start(&mut self, prepared: &Prepared, group: &GroupInfo, budget: u64) {
        let work_items: u32 = group.size.iter().product();
        let first = self.index * group.width;
        let lanes = work_items.saturating_sub(first).min(group.width);
        self.initial = first_lanes(lanes);
        self.live = self.initial;
        self.budget = budget;
        self.watch = None;
        self.private.fill([POISON; W]);
        for (first, words) in &prepared.private_init {
            for (row, &word) in self.private[*first..].iter_mut().zip(words) {
                *row = [word; W];
            }
        }
        self.fragments.truncate(1);
        let fragment = &mut self.fragments[0];
        fragment.stack.clear();
        fragment.stack.push(Frame {
            pc: 0,
            until: None,
            mask: self.initial,
        });
        fragment.state = if lanes == 0 {
            State::Done
        } else {
            State::Ready
        };
        super::queries::set(prepared, group, self);
    }
}

/// Why a fragment stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// All its lanes have returned.
    Done,
    /// The lanes that ran wait for others.
    Meeting { step: u32 },
    /// The lanes that ran wait for memory to change.
    Spin { at: At },
    /// The budget is spent.
    Runaway {
        inst: InstId,
        site: tilewise_ir::SiteId,
    },
}
