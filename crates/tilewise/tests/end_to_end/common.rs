//! What the tests share: the examples as input, sessions, and whether this
//! machine has what a test needs.

use std::path::{Path, PathBuf};

use tilewise::{DeviceChoice, KernelInput, Session};
use tilewise_device::OpenCl;
use tilewise_frontend::Toolchain;
use tilewise_launch::{ArgSetting, Text};
use tilewise_report::Run;

/// Whether clang and the SPIR-V translator are here.
///
/// # Panics
/// They are not, and `TILEWISE_REQUIRE_CLANG` is set.
pub fn have_clang() -> bool {
    have("TILEWISE_REQUIRE_CLANG", Toolchain::find().map(drop))
}

/// Whether an OpenCL device is here.
///
/// # Panics
/// There is none, and `TILEWISE_REQUIRE_OPENCL` is set.
pub fn have_opencl() -> bool {
    have(
        "TILEWISE_REQUIRE_OPENCL",
        OpenCl::load().and_then(|cl| cl.devices()).map(drop),
    )
}

fn have<E: std::fmt::Display>(required_by: &str, found: Result<(), E>) -> bool {
    match found {
        Ok(()) => true,
        Err(error) if std::env::var_os(required_by).is_none() => {
            eprintln!("skipped: {error}");
            false
        }
        Err(error) => panic!("{required_by} is set, and: {error}"),
    }
}

/// The simulated H200.
pub fn simulated() -> Session {
    on(DeviceChoice::Simulated("h200".to_owned()))
}

/// The first OpenCL device.
pub fn first_device() -> Session {
    on(DeviceChoice::OpenCl("0".to_owned()))
}

fn on(device: DeviceChoice) -> Session {
    Session {
        device,
        ..Session::default()
    }
}

/// The folder of all examples.
pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The file of an example.
pub fn example_file(topic: &str) -> PathBuf {
    examples().join(topic).join(format!("{topic}.cl"))
}

/// A kernel of an example, with its first launch or a named one.
pub fn example(topic: &str, kernel: &str, launch: Option<&str>) -> KernelInput {
    KernelInput {
        path: example_file(topic),
        kernel: Some(kernel.to_owned()),
        launch_name: launch.map(str::to_owned),
        ..KernelInput::default()
    }
}

/// Sets arguments as `--arg` does.
pub fn with_args(mut input: KernelInput, args: &[&str]) -> KernelInput {
    let parsed = args
        .iter()
        .map(|text| ArgSetting::from_flag(text).expect("a setting"));
    input.flags.args.extend(parsed);
    input
}

/// Sets the range as `--global` and `--local` do.
pub fn with_range(mut input: KernelInput, global: &str, local: &str) -> KernelInput {
    input.flags.global = Some(Text::flag(global.to_owned()));
    input.flags.local = Some(Text::flag(local.to_owned()));
    input
}

/// The only run.
pub fn one(runs: Vec<Run>) -> Run {
    let [run] = <[Run; 1]>::try_from(runs).expect("one launch on one device");
    run
}

/// Takes out where the time went, which differs from run to run.
pub fn without_timings(mut runs: Vec<Run>) -> Vec<Run> {
    runs.iter_mut().for_each(|run| run.timings.clear());
    runs
}
