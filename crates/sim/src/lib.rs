//! The SIMT machine: runs kernels as a GPU does and tells observers what they do.
//!
//! A work-group runs in lockstep by sub-groups of the device's width. A value
//! is an array with one element per lane, and an instruction is decoded once
//! for all of them; what is uniform over a sub-group is computed once. Masks
//! say which lanes are active; lanes that a branch parted meet again at the
//! branch's immediate post-dominator. Every access is checked against the
//! buffer or variable that its pointer belongs to.
//!
//! ```text
//! Kernel + Launch ─ Prepared::new ─▶ Prepared ─┐
//!            └───── Memory::new ───▶ Memory ───┴─ run(…, Analysis) ─▶ RunSummary
//! ```
//!
//! Lanes that spin on memory let the others go on, in their sub-group and in
//! their group; groups run one after another.
//!
//! What the machine does not model: time, caches and banks (analyses do, from
//! what they are told), and the weaker orders of memory (every access is done
//! when the next one begins).

mod affine;
mod alu;
pub mod builtin;
mod decode;
pub mod error;
mod exec;
pub mod fault;
pub mod groups;
mod image;
mod lanes;
mod memory;
pub mod observer;
mod registers;
pub mod sampling;
mod semantics;

pub use decode::{DecodeOptions, Prepared};
pub use error::SimError;
pub use exec::{RunOptions, RunSummary, Touched, run};
pub use fault::{Fault, FaultKind, Waiting};
pub use groups::{GroupSet, group_info};
pub use image::ImageLayout;
pub use lanes::each_lane;
pub use memory::{Difference, Memory, RegionInfo, RegionKind, Regions};
pub use observer::{
    AccessEvent, AccessKind, AddressShape, Analysis, BarrierEvent, GroupInfo, Observer,
    StoredValues,
};
pub use sampling::{Sample, SampleOptions, SampledGroup, Stratum};
