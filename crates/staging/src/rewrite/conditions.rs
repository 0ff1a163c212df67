//! Conditions as text of their own.

use tilewise_frontend::source::{Expr, SourceTree, Stmt, StmtKind};

use crate::refusal::{Code, Refusal};
use crate::symbolic::{Atom, Atoms, Guard, Poly};

use super::writer::Writer;

/// The text of a condition.
///
/// # Errors
/// It comes out of a macro.
pub fn text_of<'t>(tree: &'t SourceTree, expr: &Expr) -> Result<&'t str, Refusal> {
    tree.text_of(expr.span).ok_or_else(|| {
        Refusal::new(
            tree,
            expr.span,
            Code::Macro,
            "this condition comes out of a macro and can't be moved",
        )
    })
}

/// The opposite of a condition, as inequalities where it is some.
///
/// # Errors
/// It comes out of a macro.
pub fn negated<'t>(
    writer: &mut Writer<'_, 't>,
    condition: &'t Expr,
    place: usize,
) -> Result<String, Refusal> {
    let shown = text_of(writer.accesses.bindings.tree, condition)?;
    let plain = |poly: &Poly, atoms: &Atoms| {
        poly.atoms().all(|a| {
            matches!(
                atoms.get(a),
                Atom::LocalId(_)
                    | Atom::GroupStart(_)
                    | Atom::Param {
                        unsigned: false,
                        ..
                    }
                    | Atom::Macro { .. }
            )
        })
    };
    let guard: Guard = writer.accesses.bindings.condition(condition, false);
    let simple = match &guard.0[..] {
        [one] if !one.opaque && !one.constraints.is_empty() => one
            .constraints
            .iter()
            .all(|c| plain(c, &writer.accesses.bindings.atoms))
            .then(|| one.constraints.clone()),
        _ => None,
    };
    let Some(constraints) = simple else {
        return Ok(format!("!({shown})"));
    };
    let texts: Vec<String> = writer.print(place, |p| {
        constraints.iter().map(|c| p.relation(c, false)).collect()
    });
    Ok(texts.join(" && "))
}

/// Whether a statement is `if (…) return;`.
pub fn is_early_return(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::If {
            then,
            otherwise: None,
            ..
        } => match &then.kind {
            StmtKind::Return(None) => true,
            StmtKind::Block(list) => matches!(
                &list[..],
                [Stmt {
                    kind: StmtKind::Return(None),
                    ..
                }]
            ),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a statement holds a `return`.
pub fn may_return(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_)) || stmt.children().into_iter().any(may_return)
}
