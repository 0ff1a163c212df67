use std::sync::Arc;

use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{BinaryOp, InstId, Kernel, MemAccess, Op, Space, Terminator, Ty};
use tilewise_sim::AccessKind::{Load, Store};
use tilewise_sim::Observer;

use super::*;
use crate::mix::Contraction;
use crate::region::RegionInfo;
use crate::test_machine::{Item, Running, TestMachine};

fn regions() -> Arc<RegionTable> {
    let region = |name: &str, space| RegionInfo {
        name: name.to_owned(),
        space,
        granule_bytes: 4,
        base: 0,
        param: None,
        image: false,
    };
    Arc::new(RegionTable::new([
        region("x", Space::Global),
        region("tile", Space::Local),
    ]))
}

fn run<F>(kernel: &Kernel, items: u32, mut address: F) -> Lifetimes
where
    F: FnMut(usize, Item) -> (u16, i64),
{
    let shape = MemoryShape::NVIDIA;
    let lowering = Lowering::new(kernel, &shape, Contraction::Allowed);
    let plan = Arc::new(SamplePlan::all(1));
    let mut analysis =
        ScoreboardAnalysis::new(kernel, &lowering, regions(), shape, Latencies::ROUND, plan);
    TestMachine::linear(items, 1).run_all(&mut analysis, |g| straight(kernel, g, &mut address));
    analysis.result()
}

/// Runs a kernel of one block: each sub-group up to a barrier, then the next.
fn straight<O: Observer, F>(kernel: &Kernel, g: &mut Running<'_, O>, address: &mut F)
where
    F: FnMut(usize, Item) -> (u16, i64),
{
    let block = kernel.block(Kernel::ENTRY);
    let mut first = 0;
    while first <= block.insts.len() {
        let barrier = |i: &usize| matches!(block.insts[*i].op, Op::Barrier { .. });
        let end = (first..block.insts.len()).find(barrier);
        let last = end.unwrap_or(block.insts.len());
        for sub_group in 0..g.info.sub_groups {
            for i in first..=last {
                let mask = u64::from(u32::MAX);
                g.observer.instruction(sub_group, InstId::new(i), mask);
                let (kind, access): (_, MemAccess) = match block.insts.get(i).map(|i| &i.op) {
                    Some(Op::Load { access, .. }) => (Load, *access),
                    Some(Op::Store { access, .. }) => (Store, *access),
                    _ => continue,
                };
                g.sub_group_access(sub_group, i, kind, access, |item| Some(address(i, item)));
            }
        }
        if end.is_some() {
            g.barrier(last);
        }
        first = last + 1;
    }
    assert_eq!(block.term, Terminator::Return);
}

const L: Latencies = Latencies::ROUND;

/// `n` loads from addresses of their own, then their sum.
fn loads(n: usize, dependent: bool) -> Kernel {
    let mut b = KernelBuilder::new("k");
    let p = b.pointer_param("x", Space::Global);
    let entry = b.new_block();
    b.at(entry);
    let mut at = p;
    let mut sum = None;
    for _ in 0..n {
        let value = b.load(at, Space::Global, Ty::I64);
        at = if dependent {
            b.ptr_add(p, value, 4, 0)
        } else {
            p
        };
        sum = Some(match sum {
            Some(sum) => b.binary(BinaryOp::Add, sum, value),
            None => value,
        });
    }
    let sum = sum.unwrap_or(p);
    b.store(p, sum, Space::Global);
    b.ret();
    b.finish()
}

/// Every load of every sub-group has sectors of its own.
fn apart(inst: usize, item: Item) -> (u16, i64) {
    (1, 65536 * inst as i64 + 8 * item.global[0])
}

#[test]
fn independent_loads_are_one_round_trip() {
    let result = run(&loads(4, false), 32, apart);
    assert_eq!(result.far_trips.value, 1);
    let lifetime = result.lifetime.value;
    let least = u64::from(L.launch + L.far);
    assert!((least..least + 40).contains(&lifetime), "{lifetime}");
}

#[test]
fn dependent_loads_are_one_round_trip_each() {
    let result = run(&loads(4, true), 32, apart);
    assert_eq!(result.far_trips.value, 4);
    assert!(result.lifetime.value >= u64::from(L.launch + 4 * L.far));
    let parts = result.arithmetic.value + 4 * u64::from(L.far);
    assert_eq!(parts, result.lifetime.value);
    assert!(result.stalls.far.value > 0 && result.stalls.local.value == 0);
}

#[test]
fn sectors_that_have_arrived_come_from_the_l1() {
    let result = run(&loads(3, true), 32, |_, item| (1, 8 * item.global[0]));
    assert_eq!((result.far_trips.value, result.l1_trips.value), (1, 2));
}

#[test]
fn sectors_on_their_way_are_waited_for() {
    // Both sub-groups read the same sectors, one right after the other.
    let one = run(&loads(1, false), 32, |_, _| (1, 0));
    let two = run(&loads(1, false), 64, |_, _| (1, 0));
    assert_eq!(one.lifetime, two.lifetime);
    assert_eq!(two.far_trips.value, 1);
}

#[test]
fn a_staged_group_pays_for_the_barrier_and_the_local_round_trip() {
    let kernel = |staged: bool| {
        let mut b = KernelBuilder::new("k");
        let p = b.pointer_param("x", Space::Global);
        let tile = b.variable("tile", Space::Local, 4096, Ty::F32);
        let entry = b.new_block();
        b.at(entry);
        let mut value = b.load(p, Space::Global, Ty::F32);
        if staged {
            let at = b.var_addr(tile);
            b.store(at, value, Space::Local);
            b.barrier();
            value = b.load(at, Space::Local, Ty::F32);
        }
        b.store(p, value, Space::Global);
        b.ret();
        b.finish()
    };
    let address = |staged: bool| {
        move |inst: usize, item: Item| {
            let local = staged && (2..=4).contains(&inst);
            (if local { 2 } else { 1 }, 4 * item.local[0])
        }
    };
    let naive = run(&kernel(false), 256, address(false));
    let staged = run(&kernel(true), 256, address(true));
    assert_eq!((naive.barriers.value, staged.barriers.value), (0, 1));
    assert_eq!((naive.local_trips.value, staged.local_trips.value), (0, 1));
    assert_eq!(staged.far_trips.value, 1);
    assert_eq!((naive.phases.len(), staged.phases.len()), (1, 2));
    let more = staged.lifetime.value - naive.lifetime.value;
    let least = u64::from(L.barrier + L.local);
    assert!((least..least + 10).contains(&more), "{more}");
    // In the end a column of the tile: a conflict costs a pass per lane.
    let conflicts = run(&kernel(true), 32, |inst, item| {
        let local = (2..=4).contains(&inst);
        (if local { 2 } else { 1 }, 128 * item.local[0])
    });
    let plain = run(&kernel(true), 32, address(true));
    assert_eq!(conflicts.lifetime.value - plain.lifetime.value, 31);
}
