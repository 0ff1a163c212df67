//! `tilewise stage`.

use std::path::{Path, PathBuf};

use tilewise::KernelInput;
use tilewise::commands::stage::{Host, Sizes, StageOptions, stage};

use crate::args::{DeviceArgs, GateArgs, LaunchArgs, OutputArgs};
use crate::failure::Failure;
use crate::files::{PendingFiles, left_alone};
use crate::outcome;
use crate::terminal::Terminal;

const AFTER_HELP: &str = "\
Examples:
  tilewise stage examples/blur/blur.cl::blur_naive
  tilewise stage K.cl --write K_staged.cl
  tilewise stage K.cl --host pyopencl
  tilewise stage K.cl::STAGED --remove";

/// The staged form of a kernel as a diff, with the proof that it does the same.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Kernel file (.cl)
    #[arg(value_name = "K.cl[::KERNEL]")]
    target: String,
    /// Write the new source to this file, and its launch to FILE.toml beside it
    #[arg(long, value_name = "FILE.cl")]
    write: Option<PathBuf>,
    /// Replace the files of --write if they are there
    #[arg(long, requires = "write")]
    force_write: bool,
    /// Language of the host lines
    #[arg(long, value_enum, default_value_t = HostLanguage::C)]
    host: HostLanguage,
    /// The reverse: a kernel that stages reads global memory again
    #[arg(long, conflicts_with = "fixed")]
    remove: bool,
    /// Put the launch's group size into the kernel, and arrays in place of local
    /// arguments. Without a value, always
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_value = "auto", default_missing_value = "always")]
    fixed: Fixed,
    /// Show a staged form though it was not proved
    #[arg(long)]
    unverified: bool,
    #[command(flatten)]
    launch: LaunchArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    gate: GateArgs,
}

/// Values of `--host`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum HostLanguage {
    /// clSetKernelArg
    C,
    /// PyOpenCL
    Pyopencl,
}

/// Values of `--fixed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Fixed {
    /// Where it makes the kernel faster
    Auto,
    /// Always
    Always,
    /// The staged kernel takes groups of any size
    Never,
}

impl From<Fixed> for Sizes {
    fn from(fixed: Fixed) -> Self {
        match fixed {
            Fixed::Auto => Self::Auto,
            Fixed::Always => Self::Fixed,
            Fixed::Never => Self::Any,
        }
    }
}

impl Args {
    /// Stages, proves, shows and writes.
    pub fn run(self, terminal: &Terminal) -> Result<u8, Failure> {
        let input = self.launch.first(&self.target)?;
        if let Some(path) = &self.write {
            self.can_write(path, &input)?;
        }
        let session = terminal.session(self.device);
        let options = StageOptions {
            remove: self.remove,
            unverified: self.unverified,
            sizes: self.fixed.into(),
            folder: self
                .write
                .as_deref()
                .and_then(Path::parent)
                .map_or_else(PathBuf::new, Path::to_owned),
            host: match self.host {
                HostLanguage::C => Host::C,
                HostLanguage::Pyopencl => Host::PyOpenCl,
            },
            ..StageOptions::default()
        };
        let runs = stage(&session, &input, &options)?;
        let mut wrote = None;
        if let Some(path) = &self.write {
            let staging = runs
                .iter()
                .flat_map(|run| &run.candidates)
                .filter_map(|c| c.staging.as_ref())
                .find(|s| !s.text.is_empty());
            if let Some(staging) = staging {
                let mut files = PendingFiles::default();
                files.add(path, staging.text.clone())?;
                files.add(&path.with_extension("toml"), staging.launch_file.clone())?;
                files.commit()?;
                wrote = Some(path.clone());
            }
        }
        let code = outcome::deliver(runs, &self.output, &self.gate, false, terminal)?;
        if let Some(path) = wrote {
            let launch = path.with_extension("toml");
            terminal.remark(&format!(
                "wrote {} and its launch, {}",
                path.display(),
                launch.display()
            ));
        }
        Ok(code)
    }

    /// Whether the new source and its launch may go to `path`: nothing that is there is
    /// lost.
    fn can_write(&self, path: &Path, input: &KernelInput) -> Result<(), Failure> {
        if path.extension().is_none_or(|e| e != "cl") {
            return Err(Failure::Usage(format!(
                "--write {}: name a file that ends in .cl; the launch goes beside it, to .toml",
                path.display()
            )));
        }
        let launch = path.with_extension("toml");
        let read = match &input.launch_file {
            Some(file) => file.clone(),
            None => input.path.with_extension("toml"),
        };
        let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        };
        for (written, original, what) in [
            (path, input.path.as_path(), "the original"),
            (
                launch.as_path(),
                read.as_path(),
                "the launch file of the original",
            ),
        ] {
            if same(written, original) {
                return Err(Failure::Usage(format!(
                    "{} is {what}, which --write would replace; name another file",
                    written.display()
                )));
            }
            if written.exists() && !self.force_write {
                return Err(left_alone(written));
            }
        }
        Ok(())
    }
}
