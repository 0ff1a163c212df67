//! Contents of files: raw bytes, or NumPy arrays where the name ends in `.npy`.

use std::path::{Path, PathBuf};

use super::assign::Given;
use crate::element::{ElemType, Scalar};
use crate::error::LaunchError;
use crate::npy::{self, Array};
use crate::signature::ValueType;

/// The file's path: relative to the launch file that names it.
fn resolve_path(given: &Given<'_>, path: &str) -> PathBuf {
    given.setting.value.origin.folder().join(path)
}

fn read(given: &Given<'_>, path: &Path) -> Result<Vec<u8>, LaunchError> {
    std::fs::read(path).map_err(|source| LaunchError::Read {
        place: given.place(),
        path: path.to_owned(),
        source,
    })
}

/// The bytes of one value.
pub(super) fn value(given: &Given<'_>, path: &str, ty: &ValueType) -> Result<Vec<u8>, LaunchError> {
    let (path, bytes) = elements(given, path, ty)?;
    if bytes.len() as u64 != ty.size() {
        return Err(LaunchError::Contents {
            place: given.place(),
            path,
            problem: format!(
                "it holds {} bytes, the argument takes {}",
                bytes.len(),
                ty.size()
            ),
        });
    }
    Ok(bytes)
}

/// The bytes of a buffer of `elem`: a whole number of elements, at least one.
pub(super) fn elements(
    given: &Given<'_>,
    path: &str,
    elem: &ValueType,
) -> Result<(PathBuf, Vec<u8>), LaunchError> {
    let path = resolve_path(given, path);
    let bytes = read(given, &path)?;
    let is_npy = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("npy"));
    let bytes = if is_npy {
        npy::read(&bytes).and_then(|array| fit(array, elem))
    } else {
        Ok(bytes)
    };
    let checked = bytes.and_then(|bytes| {
        let size = elem.size().max(1);
        if bytes.is_empty() {
            Err("it holds no element".to_owned())
        } else if !(bytes.len() as u64).is_multiple_of(size) {
            Err(format!(
                "its {} bytes are no whole number of elements of {size} bytes",
                bytes.len()
            ))
        } else {
            Ok(bytes)
        }
    });
    match checked {
        Ok(bytes) => Ok((path, bytes)),
        Err(problem) => Err(LaunchError::Contents {
            place: given.place(),
            path,
            problem,
        }),
    }
}

/// The elements of an array as the kernel's type stores them.
fn fit(array: Array, elem: &ValueType) -> Result<Vec<u8>, String> {
    let elem = match elem {
        ValueType::Elem(elem) => *elem,
        // Of structures only the size can be compared.
        ValueType::Struct(_) | ValueType::Opaque { .. } => {
            let count = array.len();
            if count.checked_mul(elem.size()) != Some(array.data.len() as u64) {
                return Err(format!(
                    "its {count} elements of type {} take {} bytes, the kernel's elements take {} \
                     bytes each",
                    array.descr,
                    array.data.len(),
                    elem.size()
                ));
            }
            return Ok(array.data);
        }
    };
    if array.scalar != Some(elem.scalar) {
        return Err(format!(
            "its elements are {}, the kernel has {elem}; save it with a.astype('{}')",
            array.scalar.map_or(array.descr, |s| s.to_string()),
            numpy_name(elem.scalar)
        ));
    }
    let lanes = u64::from(elem.lanes);
    if lanes == 1 {
        return Ok(array.data);
    }
    let last = array.shape.last().copied().unwrap_or(1);
    if lanes == 3 && last == 3 {
        return Ok(padded(&array.data, elem));
    }
    // The components lie one behind the other, in whichever shape.
    let stored = elem.size() / elem.scalar.size();
    if !array.len().is_multiple_of(stored) {
        return Err(format!(
            "its shape {:?} does not split into vectors of {lanes}; the last dimension should be \
             {lanes}",
            array.shape
        ));
    }
    Ok(array.data)
}

/// Vectors of three, each with the fourth component that its memory has.
fn padded(data: &[u8], elem: ElemType) -> Vec<u8> {
    let scalar = elem.scalar.size() as usize;
    let mut out = Vec::with_capacity(data.len() / 3 * 4);
    for vector in data.chunks_exact(3 * scalar) {
        out.extend_from_slice(vector);
        out.resize(out.len() + scalar, 0);
    }
    out
}

fn numpy_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I8 => "int8",
        Scalar::U8 => "uint8",
        Scalar::I16 => "int16",
        Scalar::U16 => "uint16",
        Scalar::F16 => "float16",
        Scalar::I32 => "int32",
        Scalar::U32 => "uint32",
        Scalar::F32 => "float32",
        Scalar::I64 => "int64",
        Scalar::U64 => "uint64",
        Scalar::F64 => "float64",
    }
}
