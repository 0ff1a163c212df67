//! Builtins that are evaluated lane by lane.

use smallvec::SmallVec;
use tilewise_ir::{MathFn, Ty};

use crate::registers::Registers;
use crate::semantics::math;

/// A call of a builtin, with its registers.
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
pub(super) fn call<const W: usize>(
    call: &Call,
    registers: &mut Registers<W>,
    active: Option<&[u8; W]>,
) {
    let mut args: SmallVec<[u64; 16]> = SmallVec::new();
    for lane in 0..W {
        if active.is_some_and(|a| a[lane] == 0) {
            continue;
        }
        args.clear();
        args.extend(
            call.args
                .iter()
                .map(|&(ty, slot)| registers.get(ty, slot, lane)),
        );
        let results = math::evaluate(call.fun, call.ty, &args);
        for (&(ty, slot), bits) in call.results.iter().zip(results) {
            registers.set(ty, slot, lane, bits);
        }
    }
}
