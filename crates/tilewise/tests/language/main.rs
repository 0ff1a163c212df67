//! The OpenCL C language, one file per topic: every kernel of this folder runs
//! on the simulator and on an OpenCL device, and both must leave the same bytes
//! in every buffer.
//!
//! # A test file
//!
//! A `.cl` file of this folder is a test. It starts with a block comment that
//! holds TOML in two parts: launches, as a launch file has them (same keys,
//! same grammar of values; see `tilewise_launch::file`), and, behind a line
//! `[expect]`, what is expected:
//!
//! ```c
//! /*
//! [[launch]]
//! kernel = "sums"
//! global = 100
//! local = 20
//! build_options = "-cl-std=CL2.0"
//! args = { in = "[global_size(0)]:iota", out = "[5]" }
//!
//! [expect]
//! values.out = [190, 590, 990, 1390, 1790]
//! */
//! kernel void sums(global const int *in, global int *out) { … }
//! ```
//!
//! Every launch runs on the simulator four times: the form as written and the
//! form as compiled, each with sub-groups of 32 and of 64 lanes. All four must
//! agree with each other and with the device. A file holds any number of
//! launches; they share the source and may differ in build options. Keep a file
//! to one topic and many short kernels: each file compiles once per set of
//! build options, and a compilation is what a test costs.
//!
//! Keys of `[expect]`, all optional:
//!
//! | key | meaning |
//! |---|---|
//! | `values.ARG` | what the buffer or image `ARG` holds at the end, as numbers, in every launch that has such an argument (`values.KERNEL.ARG` for one kernel alone) |
//! | `ulps` | values of floating-point type may differ by so many units in the last place between the runs; 0 where it is left out |
//! | `printf` | what the kernels print, all launches in order; without the key they must print nothing. The device prints the same, but for the order of lines |
//! | `fault` | the simulator must report this fault in every launch, as `FaultKind` names it (`BarrierDivergence`), and the device is left alone; without it there must be none |
//! | `refused` | the file must not compile or lower, with a message that holds this text (or each of these) |
//! | `simulator_only` | why the device does not run the file: what it lacks, or which fault of it the file shows |
//! | `needs` | extensions without which a device is left alone |
//! | `widths` | widths of sub-groups instead of `[32, 64]` |
//!
//! Clang sees every extension that it knows, unless `extensions` lists those
//! that it is to see.
//!
//! # Running one
//!
//! `cargo test -p tilewise --test language -- atomics` runs the files whose
//! name holds `atomics`. Files are skipped without clang, and the device's part
//! without OpenCL, unless `TILEWISE_REQUIRE_CLANG` or `TILEWISE_REQUIRE_OPENCL`
//! is set. Each file runs in a process of its own: an OpenCL driver that ends
//! its process ends one test, and what kernels print on the device is that
//! process's standard output.

mod device;
mod expect;
mod file;
mod numbers;
mod simulator;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};
use tilewise_frontend::Toolchain;

/// Names the file that this process is to run.
const FILE: &str = "TILEWISE_LANGUAGE_FILE";

fn main() -> ExitCode {
    if let Some(path) = std::env::var_os(FILE) {
        return match file::run(Path::new(&path)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let mut arguments = Arguments::from_args();
    // Two processes per core, each with threads of its own, would only wait.
    arguments.test_threads = arguments
        .test_threads
        .or_else(|| Some(std::thread::available_parallelism().map_or(1, usize::from)));
    let trials = match files() {
        Ok(files) => files.into_iter().map(trial).collect(),
        Err(error) => {
            eprintln!("can't list the test files: {error}");
            return ExitCode::FAILURE;
        }
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The test files, by name.
fn files() -> std::io::Result<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "cl") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn trial(path: PathBuf) -> Trial {
    let name = path
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default();
    Trial::test(name, move || in_own_process(&path))
}

fn in_own_process(path: &Path) -> Result<(), Failed> {
    if let Err(error) = Toolchain::find() {
        if std::env::var_os("TILEWISE_REQUIRE_CLANG").is_some() {
            return Err(error.to_string().into());
        }
        eprintln!("skipped: {error}");
        return Ok(());
    }
    let text = std::fs::read_to_string(path)?;
    let (_, expect) = expect::header(&text)?;
    let output = Command::new(std::env::current_exe()?)
        .env(FILE, path)
        .stdin(Stdio::null())
        .output()?;
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{}\n{messages}", output.status).into());
    }
    eprint!("{messages}");
    // The process says first whether a device ran.
    let printed = String::from_utf8_lossy(&output.stdout);
    let Some(printed) = printed.strip_prefix(device::RAN) else {
        return Ok(());
    };
    if sorted(printed) == sorted(&expect.printf) {
        return Ok(());
    }
    Err(format!(
        "the device prints\n{printed}where the simulator prints\n{}",
        expect.printf
    )
    .into())
}

/// Lines in an order that does not depend on that of the work-items.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}
