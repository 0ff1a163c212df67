//! Does staging data in OpenCL local memory pay off, for this kernel, this
//! launch, this device?
//!
//! One function per command ([`commands`]): each takes a [`Session`] (what all
//! commands share) and one or more [`KernelInput`]s, wires the rooms together
//! and returns a [`tilewise_report::Run`], which every renderer is a function
//! of. Flags, colours and exit codes are the command line's.

pub mod commands;
pub mod compare;
pub mod error;
pub mod input;
pub mod session;
pub mod target;

pub use error::Error;
pub use input::KernelInput;
pub use session::{DeviceChoice, Progress, Session};
