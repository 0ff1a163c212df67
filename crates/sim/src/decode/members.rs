//! Which addresses of elements of a structure's member arrays are accessed at once.
//!
//! To compute an address beyond an array is no mistake, to access it is. An element is
//! accessed in the block that computes its address, `s.a[i]`, or the address is taken,
//! `&s.a[i]`, and may go anywhere; the latter is left alone.

use std::collections::HashMap;

use tilewise_ir::{BlockId, Kernel, Op, Value};

use super::step::At;
use crate::observer::AccessKind;

/// An access of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemberAccess {
    pub at: At,
    pub kind: AccessKind,
}

/// The first access of each such address.
pub(super) fn accesses(kernel: &Kernel) -> HashMap<Value, MemberAccess> {
    let mut all = HashMap::new();
    for id in kernel.block_ids() {
        in_block(kernel, id, &mut all);
    }
    all
}

fn in_block(kernel: &Kernel, id: BlockId, all: &mut HashMap<Value, MemberAccess>) {
    let numbering = kernel.numbering();
    // From the end, so that what uses an address is known before the address.
    let mut accessed: HashMap<Value, MemberAccess> = HashMap::new();
    for (index, inst) in kernel.block(id).insts.iter().enumerate().rev() {
        let at = At {
            inst: numbering.id(id, index),
            site: inst.site,
        };
        let (ptr, kind) = match &inst.op {
            Op::Load { ptr, .. } => (*ptr, AccessKind::Load),
            Op::Store { ptr, .. } => (*ptr, AccessKind::Store),
            Op::Atomic { ptr, .. } => (*ptr, AccessKind::Atomic),
            Op::PtrAdd {
                dst,
                base,
                index,
                offset,
                elements,
                ..
            } => {
                let Some(&access) = accessed.get(dst) else {
                    continue;
                };
                if elements.is_some() {
                    all.insert(*dst, access);
                }
                // A member of the element, or an element of the row.
                let inside = elements.is_some() || (index.is_none() && *offset >= 0);
                if inside {
                    accessed.insert(*base, access);
                }
                continue;
            }
            // The same address by another type.
            Op::Convert { dst, a, .. } => {
                if let Some(&access) = accessed.get(dst) {
                    accessed.insert(*a, access);
                }
                continue;
            }
            _ => continue,
        };
        accessed.insert(ptr, MemberAccess { at, kind });
    }
}
