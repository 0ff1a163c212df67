//! Affine values: what differs between the lanes of a sub-group by amounts that are
//! known before it runs.
//!
//! A value is *affine* (Collange, Defour and Zhang, "Dynamic detection of uniform
//! and affine vectors in GPGPU computations", 2009) if it is a number that all lanes
//! share plus a multiple of their local ids, with factors that the launch fixes.
//! Indices and addresses mostly are. The shared part is a sum of scalars and of the
//! group's position; it is computed where the value is used, so that the arithmetic
//! that leads there takes no code. The lanes' part is the same for all groups of one
//! size ([`LaneClass`]), and so is what accesses want to know of it: its ends, its
//! shape.
//!
//! A sign extension in between holds as long as no lane's number wraps, which the
//! ends tell at run time; where one does, the lanes are computed one by one.

mod class;
mod compare;
mod value;

pub(crate) use class::{ClassKey, LaneClass};
pub(crate) use compare::AffineCompare;
pub(crate) use value::{AffineValue, Source, UniformSum, Widened};

use crate::registers::Registers;

/// What affine values are computed from: scalars, and where the group stands.
#[derive(Clone, Copy)]
pub(crate) struct Uniform<'a> {
    pub scalars: &'a Registers<1>,
    /// `get_global_id` of the group's first work-item.
    pub first_id: &'a [u64; 3],
}
