//! Calls of functions that do nothing but read one element.
//!
//! ```text
//! float at(__global const float *in, int x, int y, int W, int H)
//! {
//!     if (x < 0 || x >= W || y < 0 || y >= H)
//!         return 0.0f;
//!     return in[y * W + x];
//! }
//! ```
//!
//! Such a call is a load like any other: parameters stand for the arguments, early
//! returns of a constant and a `?:` with one are its condition.

use tilewise_frontend::source::{Expr, ExprKind, Function, Stmt, StmtKind, Type, UnaryOp};

use crate::symbolic::eval::integer_type;

/// A function that reads one element.
pub struct Helper<'t> {
    /// Conditions under which it returns the constant instead, or, where the second
    /// is false, under whose opposite.
    pub leaves: Vec<(&'t Expr, bool)>,
    /// The constant; there where there are conditions.
    pub constant: Option<&'t Expr>,
    /// The element.
    pub element: &'t Expr,
    /// The conversion of the element that it returns: `(float)`.
    pub cast: String,
}

/// Reads a function as one of these.
pub fn helper(function: &Function) -> Option<Helper<'_>> {
    let StmtKind::Block(list) = &function.body.kind else {
        return None;
    };
    let (last, first) = list.split_last()?;
    let mut leaves = Vec::new();
    let mut constant = None;
    for stmt in first {
        let StmtKind::If {
            condition,
            then,
            otherwise: None,
        } = &stmt.kind
        else {
            return None;
        };
        same_constant(&mut constant, returned(then)?)?;
        leaves.push((condition, true));
    }
    let mut value = returned(last)?;
    let mut cast = String::new();
    loop {
        value = match &value.kind {
            ExprKind::Paren(inner) => inner,
            ExprKind::Cast { what, operand, .. } if what == "LValueToRValue" => {
                value = operand;
                break;
            }
            ExprKind::Cast { operand, .. } => {
                cast.push_str(&format!("({})", value.ty.written));
                operand
            }
            // A conversion around both sides is made of the constant, too.
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } if cast.is_empty() => {
                let (read, other, holds) = if is_constant(otherwise) {
                    (then, otherwise, false)
                } else {
                    (otherwise, then, true)
                };
                same_constant(&mut constant, other)?;
                leaves.push((&**condition, holds));
                read
            }
            _ => return None,
        };
    }
    while let ExprKind::Paren(inner) = &value.kind {
        value = inner;
    }
    let element = matches!(
        &value.kind,
        ExprKind::Index { .. }
            | ExprKind::Unary {
                op: UnaryOp::Dereference,
                ..
            }
    );
    let quiet = leaves.iter().all(|(c, _)| is_quiet(c)) && is_quiet(value);
    let plain = function.params.iter().all(|p| takes_part(&p.ty));
    (element && quiet && plain).then_some(Helper {
        leaves,
        constant,
        element: value,
        cast,
    })
}

/// What a statement returns, if it does nothing else.
fn returned(stmt: &Stmt) -> Option<&Expr> {
    match &stmt.kind {
        StmtKind::Return(value) => value.as_ref(),
        StmtKind::Block(list) => match &list[..] {
            [one] => returned(one),
            _ => None,
        },
        _ => None,
    }
}

/// All constants of a helper are one.
fn same_constant<'t>(known: &mut Option<&'t Expr>, new: &'t Expr) -> Option<()> {
    let value = constant(new)?;
    match known {
        Some(known) => (constant(known)? == value).then_some(()),
        None => {
            *known = Some(new);
            Some(())
        }
    }
}

fn is_constant(expr: &Expr) -> bool {
    constant(expr).is_some()
}

/// The value of a literal.
fn constant(expr: &Expr) -> Option<f64> {
    match &expr.kind {
        ExprKind::Integer(value) => Some(*value as f64),
        ExprKind::Floating(value) => Some(*value),
        ExprKind::Paren(inner) => constant(inner),
        ExprKind::Cast { operand, .. } => constant(operand),
        ExprKind::Unary {
            op: UnaryOp::Minus,
            operand,
        } => Some(-constant(operand)?),
        _ => None,
    }
}

/// A pointer to a buffer, or an integer that an index is computed from.
fn takes_part(ty: &Type) -> bool {
    ty.is_pointer() || integer_type(ty).is_some_and(|(bits, _)| bits >= 32)
}

/// Whether an expression changes nothing.
fn is_quiet(expr: &Expr) -> bool {
    let this = !matches!(
        &expr.kind,
        ExprKind::Assign { .. }
            | ExprKind::Other { .. }
            | ExprKind::Unary {
                op: UnaryOp::Increment | UnaryOp::Decrement,
                ..
            }
    );
    this && expr.children().into_iter().all(is_quiet)
}
