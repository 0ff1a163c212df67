//! What tilewise found out about one launch on one device, as plain data
//! ([`Run`]), and its renderers. Every renderer is a pure function of the `Run`
//! and returns text; how the numbers arise is no concern of this room. A `Run`
//! saved as JSON can be read back and rendered again.
//!
//! | renderer | gives |
//! |---|---|
//! | [`text`] | what a person reads in a terminal, one form per command |
//! | [`json`] | the saved form, and its reader |
//! | [`findings`] | source snippets with carets |
//! | [`markdown`] | a comment on a pull request |
//! | [`github`] | annotations that a GitHub workflow prints |
//! | [`sarif`] | findings for code scanning |
//! | [`html`] | one page that needs nothing else |

mod compare;
mod control;
pub mod diagnostic;
pub mod findings;
pub mod fingerprint;
pub mod github;
pub mod html;
pub mod json;
pub mod markdown;
pub mod number;
pub mod phrase;
pub mod run;
pub mod sarif;
pub mod style;
pub mod text;

pub use diagnostic::{Diagnostic, Label, Severity, Snippet};
pub use run::*;
pub use style::Style;
