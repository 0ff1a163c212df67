//! Names that new text would take from the wrong declaration.
//!
//! ```text
//! int x = get_global_id(0);
//! …
//! for (int d = -R; d <= R; d++) {
//!     int x = seeds[d];
//!     s += tile[lid + R + d] * x;    // with `in[x + d]` here, x would be the inner one
//! }
//! ```
//!
//! Method: where a name of the new text is declared twice around its place, one within the
//! scope of the other, the text is not written. Which of the two was meant is not asked.

use std::ops::Range;

use tilewise_frontend::source::{Function, Span, Stmt, StmtKind, Variable};

use super::comments::blanked;
use super::edit::TextEdit;

/// A variable and where it can be seen.
struct Scope<'t> {
    name: &'t str,
    declared: Span,
    seen: Range<usize>,
}

/// The first name of new text that is declared twice around its place, and the inner
/// declaration.
pub fn captured<'t>(function: &'t Function, edits: &[TextEdit]) -> Option<(&'t str, Span)> {
    let body = &function.body;
    let mut scopes = Vec::new();
    for param in &function.params {
        scopes.push(scope(param, body.span.begin..body.span.end));
    }
    declared(body, body.span.end, &mut scopes);
    // What is taken out hides nothing.
    scopes.retain(|s| {
        let mut out = edits.iter().filter(|e| e.text.trim().is_empty());
        !out.any(|e| e.range.start <= s.declared.begin && s.declared.end <= e.range.end)
    });
    edits.iter().find_map(|edit| {
        let code = blanked(&edit.text);
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut words = code.split(|c| !is_part(c)).filter(|w| !w.is_empty());
        words.find_map(|word| {
            let around = |s: &&Scope<'_>| s.name == word && s.seen.contains(&edit.range.start);
            let mut seen = scopes.iter().filter(around);
            seen.next()?;
            let inner = seen.next_back()?;
            Some((inner.name, inner.declared))
        })
    })
}

fn scope(variable: &Variable, seen: Range<usize>) -> Scope<'_> {
    Scope {
        name: &variable.name,
        declared: variable.span,
        seen,
    }
}

/// The variables that a statement declares, outer ones first. `end` is where the block
/// around it ends.
fn declared<'t>(stmt: &'t Stmt, end: usize, found: &mut Vec<Scope<'t>>) {
    if let StmtKind::Declare(variables) = &stmt.kind {
        found.extend(variables.iter().map(|v| scope(v, v.span.end..end)));
    }
    for child in stmt.children() {
        declared(child, stmt.span.end, found);
    }
}
