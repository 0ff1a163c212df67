//! Whole kernels, built by hand, against references in plain Rust.

use crate::support::product::{float_at, product};
use crate::support::{Ran, buffer, launch, range1, simulate, simulate_with, value};
use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{BinaryOp, CompareOp, Conversion, Kernel, Space, Ty, WorkItemQuery};
use tilewise_launch::{ArgValue, Fill, NdRange, Scalar};

/// `out[i] = in[i-1] + in[i] + in[i+1]` with zeros beyond the ends.
fn blur() -> Kernel {
    let mut k = KernelBuilder::new("blur");
    let input = k.pointer_param("in", Space::Global);
    let out = k.pointer_param("out", Space::Global);
    let n = k.value_param("n", Ty::I32);
    let [entry, body, left, mid, right, last, end] = k.blocks();
    let l = k.block_param(mid, Ty::F32);
    let r = k.block_param(last, Ty::F32);
    let (zero, one, fzero) = (k.i32(0), k.i32(1), k.f32(0.0));
    k.at(entry);
    let gid = k.work_item(WorkItemQuery::GlobalId, 0);
    let gid = k.convert(Conversion::Sext, gid, Ty::I32);
    let in_range = k.compare(CompareOp::SLt, gid, n);
    k.branch(in_range, body, end);
    k.at(body);
    let has_left = k.compare(CompareOp::SGt, gid, zero);
    k.branch_with(has_left, (left, &[]), (mid, &[fzero]));
    k.at(left);
    let ptr = k.ptr_add(input, gid, 4, -4);
    let v = k.load(ptr, Space::Global, Ty::F32);
    k.jump_with(mid, &[v]);
    k.at(mid);
    let m = float_at(&mut k, input, gid);
    let next = k.binary(BinaryOp::Add, gid, one);
    let has_right = k.compare(CompareOp::SLt, next, n);
    k.branch_with(has_right, (right, &[]), (last, &[fzero]));
    k.at(right);
    let v = float_at(&mut k, input, next);
    k.jump_with(last, &[v]);
    k.at(last);
    let sum = k.binary(BinaryOp::FAdd, l, m);
    let sum = k.binary(BinaryOp::FAdd, sum, r);
    let ptr = k.ptr_add(out, gid, 4, 0);
    k.store(ptr, sum, Space::Global);
    k.jump(end);
    k.at(end).ret();
    k.finish()
}

fn run_blur(n: i32, local: u64, width: u32, threads: usize) -> Ran {
    let kernel = blur();
    let global = (n as u64).next_multiple_of(local);
    let args = vec![
        buffer(Scalar::F32, n as u64, Fill::Random { range: None }),
        buffer(Scalar::F32, n as u64, Fill::Zero),
        value(n),
    ];
    let launch = launch(&kernel, range1(global, local), args);
    simulate_with(&kernel, &launch, width, threads, &mut ())
}

#[test]
fn blur_equals_its_reference() {
    for (n, local, width) in [
        (1, 64, 32),
        (2, 32, 32),
        (257, 64, 32),
        (1000, 100, 32),
        (1000, 96, 64),
        (1000, 64, 16),
        (5000, 256, 64),
    ] {
        let ran = run_blur(n, local, width, 1);
        assert_eq!(ran.summary.faults, [], "n = {n}");
        let n = n as usize;
        let input = ran.f32s(0, n);
        let out = ran.f32s(1, n);
        for i in 0..n {
            let l = if i > 0 { input[i - 1] } else { 0.0 };
            let r = if i + 1 < n { input[i + 1] } else { 0.0 };
            assert_eq!(out[i], l + input[i] + r, "out[{i}], n = {n}, width {width}");
        }
    }
}

#[test]
fn threads_do_not_matter() {
    let one = run_blur(20_000, 64, 32, 1);
    let four = run_blur(20_000, 64, 32, 4);
    assert_eq!(one.summary, four.summary);
    assert_eq!(one.memory.first_difference(1, &four.memory, 1), None);
    assert!(one.memory.written_pages(1).len() == 1);
}

#[test]
fn product_equals_its_reference() {
    let kernel = product();
    let n = 48usize;
    for local in [[16, 16, 1], [48, 2, 1], [8, 4, 1], [32, 3, 1]] {
        let range = NdRange {
            dims: 2,
            global: [48, 48, 1],
            offset: [0; 3],
            local,
        };
        let floats = |fill| buffer(Scalar::F32, (n * n) as u64, fill);
        let random = || floats(Fill::Random { range: None });
        let args: Vec<ArgValue> = vec![random(), random(), floats(Fill::Zero), value(n as i32)];
        let ran = simulate(&kernel, &launch(&kernel, range, args));
        assert_eq!(ran.summary.faults, []);
        let (a, b, c) = (ran.f32s(0, n * n), ran.f32s(1, n * n), ran.f32s(2, n * n));
        for y in 0..n {
            for x in 0..n {
                let expected = (0..n).fold(0f32, |s, k| a[y * n + k].mul_add(b[k * n + x], s));
                assert_eq!(c[y * n + x], expected, "c[{y}][{x}], group {local:?}");
            }
        }
        // Every lane is active: 48 x 48 work-items, 11 instructions a step.
        assert!(
            ran.summary.active_lanes() > 0.74,
            "{}",
            ran.summary.active_lanes()
        );
    }
}
