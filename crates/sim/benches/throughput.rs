//! Nanoseconds per instruction of a sub-group, on one thread, with nothing
//! observed: `cargo bench -p tilewise-sim`.

#[path = "../tests/machine/support/mod.rs"]
mod support;

use std::sync::LazyLock;
use std::time::Instant;

use support::product::product;
use support::{buffer, launch, value};
use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{BinaryOp, CompareOp, Conversion, Kernel, MathFn, Space, Ty, WorkItemQuery};
use tilewise_launch::{ArgValue, Fill, NdRange, Scalar};
use tilewise_sim::{GroupSet, Memory, Prepared, RunOptions, run};

fn main() {
    let floats = |n| buffer(Scalar::F32, n, Fill::Random { range: None });
    let flat = |n| NdRange {
        dims: 1,
        global: [n, 1, 1],
        offset: [0; 3],
        local: [256, 1, 1],
    };
    let n = 1 << 20;
    time("copy 2^20", &copy(), flat(n), vec![floats(n), floats(n)]);
    time(
        "arithmetic",
        &arithmetic(false),
        flat(1 << 14),
        vec![floats(1 << 14)],
    );
    time(
        "divergent",
        &arithmetic(true),
        flat(1 << 14),
        vec![floats(1 << 14)],
    );
    let square = NdRange {
        dims: 2,
        global: [256, 256, 1],
        offset: [0; 3],
        local: [16, 16, 1],
    };
    let args = vec![
        floats(1 << 16),
        floats(1 << 16),
        floats(1 << 16),
        value(256),
    ];
    time("product 256^3", &product(), square, args);
}

fn time(name: &str, kernel: &Kernel, range: NdRange, args: Vec<ArgValue>) {
    let launch = launch(kernel, range, args);
    let options = RunOptions {
        threads: Some(1),
        ..RunOptions::default()
    };
    let mut best = f64::INFINITY;
    let mut instructions = 0;
    for _ in 0..5 {
        let prepared = Prepared::new(kernel, &launch, 32).expect("the kernel decodes");
        let memory = Memory::new(kernel, &launch).expect("the arguments fit");
        let start = cpu_time();
        let summary = run(&prepared, &memory, &GroupSet::All, &mut (), &options).expect("it runs");
        let seconds = cpu_time() - start;
        assert!(summary.faults.is_empty(), "{:?}", summary.faults);
        instructions = summary.instructions;
        best = best.min(seconds);
    }
    let ns = best * 1e9 / instructions as f64;
    println!(
        "{name:16} {:8.2} ms {ns:6.1} ns per instruction",
        best * 1e3
    );
}

/// Seconds that this thread has run. Linux counts them, so that other work on
/// the machine does not matter; elsewhere it is the time of day.
fn cpu_time() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    counted.map_or_else(|| START.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// `out[i] = in[i]`.
fn copy() -> Kernel {
    let mut k = KernelBuilder::new("copy");
    let input = k.pointer_param("in", Space::Global);
    let out = k.pointer_param("out", Space::Global);
    let entry = k.new_block();
    k.at(entry);
    let gid = k.work_item(WorkItemQuery::GlobalId, 0);
    let ptr = k.ptr_add(input, gid, 4, 0);
    let v = k.load(ptr, Space::Global, Ty::F32);
    let ptr = k.ptr_add(out, gid, 4, 0);
    k.store(ptr, v, Space::Global);
    k.ret();
    k.finish()
}

/// A loop of eight operations on floats and integers; where `divergent`, its
/// length differs by lane.
fn arithmetic(divergent: bool) -> Kernel {
    let mut k = KernelBuilder::new("arithmetic");
    let out = k.pointer_param("out", Space::Global);
    let [entry, head, body, end] = k.blocks();
    let i = k.block_param(head, Ty::I32);
    let x = k.block_param(head, Ty::F32);
    let (zero, one, mask) = (k.i32(0), k.i32(1), k.i32(511));
    let (half, quarter) = (k.f32(0.5), k.f32(0.25));
    k.at(entry);
    let gid = k.work_item(WorkItemQuery::GlobalId, 0);
    let id = k.convert(Conversion::Sext, gid, Ty::I32);
    let bound = if divergent {
        k.binary(BinaryOp::And, id, mask)
    } else {
        mask
    };
    let start = k.convert(
        Conversion::SToF(tilewise_ir::Rounding::NearestEven),
        id,
        Ty::F32,
    );
    k.jump_with(head, &[zero, start]);
    k.at(head);
    let more = k.compare(CompareOp::SLt, i, bound);
    k.branch(more, body, end);
    k.at(body);
    let a = k.binary(BinaryOp::FMul, x, half);
    let b = k.binary(BinaryOp::FAdd, a, quarter);
    let c = k.math(MathFn::Fma, &[a, b, quarter]);
    let d = k.math(MathFn::Fmax, &[c, b]);
    let e = k.binary(BinaryOp::FSub, d, a);
    let f = k.binary(BinaryOp::FMul, e, half);
    let next = k.binary(BinaryOp::Add, i, one);
    k.jump_with(head, &[next, f]);
    k.at(end);
    let ptr = k.ptr_add(out, gid, 4, 0);
    k.store(ptr, x, Space::Global);
    k.ret();
    k.finish()
}
