//! The executable IR: one kernel as a control-flow graph in SSA form, with all
//! calls inlined and every vector split into scalar components.
//!
//! Two decisions carry the rest of tilewise:
//! - **Scalar values, vector memory accesses.** A `float4` is four [`Value`]s,
//!   so swizzles, inserts and extracts cost nothing and arithmetic is counted
//!   as a GPU issues it. A load or store keeps all its components together,
//!   since that is one request to the memory system.
//! - **Block parameters instead of phis** (as in Cranelift and MLIR): an edge
//!   carries its arguments, so that reconvergence and parallel copies have one
//!   obvious place.
//!
//! Pointers are 64-bit values; [`pointer`] says how a region and an offset are
//! packed into one. Nothing here knows where a program came from.

pub mod accuracy;
pub mod builder;
pub mod cfg;
pub mod dominance;
pub mod group;
pub mod ids;
pub mod kernel;
pub mod loops;
pub mod math;
pub mod op;
pub mod pointer;
mod print;
mod rewrite;
pub mod site;
pub mod ty;
pub mod uniformity;
pub mod verify;

pub use group::{GroupArithmetic, GroupOp, Participants};
pub use ids::{BlockId, FileId, InstId, SiteId, Value, VarId};
pub use kernel::{
    AddressInit, Block, Edge, Form, Inst, Kernel, KernelParam, Numbering, ParamBinding, Program,
    Terminator, ValueData, ValueDef, Variable,
};
pub use math::MathFn;
pub use op::{
    AtomicOp, BarrierScope, BinaryOp, CompareOp, Conversion, Fence, ImageQuery, MemAccess, Op,
    Rounding, UnaryOp, WorkItemQuery,
};
pub use site::{Position, Site, SiteTable};
pub use ty::{Space, Ty};
