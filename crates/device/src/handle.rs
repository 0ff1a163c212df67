//! Ownership of an OpenCL object: released once, when dropped.

use std::ffi::c_void;

use opencl_sys::cl_int;

use crate::error::DeviceError;

/// `clRelease…`: all OpenCL objects are opaque pointers.
pub(crate) type Release = unsafe extern "C" fn(*mut c_void) -> cl_int;

/// One reference to an OpenCL object.
pub(crate) struct Handle {
    raw: *mut c_void,
    release: Release,
}

impl Handle {
    /// Takes over the reference that `call` returned, with the status that it
    /// left; `release` must be the release function of that kind of object.
    pub(crate) fn new(
        call: &'static str,
        raw: *mut c_void,
        status: cl_int,
        release: Release,
    ) -> Result<Handle, DeviceError> {
        DeviceError::check(call, status)?;
        if raw.is_null() {
            // A driver that reports success and gives nothing.
            return Err(DeviceError::BadAnswer { call, bytes: 0 });
        }
        Ok(Handle { raw, release })
    }

    /// The object, valid while the handle lives.
    pub(crate) fn raw(&self) -> *mut c_void {
        self.raw
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle owns one reference, and `release` is of its kind.
        // A release fails only on a lost device, and then nothing is left to do.
        unsafe { (self.release)(self.raw) };
    }
}
