//! SPIR-V types and how OpenCL lays them out in memory.
//!
//! Sizes and alignments are those of OpenCL C (section 6.3.5 of the
//! specification): a scalar and a vector are aligned to their size, a vector
//! of three takes the room of four, a structure follows C's rules unless it is
//! packed. Pointers have 64 bits.

use rspirv::spirv::StorageClass;
use tilewise_ir::{Space, Ty};
use tilewise_launch::image::{ImageAccess, ImageType};

use super::Id;
use crate::error::FrontendError;

/// A type and its layout.
#[derive(Clone, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Size in bytes, with the padding at its end; 0 for what has none.
    pub size: u64,
    /// Alignment in bytes, at least 1.
    pub align: u32,
    /// Number of scalars in a value of the type.
    pub leaves: u64,
}

/// The kinds of types that modules for OpenCL have.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// No value.
    Void,
    /// A scalar. `Bool` takes a byte; an event is an opaque `I64`.
    Scalar(Ty),
    /// A vector.
    Vector {
        /// Type of a component.
        elem: Ty,
        /// Number of components.
        count: u32,
    },
    /// An array.
    Array {
        /// Type of an element.
        elem: Id,
        /// Number of elements.
        len: u64,
    },
    /// A structure: members with their byte offsets.
    Struct(Vec<(Id, u64)>),
    /// A pointer.
    Pointer {
        /// Where it points.
        class: StorageClass,
        /// What it points to.
        pointee: Id,
    },
    /// A function.
    Function,
    /// An image: a pointer to its first texel.
    Image {
        /// Its type in OpenCL C.
        ty: ImageType,
        /// What the kernel may do with it.
        access: ImageAccess,
    },
    /// A sampler: the bits of OpenCL C's initialiser, an `I64`.
    Sampler,
    /// An image and a sampler together.
    SampledImage,
    /// A pipe, queue or the like, or an image of a kind that is not run, by
    /// name.
    Opaque(String),
}

/// Values with more scalars than this are refused: they would be spread over
/// as many registers.
pub const MAX_LEAVES: u64 = 4096;

impl Type {
    /// A type without a layout.
    pub fn unsized_kind(kind: TypeKind) -> Self {
        Self {
            kind,
            size: 0,
            align: 1,
            leaves: 0,
        }
    }

    /// A scalar type.
    pub fn scalar(ty: Ty) -> Self {
        Self {
            kind: TypeKind::Scalar(ty),
            size: u64::from(ty.size()),
            align: ty.size(),
            leaves: 1,
        }
    }

    /// A type of handles that OpenCL does not let a kernel look into.
    pub fn handle(kind: TypeKind, leaves: u64) -> Self {
        Self {
            kind,
            size: 8,
            align: 8,
            leaves,
        }
    }

    /// A vector type.
    pub fn vector(elem: Ty, count: u32) -> Self {
        let slots = if count == 3 { 4 } else { count };
        Self {
            kind: TypeKind::Vector { elem, count },
            size: u64::from(elem.size() * slots),
            align: elem.size() * slots,
            leaves: u64::from(count),
        }
    }

    /// A pointer type.
    pub fn pointer(class: StorageClass, pointee: Id) -> Self {
        Self {
            kind: TypeKind::Pointer { class, pointee },
            size: 8,
            align: 8,
            leaves: 1,
        }
    }

    /// An array type.
    pub fn array(elem: Id, elem_type: &Type, len: u64) -> Result<Self, FrontendError> {
        let too_large = || FrontendError::malformed("an array type is larger than memory");
        Ok(Self {
            size: elem_type.size.checked_mul(len).ok_or_else(too_large)?,
            align: elem_type.align,
            leaves: elem_type.leaves.saturating_mul(len),
            kind: TypeKind::Array { elem, len },
        })
    }

    /// A structure type with these members.
    pub fn structure(members: &[(Id, &Type)], packed: bool) -> Result<Self, FrontendError> {
        let too_large = || FrontendError::malformed("a structure type is larger than memory");
        let mut size = 0u64;
        let mut align = 1u32;
        let mut leaves = 0u64;
        let mut offsets = Vec::with_capacity(members.len());
        for (id, ty) in members {
            if !packed {
                size = size
                    .checked_next_multiple_of(u64::from(ty.align))
                    .ok_or_else(too_large)?;
                align = align.max(ty.align);
            }
            offsets.push((*id, size));
            size = size.checked_add(ty.size).ok_or_else(too_large)?;
            leaves = leaves.saturating_add(ty.leaves);
        }
        size = size
            .checked_next_multiple_of(u64::from(align))
            .ok_or_else(too_large)?;
        Ok(Self {
            kind: TypeKind::Struct(offsets),
            size,
            align,
            leaves,
        })
    }
}

/// The address space of a storage class, if kernels can point there.
pub fn space_of(class: StorageClass) -> Option<Space> {
    match class {
        StorageClass::CrossWorkgroup => Some(Space::Global),
        StorageClass::UniformConstant | StorageClass::Input => Some(Space::Constant),
        StorageClass::Workgroup => Some(Space::Local),
        StorageClass::Function | StorageClass::Private => Some(Space::Private),
        StorageClass::Generic => Some(Space::Generic),
        _ => None,
    }
}
