//! Seeded short forms of `cargo xtask random` and `cargo xtask stage-random`.

use std::process::Command;

use tilewise_device::OpenCl;
use tilewise_frontend::Toolchain;

/// Whether something is there; a machine that must have it fails instead.
fn have(what: &str, found: Result<(), String>) -> bool {
    match found {
        Ok(()) => true,
        Err(why) if std::env::var_os(what).is_none() => {
            eprintln!("left out: {why}");
            false
        }
        Err(why) => panic!("{what} is set, and: {why}"),
    }
}

#[test]
fn forty_programs_on_every_machine() {
    let clang = Toolchain::find().map(|_| ()).map_err(|e| e.to_string());
    if !have("TILEWISE_REQUIRE_CLANG", clang) {
        return;
    }
    let device = OpenCl::load().and_then(|o| o.devices());
    let device = device.map(|_| ()).map_err(|e| e.to_string());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.args([
        "random",
        "--count",
        "40",
        "--batch",
        "40",
        "--seed",
        "1",
        "--no-shrink",
    ]);
    command.arg("--keep").arg(folder.path());
    if !have("TILEWISE_REQUIRE_OPENCL", device) {
        command.arg("--no-device");
    }
    let output = command.output().expect("lab starts");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}{err}");
    // A device's own faults are no failure, but most programs agree on it.
    let agree = out
        .lines()
        .filter(|line| line.contains(" agree"))
        .filter_map(|line| line.split_whitespace().next()?.parse::<u32>().ok())
        .sum::<u32>();
    assert!(out.contains("40 programs") && agree >= 35, "{out}{err}");
}

/// A seeded short form of `cargo xtask stage-random`.
#[test]
fn naive_kernels_are_staged_and_proved_or_refused() {
    let clang = Toolchain::find().map(|_| ()).map_err(|e| e.to_string());
    if !have("TILEWISE_REQUIRE_CLANG", clang) {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.args([
        "stage-random",
        "--count",
        "20",
        "--seed",
        "1",
        "--no-shrink",
    ]);
    command.arg("--keep").arg(folder.path());
    let output = command.output().expect("lab starts");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    // None is wrong, none crashes.
    assert!(output.status.success(), "{out}{err}");
    let staged = out
        .lines()
        .filter(|line| line.contains(" staged and proved"))
        .filter_map(|line| line.split_whitespace().next()?.parse::<u32>().ok())
        .sum::<u32>();
    assert!(out.contains("20 kernels") && staged >= 16, "{out}{err}");
}
