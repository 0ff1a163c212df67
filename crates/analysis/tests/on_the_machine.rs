//! All analyses together on the simulator, for kernels built by hand.

use std::sync::Arc;

use tilewise_analysis::banks::BankAnalysis;
use tilewise_analysis::estimate::{Estimate, SamplePlan, SampledGroup};
use tilewise_analysis::footprint::FootprintAnalysis;
use tilewise_analysis::mix::{Contraction, Lowering, MixAnalysis};
use tilewise_analysis::region::RegionTable;
use tilewise_analysis::scoreboard::{Latencies, ScoreboardAnalysis};
use tilewise_analysis::shape::MemoryShape;
use tilewise_analysis::traffic::TrafficAnalysis;
use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{BinaryOp, CompareOp, Conversion, Kernel, Space, Ty, Value, WorkItemQuery};
use tilewise_launch::{Arg, ArgValue, Buffer, ElemType, Fill, Launch, NdRange, Scalar, ValueType};
use tilewise_sim::{GroupSet, Memory, Prepared, RunOptions, run};

const N: u64 = 1 << 24;
const LOCAL: u64 = 256;

/// `value` where `low <= index < high`, else 0; the load stands in a branch.
fn guarded_load(b: &mut KernelBuilder, input: Value, index: Value, n: Value) -> Value {
    let [load, join] = b.blocks();
    let result = b.block_param(join, Ty::F32);
    let (zero, nothing) = (b.i32(0), b.f32(0.0));
    let above = b.compare(CompareOp::SGe, index, zero);
    let below = b.compare(CompareOp::SLt, index, n);
    let inside = b.binary(BinaryOp::And, above, below);
    b.branch_with(inside, (load, &[]), (join, &[nothing]));
    b.at(load);
    let at = b.convert(Conversion::Sext, index, Ty::I64);
    let at = b.ptr_add(input, at, 4, 0);
    let value = b.load(at, Space::Global, Ty::F32);
    b.jump_with(join, &[value]);
    b.at(join);
    result
}

struct Blur {
    b: KernelBuilder,
    input: Value,
    output: Value,
    n: Value,
    gid: Value,
}

impl Blur {
    fn new(name: &str) -> Self {
        let mut b = KernelBuilder::new(name);
        let input = b.pointer_param("in", Space::Global);
        let output = b.pointer_param("out", Space::Global);
        let n = b.value_param("n", Ty::I32);
        let entry = b.new_block();
        b.at(entry);
        let gid = b.work_item(WorkItemQuery::GlobalId, 0);
        let gid = b.convert(Conversion::Sext, gid, Ty::I32);
        Self {
            b,
            input,
            output,
            n,
            gid,
        }
    }

    fn beside(&mut self, by: i32) -> Value {
        let by = self.b.i32(by);
        self.b.binary(BinaryOp::Add, self.gid, by)
    }

    fn finish(mut self, taps: [Value; 3]) -> Kernel {
        let b = &mut self.b;
        let sum = b.binary(BinaryOp::FAdd, taps[0], taps[1]);
        let sum = b.binary(BinaryOp::FAdd, sum, taps[2]);
        let three = b.f32(3.0);
        let mean = b.binary(BinaryOp::FDiv, sum, three);
        let at = b.convert(Conversion::Sext, self.gid, Ty::I64);
        let at = b.ptr_add(self.output, at, 4, 0);
        b.store(at, mean, Space::Global);
        b.ret();
        self.b.finish()
    }
}

fn naive() -> Kernel {
    let mut blur = Blur::new("blur_naive");
    let taps = [-1, 0, 1].map(|by| {
        let index = blur.beside(by);
        guarded_load(&mut blur.b, blur.input, index, blur.n)
    });
    blur.finish(taps)
}

fn tiled() -> Kernel {
    let mut blur = Blur::new("blur_tiled");
    let tile = blur.b.pointer_param("tile", Space::Local);
    let lid = blur.b.work_item(WorkItemQuery::LocalId, 0);
    let own = guarded_load(&mut blur.b, blur.input, blur.gid, blur.n);
    let at = blur.b.ptr_add(tile, lid, 4, 4);
    blur.b.store(at, own, Space::Local);
    for (edge, by, slot) in [(0, -1, 0), (LOCAL as i64 - 1, 1, LOCAL as i64 + 1)] {
        let [fill, next] = blur.b.blocks();
        let edge = blur.b.i64(edge);
        let is_edge = blur.b.compare(CompareOp::Eq, lid, edge);
        blur.b.branch(is_edge, fill, next);
        blur.b.at(fill);
        let index = blur.beside(by);
        let halo = guarded_load(&mut blur.b, blur.input, index, blur.n);
        let slot = blur.b.i64(slot);
        let at = blur.b.ptr_add(tile, slot, 4, 0);
        blur.b.store(at, halo, Space::Local);
        blur.b.jump(next);
        blur.b.at(next);
    }
    blur.b.barrier();
    let taps = [0, 4, 8].map(|offset| {
        let at = blur.b.ptr_add(tile, lid, 4, offset);
        blur.b.load(at, Space::Local, Ty::F32)
    });
    blur.finish(taps)
}

fn launch(kernel: &Kernel) -> Launch {
    let floats = || {
        ArgValue::Buffer(Buffer {
            elem: ValueType::Elem(ElemType::scalar(Scalar::F32)),
            len: Some(N),
            fill: Fill::Random { range: None },
            generated: true,
        })
    };
    let values = [
        floats(),
        floats(),
        ArgValue::Bytes((N as i32).to_le_bytes().to_vec()),
        ArgValue::Local {
            bytes: 4 * (LOCAL + 2),
        },
    ];
    Launch {
        kernel: kernel.name.clone(),
        range: NdRange {
            dims: 1,
            global: [N, 1, 1],
            offset: [0; 3],
            local: [LOCAL, 1, 1],
        },
        args: kernel
            .params
            .iter()
            .zip(values)
            .map(|(p, value)| Arg {
                name: p.name.clone(),
                value,
            })
            .collect(),
        seed: 1,
    }
}

type All = (
    (TrafficAnalysis, FootprintAnalysis),
    ((BankAnalysis, MixAnalysis), ScoreboardAnalysis),
);

fn analyse(kernel: &Kernel, threads: usize) -> All {
    let launch = launch(kernel);
    let groups = launch.range.group_count();
    let sampled = [
        (0, 0),
        (1, 1),
        (2, 1),
        (groups / 2, 1),
        (groups - 2, 1),
        (groups - 1, 2),
    ];
    let plan = SamplePlan::new(
        sampled
            .map(|(linear, stratum)| SampledGroup { linear, stratum })
            .to_vec(),
        vec![1, groups - 2, 1],
    );
    let plan = Arc::new(plan.expect("a plan"));
    let prepared = Prepared::new(kernel, &launch, 32).expect("the kernel decodes");
    let memory = Memory::new(kernel, &launch).expect("the arguments fit");
    let regions = Arc::new(RegionTable::of_launch(prepared.regions(), &launch));
    let shape = MemoryShape::NVIDIA;
    let lowering = Arc::new(Lowering::new(kernel, &shape, Contraction::Allowed));
    let mut all = (
        (
            TrafficAnalysis::new(kernel, Arc::clone(&regions), shape, Arc::clone(&plan)),
            FootprintAnalysis::new(kernel, Arc::clone(&regions), &plan),
        ),
        (
            (
                BankAnalysis::new(kernel, Arc::clone(&regions), shape, Arc::clone(&plan)),
                MixAnalysis::new(kernel, Arc::clone(&lowering), Arc::clone(&plan)),
            ),
            ScoreboardAnalysis::new(kernel, &lowering, regions, shape, Latencies::ROUND, plan),
        ),
    );
    let options = RunOptions {
        threads: Some(threads),
        ..RunOptions::default()
    };
    let set = GroupSet::list(sampled.iter().map(|g| g.0).collect());
    let summary = run(&prepared, &memory, &set, &mut all, &options).expect("it runs");
    assert!(summary.faults.is_empty(), "{:?}", summary.faults);
    all
}

#[test]
fn the_naive_blur_has_the_measured_counts() {
    let ((traffic, footprint), ((banks, mix), scoreboard)) = analyse(&naive(), 1);
    let traffic = traffic.result();
    let loads = traffic.buffer("in").expect("it is read").traffic.loads;
    assert_eq!(loads.requests, Estimate::exact(1_572_864));
    assert_eq!(loads.sectors, Estimate::exact(7_340_030));
    assert_eq!(loads.accesses, Estimate::exact(50_331_646));
    assert_eq!(loads.distinct, Estimate::exact(16_908_286));
    let footprint = footprint.result();
    let input = footprint.buffer("in").and_then(|b| b.single());
    assert_eq!(input.expect("it is affine").halo, Some(vec![[1, 1]]));
    assert_eq!(banks.result().loads.ir.requests.value, 0);
    let mix = mix.result();
    assert_eq!(mix.loads_from(Space::Global), loads.requests);
    assert_eq!(mix.stores_to(Space::Global).value, 524_288);
    assert!(mix.active_lane_ratio() > Some(0.999));
    assert_eq!(scoreboard.result().barriers.value, 0);
}

#[test]
fn the_tiled_blur_has_the_measured_counts() {
    let ((traffic, footprint), ((banks, mix), scoreboard)) = analyse(&tiled(), 1);
    let traffic = traffic.result();
    let loads = traffic.buffer("in").expect("it is read").traffic.loads;
    assert_eq!(loads.requests, Estimate::exact(655_358));
    assert_eq!(loads.sectors, Estimate::exact(2_228_222));
    assert_eq!(loads.reuse(), Some(1.0));
    let tile = traffic.buffer("tile").expect("it is read").traffic;
    assert_eq!(tile.loads.requests, Estimate::exact(1_572_864));
    assert_eq!(tile.stores.distinct.value, 65_536 * 258);
    let footprint = footprint.result();
    let input = footprint.buffer("in").and_then(|b| b.single());
    assert_eq!(input.expect("it is affine").halo, Some(vec![[1, 1]]));
    let local = banks.result().loads;
    assert_eq!(local.merged.requests, Estimate::exact(1_572_864));
    assert_eq!(local.merged.conflicts, Estimate::exact(0));
    assert_eq!(mix.result().barriers, Estimate::exact(524_288));
    let lifetimes = scoreboard.result();
    assert_eq!(lifetimes.per_group(lifetimes.barriers), 1.0);
    assert_eq!(lifetimes.per_group(lifetimes.local_trips), 1.0);
}

#[test]
fn staging_the_blur_lengthens_a_groups_life() {
    let life = |kernel: &Kernel| {
        let (_, (_, scoreboard)) = analyse(kernel, 1);
        let lifetimes = scoreboard.result();
        lifetimes.per_group(lifetimes.lifetime)
    };
    let (naive, tiled) = (life(&naive()), life(&tiled()));
    assert!(tiled > naive + 40.0, "{naive} {tiled}");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let one = analyse(&tiled(), 1);
    let four = analyse(&tiled(), 4);
    assert_eq!(one.0.0.result(), four.0.0.result());
    assert_eq!(one.0.1.result(), four.0.1.result());
    assert_eq!(one.1.0.0.result(), four.1.0.0.result());
    assert_eq!(one.1.0.1.result(), four.1.0.1.result());
    assert_eq!(one.1.1.result(), four.1.1.result());
}
