//! Building OpenCL C for a device.

use std::ffi::CString;

use opencl_sys as cl;

use crate::error::DeviceError;
use crate::handle::Handle;
use crate::kernel::Kernel;
use crate::query;
use crate::queue::Queue;
use crate::status::Status;

/// A program built for the queue's device.
pub struct Program {
    handle: Handle,
    queue: Queue,
    log: String,
}

/// Asks the driver to keep the kinds of the parameters, which
/// [`crate::BoundLaunch`] checks the launch against. Generates the same code.
const ARGUMENT_INFO: &str = "-cl-kernel-arg-info";

impl Program {
    /// Builds `source` with `options` (as for `clBuildProgram`).
    ///
    /// # Errors
    /// [`DeviceError::BuildFailed`] with the driver's log as it gave it.
    pub fn build(queue: &Queue, source: &str, options: &str) -> Result<Program, DeviceError> {
        let api = queue.api();
        let all_options = format!("{options} {ARGUMENT_INFO}");
        let c_options =
            CString::new(all_options.trim_start()).map_err(|e| DeviceError::ZeroByteInOptions {
                at: e.nul_position(),
            })?;

        let mut text = source.as_ptr().cast();
        let length = source.len();
        let mut status = 0;
        // SAFETY: one text of `length` bytes; the driver copies it.
        let raw = unsafe {
            (api.create_program_with_source)(queue.context(), 1, &mut text, &length, &mut status)
        };
        let handle = Handle::new(
            "clCreateProgramWithSource",
            raw,
            status,
            api.release_program,
        )?;

        let device = queue.device().id;
        // SAFETY: one device of the program's context, zero-ended options, and
        // no callback, so that the call returns when the build has ended.
        let status = unsafe {
            (api.build_program)(
                handle.raw(),
                1,
                &device,
                c_options.as_ptr(),
                None,
                std::ptr::null_mut(),
            )
        };
        let log = build_log(queue, &handle);
        match status {
            cl::CL_SUCCESS => Ok(Program {
                queue: queue.clone(),
                handle,
                log: log?,
            }),
            cl::CL_BUILD_PROGRAM_FAILURE | cl::CL_INVALID_BUILD_OPTIONS => {
                Err(DeviceError::BuildFailed {
                    device: queue.info().name.clone(),
                    options: options.trim().to_owned(),
                    log: log?,
                })
            }
            _ => Err(DeviceError::Call {
                call: "clBuildProgram",
                status: Status(status),
            }),
        }
    }

    /// What the compiler said: warnings, or nothing.
    pub fn log(&self) -> &str {
        &self.log
    }

    /// Names of the program's kernels.
    ///
    /// # Errors
    /// [`DeviceError::Call`] if the driver refuses the query.
    pub fn kernel_names(&self) -> Result<Vec<String>, DeviceError> {
        let names = query::text("clGetProgramInfo", self.ask(cl::CL_PROGRAM_KERNEL_NAMES))?;
        Ok(names
            .split(';')
            .filter(|n| !n.is_empty())
            .map(str::to_owned)
            .collect())
    }

    /// The kernel called `name`.
    ///
    /// # Errors
    /// [`DeviceError::NoSuchKernel`] with the names that there are.
    pub fn kernel(&self, name: &str) -> Result<Kernel, DeviceError> {
        let no_such = || -> Result<Kernel, DeviceError> {
            Err(DeviceError::NoSuchKernel {
                kernel: name.to_owned(),
                kernels: self.kernel_names()?,
            })
        };
        let Ok(c_name) = CString::new(name) else {
            return no_such();
        };
        let api = self.queue.api();
        let mut status = 0;
        // SAFETY: a built program and a zero-ended name.
        let raw = unsafe { (api.create_kernel)(self.handle.raw(), c_name.as_ptr(), &mut status) };
        if status == cl::CL_INVALID_KERNEL_NAME {
            return no_such();
        }
        let handle = Handle::new("clCreateKernel", raw, status, api.release_kernel)?;
        Kernel::new(&self.queue, handle, name)
    }

    /// The built program as the driver keeps it (`CL_PROGRAM_BINARIES`): PTX
    /// text on NVIDIA, an executable elsewhere.
    ///
    /// # Errors
    /// [`DeviceError::Call`] if the driver keeps none.
    pub fn binary(&self) -> Result<Vec<u8>, DeviceError> {
        const CALL: &str = "clGetProgramInfo";
        let sizes = query::sizes(CALL, self.ask(cl::CL_PROGRAM_BINARY_SIZES))?;
        // The program was built for one device, so there is one binary.
        let [size] = sizes[..] else {
            return Err(DeviceError::BadAnswer {
                call: CALL,
                bytes: sizes.len() * 8,
            });
        };
        let size = usize::try_from(size).map_err(|_| DeviceError::TooLargeForHost {
            what: "a program binary",
            value: size,
        })?;
        let mut binary = vec![0u8; size];
        let mut pointer: *mut u8 = binary.as_mut_ptr();
        // SAFETY: an array of one pointer to a buffer of the size that the
        // driver named for this binary.
        let status = unsafe {
            (self.queue.api().get_program_info)(
                self.handle.raw(),
                cl::CL_PROGRAM_BINARIES,
                size_of::<*mut u8>(),
                (&raw mut pointer).cast(),
                std::ptr::null_mut(),
            )
        };
        DeviceError::check(CALL, status)?;
        Ok(binary)
    }

    fn ask(
        &self,
        what: cl::cl_program_info,
    ) -> impl Fn(usize, *mut std::ffi::c_void, *mut usize) -> i32 {
        let get = self.queue.api().get_program_info;
        let program = self.handle.raw();
        // SAFETY: the closure is used while `self` is borrowed by the caller,
        // and `query` passes a buffer of the size that it names.
        move |size, value, returned| unsafe { get(program, what, size, value, returned) }
    }
}

/// The driver's log without the blank end that some drivers add.
fn build_log(queue: &Queue, program: &Handle) -> Result<String, DeviceError> {
    let get = queue.api().get_program_build_info;
    let device = queue.device().id;
    // SAFETY: a live program and its device; `query` passes a buffer of the
    // size that it names.
    let bytes = query::bytes("clGetProgramBuildInfo", |size, value, returned| unsafe {
        get(
            program.raw(),
            device,
            cl::CL_PROGRAM_BUILD_LOG,
            size,
            value,
            returned,
        )
    })?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text
        .trim_end_matches(|c: char| c == '\0' || c.is_whitespace())
        .to_owned())
}
