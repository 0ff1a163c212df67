//! Parameters of loops that grow alike for all lanes: random nests of two loops, with and
//! without the machine's short cuts.

use crate::support::{Random, buffer, launch, simulate_by_lane, simulate_with, value};
use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{BinaryOp, CompareOp, Conversion, Kernel, Space, Ty, Value, WorkItemQuery};
use tilewise_launch::{Fill, NdRange, Scalar};

/// Results that each work-item writes.
const RESULTS: i64 = 4;

/// An outer loop with an inner one. First values, steps and ends are uniform, sums of ids,
/// or data; lanes may leave either loop one by one, or part within the inner one.
fn random_loops(seed: u64) -> Kernel {
    let mut random = Random::new(seed);
    let mut k = KernelBuilder::new("loops");
    let out = k.pointer_param("out", Space::Global);
    let table = k.pointer_param("table", Space::Global);
    let n = k.value_param("n", Ty::I32);
    let [entry, outer, inner, side, latch, behind, end] = k.blocks();
    let [o, p, total] = [Ty::I32, Ty::I32, Ty::I32].map(|ty| k.block_param(outer, ty));
    let [j, u, sum] = [Ty::I32, Ty::I32, Ty::I32].map(|ty| k.block_param(inner, ty));
    let q = k.block_param(inner, Ty::I64);
    let merged = k.block_param(latch, Ty::I32);
    let [zero, one, two, three, six] = [0, 1, 2, 3, 6].map(|c| k.i32(c));
    let [odd, large] = [-7, i32::MAX - 20].map(|c| k.i32(c));
    let [wide_step, wide_zero] = [12, 0].map(|c| k.i64(c));

    k.at(entry);
    let [lid, gid] = [WorkItemQuery::LocalId, WorkItemQuery::GlobalId].map(|query| {
        let id = k.work_item(query, 0);
        k.convert(Conversion::Zext, id, Ty::I32)
    });
    let wide_id = k.convert(Conversion::Sext, gid, Ty::I64);
    let data = {
        let ptr = k.ptr_add(table, one, 4, 0);
        k.load(ptr, Space::Global, Ty::I32)
    };
    let few = k.binary(BinaryOp::And, lid, three);
    let by_lane = k.binary(BinaryOp::Add, few, two);
    let tripled = k.binary(BinaryOp::Mul, gid, three);
    let shifted = k.binary(BinaryOp::Add, lid, n);
    let firsts = [gid, lid, tripled, shifted, zero, large, few];
    let first_p = random.of(&firsts);
    k.jump_with(outer, &[zero, first_p, zero]);

    k.at(outer);
    // Registers that others may have in turn.
    let scaled = k.binary(BinaryOp::Mul, o, n);
    let near = k.binary(BinaryOp::Add, scaled, data);
    let moved = k.binary(BinaryOp::Add, p, near);
    let first = random.of(&[gid, lid, tripled, p, p, moved, shifted, zero]);
    let first_wide = random.of(&[wide_id, wide_zero]);
    k.jump_with(inner, &[first, zero, total, first_wide]);

    k.at(inner);
    let uniform = k.binary(BinaryOp::Mul, u, six);
    let uniform = k.binary(BinaryOp::Xor, uniform, n);
    let uniform = k.binary(BinaryOp::Add, uniform, o);
    let ptr = k.ptr_add(table, j, random.of(&[4, -4, 8]), 400);
    let loaded = k.load(ptr, Space::Global, Ty::I32);
    let ptr = k.ptr_add(table, q, 4, 0);
    let other = k.load(ptr, Space::Global, Ty::I32);
    let mixed = k.binary(BinaryOp::Add, loaded, uniform);
    let mixed = k.binary(BinaryOp::Xor, mixed, other);
    let folded = k.binary(BinaryOp::Mul, sum, random.of(&[three, odd]));
    let folded = k.binary(BinaryOp::Add, folded, mixed);
    let parts = k.compare(random.of(&[CompareOp::SLt, CompareOp::ULt]), j, near);
    if random.of(&[true, false]) {
        k.branch_with(parts, (side, &[]), (latch, &[folded]));
    } else {
        k.jump(side);
    }

    k.at(side);
    let changed = k.binary(BinaryOp::Add, folded, random.of(&[j, odd]));
    k.jump_with(latch, &[changed]);

    k.at(latch);
    let step = random.of(&[one, odd, data, n, u, o, uniform, few]);
    let next = match random.of(&[true, true, false]) {
        true => k.binary(BinaryOp::Add, j, step),
        false => k.binary(BinaryOp::Sub, j, random.of(&[one, data])),
    };
    let next_wide = k.binary(BinaryOp::Add, q, wide_step);
    let counted = k.binary(BinaryOp::Add, u, one);
    let again = k.compare(CompareOp::SLt, counted, random.of(&[six, by_lane]));
    k.branch_with(
        again,
        (inner, &[next, counted, merged, next_wide]),
        (behind, &[]),
    );

    k.at(behind);
    let left = random.of(&[j, next, u]);
    let sum = k.binary(BinaryOp::Add, merged, left);
    let grown = k.binary(BinaryOp::Add, p, random.of(&[two, data, n, o, left, lid]));
    let round = k.binary(BinaryOp::Add, o, one);
    let again = k.compare(CompareOp::SLt, round, random.of(&[three, by_lane]));
    k.branch_with(again, (outer, &[round, grown, sum]), (end, &[]));

    k.at(end);
    let results: [Value; RESULTS as usize] = [sum, left, grown, round];
    for (i, &v) in results.iter().enumerate() {
        let ptr = k.ptr_add(out, gid, 4 * RESULTS, 4 * i as i64);
        k.store(ptr, v, Space::Global);
    }
    k.ret();
    k.finish()
}

#[test]
fn loops_are_the_same_lane_by_lane() {
    for (local, width) in [(16, 32), (64, 32), (48, 32), (5, 8), (64, 64)] {
        for seed in 0..200 {
            let kernel = random_loops(seed);
            let range = NdRange {
                dims: 1,
                global: [150, 1, 1],
                offset: [seed % 3, 0, 0],
                local: [local, 1, 1],
            };
            let args = vec![
                buffer(Scalar::I32, 160 * RESULTS as u64, Fill::Zero),
                buffer(Scalar::I32, 700, Fill::Iota),
                value(if seed % 4 == 0 { i32::MAX - 5 } else { 17 }),
            ];
            let launch = launch(&kernel, range, args);
            let fast = simulate_with(&kernel, &launch, width, 1, &mut ());
            let slow = simulate_by_lane(&kernel, &launch, width);
            assert_eq!(fast.summary, slow.summary, "seed {seed}, {local}\n{kernel}");
            let words = 160 * RESULTS as usize;
            assert_eq!(
                fast.i32s(0, words),
                slow.i32s(0, words),
                "seed {seed}, {local}\n{kernel}"
            );
        }
    }
}
