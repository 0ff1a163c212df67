//! Steps at which work-items wait for each other, exchange values or print.

use tilewise_ir::{BarrierScope, BlockId, Fence, Op, Value};

use super::emit::Emitter;
use super::step::{At, BarrierStep, GroupStep, PointsToStep, PrintStep, Register, Step};
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
        let step = GroupStep {
            at,
            op: *op,
            scope: *scope,
            participants: *participants,
            args: args.iter().map(|&v| self.register(v)).collect(),
            dst: dst.iter().map(|&v| self.register(v)).collect(),
            loops: self.counted_loops(block),
        };
        self.step(Step::Group(Box::new(step)));
    }

    fn register(&mut self, value: Value) -> Register {
        Register {
            ty: self.kernel.ty(value),
            slot: self.slots.vector_of(value).unwrap_or(NO_SLOT),
        }
    }

    pub(super) fn print(&mut self, at: At, args: &[Value]) {
        let args = args.iter().map(|&v| self.register(v)).collect();
        self.step(Step::Print(Box::new(PrintStep { at, args })));
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
