//! Integer expressions of a kernel as polynomials.
//!
//! An index is a polynomial with integer coefficients over *atoms*: work-item
//! ids, sizes, scalar parameters, loop variables, and expressions that are taken
//! whole ([`Atom`]). Local variables that are assigned once are seen through
//! ([`eval`]). Conversions between integers of 32 bits and more are taken to keep
//! the value: in the accesses that a kernel makes they do, or it would leave its
//! buffers; comparisons of unsigned values, where they may not, say so
//! ([`condition`]). Narrower conversions, divisions, masks and calls are functions of
//! their arguments that stay whole.
//!
//! What it misses: values that are assigned more than once, loops that don't
//! count, and data.

pub mod atom;
pub mod condition;
pub mod eval;
pub mod poly;

pub use atom::{Atom, AtomId, Atoms, Function, GroupSizes};
pub use condition::{Conjunction, Guard};
pub use eval::{Bindings, Loop, LoopId};
pub use poly::{Monomial, Poly};
