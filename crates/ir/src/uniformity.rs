//! Which values are the same for all active lanes of a sub-group.
//!
//! A forward data-flow analysis to a fixed point, after Karrenberg and Hack,
//! "Improving Performance of OpenCL on CPUs" (2012), and LLVM's divergence
//! analysis: a value is divergent if
//! - it is a lane's own (a local or global id, a private load, the result of an
//!   atomic, of a scan or a shuffle),
//! - an operand is divergent,
//! - it is a block parameter where lanes meet that a divergent branch parted
//!   (*sync dependence*: two disjoint paths lead from the branch to the block),
//! - it is defined in a loop that lanes leave in different iterations and used
//!   outside of it (*temporal divergence*), or a parameter of such an exit.
//!
//! Everything else is uniform, under the machine's rule that lanes reconverge
//! at the immediate post-dominator.

use crate::cfg::Cfg;
use crate::dominance::{Dominators, PostDominators};
use crate::ids::{BlockId, Value};
use crate::kernel::Kernel;
use crate::loops::Loops;
use crate::op::{Op, WorkItemQuery};
use crate::ty::Space;

/// The result: which values and branches are uniform over a sub-group.
#[derive(Clone, Debug)]
pub struct Uniformity {
    divergent: Vec<bool>,
}

/// What is known of a launch that makes work-item functions uniform.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaunchFacts {
    /// Dimensions in which all lanes of a sub-group have the same local id
    /// (with a work-group of 256x4 and 32 lanes: dimensions 1 and 2).
    pub uniform_id_dims: [bool; 3],
}

impl Uniformity {
    /// Analyses a kernel.
    pub fn new(kernel: &Kernel, facts: LaunchFacts) -> Self {
        let cfg = Cfg::new(kernel);
        let dominators = Dominators::new(&cfg);
        let analysis = Analysis {
            kernel,
            post: PostDominators::new(&cfg),
            loops: Loops::new(&cfg, &dominators),
            cfg,
            facts,
        };
        Self {
            divergent: analysis.run(),
        }
    }

    /// Whether all active lanes hold the same value.
    pub fn is_uniform(&self, value: Value) -> bool {
        !self.divergent[value.index()]
    }

    /// Whether a block's branch parts the lanes of a sub-group.
    pub fn is_divergent_branch(&self, kernel: &Kernel, block: BlockId) -> bool {
        kernel
            .block(block)
            .term
            .condition()
            .is_some_and(|c| !self.is_uniform(c))
    }
}

struct Analysis<'k> {
    kernel: &'k Kernel,
    cfg: Cfg,
    post: PostDominators,
    loops: Loops,
    facts: LaunchFacts,
}

impl Analysis<'_> {
    fn run(&self) -> Vec<bool> {
        let kernel = self.kernel;
        let mut divergent = vec![false; kernel.values.len()];
        let mut branch_done = vec![false; kernel.blocks.len()];
        let mut loop_done = vec![false; self.loops.all().len()];
        loop {
            let mut changed = false;
            for &id in self.cfg.reverse_post_order() {
                let block = kernel.block(id);
                for inst in &block.insts {
                    if self.defines_divergent(&inst.op, &divergent) {
                        inst.op.for_each_def(|d| {
                            changed |= !std::mem::replace(&mut divergent[d.index()], true)
                        });
                    }
                }
                for edge in block.term.edges() {
                    let params = &kernel.block(edge.block).params;
                    for (arg, param) in edge.args.iter().zip(params) {
                        if divergent[arg.index()] {
                            changed |= !std::mem::replace(&mut divergent[param.index()], true);
                        }
                    }
                }
                let parts = block.term.condition().is_some_and(|c| divergent[c.index()]);
                if parts && !std::mem::replace(&mut branch_done[id.index()], true) {
                    changed = true;
                    self.part(id, &mut divergent, &mut loop_done);
                }
            }
            if !changed {
                return divergent;
            }
        }
    }

    fn defines_divergent(&self, op: &Op, divergent: &[bool]) -> bool {
        let own = match op {
            Op::WorkItem { query, dim, .. } => match query {
                WorkItemQuery::GlobalId | WorkItemQuery::LocalId => {
                    !self.facts.uniform_id_dims[usize::from(*dim).min(2)]
                }
                WorkItemQuery::GlobalLinearId
                | WorkItemQuery::LocalLinearId
                | WorkItemQuery::SubGroupLocalId => true,
                _ => false,
            },
            Op::Load { access, .. } => matches!(access.space, Space::Private | Space::Generic),
            Op::Atomic { .. } => true,
            // The lanes that take part all get the same.
            Op::Group { op, .. } if op.is_uniform() => return false,
            Op::Group { .. } => true,
            _ => false,
        };
        let mut any = own;
        op.for_each_use(|u| any |= divergent[u.index()]);
        any
    }

    /// Marks what a divergent branch makes divergent.
    fn part(&self, branch: BlockId, divergent: &mut [bool], loop_done: &mut [bool]) {
        let meeting = self.post.immediate(branch);
        for join in self.joins(branch, meeting) {
            for param in &self.kernel.block(join).params {
                divergent[param.index()] = true;
            }
        }
        for index in self.loops.around(branch) {
            let region = &self.loops.all()[index];
            let leaves = meeting.is_none_or(|m| !region.contains(m));
            if leaves && !std::mem::replace(&mut loop_done[index], true) {
                self.temporal(index, divergent);
            }
        }
    }

    /// Blocks that two disjoint paths from a branch lead to: labels spread
    /// from the branch's successors in reverse post-order, and where two labels
    /// meet is a join, from which a label of its own spreads on.
    fn joins(&self, branch: BlockId, meeting: Option<BlockId>) -> Vec<BlockId> {
        #[derive(Clone, Copy, PartialEq)]
        enum Label {
            Successor(usize),
            Join(BlockId),
        }
        let mut label: Vec<Option<Label>> = vec![None; self.cfg.len()];
        let mut joins = Vec::new();
        loop {
            let mut changed = false;
            for &block in self.cfg.reverse_post_order() {
                if label[block.index()] == Some(Label::Join(block)) {
                    continue;
                }
                let direct = self
                    .cfg
                    .successors(branch)
                    .iter()
                    .position(|&s| s == block)
                    .map(Label::Successor);
                let passed_on = self
                    .cfg
                    .predecessors(block)
                    .iter()
                    .filter(|&&p| p != branch && Some(p) != meeting)
                    .filter_map(|p| label[p.index()]);
                let mut incoming = direct.into_iter().chain(passed_on);
                let Some(first) = incoming.next() else {
                    continue;
                };
                let new = if incoming.all(|l| l == first) {
                    first
                } else {
                    joins.push(block);
                    Label::Join(block)
                };
                changed |= label[block.index()] != Some(new);
                label[block.index()] = Some(new);
            }
            if !changed {
                return joins;
            }
        }
    }

    /// Marks the values that live out of a loop whose lanes leave it in
    /// different iterations.
    fn temporal(&self, index: usize, divergent: &mut [bool]) {
        let region = &self.loops.all()[index];
        let mut defined = vec![false; self.kernel.values.len()];
        for id in region.blocks() {
            let block = self.kernel.block(id);
            for p in &block.params {
                defined[p.index()] = true;
            }
            for inst in &block.insts {
                inst.op.for_each_def(|d| defined[d.index()] = true);
            }
            for edge in block.term.edges() {
                if !region.contains(edge.block) {
                    for p in &self.kernel.block(edge.block).params {
                        divergent[p.index()] = true;
                    }
                }
            }
        }
        for id in self.kernel.block_ids().filter(|&b| !region.contains(b)) {
            let block = self.kernel.block(id);
            let mut used = |v: Value| {
                if defined[v.index()] {
                    divergent[v.index()] = true;
                }
            };
            for inst in &block.insts {
                inst.op.for_each_use(&mut used);
            }
            block.term.condition().into_iter().for_each(&mut used);
            for edge in block.term.edges() {
                edge.args.iter().copied().for_each(&mut used);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::KernelBuilder;
    use crate::op::{BinaryOp, CompareOp};
    use crate::ty::Ty;

    /// `if (lid < n) for (i = 0; i < n; i++) …`: the counter stays uniform
    /// though the loop stands under a divergent branch.
    #[test]
    fn uniform_loop_under_divergent_guard() {
        let mut k = KernelBuilder::new("k");
        let n = k.value_param("n", Ty::I64);
        let zero = k.constant(Ty::I64, 0);
        let one = k.constant(Ty::I64, 1);
        let [entry, head, body, end] = k.blocks();
        let i = k.block_param(head, Ty::I64);
        k.at(entry);
        let lid = k.work_item(WorkItemQuery::LocalId, 0);
        let guard = k.compare(CompareOp::ULt, lid, n);
        k.branch_with(guard, (head, &[zero]), (end, &[]));
        k.at(head);
        let go = k.compare(CompareOp::ULt, i, n);
        k.branch(go, body, end);
        k.at(body);
        let next = k.binary(BinaryOp::Add, i, one);
        k.jump_with(head, &[next]);
        k.at(end).ret();
        let kernel = k.finish();
        let u = Uniformity::new(&kernel, LaunchFacts::default());
        assert!(!u.is_uniform(lid) && !u.is_uniform(guard));
        assert!(u.is_uniform(i) && u.is_uniform(next) && u.is_uniform(go));
        assert!(u.is_divergent_branch(&kernel, entry));
        assert!(!u.is_divergent_branch(&kernel, head));
    }

    /// `for (i = 0; i < lid; i++); use(i)`: uniform among the lanes that are
    /// still in the loop, divergent once they have left.
    #[test]
    fn temporal_divergence() {
        let mut k = KernelBuilder::new("k");
        let zero = k.constant(Ty::I64, 0);
        let one = k.constant(Ty::I64, 1);
        let [entry, head, body, end] = k.blocks();
        let i = k.block_param(head, Ty::I64);
        k.at(entry);
        let lid = k.work_item(WorkItemQuery::LocalId, 0);
        k.jump_with(head, &[zero]);
        k.at(head);
        let go = k.compare(CompareOp::ULt, i, lid);
        k.branch(go, body, end);
        k.at(body);
        let next = k.binary(BinaryOp::Add, i, one);
        let twice = k.binary(BinaryOp::Add, next, next);
        k.jump_with(head, &[next]);
        k.at(end);
        let used = k.binary(BinaryOp::Add, i, one);
        k.ret();
        let kernel = k.finish();
        let u = Uniformity::new(&kernel, LaunchFacts::default());
        assert!(!u.is_uniform(i), "i leaves the loop");
        assert!(!u.is_uniform(used));
        // Derived from i, which the analysis gives up on as a whole.
        assert!(!u.is_uniform(twice));
    }

    /// A select by hand: the parameter where two arms meet is divergent, one
    /// at the join of a uniform branch is not.
    #[test]
    fn joins() {
        let mut k = KernelBuilder::new("k");
        let c = k.value_param("c", Ty::Bool);
        let zero = k.constant(Ty::I64, 0);
        let one = k.constant(Ty::I64, 1);
        let [entry, a, b, join, x, y, end] = k.blocks();
        let p = k.block_param(join, Ty::I64);
        let q = k.block_param(end, Ty::I64);
        k.at(entry);
        let lid = k.work_item(WorkItemQuery::LocalId, 0);
        let d = k.compare(CompareOp::Eq, lid, zero);
        k.branch(d, a, b);
        k.at(a).jump_with(join, &[zero]);
        k.at(b).jump_with(join, &[one]);
        k.at(join).branch(c, x, y);
        k.at(x).jump_with(end, &[zero]);
        k.at(y).jump_with(end, &[one]);
        k.at(end).ret();
        let kernel = k.finish();
        let u = Uniformity::new(&kernel, LaunchFacts::default());
        assert!(!u.is_uniform(p));
        assert!(u.is_uniform(q));
    }

    /// `lid == 0 && c`: the branch itself leads to the block where its lanes
    /// meet, with another value than the way round.
    #[test]
    fn a_branch_straight_to_the_join() {
        let mut k = KernelBuilder::new("k");
        let c = k.value_param("c", Ty::Bool);
        let zero = k.constant(Ty::I64, 0);
        let no = k.constant(Ty::Bool, 0);
        let [entry, rhs, join] = k.blocks();
        let p = k.block_param(join, Ty::Bool);
        k.at(entry);
        let lid = k.work_item(WorkItemQuery::LocalId, 0);
        let d = k.compare(CompareOp::Eq, lid, zero);
        k.branch_with(d, (rhs, &[]), (join, &[no]));
        k.at(rhs).jump_with(join, &[c]);
        k.at(join).ret();
        let kernel = k.finish();
        assert!(!Uniformity::new(&kernel, LaunchFacts::default()).is_uniform(p));
    }

    /// `p = lid == 0 && c`: one side of the branch is empty, so the join is a
    /// successor of the branch.
    #[test]
    fn join_behind_an_empty_side() {
        let mut k = KernelBuilder::new("k");
        let c = k.value_param("c", Ty::I64);
        let zero = k.constant(Ty::I64, 0);
        let [entry, then, join] = k.blocks();
        let p = k.block_param(join, Ty::I64);
        k.at(entry);
        let lid = k.work_item(WorkItemQuery::LocalId, 0);
        let d = k.compare(CompareOp::Eq, lid, zero);
        k.branch_with(d, (then, &[]), (join, &[zero]));
        k.at(then).jump_with(join, &[c]);
        k.at(join).ret();
        let kernel = k.finish();
        assert!(!Uniformity::new(&kernel, LaunchFacts::default()).is_uniform(p));
    }
}
