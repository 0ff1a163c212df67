//! Constants, and the bytes of initialisers.

use tilewise_ir::Ty;

use super::Id;
use super::module::Module;
use super::types::TypeKind;
use crate::error::FrontendError;

/// A constant.
#[derive(Clone, Debug)]
pub enum Constant {
    /// The bits of a scalar, zero-extended.
    Scalar(u64),
    /// A vector, array or structure: the constants of its members.
    Composite(Vec<Id>),
    /// All bits zero.
    Null,
    /// Nothing in particular.
    Undef,
    /// An address: a variable plus so many bytes.
    Address {
        /// The variable.
        base: Id,
        /// Bytes added.
        offset: i64,
    },
    /// A sampler.
    Sampler,
}

/// Keeps the bits that belong to a type.
pub fn truncate(ty: Ty, bits: u64) -> u64 {
    match ty {
        Ty::Bool => bits & 1,
        _ if ty.size() >= 8 => bits,
        _ => bits & ((1u64 << (8 * ty.size())) - 1),
    }
}

/// Writes the bytes of an initialiser; `None` where it holds an address, which
/// has no bytes before the launch.
pub fn initial_bytes(
    module: &Module,
    constant: Id,
    ty: Id,
    depth: u32,
    out: &mut [u8],
) -> Result<Option<()>, FrontendError> {
    if depth > 64 {
        return Err(FrontendError::malformed("constants are nested too deeply"));
    }
    let layout = module.ty(ty)?;
    match module.constant(constant)? {
        Constant::Null | Constant::Undef => Ok(Some(())),
        Constant::Address { .. } | Constant::Sampler => Ok(None),
        Constant::Scalar(bits) => {
            let size = layout.size as usize;
            let bytes = bits.to_le_bytes();
            match (out.get_mut(..size), bytes.get(..size)) {
                (Some(out), Some(bytes)) => out.copy_from_slice(bytes),
                _ => return Err(FrontendError::malformed("a constant overruns its variable")),
            }
            Ok(Some(()))
        }
        Constant::Composite(members) => {
            let places = member_places(module, ty, members.len())?;
            for (&member, (member_ty, offset)) in members.iter().zip(places) {
                let Some(out) = out.get_mut(offset as usize..) else {
                    return Err(FrontendError::malformed("a constant overruns its variable"));
                };
                if initial_bytes(module, member, member_ty, depth + 1, out)?.is_none() {
                    return Ok(None);
                }
            }
            Ok(Some(()))
        }
    }
}

/// Type and byte offset of each member of a composite type.
fn member_places(module: &Module, ty: Id, given: usize) -> Result<Vec<(Id, u64)>, FrontendError> {
    let layout = module.ty(ty)?;
    let places = match &layout.kind {
        TypeKind::Struct(members) => members.clone(),
        TypeKind::Array { elem, len } => {
            let size = module.ty(*elem)?.size;
            (0..(*len).min(given as u64))
                .map(|i| (*elem, i * size))
                .collect()
        }
        TypeKind::Vector { elem, count } => {
            let id = module.scalar_type(*elem)?;
            (0..*count)
                .map(|i| (id, u64::from(i * elem.size())))
                .collect()
        }
        _ => {
            return Err(FrontendError::malformed(
                "a composite constant has a type without members",
            ));
        }
    };
    if places.len() != given {
        return Err(FrontendError::malformed(
            "a composite constant has the wrong number of members",
        ));
    }
    Ok(places)
}
