//! What all commands of one invocation share.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::timings::Timings;

/// Settings shared by all commands.
#[derive(Clone)]
pub struct Session {
    /// Where to run, or what to simulate.
    pub device: DeviceChoice,
    /// Threads of the simulator; `None` takes one per core.
    pub threads: Option<usize>,
    /// Folder in which results of clang and the translator are kept by content;
    /// `None` keeps none.
    pub cache: Option<PathBuf>,
    /// Run the simulator without its short cuts, for tests
    /// ([`tilewise_sim::Prepared::reference`]).
    pub reference: bool,
    /// Run on a device though the simulator found the launch unsafe.
    pub force: bool,
    /// Keep what kernels print on a device, once per launch, away from the standard
    /// output of this process, which then prints nothing else meanwhile
    /// ([`tilewise_device::HiddenPrintf`]).
    pub hide_printf: bool,
    /// Report what OpenCL calls a mistake though it seldom does harm, such as
    /// work-items that write the same value to one place, and what it defines though
    /// few mean it, such as a shift by more than the value's bits.
    pub strict: bool,
    /// Codes of findings that are not reported (`TW101`).
    pub allow: Vec<String>,
    /// Instructions that a sub-group may run before it counts as one in a loop
    /// without end; [`RunOptions::default`](tilewise_sim::RunOptions) where `None`.
    pub loop_budget: Option<u64>,
    /// Have `check` run a spread of awkward sizes, too, for at most so long a
    /// launch.
    pub sizes: Option<Duration>,
    /// Half-width of the band in which staging ties; 0.05 unless set.
    pub band: f64,
    /// Seconds that a measurement may take per launch.
    pub budget_seconds: f64,
    /// Told what is going on.
    pub progress: Arc<dyn Progress>,
    /// Where the time goes.
    pub timings: Timings,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            device: DeviceChoice::Auto,
            threads: None,
            cache: None,
            reference: false,
            force: false,
            hide_printf: false,
            strict: false,
            allow: Vec::new(),
            loop_budget: None,
            sizes: None,
            band: 0.05,
            budget_seconds: 5.0,
            progress: Arc::new(()),
            timings: Timings::default(),
        }
    }
}

/// `--device`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The first GPU; see [`crate::commands`] for what each command falls back to.
    #[default]
    Auto,
    /// A built-in profile by name: `sim:h200`.
    Simulated(String),
    /// A profile file: `sim:my.toml`.
    ProfileFile(PathBuf),
    /// An OpenCL device by index or part of its name: `cl:0`, `cl:H200`.
    OpenCl(String),
    /// Every OpenCL device, and the profile `h200`.
    All,
}

impl std::str::FromStr for DeviceChoice {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            None if text == "auto" => Ok(Self::Auto),
            None if text == "all" => Ok(Self::All),
            Some(("sim", name)) if !name.is_empty() => Ok(if name.ends_with(".toml") {
                Self::ProfileFile(name.into())
            } else {
                Self::Simulated(name.to_owned())
            }),
            Some(("cl", which)) if !which.is_empty() => Ok(Self::OpenCl(which.to_owned())),
            _ => Err(crate::Error::DeviceSyntax(text.to_owned())),
        }
    }
}

impl std::fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Simulated(name) => write!(f, "sim:{name}"),
            Self::ProfileFile(path) => write!(f, "sim:{}", path.display()),
            Self::OpenCl(which) => write!(f, "cl:{which}"),
            Self::All => f.write_str("all"),
        }
    }
}

/// Told what is going on. Calls come from the thread that runs the command.
pub trait Progress: Send + Sync {
    /// A phase begins, such as `simulating blur_naive on sim:h200`.
    fn phase(&self, what: &str) {
        let _ = what;
    }

    /// So many of so many steps of the phase are done.
    fn step(&self, done: u64, of: u64) {
        let _ = (done, of);
    }

    /// A kernel printed lines on the simulator, with `printf`.
    fn printed(&self, kernel: &str, text: &str) {
        let _ = (kernel, text);
    }
}

/// Says nothing.
impl Progress for () {}
