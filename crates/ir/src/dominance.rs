//! Dominators and post-dominators, by the iterative algorithm of Cooper,
//! Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
//!
//! Post-dominators are taken over paths that reach a `return`. A block that
//! ends in `unreachable`, or in a loop without an exit, has none: control that
//! can't go on needs no place to reconverge.

use crate::cfg::{self, Cfg};
use crate::ids::BlockId;
use crate::kernel::Kernel;

/// Immediate dominators.
#[derive(Clone, Debug)]
pub struct Dominators {
    tree: Tree,
}

impl Dominators {
    /// Computes them.
    pub fn new(cfg: &Cfg) -> Self {
        let order = cfg.reverse_post_order();
        Self {
            tree: Tree::new(cfg.len(), order, &[Kernel::ENTRY], |b| cfg.predecessors(b)),
        }
    }

    /// The immediate dominator; `None` for the entry and unreachable blocks.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.tree.parent(block)
    }

    /// Whether every path to `b` passes `a` (a block dominates itself).
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.tree.is_ancestor(a, b)
    }

    /// Dominance frontier of each block, for placing block parameters.
    pub fn frontiers(&self, cfg: &Cfg) -> Vec<Vec<BlockId>> {
        let mut frontiers = vec![Vec::new(); cfg.len()];
        for &block in cfg.reverse_post_order() {
            if cfg.predecessors(block).len() < 2 {
                continue;
            }
            for &pred in cfg.predecessors(block) {
                if !self.tree.is_known(pred) {
                    continue;
                }
                let mut runner = Some(pred);
                while let Some(r) = runner {
                    if Some(r) == self.immediate(block) {
                        break;
                    }
                    let frontier: &mut Vec<BlockId> = &mut frontiers[r.index()];
                    if !frontier.contains(&block) {
                        frontier.push(block);
                    }
                    runner = self.immediate(r);
                }
            }
        }
        frontiers
    }
}

/// Immediate post-dominators: where lanes that a branch parted meet again.
#[derive(Clone, Debug)]
pub struct PostDominators {
    tree: Tree,
}

impl PostDominators {
    /// Computes them.
    pub fn new(cfg: &Cfg) -> Self {
        let order = cfg::reverse_post_order(cfg.len(), cfg.ends(), |b| cfg.predecessors(b));
        Self {
            tree: Tree::new(cfg.len(), &order, cfg.ends(), |b| cfg.successors(b)),
        }
    }

    /// The immediate post-dominator; `None` where lanes meet only at the end
    /// of the kernel, or never.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.tree.parent(block)
    }

    /// Whether every path from `b` to a return passes `a`.
    pub fn post_dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.tree.is_ancestor(a, b)
    }
}

/// A dominator tree whose roots hang under one virtual node.
#[derive(Clone, Debug)]
struct Tree {
    /// Position in the order plus one (0 is the virtual root), `NONE` if not reached.
    number: Vec<u32>,
    /// Parent by number; the virtual root is its own parent.
    parent: Vec<u32>,
    block: Vec<BlockId>,
}

const NONE: u32 = u32::MAX;

impl Tree {
    fn new<'a>(
        len: usize,
        order: &[BlockId],
        roots: &[BlockId],
        into: impl Fn(BlockId) -> &'a [BlockId],
    ) -> Self {
        let mut number = vec![NONE; len];
        let mut is_root = vec![false; len];
        for (i, b) in order.iter().enumerate() {
            number[b.index()] = i as u32 + 1;
        }
        for r in roots {
            is_root[r.index()] = true;
        }
        let mut parent = vec![NONE; order.len() + 1];
        parent[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for (i, &block) in order.iter().enumerate() {
                let mut new = if is_root[block.index()] { 0 } else { NONE };
                for pred in into(block) {
                    let p = number[pred.index()];
                    if p == NONE || parent[p as usize] == NONE {
                        continue;
                    }
                    new = if new == NONE {
                        p
                    } else {
                        meet(&parent, p, new)
                    };
                }
                if parent[i + 1] != new {
                    parent[i + 1] = new;
                    changed = true;
                }
            }
        }
        Self {
            number,
            parent,
            block: order.to_vec(),
        }
    }

    fn is_known(&self, block: BlockId) -> bool {
        self.number[block.index()] != NONE
    }

    fn parent(&self, block: BlockId) -> Option<BlockId> {
        let n = self.number[block.index()];
        if n == NONE {
            return None;
        }
        match self.parent[n as usize] {
            0 | NONE => None,
            p => Some(self.block[p as usize - 1]),
        }
    }

    fn is_ancestor(&self, a: BlockId, b: BlockId) -> bool {
        let (a, mut n) = (self.number[a.index()], self.number[b.index()]);
        if a == NONE || n == NONE {
            return false;
        }
        // Numbers fall on the way up, so that the walk can stop early.
        while n > a {
            n = self.parent[n as usize];
        }
        n == a
    }
}

fn meet(parent: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = parent[a as usize];
        }
        while b > a {
            b = parent[b as usize];
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::KernelBuilder;
    use crate::ty::Ty;

    /// entry -> (a | b) -> join -> (entry2 loop) -> end
    #[test]
    fn diamond_and_loop() {
        let mut k = KernelBuilder::new("k");
        let c = k.value_param("c", Ty::Bool);
        let [entry, a, b, join, head, body, end] = k.blocks();
        k.at(entry).branch(c, a, b);
        k.at(a).jump(join);
        k.at(b).jump(join);
        k.at(join).jump(head);
        k.at(head).branch(c, body, end);
        k.at(body).jump(head);
        k.at(end).ret();
        let kernel = k.finish();
        let cfg = Cfg::new(&kernel);
        let dom = Dominators::new(&cfg);
        let post = PostDominators::new(&cfg);
        assert_eq!(dom.immediate(join), Some(entry));
        assert!(dom.dominates(entry, end) && !dom.dominates(a, join));
        assert_eq!(post.immediate(entry), Some(join));
        assert_eq!(post.immediate(head), Some(end));
        assert_eq!(post.immediate(body), Some(head));
        assert_eq!(post.immediate(end), None);
        assert_eq!(dom.frontiers(&cfg)[a.index()], vec![join]);
        assert_eq!(dom.frontiers(&cfg)[body.index()], vec![head]);
    }

    /// A branch to `unreachable` does not move the meeting point.
    #[test]
    fn unreachable_is_no_end() {
        let mut k = KernelBuilder::new("k");
        let c = k.value_param("c", Ty::Bool);
        let [entry, a, dead, end] = k.blocks();
        k.at(entry).branch(c, a, dead);
        k.at(dead).unreachable();
        k.at(a).jump(end);
        k.at(end).ret();
        let kernel = k.finish();
        let post = PostDominators::new(&Cfg::new(&kernel));
        assert_eq!(post.immediate(entry), Some(a));
        assert_eq!(post.immediate(dead), None);
    }
}
