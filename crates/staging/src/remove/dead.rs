//! Variables that nothing reads any more.

use std::collections::BTreeSet;
use std::ops::Range;

use tilewise_frontend::source::{
    DeclId, Expr, ExprKind, Function, SourceTree, Stmt, StmtKind, Variable,
};

use super::purity::{changed, has_no_effect};
use super::taken::Taken;
use crate::rewrite::TextEdit;
use crate::rewrite::edit::line_start;
use crate::rewrite::loop_tile::end_of;

/// A declaration of a list of statements.
struct Declaration<'t> {
    stmt: &'t Stmt,
    variables: &'t [Variable],
}

/// What is done with a variable.
#[derive(Default)]
struct Uses {
    reads: Vec<Range<usize>>,
    /// Statements that only assign to it, and whether they stand in a list.
    sets: Vec<(Range<usize>, bool)>,
}

/// Takes out the variables that only what goes reads, with what sets them, and the
/// variables of `tiles`. Names in `kept` are read by new text.
pub fn without_unread(
    tree: &SourceTree,
    code: &str,
    function: &Function,
    taken: &mut Taken,
    replaced: &[TextEdit],
    tiles: &[DeclId],
    kept: &BTreeSet<&str>,
) {
    let mut declarations = Vec::new();
    declared(&function.body, &mut declarations);
    let mut gone = Taken {
        ranges: taken.ranges.clone(),
        edits: taken.edits.iter().chain(replaced).cloned().collect(),
    };
    let mut dead: BTreeSet<DeclId> = BTreeSet::new();
    loop {
        let next = declarations
            .iter()
            .flat_map(|d| d.variables.iter().map(move |v| (d, v)))
            .find(|(_, v)| {
                !dead.contains(&v.id)
                    && !kept.contains(v.name.as_str())
                    && (tiles.contains(&v.id) || unread(tree, function, v, &gone))
            });
        let Some((declaration, variable)) = next else {
            break;
        };
        dead.insert(variable.id);
        let uses = uses_of(tree, function, variable.id);
        let sets = uses.sets.into_iter().map(|(range, _)| range);
        let sets: Vec<Range<usize>> = sets.filter(|r| !gone.holds(r)).collect();
        taken.ranges.extend(sets.iter().cloned());
        gone.ranges.extend(sets);
        if let Some(init) = &variable.init {
            gone.ranges.push(init.span.begin..init.span.end);
        }
        let all = declaration.variables.iter();
        if all.clone().all(|v| dead.contains(&v.id)) {
            let range = declaration.stmt.span.begin..end_of(&tree.text, declaration.stmt);
            gone.ranges.push(range.clone());
            taken.ranges.push(range);
        }
    }
    for declaration in &declarations {
        let goes: Vec<bool> = declaration
            .variables
            .iter()
            .map(|v| dead.contains(&v.id))
            .collect();
        if goes.contains(&true) && goes.contains(&false) {
            taken
                .edits
                .extend(without_some(tree, code, declaration, &goes));
        }
    }
}

/// Declarations that stand in lists of statements.
fn declared<'t>(stmt: &'t Stmt, found: &mut Vec<Declaration<'t>>) {
    let children = match &stmt.kind {
        StmtKind::Declare(variables) => {
            if stmt.span.editable().is_some() {
                found.push(Declaration { stmt, variables });
            }
            return;
        }
        // The variable of a loop is no declaration to take out.
        StmtKind::For { body, .. } => vec![&**body],
        _ => stmt.children(),
    };
    for child in children {
        declared(child, found);
    }
}

/// Whether what stays does not read a variable that the original reads.
fn unread(tree: &SourceTree, function: &Function, variable: &Variable, gone: &Taken) -> bool {
    let init = variable.init.as_ref();
    if !init.is_none_or(|e| has_no_effect(tree, e)) {
        return false;
    }
    let uses = uses_of(tree, function, variable.id);
    !uses.reads.is_empty()
        && uses.reads.iter().all(|r| gone.holds(r))
        && uses.sets.iter().all(|(r, listed)| *listed || gone.holds(r))
}

fn uses_of(tree: &SourceTree, function: &Function, id: DeclId) -> Uses {
    let mut uses = Uses::default();
    in_stmt(tree, &function.body, true, id, &mut uses);
    uses
}

fn in_stmt(tree: &SourceTree, stmt: &Stmt, listed: bool, id: DeclId, uses: &mut Uses) {
    if let StmtKind::Expr(expr) = &stmt.kind
        && let Some(target) = changed(tree, expr)
        && is(target, id)
    {
        let range = stmt.span.begin..end_of(&tree.text, stmt);
        uses.sets
            .push((range, listed && stmt.span.editable().is_some()));
        return;
    }
    for expr in stmt.expressions() {
        in_expr(expr, id, &mut uses.reads);
    }
    let list = matches!(stmt.kind, StmtKind::Block(_));
    for child in stmt.children() {
        in_stmt(tree, child, list, id, uses);
    }
}

fn in_expr(expr: &Expr, id: DeclId, found: &mut Vec<Range<usize>>) {
    if is(expr, id) {
        let at = expr.span.editable();
        found.push(at.unwrap_or(expr.span.begin..expr.span.end));
        return;
    }
    for child in expr.children() {
        in_expr(child, id, found);
    }
}

fn is(expr: &Expr, id: DeclId) -> bool {
    matches!(&expr.kind, ExprKind::Variable { id: other, .. } if *other == id)
}

/// Takes some of the declarators of a declaration out: with the comma in front, or the
/// one behind.
fn without_some(
    tree: &SourceTree,
    code: &str,
    declaration: &Declaration<'_>,
    goes: &[bool],
) -> Vec<TextEdit> {
    let text = &tree.text;
    let variables = declaration.variables;
    let Some(starts) = starts(text, code, declaration) else {
        return Vec::new();
    };
    let end = |i: usize| variables[i].span.end;
    let last_stays = goes.iter().rposition(|g| !g).unwrap_or(0);
    let mut edits = Vec::new();
    for i in (0..variables.len()).filter(|i| goes[*i]) {
        let range = match i < last_stays {
            true => starts[i]..starts[i + 1],
            false => end(i - 1)..end(i),
        };
        // A declarator on a line of its own goes with the line's indentation.
        let (line, indent) = line_start(text, range.start);
        let own_line = i < last_stays && line + indent.len() == range.start;
        let range = match own_line && text[range.clone()].contains('\n') {
            true => line..line_start(text, range.end).0,
            false => range,
        };
        edits.push(TextEdit::replace(range, ""));
    }
    edits
}

/// Where declarators begin: the first one behind the type.
fn starts(text: &str, code: &str, declaration: &Declaration<'_>) -> Option<Vec<usize>> {
    let mut starts = Vec::new();
    let mut from = declaration.stmt.span.begin;
    for (i, variable) in declaration.variables.iter().enumerate() {
        let end = variable.span.end;
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let own = code.get(from..end)?;
        let name = own.match_indices(variable.name.as_str()).find(|(at, _)| {
            !own[..*at].ends_with(letter) && !own[at + variable.name.len()..].starts_with(letter)
        })?;
        let mut start = from + name.0;
        let stars = code[from..start].trim_end_matches([' ', '*']);
        if i > 0 {
            // Nothing but a comma may stand in between.
            let comma = code[from..].find(',')? + from;
            start = comma + 1 + code[comma + 1..].find(|c: char| !c.is_whitespace())?;
        } else if code[from + stars.len()..start].contains('*') {
            start = from + stars.len() + code[from + stars.len()..start].find('*')?;
        }
        starts.push(start);
        from = end;
    }
    (text.len() >= from).then_some(starts)
}
