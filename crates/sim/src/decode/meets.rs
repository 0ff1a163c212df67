//! Where lanes that a branch parted meet again.
//!
//! That is the branch's immediate post-dominator. An early return would move
//! it to the end of the kernel, for every branch around the return: lanes
//! would then run all that follows once per side. Hardware lets lanes that
//! have returned go and the others meet, so branches to blocks that do
//! nothing but return are left out of the graph, as long as the branch leads
//! elsewhere too.

use tilewise_ir::cfg::Cfg;
use tilewise_ir::dominance::PostDominators;
use tilewise_ir::{BlockId, Kernel, Terminator};

/// The block where the lanes meet that each block's branch parts.
pub(crate) struct Meets {
    meets: Vec<Option<BlockId>>,
}

impl Meets {
    pub fn new(kernel: &Kernel, cfg: &Cfg) -> Self {
        let whole = PostDominators::new(cfg);
        let living = PostDominators::new(&Cfg::new(&without_returns(kernel)));
        let meets = kernel
            .block_ids()
            .map(|b| living.immediate(b).or_else(|| whole.immediate(b)))
            .collect();
        Self { meets }
    }

    pub fn of(&self, block: BlockId) -> Option<BlockId> {
        self.meets[block.index()]
    }
}

/// The kernel's graph without the edges to blocks that only return. Its
/// blocks hold no instructions.
fn without_returns(kernel: &Kernel) -> Kernel {
    let only_returns: Vec<bool> = kernel
        .block_ids()
        .map(|b| returns_at_once(kernel, b))
        .collect();
    let mut graph = Kernel::default();
    for block in &kernel.blocks {
        let mut block = block.clone();
        block.insts.clear();
        let goes = |b: BlockId| !only_returns[b.index()];
        block.term = match block.term {
            Terminator::Branch { then, other, .. } if goes(then.block) != goes(other.block) => {
                Terminator::Jump(if goes(then.block) { then } else { other })
            }
            Terminator::Switch {
                value,
                mut cases,
                mut default,
            } => {
                cases.retain(|(_, e)| goes(e.block));
                if !goes(default.block)
                    && let Some((_, edge)) = cases.first()
                {
                    default = edge.clone();
                }
                Terminator::Switch {
                    value,
                    cases,
                    default,
                }
            }
            term => term,
        };
        graph.blocks.push(block);
    }
    graph
}

/// Whether a block leads to a return and does nothing on the way.
fn returns_at_once(kernel: &Kernel, mut block: BlockId) -> bool {
    for _ in 0..kernel.blocks.len() {
        let b = kernel.block(block);
        if !b.insts.is_empty() {
            return false;
        }
        match &b.term {
            Terminator::Return => return true,
            Terminator::Jump(edge) => block = edge.block,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewise_ir::Ty;
    use tilewise_ir::builder::KernelBuilder;

    /// `if (a) { if (b) return; x } else { y } z`: the lanes of both sides
    /// meet at `z`, though some may have returned.
    #[test]
    fn an_early_return_does_not_move_the_meeting_point() {
        let mut k = KernelBuilder::new("k");
        let c = k.value_param("c", Ty::Bool);
        let [entry, a, x, y, z, ret] = k.blocks();
        k.at(entry).branch(c, a, y);
        k.at(a).branch(c, ret, x);
        k.at(x).jump(z);
        k.at(y).jump(z);
        k.at(z);
        let one = k.i32(1);
        k.binary(tilewise_ir::BinaryOp::Add, one, one);
        k.jump(ret);
        k.at(ret).ret();
        let kernel = k.finish();
        let meets = Meets::new(&kernel, &Cfg::new(&kernel));
        assert_eq!(meets.of(entry), Some(z));
        assert_eq!(meets.of(a), Some(x));
    }
}
