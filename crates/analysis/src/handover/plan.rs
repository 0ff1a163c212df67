//! Which accesses to local memory could meet across which barrier.

use std::collections::{BTreeMap, BTreeSet};

use tilewise_ir::cfg::Cfg;
use tilewise_ir::pointer::Region;
use tilewise_ir::{BarrierScope, BlockId, Fence, InstId, Kernel, Op, SiteId, Space};
use tilewise_sim::{AccessKind, Regions};

use crate::data::addresses_from_data;
use crate::reach::{Reach, reaches};

/// No number.
pub(super) const NONE: u32 = u32::MAX;

/// A source site with a barrier of the work-group.
#[derive(Clone, Debug)]
pub(super) struct Barrier {
    pub site: SiteId,
    /// Accesses, by number, that could meet across it, one of which writes.
    pub pairs: Vec<(u32, u32)>,
    /// It can't be told what it orders.
    pub open: bool,
}

/// A kernel, ready to be watched.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// By instruction: the number of its reading and of its writing access to
    /// local memory. Copies of one source site share a number.
    pub accesses: Vec<[u32; 2]>,
    /// Number of accesses.
    pub access_count: usize,
    pub barriers: Vec<Barrier>,
    /// By instruction: the number of the barrier, where it orders local memory.
    pub barrier_of: Vec<u32>,
    /// By region in local memory: its first cell, and a cell's size as a shift.
    pub cells: Vec<Option<(u32, u32)>>,
    pub cell_count: usize,
}

/// An access as the plan looks at it.
struct Access {
    kind: AccessKind,
    regions: Vec<Region>,
    number: u32,
}

impl Plan {
    pub fn new(kernel: &Kernel, regions: &Regions) -> Self {
        let numbering = kernel.numbering();
        let mut plan = Self {
            accesses: vec![[NONE; 2]; numbering.len()],
            barrier_of: vec![NONE; numbering.len()],
            ..Self::default()
        };
        let reaches = reaches(kernel, regions);
        plan.place(regions, &reaches);
        let by_inst = plan.number(kernel, regions, &reaches);
        let copies = kernel.blocks.iter().flat_map(|b| &b.insts);
        if copies
            .into_iter()
            .any(|i| matches!(i.op, Op::AsyncCopy { .. } | Op::WaitEvents))
        {
            return plan;
        }
        let walk = Walk {
            kernel,
            cfg: &Cfg::new(kernel),
        };
        let data = addresses_from_data(kernel);
        let by_data = |inst: InstId| data[inst.index()];
        let space = |r: &Region| regions.get(*r).space;
        for block in kernel.block_ids() {
            for (i, inst) in kernel.block(block).insts.iter().enumerate() {
                let Some(fence) = work_group_barrier(&inst.op) else {
                    continue;
                };
                let number = plan.barrier(inst.site);
                if fence.local {
                    plan.barrier_of[numbering.id(block, i).index()] = number;
                }
                let barrier = &mut plan.barriers[number as usize];
                barrier.open |= fence == Fence::default();
                let mut pairs: BTreeSet<(u32, u32)> = barrier.pairs.iter().copied().collect();
                for a in walk.before(block, i) {
                    for b in walk.after(block, i) {
                        let (before, after) = (&by_inst[a.index()], &by_inst[b.index()]);
                        for (x, y) in before
                            .iter()
                            .flat_map(|x| after.iter().map(move |y| (x, y)))
                        {
                            let reads = |k| k == AccessKind::Load;
                            if reads(x.kind) && reads(y.kind) {
                                continue;
                            }
                            let shared = x.regions.iter().filter(|r| y.regions.contains(r));
                            for region in shared {
                                match space(region) {
                                    Space::Local if fence.local => {
                                        barrier.open |= by_data(a) || by_data(b);
                                        pairs.insert((x.number, y.number));
                                    }
                                    Space::Global if fence.global => barrier.open = true,
                                    _ => {}
                                }
                            }
                        }
                    }
                }
                barrier.pairs = pairs.into_iter().collect();
            }
        }
        plan
    }

    /// Gives local variables their cells.
    fn place(&mut self, regions: &Regions, reaches: &[Reach]) {
        let mut piece = vec![8u32; regions.all().len()];
        for reach in reaches {
            for region in &reach.regions {
                let known = &mut piece[usize::from(region.0)];
                *known = (*known).min(reach.piece.max(1));
            }
        }
        for (info, piece) in regions.all().iter().zip(piece) {
            let place = (info.space == Space::Local).then(|| {
                let shift = piece.ilog2();
                let first = self.cell_count as u32;
                self.cell_count += info.bytes.unwrap_or(0).div_ceil(1 << shift) as usize;
                (first, shift)
            });
            self.cells.push(place);
        }
    }

    /// Numbers the accesses to local memory by source site and kind, and lists the
    /// accesses of each instruction.
    fn number(
        &mut self,
        kernel: &Kernel,
        regions: &Regions,
        reaches: &[Reach],
    ) -> Vec<Vec<Access>> {
        let numbering = kernel.numbering();
        let mut by_inst: Vec<Vec<Access>> = Vec::new();
        by_inst.resize_with(numbering.len(), Vec::new);
        let mut numbers: BTreeMap<(SiteId, u8), u32> = BTreeMap::new();
        for reach in reaches {
            let (block, at) = numbering.position(InstId::new(reach.inst));
            let Some(inst) = kernel.block(block).insts.get(at) else {
                continue;
            };
            let local = |r: &Region| regions.get(*r).space == Space::Local;
            let mut number = NONE;
            if reach.regions.iter().any(local) {
                let next = numbers.len() as u32;
                number = *numbers.entry((inst.site, reach.kind as u8)).or_insert(next);
                let side = usize::from(reach.kind == AccessKind::Store);
                self.accesses[reach.inst][side] = number;
            }
            by_inst[reach.inst].push(Access {
                kind: reach.kind,
                regions: reach.regions.clone(),
                number,
            });
        }
        self.access_count = numbers.len();
        by_inst
    }

    /// The number of the barrier at a site.
    fn barrier(&mut self, site: SiteId) -> u32 {
        let known = self.barriers.iter().position(|b| b.site == site);
        let at = known.unwrap_or_else(|| {
            self.barriers.push(Barrier {
                site,
                pairs: Vec::new(),
                open: false,
            });
            self.barriers.len() - 1
        });
        at as u32
    }
}

fn work_group_barrier(op: &Op) -> Option<Fence> {
    match op {
        Op::Barrier {
            scope: BarrierScope::WorkGroup,
            fence,
        } => Some(*fence),
        _ => None,
    }
}

/// Finds what stands between barriers.
struct Walk<'k> {
    kernel: &'k Kernel,
    cfg: &'k Cfg,
}

impl Walk<'_> {
    /// Instructions on the paths from an instruction to the next barriers.
    fn after(&self, block: BlockId, at: usize) -> Vec<InstId> {
        let mut found = Vec::new();
        let mut seen = vec![false; self.kernel.blocks.len()];
        let mut work = vec![(block, at + 1)];
        while let Some((block, from)) = work.pop() {
            let insts = self.kernel.block(block).insts.iter().enumerate();
            if self.take(block, insts.skip(from), &mut found) {
                for &next in self.cfg.successors(block) {
                    if !std::mem::replace(&mut seen[next.index()], true) {
                        work.push((next, 0));
                    }
                }
            }
        }
        found
    }

    /// Instructions on the paths from the barriers before to an instruction.
    fn before(&self, block: BlockId, at: usize) -> Vec<InstId> {
        let mut found = Vec::new();
        let mut seen = vec![false; self.kernel.blocks.len()];
        let mut work = vec![(block, at)];
        while let Some((block, end)) = work.pop() {
            let insts = self.kernel.block(block).insts.iter().enumerate();
            let insts: Vec<_> = insts.take(end).collect();
            if self.take(block, insts.into_iter().rev(), &mut found) {
                for &next in self.cfg.predecessors(block) {
                    if !std::mem::replace(&mut seen[next.index()], true) {
                        work.push((next, self.kernel.block(next).insts.len()));
                    }
                }
            }
        }
        found
    }

    /// Takes instructions up to a barrier; whether there was none.
    fn take<'i>(
        &self,
        block: BlockId,
        insts: impl Iterator<Item = (usize, &'i tilewise_ir::Inst)>,
        found: &mut Vec<InstId>,
    ) -> bool {
        let numbering = self.kernel.numbering();
        for (i, inst) in insts {
            if work_group_barrier(&inst.op).is_some() {
                return false;
            }
            found.push(numbering.id(block, i));
        }
        true
    }
}
