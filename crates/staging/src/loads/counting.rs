//! Loops that count: `for (int k = a; k < b; ++k)` and its variants.
//!
//! A window around a work-item, `for (int j = y - 1; j <= y + 1; ++j)`, counts from -1 to
//! 1: what both bounds have of ids is added to the variable. Of
//! `for (int j = max(y - 1, 0); …)` the window is the bound, and that `j` is at least 0 is
//! a guard of the body. Variables that step along, as in `for (int j = 0, k = 0; …; ++j, k
//! += w)`, are functions of the one that counts.

use tilewise_frontend::source::{BinaryOp, DeclId, Expr, ExprKind, Stmt, StmtKind, UnaryOp};

use crate::symbolic::{Atom, Atoms, Bindings, Loop, LoopId, Poly};

use super::assigned::assignments;

/// A counting loop as the walk takes it.
pub struct Counting {
    /// The loop.
    pub found: Loop,
    /// What holds in its body besides, each at least 0.
    pub within: Vec<Poly>,
    /// Values of variables that step along.
    pub along: Vec<(DeclId, Poly)>,
}

impl Counting {
    /// A loop of which no more is known than its variable: both bounds are one number.
    fn between_equals(
        variable: DeclId,
        name: String,
        ty: String,
        bound: Poly,
        stmt: &Stmt,
    ) -> Self {
        Self {
            found: Loop {
                variable,
                name,
                ty,
                lower: bound.clone(),
                upper: bound,
                step: 1,
                down: false,
                alone: true,
                window: Poly::default(),
                cut: false,
                extent: (stmt.span.begin, stmt.span.end),
            },
            within: Vec::new(),
            along: Vec::new(),
        }
    }
}

/// A variable that a loop starts with a value.
struct Started<'t> {
    variable: DeclId,
    name: String,
    ty: String,
    first: &'t Expr,
}

/// Reads a `for` statement as a counting loop, the next one of these bindings.
pub fn counting<'t>(
    bindings: &mut Bindings<'t>,
    stmt: &'t Stmt,
    windows: bool,
) -> Option<Counting> {
    let StmtKind::For {
        init: Some(init),
        condition: Some(condition),
        step: Some(step),
        body,
    } = &stmt.kind
    else {
        return None;
    };
    let mut started = started(init)?;
    let steps = increments(bindings, step)?;
    let changed = assignments(body);
    let by_of = |id: DeclId| steps.iter().find(|(v, _)| *v == id).map(|(_, by)| *by);
    let is_counter = |s: &Started<'_>| {
        by_of(s.variable).is_some_and(|by| by != 0) && mentions(condition, s.variable)
    };
    let at = started.iter().position(is_counter)?;
    let counter = started.remove(at);
    let by = by_of(counter.variable)?;
    if steps.iter().any(|(v, _)| changed.contains_key(v)) || changed.contains_key(&counter.variable)
    {
        return None;
    }
    let first = bindings.eval(counter.first);
    let last = last(bindings, condition, counter.variable, by)?;
    let (lower, upper) = match by > 0 {
        true => (first.clone(), last),
        false => (last, first.clone()),
    };
    let (window, lower, upper, rest) = match windows {
        true => window(&mut bindings.atoms, &lower, &upper),
        false => (Poly::default(), lower, upper, Vec::new()),
    };
    if has_unknown(bindings, &lower) || has_unknown(bindings, &upper) {
        return None;
    }
    let id = LoopId(bindings.loops.len() as u32);
    let natural = bindings.atoms.natural(&lower) || lower.is_zero();
    let name = counter.name.clone();
    let atom = Atom::Loop { id, name, natural };
    let atom = bindings.atoms.intern(atom);
    if !window.is_zero() {
        bindings.atoms.set_window(atom, window.clone());
    }
    let value = Poly::atom(atom).add(&window);
    let within = rest
        .into_iter()
        .map(|(sign, bound)| value.sub(&bound).scaled(sign))
        .collect();
    let along = started
        .iter()
        .filter(|s| !changed.contains_key(&s.variable))
        .filter_map(|s| {
            let each = by_of(s.variable).unwrap_or(0);
            let start = bindings.eval(s.first);
            // Whole steps of the counter.
            let gone = value.sub(&first);
            (each % by == 0).then(|| (s.variable, start.plus(&gone, each / by)))
        })
        .collect();
    Some(Counting {
        found: Loop {
            variable: counter.variable,
            name: counter.name,
            ty: counter.ty,
            lower,
            upper,
            step: by.abs(),
            down: by < 0,
            alone: started.is_empty() && steps.len() == 1,
            window,
            cut: false,
            extent: (stmt.span.begin, stmt.span.end),
        },
        within,
        along,
    })
}

/// Reads a `for` statement as a loop whose variable changes in its header alone, however
/// it steps: both bounds are the first value.
pub fn stepping<'t>(bindings: &mut Bindings<'t>, stmt: &'t Stmt) -> Option<Counting> {
    let StmtKind::For {
        init: Some(init),
        body,
        ..
    } = &stmt.kind
    else {
        return None;
    };
    let started = started(init)?;
    let [counter] = &started[..] else {
        return None;
    };
    if assignments(body).contains_key(&counter.variable) {
        return None;
    }
    let first = bindings.eval(counter.first);
    let (name, ty) = (counter.name.clone(), counter.ty.clone());
    Some(Counting::between_equals(
        counter.variable,
        name,
        ty,
        first,
        stmt,
    ))
}

/// Reads `for (; k < b; k += c)`, or `while (k < b) { …; k += c; }`, as a loop whose
/// variable begins at some value and changes at the end of an iteration alone: both
/// bounds mean nothing.
pub fn carried(bindings: &mut Bindings<'_>, stmt: &Stmt) -> Option<Counting> {
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
    let ty = changed.ty.scalar_name()?.to_owned();
    Some(Counting::between_equals(*id, name.clone(), ty, bound, stmt))
}

fn has_unknown(bindings: &Bindings<'_>, poly: &Poly) -> bool {
    poly.atoms()
        .any(|a| matches!(bindings.atoms.get(a), Atom::Unknown { .. }))
}

/// Takes a window apart: what both bounds have of ids, the bounds without, and the other
/// bounds, each with the sign of what is at least 0.
fn window(atoms: &mut Atoms, lower: &Poly, upper: &Poly) -> (Poly, Poly, Poly, Vec<(i128, Poly)>) {
    let lowers = parts(atoms, lower, "max");
    let uppers = parts(atoms, upper, "min");
    let of_ids = |p: &Poly| {
        p.filtered(|m| {
            m.iter()
                .any(|a| matches!(atoms.get(*a), Atom::LocalId(_) | Atom::GroupStart(_)))
        })
    };
    let mut found: Option<(usize, usize, Poly)> = None;
    for (i, low) in lowers.iter().enumerate() {
        for (j, high) in uppers.iter().enumerate() {
            let (ids, other) = (of_ids(low), of_ids(high));
            let bounded = atoms.all_uniform(&low.sub(&ids)) && atoms.all_uniform(&high.sub(&ids));
            let better = found.as_ref().is_none_or(|(.., known)| known.is_zero());
            if ids == other && bounded && better {
                found = Some((i, j, ids));
            }
        }
    }
    let Some((i, j, ids)) = found else {
        return (Poly::default(), lower.clone(), upper.clone(), Vec::new());
    };
    let others = |list: &[Poly], own: usize, sign: i128| -> Vec<(i128, Poly)> {
        let rest = list.iter().enumerate().filter(|(at, _)| *at != own);
        rest.map(|(_, p)| (sign, p.clone())).collect()
    };
    let mut rest = others(&lowers, i, 1);
    rest.extend(others(&uppers, j, -1));
    (ids.clone(), lowers[i].sub(&ids), uppers[j].sub(&ids), rest)
}

/// What a `max`, or a `min`, is one of, plus a number.
fn parts(atoms: &Atoms, poly: &Poly, head: &str) -> Vec<Poly> {
    let constant = Poly::constant(poly.constant_part());
    let function = poly.without_constant().as_atom().map(|a| atoms.get(a));
    match function {
        Some(Atom::Function(f)) if f.head == head && f.args.len() == 2 => f
            .args
            .iter()
            .flat_map(|a| parts(atoms, &a.add(&constant), head))
            .collect(),
        _ => vec![poly.clone()],
    }
}

/// `int k = a, j = b`, or `k = a, j = b`.
fn started(init: &Stmt) -> Option<Vec<Started<'_>>> {
    match &init.kind {
        StmtKind::Declare(variables) => {
            let list = variables.iter().filter_map(|v| {
                Some(Started {
                    variable: v.id,
                    name: v.name.clone(),
                    ty: v.ty.scalar_name()?.to_owned(),
                    first: v.init.as_ref()?,
                })
            });
            Some(list.collect())
        }
        StmtKind::Expr(expr) => commas(expr)
            .into_iter()
            .map(|e| match &e.kind {
                ExprKind::Assign {
                    op: None,
                    target,
                    value,
                } => match &target.plain().kind {
                    ExprKind::Variable { id, name } => Some(Started {
                        variable: *id,
                        name: name.clone(),
                        ty: target.ty.scalar_name()?.to_owned(),
                        first: value,
                    }),
                    _ => None,
                },
                _ => None,
            })
            .collect(),
        _ => None,
    }
}

/// The expressions that commas part.
fn commas(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Paren(inner) => commas(inner),
        ExprKind::Binary {
            op: BinaryOp::Comma,
            left,
            right,
        } => {
            let mut list = commas(left);
            list.extend(commas(right));
            list
        }
        _ => vec![expr],
    }
}

fn is_variable(expr: &Expr, variable: DeclId) -> bool {
    matches!(&expr.plain().kind, ExprKind::Variable { id, .. } if *id == variable)
}

/// Whether an expression names a variable.
pub fn mentions(expr: &Expr, variable: DeclId) -> bool {
    is_variable(expr, variable) || expr.children().iter().any(|e| mentions(e, variable))
}

/// By how much each variable of a step changes: `++k`, `k -= c`, `k = k + c`, and several
/// of them behind commas.
fn increments<'t>(bindings: &mut Bindings<'t>, step: &'t Expr) -> Option<Vec<(DeclId, i128)>> {
    let mut found: Vec<(DeclId, i128)> = Vec::new();
    for expr in commas(step) {
        let (target, by) = match &expr.kind {
            ExprKind::Unary {
                op: UnaryOp::Increment,
                operand,
            } => (operand, 1),
            ExprKind::Unary {
                op: UnaryOp::Decrement,
                operand,
            } => (operand, -1),
            ExprKind::Assign {
                op: Some(op @ (BinaryOp::Add | BinaryOp::Sub)),
                target,
                value,
            } => (target, signed(bindings, *op, value)?),
            ExprKind::Assign {
                op: None,
                target,
                value,
            } => {
                let ExprKind::Variable { id, .. } = target.plain().kind else {
                    return None;
                };
                match &value.plain().kind {
                    ExprKind::Binary {
                        op: op @ (BinaryOp::Add | BinaryOp::Sub),
                        left,
                        right,
                    } if is_variable(left, id) => (target, signed(bindings, *op, right)?),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let ExprKind::Variable { id, .. } = target.plain().kind else {
            return None;
        };
        if found.iter().any(|(v, _)| *v == id) {
            return None;
        }
        found.push((id, by));
    }
    Some(found)
}

fn signed<'t>(bindings: &mut Bindings<'t>, op: BinaryOp, value: &'t Expr) -> Option<i128> {
    let value = bindings.eval(value);
    // A macro that is 1 in this build may be another number in the next.
    let value = match value.as_constant() {
        Some(value) => value,
        None => {
            let value = bindings.atoms.with_values(&value).as_constant()?;
            Some(value).filter(|v| v.abs() != 1)?
        }
    };
    Some(if op == BinaryOp::Sub { -value } else { value })
}

/// The last value that `k < b`, `k + c <= b`, `b > k` or `k != b` allows; of a loop that
/// counts down, what `k >= b` and its like allow.
fn last<'t>(
    bindings: &mut Bindings<'t>,
    condition: &'t Expr,
    variable: DeclId,
    by: i128,
) -> Option<Poly> {
    let ExprKind::Binary { op, left, right } = &condition.plain().kind else {
        return None;
    };
    let (op, added, bound) = match beside(bindings, left, variable) {
        Some(added) if !mentions(right, variable) => (*op, added, right),
        _ => {
            let mirrored = match op {
                BinaryOp::Greater => BinaryOp::Less,
                BinaryOp::GreaterEqual => BinaryOp::LessEqual,
                BinaryOp::Less => BinaryOp::Greater,
                BinaryOp::LessEqual => BinaryOp::GreaterEqual,
                BinaryOp::NotEqual => BinaryOp::NotEqual,
                _ => return None,
            };
            let added = beside(bindings, right, variable).filter(|_| !mentions(left, variable))?;
            (mirrored, added, left)
        }
    };
    let bound = bindings.eval(bound).sub(&added);
    let one = Poly::constant(1);
    match (op, by > 0) {
        (BinaryOp::Less, true) => Some(bound.sub(&one)),
        (BinaryOp::LessEqual, true) | (BinaryOp::GreaterEqual, false) => Some(bound),
        (BinaryOp::Greater, false) => Some(bound.add(&one)),
        (BinaryOp::NotEqual, true) if by == 1 => Some(bound.sub(&one)),
        (BinaryOp::NotEqual, false) if by == -1 => Some(bound.add(&one)),
        _ => None,
    }
}

/// What is added to a variable: `c` of `k + c`.
fn beside<'t>(bindings: &mut Bindings<'t>, expr: &'t Expr, variable: DeclId) -> Option<Poly> {
    if is_variable(expr, variable) {
        return Some(Poly::default());
    }
    match &expr.plain().kind {
        ExprKind::Binary {
            op: op @ (BinaryOp::Add | BinaryOp::Sub),
            left,
            right,
        } if is_variable(left, variable) && !mentions(right, variable) => {
            let by = bindings.eval(right);
            Some(if *op == BinaryOp::Sub {
                by.negated()
            } else {
                by
            })
        }
        ExprKind::Binary {
            op: BinaryOp::Add,
            left,
            right,
        } if is_variable(right, variable) && !mentions(left, variable) => Some(bindings.eval(left)),
        _ => None,
    }
}
