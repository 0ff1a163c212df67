//! Which variables are assigned, and how often.

use std::collections::HashMap;

use tilewise_frontend::source::{DeclId, Expr, ExprKind, Stmt, StmtKind, UnaryOp};

/// How often each variable is assigned in a statement; its initialiser counts,
/// and so does everything else that may change it.
pub fn assignments(stmt: &Stmt) -> HashMap<DeclId, u32> {
    let mut counts = HashMap::new();
    in_stmt(stmt, &mut counts);
    counts
}

fn in_stmt(stmt: &Stmt, counts: &mut HashMap<DeclId, u32>) {
    if let StmtKind::Declare(variables) = &stmt.kind {
        for variable in variables.iter().filter(|v| v.init.is_some()) {
            *counts.entry(variable.id).or_default() += 1;
        }
    }
    for expr in stmt.expressions() {
        in_expr(expr, counts);
    }
    for child in stmt.children() {
        in_stmt(child, counts);
    }
}

fn in_expr(expr: &Expr, counts: &mut HashMap<DeclId, u32>) {
    let changed = match &expr.kind {
        ExprKind::Assign { target, .. } => Some(target),
        ExprKind::Unary {
            op: UnaryOp::Increment | UnaryOp::Decrement | UnaryOp::AddressOf,
            operand,
        } => Some(operand),
        _ => None,
    };
    if let Some(id) = changed.and_then(|e| variable(e)) {
        *counts.entry(id).or_default() += 1;
    }
    for child in expr.children() {
        in_expr(child, counts);
    }
}

/// The variable that an expression is, or is a part of.
fn variable(expr: &Expr) -> Option<DeclId> {
    match &expr.plain().kind {
        ExprKind::Variable { id, .. } => Some(*id),
        ExprKind::Member { base, arrow, .. } if !arrow => variable(base),
        _ => None,
    }
}
