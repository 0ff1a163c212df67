//! Random OpenCL C programs, for tests that compare machines.
//!
//! A [`Program`] is a tree: one kernel with its helper functions, memory and
//! launch. It is drawn from a seed ([`draw`]), written out as OpenCL C
//! ([`render`]), and run by an interpreter ([`interpret`]) that works on the
//! tree itself and knows nothing of compilers, lanes or sub-groups: it is the
//! referee where two machines disagree. The interpreter also proves that the
//! program is defined: no race, no access outside its memory, no read of what
//! was never written, no division by zero, no barrier that only some
//! work-items reach. So a smaller program can be looked for by leaving parts
//! out at will ([`reduce`]): what is not defined any more is not a candidate.
//!
//! Every value has one exact result in these programs: builtins whose result
//! OpenCL leaves to the implementation within an error are not drawn, the
//! payload and sign of a NaN never reach an integer, and the sign of a zero
//! does not depend on which operand `fmin` takes.
//!
//! Beside these, [`naive`] draws kernels of the patterns that staging in local memory
//! is for, for tests of the rewriter: plain ones, in the many ways in which people
//! write them.

mod draw;
pub mod interpret;
mod launch;
pub mod naive;
mod random;
mod reduce;
mod render;
#[cfg(test)]
mod tests;
pub mod tree;
pub mod types;

pub use draw::draw;
pub use interpret::{Outcome, Undefined, interpret};
pub use random::Random;
pub use reduce::reduce;
pub use render::{HEADER, render};
pub use tree::Program;
