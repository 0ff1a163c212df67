//! Appends instructions to a kernel: constants, undefined values, memory
//! variables, and the values that SPIR-V ids stand for.

use std::collections::{HashMap, HashSet};

use rspirv::spirv::BuiltIn;
use smallvec::{SmallVec, smallvec};
use tilewise_ir::{
    BinaryOp, Block, BlockId, CompareOp, Conversion, Inst as IrInst, Kernel, MathFn, Op, SiteId,
    Space, Terminator, Ty, UnaryOp, Value, ValueDef, VarId, Variable,
};

use super::control::Frame;
use super::sites::Sites;
use crate::error::{FrontendError, Refusal};
use crate::spirv::types::MAX_LEAVES;
use crate::spirv::{Constant, Id, Module, TypeKind};

/// The scalars of a SPIR-V value, in order.
pub type Components = SmallVec<[Value; 4]>;

/// Kernels longer than this after inlining are refused: nothing could be done
/// with them in reasonable time.
const MAX_INSTRUCTIONS: usize = 4_000_000;

/// A kernel under construction.
pub struct Emitter<'m, 's> {
    pub module: &'m Module,
    pub sites: &'s mut Sites<'m>,
    pub kernel: Kernel,
    /// The function that is being emitted.
    pub frame: Frame,
    /// Functions that are being inlined, outermost first.
    pub calls: Vec<Id>,
    /// Where instructions go.
    pub block: BlockId,
    /// The site that they get.
    pub site: SiteId,
    /// A work-item function was asked about a dimension known only at run time.
    pub dynamic_dimension: bool,
    /// Addresses of variables by the value that holds them.
    pub variables: HashMap<Value, VarId>,
    /// Addresses of arrays that are members of structures.
    pub member_arrays: HashSet<Id>,
    constants: HashMap<(Ty, u64), Value>,
    undefined: HashMap<Ty, Value>,
    globals: HashMap<Id, Value>,
    /// Instructions that go before everything else.
    prelude: Vec<IrInst>,
    emitted: usize,
}

impl<'m, 's> Emitter<'m, 's> {
    /// An empty kernel with an entry block.
    pub fn new(module: &'m Module, sites: &'s mut Sites<'m>, name: &str) -> Self {
        let site = sites.unknown();
        let mut emitter = Self {
            module,
            sites,
            kernel: Kernel {
                name: name.to_owned(),
                ..Kernel::default()
            },
            frame: Frame::default(),
            calls: Vec::new(),
            block: Kernel::ENTRY,
            site,
            dynamic_dimension: false,
            variables: HashMap::new(),
            member_arrays: HashSet::new(),
            constants: HashMap::new(),
            undefined: HashMap::new(),
            globals: HashMap::new(),
            prelude: Vec::new(),
            emitted: 0,
        };
        emitter.new_block();
        emitter
    }

    /// Puts the prelude in front of the entry block and gives the kernel.
    pub fn finish(mut self) -> Kernel {
        if let Some(entry) = self.kernel.blocks.first_mut() {
            self.prelude.append(&mut entry.insts);
            entry.insts = self.prelude;
        }
        self.kernel
    }

    /// A new block, which ends in `unreachable` until it gets a terminator.
    pub fn new_block(&mut self) -> BlockId {
        self.kernel.blocks.push(Block {
            params: SmallVec::new(),
            insts: Vec::new(),
            term: Terminator::Unreachable,
            term_site: self.site,
        });
        BlockId::new(self.kernel.blocks.len() - 1)
    }

    /// Adds parameters of these types to a block.
    pub fn block_params(&mut self, block: BlockId, types: &[Ty]) -> Components {
        types
            .iter()
            .map(|&ty| {
                let value = self.kernel.new_value(ty, ValueDef::BlockParam(block));
                self.kernel.blocks[block.index()].params.push(value);
                value
            })
            .collect()
    }

    /// Ends the current block.
    pub fn terminate(&mut self, term: Terminator) {
        let block = &mut self.kernel.blocks[self.block.index()];
        block.term = term;
        block.term_site = self.site;
    }

    /// Appends an operation to the current block.
    pub fn push(&mut self, op: Op) -> Result<(), FrontendError> {
        self.emitted += 1;
        if self.emitted > MAX_INSTRUCTIONS {
            return Err(self.refuse(
                "a kernel of more than four million instructions",
                "calls are inlined; fewer or smaller helper functions are needed",
            ));
        }
        let site = self.site;
        self.kernel.blocks[self.block.index()]
            .insts
            .push(IrInst { op, site });
        Ok(())
    }

    /// A value that an instruction of the current block will define.
    pub fn result(&mut self, ty: Ty) -> Value {
        self.kernel.new_value(ty, ValueDef::Inst(self.block))
    }

    /// A constant, given by its bits.
    pub fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        let kernel = &mut self.kernel;
        *self
            .constants
            .entry((ty, bits))
            .or_insert_with(|| kernel.new_value(ty, ValueDef::Const(bits)))
    }

    /// A floating-point constant of a type.
    pub fn float(&mut self, ty: Ty, value: f64) -> Value {
        let bits = match ty {
            Ty::F32 => u64::from((value as f32).to_bits()),
            Ty::F16 => u64::from(super::half::from_f64(value)),
            _ => value.to_bits(),
        };
        self.constant(ty, bits)
    }

    /// The undefined value of a type; there is one per kernel and type.
    pub fn undefined(&mut self, ty: Ty) -> Value {
        if let Some(&value) = self.undefined.get(&ty) {
            return value;
        }
        let dst = self.kernel.new_value(ty, ValueDef::Inst(Kernel::ENTRY));
        self.prelude.push(IrInst {
            op: Op::Undef { dst },
            site: self.sites.unknown(),
        });
        self.undefined.insert(ty, dst);
        dst
    }

    /// Whether a value is an undefined one.
    pub fn is_undefined(&self, value: Value) -> bool {
        self.undefined.get(&self.kernel.ty(value)) == Some(&value)
    }

    /// Adds a variable; gives its id and its address.
    pub fn variable(&mut self, variable: Variable) -> (VarId, Value) {
        self.kernel.vars.push(variable);
        let var = VarId::new(self.kernel.vars.len() - 1);
        let dst = self
            .kernel
            .new_value(Ty::Ptr, ValueDef::Inst(Kernel::ENTRY));
        self.prelude.push(IrInst {
            op: Op::VarAddr { dst, var },
            site: self.sites.unknown(),
        });
        self.variables.insert(dst, var);
        (var, dst)
    }

    /// A refusal at the current site.
    pub fn refuse(&self, construct: impl Into<String>, reason: impl Into<String>) -> FrontendError {
        let mut refusal = Refusal::new(construct, reason);
        refusal.at = self.sites.describe(self.site);
        refusal.kernel = Some(self.kernel.name.clone());
        refusal.into()
    }

    /// The scalar types of a value of a type, in order.
    pub fn leaves(&self, ty: Id) -> Result<Vec<Ty>, FrontendError> {
        let layout = self.module.ty(ty)?;
        if layout.leaves > MAX_LEAVES {
            return Err(self.refuse(
                format!("a value of {} scalars", layout.leaves),
                "only memory holds so much; access its elements instead",
            ));
        }
        // An array may have 2^64 elements without any.
        if layout.leaves == 0 && !matches!(layout.kind, TypeKind::Opaque(_)) {
            return Ok(Vec::new());
        }
        Ok(match &layout.kind {
            TypeKind::Void | TypeKind::Function => Vec::new(),
            TypeKind::Scalar(ty) => vec![*ty],
            TypeKind::Vector { elem, count } => vec![*elem; *count as usize],
            TypeKind::Pointer { .. } | TypeKind::Image { .. } => vec![Ty::Ptr],
            TypeKind::Sampler => vec![Ty::I64],
            TypeKind::SampledImage => vec![Ty::Ptr, Ty::I64],
            TypeKind::Array { elem, len } => {
                let elem = self.leaves(*elem)?;
                (0..*len).flat_map(|_| elem.iter().copied()).collect()
            }
            TypeKind::Struct(members) => {
                let mut leaves = Vec::new();
                for (member, _) in members {
                    leaves.extend(self.leaves(*member)?);
                }
                leaves
            }
            TypeKind::Opaque(name) => {
                return Err(
                    self.refuse(format!("a value of the type `{name}`"), "it is not run yet")
                );
            }
        })
    }

    /// The only scalar type of a type of scalars or vectors.
    pub fn scalar_of(&self, ty: Id) -> Result<Ty, FrontendError> {
        match self.module.ty(ty)?.kind {
            TypeKind::Scalar(ty) => Ok(ty),
            TypeKind::Vector { elem, .. } => Ok(elem),
            TypeKind::Pointer { .. } => Ok(Ty::Ptr),
            _ => Err(FrontendError::malformed(format!(
                "%{ty} is not a type of numbers"
            ))),
        }
    }

    /// The type of a SPIR-V value.
    pub fn type_of(&self, id: Id) -> Result<Id, FrontendError> {
        self.frame
            .types
            .get(&id)
            .copied()
            .or_else(|| self.module.constants.get(&id).map(|(ty, _)| *ty))
            .or_else(|| self.module.globals.get(&id).map(|g| g.ty))
            .ok_or_else(|| FrontendError::malformed(format!("%{id} is used but not defined")))
    }

    /// Defines a SPIR-V value.
    pub fn define(
        &mut self,
        id: Id,
        ty: Id,
        values: impl Into<Components>,
    ) -> Result<(), FrontendError> {
        let values = values.into();
        if !self.has_type(&values, ty)? {
            return Err(FrontendError::malformed(format!(
                "%{id} has another type than its instruction gives"
            )));
        }
        self.frame.types.insert(id, ty);
        self.frame.values.insert(id, values);
        Ok(())
    }

    /// Whether values are the components of a type.
    pub fn has_type(&self, values: &[Value], ty: Id) -> Result<bool, FrontendError> {
        let layout = self.module.ty(ty)?;
        if layout.leaves != values.len() as u64 {
            return Ok(false);
        }
        let all = |ty: Ty| values.iter().all(|&v| self.kernel.ty(v) == ty);
        Ok(match &layout.kind {
            TypeKind::Scalar(ty) => all(*ty),
            TypeKind::Vector { elem, .. } => all(*elem),
            TypeKind::Pointer { .. } => all(Ty::Ptr),
            _ => {
                let leaves = self.leaves(ty)?;
                let mut pairs = values.iter().zip(&leaves);
                pairs.all(|(&v, &ty)| self.kernel.ty(v) == ty)
            }
        })
    }

    /// The components of a SPIR-V value.
    pub fn values(&mut self, id: Id) -> Result<Components, FrontendError> {
        if let Some(values) = self.frame.values.get(&id) {
            return Ok(values.clone());
        }
        if self.module.constants.contains_key(&id) {
            let mut out = Components::new();
            self.constant_values(id, 0, &mut 0, &mut out)?;
            return Ok(out);
        }
        if self.module.globals.contains_key(&id) {
            return Ok(smallvec![self.global(id)?]);
        }
        Err(FrontendError::malformed(format!(
            "%{id} is used but not defined"
        )))
    }

    /// The only component of a SPIR-V value.
    pub fn value(&mut self, id: Id) -> Result<Value, FrontendError> {
        match self.values(id)?.as_slice() {
            [value] => Ok(*value),
            values => Err(FrontendError::malformed(format!(
                "%{id} has {} components where one is needed",
                values.len()
            ))),
        }
    }

    /// Appends the components of a constant. `visited` counts constants: those
    /// without components could be as many as 2^`depth`.
    fn constant_values(
        &mut self,
        id: Id,
        depth: u32,
        visited: &mut u64,
        out: &mut Components,
    ) -> Result<(), FrontendError> {
        *visited += 1;
        if depth > 64 || *visited > 4 * MAX_LEAVES || out.len() as u64 > MAX_LEAVES {
            return Err(FrontendError::malformed("a constant is nested too deeply"));
        }
        let module = self.module;
        let Some((ty, constant)) = module.constants.get(&id) else {
            return Err(FrontendError::malformed(format!("%{id} is not a constant")));
        };
        match constant {
            Constant::Scalar(bits) => {
                let ty = self.scalar_of(*ty)?;
                out.push(self.constant(ty, *bits));
            }
            Constant::Composite(members) => {
                for &member in members {
                    self.constant_values(member, depth + 1, visited, out)?;
                }
            }
            Constant::Null => {
                for ty in self.leaves(*ty)? {
                    out.push(self.constant(ty, 0));
                }
            }
            Constant::Undef => {
                for ty in self.leaves(*ty)? {
                    out.push(self.undefined(ty));
                }
            }
            Constant::Address { base, offset } => {
                let base = self.global(*base)?;
                let dst = self
                    .kernel
                    .new_value(Ty::Ptr, ValueDef::Inst(Kernel::ENTRY));
                self.prelude.push(IrInst {
                    op: Op::PtrAdd {
                        dst,
                        base,
                        index: None,
                        scale: 0,
                        offset: *offset,
                        elements: None,
                    },
                    site: self.sites.unknown(),
                });
                out.push(dst);
            }
            Constant::Sampler(bits) => out.push(self.constant(Ty::I64, *bits)),
        }
        Ok(())
    }

    /// The address of a program-scope variable, which is added to the kernel
    /// when it is first used.
    pub fn global(&mut self, id: Id) -> Result<Value, FrontendError> {
        if let Some(&value) = self.globals.get(&id) {
            return Ok(value);
        }
        let variable = self.program_variable(id)?;
        let (var, value) = self.variable(variable);
        self.globals.insert(id, value);
        self.initialise_variable(id, var)?;
        Ok(value)
    }

    /// The builtin that a pointer leads to, if it does.
    pub fn builtin_pointer(&self, id: Id) -> Option<(BuiltIn, Option<u32>)> {
        self.frame.builtins.get(&id).copied().or_else(|| {
            self.module.globals.get(&id)?;
            Some((self.module.decorations(id).builtin?, None))
        })
    }

    /// `op a`.
    pub fn unary(&mut self, op: UnaryOp, a: Value) -> Result<Value, FrontendError> {
        let dst = self.result(self.kernel.ty(a));
        self.push(Op::Unary { op, dst, a })?;
        Ok(dst)
    }

    /// `a op b`.
    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Result<Value, FrontendError> {
        self.same_type(a, b)?;
        let dst = self.result(self.kernel.ty(a));
        self.push(Op::Binary { op, dst, a, b })?;
        Ok(dst)
    }

    /// `a op b` as a truth value.
    pub fn compare(&mut self, op: CompareOp, a: Value, b: Value) -> Result<Value, FrontendError> {
        self.same_type(a, b)?;
        let dst = self.result(Ty::Bool);
        self.push(Op::Compare { op, dst, a, b })?;
        Ok(dst)
    }

    /// `cond ? if_true : if_false`.
    pub fn select(
        &mut self,
        cond: Value,
        if_true: Value,
        if_false: Value,
    ) -> Result<Value, FrontendError> {
        self.same_type(if_true, if_false)?;
        if self.kernel.ty(cond) != Ty::Bool {
            return Err(FrontendError::malformed("a selection by a number"));
        }
        if let Some(bits) = self.kernel.constant(cond) {
            return Ok(if bits != 0 { if_true } else { if_false });
        }
        let dst = self.result(self.kernel.ty(if_true));
        self.push(Op::Select {
            dst,
            cond,
            if_true,
            if_false,
        })?;
        Ok(dst)
    }

    /// A conversion to `to`; nothing where the type stays.
    pub fn convert(&mut self, op: Conversion, a: Value, to: Ty) -> Result<Value, FrontendError> {
        let from = self.kernel.ty(a);
        let changes_nothing = from == to
            && matches!(
                op,
                Conversion::Sext
                    | Conversion::Zext
                    | Conversion::Bitcast
                    | Conversion::Copy
                    | Conversion::FToF(_)
            );
        if changes_nothing {
            return Ok(a);
        }
        if let (Some(bits), Conversion::Sext | Conversion::Zext) = (self.kernel.constant(a), op) {
            let signed = op == Conversion::Sext && from.is_int();
            return Ok(self.constant(to, resize(bits, from, to, signed)));
        }
        let dst = self.result(to);
        self.push(Op::Convert { op, dst, a })?;
        Ok(dst)
    }

    /// A builtin with one result.
    pub fn math(&mut self, fun: MathFn, ty: Ty, args: &[Value]) -> Result<Value, FrontendError> {
        let dst = self.result(ty);
        self.push(Op::Math {
            fun,
            dst: smallvec![dst],
            args: args.iter().copied().collect(),
        })?;
        Ok(dst)
    }

    fn same_type(&self, a: Value, b: Value) -> Result<(), FrontendError> {
        let (a, b) = (self.kernel.ty(a), self.kernel.ty(b));
        if a == b {
            Ok(())
        } else {
            Err(FrontendError::malformed(format!(
                "an instruction mixes operands of the types {a} and {b}"
            )))
        }
    }

    /// Address space that a pointer type points to.
    pub fn space(&self, pointer_type: Id) -> Result<Space, FrontendError> {
        let (class, _) = self.module.pointer(pointer_type)?;
        crate::spirv::types::space_of(class).ok_or_else(|| {
            self.refuse(
                format!("a pointer of the storage class {class:?}"),
                "OpenCL kernels have global, constant, local, private and generic pointers",
            )
        })
    }
}

/// The bits of an integer in another width.
fn resize(bits: u64, from: Ty, to: Ty, signed: bool) -> u64 {
    let width = 8 * from.size();
    let wide = if signed && width < 64 {
        let shift = 64 - width;
        (((bits << shift) as i64) >> shift) as u64
    } else {
        bits
    };
    crate::spirv::constant::truncate(to, wide)
}
