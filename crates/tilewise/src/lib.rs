//! Does staging data in OpenCL local memory pay off, for this kernel, this
//! launch, this device?
//!
//! One function per command ([`commands`]): each takes a [`Session`] (what all
//! commands share) and one or more [`KernelInput`]s, wires the rooms together
//! and returns a [`tilewise_report::Run`], which every renderer is a function
//! of. Flags, colours and exit codes are the command line's.

mod as_compiled;
pub mod baseline;
mod bundle;
pub mod commands;
mod compare;
pub mod error;
mod examine;
mod findings;
mod fit;
mod form;
mod headers;
pub mod input;
mod launch_info;
mod load;
mod measure;
mod occupancy_of;
mod predict;
mod procedure;
mod profile_of;
mod proof;
mod runs;
pub mod session;
mod simulate;
mod sizes;
pub mod speed;
pub mod survey;
mod target;
pub mod timings;
mod verify;
mod written;

pub use error::Error;
pub use input::KernelInput;
pub use session::{DeviceChoice, Progress, Session};
