//! Which instructions take the count of a shift modulo the number of bits.
//!
//! OpenCL C (6.3.j of version 1.2) defines a shift by the low `log2 N` bits of its
//! count alone, `N` being the bits of the value. A compiler writes that down as a
//! mask, at the place of the shift itself, which tells it from a mask of the source.
//! Counts that are constants have been masked by then.

use std::collections::HashMap;

use tilewise_ir::{BinaryOp, Kernel, Op, Value};

/// A count and the bits of the value that it shifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShiftMask {
    /// The count before it is masked.
    pub count: Value,
    pub bits: u32,
}

/// The masks, by the value that each gives.
pub(super) fn masks(kernel: &Kernel) -> HashMap<Value, ShiftMask> {
    let insts = || kernel.blocks.iter().flat_map(|b| &b.insts);
    let mut shifted = HashMap::new();
    for inst in insts() {
        if let Op::Binary {
            op: BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr,
            a,
            b,
            ..
        } = inst.op
        {
            shifted.insert(b, (8 * kernel.ty(a).size(), inst.site));
        }
    }
    let mut masks = HashMap::new();
    for inst in insts() {
        if let Op::Binary {
            op: BinaryOp::And,
            dst,
            a,
            b,
        } = inst.op
            && let Some(&(bits, site)) = shifted.get(&dst)
            && kernel.constant(b) == Some(u64::from(bits) - 1)
            && inst.site == site
        {
            masks.insert(dst, ShiftMask { count: a, bits });
        }
    }
    masks
}
