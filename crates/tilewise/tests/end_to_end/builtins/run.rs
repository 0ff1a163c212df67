//! Runs a test kernel on the simulator and on a device.

use tilewise_device::{BoundLaunch, BufferRole, Clearance, Program};
use tilewise_frontend::{Compiled, Options, Source, Toolchain, compile};
use tilewise_ir::Kernel;
use tilewise_launch::{Arg, ArgValue, Buffer, ElemType, Fill, Launch, NdRange, Scalar, ValueType};
use tilewise_sim::{GroupSet, Memory, Prepared, RunOptions, run};

use super::generate::{ELEMENTS, SLOT, TestKernel, arguments};

/// The text of a program.
pub fn program_text(kernels: &[TestKernel], half: bool) -> String {
    let mut text = String::new();
    if half {
        text.push_str("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    }
    text.push_str("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    kernels.iter().for_each(|k| text.push_str(&k.text));
    text
}

/// Both forms of a program. Every kernel must lower in both.
pub fn compiled(text: &str, version: &str) -> Compiled {
    let tools = Toolchain::find().expect("clang and the translator");
    let source = Source {
        path: "builtins.cl".into(),
        text: text.to_owned(),
        prepend: Vec::new(),
    };
    let options = Options::parse(&format!("-cl-std={version} -ffp-contract=off")).expect("options");
    let compiled = compile(&tools, &source, &options).unwrap_or_else(|e| panic!("{e}"));
    let refusals: Vec<String> = compiled.refusals.iter().map(|r| r.to_string()).collect();
    assert_eq!(refusals, Vec::<String>::new());
    assert_eq!(compiled.notes, Vec::<String>::new());
    compiled
}

fn buffer(scalar: Scalar, bytes: Vec<u8>) -> ArgValue {
    ArgValue::Buffer(Buffer {
        elem: ValueType::Elem(ElemType::scalar(scalar)),
        len: Some(bytes.len() as u64 / scalar.size()),
        fill: Fill::File {
            path: "given".into(),
            data: bytes.into(),
        },
        generated: true,
    })
}

/// One work-item per element, in groups of 64.
pub fn launch(kernel: &TestKernel, seed: u64) -> Launch {
    let mut args: Vec<(&str, ArgValue)> = Vec::new();
    let [x, y, w, m] = arguments(kernel.elem, seed);
    for (name, bytes) in [("x", x), ("y", y), ("w", w)] {
        args.push((name, buffer(Scalar::U8, bytes)));
    }
    args.push(("m", buffer(Scalar::I32, m)));
    args.push((
        "out",
        buffer(Scalar::U8, vec![0; kernel.slots.len() * SLOT]),
    ));
    Launch {
        kernel: kernel.name.clone(),
        range: NdRange {
            dims: 1,
            global: [ELEMENTS as u64, 1, 1],
            offset: [0; 3],
            local: [64, 1, 1],
        },
        args: args
            .into_iter()
            .map(|(name, value)| Arg {
                name: name.to_owned(),
                value,
            })
            .collect(),
        seed,
    }
}

/// The bits of one element of an argument.
pub fn bits(kernel: &TestKernel, launch: &Launch, arg: usize, element: usize) -> u64 {
    assert!(
        matches!(launch.args[arg].value, ArgValue::Buffer(_)),
        "argument {arg} is a buffer"
    );
    let mut bytes = vec![0; kernel.elem.size];
    let first = (element * kernel.elem.size) as u64;
    launch.contents(arg, first, &mut bytes);
    kernel.elem.bits(&bytes, 0)
}

/// What a kernel leaves in `out` on the simulator.
pub fn simulated(kernel: &Kernel, launch: &Launch) -> Vec<u8> {
    let prepared =
        Prepared::new(kernel, launch, 32).unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
    let memory = Memory::new(kernel, launch).expect("the arguments fit");
    let options = RunOptions {
        threads: Some(1),
        step_budget: 1 << 20,
    };
    let summary = run(&prepared, &memory, &GroupSet::All, &mut (), &options).expect("it runs");
    assert!(
        summary.faults.is_empty(),
        "{}: {:?}",
        kernel.name,
        summary.faults
    );
    let Some(ArgValue::Buffer(out)) = launch.args.last().map(|a| &a.value) else {
        panic!("the last argument is the output");
    };
    let mut bytes = vec![0; out.len.unwrap_or(0) as usize];
    assert!(memory.read(launch.args.len() - 1, 0, &mut bytes));
    bytes
}

/// What a kernel leaves in `out` on a device.
pub fn on_device(program: &Program, launch: &Launch) -> Vec<u8> {
    let kernel = program.kernel(&launch.kernel).expect("the kernel");
    let roles = [
        BufferRole::Input,
        BufferRole::Input,
        BufferRole::Input,
        BufferRole::Input,
        BufferRole::InOut,
    ];
    let mut contents = |arg: usize, first: u64, out: &mut [u8]| launch.contents(arg, first, out);
    let bound = BoundLaunch::new(kernel, launch, &roles, &mut contents, Clearance::Simulated)
        .unwrap_or_else(|e| panic!("{}: {e}", launch.kernel));
    bound
        .run()
        .unwrap_or_else(|e| panic!("{}: {e}", launch.kernel));
    let mut bytes = Vec::new();
    bound
        .read_outputs(|_, out| bytes = out.to_vec())
        .expect("readable");
    bytes
}
