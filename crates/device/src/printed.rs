//! What kernels print on a device.

/// Keeps what kernels print away from the standard output of this process while it
/// lives: OpenCL's `printf` writes there, once per launch, and a measurement
/// launches thousands of times into what may be a JSON document. The simulator
/// shows what a kernel prints.
///
/// The whole process's standard output is led away, so nothing else may print
/// meanwhile. Where it can't be (no `/dev/null`), it stays as it is.
#[derive(Debug)]
pub struct HiddenPrintf {
    #[cfg(unix)]
    stdout: Option<std::os::fd::OwnedFd>,
}

impl HiddenPrintf {
    /// Leads standard output away.
    #[must_use = "it comes back when the value is dropped"]
    pub fn new() -> Self {
        Self {
            #[cfg(unix)]
            stdout: lead_away().ok(),
        }
    }
}

impl Default for HiddenPrintf {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(unix)]
fn lead_away() -> std::io::Result<std::os::fd::OwnedFd> {
    use std::io::Write;
    use std::os::fd::AsFd;

    let mut stdout = std::io::stdout();
    stdout.flush()?;
    let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    let before = stdout.as_fd().try_clone_to_owned()?;
    nix::unistd::dup2_stdout(nowhere)?;
    Ok(before)
}

#[cfg(unix)]
impl Drop for HiddenPrintf {
    fn drop(&mut self) {
        let Some(before) = self.stdout.take() else {
            return;
        };
        // SAFETY: a null stream means all of C's output streams: what a driver
        // still holds for standard output goes where the rest went.
        unsafe { nix::libc::fflush(std::ptr::null_mut()) };
        // A failure leaves nowhere to report it but here, and nothing to show.
        if let Err(error) = nix::unistd::dup2_stdout(before) {
            eprintln!("standard output can't be had back: {error}");
        }
    }
}
