//! Parameters of a loop's header that grow by the same amount for all lanes: affine when
//! the loop is entered, they stay so. The counter of a grid-stride loop is one.
//!
//! Method: each parameter that may be one is taken for one, with the sum of its first value
//! and of what the loop has added; the sums of the kernel are found on that assumption, and
//! where the value that the loop hands on is not the parameter and something uniform, the
//! assumption is dropped and all sums are found anew. What is added is kept in a scalar, set
//! to 0 where the loop is entered.
//!
//! Misses: loops with several ways in or back, and amounts of more than one term.

use tilewise_ir::loops::Loops;
use tilewise_ir::{BlockId, Kernel, Value};

use super::form::{Base, Form};

/// What a loop adds to a parameter each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode) enum Increment {
    Constant(i64),
    /// A uniform value of the parameter's type.
    Value(Value),
}

/// A parameter that may grow by the same amount for all lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub param: Value,
    /// Its first value, and the block that the loop is entered from.
    pub first: (Value, BlockId),
    /// Its next value, and the block that leads back.
    pub next: (Value, BlockId),
}

/// The parameters of loops that have one way in and one way back. Lanes of one sub-group
/// are never in different iterations of a loop, but for those in `overtaken` blocks.
pub(super) fn candidates(
    kernel: &Kernel,
    loops: &Loops,
    overtaken: impl Fn(BlockId) -> bool,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    for region in loops.all().iter().filter(|l| !overtaken(l.header)) {
        let (mut entries, mut back) = (Vec::new(), Vec::new());
        for id in kernel.block_ids() {
            for edge in kernel.block(id).term.edges() {
                match edge.block == region.header {
                    true if region.contains(id) => back.push((edge, id)),
                    true => entries.push((edge, id)),
                    false => {}
                }
            }
        }
        let (&[(entry, from)], &[(again, latch)]) = (&entries[..], &back[..]) else {
            continue;
        };
        let params = kernel.block(region.header).params.iter();
        let args = entry.args.iter().zip(&again.args);
        found.extend(params.zip(args).map(|(&param, (&first, &next))| Candidate {
            param,
            first: (first, from),
            next: (next, latch),
        }));
    }
    found
}

/// The amount between two sums, if it is uniform and one scalar holds it.
pub(super) fn increment(
    param: &Form,
    next: &Form,
    narrow: bool,
    is_of_type: impl Fn(Value) -> bool,
) -> Option<Increment> {
    let by = next.plus(&param.times(-1))?;
    let by = if narrow { by.truncated()? } else { by };
    if by.has_lanes() || by.widened.is_some() {
        return None;
    }
    match by.sum.terms[..] {
        [] => Some(Increment::Constant(by.sum.constant)),
        [(Base::Value(value), 1)] if by.sum.constant == 0 && is_of_type(value) => {
            Some(Increment::Value(value))
        }
        _ => None,
    }
}
