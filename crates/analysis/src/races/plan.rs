//! What the race check knows of a kernel before it runs: which memory can race
//! at all, and how work-items and instructions are numbered.

use tilewise_ir::pointer::Region;
use tilewise_ir::{AtomicOp, BarrierScope, Fence, InstId, Kernel, Op, Space};
use tilewise_launch::NdRange;
use tilewise_sim::{AccessKind, Regions};

use crate::reach::reaches;

/// Bits of a lane's number.
pub(super) const LANE_BITS: u32 = 6;
/// Bits of a work-item together with an instruction.
const WHO_BITS: u32 = 32;
/// An instruction without a number.
const NO_SLOT: u32 = u32::MAX;

/// How a region is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    /// Nothing of it can race: it is private, or nothing writes it.
    Not,
    /// Local memory: its cells start at this index.
    Local { first_cell: u32 },
    /// Global memory: its cells come in pages.
    Global,
}

/// A region as the check sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Watched {
    pub watch: Watch,
    /// A cell stands for `1 << shift` bytes.
    pub shift: u32,
}

/// A kernel, ready to be watched under one launch.
#[derive(Debug)]
pub(super) struct Plan {
    /// By region number.
    pub regions: Vec<Watched>,
    /// Cells of local memory.
    pub local_cells: usize,
    /// Something watched is accessed by atomics.
    pub atomics: bool,
    /// Accesses to watched memory, by number.
    insts: Vec<(InstId, AccessKind)>,
    /// By instruction: the number of its load or atomic, and of its store.
    slots: Vec<[u32; 2]>,
    /// Bits of an access's number.
    slot_bits: u32,
    /// By instruction: an atomic that only reads.
    pub reads_only: Vec<bool>,
    /// By instruction: an atomic whose old value is used.
    pub acquires: Vec<bool>,
    /// By instruction: an atomic whose memory order orders global memory.
    pub orders: Vec<bool>,
    /// Atomics may hand memory from one group to another: the kernel orders
    /// global memory with a fence, a barrier or by an atomic's memory order, and uses
    /// the results of global atomics.
    pub hands_over: bool,
    /// Memory that atomics may hand from one work-item of a group to another: the
    /// kernel orders it with a fence or by an atomic's memory order, and uses the
    /// results of atomics.
    pub hands_within: Fence,
    /// Work-items of a sub-group may learn from each other by its functions.
    pub exchanges: bool,
    /// By instruction: a copy of bytes or a texel, whose values are not known.
    pub copies: Vec<bool>,
    /// By instruction: a copy by the whole group.
    pub async_copies: Vec<bool>,
}

impl Plan {
    /// # Errors
    /// Says why the kernel can't be watched.
    pub fn new(
        kernel: &Kernel,
        regions: &Regions,
        range: &NdRange,
        width: u32,
    ) -> Result<Self, String> {
        let reaches = reaches(kernel, regions);
        let count = regions.all().len();
        let mut written = vec![false; count];
        let mut piece = vec![4u32; count];
        let mut atomic = vec![false; count];
        for reach in &reaches {
            for region in &reach.regions {
                let r = usize::from(region.0);
                written[r] |= reach.kind != AccessKind::Load;
                atomic[r] |= reach.kind == AccessKind::Atomic;
                piece[r] = piece[r].min(reach.piece.max(1));
            }
        }
        let mut local_cells = 0;
        let watched: Vec<Watched> = regions
            .all()
            .iter()
            .enumerate()
            .map(|(r, info)| {
                let shift = piece[r].ilog2();
                let watch = match info.space {
                    _ if !written[r] => Watch::Not,
                    Space::Local => {
                        let first_cell = local_cells;
                        let bytes = info.bytes.unwrap_or(0);
                        local_cells += ((bytes.div_ceil(4) * 4) >> shift) as u32;
                        Watch::Local { first_cell }
                    }
                    Space::Global => Watch::Global,
                    Space::Constant | Space::Private | Space::Generic => Watch::Not,
                };
                Watched { watch, shift }
            })
            .collect();
        let is_watched = |r: &Region| watched[usize::from(r.0)].watch != Watch::Not;
        let numbered = kernel.numbering().len();
        let mut insts = Vec::new();
        let mut slots = vec![[NO_SLOT; 2]; numbered];
        for reach in &reaches {
            if reach.regions.iter().any(is_watched) {
                let side = usize::from(reach.kind == AccessKind::Store);
                slots[reach.inst][side] = insts.len() as u32;
                insts.push((InstId::new(reach.inst), reach.kind));
            }
        }
        let slot_bits = usize::BITS - insts.len().leading_zeros();
        let sub_groups = range.group_size().div_ceil(u64::from(width.max(1)));
        let sub_group_bits = u64::BITS - sub_groups.leading_zeros();
        if slot_bits + sub_group_bits + LANE_BITS > WHO_BITS {
            return Err(format!(
                "{} instructions that access memory, run by {sub_groups} sub-groups, are more than the race check can number",
                insts.len()
            ));
        }
        let facts = Facts::new(kernel, numbered);
        Ok(Self {
            local_cells: local_cells as usize,
            atomics: (0..count).any(|r| atomic[r] && watched[r].watch != Watch::Not),
            regions: watched,
            insts,
            slots,
            slot_bits,
            reads_only: facts.reads_only,
            acquires: facts.acquires,
            orders: facts.orders,
            hands_over: facts.hands_over,
            hands_within: facts.hands_within,
            exchanges: facts.exchanges,
            copies: facts.copies,
            async_copies: facts.async_copies,
        })
    }

    /// A plan that watches nothing.
    pub fn unwatched(regions: &Regions) -> Self {
        let not = Watched {
            watch: Watch::Not,
            shift: 2,
        };
        Self {
            regions: vec![not; regions.all().len()],
            local_cells: 0,
            atomics: false,
            insts: Vec::new(),
            slots: Vec::new(),
            slot_bits: 0,
            reads_only: Vec::new(),
            acquires: Vec::new(),
            orders: Vec::new(),
            hands_over: false,
            hands_within: Fence::default(),
            exchanges: false,
            copies: Vec::new(),
            async_copies: Vec::new(),
        }
    }

    /// Number of a work-item (lane 0) doing an access; `None` where the access
    /// can't race.
    #[inline(always)]
    pub fn who(&self, sub_group: u32, inst: InstId, kind: AccessKind) -> Option<u64> {
        let slot = self.slots[inst.index()][usize::from(kind == AccessKind::Store)];
        let who = ((sub_group << self.slot_bits) | slot) << LANE_BITS;
        (slot != NO_SLOT).then_some(u64::from(who))
    }

    /// Sub-group, lane, instruction and kind of access behind a number.
    pub fn decode(&self, who: u32) -> (u32, u32, InstId, AccessKind) {
        let lane = who & ((1 << LANE_BITS) - 1);
        let rest = who >> LANE_BITS;
        let slot = rest & ((1 << self.slot_bits) - 1);
        let (inst, kind) = self.insts[slot as usize];
        (rest >> self.slot_bits, lane, inst, kind)
    }

    /// The work-item behind a number, counted through the group with 64 to each
    /// sub-group.
    #[inline(always)]
    pub fn item(&self, who: u32) -> usize {
        let lane = who & ((1 << LANE_BITS) - 1);
        let sub_group = who >> LANE_BITS >> self.slot_bits;
        (sub_group << LANE_BITS | lane) as usize
    }

    /// The bits of a number that name the work-item.
    pub fn item_bits(&self) -> u64 {
        let slot = ((1u64 << self.slot_bits) - 1) << LANE_BITS;
        !slot & ((1 << WHO_BITS) - 1)
    }
}

struct Facts {
    reads_only: Vec<bool>,
    acquires: Vec<bool>,
    orders: Vec<bool>,
    copies: Vec<bool>,
    async_copies: Vec<bool>,
    hands_over: bool,
    hands_within: Fence,
    exchanges: bool,
}

impl Facts {
    fn new(kernel: &Kernel, numbered: usize) -> Self {
        let numbering = kernel.numbering();
        let mut facts = Self {
            reads_only: vec![false; numbered],
            acquires: vec![false; numbered],
            orders: vec![false; numbered],
            copies: vec![false; numbered],
            async_copies: vec![false; numbered],
            hands_over: false,
            hands_within: Fence::default(),
            exchanges: false,
        };
        let used = kernel.used_values();
        // With barriers, which order global memory beyond the group as fences do.
        let mut ordered = false;
        let mut fences = Fence::default();
        let (mut results, mut global_results) = (false, false);
        for block in kernel.block_ids() {
            for (i, inst) in kernel.block(block).insts.iter().enumerate() {
                let id = numbering.id(block, i).index();
                match &inst.op {
                    Op::Atomic {
                        op,
                        dst,
                        access,
                        fence,
                        ..
                    } => {
                        facts.reads_only[id] = *op == AtomicOp::Load;
                        let result = dst.is_some_and(|d| used[d.index()]);
                        let global = !matches!(access.space, Space::Local | Space::Private);
                        facts.acquires[id] = result;
                        facts.orders[id] = fence.global;
                        results |= result;
                        global_results |= result && global;
                        fences = either(fences, *fence);
                    }
                    Op::Fence { fence } => fences = either(fences, *fence),
                    Op::Barrier {
                        scope: BarrierScope::WorkGroup,
                        fence,
                    } => ordered |= fence.global,
                    Op::Group {
                        scope: BarrierScope::SubGroup,
                        ..
                    } => facts.exchanges = true,
                    Op::Copy { .. } | Op::ImageRead { .. } | Op::ImageWrite { .. } => {
                        facts.copies[id] = true;
                    }
                    Op::AsyncCopy { .. } => {
                        facts.copies[id] = true;
                        facts.async_copies[id] = true;
                    }
                    _ => {}
                }
            }
        }
        facts.hands_over = (ordered || fences.global) && global_results;
        if results {
            facts.hands_within = fences;
        }
        facts
    }
}

fn either(a: Fence, b: Fence) -> Fence {
    Fence {
        local: a.local || b.local,
        global: a.global || b.global,
    }
}
