//! From SPIR-V tables to kernels of the IR.
//!
//! Each entry point is emitted once with all its calls inlined and its vectors
//! split ([`emitter`], [`control`], one module per group of instructions).
//! Variables of functions are emitted as memory first and promoted to values
//! afterwards ([`promote`]), when inlining has shown every use of their
//! address. Then component stores are recognised ([`masked_store`]) and what
//! nothing uses is dropped ([`clean`]); loads of buffers never are.
//!
//! Not run, and refused by name: recursion, mipmapped and multi-sampled images,
//! pipes, device enqueue.

mod arithmetic;
mod assigned;
mod atomic;
mod builtin_function;
mod clean;
mod composite;
mod control;
mod convert;
mod emitter;
mod entry;
mod geometric;
mod group;
mod half;
mod image;
mod instruction;
mod masked_store;
mod memory;
mod promote;
mod sites;
mod work_item;

use tilewise_ir::{Form, Program};

use crate::error::{FrontendError, Refusal};
use crate::position::PositionMap;
use crate::spirv::Module;

pub use entry::KernelFacts;

/// The kernels of a module, each with what its body tells about its launch.
#[derive(Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// One entry per kernel, in the order of the program.
    pub facts: Vec<KernelFacts>,
    /// Why other kernels of the module are not there.
    pub refusals: Vec<Refusal>,
}

/// Lowers every entry point of a module. A kernel that uses what is not run is
/// left out, and does not keep the others from running.
///
/// `positions` maps lines and columns of the text that was compiled to the
/// user's files.
///
/// # Errors
/// [`FrontendError::Malformed`] says what contradicts SPIR-V.
pub fn lower(
    module: &Module,
    form: Form,
    positions: &PositionMap,
) -> Result<Lowered, FrontendError> {
    let mut sites = sites::Sites::new(module, positions);
    let mut kernels = Vec::new();
    let mut facts = Vec::new();
    let mut refusals = Vec::new();
    for point in &module.entry_points {
        // clang makes a kernel of each block that a kernel enqueues; the kernel
        // that does so is refused.
        if point.name.starts_with("__") && point.name.ends_with("_block_invoke_kernel") {
            continue;
        }
        match entry::lower_entry(module, point, &mut sites, form) {
            Ok((kernel, kernel_facts)) => {
                kernels.push(kernel);
                facts.push(kernel_facts);
            }
            Err(FrontendError::Refused(refusal)) => refusals.push(*refusal),
            Err(error) => return Err(error),
        }
    }
    Ok(Lowered {
        program: Program {
            form,
            sites: sites.into_table(),
            kernels,
        },
        facts,
        refusals,
    })
}
