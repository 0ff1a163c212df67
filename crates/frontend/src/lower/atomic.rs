//! Barriers, fences, atomic operations and asynchronous copies.

use rspirv::spirv::Op as S;
use tilewise_ir::{AtomicOp, BarrierScope, CompareOp, Fence, MemAccess, Op, Ty, Value};

use super::emitter::{Components, Emitter};
use crate::error::FrontendError;
use crate::spirv::Inst;

/// Scopes and memory semantics, as SPIR-V numbers them.
const SCOPE_WORKGROUP: u64 = 2;
const SCOPE_SUBGROUP: u64 = 3;
pub const WORKGROUP_MEMORY: u64 = 0x100;
pub const CROSS_WORKGROUP_MEMORY: u64 = 0x200;
const IMAGE_MEMORY: u64 = 0x800;
/// Acquire, release, both, or sequentially consistent.
const NOT_RELAXED: u64 = 0x2 | 0x4 | 0x8 | 0x10;

impl Emitter<'_, '_> {
    fn known(&mut self, inst: &Inst, at: usize) -> Result<u64, FrontendError> {
        let value = self.value(inst.id(at)?)?;
        match self.kernel.constant(value) {
            Some(bits) => Ok(bits),
            None => Err(self.refuse(
                "a barrier or atomic whose scope or memory order is known only at run time",
                "give it as a constant",
            )),
        }
    }

    /// The scope of what work-items do together.
    pub fn execution_scope(
        &mut self,
        inst: &Inst,
        at: usize,
        what: &str,
    ) -> Result<BarrierScope, FrontendError> {
        match self.known(inst, at)? {
            SCOPE_WORKGROUP => Ok(BarrierScope::WorkGroup),
            SCOPE_SUBGROUP => Ok(BarrierScope::SubGroup),
            other => Err(self.refuse(
                format!("{what} of the scope {other}"),
                "work-items can wait for their work-group or sub-group only",
            )),
        }
    }

    /// `OpControlBarrier`: execution scope, memory scope, semantics.
    pub fn control_barrier(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let scope = self.execution_scope(inst, 0, "a barrier")?;
        let fence = fence(self.known(inst, 2)?);
        self.push(Op::Barrier { scope, fence })
    }

    /// `OpMemoryBarrier`: scope, semantics.
    pub fn memory_barrier(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let fence = fence(self.known(inst, 1)?);
        self.push(Op::Fence { fence })
    }

    /// The atomic instructions.
    pub fn atomic(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        use AtomicOp as A;
        // Operands: pointer, scope, semantics, then the values.
        let (op, value_at, compare_at) = match inst.op() {
            S::AtomicLoad => (A::Load, None, None),
            S::AtomicStore => (A::Store, Some(3), None),
            S::AtomicExchange => (A::Exchange, Some(3), None),
            S::AtomicCompareExchange | S::AtomicCompareExchangeWeak => {
                (A::CompareExchange, Some(4), Some(5))
            }
            S::AtomicIIncrement => (A::Increment, None, None),
            S::AtomicIDecrement => (A::Decrement, None, None),
            S::AtomicIAdd | S::AtomicFAddEXT => (A::Add, Some(3), None),
            S::AtomicISub => (A::Sub, Some(3), None),
            S::AtomicSMin => (A::SMin, Some(3), None),
            S::AtomicUMin => (A::UMin, Some(3), None),
            S::AtomicSMax => (A::SMax, Some(3), None),
            S::AtomicUMax => (A::UMax, Some(3), None),
            S::AtomicAnd => (A::And, Some(3), None),
            S::AtomicOr => (A::Or, Some(3), None),
            S::AtomicXor => (A::Xor, Some(3), None),
            _ => return self.atomic_flag(inst),
        };
        let pointer_id = inst.id(0)?;
        let space = self.space(self.type_of(pointer_id)?)?;
        let ptr = self.pointer(inst, pointer_id)?;
        let value = value_at.map(|at| self.value(inst.id(at)?)).transpose()?;
        let compare = compare_at.map(|at| self.value(inst.id(at)?)).transpose()?;
        let elem = match (value, op) {
            (Some(value), _) => self.kernel.ty(value),
            (None, _) => self.scalar_of(inst.result_type()?)?,
        };
        let fits = match inst.op() {
            S::AtomicLoad | S::AtomicStore | S::AtomicExchange => elem != Ty::Bool,
            S::AtomicFAddEXT => elem.is_float(),
            _ => elem.is_int(),
        };
        if !fits {
            return Err(inst.bad("works on a type that it does not take"));
        }
        if compare.is_some_and(|c| self.kernel.ty(c) != elem) {
            return Err(inst.bad("compares with a value of another type"));
        }
        let access = MemAccess::scalar(space, elem);
        let fence = self.order(inst)?;
        if op == A::Store {
            return self.push(Op::Atomic {
                op,
                dst: None,
                ptr,
                value,
                compare,
                access,
                fence,
            });
        }
        self.push_result(inst.result()?, inst.result_type()?, elem, |dst| {
            Op::Atomic {
                op,
                dst: Some(dst),
                ptr,
                value,
                compare,
                access,
                fence,
            }
        })
    }

    /// What an atomic's memory order orders; nothing where it is relaxed, or known
    /// only at run time.
    fn order(&mut self, inst: &Inst) -> Result<Fence, FrontendError> {
        let semantics = self.value(inst.id(2)?)?;
        let semantics = self.kernel.constant(semantics).unwrap_or(0);
        if semantics & NOT_RELAXED == 0 {
            return Ok(Fence::default());
        }
        Ok(match fence(semantics) {
            // OpenCL C's orders name no memory.
            Fence {
                local: false,
                global: false,
            } => Fence {
                local: true,
                global: true,
            },
            named => named,
        })
    }

    fn pointer(&mut self, inst: &Inst, id: u32) -> Result<Value, FrontendError> {
        let ptr = self.value(id)?;
        if self.kernel.ty(ptr) == Ty::Ptr {
            Ok(ptr)
        } else {
            Err(inst.bad("has an address that is no pointer"))
        }
    }

    /// `atomic_flag_test_and_set` and `atomic_flag_clear`, on an `I32`.
    fn atomic_flag(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let pointer_id = inst.id(0)?;
        let space = self.space(self.type_of(pointer_id)?)?;
        let ptr = self.pointer(inst, pointer_id)?;
        let access = MemAccess::scalar(space, Ty::I32);
        let fence = self.order(inst)?;
        if inst.op() == S::AtomicFlagClear {
            let zero = self.constant(Ty::I32, 0);
            return self.push(Op::Atomic {
                op: AtomicOp::Store,
                dst: None,
                ptr,
                value: Some(zero),
                compare: None,
                access,
                fence,
            });
        }
        let one = self.constant(Ty::I32, 1);
        let zero = self.constant(Ty::I32, 0);
        let before = self.result(Ty::I32);
        self.push(Op::Atomic {
            op: AtomicOp::Exchange,
            dst: Some(before),
            ptr,
            value: Some(one),
            compare: None,
            access,
            fence,
        })?;
        let was_set = self.compare(CompareOp::Ne, before, zero)?;
        let values = Components::from_slice(&[was_set]);
        self.define(inst.result()?, inst.result_type()?, values)
    }

    /// `OpGroupAsyncCopy`: scope, destination, source, count, stride, event.
    pub fn async_copy(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let dst_id = inst.id(1)?;
        let src_id = inst.id(2)?;
        let dst_ty = self.type_of(dst_id)?;
        let dst_space = self.space(dst_ty)?;
        let src_space = self.space(self.type_of(src_id)?)?;
        let (_, pointee) = self.module.pointer(dst_ty)?;
        let elem_bytes = self.module.ty(pointee)?.size;
        let elem_bytes = self.copy_size(elem_bytes)?;
        let dst = self.pointer(inst, dst_id)?;
        let src = self.pointer(inst, src_id)?;
        let count = self.value(inst.id(3)?)?;
        let stride = self.value(inst.id(4)?)?;
        let wide = tilewise_ir::Conversion::Zext;
        let count = self.convert(wide, count, Ty::I64)?;
        let stride = self.convert(wide, stride, Ty::I64)?;
        self.push(Op::AsyncCopy {
            dst,
            src,
            count,
            stride,
            elem_bytes,
            dst_space,
            src_space,
        })?;
        // The event is a handle that nothing looks into.
        let event = self.constant(Ty::I64, 1);
        let values = Components::from_slice(&[event]);
        self.define(inst.result()?, inst.result_type()?, values)
    }
}

/// `CLK_IMAGE_MEM_FENCE` counts as ordering global memory as a whole: images are
/// regions of it.
fn fence(semantics: u64) -> Fence {
    Fence {
        local: semantics & WORKGROUP_MEMORY != 0,
        global: semantics & (CROSS_WORKGROUP_MEMORY | IMAGE_MEMORY) != 0,
    }
}
