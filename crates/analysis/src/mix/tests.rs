use std::sync::Arc;

use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{BinaryOp, BlockId, CompareOp, Conversion, InstId, Space, Ty, WorkItemQuery};
use tilewise_sim::Observer;

use super::*;
use crate::estimate::Estimate;
use crate::shape::MemoryShape;
use crate::test_machine::TestMachine;

/// Cost of everything in a block, terminator included.
fn block_cost(kernel: &Kernel, lowering: &Lowering, block: BlockId) -> [u32; 4] {
    let numbering = kernel.numbering();
    let mut sum = [0; 4];
    for i in 0..=kernel.block(block).insts.len() {
        let cost = lowering.cost(numbering.id(block, i));
        for (s, n) in sum
            .iter_mut()
            .zip([cost.fp32, cost.integer, cost.memory, cost.control])
        {
            *s += u32::from(n);
        }
    }
    sum
}

/// `out[i] = in[i-1] + in[i] + in[i+1]` with an `int` index.
fn stencil() -> Kernel {
    let mut b = KernelBuilder::new("stencil");
    let input = b.pointer_param("in", Space::Global);
    let output = b.pointer_param("out", Space::Global);
    let entry = b.new_block();
    b.at(entry);
    let gid = b.work_item(WorkItemQuery::GlobalId, 0);
    let i = b.convert(Conversion::Sext, gid, Ty::I32);
    let mut sum = None;
    for tap in [-1, 0, 1] {
        let tap = b.i32(tap);
        let at = b.binary(BinaryOp::Add, i, tap);
        let at = b.convert(Conversion::Sext, at, Ty::I64);
        let at = b.ptr_add(input, at, 4, 0);
        let value = b.load(at, Space::Global, Ty::F32);
        sum = Some(match sum {
            Some(sum) => b.binary(BinaryOp::FAdd, sum, value),
            None => value,
        });
    }
    let at = b.ptr_add(output, gid, 4, 0);
    let sum = sum.unwrap_or(i);
    b.store(at, sum, Space::Global);
    b.ret();
    b.finish()
}

#[test]
fn neighbouring_addresses_are_computed_once() {
    let kernel = stencil();
    let lowering = Lowering::new(&kernel, &MemoryShape::NVIDIA, Contraction::Allowed);
    // Two additions; the global id (2) and one address per buffer (2); three
    // loads and a store; the end.
    assert_eq!(block_cost(&kernel, &lowering, Kernel::ENTRY), [2, 4, 4, 1]);
}

#[test]
fn products_fuse_where_contraction_is_allowed() {
    let mut b = KernelBuilder::new("k");
    let p = b.pointer_param("p", Space::Global);
    let x = b.value_param("x", Ty::F32);
    let n = b.value_param("n", Ty::I32);
    let entry = b.new_block();
    b.at(entry);
    let square = b.binary(BinaryOp::FMul, x, x);
    let sum = b.binary(BinaryOp::FAdd, square, x);
    let area = b.binary(BinaryOp::Mul, n, n);
    let index = b.binary(BinaryOp::Add, area, n);
    let at = b.ptr_add(p, index, 4, 0);
    b.store(at, sum, Space::Global);
    b.ret();
    let kernel = b.finish();
    for (contraction, fp32) in [(Contraction::Allowed, 1), (Contraction::Forbidden, 2)] {
        let lowering = Lowering::new(&kernel, &MemoryShape::NVIDIA, contraction);
        assert_eq!(
            block_cost(&kernel, &lowering, Kernel::ENTRY),
            [fp32, 2, 1, 1]
        );
    }
}

#[test]
fn a_comparison_is_part_of_its_branch_and_unused_code_is_free() {
    let mut b = KernelBuilder::new("k");
    let n = b.value_param("n", Ty::I32);
    let [entry, end] = b.blocks();
    b.at(entry);
    let zero = b.i32(0);
    b.binary(BinaryOp::Mul, n, n);
    let cond = b.compare(CompareOp::SLt, n, zero);
    b.branch(cond, end, end);
    b.at(end);
    b.ret();
    let kernel = b.finish();
    let lowering = Lowering::new(&kernel, &MemoryShape::NVIDIA, Contraction::Allowed);
    assert_eq!(block_cost(&kernel, &lowering, entry), [0, 0, 0, 1]);
}

#[test]
fn counts_are_scaled_and_lanes_are_averaged() {
    let kernel = stencil();
    let lowering = Lowering::new(&kernel, &MemoryShape::NVIDIA, Contraction::Allowed);
    let plan = Arc::new(SamplePlan::all(4));
    let mut mix = MixAnalysis::new(&kernel, Arc::new(lowering), plan);
    let insts = kernel.numbering().len();
    TestMachine::linear(64, 4).run_all(&mut mix, |g| {
        for sub_group in 0..2 {
            for i in 0..insts {
                let mask = if sub_group == 0 {
                    u64::from(u32::MAX)
                } else {
                    0xffff
                };
                g.observer.instruction(sub_group, InstId::new(i), mask);
            }
        }
    });
    let result = mix.result();
    assert_eq!(result.fp32, Estimate::exact(16));
    assert_eq!(result.loads_from(Space::Global), Estimate::exact(24));
    assert_eq!(result.stores_to(Space::Global), Estimate::exact(8));
    assert_eq!(result.issued, Estimate::exact(8 * 11));
    assert_eq!(result.active_lane_ratio(), Some(0.75));
    assert_eq!(result.insts.len(), insts);
}

/// `for (k = 0; k < n; k++) sum += b[k * n + column]`, or with the index
/// clamped to `n`.
fn column_sum(clamped: bool) -> (Kernel, BlockId) {
    let mut b = KernelBuilder::new("k");
    let p = b.pointer_param("b", Space::Global);
    let n = b.value_param("n", Ty::I32);
    let [entry, body, end] = b.blocks();
    let k = b.block_param(body, Ty::I32);
    let sum = b.block_param(body, Ty::F32);
    b.at(entry);
    let (zero, nothing) = (b.i32(0), b.f32(0.0));
    let column = b.work_item(WorkItemQuery::GlobalId, 0);
    let column = b.convert(Conversion::Sext, column, Ty::I32);
    b.jump_with(body, &[zero, nothing]);
    b.at(body);
    let row = b.binary(BinaryOp::Mul, k, n);
    let mut index = b.binary(BinaryOp::Add, row, column);
    if clamped {
        index = b.math(tilewise_ir::MathFn::SMin, &[index, n]);
    }
    let index = b.convert(Conversion::Sext, index, Ty::I64);
    let at = b.ptr_add(p, index, 4, 0);
    let value = b.load(at, Space::Global, Ty::F32);
    let next_sum = b.binary(BinaryOp::FAdd, sum, value);
    let one = b.i32(1);
    let next = b.binary(BinaryOp::Add, k, one);
    let more = b.compare(CompareOp::SLt, next, n);
    b.branch_with(more, (body, &[next, next_sum]), (end, &[]));
    b.at(end);
    b.store(p, next_sum, Space::Global);
    b.ret();
    (b.finish(), body)
}

#[test]
fn addresses_that_move_steadily_are_stepped() {
    let cost = |clamped: bool| {
        let (kernel, body) = column_sum(clamped);
        let lowering = Lowering::new(&kernel, &MemoryShape::NVIDIA, Contraction::Allowed);
        block_cost(&kernel, &lowering, body)
    };
    // The step of the address and the counter.
    assert_eq!(cost(false), [1, 2, 1, 1]);
    // Multiply-add, minimum, address and the counter.
    assert_eq!(cost(true), [1, 4, 1, 1]);
}
