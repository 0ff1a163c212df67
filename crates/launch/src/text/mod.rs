//! Reading of the short texts that people write: the tokens that expressions
//! and argument values share, and an error that points into the text.

pub(crate) mod lex;
mod span;

pub use span::TextError;
