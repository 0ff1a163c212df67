//! Fills a [`Module`] from bytes, one instruction at a time.

use std::collections::HashMap;

use rspirv::binary::{Consumer, ParseAction, ParseState, parse_bytes};
use rspirv::dr::{self, Operand};
use rspirv::spirv::{
    AccessQualifier, Capability, Decoration, Dim, ExecutionMode, ExecutionModel,
    FunctionParameterAttribute, MAGIC_NUMBER, Op, SamplerAddressingMode, SamplerFilterMode,
};
use tilewise_ir::Ty;
use tilewise_launch::image::{Addressing, ImageAccess, ImageDims, ImageType, Sampler};

use super::constant::{Constant, truncate};
use super::constant_expression::{HEADER_WORDS, take_out};
use super::debug;
use super::inst::Inst;
use super::module::{Block, EntryPoint, Function, Global, Module, rounding};
use super::types::{Type, TypeKind};
use crate::error::{FrontendError, Refusal};

/// Name of the instruction set of OpenCL's builtin functions.
pub const OPENCL_STD: &str = "OpenCL.std";
/// Name of the instruction set of debug information.
pub const OPENCL_DEBUG: &str = "OpenCL.DebugInfo.100";

/// Checks that the instructions fill the module exactly. The parser takes that
/// for granted when it reads strings.
fn check_framing(bytes: &[u8]) -> Result<(), FrontendError> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(FrontendError::malformed(
            "its length is no multiple of four bytes",
        ));
    }
    if words
        .first()
        .is_none_or(|w| u32::from_le_bytes(*w) != MAGIC_NUMBER)
    {
        return Err(FrontendError::malformed(
            "it does not start with SPIR-V's number (little-endian 0x07230203)",
        ));
    }
    let mut at = HEADER_WORDS;
    while let Some(word) = words.get(at) {
        let count = u32::from_le_bytes(*word) >> 16;
        at += count.max(1) as usize;
    }
    if at == words.len() {
        Ok(())
    } else {
        Err(FrontendError::malformed("it ends within an instruction"))
    }
}

/// Reads a module.
pub fn read(bytes: &[u8]) -> Result<Module, FrontendError> {
    check_framing(bytes)?;
    let (bytes, computed) = take_out(bytes)?;
    let mut reader = Reader {
        computed,
        ..Reader::default()
    };
    match parse_bytes(&bytes, &mut reader) {
        Ok(()) => {}
        Err(state) => {
            return Err(match (reader.error.take(), state) {
                (Some(error), _) => error,
                (None, ParseState::OpcodeUnknown(offset, _, opcode)) => Refusal::new(
                    format!("the SPIR-V instruction number {opcode} (at byte {offset})"),
                    "it is unknown here",
                )
                .into(),
                (None, state) => FrontendError::malformed(state.to_string()),
            });
        }
    }
    if reader.function.is_some() {
        return Err(FrontendError::malformed("the last function has no end"));
    }
    Ok(reader.module)
}

#[derive(Default)]
struct Reader {
    module: Module,
    /// Constants that are computed, by their results.
    computed: HashMap<u32, Inst>,
    function: Option<(u32, Function)>,
    error: Option<FrontendError>,
}

impl Consumer for Reader {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _: dr::ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, inst: dr::Instruction) -> ParseAction {
        match self.instruction(Inst(inst)) {
            Ok(()) => ParseAction::Continue,
            Err(error) => {
                self.error = Some(error);
                ParseAction::Stop
            }
        }
    }
}

impl Reader {
    fn instruction(&mut self, inst: Inst) -> Result<(), FrontendError> {
        if self.function.is_some() {
            return self.in_function(inst);
        }
        match inst.op() {
            Op::Function => {
                let function = Function {
                    result: inst.result_type()?,
                    params: Vec::new(),
                    blocks: Vec::new(),
                };
                self.function = Some((inst.result()?, function));
                Ok(())
            }
            Op::Capability => self.capability(&inst),
            Op::ExtInstImport => self.import(&inst),
            Op::EntryPoint => self.entry_point(&inst),
            Op::ExecutionMode => self.execution_mode(&inst),
            Op::String => {
                let text = inst.string(0)?.to_owned();
                self.module.strings.insert(inst.result()?, text);
                Ok(())
            }
            Op::Name => {
                let text = inst.string(1)?.to_owned();
                self.module.names.insert(inst.id(0)?, text);
                Ok(())
            }
            Op::Decorate => self.decorate(&inst),
            Op::GroupDecorate => self.group_decorate(&inst),
            Op::Variable => self.global(&inst),
            Op::ExtInst => self.debug_entry(&inst),
            op if is_type(op) => self.declare_type(&inst),
            op if is_constant(op) => self.declare_constant(&inst),
            Op::Nop
            | Op::Extension
            | Op::MemoryModel
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::MemberName
            | Op::ModuleProcessed
            | Op::MemberDecorate
            | Op::DecorationGroup
            | Op::GroupMemberDecorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::MemberDecorateString
            | Op::ExecutionModeId
            | Op::Line
            | Op::NoLine => Ok(()),
            _ => Err(Refusal::new(
                format!("the SPIR-V instruction {}", inst.name()),
                "it is unknown outside of functions",
            )
            .into()),
        }
    }

    fn in_function(&mut self, inst: Inst) -> Result<(), FrontendError> {
        let Some((_, function)) = &mut self.function else {
            return Ok(());
        };
        match inst.op() {
            Op::FunctionParameter => {
                function.params.push((inst.result()?, inst.result_type()?));
            }
            Op::Label => function.blocks.push(Block {
                label: inst.result()?,
                insts: Vec::new(),
            }),
            Op::FunctionEnd => {
                if let Some((id, function)) = self.function.take() {
                    self.module.functions.insert(id, function);
                }
            }
            Op::Function => return Err(inst.bad("stands inside a function")),
            Op::Line | Op::NoLine if function.blocks.is_empty() => {}
            _ => match function.blocks.last_mut() {
                Some(block) => block.insts.push(inst),
                None => return Err(inst.bad("stands before the first label of its function")),
            },
        }
        Ok(())
    }

    fn capability(&self, inst: &Inst) -> Result<(), FrontendError> {
        let Some(Operand::Capability(capability)) = inst.operands().first() else {
            return Err(inst.bad("names no capability"));
        };
        let known = matches!(
            capability,
            Capability::Matrix
                | Capability::Shader
                | Capability::Addresses
                | Capability::Linkage
                | Capability::Kernel
                | Capability::Vector16
                | Capability::Float16Buffer
                | Capability::Float16
                | Capability::Float64
                | Capability::Int64
                | Capability::Int64Atomics
                | Capability::Int16
                | Capability::Int8
                | Capability::Groups
                | Capability::GenericPointer
                | Capability::SubgroupDispatch
                | Capability::ExpectAssumeKHR
                | Capability::ImageBasic
                | Capability::ImageReadWrite
                | Capability::Image1D
                | Capability::ImageBuffer
                | Capability::Sampled1D
                | Capability::SampledBuffer
                | Capability::LiteralSampler
                // Refused at their first use, which has a line.
                | Capability::ImageMipmap
                | Capability::Pipes
                | Capability::PipeStorage
                | Capability::DeviceEnqueue
                | Capability::NamedBarrier
                | Capability::GroupNonUniform
                | Capability::GroupNonUniformVote
                | Capability::GroupNonUniformArithmetic
                | Capability::GroupNonUniformBallot
                | Capability::GroupNonUniformShuffle
                | Capability::GroupNonUniformShuffleRelative
                | Capability::GroupNonUniformClustered
                | Capability::FunctionPointersINTEL
                | Capability::AtomicFloat32AddEXT
                | Capability::AtomicFloat64AddEXT
        );
        if known {
            Ok(())
        } else {
            Err(Refusal::new(
                format!("the SPIR-V capability {capability:?}"),
                "it is unknown here",
            )
            .into())
        }
    }

    fn import(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let name = inst.string(0)?;
        // Debug and other informative sets may be ignored by definition.
        let known = name == OPENCL_STD || name == OPENCL_DEBUG || name.starts_with("NonSemantic.");
        if !known {
            return Err(Refusal::new(
                format!("the SPIR-V instruction set `{name}`"),
                "it is unknown here; kernels for OpenCL import `OpenCL.std`",
            )
            .into());
        }
        let name = name.to_owned();
        self.module.imports.insert(inst.result()?, name);
        Ok(())
    }

    fn entry_point(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        match inst.operands().first() {
            Some(Operand::ExecutionModel(ExecutionModel::Kernel)) => {}
            Some(Operand::ExecutionModel(model)) => {
                return Err(Refusal::new(
                    format!("an entry point of the kind {model:?}"),
                    "only OpenCL kernels are run",
                )
                .into());
            }
            _ => return Err(inst.bad("names no execution model")),
        }
        let name = inst.string(2)?;
        if self.module.entry_points.iter().any(|p| p.name == name) {
            return Err(inst.bad(&format!("gives a second kernel the name {name}")));
        }
        self.module.entry_points.push(EntryPoint {
            function: inst.id(1)?,
            name: name.to_owned(),
        });
        Ok(())
    }

    fn execution_mode(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        if let Some(Operand::ExecutionMode(ExecutionMode::LocalSize)) = inst.operands().get(1) {
            let size = [inst.literal(2)?, inst.literal(3)?, inst.literal(4)?];
            self.module.local_size.insert(inst.id(0)?, size);
        }
        Ok(())
    }

    fn decorate(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let target = inst.id(0)?;
        let decorations = self.module.decorations.entry(target).or_default();
        let operands = inst.operands();
        match operands.get(1) {
            Some(Operand::Decoration(decoration)) => match (decoration, operands.get(2)) {
                (Decoration::BuiltIn, Some(Operand::BuiltIn(b))) => decorations.builtin = Some(*b),
                (Decoration::LinkageAttributes, Some(Operand::LiteralString(name))) => {
                    decorations.linkage = Some(name.clone());
                }
                (Decoration::Alignment, Some(Operand::LiteralBit32(n))) => {
                    decorations.alignment = Some(*n);
                }
                (Decoration::CPacked, _) => decorations.packed = true,
                (Decoration::Volatile, _) => decorations.volatile = true,
                (Decoration::SaturatedConversion, _) => decorations.saturated = true,
                (Decoration::FPRoundingMode, Some(Operand::FPRoundingMode(mode))) => {
                    decorations.rounding = Some(rounding(*mode));
                }
                (Decoration::FuncParamAttr, Some(Operand::FunctionParameterAttribute(a))) => {
                    match a {
                        FunctionParameterAttribute::ByVal => decorations.by_value = true,
                        FunctionParameterAttribute::NoAlias => decorations.no_alias = true,
                        FunctionParameterAttribute::NoWrite => decorations.no_write = true,
                        _ => {}
                    }
                }
                _ => {}
            },
            _ => return Err(inst.bad("names no decoration")),
        }
        Ok(())
    }

    fn group_decorate(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let group = self.module.decorations(inst.id(0)?).clone();
        for target in inst.ids_from(1)? {
            let merged = match self.module.decorations.get(&target) {
                Some(own) => super::module::Decorations {
                    builtin: own.builtin.or(group.builtin),
                    linkage: own.linkage.clone().or_else(|| group.linkage.clone()),
                    alignment: own.alignment.or(group.alignment),
                    packed: own.packed || group.packed,
                    volatile: own.volatile || group.volatile,
                    saturated: own.saturated || group.saturated,
                    rounding: own.rounding.or(group.rounding),
                    by_value: own.by_value || group.by_value,
                    no_alias: own.no_alias || group.no_alias,
                    no_write: own.no_write || group.no_write,
                },
                None => group.clone(),
            };
            self.module.decorations.insert(target, merged);
        }
        Ok(())
    }

    fn debug_entry(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let set = self.module.imports.get(&inst.id(0)?);
        if set.is_some_and(|name| name == OPENCL_DEBUG)
            && let Some(entry) = debug::entry(inst)
        {
            self.module.debug.insert(inst.result()?, entry);
        }
        Ok(())
    }

    fn global(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let Some(Operand::StorageClass(class)) = inst.operands().first() else {
            return Err(inst.bad("names no storage class"));
        };
        let init = match inst.operands().len() {
            1 => None,
            _ => Some(inst.id(1)?),
        };
        self.module.globals.insert(
            inst.result()?,
            Global {
                ty: inst.result_type()?,
                class: *class,
                init,
            },
        );
        Ok(())
    }

    fn declare_type(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        if inst.op() == Op::TypeForwardPointer {
            let Some(Operand::StorageClass(class)) = inst.operands().get(1) else {
                return Err(inst.bad("names no storage class"));
            };
            // The pointee follows; a pointer's layout does not depend on it.
            let id = inst.id(0)?;
            self.module.types.insert(id, Type::pointer(*class, 0));
            return Ok(());
        }
        let id = inst.result()?;
        let ty = self.type_of(inst, id)?;
        if let TypeKind::Scalar(scalar) = ty.kind {
            self.module.scalars.entry(scalar).or_insert(id);
        }
        // A pointer that was announced is declared later. Anything else declared
        // anew could make a type that is within itself.
        let pointer = matches!(ty.kind, TypeKind::Pointer { .. });
        match self.module.types.insert(id, ty).map(|ty| ty.kind) {
            None => Ok(()),
            Some(TypeKind::Pointer { pointee: 0, .. }) if pointer => Ok(()),
            Some(_) => Err(inst.bad("is a type that was declared before")),
        }
    }

    fn type_of(&self, inst: &Inst, id: u32) -> Result<Type, FrontendError> {
        let module = &self.module;
        Ok(match inst.op() {
            Op::TypeVoid => Type::unsized_kind(TypeKind::Void),
            Op::TypeBool => Type::scalar(Ty::Bool),
            Op::TypeInt => {
                let bits = inst.literal(0)?;
                let ty = Ty::int(bits).ok_or_else(|| {
                    Refusal::new(
                        format!("an integer of {bits} bits"),
                        "OpenCL C has integers of 8, 16, 32 and 64 bits",
                    )
                })?;
                Type::scalar(ty)
            }
            Op::TypeFloat => Type::scalar(match inst.literal(0)? {
                16 => Ty::F16,
                32 => Ty::F32,
                64 => Ty::F64,
                bits => {
                    return Err(Refusal::new(
                        format!("a floating-point number of {bits} bits"),
                        "OpenCL C has half, float and double",
                    )
                    .into());
                }
            }),
            Op::TypeVector => {
                let count = inst.literal(1)?;
                match (&module.ty(inst.id(0)?)?.kind, count) {
                    (TypeKind::Scalar(elem), 2 | 3 | 4 | 8 | 16) => Type::vector(*elem, count),
                    // A vector of pointers, or one that vectorising made.
                    (TypeKind::Scalar(_), _) => {
                        return Err(Refusal::new(
                            format!("a vector of {count} components"),
                            "OpenCL C has vectors of 2, 3, 4, 8 and 16",
                        )
                        .into());
                    }
                    _ => return Err(inst.bad("is a vector of something other than scalars")),
                }
            }
            Op::TypeArray => {
                let elem = inst.id(0)?;
                let len = module.integer(inst.id(1)?)?;
                Type::array(elem, module.ty(elem)?, len)?
            }
            Op::TypeRuntimeArray => {
                let elem = inst.id(0)?;
                Type::array(elem, module.ty(elem)?, 0)?
            }
            Op::TypeStruct => {
                let ids = inst.ids_from(0)?;
                let members = ids
                    .iter()
                    .map(|&m| Ok((m, module.ty(m)?)))
                    .collect::<Result<Vec<_>, FrontendError>>()?;
                Type::structure(&members, module.decorations(id).packed)?
            }
            Op::TypePointer => {
                let Some(Operand::StorageClass(class)) = inst.operands().first() else {
                    return Err(inst.bad("names no storage class"));
                };
                Type::pointer(*class, inst.id(1)?)
            }
            Op::TypeFunction => Type::unsized_kind(TypeKind::Function),
            // Events are handles; nothing looks into them.
            Op::TypeEvent | Op::TypeDeviceEvent | Op::TypeReserveId => Type::scalar(Ty::I64),
            Op::TypeImage => Type::handle(image_kind(inst)?, 1),
            Op::TypeSampler => Type::handle(TypeKind::Sampler, 1),
            Op::TypeSampledImage => Type::handle(TypeKind::SampledImage, 2),
            // With a size, so that a parameter of the type has a place.
            _ => Type::handle(
                TypeKind::Opaque(match inst.op() {
                    Op::TypeOpaque => inst.string(0)?.to_owned(),
                    _ => inst.name().trim_start_matches("OpType").to_lowercase(),
                }),
                0,
            ),
        })
    }

    fn declare_constant(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let id = inst.result()?;
        let computed = self.computed.remove(&id);
        let inst = computed.as_ref().unwrap_or(inst);
        let ty = inst.result_type()?;
        let constant = match inst.op() {
            Op::Constant | Op::SpecConstant => match self.module.ty(ty)?.kind {
                TypeKind::Scalar(scalar) => {
                    Constant::Scalar(truncate(scalar, inst.wide_literal(0)?))
                }
                _ => return Err(inst.bad("is a number of a type that is no scalar")),
            },
            Op::ConstantTrue | Op::SpecConstantTrue => Constant::Scalar(1),
            Op::ConstantFalse | Op::SpecConstantFalse => Constant::Scalar(0),
            Op::ConstantComposite | Op::SpecConstantComposite => {
                Constant::Composite(inst.ids_from(0)?)
            }
            Op::ConstantNull => Constant::Null,
            Op::Undef => Constant::Undef,
            Op::ConstantSampler => Constant::Sampler(sampler(inst)?.bits()),
            _ => self.constant_expression(inst)?,
        };
        self.module.constants.insert(id, (ty, constant));
        Ok(())
    }

    /// Addresses in initialisers and constant pointer casts.
    fn constant_expression(&self, inst: &Inst) -> Result<Constant, FrontendError> {
        let refuse = |what: &str| {
            Err(Refusal::new(
                format!("a constant computed by {what}"),
                "only addresses of variables at constant offsets are evaluated",
            )
            .into())
        };
        let Some(Operand::LiteralSpecConstantOpInteger(op)) = inst.operands().first() else {
            return refuse(&inst.name());
        };
        let (base, mut offset) = match self.address(inst.id(1)?) {
            Some(address) => address,
            None => return refuse(&format!("Op{op:?}")),
        };
        match op {
            Op::Bitcast
            | Op::GenericCastToPtr
            | Op::PtrCastToGeneric
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr => {}
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain => {
                let indices = inst
                    .ids_from(2)?
                    .into_iter()
                    .map(|i| self.module.integer(i))
                    .collect::<Result<Vec<_>, _>>()?;
                let pointee = self.pointee(inst.id(1)?)?;
                let element = matches!(op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
                offset += self.constant_offset(pointee, &indices, element)?;
            }
            _ => return refuse(&format!("Op{op:?}")),
        }
        Ok(Constant::Address { base, offset })
    }

    fn address(&self, id: u32) -> Option<(u32, i64)> {
        if self.module.globals.contains_key(&id) {
            return Some((id, 0));
        }
        match self.module.constants.get(&id) {
            Some((_, Constant::Address { base, offset })) => Some((*base, *offset)),
            _ => None,
        }
    }

    fn pointee(&self, id: u32) -> Result<u32, FrontendError> {
        let ty = match self.module.globals.get(&id) {
            Some(global) => global.ty,
            None => self.module.constants.get(&id).map_or(0, |(ty, _)| *ty),
        };
        Ok(self.module.pointer(ty)?.1)
    }

    fn constant_offset(
        &self,
        mut ty: u32,
        indices: &[u64],
        element: bool,
    ) -> Result<i64, FrontendError> {
        let mut offset = 0i64;
        let mut indices = indices.iter();
        if element && let Some(&first) = indices.next() {
            offset = (first as i64).wrapping_mul(self.module.ty(ty)?.size as i64);
        }
        for &index in indices {
            let (member, at) = match &self.module.ty(ty)?.kind {
                TypeKind::Struct(members) => match members.get(index as usize) {
                    Some(&(member, at)) => (member, at as i64),
                    None => return Err(FrontendError::malformed("no such member")),
                },
                TypeKind::Array { elem, .. } => {
                    let size = self.module.ty(*elem)?.size as i64;
                    (*elem, (index as i64).wrapping_mul(size))
                }
                TypeKind::Vector { elem, .. } => {
                    let size = i64::from(elem.size());
                    (
                        self.module.scalar_type(*elem)?,
                        (index as i64).wrapping_mul(size),
                    )
                }
                _ => return Err(FrontendError::malformed("a scalar has no members")),
            };
            offset = offset.wrapping_add(at);
            ty = member;
        }
        Ok(offset)
    }
}

/// The kind of an image type: result of sampled type, dimensions, depth,
/// arrayed, multi-sampled, sampled, format, access.
fn image_kind(inst: &Inst) -> Result<TypeKind, FrontendError> {
    let Some(Operand::Dim(dim)) = inst.operands().get(1) else {
        return Err(inst.bad("names no dimensions"));
    };
    let (depth, arrayed, multi) = (inst.literal(2)?, inst.literal(3)?, inst.literal(4)?);
    let dims = match (dim, arrayed) {
        (Dim::Dim1D, 0) => ImageDims::D1,
        (Dim::Dim1D, _) => ImageDims::D1Array,
        (Dim::Dim2D, 0) => ImageDims::D2,
        (Dim::Dim2D, _) => ImageDims::D2Array,
        (Dim::Dim3D, 0) => ImageDims::D3,
        (Dim::DimBuffer, 0) => ImageDims::Buffer,
        _ => return Ok(TypeKind::Opaque(format!("an image of the kind {dim:?}"))),
    };
    if multi != 0 {
        return Ok(TypeKind::Opaque("a multi-sampled image".to_owned()));
    }
    let access = match inst.operands().get(7) {
        Some(Operand::AccessQualifier(AccessQualifier::WriteOnly)) => ImageAccess::Write,
        Some(Operand::AccessQualifier(AccessQualifier::ReadWrite)) => ImageAccess::ReadWrite,
        _ => ImageAccess::Read,
    };
    let depth = depth == 1;
    Ok(TypeKind::Image {
        ty: ImageType { dims, depth },
        access,
    })
}

fn sampler(inst: &Inst) -> Result<Sampler, FrontendError> {
    let (Some(Operand::SamplerAddressingMode(mode)), Some(Operand::SamplerFilterMode(filter))) =
        (inst.operands().first(), inst.operands().get(2))
    else {
        return Err(inst.bad("names no addressing mode and filter"));
    };
    Ok(Sampler {
        addressing: match mode {
            SamplerAddressingMode::None => Addressing::None,
            SamplerAddressingMode::ClampToEdge => Addressing::ClampToEdge,
            SamplerAddressingMode::Clamp => Addressing::Clamp,
            SamplerAddressingMode::Repeat => Addressing::Repeat,
            SamplerAddressingMode::RepeatMirrored => Addressing::MirroredRepeat,
        },
        linear: *filter == SamplerFilterMode::Linear,
        normalized: inst.literal(1)? != 0,
    })
}

fn is_type(op: Op) -> bool {
    matches!(
        op,
        Op::TypeVoid
            | Op::TypeBool
            | Op::TypeInt
            | Op::TypeFloat
            | Op::TypeVector
            | Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypeStruct
            | Op::TypeOpaque
            | Op::TypePointer
            | Op::TypeForwardPointer
            | Op::TypeFunction
            | Op::TypeEvent
            | Op::TypeDeviceEvent
            | Op::TypeReserveId
            | Op::TypeQueue
            | Op::TypePipe
            | Op::TypeImage
            | Op::TypeSampler
            | Op::TypeSampledImage
            | Op::TypeNamedBarrier
            | Op::TypePipeStorage
    )
}

fn is_constant(op: Op) -> bool {
    matches!(
        op,
        Op::Constant
            | Op::ConstantTrue
            | Op::ConstantFalse
            | Op::ConstantComposite
            | Op::ConstantNull
            | Op::ConstantSampler
            | Op::ConstantPipeStorage
            | Op::SpecConstant
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstantComposite
            | Op::SpecConstantOp
            | Op::Undef
    )
}
