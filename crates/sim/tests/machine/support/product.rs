//! A matrix product, for tests and the benchmark.

use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{
    BinaryOp, CompareOp, Conversion, Kernel, MathFn, Space, Ty, Value, WorkItemQuery,
};

/// Loads the float at an index.
pub fn float_at(k: &mut KernelBuilder, base: Value, index: Value) -> Value {
    let ptr = k.ptr_add(base, index, 4, 0);
    k.load(ptr, Space::Global, Ty::F32)
}

/// `c[y][x] = sum over k of a[y][k] * b[k][x]`.
pub fn product() -> Kernel {
    let mut k = KernelBuilder::new("product");
    let a = k.pointer_param("a", Space::Global);
    let b = k.pointer_param("b", Space::Global);
    let c = k.pointer_param("c", Space::Global);
    let n = k.value_param("n", Ty::I32);
    let [entry, head, body, end] = k.blocks();
    let i = k.block_param(head, Ty::I32);
    let sum = k.block_param(head, Ty::F32);
    let (zero, one, fzero) = (k.i32(0), k.i32(1), k.f32(0.0));
    k.at(entry);
    let x = k.work_item(WorkItemQuery::GlobalId, 0);
    let x = k.convert(Conversion::Sext, x, Ty::I32);
    let y = k.work_item(WorkItemQuery::GlobalId, 1);
    let y = k.convert(Conversion::Sext, y, Ty::I32);
    let row = k.binary(BinaryOp::Mul, y, n);
    k.jump_with(head, &[zero, fzero]);
    k.at(head);
    let more = k.compare(CompareOp::SLt, i, n);
    k.branch(more, body, end);
    k.at(body);
    let at = k.binary(BinaryOp::Add, row, i);
    let va = float_at(&mut k, a, at);
    let at = k.binary(BinaryOp::Mul, i, n);
    let at = k.binary(BinaryOp::Add, at, x);
    let vb = float_at(&mut k, b, at);
    let next_sum = k.math(MathFn::Fma, &[va, vb, sum]);
    let next = k.binary(BinaryOp::Add, i, one);
    k.jump_with(head, &[next, next_sum]);
    k.at(end);
    let at = k.binary(BinaryOp::Add, row, x);
    let ptr = k.ptr_add(c, at, 4, 0);
    k.store(ptr, sum, Space::Global);
    k.ret();
    k.finish()
}
