//! Natural loops: the blocks that a back edge to a dominating header encloses.
//!
//! Irreducible cycles (a jump into the middle of a loop, as in Duff's device) have
//! no header that dominates them and are no loops here; [`Loops::irreducible`] says
//! whether there are any.

use crate::cfg::Cfg;
use crate::dominance::Dominators;
use crate::ids::BlockId;

/// The loops of a kernel.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: Vec<Loop>,
    irreducible: bool,
    innermost: Vec<Option<usize>>,
}

/// One loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The block that every iteration starts at.
    pub header: BlockId,
    /// Blocks of the loop, the header among them, by block index.
    members: Vec<bool>,
    /// The loop around this one.
    pub parent: Option<usize>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

impl Loop {
    /// Whether a block lies in the loop.
    pub fn contains(&self, block: BlockId) -> bool {
        self.members[block.index()]
    }

    /// The blocks of the loop, in order.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.members
            .iter()
            .enumerate()
            .filter(|(_, m)| **m)
            .map(|(i, _)| BlockId::new(i))
    }
}

impl Loops {
    /// Finds the loops. Two back edges to one header make one loop.
    pub fn new(cfg: &Cfg, dominators: &Dominators) -> Self {
        let mut loops: Vec<Loop> = Vec::new();
        for &header in cfg.reverse_post_order() {
            let mut work: Vec<BlockId> = cfg
                .predecessors(header)
                .iter()
                .copied()
                .filter(|&latch| dominators.dominates(header, latch))
                .collect();
            if work.is_empty() {
                continue;
            }
            let mut members = vec![false; cfg.len()];
            members[header.index()] = true;
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut members[block.index()], true) {
                    work.extend(
                        cfg.predecessors(block)
                            .iter()
                            .filter(|&&p| dominators.dominates(header, p)),
                    );
                }
            }
            loops.push(Loop {
                header,
                members,
                parent: None,
                depth: 1,
            });
        }
        // Headers come in reverse post-order, so an enclosing loop precedes
        // the loops inside it, and the last one that holds a block is innermost.
        for i in 0..loops.len() {
            let parent = (0..i)
                .rev()
                .find(|&j| loops[j].members[loops[i].header.index()]);
            loops[i].depth = parent.map_or(1, |p| loops[p].depth + 1);
            loops[i].parent = parent;
        }
        let innermost = (0..cfg.len())
            .map(|b| (0..loops.len()).rev().find(|&i| loops[i].members[b]))
            .collect();
        // A retreating edge of a depth-first search closes a cycle, which is a loop
        // where the edge leads to a block that dominates it (Hecht and Ullman,
        // "Flow graph reducibility", 1972).
        let mut place = vec![0; cfg.len()];
        for (n, block) in cfg.reverse_post_order().iter().enumerate() {
            place[block.index()] = n;
        }
        let irreducible = cfg.reverse_post_order().iter().any(|&block| {
            let mut successors = cfg.successors(block).iter();
            successors.any(|&next| {
                place[next.index()] <= place[block.index()] && !dominators.dominates(next, block)
            })
        });
        Self {
            loops,
            irreducible,
            innermost,
        }
    }

    /// Whether there are cycles that are no loops: blocks that run again though
    /// [`Loops::around`] names no loop around them.
    pub fn irreducible(&self) -> bool {
        self.irreducible
    }

    /// All loops; an enclosing one stands before those inside it.
    pub fn all(&self) -> &[Loop] {
        &self.loops
    }

    /// Indices of the loops around a block, innermost first.
    pub fn around(&self, block: BlockId) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.innermost[block.index()], |&i| self.loops[i].parent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::KernelBuilder;
    use crate::ty::Ty;

    #[test]
    fn nested() {
        let mut k = KernelBuilder::new("k");
        let c = k.value_param("c", Ty::Bool);
        let [entry, outer, inner, latch, end] = k.blocks();
        k.at(entry).jump(outer);
        k.at(outer).branch(c, inner, end);
        k.at(inner).branch(c, inner, latch);
        k.at(latch).jump(outer);
        k.at(end).ret();
        let kernel = k.finish();
        let cfg = Cfg::new(&kernel);
        let loops = Loops::new(&cfg, &Dominators::new(&cfg));
        assert_eq!(loops.all().len(), 2);
        let around: Vec<_> = loops.around(inner).map(|i| loops.all()[i].header).collect();
        assert_eq!(around, [inner, outer]);
        assert_eq!(loops.around(latch).count(), 1);
        assert_eq!(loops.around(end).count(), 0);
        assert_eq!(loops.all()[1].depth, 2);
    }

    /// A branch into the middle of a cycle.
    #[test]
    fn a_cycle_with_two_entries_is_no_loop() {
        let mut k = KernelBuilder::new("k");
        let c = k.value_param("c", Ty::Bool);
        let [entry, a, b, end] = k.blocks();
        k.at(entry).branch(c, a, b);
        k.at(a).jump(b);
        k.at(b).branch(c, a, end);
        k.at(end).ret();
        let kernel = k.finish();
        let cfg = Cfg::new(&kernel);
        let loops = Loops::new(&cfg, &Dominators::new(&cfg));
        assert!(loops.all().is_empty() && loops.irreducible());
    }
}
