//! The launch: which kernel runs over which NDRange with which arguments.
//!
//! A user writes a [`spec`](crate::spec) (flags or a TOML file); with the
//! kernel's [`Signature`] it resolves into a [`Launch`] that the simulator and
//! a device both run. Nothing here knows OpenCL's API or the simulator.

pub mod element;
pub mod resolved;
pub mod signature;

pub use element::{ElemType, Scalar};
pub use resolved::{Arg, ArgValue, Buffer, Fill, Launch, NdRange};
pub use signature::{Field, Param, ParamKind, Signature, StructType, ValueType};
