//! Measures a device's copy ceiling:
//! `cargo run --release -p tilewise-device --example copy_ceiling [-- DEVICE]`.

use std::process::ExitCode;

use tilewise_device::{DeviceError, OpenCl, Queue, copy_ceiling};

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(if error.is_environment() { 3 } else { 2 })
        }
    }
}

fn measure() -> Result<(), DeviceError> {
    let devices = OpenCl::load()?.devices()?;
    let device = match std::env::args().nth(1) {
        Some(wanted) => devices.select(&wanted)?,
        None => devices.preferred(),
    };
    println!("{}", device.line());
    let ceiling = copy_ceiling(&Queue::new(device)?)?;
    for rate in &ceiling.rates {
        println!("{:>14}  {:8.1} GB/s", rate.kernel, rate.gb_per_s);
    }
    println!("{} MiB read and written per launch", ceiling.bytes >> 20);
    Ok(())
}
