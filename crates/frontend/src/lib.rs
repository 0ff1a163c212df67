//! The front end: from OpenCL C, or SPIR-V, to the executable IR.
//!
//! [`compile`] takes a source and gives two programs: the kernels *as written*,
//! for checks, and *as compiled*, for traffic and prediction, both with sites
//! that lead to the user's lines; and each kernel's signature. [`build`] stops
//! half-way: its [`Artifacts`] can be kept (they are what a bundle holds), and
//! [`lower`] goes on from them without clang. [`compile_spirv`] reads SPIR-V
//! from elsewhere.

mod artifacts;
mod ast;
mod cache;
pub mod compile;
pub mod error;
mod lower;
pub mod position;
mod signature;
pub mod source;
mod spirv;
pub mod toolchain;

pub use artifacts::{
    Artifacts, Compiled, build, compile, compile_spirv, lower, signatures_with_tree,
};
pub use cache::Cache;
pub use compile::extension_hint::lacking as lacking_extensions;
pub use compile::{Options, Source};
pub use error::{FrontendError, Refusal};
pub use position::PositionMap;
pub use toolchain::Toolchain;
