//! What a device says of itself.

use std::fmt;

use opencl_sys as cl;
use opencl_sys::{cl_device_id, cl_device_info};

use crate::api::Api;
use crate::error::DeviceError;
use crate::query;
use crate::status::Status;

/// The kind of a device (`CL_DEVICE_TYPE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// A graphics processor.
    Gpu,
    /// The host's processor.
    Cpu,
    /// A dedicated accelerator.
    Accelerator,
    /// Anything else.
    Other,
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DeviceKind::Gpu => "gpu",
            DeviceKind::Cpu => "cpu",
            DeviceKind::Accelerator => "accelerator",
            DeviceKind::Other => "other",
        })
    }
}

/// Where local memory lies (`CL_DEVICE_LOCAL_MEM_TYPE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalMemoryKind {
    /// Memory of its own, as a rule on chip (`CL_LOCAL`).
    Local,
    /// Part of global memory: staging there copies from global to global
    /// memory, and can pay by the caches only (`CL_GLOBAL`).
    Global,
    /// The device has none (`CL_NONE`).
    None,
}

impl fmt::Display for LocalMemoryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            LocalMemoryKind::Local => "local",
            LocalMemoryKind::Global => "global",
            LocalMemoryKind::None => "none",
        })
    }
}

/// A device's answers to the queries that matter for staging. Sizes in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceInfo {
    /// Name of the platform (the driver).
    pub platform: String,
    /// Name of the device.
    pub name: String,
    /// The board's name where the device's name is a code (AMD: `gfx1100`).
    pub board: Option<String>,
    /// Vendor.
    pub vendor: String,
    /// Version of the driver.
    pub driver_version: String,
    /// `CL_DEVICE_VERSION`, such as `OpenCL 3.0 CUDA`.
    pub version: String,
    /// `CL_DEVICE_OPENCL_C_VERSION`, such as `OpenCL C 1.2`.
    pub c_version: String,
    /// Kind of device.
    pub kind: DeviceKind,
    /// Number of compute units.
    pub compute_units: u64,
    /// Most work-items in a work-group.
    pub max_group_size: u64,
    /// Most work-items in each dimension of a work-group.
    pub max_item_sizes: Vec<u64>,
    /// Local memory **per work-group** (`CL_DEVICE_LOCAL_MEM_SIZE`), which is
    /// not the compute unit's scratchpad.
    pub local_memory: u64,
    /// Where local memory lies.
    pub local_memory_kind: LocalMemoryKind,
    /// Largest constant buffer.
    pub max_constant_buffer: u64,
    /// Global memory.
    pub global_memory: u64,
    /// Largest single buffer.
    pub max_buffer: u64,
    /// `CL_DEVICE_GLOBAL_MEM_CACHE_SIZE`. Drivers disagree about which cache
    /// that is: NVIDIA's gives the L1 caches together, not the larger L2.
    pub cache: u64,
    /// Size of a cache line, 0 if the device gives none.
    pub cache_line: u64,
    /// Highest clock in MHz.
    pub clock_mhz: u64,
    /// Resolution of the profiling timer in ns.
    pub timer_resolution_ns: u64,
    /// Extensions.
    pub extensions: Vec<String>,
    /// Widths of a sub-group (NVIDIA: warp, AMD: wavefront, Intel: all that a
    /// kernel may get), empty where the device doesn't say. The preferred
    /// multiple of a kernel ([`crate::WorkGroupInfo`]) is the portable figure.
    pub sub_group_widths: Vec<u64>,
    /// 32-bit registers that a work-group can have (NVIDIA).
    pub registers_per_group: Option<u64>,
    /// Compute capability, major and minor (NVIDIA).
    pub compute_capability: Option<(u64, u64)>,
    /// Intermediate languages taken, such as `SPIR-V_1.2`; `None` for none.
    pub il_version: Option<String>,
    /// Work-groups at the end of the range may be smaller (OpenCL 2.0, optional
    /// in 3.0). The kernel must be built as CL2.0 or later.
    pub non_uniform_groups: bool,
    /// PCI address `domain:bus:device.function`, where the device gives it.
    pub pci: Option<String>,
    /// The device can be used.
    pub available: bool,
    /// The driver can build OpenCL C.
    pub compiler: bool,
}

impl DeviceInfo {
    /// Whether the device has this extension.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|e| e == name)
    }

    /// The OpenCL version as (major, minor), (1, 0) if the device's text is
    /// not of the form that the standard prescribes.
    pub fn opencl_version(&self) -> (u32, u32) {
        parse_version(&self.version).unwrap_or((1, 0))
    }

    /// Asks `device` everything. `platform` is its platform's name.
    pub(crate) fn read(
        api: &Api,
        device: cl_device_id,
        platform: &str,
    ) -> Result<DeviceInfo, DeviceError> {
        let ask = Ask { api, device };
        let version = ask.text(cl::CL_DEVICE_VERSION)?;
        let opencl = parse_version(&version).unwrap_or((1, 0));
        let extensions: Vec<String> = ask
            .text(cl::CL_DEVICE_EXTENSIONS)?
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        let has = |name: &str| extensions.iter().any(|e| e == name);
        let nvidia = has("cl_nv_device_attribute_query");
        let amd = has("cl_amd_device_attribute_query");

        let sub_group_widths = if nvidia {
            optional(ask.number(cl::CL_DEVICE_WARP_SIZE_NV))?.map(|w| vec![w])
        } else if amd {
            optional(ask.number(cl::CL_DEVICE_WAVEFRONT_WIDTH_AMD))?.map(|w| vec![w])
        } else if has("cl_intel_required_subgroup_size") {
            optional(ask.sizes(cl::CL_DEVICE_SUB_GROUP_SIZES_INTEL))?
        } else {
            None
        };
        let nvidia_number = |what| match nvidia {
            true => optional(ask.number(what)),
            false => Ok(None),
        };
        let major = nvidia_number(cl::CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV)?;
        let minor = nvidia_number(cl::CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV)?;
        let il_version = match opencl >= (2, 1) || has("cl_khr_il_program") {
            true => optional(ask.text(cl::CL_DEVICE_IL_VERSION))?.filter(|v| !v.is_empty()),
            false => None,
        };
        let non_uniform_groups = match opencl.0 {
            0 | 1 => false,
            2 => true,
            _ => optional(ask.number(cl::CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT))? == Some(1),
        };
        let board = match amd {
            true => optional(ask.text(cl::CL_DEVICE_BOARD_NAME_AMD))?.filter(|n| !n.is_empty()),
            false => None,
        };

        Ok(DeviceInfo {
            platform: platform.to_owned(),
            name: ask.text(cl::CL_DEVICE_NAME)?,
            board,
            vendor: ask.text(cl::CL_DEVICE_VENDOR)?,
            driver_version: ask.text(cl::CL_DRIVER_VERSION)?,
            c_version: ask.text(cl::CL_DEVICE_OPENCL_C_VERSION)?,
            kind: kind(ask.number(cl::CL_DEVICE_TYPE)?),
            compute_units: ask.number(cl::CL_DEVICE_MAX_COMPUTE_UNITS)?,
            max_group_size: ask.number(cl::CL_DEVICE_MAX_WORK_GROUP_SIZE)?,
            max_item_sizes: ask.sizes(cl::CL_DEVICE_MAX_WORK_ITEM_SIZES)?,
            local_memory: ask.number(cl::CL_DEVICE_LOCAL_MEM_SIZE)?,
            local_memory_kind: local_memory_kind(ask.number(cl::CL_DEVICE_LOCAL_MEM_TYPE)?),
            max_constant_buffer: ask.number(cl::CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE)?,
            global_memory: ask.number(cl::CL_DEVICE_GLOBAL_MEM_SIZE)?,
            max_buffer: ask.number(cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE)?,
            cache: ask.number(cl::CL_DEVICE_GLOBAL_MEM_CACHE_SIZE)?,
            cache_line: ask.number(cl::CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE)?,
            clock_mhz: ask.number(cl::CL_DEVICE_MAX_CLOCK_FREQUENCY)?,
            timer_resolution_ns: ask.number(cl::CL_DEVICE_PROFILING_TIMER_RESOLUTION)?,
            sub_group_widths: sub_group_widths.unwrap_or_default(),
            registers_per_group: nvidia_number(cl::CL_DEVICE_REGISTERS_PER_BLOCK_NV)?,
            compute_capability: major.zip(minor),
            il_version,
            non_uniform_groups,
            pci: optional(pci(&ask, has("cl_khr_pci_bus_info"), nvidia))?.flatten(),
            available: ask.number(cl::CL_DEVICE_AVAILABLE)? != 0,
            compiler: ask.number(cl::CL_DEVICE_COMPILER_AVAILABLE)? != 0,
            version,
            extensions,
        })
    }
}

/// `clGetDeviceInfo` on one device.
struct Ask<'a> {
    api: &'a Api,
    device: cl_device_id,
}

impl Ask<'_> {
    const CALL: &'static str = "clGetDeviceInfo";

    fn raw(
        &self,
        what: cl_device_info,
    ) -> impl Fn(usize, *mut std::ffi::c_void, *mut usize) -> i32 {
        let (get, device) = (self.api.get_device_info, self.device);
        // SAFETY: the device is a live id (devices are not reference counted),
        // and `query` passes a buffer of the size that it names.
        move |size, value, returned| unsafe { get(device, what, size, value, returned) }
    }

    fn text(&self, what: cl_device_info) -> Result<String, DeviceError> {
        query::text(Self::CALL, self.raw(what))
    }

    fn number(&self, what: cl_device_info) -> Result<u64, DeviceError> {
        query::unsigned(Self::CALL, self.raw(what))
    }

    fn sizes(&self, what: cl_device_info) -> Result<Vec<u64>, DeviceError> {
        query::sizes(Self::CALL, self.raw(what))
    }

    fn words(&self, what: cl_device_info) -> Result<Vec<u32>, DeviceError> {
        let bytes = query::bytes(Self::CALL, self.raw(what))?;
        let words = bytes
            .chunks_exact(4)
            .map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]]));
        Ok(words.collect())
    }
}

/// `None` where the driver does not know the query, though by its version or
/// extensions it should: the device is usable without the answer.
fn optional<T>(answer: Result<T, DeviceError>) -> Result<Option<T>, DeviceError> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(DeviceError::Call {
            status: Status(cl::CL_INVALID_VALUE),
            ..
        }) => Ok(None),
        Err(other) => Err(other),
    }
}

fn kind(flags: u64) -> DeviceKind {
    if flags & cl::CL_DEVICE_TYPE_GPU != 0 {
        DeviceKind::Gpu
    } else if flags & cl::CL_DEVICE_TYPE_ACCELERATOR != 0 {
        DeviceKind::Accelerator
    } else if flags & cl::CL_DEVICE_TYPE_CPU != 0 {
        DeviceKind::Cpu
    } else {
        DeviceKind::Other
    }
}

fn local_memory_kind(value: u64) -> LocalMemoryKind {
    if value == u64::from(cl::CL_LOCAL) {
        LocalMemoryKind::Local
    } else if value == u64::from(cl::CL_GLOBAL) {
        LocalMemoryKind::Global
    } else {
        LocalMemoryKind::None
    }
}

/// The PCI address by the vendor-neutral query or NVIDIA's.
fn pci(ask: &Ask, khr: bool, nvidia: bool) -> Result<Option<String>, DeviceError> {
    let (domain, bus, device, function) = if khr {
        match ask.words(cl::CL_DEVICE_PCI_BUS_INFO_KHR)?[..] {
            [domain, bus, device, function] => (domain, bus, device, function),
            _ => return Ok(None),
        }
    } else if nvidia {
        let bus = ask.words(cl::CL_DEVICE_PCI_BUS_ID_NV)?;
        let slot = ask.words(cl::CL_DEVICE_PCI_SLOT_ID_NV)?;
        match (&bus[..], &slot[..]) {
            // The slot holds the device number and, in three bits, the function.
            ([bus], [slot]) => (0, *bus, slot >> 3, slot & 7),
            _ => return Ok(None),
        }
    } else {
        return Ok(None);
    };
    Ok(Some(format!(
        "{domain:04x}:{bus:02x}:{device:02x}.{function}"
    )))
}

/// `OpenCL 3.0 …` as (3, 0).
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let number = text.strip_prefix("OpenCL ")?.split_whitespace().next()?;
    let (major, minor) = number.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(parse_version("OpenCL 3.0 CUDA"), Some((3, 0)));
        assert_eq!(parse_version("OpenCL 1.2 "), Some((1, 2)));
        assert_eq!(parse_version("3.0"), None);
    }

    #[test]
    fn a_gpu_that_is_also_the_default_device_is_a_gpu() {
        assert_eq!(
            kind(cl::CL_DEVICE_TYPE_DEFAULT | cl::CL_DEVICE_TYPE_GPU),
            DeviceKind::Gpu
        );
        assert_eq!(kind(cl::CL_DEVICE_TYPE_CUSTOM), DeviceKind::Other);
    }
}
