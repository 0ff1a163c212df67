//! Which addresses are computed from what the kernel has loaded.
//!
//! A value depends on data where it is loaded, or computed from such a value. What
//! private memory hands on counts as loaded, too; which path control takes does
//! not.

use tilewise_ir::{Kernel, Op, Value};

/// By instruction: it accesses memory at an address that depends on data.
pub fn addresses_from_data(kernel: &Kernel) -> Vec<bool> {
    let data = from_data(kernel);
    let numbering = kernel.numbering();
    let mut found = vec![false; numbering.len()];
    for block in kernel.block_ids() {
        for (i, inst) in kernel.block(block).insts.iter().enumerate() {
            let any = pointers(&inst.op).any(|p| data[p.index()]);
            found[numbering.id(block, i).index()] = any;
        }
    }
    found
}

/// The addresses of an operation.
fn pointers(op: &Op) -> impl Iterator<Item = Value> {
    let pair = match op {
        Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::Atomic { ptr, .. } => [Some(*ptr), None],
        Op::Copy { dst, src, .. } => [Some(*dst), Some(*src)],
        _ => [None, None],
    };
    pair.into_iter().flatten()
}

/// By value: whether it is computed from what the kernel has loaded.
fn from_data(kernel: &Kernel) -> Vec<bool> {
    let mut data = vec![false; kernel.values.len()];
    loop {
        let mut changed = false;
        let mut set = |data: &mut Vec<bool>, value: Value| {
            changed |= !std::mem::replace(&mut data[value.index()], true);
        };
        for block in &kernel.blocks {
            for inst in &block.insts {
                let mut any = matches!(
                    inst.op,
                    Op::Load { .. } | Op::Atomic { .. } | Op::ImageRead { .. } | Op::Group { .. }
                );
                inst.op.for_each_use(|u| any |= data[u.index()]);
                if any {
                    inst.op.for_each_def(|d| set(&mut data, d));
                }
            }
            for edge in block.term.edges() {
                for (p, a) in kernel.block(edge.block).params.iter().zip(&edge.args) {
                    if data[a.index()] {
                        set(&mut data, *p);
                    }
                }
            }
        }
        if !changed {
            return data;
        }
    }
}
