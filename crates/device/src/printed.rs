//! What kernels print on a device.

/// Keeps what kernels print away from the standard output of this process while it
/// lives: OpenCL's `printf` writes there, once per launch, and a measurement
/// launches thousands of times into what may be a JSON document. The simulator
/// shows what a kernel prints.
///
/// The whole process's standard output is led away until the last of these values
/// is dropped, so nothing else may print meanwhile. Where it can't be (no
/// `/dev/null`), it stays as it is.
#[derive(Debug)]
pub struct HiddenPrintf(());

impl HiddenPrintf {
    /// Leads standard output away.
    #[must_use = "it comes back when the value is dropped"]
    pub fn new() -> Self {
        #[cfg(unix)]
        unix::hide();
        Self(())
    }
}

impl Default for HiddenPrintf {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for HiddenPrintf {
    fn drop(&mut self) {
        #[cfg(unix)]
        unix::show();
    }
}

#[cfg(unix)]
mod unix {
    use std::io::Write;
    use std::os::fd::{AsFd, OwnedFd};
    use std::sync::{Mutex, PoisonError};

    /// Standard output belongs to the process, not to who hides it.
    struct Hidden {
        /// Values that want it hidden.
        wanted: usize,
        /// What it was.
        stdout: Option<OwnedFd>,
    }

    static HIDDEN: Mutex<Hidden> = Mutex::new(Hidden {
        wanted: 0,
        stdout: None,
    });

    pub(super) fn hide() {
        let mut hidden = HIDDEN.lock().unwrap_or_else(PoisonError::into_inner);
        hidden.wanted += 1;
        if hidden.wanted == 1 {
            hidden.stdout = lead_away().ok();
        }
    }

    fn lead_away() -> std::io::Result<OwnedFd> {
        let mut stdout = std::io::stdout();
        stdout.flush()?;
        let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
        let before = stdout.as_fd().try_clone_to_owned()?;
        nix::unistd::dup2_stdout(nowhere)?;
        Ok(before)
    }

    pub(super) fn show() {
        let mut hidden = HIDDEN.lock().unwrap_or_else(PoisonError::into_inner);
        hidden.wanted -= 1;
        if hidden.wanted > 0 {
            return;
        }
        let Some(before) = hidden.stdout.take() else {
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
