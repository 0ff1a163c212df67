//! The text that stands for an expression in the user's file.

use std::ops::Range;

use tilewise_frontend::source::{Expr, ExprKind, Origin};

/// What can be replaced to replace an expression, and nothing else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replaced {
    /// The bytes; `None` within what a macro expands to.
    pub range: Option<Range<usize>>,
    /// A conversion that these bytes make and that has to stay: `(float)`.
    pub cast: String,
}

impl Replaced {
    /// Of an expression that stands within `expansion`, the outermost expression of
    /// a macro's. A macro that is nothing but the expression is replaced whole.
    pub fn of(expr: &Expr, expansion: Option<&Expr>) -> Self {
        if let Some(range) = expr.span.editable() {
            return Self {
                range: Some(range),
                cast: String::new(),
            };
        }
        let Some(outer) = expansion.filter(|e| e.span == expr.span) else {
            return Self::default();
        };
        let mut cast = String::new();
        let mut inner = outer;
        loop {
            if std::ptr::eq(inner, expr) {
                return Self {
                    range: Some(outer.span.begin..outer.span.end),
                    cast,
                };
            }
            inner = match &inner.kind {
                ExprKind::Paren(inner) => inner,
                ExprKind::Cast {
                    operand, implicit, ..
                } => {
                    if !implicit {
                        cast.push_str(&format!("({})", inner.ty.written));
                    }
                    operand
                }
                _ => return Self::default(),
            };
        }
    }
}

/// Whether an expression comes out of a macro's text.
pub fn in_macro(expr: &Expr) -> bool {
    expr.span.origin == Origin::Macro
}
