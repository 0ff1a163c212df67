//! What can go wrong with a device, in words for people.

use thiserror::Error;

use crate::status::Status;

/// An error of the OpenCL half.
///
/// [`DeviceError::is_environment`] tells a missing or lost device (exit code 3)
/// from wrong input (exit code 2).
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DeviceError {
    /// No OpenCL library on this machine.
    #[error(
        "no OpenCL library found ({}); install one ({install}), or name it in TILEWISE_OPENCL_LIB; simulated devices (--device sim:h200) need none",
        .tried.join("; ")
    )]
    NoOpenCl {
        /// Each name tried, with the loader's message.
        tried: Vec<String>,
        /// What to install on this platform.
        install: &'static str,
    },

    /// The library lacks a function of OpenCL 1.2.
    #[error(
        "the OpenCL library {library} has no function {function}; it is older than OpenCL 1.2 or no OpenCL loader: install a current one ({install})"
    )]
    MissingFunction {
        /// Path or name of the library.
        library: String,
        /// The missing function.
        function: &'static str,
        /// What to install on this platform.
        install: &'static str,
    },

    /// The library is there, but no driver.
    #[error(
        "the OpenCL library {library} finds no driver; install your device's driver or PoCL for the CPU ({install}), or point OCL_ICD_VENDORS at the folder of its .icd file"
    )]
    NoPlatform {
        /// Path or name of the library.
        library: String,
        /// What to install on this platform.
        install: &'static str,
    },

    /// Drivers are there, but no device.
    #[error(
        "no OpenCL device: {} has none that can be used{}; check that the device is visible to this user (groups `video` and `render` on Linux)",
        .platforms.join(", "),
        if .problems.is_empty() { String::new() } else { format!(" ({})", .problems.join("; ")) }
    )]
    NoDevice {
        /// Names of the platforms.
        platforms: Vec<String>,
        /// What failed while asking them.
        problems: Vec<String>,
    },

    /// No device answers to the name.
    #[error("no OpenCL device `{wanted}`; there are:\n{}", lines(.devices))]
    UnknownDevice {
        /// What the user asked for.
        wanted: String,
        /// The devices, one line each.
        devices: Vec<String>,
    },

    /// Several devices answer to the name.
    #[error("`{wanted}` is more than one OpenCL device; choose by number:\n{}", lines(.devices))]
    AmbiguousDevice {
        /// What the user asked for.
        wanted: String,
        /// The devices that match, one line each.
        devices: Vec<String>,
    },

    /// The driver does not compile the kernel.
    #[error(
        "{device} does not build the kernel (options: {}); its compiler says:\n{log}",
        if .options.is_empty() { "none" } else { .options }
    )]
    BuildFailed {
        /// Name of the device.
        device: String,
        /// Build options of the launch.
        options: String,
        /// The compiler's log, as the driver gave it.
        log: String,
    },

    /// The build options cannot be handed to C.
    #[error("the build options hold a zero byte at position {at}; remove it from --build-options")]
    ZeroByteInOptions {
        /// Byte position.
        at: usize,
    },

    /// The program has no such kernel.
    #[error("no kernel `{kernel}` in the program; it has: {}", .kernels.join(", "))]
    NoSuchKernel {
        /// The kernel asked for.
        kernel: String,
        /// The kernels that the program has.
        kernels: Vec<String>,
    },

    /// The launch and the kernel disagree about the number of arguments.
    #[error("kernel `{kernel}` takes {takes} arguments and the launch gives {given}")]
    ArgumentCount {
        /// Name of the kernel.
        kernel: String,
        /// How many it takes.
        takes: usize,
        /// How many were given.
        given: usize,
    },

    /// The launch and the kernel disagree about the kind of an argument.
    #[error(
        "argument {index} (`{name}`) of kernel `{kernel}` is {takes}, and the launch gives {given}"
    )]
    ArgumentKind {
        /// Name of the kernel.
        kernel: String,
        /// Index of `clSetKernelArg`.
        index: usize,
        /// Name of the parameter.
        name: String,
        /// What the kernel takes.
        takes: String,
        /// What the launch gives.
        given: &'static str,
    },

    /// The driver refuses an argument.
    #[error("argument {index} (`{name}`) of kernel `{kernel}` is refused: {status}; {}", .status.advice())]
    Argument {
        /// Name of the kernel.
        kernel: String,
        /// Index of `clSetKernelArg`.
        index: usize,
        /// Name of the parameter.
        name: String,
        /// What the driver returned.
        status: Status,
    },

    /// A buffer without a length.
    #[error(
        "buffer `{name}` (argument {index}) has no length, and a device needs one; give it as --arg {name}=[N]"
    )]
    LengthUnknown {
        /// Name of the parameter.
        name: String,
        /// Index of the argument.
        index: usize,
    },

    /// A buffer of no bytes, which OpenCL does not have.
    #[error(
        "buffer `{name}` (argument {index}) is empty; OpenCL has no empty buffers: give it at least one element"
    )]
    EmptyBuffer {
        /// Name of the parameter.
        name: String,
        /// Index of the argument.
        index: usize,
    },

    /// An alias of something that is no buffer.
    #[error(
        "argument {index} (`{name}`) is to be the same memory as argument {of}, which is no buffer"
    )]
    AliasOfNoBuffer {
        /// Name of the parameter.
        name: String,
        /// Index of the argument.
        index: usize,
        /// Index of the argument that it names.
        of: usize,
    },

    /// A buffer larger than the device takes in one piece.
    #[error(
        "buffer `{name}` needs {bytes} bytes and {device} takes at most {limit} in one buffer; use a smaller problem"
    )]
    BufferTooLarge {
        /// Name of the parameter.
        name: String,
        /// Its size in bytes.
        bytes: u64,
        /// Name of the device.
        device: String,
        /// `CL_DEVICE_MAX_MEM_ALLOC_SIZE` in bytes.
        limit: u64,
    },

    /// An image of a format that the device does not have.
    #[error(
        "image `{name}` has the format {format}, which {device} does not have for such an image; {}",
        if .supported.is_empty() { "it has no such images at all".to_owned() } else { format!("it has {}", .supported.join(" ")) }
    )]
    ImageFormat {
        /// Name of the parameter.
        name: String,
        /// The format.
        format: String,
        /// Name of the device.
        device: String,
        /// Formats that it has for such images.
        supported: Vec<String>,
    },

    /// An image larger than the device takes.
    #[error("image `{name}` of {} is larger than {device} takes; use a smaller problem", extent_text(.extent))]
    ImageSize {
        /// Name of the parameter.
        name: String,
        /// Its sizes in texels, then its layers.
        extent: Vec<u64>,
        /// Name of the device.
        device: String,
    },

    /// All buffers together exceed the device's memory.
    #[error("the buffers need {bytes} bytes and {device} has {limit}; use a smaller problem")]
    MemoryExceeded {
        /// Sum over the buffers in bytes.
        bytes: u64,
        /// Name of the device.
        device: String,
        /// `CL_DEVICE_GLOBAL_MEM_SIZE` in bytes.
        limit: u64,
    },

    /// More local memory than a work-group gets.
    #[error(
        "kernel `{kernel}` needs {bytes} bytes of local memory a work-group and {device} gives {limit}; use a smaller tile or work-group"
    )]
    LocalMemoryExceeded {
        /// Name of the kernel.
        kernel: String,
        /// Bytes needed: arrays in the kernel and arguments.
        bytes: u64,
        /// Name of the device.
        device: String,
        /// `CL_DEVICE_LOCAL_MEM_SIZE` in bytes.
        limit: u64,
    },

    /// A work-group that the device or the kernel cannot have.
    #[error("a work-group of {} does not run as `{kernel}` on {device}: {why}; change --local", size(.local))]
    WorkGroup {
        /// Name of the kernel.
        kernel: String,
        /// Name of the device.
        device: String,
        /// The work-group's size in work-items.
        local: [u64; 3],
        /// What it breaks.
        why: String,
    },

    /// An index space of no or too many dimensions.
    #[error("an index space of {dims} dimensions; OpenCL has 1 to 3: change --global")]
    Dimensions {
        /// Number of dimensions.
        dims: u8,
    },

    /// An index space that does not fit the host's `size_t`.
    #[error("{what} of {value} does not fit this machine's address size")]
    TooLargeForHost {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: u64,
    },

    /// A read or write outside a device buffer.
    #[error("bytes {offset}..{} lie outside a device buffer of {len} bytes", .offset.saturating_add(*.count))]
    OutsideBuffer {
        /// First byte.
        offset: usize,
        /// Number of bytes.
        count: usize,
        /// Length of the buffer.
        len: usize,
    },

    /// The driver refused to start the kernel.
    #[error("{device} does not start kernel `{kernel}`: {status}; {}", .status.advice())]
    NotStarted {
        /// Name of the kernel.
        kernel: String,
        /// Name of the device.
        device: String,
        /// What the driver returned.
        status: Status,
    },

    /// The device failed while it ran the kernel, or was lost.
    #[error(
        "{device} failed while running kernel `{kernel}`: {status}; the kernel may reach outside its buffers (run `tilewise check` on it), may have run into the display's time limit, or the device was lost"
    )]
    DeviceLost {
        /// Name of the kernel.
        kernel: String,
        /// Name of the device.
        device: String,
        /// What the driver returned.
        status: Status,
    },

    /// The profiling times of a launch make no sense.
    #[error(
        "{device} gave profiling times that end before they start ({start} ns to {end} ns); its driver's timers can't be used for measurement"
    )]
    BadTimes {
        /// Name of the device.
        device: String,
        /// Start in ns.
        start: u64,
        /// End in ns.
        end: u64,
    },

    /// A query returned something of another size than OpenCL says.
    #[error(
        "{call} returned {bytes} bytes where an integer or a text was due: a fault of the driver"
    )]
    BadAnswer {
        /// The OpenCL function.
        call: &'static str,
        /// Number of bytes returned.
        bytes: usize,
    },

    /// A measurement of nothing.
    #[error("nothing to measure: no kernel or no round was given")]
    NothingToMeasure,

    /// Any other OpenCL call that failed.
    #[error("{call} failed: {status}; {}", .status.advice())]
    Call {
        /// The OpenCL function.
        call: &'static str,
        /// What it returned.
        status: Status,
    },
}

impl DeviceError {
    /// Whether the machine is at fault (no OpenCL, no driver, a device that is
    /// missing, lost or out of memory) and not the input.
    pub fn is_environment(&self) -> bool {
        match self {
            DeviceError::NoOpenCl { .. }
            | DeviceError::MissingFunction { .. }
            | DeviceError::NoPlatform { .. }
            | DeviceError::NoDevice { .. }
            | DeviceError::UnknownDevice { .. }
            | DeviceError::DeviceLost { .. }
            | DeviceError::BadTimes { .. }
            | DeviceError::BadAnswer { .. } => true,
            DeviceError::NotStarted { status, .. } | DeviceError::Call { status, .. } => !matches!(
                status.0,
                opencl_sys::CL_INVALID_WORK_GROUP_SIZE
                    | opencl_sys::CL_INVALID_WORK_ITEM_SIZE
                    | opencl_sys::CL_INVALID_WORK_DIMENSION
                    | opencl_sys::CL_INVALID_GLOBAL_WORK_SIZE
                    | opencl_sys::CL_INVALID_GLOBAL_OFFSET
                    | opencl_sys::CL_INVALID_KERNEL_ARGS
                    | opencl_sys::CL_INVALID_BUILD_OPTIONS
            ),
            _ => false,
        }
    }

    /// `Ok` for `CL_SUCCESS`, else the error of that call.
    pub(crate) fn check(call: &'static str, code: i32) -> Result<(), DeviceError> {
        match code {
            opencl_sys::CL_SUCCESS => Ok(()),
            _ => Err(DeviceError::Call {
                call,
                status: Status(code),
            }),
        }
    }
}

fn lines(items: &[String]) -> String {
    items
        .iter()
        .map(|i| format!("  {i}"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn extent_text(extent: &[u64]) -> String {
    let sizes: Vec<String> = extent.iter().map(u64::to_string).collect();
    sizes.join("x")
}

fn size(local: &[u64; 3]) -> String {
    format!("{}x{}x{}", local[0], local[1], local[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_device_is_the_environment_and_a_bad_group_is_input() {
        let lost = DeviceError::DeviceLost {
            kernel: "k".into(),
            device: "d".into(),
            status: Status(opencl_sys::CL_OUT_OF_RESOURCES),
        };
        assert!(lost.is_environment());
        let group = DeviceError::NotStarted {
            kernel: "k".into(),
            device: "d".into(),
            status: Status(opencl_sys::CL_INVALID_WORK_GROUP_SIZE),
        };
        assert!(!group.is_environment());
        assert!(
            group
                .to_string()
                .contains("CL_INVALID_WORK_GROUP_SIZE (-54)")
        );
        assert!(group.to_string().contains("--local"));
    }
}
