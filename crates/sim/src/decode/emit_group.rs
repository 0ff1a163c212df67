//! Steps at which work-items wait for each other or exchange values.

use tilewise_ir::{BarrierScope, BlockId, Fence, Op, Value};

use super::emit::Emitter;
use super::step::{At, BarrierStep, GroupStep, PointsToStep, Register, Step};
use crate::alu::NO_SLOT;

impl Emitter<'_> {
    pub(super) fn barrier(&mut self, block: BlockId, at: At, scope: BarrierScope, fence: Fence) {
        let loops = self.counted_loops(block);
        self.step(Step::Barrier(Box::new(BarrierStep {
            at,
            scope,
            fence,
            loops,
        })));
    }

    pub(super) fn group(&mut self, block: BlockId, at: At, op: &Op) {
        let Op::Group {
            op,
            scope,
            participants,
            dst,
            args,
        } = op
        else {
            return;
        };
        let mut registers = |values: &[Value]| {
            values
                .iter()
                .map(|&v| Register {
                    ty: self.kernel.ty(v),
                    slot: self.slots.vector_of(v).unwrap_or(NO_SLOT),
                })
                .collect()
        };
        let step = GroupStep {
            at,
            op: *op,
            scope: *scope,
            participants: *participants,
            args: registers(args),
            dst: registers(dst),
            loops: self.counted_loops(block),
        };
        self.step(Step::Group(Box::new(step)));
    }

    pub(super) fn points_to(&mut self, at: At, op: &Op) {
        if let Op::PointsTo { dst, ptr, space } = *op {
            let step = PointsToStep {
                at,
                ptr: self.operand(ptr),
                dst: self.dest(dst),
                space,
            };
            self.step(Step::PointsTo(step));
        }
    }
}
