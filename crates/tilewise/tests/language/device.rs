//! Runs launches on the first OpenCL device.

use tilewise_device::{BoundLaunch, BufferRole, Clearance, Device, OpenCl, Program, Queue};
use tilewise_launch::Launch;

/// The first line of a process that ran launches on a device; what kernels
/// print follows it.
pub const RAN: &str = "== on the device\n";

/// The first device, if there is one.
///
/// # Errors
/// There is none, and `TILEWISE_REQUIRE_OPENCL` is set.
pub fn first() -> Result<Option<Device>, String> {
    match OpenCl::load().and_then(|cl| cl.devices()) {
        Ok(devices) => Ok(devices.all().first().cloned()),
        Err(error) if std::env::var_os("TILEWISE_REQUIRE_OPENCL").is_none() => {
            eprintln!("not run on a device: {error}");
            Ok(None)
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Builds the source, runs a launch and reads its buffers.
pub fn run(
    queue: &Queue,
    source: &str,
    options: &str,
    launch: &Launch,
) -> Result<Vec<Vec<u8>>, String> {
    let program = Program::build(queue, source, options).map_err(|e| e.to_string())?;
    let kernel = program.kernel(&launch.kernel).map_err(|e| e.to_string())?;
    let mut contents = |arg: usize, first: u64, out: &mut [u8]| launch.contents(arg, first, out);
    let roles = vec![BufferRole::InOut; launch.args.len()];
    let bound = BoundLaunch::new(kernel, launch, &roles, &mut contents, Clearance::Simulated)
        .map_err(|e| e.to_string())?;
    bound.run().map_err(|e| e.to_string())?;
    let mut buffers = vec![Vec::new(); launch.args.len()];
    bound
        .read_outputs(|arg, bytes| buffers[arg] = bytes.to_vec())
        .map_err(|e| e.to_string())?;
    Ok(buffers)
}
