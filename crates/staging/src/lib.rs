//! Writes staged kernels: what of a kernel's loads can come from local memory, and
//! the text that does it.
//!
//! ```text
//! SourceTree ─ loads ─▶ Accesses ─ plan ─▶ families, domains ─ rewrite ─▶ text
//! ```
//!
//! [`stage`] works on the user's text alone. It proves nothing: whoever calls it
//! has to run both forms. What it can't stage it refuses, by code and place
//! ([`Refusal`]).

pub mod loads;
pub mod plan;
pub mod refusal;
mod remove;
pub mod rewrite;
mod stage;
pub mod symbolic;

pub use refusal::{Code, Refusal};
pub use remove::{Removed, remove};
pub use stage::{Launch, Sizes, Staged, Tile, stage};
