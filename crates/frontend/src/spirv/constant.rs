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
    /// A sampler, by its bits.
    Sampler(u64),
}

/// Keeps the bits that belong to a type.
pub fn truncate(ty: Ty, bits: u64) -> u64 {
    match ty {
        Ty::Bool => bits & 1,
        _ if ty.size() >= 8 => bits,
        _ => bits & ((1u64 << (8 * ty.size())) - 1),
    }
}

/// What a variable starts as.
#[derive(Debug, Default)]
pub struct Initialiser {
    /// Its bytes; zero where an address stands.
    pub bytes: Vec<u8>,
    /// Addresses in it: where, of which variable, plus so many bytes.
    pub addresses: Vec<(u64, Id, i64)>,
}

/// Writes the constant `constant` of a type at a byte of an initialiser.
pub fn initialise(
    module: &Module,
    constant: Id,
    ty: Id,
    at: u64,
    depth: u32,
    out: &mut Initialiser,
) -> Result<(), FrontendError> {
    if depth > 64 {
        return Err(FrontendError::malformed("constants are nested too deeply"));
    }
    if module.globals.contains_key(&constant) {
        out.addresses.push((at, constant, 0));
        return Ok(());
    }
    let layout = module.ty(ty)?;
    // Nothing to write; and structures of such structures may be without number.
    if layout.size == 0 {
        return Ok(());
    }
    match module.constant(constant)? {
        Constant::Null | Constant::Undef => Ok(()),
        Constant::Address { base, offset } => {
            out.addresses.push((at, *base, *offset));
            Ok(())
        }
        Constant::Scalar(bits) | Constant::Sampler(bits) => {
            let size = layout.size as usize;
            let bytes = bits.to_le_bytes();
            let place = out.bytes.get_mut(at as usize..);
            match (place.and_then(|p| p.get_mut(..size)), bytes.get(..size)) {
                (Some(out), Some(bytes)) => out.copy_from_slice(bytes),
                _ => return Err(FrontendError::malformed("a constant overruns its variable")),
            }
            Ok(())
        }
        Constant::Composite(members) => {
            let places = member_places(module, ty, members.len())?;
            for (&member, (member_ty, offset)) in members.iter().zip(places) {
                initialise(module, member, member_ty, at + offset, depth + 1, out)?;
            }
            Ok(())
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
