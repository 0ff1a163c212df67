use std::sync::Arc;

use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{
    BinaryOp, InstId, Kernel, MemAccess, Op, Space, Ty, Value, VarId, WorkItemQuery,
};
use tilewise_sim::AccessKind::{Atomic, Load, Store};
use tilewise_sim::{AccessEvent, AddressShape};

use super::*;
use crate::estimate::Estimate;
use crate::region::RegionInfo;
use crate::test_machine::{Item, TestMachine};

fn regions() -> Arc<RegionTable> {
    Arc::new(RegionTable::new([RegionInfo {
        name: "tile".to_owned(),
        space: Space::Local,
        granule_bytes: 4,
        base: 0,
        param: None,
        image: false,
    }]))
}

fn access(bytes: u32) -> MemAccess {
    MemAccess {
        count: (bytes / 4) as u8,
        bytes,
        align: bytes,
        ..MemAccess::scalar(Space::Local, Ty::F32)
    }
}

/// Passes and conflicts of one access of one group of 32x8.
fn measure(bytes: u32, kind: tilewise_sim::AccessKind, address: impl Fn(Item) -> i64) -> [u64; 3] {
    let mut b = KernelBuilder::new("k");
    let entry = b.new_block();
    b.at(entry);
    b.ret();
    let plan = Arc::new(SamplePlan::all(1));
    let mut banks = BankAnalysis::new(&b.finish(), regions(), MemoryShape::NVIDIA, plan);
    TestMachine::plane([32, 8], [1, 1]).run_all(&mut banks, |g| {
        g.access(0, kind, access(bytes), |i| Some((1, address(i))));
    });
    let result = banks.result();
    let counts = match kind {
        Load => result.loads,
        Store => result.stores,
        Atomic => result.atomics,
    };
    assert_eq!(counts.ir, counts.merged);
    [
        counts.ir.requests.value,
        counts.ir.passes.value,
        counts.ir.conflicts.value,
    ]
}

#[test]
fn transposed_reads_conflict_by_the_pitch() {
    let column = |pitch: i64| move |i: Item| 4 * (i.local[0] * pitch + i.local[1]);
    assert_eq!(measure(4, Load, column(32)), [8, 256, 248]);
    assert_eq!(measure(4, Load, column(33)), [8, 8, 0]);
    assert_eq!(measure(4, Store, column(16)), [8, 128, 120]);
}

#[test]
fn wide_accesses_take_a_pass_per_128_bytes() {
    assert_eq!(measure(4, Load, |i| 4 * i.local[0]), [8, 8, 0]);
    assert_eq!(measure(8, Load, |i| 8 * i.local[0]), [8, 16, 0]);
    assert_eq!(measure(16, Load, |i| 16 * i.local[0]), [8, 32, 0]);
    // 32 bytes apart: half of the banks do all the work.
    assert_eq!(measure(16, Load, |i| 32 * i.local[0]), [8, 64, 32]);
}

#[test]
fn broadcasts_are_served_together() {
    assert_eq!(measure(4, Load, |i| 4 * i.local[1]), [8, 8, 0]);
    assert_eq!(measure(8, Load, |i| 8 * i.local[1]), [8, 8, 0]);
    assert_eq!(measure(16, Load, |i| 16 * i.local[1]), [8, 16, 0]);
    // Two rows of 16 lanes each, as in a product with 16x16 tiles.
    let rows = |i: Item| 16 * (i.local[0] / 16);
    assert_eq!(measure(16, Load, rows), [8, 16, 0]);
}

#[test]
fn atomics_on_one_word_are_served_one_by_one() {
    assert_eq!(measure(4, Atomic, |_| 0), [8, 256, 248]);
}

/// `sum += a[ly][k] * b[k][lx]` of a tiled product with k in steps of 4.
/// Returns the kernel and its loads from `a` and `b`.
fn product(tile: i32, store_between: bool) -> (Kernel, Vec<InstId>, Vec<InstId>) {
    let mut b = KernelBuilder::new("product");
    let bytes = (tile * tile * 4) as u64;
    let tile_a = b.variable("a", Space::Local, bytes, Ty::F32);
    let tile_b = b.variable("b", Space::Local, bytes, Ty::F32);
    let [entry, body, end] = b.blocks();
    let k = b.block_param(body, Ty::I64);
    b.at(entry);
    let zero = b.i64(0);
    b.jump_with(body, &[zero]);
    b.at(body);
    let lx = b.work_item(WorkItemQuery::LocalId, 0);
    let ly = b.work_item(WorkItemQuery::LocalId, 1);
    let pitch = b.i64(i64::from(tile));
    let mut loads = [Vec::new(), Vec::new()];
    for step in 0..4 {
        let by = b.i64(step);
        let column = b.binary(BinaryOp::Or, k, by);
        let element = |b: &mut KernelBuilder, var: VarId, row: Value, column: Value| {
            let at = b.var_addr(var);
            let row = b.ptr_add(at, row, i64::from(tile) * 4, 0);
            let at = b.ptr_add(row, column, 4, 0);
            b.load(at, Space::Local, Ty::F32)
        };
        loads[0].push(element(&mut b, tile_a, ly, column));
        loads[1].push(element(&mut b, tile_b, column, lx));
        if store_between && step == 1 {
            let at = b.var_addr(tile_b);
            let value = b.f32(0.0);
            b.store(at, value, Space::Local);
        }
    }
    let four = b.i64(4);
    let next = b.binary(BinaryOp::Add, k, four);
    let cond = b.compare(tilewise_ir::CompareOp::SLt, next, pitch);
    b.branch_with(cond, (body, &[next]), (end, &[]));
    b.at(end);
    b.ret();
    let kernel = b.finish();
    let numbering = kernel.numbering();
    let find = |value: &Value| {
        let insts = &kernel.block(body).insts;
        let at = insts
            .iter()
            .position(|i| matches!(&i.op, Op::Load { dst, .. } if dst[0] == *value));
        numbering.id(body, at.unwrap())
    };
    let [a, b] = loads.map(|l| l.iter().map(find).collect::<Vec<_>>());
    (kernel, a, b)
}

#[test]
fn row_reads_of_a_product_merge_and_column_reads_do_not() {
    let (kernel, a, b) = product(16, false);
    let merges = LocalMerges::new(&kernel, 16);
    assert_eq!(merges.role(a[0]), MergeRole::Leads { skip: 0, bytes: 16 });
    assert!(a[1..].iter().all(|&i| merges.role(i) == MergeRole::Served));
    assert!(b.iter().all(|&i| merges.role(i) == MergeRole::Alone));
}

#[test]
fn a_store_between_parts_the_window() {
    let (kernel, a, _) = product(16, true);
    let merges = LocalMerges::new(&kernel, 16);
    let pair = MergeRole::Leads { skip: 0, bytes: 8 };
    assert_eq!(merges.role(a[0]), pair);
    assert_eq!(merges.role(a[2]), pair);
}

#[test]
fn a_row_pitch_that_is_no_multiple_merges_nothing() {
    let (kernel, a, _) = product(17, false);
    let merges = LocalMerges::new(&kernel, 16);
    assert!(a.iter().all(|&i| merges.role(i) == MergeRole::Alone));
}

/// The loads of a whole 512^3 product: what the hardware counts, its few
/// thousand passes of noise aside.
#[test]
fn tiled_product_equals_the_hardware_counters() {
    for (tile, passes) in [(16, 6_291_456), (32, 6_291_456)] {
        let (kernel, a, b) = product(tile, false);
        let groups = (512 / tile as u64).pow(2);
        let regions = Arc::new(RegionTable::new(["a", "b"].map(|name| RegionInfo {
            name: name.to_owned(),
            space: Space::Local,
            granule_bytes: 4,
            base: 0,
            param: None,
            image: false,
        })));
        let sampled = (0..2)
            .map(|linear| crate::estimate::SampledGroup { linear, stratum: 0 })
            .collect();
        let plan = Arc::new(SamplePlan::new(sampled, vec![groups]).unwrap());
        let mut banks = BankAnalysis::new(&kernel, regions, MemoryShape::NVIDIA, plan);
        let machine = TestMachine::plane([tile as u32; 2], [512 / tile as u64; 2]);
        machine.run(&mut banks, 0..2, |g| {
            for _ in 0..512 / tile {
                for k in (0..i64::from(tile)).step_by(4) {
                    for step in 0..4 {
                        let column = k + step as i64;
                        let pitch = i64::from(tile);
                        g.access(a[step].index(), Load, access(4), |i| {
                            Some((1, 4 * (i.local[1] * pitch + column)))
                        });
                        g.access(b[step].index(), Load, access(4), |i| {
                            Some((2, 4 * (column * pitch + i.local[0])))
                        });
                    }
                }
            }
        });
        let loads = banks.result().loads;
        assert_eq!(loads.ir.requests, Estimate::exact(8_388_608));
        assert_eq!(loads.merged.requests, Estimate::exact(5_242_880));
        assert_eq!(loads.merged.passes, Estimate::exact(passes));
        assert_eq!(loads.merged.conflicts, Estimate::exact(0));
    }
}

#[test]
fn remembered_passes_are_those_counted_anew() {
    let (regions, shape) = (regions(), MemoryShape::NVIDIA);
    let (mut cache, mut room) = (PassCache::default(), BankWords::default());
    let mut state = 7u64;
    let mut draw = |n: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % n
    };
    for _ in 0..4000 {
        let start = 4 * draw(40) as i64;
        let (stride, pitch) = (4 * draw(4) as i64, 4 * draw(40) as i64);
        let length = 1 << draw(6);
        let lane = |i: i64| start + i / length * pitch + i % length * stride;
        let addresses: Vec<u64> = (0..32)
            .map(|i| tilewise_ir::pointer::pack(tilewise_ir::pointer::Region(1), lane(i)))
            .collect();
        let mask = [u64::from(u32::MAX), 0x00ff_ffff][draw(2) as usize];
        let event = AccessEvent {
            inst: InstId::new(draw(3) as usize),
            site: tilewise_ir::SiteId::new(0),
            kind: Load,
            access: MemAccess::scalar(Space::Local, Ty::F32),
            components: 1,
            sub_group: 0,
            mask,
            addresses: &addresses,
            shape: match length {
                32 => AddressShape::Strided(stride),
                _ => AddressShape::Rows {
                    length: length as u32,
                    stride,
                    pitch,
                },
            },
            region: None,
            in_bounds: mask,
            image: None,
            values: None,
        };
        let request = Request {
            skip: 0,
            bytes: [4, 8, 16][draw(3) as usize],
            combines: draw(2) == 0,
        };
        assert_eq!(
            cache.count(&event, &regions, &shape, request),
            count_passes(&event, &regions, &shape, mask, request, &mut room)
        );
    }
}
