//! What a kernel's signature says: the names, types, address spaces and access
//! of its parameters. The front end fills it in; the user repeats none of it.

use serde::{Deserialize, Serialize};

use crate::element::ElemType;
use crate::image::{ImageAccess, ImageType, TexelKind};

/// The signature of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signature {
    /// Name of the kernel function.
    pub kernel: String,
    /// Parameters in the order of `clSetKernelArg`.
    pub params: Vec<Param>,
    /// `__attribute__((reqd_work_group_size(x, y, z)))`, if there is one.
    pub reqd_local: Option<[u64; 3]>,
    /// The highest dimension that the kernel asks a work-item function about
    /// (`get_global_id(1)` gives 2), 0 if it asks for none or for a dimension
    /// known only at run time. A hint for defaults, never a limit.
    pub dims_used: u8,
}

impl Signature {
    /// The parameter called `name`, with its index.
    pub fn param(&self, name: &str) -> Option<(usize, &Param)> {
        self.params.iter().enumerate().find(|(_, p)| p.name == name)
    }
}

/// One parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Param {
    /// Name in the source.
    pub name: String,
    /// What it is.
    pub kind: ParamKind,
    /// The type as the source spells it, such as `__global const float *`.
    pub spelling: String,
}

/// The kind of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ParamKind {
    /// A scalar, vector or structure by value.
    Value(ValueType),
    /// A pointer to global memory.
    Global {
        /// What the pointer points to.
        elem: ValueType,
        /// The pointee is `const`: the kernel can't write it through this pointer.
        read_only: bool,
        /// `restrict`: no other pointer reaches the same memory.
        restrict: bool,
        /// `volatile`.
        volatile: bool,
    },
    /// A pointer to constant memory.
    Constant {
        /// What the pointer points to.
        elem: ValueType,
    },
    /// A pointer to local memory: the launch gives its size.
    Local {
        /// What the pointer points to.
        elem: ValueType,
    },
    /// An image.
    Image {
        /// Its type.
        ty: ImageType,
        /// What the kernel may do with it.
        access: ImageAccess,
        /// What the kernel takes its components for, where it accesses them.
        texel: Option<TexelKind>,
    },
    /// A sampler.
    Sampler,
}

/// A type by value: an element or a structure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ValueType {
    /// A scalar or vector.
    Elem(ElemType),
    /// A structure (or union) of known layout.
    Struct(StructType),
    /// Something of which only the size is known.
    Opaque {
        /// Size in bytes.
        size: u64,
        /// Alignment in bytes.
        align: u64,
    },
}

impl ValueType {
    /// Size in bytes, with OpenCL's padding.
    pub fn size(&self) -> u64 {
        match self {
            ValueType::Elem(e) => e.size(),
            ValueType::Struct(s) => s.size,
            ValueType::Opaque { size, .. } => *size,
        }
    }

    /// Alignment in bytes.
    pub fn align(&self) -> u64 {
        match self {
            ValueType::Elem(e) => e.size(),
            ValueType::Struct(s) => s.align,
            ValueType::Opaque { align, .. } => *align,
        }
    }
}

/// Layout of a structure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StructType {
    /// Name in the source, empty if it has none.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Members with their byte offsets.
    pub fields: Vec<Field>,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Name in the source.
    pub name: String,
    /// Byte offset in the structure.
    pub offset: u64,
    /// Type of the member, or of each element where it is an array.
    pub ty: ValueType,
    /// Number of elements where the member is an array, else `None`.
    pub array: Option<u64>,
}
