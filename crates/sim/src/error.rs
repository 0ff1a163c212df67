//! What keeps a launch from being simulated.

use tilewise_ir::SiteId;

/// A launch that the simulator can't run. What a kernel does wrong while it
/// runs is no error but a [`crate::Fault`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimError {
    /// The kernel breaks a rule of the IR.
    #[error("the kernel's intermediate form is malformed: {0} (a fault in the front end)")]
    Malformed(String),
    /// An operation that the simulator does not have.
    #[error("the simulator has no {what}")]
    Unsupported {
        /// The operation, with its types.
        what: String,
        /// Where the kernel uses it.
        site: SiteId,
    },
    /// The launch gives an argument that the kernel's parameter can't take.
    #[error("argument {index} (`{name}`): {why}")]
    Argument {
        /// Index of the parameter.
        index: usize,
        /// Name of the parameter.
        name: String,
        /// What does not fit.
        why: String,
    },
    /// Too few or too many arguments.
    #[error("kernel `{kernel}` takes {expected} arguments, the launch gives {given}")]
    ArgumentCount {
        /// Name of the kernel.
        kernel: String,
        /// Number of parameters.
        expected: usize,
        /// Number of arguments.
        given: usize,
    },
    /// A launch without work-items, or with a group too large to number.
    #[error("{0}")]
    Range(String),
    /// More buffers and variables than a tagged pointer can name.
    #[error("the kernel has {0} buffers and variables; the simulator can tell 32766 apart")]
    TooManyRegions(usize),
}
