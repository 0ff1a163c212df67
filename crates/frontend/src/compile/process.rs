//! Runs a tool and waits for it.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::FrontendError;

/// What a tool left behind.
#[derive(Debug)]
pub struct Finished {
    /// Whether it succeeded.
    pub success: bool,
    /// What it wrote to its standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error.
    pub stderr: String,
}

/// Runs a tool in a folder, with this text as its standard input.
///
/// # Errors
/// [`FrontendError::Io`] where the tool can't be started or read from. A tool
/// that fails is no error here: see [`Finished::success`].
pub fn run(
    tool: &Path,
    args: &[OsString],
    folder: &Path,
    input: Option<&str>,
) -> Result<Finished, FrontendError> {
    let failed = |source| FrontendError::Io {
        action: format!("run `{}`", tool.display()),
        source,
    };
    let mut child = Command::new(tool)
        .args(args)
        .current_dir(folder)
        .stdin(match input {
            Some(_) => Stdio::piped(),
            None => Stdio::null(),
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let stdin = child.stdin.take();
    // A thread of its own: the tool may fill its output before it has read all.
    let output = std::thread::scope(|scope| {
        if let (Some(mut stdin), Some(text)) = (stdin, input) {
            // A tool that stops reading says why on its standard error.
            scope.spawn(move || stdin.write_all(text.as_bytes()).is_ok());
        }
        child.wait_with_output()
    })
    .map_err(failed)?;
    Ok(Finished {
        success: output.status.success(),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}
