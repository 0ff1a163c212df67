//! Affine values: random sums of ids, products and extensions, with and without the
//! machine's short cuts; and a use behind a loop that lanes leave one by one.

use crate::support::{Random, buffer, launch, range1, simulate_by_lane, simulate_with, value};
use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{
    BinaryOp, CompareOp, Conversion, Kernel, Space, Ty, UnaryOp, Value, WorkItemQuery,
};
use tilewise_launch::{Fill, NdRange, Scalar};

/// Results that each work-item writes.
const RESULTS: i64 = 10;

/// Sums, products and extensions of ids in a straight line. Some numbers are large,
/// so that they wrap within a sub-group or between groups.
fn random_sums(seed: u64) -> Kernel {
    let mut random = Random::new(seed);
    let mut k = KernelBuilder::new("sums");
    let out = k.pointer_param("out", Space::Global);
    let table = k.pointer_param("table", Space::Global);
    let n = k.value_param("n", Ty::I32);
    let entry = k.new_block();
    k.at(entry);
    let constants = [1, -1, 3, 16, 0x7FFF_FFF0, i32::MIN, 0x4000_0001].map(|c| k.i32(c));
    let wide_constants = [1, -4, 1 << 31, 1 << 40].map(|c| k.i64(c));
    let mut wide: Vec<Value> = Vec::new();
    for dim in 0..2 {
        wide.push(k.work_item(WorkItemQuery::GlobalId, dim));
        wide.push(k.work_item(WorkItemQuery::LocalId, dim));
    }
    let mut narrow: Vec<Value> = Vec::new();
    for &id in &wide {
        narrow.push(k.convert(Conversion::Zext, id, Ty::I32));
    }
    let [x, y] = [narrow[0], narrow[2]];
    let group = k.work_item(WorkItemQuery::GroupId, 0);
    narrow.push(k.convert(Conversion::Zext, group, Ty::I32));
    wide.push(group);
    narrow.push(n);
    let mut truths: Vec<Value> = Vec::new();
    for _ in 0..14 {
        match random.of(&[0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7]) {
            0 => {
                let op = random.of(&[BinaryOp::Add, BinaryOp::Sub]);
                let a = random.of(&narrow);
                let b = [random.of(&narrow), random.of(&constants)];
                let b = random.of(&b);
                narrow.push(k.binary(op, a, b));
            }
            1 => {
                let (a, c) = (random.of(&narrow), random.of(&constants));
                let op = random.of(&[BinaryOp::Mul, BinaryOp::Shl]);
                narrow.push(k.binary(op, a, c));
            }
            2 => {
                let a = random.of(&narrow);
                narrow.push(k.unary(UnaryOp::Neg, a));
            }
            3 | 4 => {
                let op = random.of(&[Conversion::Sext, Conversion::Zext]);
                let a = random.of(&narrow);
                wide.push(k.convert(op, a, Ty::I64));
            }
            5 => {
                let op = random.of(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul]);
                let a = random.of(&wide);
                let b = match op {
                    BinaryOp::Mul => random.of(&wide_constants),
                    _ => random.of(&wide),
                };
                wide.push(k.binary(op, a, b));
            }
            6 => {
                let a = random.of(&wide);
                narrow.push(k.convert(Conversion::Sext, a, Ty::I32));
            }
            _ => {
                let op = random.of(&[
                    CompareOp::Eq,
                    CompareOp::Ne,
                    CompareOp::SLt,
                    CompareOp::SGe,
                    CompareOp::ULe,
                    CompareOp::UGt,
                ]);
                let (a, b) = if random.of(&[true, false]) {
                    (random.of(&narrow), random.of(&[narrow[4], n, constants[3]]))
                } else {
                    (random.of(&wide), random.of(&[group, wide_constants[1]]))
                };
                let sides = random.of(&[[a, b], [b, a]]);
                truths.push(k.compare(op, sides[0], sides[1]));
            }
        }
    }
    // A load at an index that may lie outside, and results.
    let mut results: Vec<Value> = Vec::new();
    for index in [random.of(&narrow), random.of(&wide)] {
        let ptr = k.ptr_add(table, index, random.of(&[4, 12, -8]), 64);
        results.push(k.load(ptr, Space::Global, Ty::I32));
    }
    for &truth in truths.iter().take(2) {
        results.push(k.convert(Conversion::Zext, truth, Ty::I32));
    }
    results.extend(narrow.iter().rev().take(3));
    for &v in wide.iter().rev().take(1) {
        let high = k.i64(32);
        let high = k.binary(BinaryOp::LShr, v, high);
        for v in [v, high] {
            results.push(k.convert(Conversion::Zext, v, Ty::I32));
        }
    }
    let width = k.i32(64);
    let row = k.binary(BinaryOp::Mul, y, width);
    let id = k.binary(BinaryOp::Add, row, x);
    for (i, &v) in results.iter().enumerate() {
        let ptr = k.ptr_add(out, id, 4 * RESULTS, 4 * i as i64);
        k.store(ptr, v, Space::Global);
    }
    k.ret();
    k.finish()
}

#[test]
fn sums_are_the_same_lane_by_lane() {
    // Rows within a sub-group and beyond it, and groups at the ends that are smaller.
    for (local, width) in [
        ([16, 2], 32),
        ([64, 1], 32),
        ([8, 4], 32),
        ([5, 3], 8),
        ([64, 2], 64),
    ] {
        for seed in 0..60 {
            let kernel = random_sums(seed);
            let range = NdRange {
                dims: 2,
                global: [60, 6, 1],
                offset: [seed % 3, 0, 0],
                local: [local[0], local[1], 1],
            };
            let args = vec![
                buffer(Scalar::I32, 64 * 8 * RESULTS as u64, Fill::Zero),
                buffer(Scalar::I32, 200, Fill::Iota),
                value(if seed % 2 == 0 { 17 } else { i32::MAX - 5 }),
            ];
            let launch = launch(&kernel, range, args);
            let fast = simulate_with(&kernel, &launch, width, 1, &mut ());
            let slow = simulate_by_lane(&kernel, &launch, width);
            assert_eq!(
                fast.summary, slow.summary,
                "seed {seed}, {local:?}\n{kernel}"
            );
            let words = 64 * 8 * RESULTS as usize;
            assert_eq!(
                fast.i32s(0, words),
                slow.i32s(0, words),
                "seed {seed}, {local:?}\n{kernel}"
            );
        }
    }
}

#[test]
fn behind_a_loop_lanes_keep_what_they_left_with() {
    // for (i = 0; i <= lid; i++) v = 100 * i + lid;  out[gid] = v;
    let mut k = KernelBuilder::new("left");
    let out = k.pointer_param("out", Space::Global);
    let [entry, head, end] = k.blocks();
    let i = k.block_param(head, Ty::I32);
    let (zero, one, hundred) = (k.i32(0), k.i32(1), k.i32(100));
    k.at(entry);
    let [lid, gid] = [WorkItemQuery::LocalId, WorkItemQuery::GlobalId].map(|query| {
        let id = k.work_item(query, 0);
        k.convert(Conversion::Zext, id, Ty::I32)
    });
    k.jump_with(head, &[zero]);
    k.at(head);
    let scaled = k.binary(BinaryOp::Mul, i, hundred);
    let v = k.binary(BinaryOp::Add, scaled, lid);
    let next = k.binary(BinaryOp::Add, i, one);
    let again = k.compare(CompareOp::SLe, next, lid);
    k.branch_with(again, (head, &[next]), (end, &[]));
    k.at(end);
    let ptr = k.ptr_add(out, gid, 4, 0);
    k.store(ptr, v, Space::Global);
    k.ret();
    let kernel = k.finish();
    let args = vec![buffer(Scalar::I32, 96, Fill::Zero)];
    let launch = launch(&kernel, range1(96, 48), args);
    let ran = simulate_with(&kernel, &launch, 32, 1, &mut ());
    let expected: Vec<i32> = (0..96).map(|gid| 101 * (gid % 48)).collect();
    assert_eq!(ran.i32s(0, 96), expected);
}
