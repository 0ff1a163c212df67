//! The launch: which kernel runs over which NDRange with which arguments.
//!
//! A user writes a [`spec`] (flags or a TOML file); with the kernel's
//! [`Signature`] it resolves into a [`Launch`] that the simulator and a device
//! both run. Nothing here knows OpenCL's API or the simulator.

pub mod command;
pub mod element;
mod encode;
pub mod error;
pub mod expr;
pub mod file;
pub mod fill;
pub mod guess;
mod npy;
pub mod pair;
pub mod parse;
pub mod quote;
pub mod resolve;
pub mod resolved;
#[cfg(test)]
mod samples;
pub mod signature;
pub mod spec;
pub mod suggest;
pub mod text;

pub use command::shell_command;
pub use element::{ElemType, Scalar};
pub use error::LaunchError;
pub use file::LaunchFile;
pub use fill::Filler;
pub use guess::Guess;
pub use quote::shell_quote;
pub use resolve::{FreeSize, Limits, Note, Resolved, Tie, resolve};
pub use resolved::{Arg, ArgValue, Buffer, Fill, Launch, NdRange};
pub use signature::{Field, Param, ParamKind, Signature, StructType, ValueType};
pub use spec::{ArgKey, ArgSetting, LaunchSpec, Origin, Text};
