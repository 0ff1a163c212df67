//! In which order one work-item comes by two instructions between barriers.

use tilewise_ir::{BlockId, InstId, Kernel, Numbering, Op};

/// Which of two instructions comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The first one, and a work-item doesn't come back to it from the second
    /// without passing a barrier.
    AThenB,
    /// The second one, likewise.
    BThenA,
    /// Either: both stand in a loop without a barrier.
    Around,
    /// Neither leads to the other: they stand in different branches.
    Apart,
}

/// Finds the order of two instructions by the paths that pass no barrier which
/// `orders` accepts.
pub(super) fn order(kernel: &Kernel, a: InstId, b: InstId, orders: impl Fn(&Op) -> bool) -> Order {
    let numbering = kernel.numbering();
    let leads = |from, to| leads(kernel, &numbering, from, to, &orders);
    match (leads(a, b), leads(b, a)) {
        (true, true) => Order::Around,
        (true, false) => Order::AThenB,
        (false, true) => Order::BThenA,
        (false, false) => Order::Apart,
    }
}

/// Whether a path leads from behind one instruction to another.
fn leads(
    kernel: &Kernel,
    numbering: &Numbering,
    from: InstId,
    to: InstId,
    orders: &impl Fn(&Op) -> bool,
) -> bool {
    let (first, at) = numbering.position(from);
    let target = numbering.position(to);
    let mut seen = vec![false; kernel.blocks.len()];
    let mut work: Vec<(BlockId, usize)> = vec![(first, at + 1)];
    while let Some((id, start)) = work.pop() {
        let block = kernel.block(id);
        let mut insts = block.insts.iter().enumerate().skip(start);
        let stop = insts.find(|(i, inst)| (id, *i) == target || orders(&inst.op));
        match stop {
            Some((i, _)) if (id, i) == target => return true,
            Some(_) => continue,
            None => {}
        }
        for edge in block.term.edges() {
            if !std::mem::replace(&mut seen[edge.block.index()], true) {
                work.push((edge.block, 0));
            }
        }
    }
    false
}
