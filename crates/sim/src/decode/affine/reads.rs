//! Which values the steps of a kernel read lane by lane.

use tilewise_ir::{BlockId, Op, Value};

use super::find::{AffineForms, Given};
use crate::decode::facts::runs_scalar;
use crate::decode::needed::Needed;

/// What decides it.
pub(in crate::decode) struct Reads<'a> {
    pub given: Given<'a>,
    pub forms: &'a AffineForms,
    pub needed: &'a Needed,
}

impl Reads<'_> {
    /// The values that an operation reads from the vector file.
    pub fn each(&self, op: &Op, block: BlockId, mut read: impl FnMut(Value)) {
        let Given { scalar, .. } = self.given;
        if runs_scalar(op, scalar) || self.takes_no_lanes(op, block) {
            return;
        }
        // What can be read from either file, and is where it has only lanes.
        let mut either = |v: Value| {
            if !scalar[v.index()] {
                read(v);
            }
        };
        match op {
            Op::Load { ptr, .. } => {
                if !self.is_affine_at(*ptr, block) {
                    either(*ptr);
                }
            }
            Op::Store { ptr, src, .. } => {
                if !self.is_affine_at(*ptr, block) {
                    either(*ptr);
                }
                if self.needed.stores_to(*ptr) {
                    src.iter().flatten().for_each(|&v| read(v));
                }
            }
            Op::Atomic {
                ptr,
                value,
                compare,
                ..
            } => {
                if !self.is_affine_at(*ptr, block) {
                    either(*ptr);
                }
                value.iter().chain(compare).for_each(|&v| read(v));
            }
            Op::Copy { .. }
            | Op::AsyncCopy { .. }
            | Op::PointsTo { .. }
            | Op::ImageRead { .. }
            | Op::ImageWrite { .. }
            | Op::ImageQuery { .. } => op.for_each_use(either),
            op => op.for_each_use(read),
        }
    }

    /// Whether a pointer's lanes are told by its sum.
    pub fn is_affine_at(&self, value: Value, block: BlockId) -> bool {
        self.forms.at(&self.given, value, block).is_some()
    }

    /// Whether an operation that computes does so from no lanes: its result is left
    /// out, or a sum, or a comparison of one.
    fn takes_no_lanes(&self, op: &Op, block: BlockId) -> bool {
        if !op.is_pure() || matches!(op, Op::PointsTo { .. } | Op::ImageQuery { .. }) {
            return false;
        }
        let (mut needed, mut affine) = (false, false);
        op.for_each_def(|d| {
            needed |= self.needed.values[d.index()];
            affine |= self.forms.of(d).is_some();
        });
        let divides = matches!(op, Op::Binary { op, .. } if crate::decode::facts::is_division(*op));
        (!needed && !divides) || affine || self.forms.comparison(&self.given, op, block).is_some()
    }
}
