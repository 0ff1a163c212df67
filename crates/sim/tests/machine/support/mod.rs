//! Launches for kernels built by hand.
#![allow(dead_code)]

pub mod product;

use tilewise_ir::Kernel;
use tilewise_launch::{
    Arg, ArgValue, Buffer, ElemType, Fill, Launch, NdRange, Scalar, SplitMix64, ValueType,
};
use tilewise_sim::{Analysis, GroupSet, Memory, Prepared, RunOptions, RunSummary, run};

/// Draws numbers, and from lists.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0.bits() % n
    }

    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

pub fn buffer(scalar: Scalar, len: u64, fill: Fill) -> ArgValue {
    ArgValue::Buffer(Buffer {
        elem: ValueType::Elem(ElemType::scalar(scalar)),
        len: Some(len),
        fill,
        generated: true,
    })
}

/// A buffer of given values.
pub fn given(values: &[i32]) -> ArgValue {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    buffer(
        Scalar::I32,
        values.len() as u64,
        Fill::File {
            path: "given".into(),
            data: bytes.into(),
        },
    )
}

pub fn value(v: i32) -> ArgValue {
    ArgValue::Bytes(v.to_le_bytes().to_vec())
}

pub fn range1(global: u64, local: u64) -> NdRange {
    NdRange {
        dims: 1,
        global: [global, 1, 1],
        offset: [0; 3],
        local: [local, 1, 1],
    }
}

pub fn launch(kernel: &Kernel, range: NdRange, args: Vec<ArgValue>) -> Launch {
    let named = kernel.params.iter().zip(args);
    Launch {
        kernel: kernel.name.clone(),
        range,
        args: named
            .map(|(p, value)| Arg {
                name: p.name.clone(),
                value,
            })
            .collect(),
        seed: 7,
    }
}

pub struct Ran {
    pub memory: Memory,
    pub summary: RunSummary,
}

impl Ran {
    pub fn i32s(&self, arg: usize, len: usize) -> Vec<i32> {
        let mut bytes = vec![0; 4 * len];
        assert!(
            self.memory.read(arg, 0, &mut bytes),
            "argument {arg} is no buffer"
        );
        let (words, _) = bytes.as_chunks::<4>();
        words.iter().map(|w| i32::from_le_bytes(*w)).collect()
    }

    pub fn f32s(&self, arg: usize, len: usize) -> Vec<f32> {
        self.i32s(arg, len)
            .into_iter()
            .map(|v| f32::from_bits(v as u32))
            .collect()
    }
}

pub fn simulate_with<A: Analysis>(
    kernel: &Kernel,
    launch: &Launch,
    width: u32,
    threads: usize,
    analysis: &mut A,
) -> Ran {
    let prepared = Prepared::new(kernel, launch, width).expect("the kernel decodes");
    run_prepared(&prepared, kernel, launch, threads, analysis)
}

/// As [`simulate_with`], without the machine's short cuts.
pub fn simulate_by_lane(kernel: &Kernel, launch: &Launch, width: u32) -> Ran {
    let prepared = Prepared::reference(kernel, launch, width).expect("the kernel decodes");
    run_prepared(&prepared, kernel, launch, 1, &mut ())
}

fn run_prepared<A: Analysis>(
    prepared: &Prepared,
    kernel: &Kernel,
    launch: &Launch,
    threads: usize,
    analysis: &mut A,
) -> Ran {
    let memory = Memory::new(kernel, launch).expect("the arguments fit");
    let options = RunOptions {
        threads: Some(threads),
        step_budget: 1 << 20,
    };
    let summary = run(prepared, &memory, &GroupSet::All, analysis, &options).expect("it runs");
    Ran { memory, summary }
}

pub fn simulate(kernel: &Kernel, launch: &Launch) -> Ran {
    simulate_with(kernel, launch, 32, 1, &mut ())
}
