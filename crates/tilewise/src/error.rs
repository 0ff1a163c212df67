//! What keeps a command from giving a [`tilewise_report::Run`].

use std::path::PathBuf;

/// An error of a command. [`Error::exit_code`] tells the user's mistakes (2)
/// from what the machine lacks (3).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// `--device` that is none.
    #[error(
        "`{0}` names no device; write auto, all, sim:NAME (such as sim:h200), sim:FILE.toml, cl:INDEX or cl:PART_OF_NAME"
    )]
    DeviceSyntax(String),
    /// A file that can't be read.
    #[error("can't read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that can't be written.
    #[error("can't write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Input that can't be used; the message says what, where, why, what next.
    #[error("{0}")]
    Input(String),
    /// The kernel uses an operation that the simulator does not have.
    #[error("{0}")]
    Unsupported(String),
    /// A form that tilewise wrote can't be used: its own fault, not the input's.
    #[error(
        "the form of {kernel} that tilewise wrote can't be used, which is a fault of tilewise: {why}\n  your file is as it was; please report the kernel"
    )]
    Generated {
        /// The kernel.
        kernel: String,
        /// What is wrong with it.
        why: Box<Error>,
    },
    /// Generated contents lead an address outside its buffer; the message says
    /// which argument needs real data.
    #[error("{0}")]
    NeedsData(String),
    /// The launch as described can't be made.
    #[error(transparent)]
    Launch(Box<tilewise_launch::LaunchError>),
    /// The kernel has no IR.
    #[error(transparent)]
    Frontend(Box<tilewise_frontend::FrontendError>),
    /// The device or its driver.
    #[error(transparent)]
    Device(Box<tilewise_device::DeviceError>),
}

// Boxed, since a result that is fine should not carry their size around.
macro_rules! boxed {
    ($($variant:ident: $error:ty),*) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Error::$variant(Box::new(error))
            }
        })*
    };
}

boxed!(
    Launch: tilewise_launch::LaunchError,
    Frontend: tilewise_frontend::FrontendError,
    Device: tilewise_device::DeviceError
);

impl Error {
    /// Exit code: 2 for usage and input, 3 for the environment.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::DeviceSyntax(_)
            | Error::Read { .. }
            | Error::Write { .. }
            | Error::Input(_)
            | Error::Unsupported(_)
            | Error::NeedsData(_)
            | Error::Generated { .. }
            | Error::Launch(_) => 2,
            Error::Frontend(e) => e.exit_code(),
            Error::Device(e) => {
                if e.is_environment() {
                    3
                } else {
                    2
                }
            }
        }
    }
}
