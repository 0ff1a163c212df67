//! The tables of a module.

use std::collections::HashMap;

use rspirv::spirv::{BuiltIn, FPRoundingMode, StorageClass};
use tilewise_ir::{Rounding, Ty};

use super::constant::Constant;
use super::inst::Inst;
use super::types::{Type, TypeKind};
use super::{Id, debug};
use crate::error::FrontendError;

/// A module.
#[derive(Debug, Default)]
pub struct Module {
    /// Types by id.
    pub types: HashMap<Id, Type>,
    /// Constants by id, each with its type.
    pub constants: HashMap<Id, (Id, Constant)>,
    /// Program-scope variables by id.
    pub globals: HashMap<Id, Global>,
    /// Names (`OpName`).
    pub names: HashMap<Id, String>,
    /// Decorations by id.
    pub decorations: HashMap<Id, Decorations>,
    /// Strings (`OpString`).
    pub strings: HashMap<Id, String>,
    /// Debug entries.
    pub debug: debug::Entries,
    /// Functions by id.
    pub functions: HashMap<Id, Function>,
    /// Kernels.
    pub entry_points: Vec<EntryPoint>,
    /// `reqd_work_group_size` of entry points by function.
    pub local_size: HashMap<Id, [u32; 3]>,
    /// Imported instruction sets by id.
    pub imports: HashMap<Id, String>,
    /// Scalar types that the module declares.
    pub scalars: HashMap<Ty, Id>,
}

/// A program-scope variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its pointer type.
    pub ty: Id,
    /// Where it lives.
    pub class: StorageClass,
    /// Its initialiser.
    pub init: Option<Id>,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct EntryPoint {
    /// Name of the kernel.
    pub name: String,
    /// The function.
    pub function: Id,
}

/// A function; one without blocks is only declared.
#[derive(Clone, Debug)]
pub struct Function {
    /// Result type.
    pub result: Id,
    /// Parameters with their types.
    pub params: Vec<(Id, Id)>,
    /// Blocks in the order of the module.
    pub blocks: Vec<Block>,
}

/// A basic block; its last instruction is the terminator.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its label.
    pub label: Id,
    /// Its instructions, lines and debug scopes among them.
    pub insts: Vec<Inst>,
}

/// The decorations that matter here.
#[derive(Clone, Debug, Default)]
pub struct Decorations {
    /// `BuiltIn`.
    pub builtin: Option<BuiltIn>,
    /// Name of an import or export.
    pub linkage: Option<String>,
    /// `Alignment` in bytes.
    pub alignment: Option<u32>,
    /// `CPacked`.
    pub packed: bool,
    /// `Volatile`.
    pub volatile: bool,
    /// `SaturatedConversion`.
    pub saturated: bool,
    /// `FPRoundingMode`.
    pub rounding: Option<Rounding>,
    /// `FuncParamAttr ByVal`.
    pub by_value: bool,
    /// `FuncParamAttr NoAlias`.
    pub no_alias: bool,
    /// `FuncParamAttr NoWrite`.
    pub no_write: bool,
}

/// The IR's name of a rounding mode.
pub fn rounding(mode: FPRoundingMode) -> Rounding {
    match mode {
        FPRoundingMode::RTE => Rounding::NearestEven,
        FPRoundingMode::RTZ => Rounding::Zero,
        FPRoundingMode::RTP => Rounding::Up,
        FPRoundingMode::RTN => Rounding::Down,
    }
}

impl Module {
    /// The type with this id.
    pub fn ty(&self, id: Id) -> Result<&Type, FrontendError> {
        self.types
            .get(&id)
            .ok_or_else(|| FrontendError::malformed(format!("%{id} is not a type")))
    }

    /// The constant with this id.
    pub fn constant(&self, id: Id) -> Result<&Constant, FrontendError> {
        self.constants
            .get(&id)
            .map(|(_, c)| c)
            .ok_or_else(|| FrontendError::malformed(format!("%{id} is not a constant")))
    }

    /// The value of an integer constant.
    pub fn integer(&self, id: Id) -> Result<u64, FrontendError> {
        match self.constant(id)? {
            Constant::Scalar(bits) => Ok(*bits),
            Constant::Null => Ok(0),
            _ => Err(FrontendError::malformed(format!(
                "%{id} is not an integer constant"
            ))),
        }
    }

    /// Storage class and pointee of a pointer type.
    pub fn pointer(&self, id: Id) -> Result<(StorageClass, Id), FrontendError> {
        match self.ty(id)?.kind {
            TypeKind::Pointer { class, pointee } => Ok((class, pointee)),
            _ => Err(FrontendError::malformed(format!(
                "%{id} is not a pointer type"
            ))),
        }
    }

    /// The id of a scalar type that the module declares.
    pub fn scalar_type(&self, ty: Ty) -> Result<Id, FrontendError> {
        self.scalars
            .get(&ty)
            .copied()
            .ok_or_else(|| FrontendError::malformed(format!("the type {ty} is not declared")))
    }

    /// The name of an id; empty where it has none.
    pub fn name(&self, id: Id) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// The decorations of an id.
    pub fn decorations(&self, id: Id) -> &Decorations {
        static NONE: Decorations = Decorations {
            builtin: None,
            linkage: None,
            alignment: None,
            packed: false,
            volatile: false,
            saturated: false,
            rounding: None,
            by_value: false,
            no_alias: false,
            no_write: false,
        };
        self.decorations.get(&id).unwrap_or(&NONE)
    }

    /// The words of one of the strings `PREFIX.KERNEL.a,b,…,` in which the
    /// translator keeps what the source said about a kernel's arguments; none
    /// where it was not asked to.
    pub fn argument_words(&self, prefix: &str, kernel: &str) -> Vec<&str> {
        let prefix = format!("{prefix}.{kernel}.");
        self.strings
            .values()
            .find_map(|s| s.strip_prefix(&prefix))
            .map(|rest| rest.split(',').collect())
            .unwrap_or_default()
    }
}
