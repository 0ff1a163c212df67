//! Expressions with the types that OpenCL C gives them.

use tilewise_launch::{ElemType, Scalar};

use super::{
    Base, BinaryOp, Builtin, CompareOp, Expr, ExprKind, Object, Place, Query, Rounding, UnaryOp,
    Value,
};
use crate::types::{self, INT, UINT, ULONG};

impl Expr {
    /// A constant.
    pub fn literal(value: Value) -> Self {
        Self {
            ty: value.ty,
            kind: ExprKind::Literal(value),
        }
    }

    /// A small constant.
    pub fn small(ty: ElemType, n: i32) -> Self {
        Self::literal(Value::small(ty, n))
    }

    /// A constant of the type of indices.
    pub fn uint(n: usize) -> Self {
        Self::literal(Value::scalar(Scalar::U32, n as u64))
    }

    /// The value of a place.
    pub fn read(place: Place) -> Self {
        Self {
            ty: place.ty,
            kind: ExprKind::Read(place),
        }
    }

    /// The value of a variable.
    pub fn var(var: usize, ty: ElemType) -> Self {
        Self::read(Place::var(var, ty))
    }

    /// A work-item function.
    pub fn query(query: Query, dim: u8) -> Self {
        let ty = if query == Query::WorkDim { UINT } else { ULONG };
        Self {
            ty,
            kind: ExprKind::Query(query, dim),
        }
    }

    /// One operand.
    pub fn unary(op: UnaryOp, e: Expr) -> Self {
        let ty = match op {
            UnaryOp::Not => INT,
            _ if e.ty.lanes == 1 => ElemType::scalar(types::promoted(e.ty.scalar)),
            _ => e.ty,
        };
        Self {
            ty,
            kind: ExprKind::Unary(op, Box::new(e)),
        }
    }

    /// Two operands.
    pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Self {
        Self {
            ty: binary_type(op, a.ty, b.ty),
            kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
        }
    }

    /// A comparison.
    pub fn compare(op: CompareOp, a: Expr, b: Expr) -> Self {
        Self {
            ty: types::truth(a.ty, b.ty),
            kind: ExprKind::Compare(op, Box::new(a), Box::new(b)),
        }
    }

    /// `&&` or `||` of two scalars.
    pub fn logical(and: bool, a: Expr, b: Expr) -> Self {
        Self {
            ty: INT,
            kind: ExprKind::Logical(and, Box::new(a), Box::new(b)),
        }
    }

    /// `?:` of two values of one type.
    pub fn ternary(condition: Expr, a: Expr, b: Expr) -> Self {
        let ty = types::arithmetic(a.ty, b.ty);
        Self {
            ty,
            kind: ExprKind::Ternary(Box::new(condition), Box::new(a), Box::new(b)),
        }
    }

    /// A cast, unless the type is that one already.
    pub fn cast(self, ty: ElemType) -> Self {
        if self.ty == ty {
            return self;
        }
        Self {
            ty,
            kind: ExprKind::Cast(Box::new(self)),
        }
    }

    /// `convert_…`
    pub fn convert(self, ty: ElemType, rounding: Rounding, saturate: bool) -> Self {
        Self {
            ty,
            kind: ExprKind::Convert(rounding, saturate, Box::new(self)),
        }
    }

    /// `as_…`
    pub fn bits(self, ty: ElemType) -> Self {
        Self {
            ty,
            kind: ExprKind::Bits(Box::new(self)),
        }
    }

    /// Some components of a vector.
    pub fn components(self, components: Vec<u8>) -> Self {
        let ty = ElemType {
            lanes: components.len() as u8,
            ..self.ty
        };
        Self {
            ty,
            kind: ExprKind::Components(Box::new(self), components),
        }
    }

    /// A vector of its parts.
    pub fn vector(ty: ElemType, parts: Vec<Expr>) -> Self {
        Self {
            ty,
            kind: ExprKind::Vector(parts),
        }
    }

    /// A call of a builtin function.
    pub fn call(builtin: Builtin, ty: ElemType, args: Vec<Expr>) -> Self {
        Self {
            ty,
            kind: ExprKind::Call(builtin, args),
        }
    }

    /// The sum with another expression.
    pub fn plus(self, other: Expr) -> Self {
        Self::binary(BinaryOp::Add, self, other)
    }

    /// The product with another expression.
    pub fn times(self, other: Expr) -> Self {
        Self::binary(BinaryOp::Mul, self, other)
    }
}

/// The type of an operator's result.
pub fn binary_type(op: BinaryOp, a: ElemType, b: ElemType) -> ElemType {
    match op {
        BinaryOp::Shl | BinaryOp::Shr if a.lanes == 1 => {
            ElemType::scalar(types::promoted(a.scalar))
        }
        BinaryOp::Shl | BinaryOp::Shr => a,
        _ => types::arithmetic(a, b),
    }
}

impl Place {
    /// A whole variable.
    pub fn var(var: usize, ty: ElemType) -> Self {
        Self {
            base: Base::Var(var),
            field: None,
            components: None,
            ty,
        }
    }

    /// A whole element.
    pub fn element(object: Object, index: Expr, ty: ElemType) -> Self {
        Self {
            base: Base::Element {
                object,
                index: Box::new(index),
            },
            field: None,
            components: None,
            ty,
        }
    }

    /// Some components of it.
    pub fn with_components(self, components: Vec<u8>) -> Self {
        let ty = ElemType {
            lanes: components.len() as u8,
            ..self.ty
        };
        Self {
            components: Some(components),
            ty,
            ..self
        }
    }
}
