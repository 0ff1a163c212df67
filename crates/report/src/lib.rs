//! What tilewise found out about one launch on one device, as plain data
//! ([`Run`]), and its renderers. Every renderer is a function of the `Run`; how
//! the numbers arise is no concern of this room. A `Run` saved as JSON can be
//! read back and rendered again.

pub mod diagnostic;
pub mod run;

pub use diagnostic::{Diagnostic, Label, Severity, Snippet};
pub use run::*;
