//! Turns a kernel and a launch into what the machine runs: a flat list of
//! steps, with every value given its registers.
//!
//! - [`facts`] decides what is computed once per sub-group (after the IR's
//!   uniformity analysis) and which results need blending under a mask;
//! - [`fixed`] finds what the launch fixes before the kernel starts;
//! - [`affine`] finds values that are sums of scalars and local ids;
//! - [`needed`] finds what a run that only counts can leave out;
//! - [`meets`] finds where lanes that a branch parted meet again;
//! - [`slots`] gives values their registers: values that live within one block
//!   share them, so that the working set stays small;
//! - [`moves`] puts the parallel copies of an edge in order;
//! - [`emit`] writes the steps, [`emit_memory`] those of memory, [`emit_affine`] what
//!   is left of affine values, [`emit_group`]
//!   those at which work-items meet;
//! - [`members`] finds where indices into structures can be looked at;
//! - [`shifts`] finds where counts of shifts can be looked at;
//! - [`whole`] decides what concerns the kernel as a whole.

mod affine;
mod emit;
mod emit_affine;
mod emit_group;
mod emit_memory;
mod facts;
mod fixed;
mod meets;
mod members;
mod moves;
mod needed;
mod prepared;
mod shifts;
mod slots;
mod step;
mod whole;

pub(crate) use prepared::QueryHome;
pub use prepared::{DecodeOptions, Prepared};
pub(crate) use step::{
    AsyncCopyStep, At, AtomicStep, CopyStep, Dest, DivideStep, EdgeCode, GroupStep, ImageQueryStep,
    ImageReadStep, ImageWriteStep, Line, LoadStep, Meeting, MemberIndexStep, Operand, Pointer,
    PointsToStep, PrintStep, Register, ShiftCountStep, Step, StoreStep,
};
