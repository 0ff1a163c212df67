//! Declarations that an edit leaves without a reader.

use std::collections::{BTreeSet, HashMap, HashSet};

use tilewise_frontend::source::{DeclId, Expr, ExprKind, Function, SourceTree, Stmt, StmtKind};

use super::comments::{blanked, rest_of_line};
use super::edit::{TextEdit, line_start};

struct Declaration<'t> {
    id: DeclId,
    name: &'t str,
    stmt: &'t Stmt,
    /// The statement in front of it in its block.
    first_in_block: bool,
}

/// Edits that take out declarations whose every use the given edits replace.
/// Names in `kept` are read by new text.
pub fn unused(
    tree: &SourceTree,
    function: &Function,
    edits: &[TextEdit],
    kept: &BTreeSet<String>,
) -> Vec<TextEdit> {
    let mut declarations = Vec::new();
    collect(&function.body, true, &mut declarations);
    let mut uses: HashMap<DeclId, Vec<(usize, usize)>> = HashMap::new();
    uses_in(&function.body, &mut uses);
    let mut gone: Vec<(usize, usize)> = edits
        .iter()
        .filter(|e| !e.range.is_empty())
        .map(|e| (e.range.start, e.range.end))
        .collect();
    let mut removed = HashSet::new();
    loop {
        let next = declarations.iter().find(|d| {
            !removed.contains(&d.id)
                && !kept.contains(d.name)
                && uses.get(&d.id).is_some_and(|list| {
                    let replaced =
                        |&(a, b): &(usize, usize)| gone.iter().any(|(x, y)| *x <= a && b <= *y);
                    !list.is_empty() && list.iter().all(replaced)
                })
        });
        let Some(found) = next else { break };
        removed.insert(found.id);
        gone.push((found.stmt.span.begin, found.stmt.span.end));
    }
    declarations
        .iter()
        .filter(|d| removed.contains(&d.id))
        .filter_map(|d| removal(tree, d))
        .collect()
}

/// Takes out the lines of a declaration, and the empty line behind it where
/// that would come first in its block.
fn removal(tree: &SourceTree, declaration: &Declaration<'_>) -> Option<TextEdit> {
    let range = declaration.stmt.span.editable()?;
    let (start, indent) = line_start(&tree.text, range.start);
    if start + indent.len() != range.start {
        return None;
    }
    let mut end = rest_of_line(&blanked(&tree.text), range.end)?;
    if declaration.first_in_block {
        let next = tree.text[end..].find('\n').map(|i| end + i + 1);
        if let Some(next) = next.filter(|n| tree.text[end..*n].trim().is_empty()) {
            end = next;
        }
    }
    Some(TextEdit::replace(start..end, ""))
}

fn collect<'t>(stmt: &'t Stmt, first_in_block: bool, found: &mut Vec<Declaration<'t>>) {
    if let StmtKind::Declare(variables) = &stmt.kind
        && let [one] = &variables[..]
        && one.init.as_ref().is_some_and(has_no_effect)
    {
        found.push(Declaration {
            id: one.id,
            name: &one.name,
            stmt,
            first_in_block,
        });
    }
    // The variable of a loop is no declaration to take out.
    let children: Vec<&Stmt> = match &stmt.kind {
        StmtKind::For { body, .. } => vec![body],
        _ => stmt.children(),
    };
    let block = matches!(stmt.kind, StmtKind::Block(_));
    for (i, child) in children.into_iter().enumerate() {
        collect(child, block && i == 0, found);
    }
}

fn has_no_effect(expr: &Expr) -> bool {
    let this = match &expr.kind {
        ExprKind::Assign { .. } | ExprKind::Other { .. } => false,
        ExprKind::Unary { op, .. } => !matches!(
            op,
            tilewise_frontend::source::UnaryOp::Increment
                | tilewise_frontend::source::UnaryOp::Decrement
        ),
        _ => true,
    };
    this && expr.children().into_iter().all(has_no_effect)
}

fn uses_in(stmt: &Stmt, uses: &mut HashMap<DeclId, Vec<(usize, usize)>>) {
    for expr in stmt.expressions() {
        uses_of(expr, uses);
    }
    for child in stmt.children() {
        uses_in(child, uses);
    }
}

fn uses_of(expr: &Expr, uses: &mut HashMap<DeclId, Vec<(usize, usize)>>) {
    if let ExprKind::Variable { id, .. } = &expr.kind {
        let at = expr
            .span
            .editable()
            .map_or((expr.span.begin, expr.span.end), |r| (r.start, r.end));
        uses.entry(*id).or_default().push(at);
    }
    for child in expr.children() {
        uses_of(child, uses);
    }
}
