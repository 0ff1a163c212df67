//! Component stores: `t[i].x = …`.
//!
//! SPIR-V has no such store; compilers load the whole vector, set the component
//! and store the vector. Where a store writes back components that a load from
//! the same address gave, with nothing written in between, it is turned into a
//! store of the other components, and the load, if it served nothing else, is
//! dropped: one access in the source, one access here.

use std::collections::HashMap;

use tilewise_ir::{Kernel, Op, Value};

/// Recognises component stores in every block.
pub fn mask_component_stores(kernel: &mut Kernel) {
    let mut uses = count_uses(kernel);
    for block in &mut kernel.blocks {
        // Loads since the last write, by address: index in the block.
        let mut loads: HashMap<Value, Vec<usize>> = HashMap::new();
        let mut dropped = vec![false; block.insts.len()];
        for at in 0..block.insts.len() {
            let (before, rest) = block.insts.split_at_mut(at);
            let op = &mut rest[0].op;
            if let Op::Store { src, ptr, access } = op
                && !access.volatile
                && access.count > 1
            {
                let earlier = loads.get(ptr).into_iter().flatten().rev();
                for &index in earlier {
                    let Op::Load {
                        dst,
                        access: loaded,
                        ..
                    } = &before[index].op
                    else {
                        continue;
                    };
                    let same_place = loaded.elem == access.elem
                        && loaded.space == access.space
                        && loaded.count >= access.count
                        && !loaded.volatile;
                    let kept = |(s, d): (&Option<Value>, &Value)| *s == Some(*d);
                    let same = src.iter().zip(dst).filter(|&p| kept(p)).count();
                    if !same_place || same == 0 || same == src.len() {
                        continue;
                    }
                    for (source, &component) in src.iter_mut().zip(dst) {
                        if *source == Some(component) {
                            *source = None;
                            uses.entry(component).and_modify(|n| *n -= 1);
                        }
                    }
                    let unused = dst.iter().all(|d| uses.get(d).is_none_or(|&n| n == 0));
                    dropped[index] = unused;
                    break;
                }
            }
            match &rest[0].op {
                Op::Load { ptr, .. } => loads.entry(*ptr).or_default().push(at),
                op if writes_memory(op) => loads.clear(),
                _ => {}
            }
        }
        let mut dropped = dropped.into_iter();
        block.insts.retain(|_| !dropped.next().unwrap_or(false));
    }
}

fn writes_memory(op: &Op) -> bool {
    matches!(
        op,
        Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Copy { .. }
            | Op::Barrier { .. }
            | Op::Group { .. }
            | Op::Fence { .. }
            | Op::AsyncCopy { .. }
            | Op::WaitEvents
            | Op::LifetimeStart { .. }
    )
}

/// Number of uses of each value, in instructions and terminators.
pub fn count_uses(kernel: &Kernel) -> HashMap<Value, usize> {
    let mut uses = HashMap::new();
    let mut count = |v: Value| *uses.entry(v).or_insert(0) += 1;
    for block in &kernel.blocks {
        for inst in &block.insts {
            inst.op.for_each_use(&mut count);
        }
        block.term.for_each_use(&mut count);
    }
    uses
}
