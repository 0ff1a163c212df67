//! Every builtin function, for every type and vector length: it compiles,
//! lowers in both forms and runs; both forms agree bit for bit, components of
//! vectors with the scalar form; and scalars agree with PoCL, exactly where the
//! specification prescribes the result, else within the sum of both bounds.
//!
//! `TILEWISE_BUILTIN_SEEDS=N` runs `N` sets of arguments instead of one.

mod generate;
mod pocl;
mod run;
mod table;
mod types;

use tilewise_device::{OpenCl, Program, Queue};

use crate::common::{have_clang, have_opencl};
use generate::{ELEMENTS, SLOT, Slot, TestKernel, kernel};
use table::{Args, Call, Res};
use types::{Elem, Kind, TYPES};

/// Calls of one kernel.
const CALLS: usize = 24;

fn seeds() -> std::ops::Range<u64> {
    let count = std::env::var("TILEWISE_BUILTIN_SEEDS")
        .ok()
        .and_then(|n| n.parse().ok());
    0..count.unwrap_or(1)
}

/// Cuts a table into kernels, with those lengths of each call that are asked for.
fn kernels(elem: Elem, calls: Vec<Call>, lengths: fn(&Call) -> Vec<u32>) -> Vec<TestKernel> {
    let mut all = calls;
    let mut kernels = Vec::new();
    while !all.is_empty() {
        let rest = all.split_off(CALLS.min(all.len()));
        let name = format!("{}_{}", elem.name, kernels.len());
        kernels.push(kernel(&name, elem, all, lengths));
        all = rest;
    }
    kernels
}

/// Equal bits, or both a NaN.
fn same(elem: Elem, a: u64, b: u64) -> bool {
    let nan = |v| elem.kind == Kind::Float && elem.number(v).is_nan();
    a == b || (nan(a) && nan(b))
}

/// What a call of one length left in the output.
struct Results<'a> {
    elem: Elem,
    bytes: &'a [u8],
}

impl<'a> Results<'a> {
    fn new(kernel: &TestKernel, slot: usize, out: &'a [u8]) -> Self {
        Self {
            elem: kernel.slots[slot].stored.0,
            bytes: &out[slot * SLOT..(slot + 1) * SLOT],
        }
    }

    fn get(&self, index: usize) -> u64 {
        self.elem.bits(self.bytes, index)
    }
}

/// Number of results in a slot.
fn count(slot: &Slot) -> usize {
    ELEMENTS / slot.length as usize * slot.stored.1 as usize
}

/// Components of vectors are what the scalar form gives.
fn check_vectors(kernel: &TestKernel, out: &[u8]) {
    for (index, slot) in kernel.slots.iter().enumerate() {
        let call = &kernel.calls[slot.call];
        if slot.length == 1 || !call.by_component {
            continue;
        }
        let scalar = kernel
            .slots
            .iter()
            .position(|s| s.call == slot.call && s.length == 1 && s.second == slot.second);
        let scalar = Results::new(kernel, scalar.expect("the scalar form"), out);
        let vector = Results::new(kernel, index, out);
        for n in 0..count(slot) {
            let mut expected = scalar.get(n);
            if call.result == Res::Truth {
                // 1 becomes all ones.
                expected = expected.wrapping_neg() & (u64::MAX >> (64 - 8 * vector.elem.size));
            }
            let got = vector.get(n);
            assert!(
                same(vector.elem, got, expected),
                "{} of {}{}: component {n} is {got:#x}, the scalar form gives {expected:#x}",
                call.text,
                kernel.elem.name,
                slot.length
            );
        }
    }
}

/// Lowers and runs kernels in both forms; hands out what they leave.
fn simulate(kernels: &[TestKernel], version: &str, mut take: impl FnMut(&TestKernel, u64, &[u8])) {
    let half = kernels.iter().any(|k| k.text.contains("half"));
    let compiled = run::compiled(&run::program_text(kernels, half), version);
    for kernel in kernels {
        let written = compiled
            .as_written
            .kernel(&kernel.name)
            .expect("as written");
        let optimised = compiled
            .as_compiled
            .kernel(&kernel.name)
            .expect("as compiled");
        for seed in seeds() {
            let launch = run::launch(kernel, seed);
            let out = run::simulated(written, &launch);
            let other = run::simulated(optimised, &launch);
            for (index, slot) in kernel.slots.iter().enumerate() {
                let (a, b) = (
                    Results::new(kernel, index, &out),
                    Results::new(kernel, index, &other),
                );
                for n in 0..count(slot) {
                    let call = &kernel.calls[slot.call].text;
                    let (x, y) = (a.get(n), b.get(n));
                    assert!(
                        same(a.elem, x, y) || is_undefined(kernel, slot, n, &launch),
                        "{call} of {}{}: {n} is {x:#x} as written, {y:#x} as compiled",
                        kernel.elem.name,
                        slot.length
                    );
                }
            }
            check_vectors(kernel, &out);
            take(kernel, seed, &out);
        }
    }
}

/// Whether the specification leaves a result open: of any component, where the
/// call takes whole vectors.
fn is_undefined(
    kernel: &TestKernel,
    slot: &Slot,
    n: usize,
    launch: &tilewise_launch::Launch,
) -> bool {
    let call = &kernel.calls[slot.call];
    let first = n / slot.stored.1 as usize * slot.length as usize;
    let elements = match call.by_component {
        true => n..n + 1,
        false => first..first + slot.length as usize,
    };
    elements
        .into_iter()
        .any(|e| (call.undefined)(&args(kernel, launch, e, &call.text)))
}

fn args(kernel: &TestKernel, launch: &tilewise_launch::Launch, element: usize, text: &str) -> Args {
    let number =
        |arg: usize, element: usize| kernel.elem.number(run::bits(kernel, launch, arg, element));
    // A function that takes fewer arguments must not depend on the others.
    let takes =
        |name: &str| text.contains(&format!("({name}")) || text.contains(&format!(" {name}"));
    let or_one = |name: &str, arg: usize, element: usize| {
        if takes(name) {
            number(arg, element)
        } else {
            1.0
        }
    };
    let [a, b, c] = [("a", 0), ("b", 1), ("c", 2)].map(|(name, arg)| or_one(name, arg, element));
    Args {
        values: if text == "smoothstep(s, t, a)" {
            [number(1, 0), number(2, 0), a]
        } else {
            [a, b, c]
        },
    }
}

fn calls(elem: Elem) -> Vec<Call> {
    let mut calls = match elem.kind {
        Kind::Float => table::float_calls(elem),
        _ => table::integer_calls(elem),
    };
    calls.extend(table::conversions(elem, &TYPES));
    calls
}

/// What a device is given: scalars, and functions that take vectors as a whole.
/// PoCL has no half.
fn device_lengths(call: &Call) -> Vec<u32> {
    match call.by_component {
        _ if call.text.contains("half$N") => Vec::new(),
        true => vec![1],
        false => call.lengths.clone(),
    }
}

#[test]
fn every_builtin_runs_and_equals_the_devices() {
    if !have_clang() {
        return;
    }
    let devices = have_opencl().then(|| {
        OpenCl::load()
            .and_then(|cl| cl.devices())
            .expect("a device")
    });
    let queue = devices
        .as_ref()
        .map(|d| Queue::new(&d.all()[0]).expect("a queue"));
    let mut differences = Vec::new();
    for elem in TYPES {
        let all = kernels(elem, calls(elem), |c| c.lengths.clone());
        let queue = queue.as_ref().filter(|_| elem.name != "half");
        let device = queue.map(|queue| {
            let kernels = kernels(elem, calls(elem), device_lengths);
            let text = run::program_text(&kernels, false);
            let program =
                Program::build(queue, &text, "-cl-std=CL1.2").unwrap_or_else(|e| panic!("{e}"));
            (program, kernels)
        });
        simulate(&all, "CL1.2", |kernel, seed, ours| {
            let Some((program, kernels)) = &device else {
                return;
            };
            let other = kernels
                .iter()
                .find(|k| k.name == kernel.name)
                .expect("the same kernel");
            // All its calls may be of types that the device lacks.
            if other.slots.is_empty() {
                return;
            }
            let theirs = run::on_device(program, &run::launch(other, seed));
            let launch = run::launch(kernel, seed);
            pocl::compare((kernel, ours), (other, &theirs), &launch, &mut differences);
        });
    }
    let text = differences.join("\n");
    assert!(
        differences.is_empty(),
        "{} differences:\n{text}",
        differences.len()
    );
}

/// One program for all types.
#[test]
fn what_opencl_2_adds_lowers_and_runs() {
    if !have_clang() {
        return;
    }
    let all = TYPES
        .into_iter()
        .flat_map(|elem| kernels(elem, table::newer_calls(elem), |c| c.lengths.clone()));
    let all: Vec<TestKernel> = all.collect();
    simulate(&all, "CL2.0", |kernel, seed, out| {
        // No device here: the definition.
        let launch = run::launch(kernel, seed);
        for (index, slot) in kernel
            .slots
            .iter()
            .enumerate()
            .filter(|(_, s)| s.length == 1)
        {
            if kernel.calls[slot.call].text == "ctz(a)" {
                for n in 0..ELEMENTS {
                    let bits = run::bits(kernel, &launch, 0, n);
                    let expected =
                        u64::from(bits.trailing_zeros().min(8 * kernel.elem.size as u32));
                    assert_eq!(
                        Results::new(kernel, index, out).get(n),
                        expected,
                        "ctz({bits:#x})"
                    );
                }
            }
        }
    });
}
