//! Prints the OpenCL devices of this machine: `cargo run -p tilewise-device --example list`.

use std::process::ExitCode;

use tilewise_device::{DeviceError, OpenCl};

fn main() -> ExitCode {
    match list() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(if error.is_environment() { 3 } else { 2 })
        }
    }
}

fn list() -> Result<(), DeviceError> {
    let opencl = OpenCl::load()?;
    let devices = opencl.devices()?;
    println!("OpenCL library: {}", opencl.library());
    for problem in devices.problems() {
        eprintln!("warning: {problem}");
    }
    for device in devices.all() {
        println!("{}", device.line());
        println!("{:#?}", device.info());
    }
    Ok(())
}
