//! One instruction that is neither control flow nor a call: hands it to the
//! module that knows its group.

use rspirv::spirv::Op as S;

use super::emitter::Emitter;
use crate::error::FrontendError;
use crate::spirv::Inst;

impl Emitter<'_, '_> {
    /// Emits one instruction.
    pub fn instruction(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        match inst.op() {
            S::Undef => {
                let ty = inst.result_type()?;
                let values = self
                    .leaves(ty)?
                    .into_iter()
                    .map(|ty| self.undefined(ty))
                    .collect::<super::emitter::Components>();
                self.define(inst.result()?, ty, values)
            }
            S::CopyObject | S::CopyLogical | S::ExpectKHR => {
                let values = self.values(inst.id(0)?)?;
                self.define(inst.result()?, inst.result_type()?, values)
            }
            S::AssumeTrueKHR => Ok(()),
            S::ExtInst => self.builtin_function(inst),
            S::Variable => self.function_variable(inst),
            S::Load => self.load(inst),
            S::Store => self.store(inst),
            S::CopyMemory => self.copy_memory(inst, false),
            S::CopyMemorySized => self.copy_memory(inst, true),
            S::AccessChain | S::InBoundsAccessChain => self.access_chain(inst, false),
            S::PtrAccessChain | S::InBoundsPtrAccessChain => self.access_chain(inst, true),
            S::LifetimeStart => self.lifetime_start(inst),
            S::LifetimeStop => Ok(()),
            S::PtrEqual | S::PtrNotEqual | S::PtrDiff => self.compare_pointers(inst),
            S::ControlBarrier => self.control_barrier(inst),
            S::MemoryBarrier => self.memory_barrier(inst),
            S::GroupAsyncCopy => self.async_copy(inst),
            S::GroupWaitEvents => self.push(tilewise_ir::Op::WaitEvents),
            op if is_image(op) => self.image(inst),
            op if is_atomic(op) => self.atomic(inst),
            op if is_conversion(op) => self.conversion(inst),
            op if is_composite(op) => self.composite(inst),
            op => {
                if self.arithmetic(inst)? || self.group_function(inst)? {
                    return Ok(());
                }
                Err(self.refuse(describe(op, &inst.name()), why_refused(op)))
            }
        }
    }
}

fn is_image(op: S) -> bool {
    matches!(
        op,
        S::SampledImage
            | S::Image
            | S::ImageSampleExplicitLod
            | S::ImageRead
            | S::ImageWrite
            | S::ImageQuerySize
            | S::ImageQuerySizeLod
            | S::ImageQueryFormat
            | S::ImageQueryOrder
            | S::ImageQueryLevels
            | S::ImageQuerySamples
    )
}

fn is_atomic(op: S) -> bool {
    matches!(
        op,
        S::AtomicLoad
            | S::AtomicStore
            | S::AtomicExchange
            | S::AtomicCompareExchange
            | S::AtomicCompareExchangeWeak
            | S::AtomicIIncrement
            | S::AtomicIDecrement
            | S::AtomicIAdd
            | S::AtomicFAddEXT
            | S::AtomicISub
            | S::AtomicSMin
            | S::AtomicUMin
            | S::AtomicSMax
            | S::AtomicUMax
            | S::AtomicAnd
            | S::AtomicOr
            | S::AtomicXor
            | S::AtomicFlagTestAndSet
            | S::AtomicFlagClear
    )
}

fn is_conversion(op: S) -> bool {
    matches!(
        op,
        S::ConvertFToU
            | S::ConvertFToS
            | S::ConvertSToF
            | S::ConvertUToF
            | S::UConvert
            | S::SConvert
            | S::FConvert
            | S::QuantizeToF16
            | S::ConvertPtrToU
            | S::SatConvertSToU
            | S::SatConvertUToS
            | S::ConvertUToPtr
            | S::PtrCastToGeneric
            | S::GenericCastToPtr
            | S::GenericCastToPtrExplicit
            | S::GenericPtrMemSemantics
            | S::Bitcast
    )
}

fn is_composite(op: S) -> bool {
    matches!(
        op,
        S::VectorExtractDynamic
            | S::VectorInsertDynamic
            | S::VectorShuffle
            | S::CompositeConstruct
            | S::CompositeExtract
            | S::CompositeInsert
    )
}

fn describe(op: S, name: &str) -> String {
    let group = group(op);
    if group.is_empty() {
        format!("the SPIR-V instruction {name}")
    } else {
        format!("{group} ({name})")
    }
}

fn group(op: S) -> &'static str {
    let name = format!("{op:?}");
    if name.contains("Pipe") || name.contains("ReserveId") {
        "a pipe function"
    } else if ["Enqueue", "Ndrange", "NDrange", "NDRange", "DefaultQueue"]
        .iter()
        .chain(&["GetKernel", "UserEvent", "RetainEvent", "ReleaseEvent"])
        .chain(&["IsValidEvent", "CaptureEvent"])
        .any(|part| name.contains(part))
    {
        "device-side enqueue"
    } else if name.starts_with("GroupNonUniform") || name.starts_with("Subgroup") {
        "a sub-group function"
    } else if name.starts_with("Group") {
        "a work-group function"
    } else if name.starts_with("Atomic") {
        "a floating-point atomic"
    } else {
        ""
    }
}

fn why_refused(op: S) -> &'static str {
    match group(op) {
        "" => "it is unknown here",
        "device-side enqueue" => {
            "kernels that start kernels are not run; launch them from the host"
        }
        "a pipe function" => "pipes are not run; pass the packets in a buffer",
        _ => "it is not run yet",
    }
}
