//! Changes the values that operations and terminators name, for passes that
//! rewrite kernels.

use crate::ids::Value;
use crate::kernel::Terminator;
use crate::op::Op;

impl Op {
    /// Calls `f` with every value that the operation reads, to change it.
    pub fn for_each_use_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            Op::Unary { a, .. } | Op::Convert { a, .. } => f(a),
            Op::Binary { a, b, .. } | Op::Compare { a, b, .. } => {
                f(a);
                f(b);
            }
            Op::Select {
                cond,
                if_true,
                if_false,
                ..
            } => {
                f(cond);
                f(if_true);
                f(if_false);
            }
            Op::PtrAdd { base, index, .. } => {
                f(base);
                index.iter_mut().for_each(f);
            }
            Op::Math { args, .. } | Op::Printf { args, .. } | Op::Group { args, .. } => {
                args.iter_mut().for_each(f);
            }
            Op::Load { ptr, .. } | Op::PointsTo { ptr, .. } => f(ptr),
            Op::ImageRead {
                image,
                sampler,
                coords,
                ..
            } => {
                f(image);
                sampler.iter_mut().for_each(&mut f);
                coords.iter_mut().for_each(f);
            }
            Op::ImageWrite { image, coords, src } => {
                f(image);
                coords.iter_mut().for_each(&mut f);
                src.iter_mut().for_each(f);
            }
            Op::ImageQuery { image, .. } => f(image),
            Op::Store { src, ptr, .. } => {
                src.iter_mut().flatten().for_each(&mut f);
                f(ptr);
            }
            Op::Atomic {
                ptr,
                value,
                compare,
                ..
            } => {
                f(ptr);
                value.iter_mut().for_each(&mut f);
                compare.iter_mut().for_each(f);
            }
            Op::Copy { dst, src, .. } => {
                f(dst);
                f(src);
            }
            Op::AsyncCopy {
                dst,
                src,
                count,
                stride,
                ..
            } => {
                f(dst);
                f(src);
                f(count);
                f(stride);
            }
            Op::VarAddr { .. }
            | Op::WorkItem { .. }
            | Op::Barrier { .. }
            | Op::Fence { .. }
            | Op::WaitEvents
            | Op::LifetimeStart { .. }
            | Op::Undef { .. } => {}
        }
    }

    /// Calls `f` with every value that the operation defines, to change it.
    pub fn for_each_def_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            Op::Unary { dst, .. }
            | Op::Binary { dst, .. }
            | Op::Compare { dst, .. }
            | Op::Select { dst, .. }
            | Op::Convert { dst, .. }
            | Op::PtrAdd { dst, .. }
            | Op::VarAddr { dst, .. }
            | Op::WorkItem { dst, .. }
            | Op::PointsTo { dst, .. }
            | Op::ImageQuery { dst, .. }
            | Op::Undef { dst } => f(dst),
            Op::Math { dst, .. } => dst.iter_mut().for_each(f),
            Op::Load { dst, .. } | Op::Group { dst, .. } | Op::ImageRead { dst, .. } => {
                dst.iter_mut().for_each(f);
            }
            Op::Atomic { dst, .. } | Op::Printf { dst, .. } => dst.iter_mut().for_each(f),
            Op::Store { .. }
            | Op::ImageWrite { .. }
            | Op::Copy { .. }
            | Op::Barrier { .. }
            | Op::Fence { .. }
            | Op::AsyncCopy { .. }
            | Op::LifetimeStart { .. }
            | Op::WaitEvents => {}
        }
    }
}

impl Terminator {
    /// Calls `f` with every value that the terminator reads: its condition,
    /// then the arguments of its edges.
    pub fn for_each_use(&self, mut f: impl FnMut(Value)) {
        self.condition().into_iter().for_each(&mut f);
        for edge in self.edges() {
            edge.args.iter().copied().for_each(&mut f);
        }
    }

    /// Calls `f` with every value that the terminator reads, to change it.
    pub fn for_each_use_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            Terminator::Branch { cond, .. } => f(cond),
            Terminator::Switch { value, .. } => f(value),
            Terminator::Jump(_) | Terminator::Return | Terminator::Unreachable => {}
        }
        for edge in self.edges_mut() {
            edge.args.iter_mut().for_each(&mut f);
        }
    }
}
