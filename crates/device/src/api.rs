//! The OpenCL library, opened at run time, as a table of function pointers.
//!
//! The pointers have the C ABI of `opencl-sys`'s function types. On 32-bit
//! Windows OpenCL uses another calling convention; tilewise does not run there.

use std::ffi::OsStr;
use std::sync::OnceLock;

use libloading::Library;
use opencl_sys::cl_function_types::*;

use crate::error::DeviceError;

/// What to install where OpenCL is missing.
pub(crate) const INSTALL: &str = if cfg!(target_os = "macos") {
    "macOS ships it; PoCL by `brew install pocl`"
} else if cfg!(windows) {
    "it comes with the graphics driver of Intel, AMD or NVIDIA"
} else {
    "Debian and Ubuntu: `apt install ocl-icd-libopencl1 pocl-opencl-icd`; Fedora: `dnf install ocl-icd pocl`"
};

/// Names under which the loader looks for the library.
const CANDIDATES: &[&str] = if cfg!(target_os = "macos") {
    &[
        "/System/Library/Frameworks/OpenCL.framework/OpenCL",
        "libOpenCL.dylib",
    ]
} else if cfg!(windows) {
    &["OpenCL.dll"]
} else {
    &["libOpenCL.so.1", "libOpenCL.so"]
};

/// Names the library to open instead of the usual ones.
const LIBRARY_VARIABLE: &str = "TILEWISE_OPENCL_LIB";

/// `opencl-sys` wraps each function type in an `Option`; this is what is inside.
type Present<F> = <F as IntoIterator>::Item;

macro_rules! api {
    ($($field:ident: $ty:ident = $symbol:ident;)*) => {
        /// OpenCL's functions as far as tilewise calls them (OpenCL 1.2).
        pub(crate) struct Api {
            /// Where they come from, for messages.
            pub(crate) library: String,
            $(pub(crate) $field: Present<$ty>,)*
        }

        impl Api {
            /// Looks up every function of the table in `library`.
            fn new(library: &Library, name: String) -> Result<Api, DeviceError> {
                $(
                    let missing = || DeviceError::MissingFunction {
                        library: name.clone(),
                        function: stringify!($symbol),
                        install: INSTALL,
                    };
                    // SAFETY: the type is that of the function of this name in
                    // OpenCL's headers.
                    let symbol = unsafe { library.get::<$ty>(stringify!($symbol).as_bytes()) };
                    let $field = symbol.ok().and_then(|s| *s).ok_or_else(missing)?;
                )*
                Ok(Api { library: name, $($field,)* })
            }
        }
    };
}

api! {
    get_platform_ids: clGetPlatformIDs_t = clGetPlatformIDs;
    get_platform_info: clGetPlatformInfo_t = clGetPlatformInfo;
    get_device_ids: clGetDeviceIDs_t = clGetDeviceIDs;
    get_device_info: clGetDeviceInfo_t = clGetDeviceInfo;
    create_context: clCreateContext_t = clCreateContext;
    release_context: clReleaseContext_t = clReleaseContext;
    create_command_queue: clCreateCommandQueue_t = clCreateCommandQueue;
    release_command_queue: clReleaseCommandQueue_t = clReleaseCommandQueue;
    create_buffer: clCreateBuffer_t = clCreateBuffer;
    create_image: clCreateImage_t = clCreateImage;
    get_supported_image_formats: clGetSupportedImageFormats_t = clGetSupportedImageFormats;
    create_sampler: clCreateSampler_t = clCreateSampler;
    release_sampler: clReleaseSampler_t = clReleaseSampler;
    release_mem_object: clReleaseMemObject_t = clReleaseMemObject;
    create_program_with_source: clCreateProgramWithSource_t = clCreateProgramWithSource;
    release_program: clReleaseProgram_t = clReleaseProgram;
    build_program: clBuildProgram_t = clBuildProgram;
    get_program_info: clGetProgramInfo_t = clGetProgramInfo;
    get_program_build_info: clGetProgramBuildInfo_t = clGetProgramBuildInfo;
    create_kernel: clCreateKernel_t = clCreateKernel;
    release_kernel: clReleaseKernel_t = clReleaseKernel;
    set_kernel_arg: clSetKernelArg_t = clSetKernelArg;
    get_kernel_info: clGetKernelInfo_t = clGetKernelInfo;
    get_kernel_arg_info: clGetKernelArgInfo_t = clGetKernelArgInfo;
    get_kernel_work_group_info: clGetKernelWorkGroupInfo_t = clGetKernelWorkGroupInfo;
    wait_for_events: clWaitForEvents_t = clWaitForEvents;
    get_event_info: clGetEventInfo_t = clGetEventInfo;
    release_event: clReleaseEvent_t = clReleaseEvent;
    get_event_profiling_info: clGetEventProfilingInfo_t = clGetEventProfilingInfo;
    flush: clFlush_t = clFlush;
    finish: clFinish_t = clFinish;
    enqueue_read_buffer: clEnqueueReadBuffer_t = clEnqueueReadBuffer;
    enqueue_write_buffer: clEnqueueWriteBuffer_t = clEnqueueWriteBuffer;
    enqueue_copy_buffer: clEnqueueCopyBuffer_t = clEnqueueCopyBuffer;
    enqueue_fill_buffer: clEnqueueFillBuffer_t = clEnqueueFillBuffer;
    enqueue_read_image: clEnqueueReadImage_t = clEnqueueReadImage;
    enqueue_write_image: clEnqueueWriteImage_t = clEnqueueWriteImage;
    enqueue_copy_image: clEnqueueCopyImage_t = clEnqueueCopyImage;
    enqueue_nd_range_kernel: clEnqueueNDRangeKernel_t = clEnqueueNDRangeKernel;
}

/// OpenCL on this machine.
///
/// The library stays open until the process ends: drivers keep threads that run
/// its code, and closing it under them crashes.
#[derive(Clone, Copy)]
pub struct OpenCl {
    pub(crate) api: &'static Api,
}

impl OpenCl {
    /// Opens the machine's OpenCL library, or the one that the environment
    /// variable `TILEWISE_OPENCL_LIB` names. Opens it once per process.
    ///
    /// # Errors
    /// [`DeviceError::NoOpenCl`] with what to install, or
    /// [`DeviceError::MissingFunction`].
    pub fn load() -> Result<OpenCl, DeviceError> {
        static LOADED: OnceLock<OpenCl> = OnceLock::new();
        if let Some(loaded) = LOADED.get() {
            return Ok(*loaded);
        }
        let named = std::env::var_os(LIBRARY_VARIABLE).filter(|path| !path.is_empty());
        let opened = match named {
            Some(path) => Self::load_from(&[&path])?,
            None => Self::load_from(&CANDIDATES.iter().map(OsStr::new).collect::<Vec<_>>())?,
        };
        Ok(*LOADED.get_or_init(|| opened))
    }

    /// Opens the first of `libraries` (file names or paths) that is there.
    ///
    /// # Errors
    /// As [`OpenCl::load`].
    pub fn load_from(libraries: &[&OsStr]) -> Result<OpenCl, DeviceError> {
        let mut tried = Vec::new();
        for name in libraries {
            let shown = name.to_string_lossy().into_owned();
            // SAFETY: opening a library runs its initialisers. OpenCL loaders
            // are made to be opened so, and the user chooses any other file.
            match unsafe { Library::new(name) } {
                Ok(library) => {
                    let api = Api::new(&library, shown)?;
                    // The pointers must stay valid for ever: see the type's comment.
                    std::mem::forget(library);
                    return Ok(OpenCl {
                        api: Box::leak(Box::new(api)),
                    });
                }
                Err(error) => tried.push(format!("{shown}: {error}")),
            }
        }
        Err(DeviceError::NoOpenCl {
            tried,
            install: INSTALL,
        })
    }

    /// Name or path of the library.
    pub fn library(&self) -> &str {
        &self.api.library
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_an_error_that_says_what_to_install() {
        let error = OpenCl::load_from(&[OsStr::new("libno-such-opencl.so.1")]).err();
        let Some(DeviceError::NoOpenCl { tried, .. }) = &error else {
            panic!("expected NoOpenCl, got {error:?}");
        };
        assert_eq!(tried.len(), 1);
        let text = error.map(|e| e.to_string()).unwrap_or_default();
        assert!(
            text.contains("libno-such-opencl.so.1") && text.contains("install"),
            "{text}"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_library_that_is_not_opencl_is_named() {
        let error = OpenCl::load_from(&[OsStr::new("libc.so.6")]).err();
        assert!(
            matches!(&error, Some(DeviceError::MissingFunction { function, .. })
                if *function == "clGetPlatformIDs"),
            "{error:?}"
        );
    }
}
