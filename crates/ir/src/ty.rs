//! Scalar types and address spaces.

use std::fmt;

/// Type of a scalar value. Integers carry no sign: operations do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// A truth value.
    Bool,
    /// 8-bit integer.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// IEEE 754 binary16.
    F16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// A tagged pointer ([`crate::pointer`]), 64 bits.
    Ptr,
}

impl Ty {
    /// Size in bytes in memory and in a register. A `Bool` takes one byte.
    pub const fn size(self) -> u32 {
        match self {
            Ty::Bool | Ty::I8 => 1,
            Ty::I16 | Ty::F16 => 2,
            Ty::I32 | Ty::F32 => 4,
            Ty::I64 | Ty::F64 | Ty::Ptr => 8,
        }
    }

    /// Whether the type is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Ty::F16 | Ty::F32 | Ty::F64)
    }

    /// Whether the type is an integer type (`Bool` and `Ptr` are not).
    pub const fn is_int(self) -> bool {
        matches!(self, Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64)
    }

    /// The integer type of so many bits, if there is one.
    pub const fn int(bits: u32) -> Option<Ty> {
        match bits {
            8 => Some(Ty::I8),
            16 => Some(Ty::I16),
            32 => Some(Ty::I32),
            64 => Some(Ty::I64),
            _ => None,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ty::Bool => "bool",
            Ty::I8 => "i8",
            Ty::I16 => "i16",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::F16 => "f16",
            Ty::F32 => "f32",
            Ty::F64 => "f64",
            Ty::Ptr => "ptr",
        })
    }
}

/// OpenCL's address spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// `__global`: buffers and program-scope variables.
    Global,
    /// `__constant`: buffers and constant tables.
    Constant,
    /// `__local`: shared by one work-group.
    Local,
    /// `__private`: one work-item's own.
    Private,
    /// Known only at run time (OpenCL 2.0's generic address space, a pointer
    /// made from an integer).
    Generic,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Constant => "constant",
            Space::Local => "local",
            Space::Private => "private",
            Space::Generic => "generic",
        })
    }
}
