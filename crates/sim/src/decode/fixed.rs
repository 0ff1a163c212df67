//! What a launch fixes before the kernel starts: constants, parameters, addresses, sizes of
//! the range, and the whole numbers that are computed from these alone, which then need
//! not be computed at all (constant folding).
//!
//! What it misses: floating-point numbers, divisions, which may be faults, and shifts,
//! whose counts may be looked at.

use tilewise_ir::pointer::pack;
use tilewise_ir::{Conversion, Kernel, Op, ParamBinding, ValueDef, WorkItemQuery};
use tilewise_launch::{ArgValue, Launch, NdRange};

use crate::error::SimError;
use crate::memory::Regions;
use crate::semantics::convert::{convert, truncate};
use crate::semantics::integer::low_bits;

/// The bits of constants, kernel parameters and addresses of variables.
pub(super) fn by_launch(
    kernel: &Kernel,
    launch: &Launch,
    regions: &Regions,
) -> Result<Vec<Option<u64>>, SimError> {
    let constant = |v: &tilewise_ir::ValueData| match v.def {
        ValueDef::Const(bits) => Some(bits),
        _ => None,
    };
    let mut fixed: Vec<Option<u64>> = kernel.values.iter().map(constant).collect();
    for (index, (param, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
        match &param.binding {
            ParamBinding::Pointer { value, .. } | ParamBinding::Image { value } => {
                // A null pointer has no bit set, as a constant one has none.
                let bits = regions.of_arg(index).map_or(0, |region| pack(region, 0));
                fixed[value.index()] = Some(bits);
            }
            ParamBinding::Values(values) => {
                let sampler;
                let bytes: &[u8] = match &arg.value {
                    ArgValue::Bytes(bytes) => bytes,
                    ArgValue::Sampler(given) => {
                        sampler = given.bits().to_le_bytes();
                        &sampler
                    }
                    _ => &[],
                };
                for (n, &value) in values.iter().enumerate() {
                    let size = kernel.ty(value).size() as usize;
                    let Some(part) = bytes.get(n * size..(n + 1) * size) else {
                        return Err(SimError::Argument {
                            index,
                            name: param.name.clone(),
                            why: format!(
                                "the kernel takes {} bytes, the launch gives {}",
                                values.len() * size,
                                bytes.len()
                            ),
                        });
                    };
                    let mut bits = [0; 8];
                    bits[..size].copy_from_slice(part);
                    fixed[value.index()] = Some(u64::from_le_bytes(bits));
                }
            }
            // A private variable's bytes.
            ParamBinding::ByValue(_) => {}
        }
    }
    for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
        if let Op::VarAddr { dst, var } = inst.op {
            fixed[dst.index()] = Some(pack(regions.of_var(var), 0));
        }
    }
    Ok(fixed)
}

/// Adds what follows from the range and from what is fixed already.
pub(super) fn fold(kernel: &Kernel, range: &NdRange, fixed: &mut [Option<u64>]) {
    // Blocks stand in no particular order.
    loop {
        let mut changed = false;
        for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
            let Some((dst, bits)) = folded(kernel, range, fixed, &inst.op) else {
                continue;
            };
            if fixed[dst.index()].is_none() {
                fixed[dst.index()] = Some(truncate(bits, kernel.ty(dst)));
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// What an instruction gives in every work-item, if that can be told.
fn folded(
    kernel: &Kernel,
    range: &NdRange,
    fixed: &[Option<u64>],
    op: &Op,
) -> Option<(tilewise_ir::Value, u64)> {
    match *op {
        Op::WorkItem { dst, query, dim } => {
            let d = usize::from(dim).min(2);
            let full = range.local[d] != 0 && range.global[d].is_multiple_of(range.local[d]);
            let bits = match query {
                WorkItemQuery::GlobalSize => range.global[d],
                WorkItemQuery::NumGroups => range.groups()[d],
                WorkItemQuery::GlobalOffset => range.offset[d],
                WorkItemQuery::EnqueuedLocalSize => range.local[d],
                WorkItemQuery::LocalSize if full => range.local[d],
                WorkItemQuery::WorkDim => u64::from(range.dims),
                _ => return None,
            };
            Some((dst, bits))
        }
        Op::Convert {
            op: op @ (Conversion::Sext | Conversion::Zext),
            dst,
            a,
        } => {
            let bits = fixed[a.index()]?;
            Some((dst, convert(op, kernel.ty(a), kernel.ty(dst), bits)))
        }
        Op::Binary { op, dst, a, b } if kernel.ty(dst).is_int() => {
            let (a, b) = (fixed[a.index()]?, fixed[b.index()]?);
            Some((dst, low_bits(op, a, b)?))
        }
        _ => None,
    }
}
