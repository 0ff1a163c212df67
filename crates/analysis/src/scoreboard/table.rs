//! What a kernel's instructions read and write, laid out for the inner loop.

use std::sync::Arc;

use tilewise_ir::cfg::Cfg;
use tilewise_ir::dominance::Dominators;
use tilewise_ir::{BlockId, InstId, Kernel, Op, Space};

use super::latencies::Latencies;
use crate::banks::{LocalMerges, MergeRole};
use crate::mix::{IssueCost, Lowering};
use crate::region::RegionTable;
use crate::shape::MemoryShape;

/// What an instruction is to the scoreboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing is issued: results are there with their operands.
    Free,
    /// Results are there after a latency.
    Compute,
    /// Results are there when memory answers.
    Load,
    /// Nobody waits for it.
    Store,
    /// The sub-group waits until memory answers: copies.
    Copy,
}

/// One instruction or terminator.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub kind: Kind,
    /// Issue slots.
    pub issues: u32,
    /// Cycles from issue to result.
    pub latency: u32,
    /// It is a terminator: what follows waits for what it reads.
    pub ends_block: bool,
    /// It can't be moved in front of a store before it.
    pub after_stores: bool,
    /// Loads behind it can't be moved in front of it.
    pub is_store: bool,
    /// Memory that the two above are about: 0 global, 1 local.
    pub memory: usize,
    reads: (u32, u32),
    writes: (u32, u32),
}

/// Values that an edge passes on.
#[derive(Clone, Debug)]
struct EdgeMoves {
    to: BlockId,
    /// The edge leads back to the head of a loop.
    back: bool,
    /// Parameter and argument.
    moves: Vec<(u32, u32)>,
}

/// What all groups of a run share.
#[derive(Debug)]
pub struct Table {
    pub regions: Arc<RegionTable>,
    pub shape: MemoryShape,
    pub latencies: Latencies,
    pub values: usize,
    entries: Vec<Entry>,
    operands: Vec<u32>,
    edges: Vec<Vec<EdgeMoves>>,
    merges: LocalMerges,
}

impl Table {
    pub fn new(
        kernel: &Kernel,
        lowering: &Lowering,
        regions: Arc<RegionTable>,
        shape: MemoryShape,
        latencies: Latencies,
    ) -> Self {
        let numbering = kernel.numbering();
        let dominators = Dominators::new(&Cfg::new(kernel));
        let mut entries = Vec::with_capacity(numbering.len());
        let mut operands = Vec::new();
        for id in kernel.block_ids() {
            let block = kernel.block(id);
            for (i, inst) in block.insts.iter().enumerate() {
                let cost = lowering.cost(numbering.id(id, i));
                let start = operands.len() as u32;
                inst.op.for_each_use(|v| operands.push(v.index() as u32));
                let middle = operands.len() as u32;
                inst.op.for_each_def(|v| operands.push(v.index() as u32));
                let kind = match inst.op {
                    Op::Load { .. } | Op::ImageRead { .. } => Kind::Load,
                    Op::Atomic { dst: Some(_), .. } => Kind::Load,
                    Op::Store { .. } | Op::Atomic { .. } | Op::ImageWrite { .. } => Kind::Store,
                    Op::Copy { .. } | Op::AsyncCopy { .. } => Kind::Copy,
                    _ if cost.is_free() => Kind::Free,
                    _ => Kind::Compute,
                };
                let (reads_memory, writes_memory, memory) = memory_of(&inst.op);
                entries.push(Entry {
                    kind,
                    issues: cost.total(),
                    latency: latency(&cost, &latencies),
                    ends_block: false,
                    after_stores: reads_memory || writes_memory,
                    is_store: writes_memory,
                    memory,
                    reads: (start, middle),
                    writes: (middle, operands.len() as u32),
                });
            }
            let cost = lowering.cost(numbering.id(id, block.insts.len()));
            let start = operands.len() as u32;
            let condition = block.term.condition();
            operands.extend(condition.map(|v| v.index() as u32));
            let end = operands.len() as u32;
            entries.push(Entry {
                kind: Kind::Compute,
                issues: cost.total(),
                latency: 0,
                ends_block: true,
                after_stores: false,
                is_store: false,
                memory: 0,
                reads: (start, end),
                writes: (end, end),
            });
        }
        Self {
            regions,
            shape,
            latencies,
            values: kernel.values.len(),
            entries,
            operands,
            edges: kernel
                .block_ids()
                .map(|b| edges(kernel, &dominators, b))
                .collect(),
            merges: if shape.merges_local_loads {
                LocalMerges::new(kernel, shape.access_bytes)
            } else {
                LocalMerges::none(kernel)
            },
        }
    }

    pub fn entry(&self, inst: InstId) -> &Entry {
        &self.entries[inst.index()]
    }

    /// Values that an instruction reads.
    pub fn reads(&self, entry: &Entry) -> &[u32] {
        &self.operands[entry.reads.0 as usize..entry.reads.1 as usize]
    }

    /// Values that an instruction writes.
    pub fn writes(&self, entry: &Entry) -> &[u32] {
        &self.operands[entry.writes.0 as usize..entry.writes.1 as usize]
    }

    /// Parameters and their arguments on the edges between two blocks, and
    /// whether these lead back to the head of a loop.
    pub fn edge(&self, from: BlockId, to: BlockId) -> (&[(u32, u32)], bool) {
        self.edges[from.index()]
            .iter()
            .find(|e| e.to == to)
            .map_or((&[], false), |e| (&e.moves, e.back))
    }

    pub fn role(&self, inst: InstId) -> MergeRole {
        self.merges.role(inst)
    }
}

/// Whether an operation reads and writes memory, and which: 0 for global, 1 for
/// local. Constant and private memory has no order to keep.
fn memory_of(op: &Op) -> (bool, bool, usize) {
    let of = |space: Space, reads: bool, writes: bool| match space {
        Space::Global | Space::Generic => (reads, writes, 0),
        Space::Local => (reads, writes, 1),
        Space::Constant | Space::Private => (false, false, 0),
    };
    match *op {
        Op::Load { access, .. } => of(access.space, true, false),
        Op::Store { access, .. } => of(access.space, false, true),
        // Reads of images are not ordered with writes.
        Op::ImageWrite { .. } => of(Space::Global, false, true),
        Op::Atomic { access, .. } => of(access.space, true, true),
        Op::Copy { dst_space, .. } | Op::AsyncCopy { dst_space, .. } => of(dst_space, true, true),
        _ => (false, false, 0),
    }
}

/// Cycles from issue to result of what isn't memory: half of a sequence's
/// instructions are taken to depend on the one before.
fn latency(cost: &IssueCost, latencies: &Latencies) -> u32 {
    let chain = |n: u16| u32::from(n).div_ceil(2);
    let ordinary = cost.fp32 + cost.integer + cost.control + cost.barrier;
    chain(ordinary) * latencies.arithmetic
        + chain(cost.fp64) * latencies.double
        + chain(cost.special) * latencies.special
}

fn edges(kernel: &Kernel, dominators: &Dominators, block: BlockId) -> Vec<EdgeMoves> {
    let mut all: Vec<EdgeMoves> = Vec::new();
    for edge in kernel.block(block).term.edges() {
        let params = &kernel.block(edge.block).params;
        let moves = params
            .iter()
            .zip(&edge.args)
            .map(|(p, a)| (p.index() as u32, a.index() as u32));
        match all.iter_mut().find(|e| e.to == edge.block) {
            Some(known) => known.moves.extend(moves),
            None => all.push(EdgeMoves {
                to: edge.block,
                back: dominators.dominates(edge.block, block),
                moves: moves.collect(),
            }),
        }
    }
    all
}
