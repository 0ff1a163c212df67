//! Every load of a kernel: its index, the guards on its path, the loops around it.
//!
//! A structured walk of the body in the order of the source. Guards are the
//! conditions of `if`, `?:`, `&&`, `||`, and the opposites of those that lead to an
//! early `return` or `continue`. Loops that count have a variable with bounds;
//! what any other loop guards is not understood, and what it changes is unknown.
//!
//! What it misses: `switch` and `goto`, whose bodies count as guarded by something
//! that is not understood; loads in helper functions of more than one load, which
//! count as an escape of the pointer.

mod assigned;
mod counting;
mod helper;
pub mod image;
mod matrix;
mod replaced;
mod walk;

use std::collections::BTreeSet;

use tilewise_frontend::source::{DeclId, Expr, Function, SourceTree, Span, Stmt};

use crate::symbolic::{Atoms, Bindings, GroupSizes, Guard, LoopId, Poly};

pub(crate) use assigned::updated;
pub use image::ImageRead;
pub use replaced::Replaced;
pub use walk::is_literal;

/// What a kernel reads and writes.
pub struct Accesses<'t> {
    /// Names and their values.
    pub bindings: Bindings<'t>,
    /// The kernel.
    pub function: &'t Function,
    /// Loads of buffers, in the order of the source.
    pub loads: Vec<Load<'t>>,
    /// Its stores to buffers, in the order of the source.
    pub stores: Vec<Store<'t>>,
    /// Its asynchronous copies into local memory ([`all_accesses`] only).
    pub copies: Vec<Copied<'t>>,
    /// Buffers that it writes.
    pub written: BTreeSet<DeclId>,
    /// Pointers that go where the walk does not follow.
    pub escapes: Vec<Escape>,
    /// It has barriers.
    pub barrier: Option<Span>,
    /// Variables declared in it, and its scalar parameters.
    pub variables: Vec<Declared>,
    /// Its loop over the range, where it has one: within, the loop's variable counts as
    /// the work-item's id.
    pub stride: Option<StrideLoop<'t>>,
}

/// A loop that takes a work-item through the range, as many elements further on at a time
/// as there are work-items: `for (int i = get_global_id(0); i < n; i +=
/// get_global_size(0))`.
#[derive(Clone)]
pub struct StrideLoop<'t> {
    /// The whole.
    pub stmt: &'t Stmt,
    /// Its condition.
    pub condition: &'t Expr,
    /// The same, at least 0.
    pub bound: Poly,
    /// What is repeated.
    pub body: &'t Stmt,
}

/// A load.
pub struct Load<'t> {
    /// The parameter that points to the buffer.
    pub buffer: DeclId,
    /// The element, such as `in[i]`, or the call of the function that reads it.
    pub expr: &'t Expr,
    /// What can be replaced to replace it.
    pub text: Replaced,
    /// Number of the element.
    pub index: Poly,
    /// The type in which the source computes the index.
    pub index_type: String,
    /// On its path.
    pub guard: Guard,
    /// Loops around it, outermost first.
    pub loops: Vec<LoopId>,
    /// It is one side of `c ? load : constant`.
    pub choice: Option<Choice<'t>>,
    /// It reads an image.
    pub image: Option<ImageRead>,
}

/// A store to an element of a buffer.
pub struct Store<'t> {
    /// The parameter that points to the buffer.
    pub buffer: DeclId,
    /// The element, such as `out[i]`.
    pub target: &'t Expr,
    /// What is stored; `None` where the element is changed, as by `+=`.
    pub value: Option<&'t Expr>,
    /// Number of the element.
    pub index: Poly,
    /// The type in which the source computes the index.
    pub index_type: String,
    /// On its path.
    pub guard: Guard,
    /// Loops around it, outermost first.
    pub loops: Vec<LoopId>,
}

/// `async_work_group_copy` into local memory.
pub struct Copied<'t> {
    /// What is copied to.
    pub tile: DeclId,
    /// The call.
    pub call: &'t Expr,
    /// The first element written.
    pub at: Poly,
    /// What is copied from.
    pub buffer: DeclId,
    /// The first element read.
    pub index: Poly,
    /// The pointer to it.
    pub from: &'t Expr,
    /// Loops around it, outermost first.
    pub loops: Vec<LoopId>,
}

/// A load that a condition replaces by a constant.
#[derive(Clone)]
pub struct Choice<'t> {
    /// What can be replaced to replace the whole `c ? a : b`.
    pub text: Replaced,
    /// The inequalities under which the load is made; empty where the condition is
    /// none of such.
    pub own: Vec<Poly>,
    /// The constant.
    pub otherwise: &'t Expr,
}

/// A pointer that is used for something else than a load or store.
pub struct Escape {
    /// The parameter that it comes from.
    pub buffer: DeclId,
    /// Where.
    pub span: Span,
    /// What becomes of it, for a message.
    pub how: &'static str,
}

/// A variable that a name can be taken from.
pub struct Declared {
    /// Which.
    pub id: DeclId,
    /// Its name.
    pub name: String,
    /// It is an `int`, as far as that is known.
    pub is_int: bool,
    /// Its value, where it is an integer that is assigned once.
    pub value: Option<Poly>,
    /// Where it is known from.
    pub from: usize,
    /// Where its block ends.
    pub until: usize,
}

/// Walks a kernel, whose groups always have these sizes if some are given.
pub fn accesses<'t>(
    tree: &'t SourceTree,
    function: &'t Function,
    sizes: Option<GroupSizes>,
) -> Accesses<'t> {
    walk::walk(tree, function, Atoms::with_group_sizes(sizes), false)
}

/// Walks a kernel with the loads and stores of local memory among the others, and
/// loops that step by more than a constant, or begin at a value that is not known, taken
/// for counting ones: their bounds mean nothing.
pub fn all_accesses<'t>(tree: &'t SourceTree, function: &'t Function) -> Accesses<'t> {
    walk::walk(tree, function, Atoms::default(), true)
}
