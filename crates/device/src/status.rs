//! OpenCL's error codes by name.

use std::fmt;

use opencl_sys as cl;

/// An error code that an OpenCL function returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Status(
    /// The code as OpenCL defines it (negative).
    pub i32,
);

macro_rules! names {
    ($code:expr; $($name:ident)*) => {
        match $code {
            $(cl::$name => Some(stringify!($name)),)*
            // `cl_khr_icd`: the loader found no driver. The crate has no constant for it.
            PLATFORM_NOT_FOUND_KHR => Some("CL_PLATFORM_NOT_FOUND_KHR"),
            // Undocumented: NVIDIA's driver says so when a kernel read or wrote an
            // address outside the device's memory.
            NVIDIA_ILLEGAL_ACCESS => Some("illegal memory access, NVIDIA"),
            _ => None,
        }
    };
}

const PLATFORM_NOT_FOUND_KHR: i32 = -1001;
const NVIDIA_ILLEGAL_ACCESS: i32 = -9999;

impl Status {
    /// The loader found no driver (`CL_PLATFORM_NOT_FOUND_KHR`).
    pub const PLATFORM_NOT_FOUND: Status = Status(PLATFORM_NOT_FOUND_KHR);

    /// The name in OpenCL's headers, such as `CL_INVALID_WORK_GROUP_SIZE`;
    /// `None` for codes that the headers don't define.
    pub fn name(self) -> Option<&'static str> {
        names!(self.0;
            CL_DEVICE_NOT_FOUND
            CL_DEVICE_NOT_AVAILABLE
            CL_COMPILER_NOT_AVAILABLE
            CL_MEM_OBJECT_ALLOCATION_FAILURE
            CL_OUT_OF_RESOURCES
            CL_OUT_OF_HOST_MEMORY
            CL_PROFILING_INFO_NOT_AVAILABLE
            CL_MEM_COPY_OVERLAP
            CL_IMAGE_FORMAT_MISMATCH
            CL_IMAGE_FORMAT_NOT_SUPPORTED
            CL_BUILD_PROGRAM_FAILURE
            CL_MAP_FAILURE
            CL_MISALIGNED_SUB_BUFFER_OFFSET
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
            CL_COMPILE_PROGRAM_FAILURE
            CL_LINKER_NOT_AVAILABLE
            CL_LINK_PROGRAM_FAILURE
            CL_DEVICE_PARTITION_FAILED
            CL_KERNEL_ARG_INFO_NOT_AVAILABLE
            CL_INVALID_VALUE
            CL_INVALID_DEVICE_TYPE
            CL_INVALID_PLATFORM
            CL_INVALID_DEVICE
            CL_INVALID_CONTEXT
            CL_INVALID_QUEUE_PROPERTIES
            CL_INVALID_COMMAND_QUEUE
            CL_INVALID_HOST_PTR
            CL_INVALID_MEM_OBJECT
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
            CL_INVALID_IMAGE_SIZE
            CL_INVALID_SAMPLER
            CL_INVALID_BINARY
            CL_INVALID_BUILD_OPTIONS
            CL_INVALID_PROGRAM
            CL_INVALID_PROGRAM_EXECUTABLE
            CL_INVALID_KERNEL_NAME
            CL_INVALID_KERNEL_DEFINITION
            CL_INVALID_KERNEL
            CL_INVALID_ARG_INDEX
            CL_INVALID_ARG_VALUE
            CL_INVALID_ARG_SIZE
            CL_INVALID_KERNEL_ARGS
            CL_INVALID_WORK_DIMENSION
            CL_INVALID_WORK_GROUP_SIZE
            CL_INVALID_WORK_ITEM_SIZE
            CL_INVALID_GLOBAL_OFFSET
            CL_INVALID_EVENT_WAIT_LIST
            CL_INVALID_EVENT
            CL_INVALID_OPERATION
            CL_INVALID_GL_OBJECT
            CL_INVALID_BUFFER_SIZE
            CL_INVALID_MIP_LEVEL
            CL_INVALID_GLOBAL_WORK_SIZE
            CL_INVALID_PROPERTY
            CL_INVALID_IMAGE_DESCRIPTOR
            CL_INVALID_COMPILER_OPTIONS
            CL_INVALID_LINKER_OPTIONS
            CL_INVALID_DEVICE_PARTITION_COUNT
            CL_INVALID_PIPE_SIZE
            CL_INVALID_DEVICE_QUEUE
            CL_INVALID_SPEC_ID
            CL_MAX_SIZE_RESTRICTION_EXCEEDED
        )
    }

    /// What a person can do about it.
    pub(crate) fn advice(self) -> &'static str {
        match self.0 {
            cl::CL_OUT_OF_HOST_MEMORY => {
                "the driver found no host memory: close other programs or use smaller buffers"
            }
            cl::CL_MEM_OBJECT_ALLOCATION_FAILURE => {
                "the device has no room for the buffers: use a smaller problem, or end other programs on the device"
            }
            cl::CL_OUT_OF_RESOURCES => {
                "the device ran out of registers, local memory or buffers, or a kernel before this call faulted: try a smaller work-group"
            }
            cl::CL_DEVICE_NOT_AVAILABLE => {
                "another program holds the device, or it was lost: see `tilewise devices`"
            }
            cl::CL_COMPILER_NOT_AVAILABLE => {
                "this driver builds no OpenCL C: choose another device with --device"
            }
            cl::CL_INVALID_BUILD_OPTIONS | cl::CL_INVALID_COMPILER_OPTIONS => {
                "the driver refuses the build options: check --build-options, -D and -I"
            }
            cl::CL_INVALID_WORK_GROUP_SIZE => {
                "the work-group does not suit the kernel or does not divide the global size: change --local"
            }
            cl::CL_INVALID_WORK_ITEM_SIZE => {
                "one side of the work-group is longer than the device allows: change --local"
            }
            cl::CL_INVALID_GLOBAL_WORK_SIZE => {
                "the global size is zero or larger than the device's size_t: change --global"
            }
            cl::CL_INVALID_ARG_SIZE => {
                "the value's size differs from the parameter's type: check the argument's type"
            }
            cl::CL_INVALID_COMMAND_QUEUE | cl::CL_INVALID_CONTEXT | NVIDIA_ILLEGAL_ACCESS => {
                "a kernel before this call faulted and took the queue with it: run `tilewise check` on it"
            }
            cl::CL_INVALID_KERNEL_ARGS => "an argument of the kernel was not set",
            cl::CL_INVALID_BUFFER_SIZE => {
                "the buffer is empty or larger than the device allows: change its length"
            }
            _ => {
                "see `tilewise devices` for the device's limits, and try another device with --device"
            }
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "OpenCL error {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_headers() {
        assert_eq!(Status(-54).to_string(), "CL_INVALID_WORK_GROUP_SIZE (-54)");
        assert_eq!(
            Status(-1001).to_string(),
            "CL_PLATFORM_NOT_FOUND_KHR (-1001)"
        );
        assert_eq!(Status(-12345).to_string(), "OpenCL error -12345");
    }
}
