//! Predecessors, successors and orders of a kernel's blocks.

use crate::ids::BlockId;
use crate::kernel::{Kernel, Terminator};

/// The shape of a control-flow graph. Blocks that can't be reached from the
/// entry have no place in [`Cfg::reverse_post_order`].
#[derive(Clone, Debug)]
pub struct Cfg {
    successors: Vec<Vec<BlockId>>,
    predecessors: Vec<Vec<BlockId>>,
    reverse_post_order: Vec<BlockId>,
    ends: Vec<BlockId>,
}

impl Cfg {
    /// Computes the graph of a kernel.
    pub fn new(kernel: &Kernel) -> Self {
        let n = kernel.blocks.len();
        let mut successors = vec![Vec::new(); n];
        let mut predecessors = vec![Vec::new(); n];
        let mut ends = Vec::new();
        for id in kernel.block_ids() {
            let term = &kernel.block(id).term;
            if matches!(term, Terminator::Return) {
                ends.push(id);
            }
            for edge in term.edges() {
                if !successors[id.index()].contains(&edge.block) {
                    successors[id.index()].push(edge.block);
                    predecessors[edge.block.index()].push(id);
                }
            }
        }
        let reverse_post_order = if n == 0 {
            Vec::new()
        } else {
            reverse_post_order(n, &[Kernel::ENTRY], |b| &successors[b.index()])
        };
        Self {
            successors,
            predecessors,
            reverse_post_order,
            ends,
        }
    }

    /// Number of blocks, reachable or not.
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// Whether the kernel has no blocks.
    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// The blocks that a block leads to, each once.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[block.index()]
    }

    /// The blocks that lead to a block, each once.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block.index()]
    }

    /// Reachable blocks, each before its successors but for back edges.
    pub fn reverse_post_order(&self) -> &[BlockId] {
        &self.reverse_post_order
    }

    /// Blocks that end in a return.
    pub fn ends(&self) -> &[BlockId] {
        &self.ends
    }
}

/// Reverse post-order from several roots; `next` gives a node's successors.
pub(crate) fn reverse_post_order<'a>(
    len: usize,
    roots: &[BlockId],
    next: impl Fn(BlockId) -> &'a [BlockId],
) -> Vec<BlockId> {
    let mut seen = vec![false; len];
    let mut order = Vec::with_capacity(len);
    // An explicit stack: kernels from generators can be thousands of blocks deep.
    let mut stack: Vec<(BlockId, usize)> = Vec::new();
    for &root in roots {
        if std::mem::replace(&mut seen[root.index()], true) {
            continue;
        }
        stack.push((root, 0));
        while let Some((block, at)) = stack.last_mut() {
            match next(*block).get(*at) {
                Some(&succ) => {
                    *at += 1;
                    if !std::mem::replace(&mut seen[succ.index()], true) {
                        stack.push((succ, 0));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
    }
    order.reverse();
    order
}
