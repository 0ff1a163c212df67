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
        changes_in(expr, counts);
    }
    for child in stmt.children() {
        in_stmt(child, counts);
    }
}

/// Adds the changes that an expression makes.
pub fn changes_in(expr: &Expr, counts: &mut HashMap<DeclId, u32>) {
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
        changes_in(child, counts);
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

/// The variable that a statement sets, if it does nothing else: `v = e;`, `v += e;`,
/// `if (c) v = e;`.
pub fn updated(stmt: &Stmt) -> Option<DeclId> {
    match &stmt.kind {
        StmtKind::Expr(expr) => match &expr.kind {
            ExprKind::Assign { target, value, .. } => {
                let quiet = assigned_in(value).is_empty();
                plain_variable(target).filter(|_| quiet)
            }
            ExprKind::Unary {
                op: UnaryOp::Increment | UnaryOp::Decrement,
                operand,
            } => plain_variable(operand),
            _ => None,
        },
        StmtKind::Block(list) => match &list[..] {
            [one] => updated(one),
            _ => None,
        },
        StmtKind::If {
            condition,
            then,
            otherwise,
        } => {
            let id = updated(then)?;
            let same = match otherwise {
                Some(otherwise) => updated(otherwise) == Some(id),
                None => true,
            };
            (same && assigned_in(condition).is_empty()).then_some(id)
        }
        _ => None,
    }
}

fn assigned_in(expr: &Expr) -> HashMap<DeclId, u32> {
    let mut counts = HashMap::new();
    changes_in(expr, &mut counts);
    counts
}

fn plain_variable(expr: &Expr) -> Option<DeclId> {
    match &expr.plain().kind {
        ExprKind::Variable { id, .. } => Some(*id),
        _ => None,
    }
}

/// Variables that a block declares and that only its own statements change, more than
/// once; `counts` are the changes in the whole kernel.
pub fn followed(list: &[Stmt], counts: &HashMap<DeclId, u32>) -> Vec<DeclId> {
    let mut own: HashMap<DeclId, u32> = HashMap::new();
    let mut declared = Vec::new();
    for stmt in list {
        if let StmtKind::Declare(variables) = &stmt.kind {
            for variable in variables {
                declared.push(variable.id);
                *own.entry(variable.id).or_default() += u32::from(variable.init.is_some());
            }
        } else if let Some(id) = updated(stmt) {
            *own.entry(id).or_default() += assignments(stmt).get(&id).copied().unwrap_or(0);
        }
    }
    declared
        .into_iter()
        .filter(|id| {
            own.get(id)
                .is_some_and(|n| *n > 1 && counts.get(id) == Some(n))
        })
        .collect()
}
