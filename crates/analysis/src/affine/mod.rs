//! Values as sums of atoms with constant factors, and what is known of their
//! alignment: enough to see that two addresses differ by a constant.
//!
//! Integer conversions are looked through and additions are taken not to
//! wrap, as a compiler may for signed indices. Block parameters, loads and
//! everything that isn't a sum or a product with a constant are atoms.
//! Misses: products of two values that are only known at run time.

mod alignment;
mod form;

pub use alignment::Alignments;
pub use form::{Atom, Form, Forms};
