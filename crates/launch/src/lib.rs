//! The launch: which kernel runs over which NDRange with which arguments.
//!
//! A user writes a [`spec`] (flags or a TOML file); with the kernel's
//! [`Signature`] it resolves into a [`Launch`] that the simulator and a device
//! both run. Nothing here knows OpenCL's API or the simulator.
//!
//! ```
//! use tilewise_launch::{
//!     ArgSetting, ElemType, LaunchSpec, Limits, Param, ParamKind, Scalar, Signature, Text,
//!     ValueType, resolve,
//! };
//!
//! // From the front end: kernel void scale(global float *x, int n)
//! let float = ValueType::Elem(ElemType::scalar(Scalar::F32));
//! let int = ValueType::Elem(ElemType::scalar(Scalar::I32));
//! let x = ParamKind::Global { elem: float, read_only: false, restrict: false, volatile: false };
//! let signature = Signature {
//!     kernel: "scale".into(),
//!     params: vec![
//!         Param { name: "x".into(), kind: x, spelling: "__global float *".into() },
//!         Param { name: "n".into(), kind: ParamKind::Value(int), spelling: "int".into() },
//!     ],
//!     reqd_local: None,
//!     dims_used: 1,
//! };
//!
//! // From the user: --global 'roundup(n,64)' --local 64 --arg n=1000 --arg 'x=[n]'
//! let spec = LaunchSpec {
//!     global: Some(Text::flag("roundup(n,64)")),
//!     local: Some(Text::flag("64")),
//!     args: vec![ArgSetting::from_flag("n=1000")?, ArgSetting::from_flag("x=[n]")?],
//!     ..LaunchSpec::default()
//! };
//! let limits = Limits {
//!     device: "a device".into(),
//!     max_group_size: 1024,
//!     max_item_sizes: [1024, 1024, 64],
//!     max_local_bytes: Some(49152),
//!     non_uniform_groups: false,
//! };
//!
//! let resolved = resolve(&spec, &signature, &limits)?;
//! assert_eq!(resolved.launch.range.global, [1024, 1, 1]);
//! // n is a free size: the range and the length of x follow it.
//! assert_eq!(resolved.with_size("n", 65)?.launch.range.global, [128, 1, 1]);
//! # Ok::<(), tilewise_launch::LaunchError>(())
//! ```

pub mod command;
pub mod element;
mod encode;
pub mod error;
pub mod expr;
pub mod file;
pub mod fill;
pub mod guess;
pub mod image;
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
pub mod split_mix;
pub mod suggest;
pub mod text;

pub use command::shell_command;
pub use element::{ElemType, Scalar};
pub use error::LaunchError;
pub use file::LaunchFile;
pub use fill::Filler;
pub use guess::Guess;
pub use image::{Image, ImageFormat, Sampler};
pub use quote::shell_quote;
pub use resolve::{FreeSize, Limits, Note, Resolved, Tie, name_and_step, resolve};
pub use resolved::{Arg, ArgValue, Buffer, Fill, Launch, NdRange};
pub use signature::{Field, Param, ParamKind, Signature, StructType, ValueType};
pub use spec::{ArgKey, ArgSetting, LaunchSpec, Origin, Text};
pub use split_mix::SplitMix64;
