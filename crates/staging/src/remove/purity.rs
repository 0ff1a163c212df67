//! Whether an expression does anything but give a value.

use tilewise_frontend::source::{Expr, ExprKind, SourceTree, Stmt, StmtKind, UnaryOp};

/// How deep calls of the source's own functions are followed.
const DEPTH: u32 = 8;

/// Beginnings of the names of builtin functions that only give a value.
const FAMILIES: [&str; 9] = [
    "get_",
    "convert_",
    "as_",
    "vload",
    "native_",
    "half_",
    "read_image",
    "is",
    "sub_group_get",
];

/// Other builtin functions that only give a value.
const VALUES: [&str; 46] = [
    "min", "max", "clamp", "abs", "abs_diff", "mul24", "mad24", "mad_hi", "mul_hi", "rotate",
    "select", "popcount", "clz", "hadd", "rhadd", "add_sat", "sub_sat", "upsample", "fabs", "fmin",
    "fmax", "floor", "ceil", "round", "rint", "trunc", "sqrt", "rsqrt", "cbrt", "exp", "exp2",
    "log", "log2", "pow", "pown", "powr", "sin", "cos", "tan", "fma", "mad", "fmod", "mix", "step",
    "dot", "length",
];

/// Whether evaluating an expression changes nothing.
pub fn has_no_effect(tree: &SourceTree, expr: &Expr) -> bool {
    pure(tree, expr, 0)
}

fn pure(tree: &SourceTree, expr: &Expr, depth: u32) -> bool {
    let this = match &expr.kind {
        ExprKind::Assign { .. } => false,
        ExprKind::Other { kind, .. } => {
            matches!(kind.as_str(), "CompoundLiteralExpr" | "InitListExpr")
        }
        ExprKind::Unary { op, .. } => !matches!(op, UnaryOp::Increment | UnaryOp::Decrement),
        ExprKind::Call { callee, .. } => {
            let callee = callee.as_str();
            FAMILIES.iter().any(|f| callee.starts_with(f))
                || VALUES.contains(&callee)
                || tree
                    .function(callee)
                    .is_some_and(|f| depth < DEPTH && pure_body(tree, &f.body, depth + 1))
        }
        _ => true,
    };
    this && expr.children().into_iter().all(|e| pure(tree, e, depth))
}

/// A function whose body changes none but its own variables.
fn pure_body(tree: &SourceTree, stmt: &Stmt, depth: u32) -> bool {
    let this = match &stmt.kind {
        StmtKind::Expr(expr) => match &expr.kind {
            ExprKind::Assign { target, value, .. } => {
                matches!(target.plain().kind, ExprKind::Variable { .. }) && pure(tree, value, depth)
            }
            _ => pure(tree, expr, depth),
        },
        StmtKind::For {
            condition, step, ..
        } => {
            condition.as_ref().is_none_or(|c| pure(tree, c, depth))
                && step.as_ref().is_none_or(|s| changed(tree, s).is_some())
        }
        _ => stmt.expressions().into_iter().all(|e| pure(tree, e, depth)),
    };
    this && stmt
        .children()
        .into_iter()
        .all(|s| pure_body(tree, s, depth))
}

/// The variable that is all that an assignment, `++` or `--` changes.
pub fn changed<'t>(tree: &SourceTree, expr: &'t Expr) -> Option<&'t Expr> {
    let target = match &expr.kind {
        ExprKind::Paren(inner) => return changed(tree, inner),
        ExprKind::Assign { target, value, .. } if has_no_effect(tree, value) => target,
        ExprKind::Unary {
            op: UnaryOp::Increment | UnaryOp::Decrement,
            operand,
        } => operand,
        _ => return None,
    };
    let target = target.plain();
    matches!(target.kind, ExprKind::Variable { .. }).then_some(target)
}
