//! The crate must not link OpenCL: a machine without it still starts tilewise.
//! Stands in a file of its own, since no other test may load OpenCL in this
//! process.

#[cfg(target_os = "linux")]
#[test]
fn nothing_loads_opencl_before_it_is_asked_for() {
    // Uses the crate, so that whatever it would link is linked here.
    let error =
        tilewise_device::OpenCl::load_from(&[std::ffi::OsStr::new("libno-such-opencl.so.1")]);
    assert!(error.is_err());
    let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux has /proc");
    assert!(
        maps.contains("libc"),
        "the list of mapped files is not what it should be"
    );
    assert!(!maps.contains("libOpenCL"), "libOpenCL is linked:\n{maps}");
}
