//! Builtins that are evaluated lane by lane.

use smallvec::SmallVec;
use tilewise_ir::{MathFn, Ty};

use super::Part;
use crate::lanes::{each_lane, first_lanes};
use crate::registers::Banks;
use crate::semantics::math;

/// A call of a builtin, with its banks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub fun: MathFn,
    /// Type of the first argument.
    pub ty: Ty,
    /// Arguments: type and register.
    pub args: SmallVec<[(Ty, u32); 4]>,
    /// Results: type and register, one or two.
    pub results: SmallVec<[(Ty, u32); 2]>,
}

#[inline(never)]
pub(super) fn call<const W: usize>(call: &Call, part: Part, banks: &mut Banks<'_, W>, mask: u64) {
    let mut args: SmallVec<[u64; 8]> = SmallVec::from_elem(0, call.args.len());
    for lane in each_lane(mask & first_lanes(W as u32)) {
        for (arg, &(ty, slot)) in args.iter_mut().zip(&call.args) {
            *arg = banks.get(ty, part.slot(slot), lane);
        }
        let results = math::evaluate(call.fun, call.ty, &args);
        for (&(ty, slot), bits) in call.results.iter().zip(results) {
            banks.set(ty, part.slot(slot), lane, bits);
        }
    }
}
