//! What atomic operations leave in memory.

use tilewise_ir::{AtomicOp, Ty};

use super::float::Float;

/// The new contents of a location of type `ty` that held `old`, or `None`
/// where the operation does not write.
pub(crate) fn apply(op: AtomicOp, ty: Ty, old: u64, value: u64, compare: u64) -> Option<u64> {
    let unused = 64 - ty.size() * 8;
    let signed = |v: u64| ((v << unused) as i64) >> unused;
    let new = match op {
        AtomicOp::Load => return None,
        AtomicOp::Store | AtomicOp::Exchange => value,
        AtomicOp::CompareExchange if old == compare => value,
        AtomicOp::CompareExchange => return None,
        AtomicOp::Add => match ty {
            Ty::F32 => u64::from(<f32 as Float>::add(old as u32, value as u32)),
            Ty::F64 => <f64 as Float>::add(old, value),
            _ => old.wrapping_add(value),
        },
        AtomicOp::Sub => match ty {
            Ty::F32 => u64::from(<f32 as Float>::sub(old as u32, value as u32)),
            Ty::F64 => <f64 as Float>::sub(old, value),
            _ => old.wrapping_sub(value),
        },
        AtomicOp::Increment => old.wrapping_add(1),
        AtomicOp::Decrement => old.wrapping_sub(1),
        AtomicOp::SMin if signed(old) <= signed(value) => return None,
        AtomicOp::SMax if signed(old) >= signed(value) => return None,
        AtomicOp::UMin if old <= value => return None,
        AtomicOp::UMax if old >= value => return None,
        AtomicOp::SMin | AtomicOp::SMax | AtomicOp::UMin | AtomicOp::UMax => value,
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
    };
    Some(super::convert::truncate(new, ty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(apply(AtomicOp::Add, Ty::I32, 0xFFFF_FFFF, 1, 0), Some(0));
        assert_eq!(
            apply(AtomicOp::Decrement, Ty::I32, 0, 0, 0),
            Some(0xFFFF_FFFF)
        );
        assert_eq!(
            apply(AtomicOp::SMin, Ty::I32, 0, 0xFFFF_FFFF, 0),
            Some(0xFFFF_FFFF)
        );
        assert_eq!(apply(AtomicOp::UMin, Ty::I32, 0, 0xFFFF_FFFF, 0), None);
        assert_eq!(apply(AtomicOp::CompareExchange, Ty::I32, 4, 9, 4), Some(9));
        assert_eq!(apply(AtomicOp::CompareExchange, Ty::I32, 5, 9, 4), None);
    }

    #[test]
    fn floats_add() {
        let b = |v: f32| u64::from(v.to_bits());
        assert_eq!(
            apply(AtomicOp::Add, Ty::F32, b(1.5), b(2.0), 0),
            Some(b(3.5))
        );
    }
}
