//! What to stage: boxes of elements that a group reads more than once.
//!
//! 1. Each load's index is written as `G(u1, …, uk)` ([`coordinates`]): tile
//!    coordinates `u` that are affine in ids and loop variables, and the rest
//!    `G` (pitches, clamps, wraps).
//!    Loads that only differ in how they meet a border get one `G` ([`border`]).
//! 2. Loads of one buffer with the same `G` whose coordinates move with the
//!    work-items alike are a *family*, which shares a tile.
//! 3. The box of a family is the range of each coordinate over the group and the
//!    loops; what of it may be read is found by [`domain`], so that a fill reads
//!    nothing that the kernel does not read.

pub mod border;
pub mod coordinates;
pub mod domain;
pub mod except;
pub mod family;
pub mod lanes;
pub mod prove;

pub use coordinates::Coordinate;
pub use domain::{Chunk, Domain, Region};
pub use family::Family;
