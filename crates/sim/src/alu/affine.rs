//! Lanes of affine values, and comparisons of them.

use super::{AluInst, AluOp, LANES, Line, Part};
use crate::affine::Uniform;

/// Sets the register of an affine operation, 32 lanes of it.
#[inline(always)]
pub(super) fn execute(line: &mut Line<'_>, inst: &AluInst, part: Part) {
    let uniform = Uniform {
        scalars: line.scalars,
        first_id: line.affine.first_id,
    };
    let slot = part.slot(inst.dst) as usize;
    let first = part.index as usize * LANES;
    match inst.op {
        AluOp::Affine { value, ty } => {
            let value = &line.affine.values[value as usize];
            let class = &line.affine.classes[value.class as usize];
            let base = value.base(uniform, class);
            let lanes = &class.lanes()[first..first + LANES];
            if ty.size() == 4 {
                let to = &mut line.vectors.b4[slot];
                match base {
                    Some(base) => {
                        for (to, lane) in to.iter_mut().zip(lanes) {
                            *to = (base as u32).wrapping_add(*lane as u32);
                        }
                    }
                    None => each(to, |l| value.lane(uniform, class, first + l) as u32),
                }
            } else {
                let to = &mut line.vectors.b8[slot];
                match base {
                    Some(base) => {
                        for (to, lane) in to.iter_mut().zip(lanes) {
                            *to = base.wrapping_add(*lane);
                        }
                    }
                    None => each(to, |l| value.lane(uniform, class, first + l)),
                }
            }
        }
        AluOp::AffineCompare(number) => {
            let compare = &line.affine.compares[number as usize];
            let value = &line.affine.values[compare.value as usize];
            let class = &line.affine.classes[value.class as usize];
            let base = value.base(uniform, class);
            let to = &mut line.vectors.b1[slot];
            match base.and_then(|base| compare.of_all(base, class, uniform)) {
                Some(answer) => *to = [u8::from(answer); LANES],
                None => each(to, |l| {
                    let lane = value.lane(uniform, class, first + l);
                    u8::from(compare.of_lane(lane, uniform))
                }),
            }
        }
        _ => {}
    }
}

/// Sets lanes one by one, where they wrap or where the answer is not one for all.
#[inline(never)]
fn each<T>(to: &mut [T; LANES], f: impl Fn(usize) -> T) {
    for (l, to) in to.iter_mut().enumerate() {
        *to = f(l);
    }
}
