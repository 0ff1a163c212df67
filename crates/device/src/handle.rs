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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::status::Status;

    static RELEASED: AtomicU32 = AtomicU32::new(0);

    unsafe extern "C" fn count(_: *mut c_void) -> cl_int {
        RELEASED.fetch_add(1, Ordering::Relaxed);
        0
    }

    #[test]
    fn an_object_is_released_once_and_a_failed_one_never() {
        let object = std::ptr::dangling_mut::<c_void>();
        drop(Handle::new("clCreateBuffer", object, 0, count));
        assert_eq!(RELEASED.load(Ordering::Relaxed), 1);

        let failed = Handle::new(
            "clCreateBuffer",
            object,
            opencl_sys::CL_INVALID_VALUE,
            count,
        );
        let status = Status(opencl_sys::CL_INVALID_VALUE);
        assert_eq!(
            failed.err(),
            Some(DeviceError::Call {
                call: "clCreateBuffer",
                status
            })
        );
        let null = Handle::new("clCreateBuffer", std::ptr::null_mut(), 0, count);
        assert!(matches!(null.err(), Some(DeviceError::BadAnswer { .. })));
        assert_eq!(RELEASED.load(Ordering::Relaxed), 1);
    }
}
