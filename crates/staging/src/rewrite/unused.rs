//! Declarations that an edit leaves without a reader.

use std::collections::{BTreeSet, HashMap, HashSet};

use std::ops::Range;

use tilewise_frontend::source::{
    DeclId, Expr, ExprKind, Function, SourceTree, Stmt, StmtKind, Variable,
};

use crate::loads::updated;

use super::comments::{blanked, rest_of_line};
use super::edit::{TextEdit, line_start};
use super::loop_tile::end_of;

struct Declaration<'t> {
    variable: &'t Variable,
    stmt: &'t Stmt,
    /// All variables of its statement.
    list: &'t [Variable],
    /// Statements that do nothing but set it.
    updates: Vec<&'t Stmt>,
}

/// Edits that take out declarations whose every use the given edits replace, with what
/// sets their variables. Names in `kept` are read by new text, and so is what it copies
/// from the source.
pub fn unused(
    tree: &SourceTree,
    function: &Function,
    edits: &[TextEdit],
    kept: &BTreeSet<String>,
) -> Vec<TextEdit> {
    let mut declarations = Vec::new();
    collect(&function.body, &mut declarations);
    let mut uses: HashMap<DeclId, Vec<(usize, usize)>> = HashMap::new();
    uses_in(&function.body, &mut uses);
    let mut gone: Vec<(usize, usize)> = edits
        .iter()
        .filter(|e| !e.range.is_empty())
        .map(|e| (e.range.start, e.range.end))
        .collect();
    let new: Vec<String> = edits.iter().map(|e| blanked(&e.text)).collect();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let said: BTreeSet<&str> = new.iter().flat_map(|t| t.split(|c| !is_part(c))).collect();
    let mut removed = HashSet::new();
    loop {
        let next = declarations.iter().find(|d| {
            !removed.contains(&d.variable.id)
                && !kept.contains(&d.variable.name)
                && !said.contains(d.variable.name.as_str())
                && uses.get(&d.variable.id).is_some_and(|list| {
                    let inside =
                        |(a, b): (usize, usize)| gone.iter().any(|(x, y)| *x <= a && b <= *y);
                    let own = |(a, b): (usize, usize)| {
                        d.updates
                            .iter()
                            .any(|s| s.span.begin <= a && b <= s.span.end)
                    };
                    list.iter().any(|u| inside(*u)) && list.iter().all(|u| inside(*u) || own(*u))
                })
        });
        let Some(found) = next else { break };
        removed.insert(found.variable.id);
        let init = found.variable.init.iter();
        gone.extend(init.map(|e| (e.span.begin, e.span.end)));
        gone.extend(found.updates.iter().map(|s| (s.span.begin, s.span.end)));
    }
    let out: Vec<&Declaration<'_>> = declarations
        .iter()
        .filter(|d| removed.contains(&d.variable.id))
        .collect();
    let mut cuts: Vec<Range<usize>> = Vec::new();
    for declaration in &out {
        cuts.extend(of_declaration(tree, declaration, &removed));
        let updates = declaration.updates.iter();
        cuts.extend(updates.filter_map(|s| Some(s.span.editable()?.start..end_of(&tree.text, s))));
    }
    cuts.sort_by_key(|c| (c.start, c.end));
    cuts.dedup();
    by_lines(&tree.text, cuts, edits)
        .into_iter()
        .map(|range| TextEdit::replace(range, ""))
        .collect()
}

/// What to cut out for a variable: its statement, where no other of it stays, else its
/// declarator.
fn of_declaration(
    tree: &SourceTree,
    declaration: &Declaration<'_>,
    removed: &HashSet<DeclId>,
) -> Option<Range<usize>> {
    let list = declaration.list;
    let is_out = |v: &Variable| removed.contains(&v.id);
    if list.iter().all(is_out) {
        return declaration.stmt.span.editable();
    }
    let at = list.iter().position(|v| v.id == declaration.variable.id)?;
    if list.iter().any(|v| v.ty.scalar_name().is_none()) {
        return None;
    }
    let first_kept = list.iter().position(|v| !is_out(v))?;
    if at >= first_kept {
        return Some(list[at - 1].span.editable()?.end..list[at].span.editable()?.end);
    }
    // Behind the type, up to the first that stays.
    let first = list[0].span.editable()?;
    let text = tree.text.get(first.clone())?;
    let head = text
        .split('=')
        .next()?
        .trim_end()
        .strip_suffix(&list[0].name)?;
    let last = list[first_kept - 1].span.editable()?.end;
    let behind = tree.text.get(last..)?;
    let name = behind.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
    Some(first.start + head.len()..last + behind.len() - name.len())
}

/// Cuts as whole lines where nothing else stands in them, without what would be left of
/// empty lines around.
fn by_lines(text: &str, cuts: Vec<Range<usize>>, edits: &[TextEdit]) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for cut in cuts {
        let touches = |last: &&mut Range<usize>| {
            let between = text.get(last.end..cut.start).unwrap_or_default();
            between.trim().is_empty() && !between.contains('\n')
        };
        match merged.last_mut().filter(touches) {
            Some(last) => last.end = last.end.max(cut.end),
            None => merged.push(cut),
        }
    }
    let code = blanked(text);
    let mut found: Vec<Range<usize>> = Vec::new();
    // Where the lines that go together begin.
    let mut first_line = None;
    for cut in merged {
        let (start, indent) = line_start(text, cut.start);
        let line_end = text[cut.end..].find('\n').map(|i| cut.end + i + 1);
        let line_end = line_end.unwrap_or(text.len());
        let behind = text[cut.end..line_end].trim();
        let first = start + indent.len() == cut.start;
        if first && let Some(line_end) = rest_of_line(&code, cut.end) {
            let continues = found.last().is_some_and(|last| last.end == start);
            let top = *first_line.get_or_insert(start);
            let top = if continues { top } else { start };
            first_line = Some(top);
            let end = with_empty_line(text, top, line_end);
            let free = edits
                .iter()
                .all(|e| e.range.end <= line_end || end <= e.range.start);
            found.push(start..if free { end } else { line_end });
            continue;
        }
        // Within a line, with the blanks on one side.
        let blank = |c: char| c == ' ' || c == '\t';
        let rest = &text[cut.end..line_end];
        found.push(match behind.is_empty() {
            true => text[..cut.start].trim_end_matches(blank).len()..cut.end,
            false => cut.start..cut.end + (rest.len() - rest.trim_start_matches(blank).len()),
        });
    }
    found
}

/// The end of lines that are taken out, with the empty line behind them where that would
/// come first in its block, or behind another one.
fn with_empty_line(text: &str, start: usize, end: usize) -> usize {
    let next = text[end..].find('\n').map(|i| end + i + 1);
    let Some(next) = next.filter(|n| text[end..*n].trim().is_empty()) else {
        return end;
    };
    let above = text[..start].trim_end_matches([' ', '\t']);
    let above = above.strip_suffix('\n').unwrap_or(above);
    let above = above.rsplit('\n').next().unwrap_or_default().trim();
    match above.is_empty() || above.ends_with('{') {
        true => next,
        false => end,
    }
}

fn collect<'t>(stmt: &'t Stmt, found: &mut Vec<Declaration<'t>>) {
    // The variable of a loop is no declaration to take out.
    let children: Vec<&Stmt> = match &stmt.kind {
        StmtKind::For { body, .. } => vec![body],
        _ => stmt.children(),
    };
    if let StmtKind::Block(list) = &stmt.kind {
        for declaring in list {
            let StmtKind::Declare(variables) = &declaring.kind else {
                continue;
            };
            for variable in variables {
                let updates: Vec<&Stmt> = list
                    .iter()
                    .filter(|s| updated(s) == Some(variable.id) && is_quiet(s))
                    .collect();
                let set = variable.init.is_some() || !updates.is_empty();
                if set && variable.init.as_ref().is_none_or(has_no_effect) {
                    found.push(Declaration {
                        variable,
                        stmt: declaring,
                        list: variables,
                        updates,
                    });
                }
            }
        }
    }
    for child in children {
        collect(child, found);
    }
}

/// Whether a statement that sets a variable does nothing else.
fn is_quiet(stmt: &Stmt) -> bool {
    let quiet = |e: &&Expr| match &e.kind {
        ExprKind::Assign { value, .. } => has_no_effect(value),
        ExprKind::Unary { operand, .. } => has_no_effect(operand),
        _ => has_no_effect(e),
    };
    stmt.expressions().iter().all(quiet) && stmt.children().into_iter().all(is_quiet)
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
