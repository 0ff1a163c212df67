//! Steps of memory.

use tilewise_ir::{BlockId, MemAccess, Op, Ty, Value};

use super::emit::Emitter;
use super::step::{
    AsyncCopyStep, At, AtomicStep, CopyStep, ImageQueryStep, ImageReadStep, ImageWriteStep, Step,
};
use crate::error::SimError;

impl Emitter<'_> {
    pub(super) fn check_access(&self, at: At, access: &MemAccess) -> Result<(), SimError> {
        if access.count == 0 || access.count > 16 {
            return Err(self.unsupported(
                at,
                format!("access of {} components at once (1 to 16)", access.count),
            ));
        }
        Ok(())
    }

    pub(super) fn atomic(&mut self, block: BlockId, at: At, op: &Op) -> Result<(), SimError> {
        let Op::Atomic {
            op,
            dst,
            ptr,
            value,
            compare,
            access,
            ..
        } = op
        else {
            return Ok(());
        };
        if !matches!(access.elem.size(), 4 | 8) {
            return Err(self.unsupported(at, format!("atomic {op:?} on {}", access.elem)));
        }
        let step = AtomicStep {
            at,
            access: *access,
            op: *op,
            ptr: self.pointer(block, *ptr),
            dst: dst.and_then(|v| self.slots.vector_of(v)),
            value: value.and_then(|v| self.slots.vector_of(v)),
            compare: compare.and_then(|v| self.slots.vector_of(v)),
            from_data: self.facts.from_data[ptr.index()],
        };
        self.step(Step::Atomic(Box::new(step)));
        Ok(())
    }

    /// Image functions. Their operands are read from whichever file has them.
    pub(super) fn image(&mut self, at: At, op: &Op) {
        let from_data = |facts: &super::facts::Facts, of: &[Value]| {
            of.iter().any(|v| facts.from_data[v.index()])
        };
        let step = match op {
            Op::ImageRead {
                dst,
                image,
                sampler,
                coords,
            } => Step::ImageRead(Box::new(ImageReadStep {
                at,
                image: self.operand(*image),
                sampler: sampler.map(|s| self.operand(s)),
                coords: coords.iter().map(|&c| self.operand(c)).collect(),
                coord_ty: coords.first().map_or(Ty::I32, |&c| self.kernel.ty(c)),
                from_data: from_data(self.facts, coords),
                dst: dst.iter().map(|&d| self.dest(d)).collect(),
            })),
            Op::ImageWrite { image, coords, src } => Step::ImageWrite(Box::new(ImageWriteStep {
                at,
                image: self.operand(*image),
                coords: coords.iter().map(|&c| self.operand(c)).collect(),
                src: src.iter().map(|&s| self.operand(s)).collect(),
                ty: src.first().map_or(Ty::F32, |&s| self.kernel.ty(s)),
                from_data: from_data(self.facts, coords),
            })),
            Op::ImageQuery { dst, image, query } => Step::ImageQuery(Box::new(ImageQueryStep {
                at,
                image: self.operand(*image),
                query: *query,
                dst: self.dest(*dst),
            })),
            _ => return,
        };
        self.step(step);
    }

    pub(super) fn copy(&mut self, at: At, op: &Op) {
        let Op::Copy {
            dst,
            src,
            bytes,
            dst_space,
            src_space,
            align,
        } = op
        else {
            return;
        };
        let elem = match align {
            a if a % 4 == 0 && bytes % 4 == 0 => Ty::I32,
            _ => Ty::I8,
        };
        let access = |space| MemAccess {
            space,
            elem,
            count: (bytes / elem.size()).min(16) as u8,
            bytes: *bytes,
            align: *align,
            volatile: false,
            elements: 1,
        };
        let step = CopyStep {
            at,
            load: access(*src_space),
            store: access(*dst_space),
            dst: self.operand(*dst),
            src: self.operand(*src),
            bytes: *bytes,
            from_data: self.facts.from_data[dst.index()] || self.facts.from_data[src.index()],
        };
        self.step(Step::Copy(Box::new(step)));
    }

    pub(super) fn async_copy(&mut self, at: At, op: &Op) {
        let Op::AsyncCopy {
            dst,
            src,
            count,
            stride,
            elem_bytes,
            dst_space,
            src_space,
        } = op
        else {
            return;
        };
        let elem = match elem_bytes {
            1 => Ty::I8,
            2 => Ty::I16,
            n if n % 4 == 0 => Ty::I32,
            _ => Ty::I8,
        };
        let access = |space| MemAccess {
            space,
            elem,
            count: (elem_bytes / elem.size()).clamp(1, 16) as u8,
            bytes: *elem_bytes,
            align: elem.size(),
            volatile: false,
            elements: 1,
        };
        let step = AsyncCopyStep {
            at,
            load: access(*src_space),
            store: access(*dst_space),
            dst: self.operand(*dst),
            src: self.operand(*src),
            count: self.operand(*count),
            stride: self.operand(*stride),
            dst_space: *dst_space,
            elem_bytes: *elem_bytes,
            from_data: self.facts.from_data[dst.index()] || self.facts.from_data[src.index()],
        };
        self.step(Step::AsyncCopy(Box::new(step)));
    }
}
