use std::sync::Arc;

use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{Kernel, MemAccess, Space, Ty};
use tilewise_sim::AccessKind::{Load, Store};

use super::TrafficAnalysis;
use crate::estimate::{Estimate, SamplePlan, SampledGroup};
use crate::region::{RegionInfo, RegionTable};
use crate::shape::MemoryShape;
use crate::test_machine::TestMachine;

fn region(name: &str, space: Space, granule_bytes: u32) -> RegionInfo {
    RegionInfo {
        name: name.to_owned(),
        space,
        granule_bytes,
        base: 0,
        param: None,
        image: false,
    }
}

/// A straight kernel of loads and stores; instruction `i` is on line `i + 1`.
fn straight(kinds: &[bool]) -> Kernel {
    let mut b = KernelBuilder::new("k");
    let ptr = b.pointer_param("in", Space::Global);
    let entry = b.new_block();
    b.at(entry);
    let zero = b.f32(0.0);
    for (i, &load) in kinds.iter().enumerate() {
        b.line(i as u32 + 1);
        if load {
            b.load(ptr, Space::Global, Ty::F32);
        } else {
            b.store(ptr, zero, Space::Global);
        }
    }
    b.ret();
    b.finish()
}

fn analysis(kernel: &Kernel, regions: Vec<RegionInfo>, plan: SamplePlan) -> TrafficAnalysis {
    TrafficAnalysis::new(
        kernel,
        Arc::new(RegionTable::new(regions)),
        MemoryShape::NVIDIA,
        Arc::new(plan),
    )
}

/// First, last and two interior groups of a row of `n`.
fn sample(n: u64) -> (SamplePlan, Vec<u64>) {
    let groups = [(0, 0), (1, 1), (n / 2, 1), (n - 2, 1), (n - 1, 2)];
    let plan = SamplePlan::new(
        groups
            .iter()
            .map(|&(linear, stratum)| SampledGroup { linear, stratum })
            .collect(),
        vec![1, n - 2, 1],
    );
    (plan.unwrap(), groups.iter().map(|g| g.0).collect())
}

const N: i64 = 1 << 24;
const GROUPS: u64 = (N / 256) as u64;

#[test]
fn naive_blur_equals_the_hardware_counters() {
    let (plan, groups) = sample(GROUPS);
    let kernel = straight(&[true, true, true, false]);
    let regions = vec![
        region("in", Space::Global, 4),
        region("out", Space::Global, 4),
    ];
    let mut traffic = analysis(&kernel, regions, plan);
    let f32x1 = MemAccess::scalar(Space::Global, Ty::F32);
    TestMachine::linear(256, GROUPS).run(&mut traffic, groups, |g| {
        for (inst, tap) in [-1, 0, 1].into_iter().enumerate() {
            g.access(inst, Load, f32x1, |item| {
                let i = item.global[0] + tap;
                (0..N).contains(&i).then_some((1, 4 * i))
            });
        }
        g.access(3, Store, f32x1, |item| Some((2, 4 * item.global[0])));
    });
    let result = traffic.result();
    assert!(result.is_exact());
    assert_eq!((result.sampled_groups, result.groups), (5, GROUPS));
    let loads = result.buffer("in").unwrap().traffic.loads;
    assert_eq!(loads.element_bytes, 4);
    assert_eq!(loads.requests, Estimate::exact(1_572_864));
    assert_eq!(loads.sectors, Estimate::exact(7_340_030));
    assert_eq!(loads.accesses, Estimate::exact(50_331_646));
    assert_eq!(loads.distinct, Estimate::exact(16_908_286));
    assert!((loads.reuse().unwrap() - 2.977).abs() < 0.0005);
    let product = loads.lane_reuse().unwrap()
        * loads.time_reuse().unwrap()
        * loads.sub_group_reuse().unwrap();
    assert!((product - loads.reuse().unwrap()).abs() < 1e-9);
    assert_eq!(loads.lane_reuse(), Some(1.0));
    let stores = result.buffer("out").unwrap().traffic.stores;
    assert_eq!(stores.reuse(), Some(1.0));
    assert_eq!(stores.sectors, Estimate::exact(2_097_152));
    assert_eq!(result.space(Space::Global).loads.sectors, loads.sectors);
    assert_eq!(result.sites.len(), 4);
    assert_eq!(result.sites[1].stream.reuse(), Some(1.0));
    assert_eq!(result.sites[1].slots, [1]);
}

#[test]
fn tiled_blur_equals_the_hardware_counters() {
    let (plan, groups) = sample(GROUPS);
    let kernel = straight(&[true, true, true, false, true, true, true]);
    let regions = vec![
        region("in", Space::Global, 4),
        region("tile", Space::Local, 4),
    ];
    let mut traffic = analysis(&kernel, regions, plan);
    let global = MemAccess::scalar(Space::Global, Ty::F32);
    let local = MemAccess::scalar(Space::Local, Ty::F32);
    TestMachine::linear(256, GROUPS).run(&mut traffic, groups, |g| {
        g.access(0, Load, global, |i| Some((1, 4 * i.global[0])));
        g.access(1, Load, global, |i| {
            (i.local[0] == 0 && i.global[0] > 0).then_some((1, 4 * (i.global[0] - 1)))
        });
        g.access(2, Load, global, |i| {
            (i.local[0] == 255 && i.global[0] + 1 < N).then_some((1, 4 * (i.global[0] + 1)))
        });
        g.access(3, Store, local, |i| Some((2, 4 * (i.local[0] + 1))));
        for tap in 0..3 {
            g.access(4 + tap as usize, Load, local, |i| {
                Some((2, 4 * (i.local[0] + tap)))
            });
        }
    });
    let result = traffic.result();
    let loads = result.buffer("in").unwrap().traffic.loads;
    assert_eq!(loads.requests, Estimate::exact(655_358));
    assert_eq!(loads.sectors, Estimate::exact(2_228_222));
    assert_eq!(loads.accesses, Estimate::exact(16_908_286));
    assert_eq!(loads.distinct, loads.accesses);
    let tile = result.buffer("tile").unwrap().traffic.loads;
    assert_eq!(tile.requests, Estimate::exact(1_572_864));
    assert_eq!(tile.sectors, Estimate::exact(0));
    assert_eq!(tile.distinct, Estimate::exact(258 * GROUPS));
}

#[test]
fn the_three_factors_lie_where_the_reuse_lies() {
    // Every lane of every sub-group reads the same four elements.
    let kernel = straight(&[true]);
    let regions = vec![region("x", Space::Global, 4)];
    let mut traffic = analysis(&kernel, regions, SamplePlan::all(1));
    let access = MemAccess::scalar(Space::Global, Ty::F32);
    TestMachine::linear(128, 1).run_all(&mut traffic, |g| {
        for _ in 0..3 {
            for k in 0..4 {
                g.access(0, Load, access, |_| Some((1, 4 * k)));
            }
        }
    });
    let loads = traffic.result().buffer("x").unwrap().traffic.loads;
    assert_eq!(loads.lane_reuse(), Some(32.0));
    assert_eq!(loads.time_reuse(), Some(3.0));
    assert_eq!(loads.sub_group_reuse(), Some(4.0));
    assert_eq!(loads.distinct_sectors, Estimate::exact(1));
}

#[test]
fn components_of_one_vector_are_no_reuse() {
    // x, y and z of a float4, each loaded alone.
    let kernel = straight(&[true, true, true]);
    let regions = vec![region("p", Space::Global, 4)];
    let mut traffic = analysis(&kernel, regions, SamplePlan::all(1));
    let access = MemAccess::scalar(Space::Global, Ty::F32);
    TestMachine::linear(32, 1).run_all(&mut traffic, |g| {
        for c in 0..3 {
            g.access(c as usize, Load, access, |i| {
                Some((1, 16 * i.global[0] + 4 * c))
            });
        }
    });
    let loads = traffic.result().buffer("p").unwrap().traffic.loads;
    assert_eq!(loads.reuse(), Some(1.0));
    // Each of the three requests touches all sectors of the array.
    assert_eq!(loads.sectors, Estimate::exact(48));
    assert_eq!(loads.distinct_sectors, Estimate::exact(16));
}

#[test]
fn a_whole_vector_is_one_element_and_an_unaligned_one_four_requests() {
    let kernel = straight(&[true, true]);
    let regions = vec![region("p", Space::Global, 4), region("q", Space::Global, 4)];
    let mut traffic = analysis(&kernel, regions, SamplePlan::all(1));
    let whole = MemAccess {
        count: 4,
        bytes: 16,
        align: 16,
        ..MemAccess::scalar(Space::Global, Ty::F32)
    };
    let vload4 = MemAccess {
        align: 4,
        elements: 4,
        ..whole
    };
    TestMachine::linear(32, 1).run_all(&mut traffic, |g| {
        g.access(0, Load, whole, |i| Some((1, 16 * i.global[0])));
        g.access(1, Load, vload4, |i| Some((2, 16 * i.global[0])));
    });
    let result = traffic.result();
    let whole = result.buffer("p").unwrap().traffic.loads;
    assert_eq!((whole.element_bytes, whole.accesses.value), (16, 32));
    assert_eq!((whole.requests.value, whole.sectors.value), (1, 16));
    let vload4 = result.buffer("q").unwrap().traffic.loads;
    assert_eq!((vload4.element_bytes, vload4.accesses.value), (4, 128));
    assert_eq!((vload4.requests.value, vload4.sectors.value), (4, 64));
}

#[test]
fn groups_that_differ_give_an_interval() {
    let (plan, groups) = sample(100);
    let kernel = straight(&[true]);
    let regions = vec![region("x", Space::Global, 4)];
    let mut traffic = analysis(&kernel, regions, plan);
    let access = MemAccess::scalar(Space::Global, Ty::F32);
    TestMachine::linear(32, 100).run(&mut traffic, groups, |g| {
        let stride = 1 + (g.info.linear % 3) as i64;
        g.access(0, Load, access, |i| Some((1, 4 * stride * i.global[0])));
    });
    let result = traffic.result();
    assert!(!result.is_exact());
    let loads = result.buffer("x").unwrap().traffic.loads;
    assert!(loads.requests.exact);
    assert!(!loads.sectors.exact && loads.sectors.half_width > 0);
}
