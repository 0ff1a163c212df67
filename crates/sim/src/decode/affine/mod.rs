//! Finds the affine values of a kernel (see [`crate::affine`]).
//!
//! - [`form`] is the symbolic sum that a value is;
//! - [`find`] propagates sums through additions, products with numbers that the
//!   launch fixes, truncations, extensions and pointer arithmetic;
//! - [`induction`] finds what loops add to their parameters;
//! - [`reads`] says which values the steps still read lane by lane.
//!
//! A sum is computed where it is used, from scalars that were set before. That is
//! right as long as no lane can be in another iteration of a loop in which one of
//! them is set: a use outside of that loop takes the lanes' own values.

mod find;
mod form;
mod induction;
mod reads;

pub(super) use find::{AffineForms, Given};
pub(super) use form::{Base, Form, Sum};
pub(super) use induction::Increment;
pub(super) use reads::Reads;
