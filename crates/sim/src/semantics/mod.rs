//! What the operations of the IR compute, one lane at a time and apart from
//! the machine that runs them.
//!
//! Values travel as raw bits. Integers follow OpenCL C: arithmetic wraps,
//! shifts take their count modulo the width, division by zero gives 0.

pub(crate) mod atomic;
pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod group;
pub(crate) mod integer;
pub(crate) mod math;
pub(crate) mod printf;
