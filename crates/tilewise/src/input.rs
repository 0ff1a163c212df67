//! What a command is given: a kernel file, the kernel in it, and its launch.

use std::path::PathBuf;

use tilewise_launch::LaunchSpec;

/// A kernel and its launch, as the user names them.
#[derive(Clone, Debug, Default)]
pub struct KernelInput {
    /// `K.cl`, `K.spv` or a bundle's folder.
    pub path: PathBuf,
    /// Behind `::`, or `--kernel`.
    pub kernel: Option<String>,
    /// What the flags say; it goes over what a launch file says.
    pub flags: LaunchSpec,
    /// `--launch FILE.toml`; else `K.toml` beside `K.cl` is taken if it exists.
    pub launch_file: Option<PathBuf>,
    /// `--launch-name`: which `[[launch]]` of the file, where several fit.
    pub launch_name: Option<String>,
}

impl KernelInput {
    /// Reads `PATH` or `PATH::KERNEL`.
    pub fn parse(text: &str) -> Self {
        let (path, kernel) = match text.rsplit_once("::") {
            Some((path, kernel)) if !path.is_empty() && !kernel.is_empty() => {
                (path, Some(kernel.to_owned()))
            }
            _ => (text, None),
        };
        Self {
            path: path.into(),
            kernel,
            ..Self::default()
        }
    }
}
