//! Loops that count: `for (int k = a; k < b; ++k)` and its variants.

use tilewise_frontend::source::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, UnaryOp};

use crate::symbolic::{Bindings, Loop, Poly};

use super::assigned::assignments;

/// Reads a `for` statement as a counting loop.
pub fn counting<'t>(bindings: &mut Bindings<'t>, stmt: &'t Stmt) -> Option<Loop> {
    let StmtKind::For {
        condition: Some(condition),
        step: Some(step),
        ..
    } = &stmt.kind
    else {
        return None;
    };
    let mut counting = stepping(bindings, stmt)?;
    counting.step = increment(bindings, step, counting.variable)?;
    counting.upper = last(bindings, condition, counting.variable, counting.step)?;
    if has_unknown(bindings, &counting.lower) || has_unknown(bindings, &counting.upper) {
        return None;
    }
    Some(counting)
}

/// Reads a `for` statement as a loop whose variable changes in its header alone, however
/// it steps: both bounds are the first value.
pub fn stepping<'t>(bindings: &mut Bindings<'t>, stmt: &'t Stmt) -> Option<Loop> {
    let StmtKind::For {
        init: Some(init),
        body,
        ..
    } = &stmt.kind
    else {
        return None;
    };
    let (variable, name, ty, first) = started(init)?;
    if assignments(body).contains_key(&variable) {
        return None;
    }
    let lower = bindings.eval(first);
    Some(Loop {
        variable,
        name,
        ty,
        upper: lower.clone(),
        lower,
        step: 1,
        cut: false,
        extent: (stmt.span.begin, stmt.span.end),
    })
}

/// Reads `for (; k < b; k += c)`, or `while (k < b) { …; k += c; }`, as a loop whose
/// variable begins at some value and changes at the end of an iteration alone: both
/// bounds mean nothing.
pub fn carried(bindings: &mut Bindings<'_>, stmt: &Stmt) -> Option<Loop> {
    let (step, body) = match &stmt.kind {
        StmtKind::For {
            init: None,
            step: Some(step),
            body,
            ..
        } => (step, body),
        StmtKind::While { body, .. } => match &body.kind {
            StmtKind::Block(list) => match &list.last()?.kind {
                StmtKind::Expr(step) => (step, body),
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    let changed = match &step.kind {
        ExprKind::Assign { target, .. } => target,
        ExprKind::Unary {
            op: UnaryOp::Increment,
            operand,
        } => operand,
        _ => return None,
    };
    let ExprKind::Variable { id, name } = &changed.plain().kind else {
        return None;
    };
    let in_body = assignments(body).get(id).copied().unwrap_or(0);
    let own = u32::from(matches!(stmt.kind, StmtKind::While { .. }));
    if in_body != own || bindings.active.contains_key(id) {
        return None;
    }
    // What is never below zero would be known of a bound of its own.
    let bound = Poly::constant(-1);
    Some(Loop {
        variable: *id,
        name: name.clone(),
        ty: changed.ty.scalar_name()?.to_owned(),
        lower: bound.clone(),
        upper: bound,
        step: 1,
        cut: false,
        extent: (stmt.span.begin, stmt.span.end),
    })
}

fn has_unknown(bindings: &Bindings<'_>, poly: &Poly) -> bool {
    poly.atoms()
        .any(|a| matches!(bindings.atoms.get(a), crate::symbolic::Atom::Unknown { .. }))
}

/// `int k = a`, or `k = a`.
fn started(init: &Stmt) -> Option<(DeclId, String, String, &Expr)> {
    match &init.kind {
        StmtKind::Declare(variables) => match &variables[..] {
            [one] => {
                let ty = one.ty.scalar_name()?.to_owned();
                Some((one.id, one.name.clone(), ty, one.init.as_ref()?))
            }
            _ => None,
        },
        StmtKind::Expr(Expr {
            kind:
                ExprKind::Assign {
                    op: None,
                    target,
                    value,
                },
            ..
        }) => match &target.plain().kind {
            ExprKind::Variable { id, name } => {
                let ty = target.ty.scalar_name()?.to_owned();
                Some((*id, name.clone(), ty, value))
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_variable(expr: &Expr, variable: DeclId) -> bool {
    matches!(&expr.plain().kind, ExprKind::Variable { id, .. } if *id == variable)
}

/// `++k`, `k += c`, `k = k + c`.
fn increment<'t>(bindings: &mut Bindings<'t>, step: &'t Expr, variable: DeclId) -> Option<i128> {
    let by = match &step.kind {
        ExprKind::Paren(inner) => return increment(bindings, inner, variable),
        ExprKind::Unary {
            op: UnaryOp::Increment,
            operand,
        } if is_variable(operand, variable) => 1,
        ExprKind::Assign {
            op: Some(BinaryOp::Add),
            target,
            value,
        } if is_variable(target, variable) => bindings.eval(value).as_constant()?,
        ExprKind::Assign {
            op: None,
            target,
            value,
        } if is_variable(target, variable) => match &value.plain().kind {
            ExprKind::Binary {
                op: BinaryOp::Add,
                left,
                right,
            } if is_variable(left, variable) => bindings.eval(right).as_constant()?,
            _ => return None,
        },
        _ => return None,
    };
    (by > 0).then_some(by)
}

/// The last value that `k < b`, `k <= b`, `b > k` or `k != b` allows.
fn last<'t>(
    bindings: &mut Bindings<'t>,
    condition: &'t Expr,
    variable: DeclId,
    step: i128,
) -> Option<Poly> {
    let ExprKind::Binary { op, left, right } = &condition.plain().kind else {
        return None;
    };
    let (op, bound) = if is_variable(left, variable) {
        (*op, right)
    } else if is_variable(right, variable) {
        let mirrored = match op {
            BinaryOp::Greater => BinaryOp::Less,
            BinaryOp::GreaterEqual => BinaryOp::LessEqual,
            BinaryOp::NotEqual => BinaryOp::NotEqual,
            _ => return None,
        };
        (mirrored, left)
    } else {
        return None;
    };
    let bound = bindings.eval(bound);
    match op {
        BinaryOp::Less => Some(bound.sub(&Poly::constant(1))),
        BinaryOp::LessEqual => Some(bound),
        BinaryOp::NotEqual if step == 1 => Some(bound.sub(&Poly::constant(1))),
        _ => None,
    }
}
