//! Element types: the scalars and vectors that OpenCL buffers and scalar
//! arguments hold, with OpenCL's sizes (OpenCL C 3.0, section 6.3: a vector of
//! three takes the room of four).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A scalar type of OpenCL C, named as tilewise writes it (`f32`, not `float`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    F16,
    I32,
    U32,
    F32,
    I64,
    U64,
    F64,
}

impl Scalar {
    /// All scalars, in the order in which help texts list them.
    pub const ALL: [Scalar; 11] = [
        Scalar::I8,
        Scalar::U8,
        Scalar::I16,
        Scalar::U16,
        Scalar::F16,
        Scalar::I32,
        Scalar::U32,
        Scalar::F32,
        Scalar::I64,
        Scalar::U64,
        Scalar::F64,
    ];

    /// Size in bytes: 1, 2, 4 or 8.
    pub const fn size(self) -> u64 {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Whether the type is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// The name in tilewise's notation, such as `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::I8 => "i8",
            Scalar::U8 => "u8",
            Scalar::I16 => "i16",
            Scalar::U16 => "u16",
            Scalar::F16 => "f16",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::F32 => "f32",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
            Scalar::F64 => "f64",
        }
    }

    /// The name in OpenCL C, such as `float`.
    pub const fn opencl_name(self) -> &'static str {
        match self {
            Scalar::I8 => "char",
            Scalar::U8 => "uchar",
            Scalar::I16 => "short",
            Scalar::U16 => "ushort",
            Scalar::F16 => "half",
            Scalar::I32 => "int",
            Scalar::U32 => "uint",
            Scalar::F32 => "float",
            Scalar::I64 => "long",
            Scalar::U64 => "ulong",
            Scalar::F64 => "double",
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A scalar or a vector of 2, 3, 4, 8 or 16 scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ElemType {
    /// Type of each component.
    pub scalar: Scalar,
    /// Number of components: 1, 2, 3, 4, 8 or 16.
    pub lanes: u8,
}

impl ElemType {
    /// A scalar element.
    pub const fn scalar(scalar: Scalar) -> Self {
        Self { scalar, lanes: 1 }
    }

    /// A vector element.
    pub const fn vector(scalar: Scalar, lanes: u8) -> Self {
        Self { scalar, lanes }
    }

    /// Distance between two elements of an array, in bytes. A vector of three
    /// takes the room of four.
    pub const fn size(self) -> u64 {
        let lanes = if self.lanes == 3 { 4 } else { self.lanes };
        self.scalar.size() * lanes as u64
    }
}

impl fmt::Display for ElemType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scalar.name())?;
        if self.lanes > 1 {
            write!(f, "x{}", self.lanes)?;
        }
        Ok(())
    }
}

/// The text names no element type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no element type: there are i8 u8 i16 u16 f16 i32 u32 f32 i64 u64 f64, and vectors \
     of them such as f32x4"
)]
pub struct UnknownElemType(pub String);

/// Reads tilewise's names (`f32x4`) and OpenCL's (`float4`).
impl FromStr for ElemType {
    type Err = UnknownElemType;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Scalar::ALL
            .into_iter()
            .find_map(|scalar| {
                let lanes = match text.strip_prefix(scalar.name()) {
                    Some("") => Some(""),
                    Some(rest) => rest.strip_prefix('x').filter(|lanes| !lanes.is_empty()),
                    None => text.strip_prefix(scalar.opencl_name()),
                }?;
                let lanes = match lanes {
                    "" => 1,
                    "2" => 2,
                    "3" => 3,
                    "4" => 4,
                    "8" => 8,
                    "16" => 16,
                    _ => return None,
                };
                Some(ElemType { scalar, lanes })
            })
            .ok_or_else(|| UnknownElemType(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_printed() {
        for scalar in Scalar::ALL {
            for lanes in [1, 2, 3, 4, 8, 16] {
                let ty = ElemType { scalar, lanes };
                assert_eq!(ty.to_string().parse(), Ok(ty));
            }
        }
        assert_eq!("float4".parse(), Ok(ElemType::vector(Scalar::F32, 4)));
        assert_eq!("uchar".parse(), Ok(ElemType::scalar(Scalar::U8)));
        for wrong in ["f32x5", "f32x", "f324", "float1", "floats", "", "x4"] {
            assert!(wrong.parse::<ElemType>().is_err(), "{wrong}");
        }
    }
}
