//! Comparisons of an affine value with a uniform one, decided by the ends of its
//! lanes.

use tilewise_ir::CompareOp;

use super::value::within;
use super::{LaneClass, Source, Uniform};

/// `value op with` for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AffineCompare {
    pub op: CompareOp,
    /// Index of the affine value.
    pub value: u32,
    pub with: Source,
    /// Both have 32 bits.
    pub narrow: bool,
}

impl AffineCompare {
    /// The comparison with its sides changed: `a < b` is `b > a`.
    pub fn turned(op: CompareOp) -> CompareOp {
        match op {
            CompareOp::SLt => CompareOp::SGt,
            CompareOp::SLe => CompareOp::SGe,
            CompareOp::SGt => CompareOp::SLt,
            CompareOp::SGe => CompareOp::SLe,
            CompareOp::ULt => CompareOp::UGt,
            CompareOp::ULe => CompareOp::UGe,
            CompareOp::UGt => CompareOp::ULt,
            CompareOp::UGe => CompareOp::ULe,
            same => same,
        }
    }

    /// Whether the operation compares integers.
    pub fn handles(op: CompareOp) -> bool {
        use CompareOp::{Eq, Ne, SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
        matches!(op, Eq | Ne | SLt | SLe | SGt | SGe | ULt | ULe | UGt | UGe)
    }

    /// The answer of all lanes, where it is one. `base` is what they share.
    #[inline(always)]
    pub fn of_all(&self, base: u64, class: &LaneClass, uniform: Uniform<'_>) -> Option<bool> {
        use CompareOp::{Eq, Ne, SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
        let signed = !matches!(self.op, ULt | ULe | UGt | UGe);
        let ends = class.ends();
        let with = self.with.read(uniform);
        let (value, with) = if self.narrow {
            let value = within(i64::from(base as i32), ends, signed)?;
            let with = if signed {
                i64::from(with as i32)
            } else {
                i64::from(with as u32)
            };
            (value, with)
        } else {
            let value = base as i64;
            let low = value.checked_add(ends.0)?;
            value.checked_add(ends.1)?;
            // Numbers below 2^63 compare alike with and without a sign.
            if !signed && (low < 0 || with < 0) {
                return None;
            }
            (value, with)
        };
        let (low, high) = (value + ends.0, value + ends.1);
        let (yes, no) = match self.op {
            SLt | ULt => (high < with, low >= with),
            SLe | ULe => (high <= with, low > with),
            SGt | UGt => (low > with, high <= with),
            SGe | UGe => (low >= with, high < with),
            Eq => (low == with && high == with, with < low || with > high),
            Ne => (with < low || with > high, low == with && high == with),
            _ => return None,
        };
        match (yes, no) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// The answer of one lane, which holds `value`.
    #[inline(always)]
    pub fn of_lane(&self, value: u64, uniform: Uniform<'_>) -> bool {
        use CompareOp::{Eq, Ne, SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
        let with = self.with.read(uniform);
        let [a, b] = if self.narrow {
            [value as i32, with as i32].map(i64::from)
        } else {
            [value as i64, with]
        };
        // Signed numbers keep their order without a sign within each sign.
        let [ua, ub] = [a, b].map(|n| n as u64);
        match self.op {
            Eq => a == b,
            Ne => a != b,
            SLt => a < b,
            SLe => a <= b,
            SGt => a > b,
            SGe => a >= b,
            ULt => ua < ub,
            ULe => ua <= ub,
            UGt => ua > ub,
            UGe => ua >= ub,
            _ => false,
        }
    }
}
