//! The arithmetic types of OpenCL C and the rules that join them (OpenCL C
//! 1.2, section 6.2.6, and C99, section 6.3.1.8).

use tilewise_launch::{ElemType, Scalar};

/// The integer types.
pub const INTEGERS: [Scalar; 8] = [
    Scalar::I8,
    Scalar::U8,
    Scalar::I16,
    Scalar::U16,
    Scalar::I32,
    Scalar::U32,
    Scalar::I64,
    Scalar::U64,
];

/// Every type that programs use.
pub const SCALARS: [Scalar; 10] = [
    Scalar::I8,
    Scalar::U8,
    Scalar::I16,
    Scalar::U16,
    Scalar::I32,
    Scalar::U32,
    Scalar::I64,
    Scalar::U64,
    Scalar::F32,
    Scalar::F64,
];

/// `int`, the type of comparisons.
pub const INT: ElemType = ElemType::scalar(Scalar::I32);
/// `uint`, the type of indices.
pub const UINT: ElemType = ElemType::scalar(Scalar::U32);
/// `ulong`, the `size_t` of the work-item functions.
pub const ULONG: ElemType = ElemType::scalar(Scalar::U64);

/// Whether a type is a signed integer type.
pub const fn is_signed(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
}

/// Number of bits.
pub const fn bits(scalar: Scalar) -> u32 {
    8 * scalar.size() as u32
}

/// The signed or unsigned integer type of a size in bytes.
pub const fn integer(bytes: u64, signed: bool) -> Scalar {
    match (bytes, signed) {
        (1, true) => Scalar::I8,
        (1, false) => Scalar::U8,
        (2, true) => Scalar::I16,
        (2, false) => Scalar::U16,
        (4, true) => Scalar::I32,
        (4, false) => Scalar::U32,
        (_, true) => Scalar::I64,
        (_, false) => Scalar::U64,
    }
}

/// The unsigned integer type of the same size.
pub const fn unsigned(scalar: Scalar) -> Scalar {
    integer(scalar.size(), false)
}

/// The signed integer type of the same size.
pub const fn signed(scalar: Scalar) -> Scalar {
    integer(scalar.size(), true)
}

/// The same number of components of another scalar.
pub const fn with_scalar(ty: ElemType, scalar: Scalar) -> ElemType {
    ElemType {
        scalar,
        lanes: ty.lanes,
    }
}

/// C's integer promotion.
pub const fn promoted(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 => Scalar::I32,
        other => other,
    }
}

/// C's usual arithmetic conversions of two scalar types.
pub fn common(a: Scalar, b: Scalar) -> Scalar {
    let rank = |s: Scalar| match promoted(s) {
        Scalar::I32 => 0,
        Scalar::U32 => 1,
        Scalar::I64 => 2,
        Scalar::U64 => 3,
        Scalar::F32 => 4,
        _ => 5,
    };
    if rank(a) >= rank(b) {
        promoted(a)
    } else {
        promoted(b)
    }
}

/// The type of an arithmetic expression of two operands. Vectors come in pairs
/// of one type, or with a scalar of their components' type.
pub fn arithmetic(a: ElemType, b: ElemType) -> ElemType {
    match (a.lanes, b.lanes) {
        (1, 1) => ElemType::scalar(common(a.scalar, b.scalar)),
        (1, _) => b,
        _ => a,
    }
}

/// The type of a comparison: `int`, or a vector of signed integers of the
/// operands' size.
pub fn truth(a: ElemType, b: ElemType) -> ElemType {
    let ty = arithmetic(a, b);
    if ty.lanes == 1 {
        INT
    } else {
        with_scalar(ty, signed(ty.scalar))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_arithmetic_conversions() {
        use Scalar::*;
        for (a, b, expected) in [
            (I8, U8, I32),
            (U16, U16, I32),
            (I32, U32, U32),
            (U32, I64, I64),
            (I64, U64, U64),
            (U64, F32, F32),
            (F32, F64, F64),
        ] {
            assert_eq!(common(a, b), expected, "{a} {b}");
            assert_eq!(common(b, a), expected, "{b} {a}");
        }
    }
}
