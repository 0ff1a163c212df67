//! Types of elements and of indices.

use serde::{Deserialize, Serialize};

use crate::random::Random;

/// The type of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Element {
    /// `float`
    Float,
    /// `double`
    Double,
    /// `int`
    Int,
    /// `uchar`
    Uchar,
    /// `float2`
    Float2,
    /// `float4`
    Float4,
    /// A structure of a `float` and an `int`.
    Pair,
}

impl Element {
    /// One of them.
    pub fn draw(random: &mut Random) -> Self {
        random.pick([
            Self::Float,
            Self::Float,
            Self::Float,
            Self::Float,
            Self::Double,
            Self::Int,
            Self::Int,
            Self::Uchar,
            Self::Float2,
            Self::Float4,
            Self::Pair,
        ])
    }

    /// How far it is from the simplest.
    pub fn rank(self) -> usize {
        usize::from(self != Self::Float)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Double => "double",
            Self::Int => "int",
            Self::Uchar => "uchar",
            Self::Float2 => "float2",
            Self::Float4 => "float4",
            Self::Pair => "Pair",
        }
    }

    /// The type in which values are summed up, and of results.
    pub fn sum(self) -> &'static str {
        match self {
            Self::Uchar => "int",
            Self::Pair => "float",
            other => other.name(),
        }
    }

    /// What stands in front of the kernel.
    pub fn prelude(self) -> &'static str {
        match self {
            Self::Double => "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n\n",
            Self::Pair => "typedef struct {\n    float value;\n    int weight;\n} Pair;\n\n",
            _ => "",
        }
    }

    /// A load as a number.
    pub fn number(self, load: &str) -> String {
        match self {
            // A member binds before `*` does.
            Self::Pair if load.starts_with('*') => format!("({load}).value"),
            Self::Pair => format!("{load}.value"),
            _ => load.to_owned(),
        }
    }
}

/// The type in which ids and indices are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Index {
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `size_t`
    Size,
    /// `long`
    Long,
}

impl Index {
    /// One of them.
    pub fn draw(random: &mut Random) -> Self {
        random.pick([
            Self::Int,
            Self::Int,
            Self::Int,
            Self::Uint,
            Self::Size,
            Self::Long,
        ])
    }

    /// How far it is from the simplest.
    pub fn rank(self) -> usize {
        usize::from(self != Self::Int)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Size => "size_t",
            Self::Long => "long",
        }
    }

    /// The type of sizes beside it.
    pub fn size(self) -> &'static str {
        match self {
            Self::Int | Self::Long => "int",
            Self::Uint | Self::Size => "uint",
        }
    }

    /// Whether it has a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Int | Self::Long)
    }
}
