//! Divergence, loops, barriers: where lanes go, and what is said when they
//! can't go on together.

use std::collections::HashMap;

use crate::support::{given, launch, range1, simulate, simulate_with, value};
use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{
    BinaryOp, BlockId, CompareOp, Conversion, Fence, InstId, Kernel, Op, Space, Ty, Value,
    WorkItemQuery,
};
use tilewise_sim::{Analysis, BarrierEvent, FaultKind, GroupInfo, Observer};

/// `get_global_id(0)` as an `int`.
fn gid(k: &mut KernelBuilder) -> Value {
    let id = k.work_item(WorkItemQuery::GlobalId, 0);
    k.convert(Conversion::Sext, id, Ty::I32)
}

fn lid(k: &mut KernelBuilder) -> Value {
    let id = k.work_item(WorkItemQuery::LocalId, 0);
    k.convert(Conversion::Sext, id, Ty::I32)
}

fn store_at(k: &mut KernelBuilder, base: Value, index: Value, v: Value) {
    let ptr = k.ptr_add(base, index, 4, 0);
    k.store(ptr, v, Space::Global);
}

/// Runs a kernel whose only argument is `out`, one `int` per work-item.
fn outputs(kernel: &Kernel, global: u64, local: u64) -> Vec<i32> {
    let zeros = vec![0; global as usize];
    let launch = launch(kernel, range1(global, local), vec![given(&zeros)]);
    let ran = simulate(kernel, &launch);
    assert_eq!(ran.summary.faults, []);
    ran.i32s(0, global as usize)
}

/// Trip counts that differ by lane, with `continue` and `break`:
/// ```c
/// int s = 0;
/// for (int i = 0; i < gid; i++) {
///     if (i % 3 == 1) continue;
///     if (s > 50) break;
///     s += i;
/// }
/// ```
#[test]
fn loops_with_continue_and_break() {
    for direct_continue in [false, true] {
        let mut k = KernelBuilder::new("k");
        let out = k.pointer_param("out", Space::Global);
        let [entry, head, body, test, add, latch, end] = k.blocks();
        let i = k.block_param(head, Ty::I32);
        let s = k.block_param(head, Ty::I32);
        let latch_s = k.block_param(latch, Ty::I32);
        let (zero, one, three, fifty) = (k.i32(0), k.i32(1), k.i32(3), k.i32(50));
        k.at(entry);
        let id = gid(&mut k);
        k.jump_with(head, &[zero, zero]);
        k.at(head);
        let more = k.compare(CompareOp::SLt, i, id);
        k.branch(more, body, end);
        k.at(body);
        let rest = k.binary(BinaryOp::SRem, i, three);
        let skip = k.compare(CompareOp::Eq, rest, one);
        let next_early = k.binary(BinaryOp::Add, i, one);
        if direct_continue {
            // The back edge leaves from here: lanes overtake each other.
            k.branch_with(skip, (head, &[next_early, s]), (test, &[]));
        } else {
            k.branch_with(skip, (latch, &[s]), (test, &[]));
        }
        k.at(test);
        let full = k.compare(CompareOp::SGt, s, fifty);
        k.branch(full, end, add);
        k.at(add);
        let sum = k.binary(BinaryOp::Add, s, i);
        k.jump_with(latch, &[sum]);
        k.at(latch);
        let next = k.binary(BinaryOp::Add, i, one);
        k.jump_with(head, &[next, latch_s]);
        k.at(end);
        store_at(&mut k, out, id, s);
        k.ret();
        let kernel = k.finish();
        let expected: Vec<i32> = (0..100)
            .map(|id| {
                let mut s = 0;
                for i in 0..id {
                    if i % 3 == 1 {
                        continue;
                    }
                    if s > 50 {
                        break;
                    }
                    s += i;
                }
                s
            })
            .collect();
        assert_eq!(
            outputs(&kernel, 100, 50),
            expected,
            "direct: {direct_continue}"
        );
    }
}

/// Nested loops over both ids, with a branch inside:
/// `for (i = 0; i <= gid % 5; i++) for (j = i; j < 4; j++) s += gid & 1 ? i * j : i + j;`
#[test]
fn nested_loops() {
    let mut k = KernelBuilder::new("k");
    let out = k.pointer_param("out", Space::Global);
    let [
        entry,
        outer,
        start,
        inner,
        body,
        odd,
        even,
        latch,
        next_outer,
        end,
    ] = k.blocks();
    let i = k.block_param(outer, Ty::I32);
    let s0 = k.block_param(outer, Ty::I32);
    let j = k.block_param(inner, Ty::I32);
    let s1 = k.block_param(inner, Ty::I32);
    let term = k.block_param(latch, Ty::I32);
    let (zero, one, four, five) = (k.i32(0), k.i32(1), k.i32(4), k.i32(5));
    k.at(entry);
    let id = gid(&mut k);
    let last = k.binary(BinaryOp::SRem, id, five);
    let bit = k.binary(BinaryOp::And, id, one);
    let is_odd = k.compare(CompareOp::Eq, bit, one);
    k.jump_with(outer, &[zero, zero]);
    k.at(outer);
    let more = k.compare(CompareOp::SLe, i, last);
    k.branch(more, start, end);
    k.at(start).jump_with(inner, &[i, s0]);
    k.at(inner);
    let more = k.compare(CompareOp::SLt, j, four);
    k.branch(more, body, next_outer);
    k.at(body).branch(is_odd, odd, even);
    k.at(odd);
    let t = k.binary(BinaryOp::Mul, i, j);
    k.jump_with(latch, &[t]);
    k.at(even);
    let t = k.binary(BinaryOp::Add, i, j);
    k.jump_with(latch, &[t]);
    k.at(latch);
    let sum = k.binary(BinaryOp::Add, s1, term);
    let next = k.binary(BinaryOp::Add, j, one);
    k.jump_with(inner, &[next, sum]);
    k.at(next_outer);
    let next = k.binary(BinaryOp::Add, i, one);
    k.jump_with(outer, &[next, s1]);
    k.at(end);
    store_at(&mut k, out, id, s0);
    k.ret();
    let kernel = k.finish();
    let expected: Vec<i32> = (0..96)
        .map(|id: i32| {
            let mut s = 0;
            for i in 0..=id % 5 {
                for j in i..4 {
                    s += if id & 1 == 1 { i * j } else { i + j };
                }
            }
            s
        })
        .collect();
    assert_eq!(outputs(&kernel, 96, 48), expected);
}

/// A switch with a default, and two cases that share a block.
#[test]
fn switch() {
    let mut k = KernelBuilder::new("k");
    let out = k.pointer_param("out", Space::Global);
    let [entry, a, b, other, end] = k.blocks();
    let r = k.block_param(end, Ty::I32);
    let seven = k.i32(7);
    let values = [10, 20, 30].map(|v| k.i32(v));
    k.at(entry);
    let id = gid(&mut k);
    let key = k.binary(BinaryOp::And, id, seven);
    k.switch(key, &[(0, a), (3, b), (5, a)], other);
    for (block, v) in [a, b, other].into_iter().zip(values) {
        k.at(block).jump_with(end, &[v]);
    }
    k.at(end);
    store_at(&mut k, out, id, r);
    k.ret();
    let kernel = k.finish();
    let expected: Vec<i32> = (0..64)
        .map(|id| match id & 7 {
            0 | 5 => 10,
            3 => 20,
            _ => 30,
        })
        .collect();
    assert_eq!(outputs(&kernel, 64, 32), expected);
}

/// `for (k = 0; k < trips; k++) { tile[lid] = …; barrier(); s += tile[(lid + 1) % n]; barrier(); }`
fn rotate_kernel() -> Kernel {
    let mut k = KernelBuilder::new("rotate");
    let out = k.pointer_param("out", Space::Global);
    let tile = k.pointer_param("tile", Space::Local);
    let trips = k.value_param("trips", Ty::I32);
    let [entry, head, body, end] = k.blocks();
    let i = k.block_param(head, Ty::I32);
    let s = k.block_param(head, Ty::I32);
    let (zero, one) = (k.i32(0), k.i32(1));
    k.at(entry);
    let id = gid(&mut k);
    let local = lid(&mut k);
    let size = k.work_item(WorkItemQuery::LocalSize, 0);
    let size = k.convert(Conversion::Sext, size, Ty::I32);
    let mine = k.ptr_add(tile, local, 4, 0);
    let neighbour = k.binary(BinaryOp::Add, local, one);
    let neighbour = k.binary(BinaryOp::SRem, neighbour, size);
    let theirs = k.ptr_add(tile, neighbour, 4, 0);
    k.jump_with(head, &[zero, zero]);
    k.at(head);
    let more = k.compare(CompareOp::SLt, i, trips);
    k.branch(more, body, end);
    k.at(body);
    let v = k.binary(BinaryOp::Mul, id, i);
    k.store(mine, v, Space::Local);
    k.barrier();
    let v = k.load(theirs, Space::Local, Ty::I32);
    let sum = k.binary(BinaryOp::Add, s, v);
    k.barrier();
    let next = k.binary(BinaryOp::Add, i, one);
    k.jump_with(head, &[next, sum]);
    k.at(end);
    store_at(&mut k, out, id, s);
    k.ret();
    k.finish()
}

#[test]
fn barriers_in_a_loop() {
    let kernel = rotate_kernel();
    let n = 96 * 2;
    let args = vec![
        given(&vec![0; n]),
        tilewise_launch::ArgValue::Local { bytes: 96 * 4 },
        value(5),
    ];
    let launch = launch(&kernel, range1(n as u64, 96), args);
    let mut barriers = Barriers::default();
    let ran = simulate_with(&kernel, &launch, 32, 2, &mut barriers);
    assert_eq!(ran.summary.faults, []);
    let expected: Vec<i32> = (0..n as i32)
        .map(|id| {
            let first = id / 96 * 96;
            (first + (id - first + 1) % 96) * 10
        })
        .collect();
    assert_eq!(ran.i32s(0, n), expected);
    assert_eq!(
        barriers.by_group,
        [(0, 10), (1, 10)],
        "two a turn, in group order"
    );
}

/// Counts barriers by group.
#[derive(Default)]
struct Barriers {
    by_group: Vec<(u64, u32)>,
}

struct GroupBarriers(u32);

impl Observer for GroupBarriers {
    fn barrier(&mut self, _: &BarrierEvent) {
        self.0 += 1;
    }
}

impl Analysis for Barriers {
    type Group = GroupBarriers;

    fn begin(&self, _: &GroupInfo) -> GroupBarriers {
        GroupBarriers(0)
    }

    fn finish(&mut self, group: &GroupInfo, observer: GroupBarriers) {
        self.by_group.push((group.linear, observer.0));
    }
}

/// Observers are told which lanes run a fence, and what it orders.
#[test]
fn fences_are_told_by_lane() {
    let mut k = KernelBuilder::new("k");
    let bound = k.i32(40);
    let [entry, then, end] = k.blocks();
    k.at(entry);
    let id = lid(&mut k);
    let c = k.compare(CompareOp::SLt, id, bound);
    k.branch(c, then, end);
    let fence = Fence {
        local: false,
        global: true,
    };
    k.at(then).push(Op::Fence { fence }).jump(end);
    k.at(end).ret();
    let kernel = k.finish();
    let launch = launch(&kernel, range1(64, 64), vec![]);
    let mut fences = Fences::default();
    let ran = simulate_with(&kernel, &launch, 32, 1, &mut fences);
    assert_eq!(ran.summary.faults, []);
    assert_eq!(
        fences.0,
        [(0, 0xffff_ffff, fence), (1, 0xff, fence)],
        "eight lanes of the second sub-group"
    );
}

/// Keeps fences: sub-group, lanes, what they order.
#[derive(Default)]
struct Fences(Vec<(u32, u64, Fence)>);

impl Observer for Fences {
    fn fence(&mut self, sub_group: u32, mask: u64, fence: Fence) {
        self.0.push((sub_group, mask, fence));
    }
}

impl Analysis for Fences {
    type Group = Fences;

    fn begin(&self, _: &GroupInfo) -> Fences {
        Fences::default()
    }

    fn finish(&mut self, _: &GroupInfo, observer: Fences) {
        self.0.extend(observer.0);
    }
}

/// The fault of a kernel without arguments in a group of 64.
fn barrier_fault(kernel: &Kernel) -> Option<(Vec<u32>, u32, bool)> {
    let launch = launch(kernel, range1(64, 64), vec![]);
    let ran = simulate(kernel, &launch);
    let [fault] = &ran.summary.faults[..] else {
        assert_eq!(ran.summary.faults, []);
        return None;
    };
    match &fault.kind {
        FaultKind::BarrierDivergence {
            waiting,
            returned,
            iterations_differ,
        } => Some((
            waiting.iter().map(|w| w.work_items).collect(),
            *returned,
            *iterations_differ,
        )),
        kind => panic!("{kind:?}"),
    }
}

/// `if (lid < n) barrier();` and, where `both`, `else barrier();`.
fn guarded_barrier(n: i32, both: bool) -> Kernel {
    let mut k = KernelBuilder::new("k");
    let bound = k.i32(n);
    let [entry, then, other, end] = k.blocks();
    k.at(entry);
    let id = lid(&mut k);
    let c = k.compare(CompareOp::SLt, id, bound);
    k.branch(c, then, if both { other } else { end });
    k.at(then).barrier().jump(end);
    k.at(other).barrier().jump(end);
    k.at(end).ret();
    k.finish()
}

#[test]
fn barriers_that_not_all_reach() {
    // Within one sub-group, and between sub-groups.
    assert_eq!(
        barrier_fault(&guarded_barrier(16, false)),
        Some((vec![16], 48, false))
    );
    assert_eq!(
        barrier_fault(&guarded_barrier(32, false)),
        Some((vec![32], 32, false))
    );
    assert_eq!(
        barrier_fault(&guarded_barrier(48, true)),
        Some((vec![48, 16], 0, false))
    );
    assert_eq!(barrier_fault(&guarded_barrier(64, true)), None);
    assert_eq!(barrier_fault(&guarded_barrier(0, false)), None);
}

/// `if (lid >= n) return; barrier();`
#[test]
fn early_return_before_a_barrier() {
    let kernel = |n| {
        let mut k = KernelBuilder::new("k");
        let bound = k.i32(n);
        let [entry, rest, end] = k.blocks();
        k.at(entry);
        let id = lid(&mut k);
        let c = k.compare(CompareOp::SGe, id, bound);
        k.branch(c, end, rest);
        k.at(rest).barrier().jump(end);
        k.at(end).ret();
        k.finish()
    };
    assert_eq!(barrier_fault(&kernel(60)), Some((vec![60], 4, false)));
    assert_eq!(barrier_fault(&kernel(64)), None);
}

/// `for (k = 0; k < 4; k++) { if (k == (lid & 3)) continue; barrier(); }`:
/// each work-item comes to three barriers, no two classes to the same ones.
#[test]
fn the_same_barrier_in_different_iterations() {
    let mut k = KernelBuilder::new("k");
    let (zero, one, three, four) = (k.i32(0), k.i32(1), k.i32(3), k.i32(4));
    let [entry, head, body, wait, latch, end] = k.blocks();
    let i = k.block_param(head, Ty::I32);
    k.at(entry);
    let id = lid(&mut k);
    let class = k.binary(BinaryOp::And, id, three);
    k.jump_with(head, &[zero]);
    k.at(head);
    let more = k.compare(CompareOp::SLt, i, four);
    k.branch(more, body, end);
    k.at(body);
    let skip = k.compare(CompareOp::Eq, i, class);
    k.branch(skip, latch, wait);
    k.at(wait).barrier().jump(latch);
    k.at(latch);
    let next = k.binary(BinaryOp::Add, i, one);
    k.jump_with(head, &[next]);
    k.at(end).ret();
    let kernel = k.finish();
    let (waiting, returned, differ) = barrier_fault(&kernel).expect("a fault");
    assert_eq!((waiting, returned, differ), (vec![64], 0, true));
}

/// Lanes that come to one barrier apart, but all of them in the end, are fine:
/// `if (lid & 1) goto a; x: barrier(); …` where a branch that is never taken
/// keeps the meeting point behind the barrier.
#[test]
fn lanes_may_reach_a_barrier_apart() {
    let mut k = KernelBuilder::new("k");
    let out = k.pointer_param("out", Space::Global);
    let never = k.value_param("never", Ty::I32);
    let (zero, one, ten) = (k.i32(0), k.i32(1), k.i32(10));
    let [entry, odd, wait, skip, end] = k.blocks();
    let v = k.block_param(wait, Ty::I32);
    k.at(entry);
    let id = lid(&mut k);
    let bit = k.binary(BinaryOp::And, id, one);
    let is_odd = k.compare(CompareOp::Eq, bit, one);
    k.branch_with(is_odd, (odd, &[]), (wait, &[zero]));
    k.at(odd);
    let c = k.compare(CompareOp::Ne, never, zero);
    let twice = k.binary(BinaryOp::Mul, id, ten);
    k.branch_with(c, (skip, &[]), (wait, &[twice]));
    k.at(wait);
    let before = k.binary(BinaryOp::Add, v, one);
    k.barrier();
    let sum = k.binary(BinaryOp::Add, before, id);
    store_at(&mut k, out, id, sum);
    k.jump(end);
    k.at(skip);
    store_at(&mut k, out, id, ten);
    k.jump(end);
    k.at(end).ret();
    let kernel = k.finish();
    let launch = launch(&kernel, range1(64, 64), vec![given(&[0; 64]), value(0)]);
    let ran = simulate(&kernel, &launch);
    assert_eq!(ran.summary.faults, []);
    let expected: Vec<i32> = (0..64)
        .map(|id| {
            if id & 1 == 1 {
                id * 10 + 1 + id
            } else {
                1 + id
            }
        })
        .collect();
    assert_eq!(ran.i32s(0, 64), expected);
}

#[test]
fn endless_loops_end() {
    let mut k = KernelBuilder::new("k");
    let [entry, spin, end] = k.blocks();
    let yes = k.constant(Ty::Bool, 1);
    k.at(entry).jump(spin);
    k.line(42).at(spin).branch(yes, spin, end);
    k.at(end).ret();
    let (kernel, sites) = k.finish_with_sites();
    let ran = simulate(&kernel, &launch(&kernel, range1(64, 32), vec![]));
    let [fault] = &ran.summary.faults[..] else {
        panic!("{:?}", ran.summary.faults);
    };
    assert!(matches!(fault.kind, FaultKind::Runaway { .. }));
    assert_eq!(sites.get(fault.site).position.line, 42);
}

/// Lanes active by instruction: how often, and how many in all.
#[derive(Default)]
struct Lanes {
    by_inst: HashMap<usize, (u32, u32)>,
    edges: Vec<(usize, usize, u32)>,
}

struct GroupLanes(Lanes);

impl Observer for GroupLanes {
    const INSTRUCTIONS: bool = true;

    fn instruction(&mut self, _: u32, inst: InstId, mask: u64) {
        let entry = self.0.by_inst.entry(inst.index()).or_default();
        entry.0 += 1;
        entry.1 += mask.count_ones();
    }

    fn edge(&mut self, _: u32, from: BlockId, to: BlockId, mask: u64) {
        self.0
            .edges
            .push((from.index(), to.index(), mask.count_ones()));
    }
}

impl Analysis for Lanes {
    type Group = GroupLanes;

    fn begin(&self, _: &GroupInfo) -> GroupLanes {
        GroupLanes(Lanes::default())
    }

    fn finish(&mut self, _: &GroupInfo, observer: GroupLanes) {
        for (inst, (times, lanes)) in observer.0.by_inst {
            let entry = self.by_inst.entry(inst).or_default();
            entry.0 += times;
            entry.1 += lanes;
        }
        self.edges.extend(observer.0.edges);
    }
}

/// Lanes meet again behind an if: what follows runs once for all of them, even
/// though some returned inside.
#[test]
fn lanes_meet_again() {
    let mut k = KernelBuilder::new("k");
    let (five, twenty) = (k.i32(5), k.i32(20));
    let [entry, a, x, y, z, ret] = k.blocks();
    k.at(entry);
    let id = lid(&mut k);
    let c = k.compare(CompareOp::SLt, id, twenty);
    k.branch(c, a, y);
    k.at(a);
    let d = k.compare(CompareOp::SLt, id, five);
    k.branch(d, ret, x);
    k.at(x).jump(z);
    k.at(y).jump(z);
    k.at(z);
    k.binary(BinaryOp::Add, id, id);
    k.jump(ret);
    k.at(ret).ret();
    let kernel = k.finish();
    let numbering = kernel.numbering();
    let mut lanes = Lanes::default();
    let launch = launch(&kernel, range1(32, 32), vec![]);
    let ran = simulate_with(&kernel, &launch, 32, 1, &mut lanes);
    assert_eq!(lanes.by_inst[&numbering.id(z, 0).index()], (1, 27));
    assert_eq!(lanes.by_inst[&numbering.id(x, 0).index()], (1, 15));
    assert_eq!(lanes.by_inst[&numbering.id(y, 0).index()], (1, 12));
    // Each instruction and terminator is told once per sub-group that runs it.
    let told: u32 = lanes.by_inst.values().map(|(times, _)| times).sum();
    assert_eq!(u64::from(told), ran.summary.instructions);
    assert!(lanes.edges.contains(&(entry.index(), a.index(), 20)));
    assert!(lanes.edges.contains(&(entry.index(), y.index(), 12)));
}
