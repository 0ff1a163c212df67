//! Writes a plan into the user's text.
//!
//! A rewrite is a list of [`TextEdit`]s: new parameters, one block that fills the
//! tiles, and the loads that read them. All else stays as it is, but declarations
//! that nothing reads any more are taken out ([`unused`]).

pub mod box_tile;
pub mod capture;
pub mod comments;
pub mod conditions;
pub mod dense;
pub mod edge_fill;
pub mod edit;
pub mod fill;
pub mod fixed_group;
pub mod lane_fill;
pub mod loop_tile;
pub mod names;
pub mod own_element;
pub mod parameters;
pub mod place;
pub mod print;
pub mod reads;
pub mod stride_tile;
pub mod table_tile;
pub mod tile;
pub mod turned_store;
pub mod unused;
pub mod writer;

use std::collections::BTreeSet;

use crate::symbolic::Poly;

pub use edit::{TextEdit, apply};

/// What a rewrite gave.
pub struct Written {
    /// The edits.
    pub edits: Vec<TextEdit>,
    /// Names of the source that the new text reads.
    pub used: BTreeSet<String>,
    /// Elements of local memory of each tile by coordinate, fastest first, and whether
    /// it is an array in the kernel.
    pub rooms: Vec<(Vec<Poly>, bool)>,
}
