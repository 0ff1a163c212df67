//! OpenCL's `clGet…Info` protocol: ask for the size, then for the value.

use std::ffi::c_void;

use opencl_sys::cl_int;

use crate::error::DeviceError;

/// The value of a query as bytes. `ask` is the `clGet…Info` call with all but
/// its last three arguments (size, value, size returned) bound.
pub(crate) fn bytes(
    call: &'static str,
    ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int,
) -> Result<Vec<u8>, DeviceError> {
    let mut size = 0;
    DeviceError::check(call, ask(0, std::ptr::null_mut(), &mut size))?;
    let mut value = vec![0u8; size];
    if size > 0 {
        DeviceError::check(
            call,
            ask(size, value.as_mut_ptr().cast(), std::ptr::null_mut()),
        )?;
    }
    Ok(value)
}

/// The value of a query as text, without the closing zero byte.
pub(crate) fn text(
    call: &'static str,
    ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int,
) -> Result<String, DeviceError> {
    let value = bytes(call, ask)?;
    let end = value.iter().position(|&b| b == 0).unwrap_or(value.len());
    Ok(String::from_utf8_lossy(&value[..end]).trim().to_owned())
}

/// The value of a query as an unsigned integer of 4 or 8 bytes (`cl_uint`,
/// `cl_bool`, `cl_ulong`, `size_t`).
pub(crate) fn unsigned(
    call: &'static str,
    ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int,
) -> Result<u64, DeviceError> {
    let value = bytes(call, ask)?;
    match integers(&value, value.len()).as_deref() {
        Some([one]) => Ok(*one),
        _ => Err(DeviceError::BadAnswer {
            call,
            bytes: value.len(),
        }),
    }
}

/// The value of a query as an array of `size_t`.
pub(crate) fn sizes(
    call: &'static str,
    ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int,
) -> Result<Vec<u64>, DeviceError> {
    let value = bytes(call, ask)?;
    integers(&value, size_of::<usize>()).ok_or(DeviceError::BadAnswer {
        call,
        bytes: value.len(),
    })
}

/// Reads `value` as integers of `width` bytes (4 or 8) in the host's order.
fn integers(value: &[u8], width: usize) -> Option<Vec<u64>> {
    if !matches!(width, 4 | 8) || !value.len().is_multiple_of(width) {
        return None;
    }
    let read = |c: &[u8]| match *c {
        [a, b, c, d] => u64::from(u32::from_ne_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
        _ => 0, // excluded by the test above
    };
    Some(value.chunks_exact(width).map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_both_widths_and_nothing_else() {
        assert_eq!(integers(&7u32.to_ne_bytes(), 4), Some(vec![7]));
        assert_eq!(
            integers(&(1u64 << 40).to_ne_bytes(), 8),
            Some(vec![1 << 40])
        );
        assert_eq!(integers(&[1, 2, 3], 3), None);
        assert_eq!(integers(&[0; 9], 8), None);
        let bad = unsigned("clGetDeviceInfo", |_, _, size| {
            if !size.is_null() {
                // SAFETY: `bytes` hands in a pointer to its own variable.
                unsafe { *size = 2 };
            }
            0
        });
        assert_eq!(
            bad,
            Err(DeviceError::BadAnswer {
                call: "clGetDeviceInfo",
                bytes: 2
            })
        );
    }
}
