//! Variables, addresses, loads, stores and copies.

use rspirv::dr::Operand;
use rspirv::spirv::{MemoryAccess, StorageClass};
use smallvec::SmallVec;
use tilewise_ir::{AddressInit, Conversion, MemAccess, Op, Space, Ty, Value, VarId, Variable};

use super::emitter::{Components, Emitter};
use crate::error::FrontendError;
use crate::spirv::constant::{Initialiser, initialise};
use crate::spirv::types::space_of;
use crate::spirv::{Id, Inst, TypeKind};

/// Variables larger than this are refused: no device has so much local or
/// private memory, and initial contents are kept in full.
const MAX_VARIABLE: u64 = 1 << 28;

/// Volatility and alignment that an instruction states.
struct Stated {
    volatile: bool,
    align: Option<u32>,
}

/// What an index adds to an address.
struct Step {
    index: Option<Value>,
    /// Bytes per unit of the index.
    scale: i64,
    /// [`Op::PtrAdd`]'s.
    elements: Option<u64>,
}

impl Emitter<'_, '_> {
    /// `OpVariable` of a function: memory of its own, which may become
    /// registers later.
    pub fn function_variable(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let id = inst.result()?;
        let ty = inst.result_type()?;
        let (class, pointee) = self.module.pointer(ty)?;
        if class != StorageClass::Function {
            return Err(inst.bad("is a variable of another storage class inside a function"));
        }
        let variable = self.new_variable(id, pointee, Space::Private)?;
        let (_, address) = self.variable(variable);
        if inst.operands().len() > 1 {
            let values = self.values(inst.id(1)?)?;
            let align = self.module.ty(pointee)?.align;
            self.store_value(address, pointee, &values, Space::Private, align, false)?;
        }
        self.define(id, ty, Components::from_slice(&[address]))
    }

    /// A program-scope variable. What it starts as follows, since an address in
    /// it may be its own.
    pub fn program_variable(&self, id: Id) -> Result<Variable, FrontendError> {
        let Some(global) = self.module.globals.get(&id) else {
            return Err(FrontendError::malformed(format!("%{id} is no variable")));
        };
        let (_, pointee) = self.module.pointer(global.ty)?;
        let Some(space) = space_of(global.class) else {
            return Err(self.refuse(
                format!("a variable of the storage class {:?}", global.class),
                "OpenCL kernels have global, constant, local and private variables",
            ));
        };
        if let TypeKind::Opaque(name) = &self.module.ty(pointee)?.kind {
            return Err(self.refuse(
                format!("a variable of the type `{name}`"),
                "it is not run yet",
            ));
        }
        self.new_variable(id, pointee, space)
    }

    /// What a program-scope variable of the kernel starts as.
    pub fn initialise_variable(&mut self, id: Id, var: VarId) -> Result<(), FrontendError> {
        let Some(global) = self.module.globals.get(&id) else {
            return Err(FrontendError::malformed(format!("%{id} is no variable")));
        };
        let (_, pointee) = self.module.pointer(global.ty)?;
        let (size, space) = {
            let variable = &self.kernel.vars[var.index()];
            (variable.size as usize, variable.space)
        };
        let mut start = Initialiser {
            bytes: vec![0; size],
            addresses: Vec::new(),
        };
        match global.init {
            Some(init) => initialise(self.module, init, pointee, 0, 0, &mut start)?,
            // OpenCL C 2.0, section 6.5.1: such a variable starts as zero.
            None if matches!(space, Space::Global | Space::Constant) => {}
            None => return Ok(()),
        }
        let mut addresses = Vec::with_capacity(start.addresses.len());
        for (at, base, offset) in start.addresses {
            let address = self.global(base)?;
            let Some(&var) = self.variables.get(&address) else {
                return Err(FrontendError::malformed(format!("%{base} is no variable")));
            };
            addresses.push(AddressInit { at, var, offset });
        }
        let variable = &mut self.kernel.vars[var.index()];
        variable.init = Some(start.bytes);
        variable.addresses = addresses;
        Ok(())
    }

    fn new_variable(&self, id: Id, ty: Id, space: Space) -> Result<Variable, FrontendError> {
        let layout = self.module.ty(ty)?;
        // `k.tile` is how clang calls a `__local` variable of the kernel `k`.
        let name = self.module.name(id);
        let name = name
            .strip_prefix(&format!("{}.", self.kernel.name))
            .unwrap_or(name);
        if layout.size > MAX_VARIABLE {
            return Err(self.refuse(
                format!("the variable `{name}` of {} bytes", layout.size),
                "no device has so much memory of that kind",
            ));
        }
        let align = self.module.decorations(id).alignment.unwrap_or(0);
        Ok(Variable {
            name: name.to_owned(),
            space,
            size: layout.size,
            align: align.max(layout.align),
            elem_size: self.uniform_scalar_size(ty)?,
            init: None,
            addresses: Vec::new(),
            site: None,
        })
    }

    /// The size of the scalars of a type where they are all alike, else 1.
    pub fn uniform_scalar_size(&self, ty: Id) -> Result<u32, FrontendError> {
        let layout = self.module.ty(ty)?;
        Ok(match &layout.kind {
            TypeKind::Scalar(ty) => ty.size(),
            TypeKind::Vector { elem, .. } => elem.size(),
            TypeKind::Pointer { .. } | TypeKind::Image { .. } | TypeKind::Sampler => 8,
            TypeKind::Array { elem, .. } => self.uniform_scalar_size(*elem)?,
            TypeKind::Struct(members) => {
                let mut size = None;
                for (member, _) in members {
                    let this = self.uniform_scalar_size(*member)?;
                    if size.is_some_and(|s| s != this) {
                        return Ok(1);
                    }
                    size = Some(this);
                }
                size.unwrap_or(1)
            }
            _ => 1,
        })
    }

    /// `LifetimeStart`: what the variable held is gone.
    pub fn lifetime_start(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let pointer = self.value(inst.id(0)?)?;
        match self.variables.get(&pointer) {
            Some(&var) if self.kernel.vars[var.index()].space == Space::Private => {
                self.push(Op::LifetimeStart { var })
            }
            _ => Ok(()),
        }
    }

    /// The access chains. Constant parts are added up; each index known only
    /// at run time takes one addition.
    pub fn access_chain(&mut self, inst: &Inst, element: bool) -> Result<(), FrontendError> {
        let base_id = inst.id(0)?;
        if let Some(builtin) = self.builtin_pointer(base_id) {
            return self.builtin_chain(inst, builtin, element);
        }
        let (_, mut ty) = self.module.pointer(self.type_of(base_id)?)?;
        let mut pointer = self.value(base_id)?;
        let mut offset = 0i64;
        let mut pending: Option<Step> = None;
        // What has been reached is an array, a member of a structure.
        let mut in_member = self.member_arrays.contains(&base_id);
        for (i, index) in inst.ids_from(1)?.into_iter().enumerate() {
            let index = self.value(index)?;
            let mut elements = None;
            let scale = if element && i == 0 {
                in_member &= self.signed_constant(index) == Some(0);
                self.module.ty(ty)?.size
            } else {
                match &self.module.ty(ty)?.kind {
                    TypeKind::Struct(members) => {
                        let number = self.kernel.constant(index).map(|m| m as usize);
                        let member = number.and_then(|m| members.get(m));
                        let &(member, at) =
                            member.ok_or_else(|| inst.bad("names no member of its structure"))?;
                        offset = offset.wrapping_add(at as i64);
                        ty = member;
                        let last = number == Some(members.len() - 1);
                        in_member = match self.module.ty(ty)?.kind {
                            // One of a single element at the end is as long as its
                            // program makes it.
                            TypeKind::Array { len, .. } => len > 1 || !last,
                            _ => false,
                        };
                        continue;
                    }
                    TypeKind::Array { elem, len } => {
                        elements = in_member.then_some(*len);
                        ty = *elem;
                        let inner = self.module.ty(ty)?;
                        in_member &= matches!(inner.kind, TypeKind::Array { .. });
                        inner.size
                    }
                    TypeKind::Vector { elem, .. } => {
                        let size = u64::from(elem.size());
                        ty = self.module.scalar_type(*elem)?;
                        size
                    }
                    _ => return Err(inst.bad("has more indices than its type has levels")),
                }
            } as i64;
            if let Some(number) = self.signed_constant(index)
                && elements.is_none_or(|n| (0..n).contains(&(number as u64)))
            {
                offset = offset.wrapping_add(number.wrapping_mul(scale));
                continue;
            }
            if let Some(step) = pending.take() {
                pointer = self.pointer_step(pointer, step, 0)?;
            }
            pending = Some(Step {
                index: Some(self.index(index)?),
                scale,
                elements,
            });
        }
        let value = match pending {
            Some(step) => self.pointer_step(pointer, step, offset)?,
            None if offset == 0 => pointer,
            None => self.pointer_add(pointer, None, 0, offset)?,
        };
        if in_member {
            self.member_arrays.insert(inst.result()?);
        }
        let values = Components::from_slice(&[value]);
        self.define(inst.result()?, inst.result_type()?, values)
    }

    fn signed_constant(&self, value: Value) -> Option<i64> {
        let bits = self.kernel.constant(value)?;
        let shift = 64 - 8 * self.kernel.ty(value).size();
        Some(((bits << shift) as i64) >> shift)
    }

    /// An index as the IR takes it: 32 or 64 bits, signed.
    fn index(&mut self, index: Value) -> Result<Value, FrontendError> {
        match self.kernel.ty(index) {
            Ty::I32 | Ty::I64 => Ok(index),
            ty if ty.is_int() => self.convert(Conversion::Sext, index, Ty::I64),
            _ => Err(FrontendError::malformed("an index is no integer")),
        }
    }

    /// `base + index * scale + offset` in bytes.
    pub fn pointer_add(
        &mut self,
        base: Value,
        index: Option<Value>,
        scale: i64,
        offset: i64,
    ) -> Result<Value, FrontendError> {
        let step = Step {
            index,
            scale,
            elements: None,
        };
        self.pointer_step(base, step, offset)
    }

    fn pointer_step(
        &mut self,
        base: Value,
        step: Step,
        offset: i64,
    ) -> Result<Value, FrontendError> {
        if self.kernel.ty(base) != Ty::Ptr {
            return Err(FrontendError::malformed("an address is no pointer"));
        }
        let Step {
            index,
            scale,
            elements,
        } = step;
        let dst = self.result(Ty::Ptr);
        self.push(Op::PtrAdd {
            dst,
            base,
            index,
            scale,
            offset,
            elements,
        })?;
        Ok(dst)
    }

    fn stated(&self, inst: &Inst, at: usize) -> Stated {
        match inst.operands().get(at) {
            Some(Operand::MemoryAccess(flags)) => Stated {
                volatile: flags.contains(MemoryAccess::VOLATILE),
                align: match inst.operands().get(at + 1) {
                    Some(Operand::LiteralBit32(align))
                        if flags.contains(MemoryAccess::ALIGNED) && align.is_power_of_two() =>
                    {
                        Some(*align)
                    }
                    _ => None,
                },
            },
            _ => Stated {
                volatile: false,
                align: None,
            },
        }
    }

    /// `OpLoad`.
    pub fn load(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let id = inst.result()?;
        let ty = inst.result_type()?;
        let pointer_id = inst.id(0)?;
        if let Some((builtin, component)) = self.builtin_pointer(pointer_id) {
            let values = self.work_item_query(builtin, component, ty)?;
            return self.define(id, ty, values);
        }
        let space = self.space(self.type_of(pointer_id)?)?;
        let pointer = self.value(pointer_id)?;
        let stated = self.stated(inst, 1);
        let align = stated.align.unwrap_or(self.module.ty(ty)?.align);
        let values = self.load_value(pointer, ty, space, align, stated.volatile)?;
        self.define(id, ty, values)
    }

    /// `OpStore`.
    pub fn store(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let pointer_id = inst.id(0)?;
        let object = inst.id(1)?;
        let ty = self.type_of(object)?;
        let space = self.space(self.type_of(pointer_id)?)?;
        let pointer = self.value(pointer_id)?;
        let values = self.values(object)?;
        let stated = self.stated(inst, 2);
        let align = stated.align.unwrap_or(self.module.ty(ty)?.align);
        self.store_value(pointer, ty, &values, space, align, stated.volatile)
    }

    /// Loads a value of any type: one access per scalar or vector in it.
    pub fn load_value(
        &mut self,
        pointer: Value,
        ty: Id,
        space: Space,
        align: u32,
        volatile: bool,
    ) -> Result<Components, FrontendError> {
        let mut values = Components::new();
        for (offset, elem, count, bytes) in self.pieces(ty)? {
            let dst: SmallVec<[Value; 4]> = (0..count).map(|_| self.result(elem)).collect();
            let ptr = self.piece_pointer(pointer, offset)?;
            values.extend(dst.iter().copied());
            self.push(Op::Load {
                dst,
                ptr,
                access: MemAccess {
                    space,
                    elem,
                    count: count as u8,
                    bytes,
                    align: piece_align(align, offset),
                    volatile,
                    elements: 1,
                },
            })?;
        }
        Ok(values)
    }

    /// Stores a value of any type: one access per scalar or vector in it.
    pub fn store_value(
        &mut self,
        pointer: Value,
        ty: Id,
        values: &[Value],
        space: Space,
        align: u32,
        volatile: bool,
    ) -> Result<(), FrontendError> {
        let mut rest = values;
        for (offset, elem, count, bytes) in self.pieces(ty)? {
            let Some((mut now, later)) = rest.split_at_checked(count as usize) else {
                return Err(FrontendError::malformed(
                    "a store of a value of another type",
                ));
            };
            rest = later;
            if now.iter().any(|&v| self.kernel.ty(v) != elem) {
                return Err(FrontendError::malformed(
                    "a store of a value of another type",
                ));
            }
            // clang stores a vector of three as one of four, the last
            // component undefined.
            if let [first @ .., last] = now
                && count == 4
                && self.is_undefined(*last)
            {
                now = first;
            }
            let ptr = self.piece_pointer(pointer, offset)?;
            self.push(Op::Store {
                src: now.iter().map(|&v| Some(v)).collect(),
                ptr,
                access: MemAccess {
                    space,
                    elem,
                    count: now.len() as u8,
                    bytes,
                    align: piece_align(align, offset),
                    volatile,
                    elements: 1,
                },
            })?;
        }
        Ok(())
    }

    fn piece_pointer(&mut self, pointer: Value, offset: u64) -> Result<Value, FrontendError> {
        if self.kernel.ty(pointer) != Ty::Ptr {
            return Err(FrontendError::malformed("an address is no pointer"));
        }
        match offset {
            0 => Ok(pointer),
            _ => self.pointer_add(pointer, None, 0, offset as i64),
        }
    }

    /// The scalars and vectors in a type: byte offset, component type, number
    /// of components, bytes that an access covers.
    fn pieces(&self, ty: Id) -> Result<Vec<(u64, Ty, u32, u32)>, FrontendError> {
        // Bounds the length of the list.
        self.leaves(ty)?;
        let mut out = Vec::new();
        self.collect_pieces(ty, 0, &mut out)?;
        Ok(out)
    }

    fn collect_pieces(
        &self,
        ty: Id,
        at: u64,
        out: &mut Vec<(u64, Ty, u32, u32)>,
    ) -> Result<(), FrontendError> {
        let layout = self.module.ty(ty)?;
        if layout.leaves == 0 {
            return Ok(());
        }
        match &layout.kind {
            TypeKind::Scalar(ty) => out.push((at, *ty, 1, ty.size())),
            TypeKind::Vector { elem, count } => out.push((at, *elem, *count, layout.size as u32)),
            TypeKind::Pointer { .. } | TypeKind::Image { .. } => out.push((at, Ty::Ptr, 1, 8)),
            TypeKind::Sampler => out.push((at, Ty::I64, 1, 8)),
            TypeKind::Array { elem, len } => {
                let size = self.module.ty(*elem)?.size;
                for i in 0..*len {
                    self.collect_pieces(*elem, at + i * size, out)?;
                }
            }
            TypeKind::Struct(members) => {
                for (member, offset) in members {
                    self.collect_pieces(*member, at + offset, out)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// `OpCopyMemory` and `OpCopyMemorySized`.
    pub fn copy_memory(&mut self, inst: &Inst, sized: bool) -> Result<(), FrontendError> {
        let dst_id = inst.id(0)?;
        let src_id = inst.id(1)?;
        let dst_ty = self.type_of(dst_id)?;
        let dst_space = self.space(dst_ty)?;
        let src_space = self.space(self.type_of(src_id)?)?;
        let (_, pointee) = self.module.pointer(dst_ty)?;
        let layout = self.module.ty(pointee)?;
        let (bytes, natural) = if sized {
            let size = self.value(inst.id(2)?)?;
            let Some(size) = self.kernel.constant(size) else {
                return Err(self.refuse(
                    "a copy whose size is known only at run time",
                    "the size of a structure or array is known when compiling",
                ));
            };
            (size, 1)
        } else {
            (layout.size, layout.align)
        };
        let stated = self.stated(inst, if sized { 3 } else { 2 });
        let dst = self.value(dst_id)?;
        let src = self.value(src_id)?;
        let bytes = self.copy_size(bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        self.push(Op::Copy {
            dst,
            src,
            bytes,
            dst_space,
            src_space,
            align: stated.align.unwrap_or(natural),
        })
    }

    /// Number of bytes of one copy.
    pub fn copy_size(&self, bytes: u64) -> Result<u32, FrontendError> {
        if bytes > MAX_VARIABLE {
            return Err(self.refuse(
                format!("a copy of {bytes} bytes by one work-item"),
                "no variable is that large",
            ));
        }
        Ok(bytes as u32)
    }
}

/// What is left of an alignment at an offset.
fn piece_align(align: u32, offset: u64) -> u32 {
    match offset {
        0 => align,
        _ => align.min(1 << offset.trailing_zeros().min(16)),
    }
}
