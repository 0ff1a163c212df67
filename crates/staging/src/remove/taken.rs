//! Which statements go, and what that does to those around them.
//!
//! A statement that holds nothing but what goes, and what only that needs, goes whole: a
//! loop that fills, an `if` around a barrier. Where one branch of an `if` goes and the
//! other stays, the condition is turned round. Where the body of what has to stay goes,
//! an empty statement takes its place. So no statement that stays gets another parent.

use std::collections::HashSet;
use std::ops::Range;

use tilewise_frontend::source::{
    BinaryOp, DeclId, Expr, ExprKind, Function, Origin, SourceTree, Span, Stmt, StmtKind, UnaryOp,
};

use super::purity::{changed, has_no_effect};
use crate::rewrite::TextEdit;
use crate::rewrite::comments::rest_of_line;
use crate::rewrite::loop_tile::end_of;
use crate::symbolic::eval::is_integer;

/// What goes.
#[derive(Default)]
pub struct Taken {
    /// Statements that go whole.
    pub ranges: Vec<Range<usize>>,
    /// What else changes.
    pub edits: Vec<TextEdit>,
}

impl Taken {
    /// Whether all of these bytes go.
    pub fn holds(&self, range: &Range<usize>) -> bool {
        let edits = self.edits.iter().map(|e| &e.range);
        self.ranges
            .iter()
            .chain(edits)
            .any(|r| r.start <= range.start && range.end <= r.end)
    }
}

/// Why statements can't be taken out, and where.
pub type Objection = (Span, &'static str);

/// What a statement is to the removal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// It goes.
    Goes,
    /// It does nothing that is needed where those beside it go.
    Along,
    /// It stays.
    Stays,
}

struct Removal<'a> {
    tree: &'a SourceTree,
    code: &'a str,
    /// The statements to take out.
    targets: &'a HashSet<*const Stmt>,
    /// Statements that change what is read behind them.
    needed: HashSet<*const Stmt>,
    /// Statements that go whole.
    gone: HashSet<*const Stmt>,
    taken: Taken,
}

/// Takes statements out of a kernel. `code` is its text without comments.
///
/// # Errors
/// One of them can't be taken out alone.
pub fn taken(
    tree: &SourceTree,
    code: &str,
    function: &Function,
    targets: &HashSet<*const Stmt>,
) -> Result<Taken, Objection> {
    let mut removal = Removal {
        tree,
        code,
        targets,
        needed: HashSet::new(),
        gone: HashSet::new(),
        taken: Taken::default(),
    };
    // What stays may read what a loop that was to go changes, and then the loop stays.
    loop {
        let before = removal.needed.len();
        removal.need(&function.body, &[], &function.body);
        if removal.needed.len() == before {
            break;
        }
    }
    for child in function.body.children() {
        removal.take(child, true, false)?;
    }
    let taken = removal.taken;
    match shared(&function.body, &removal.gone, &taken) {
        Some(span) => Err((
            span,
            "comes out of a macro together with other statements, so that it can't go alone",
        )),
        None => Ok(taken),
    }
}

impl Removal<'_> {
    fn part(&self, stmt: &Stmt) -> Part {
        if self.targets.contains(&std::ptr::from_ref(stmt)) {
            return Part::Goes;
        }
        if self.needed.contains(&std::ptr::from_ref(stmt)) {
            return Part::Stays;
        }
        let pure = |e: &Expr| has_no_effect(self.tree, e);
        let changes = |e: &Expr| pure(e) || changed(self.tree, e).is_some();
        let may_go = match &stmt.kind {
            StmtKind::Empty => return Part::Along,
            StmtKind::Declare(variables) => {
                return match variables.iter().all(|v| v.init.as_ref().is_none_or(pure)) {
                    true => Part::Along,
                    false => Part::Stays,
                };
            }
            StmtKind::Expr(expr) => {
                return match changes(expr) {
                    true => Part::Along,
                    false => Part::Stays,
                };
            }
            StmtKind::Block(_) => true,
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => pure(condition),
            StmtKind::For {
                condition, step, ..
            } => condition.iter().chain(step).all(changes),
            _ => false,
        };
        let parts: Vec<Part> = stmt.children().into_iter().map(|s| self.part(s)).collect();
        if !may_go || parts.contains(&Part::Stays) {
            Part::Stays
        } else if parts.contains(&Part::Goes) {
            Part::Goes
        } else {
            Part::Along
        }
    }

    /// Finds statements around targets that would go, but change what is read elsewhere.
    /// `behind` are those that follow in the same list.
    fn need(&mut self, stmt: &Stmt, behind: &[Stmt], body: &Stmt) {
        if self.targets.contains(&std::ptr::from_ref(stmt)) {
            return;
        }
        if !std::ptr::eq(stmt, body) && self.part(stmt) == Part::Goes {
            let mut outer = Vec::new();
            self.changes_outside(stmt, &mut outer);
            let read =
                |id: &DeclId| !self.is_set_next(behind, *id) && self.is_read(body, *id, Some(stmt));
            if outer.iter().any(read) {
                self.needed.insert(stmt);
            } else {
                return;
            }
        }
        if let StmtKind::Block(list) = &stmt.kind {
            for (i, child) in list.iter().enumerate() {
                self.need(child, &list[i + 1..], body);
            }
            return;
        }
        for child in stmt.children() {
            self.need(child, &[], body);
        }
    }

    /// Whether statements set a variable before anything reads it.
    fn is_set_next(&self, list: &[Stmt], id: DeclId) -> bool {
        for stmt in list {
            if let StmtKind::Expr(Expr {
                kind:
                    ExprKind::Assign {
                        op: None,
                        target,
                        value,
                    },
                ..
            }) = &stmt.kind
                && is_variable(target, id)
            {
                return !reads(value, id);
            }
            if leaves(stmt) || self.is_read(stmt, id, None) {
                return false;
            }
        }
        false
    }

    /// Variables that a statement changes and does not declare.
    fn changes_outside(&self, stmt: &Stmt, found: &mut Vec<DeclId>) {
        if self.targets.contains(&std::ptr::from_ref(stmt)) {
            return;
        }
        let clauses = match &stmt.kind {
            StmtKind::Expr(e) => vec![e],
            StmtKind::For {
                condition, step, ..
            } => condition.iter().chain(step).collect(),
            _ => Vec::new(),
        };
        for expr in clauses {
            let target = changed(self.tree, expr).map(|t| &t.kind);
            if let Some(ExprKind::Variable { id, .. }) = target {
                found.push(*id);
            }
        }
        for child in stmt.children() {
            self.changes_outside(child, found);
        }
        let mut own = Vec::new();
        declares(stmt, &mut own);
        found.retain(|id| !own.contains(id));
    }

    /// Whether what stays reads a variable, other than in a loop that sets it first.
    fn is_read(&self, stmt: &Stmt, id: DeclId, except: Option<&Stmt>) -> bool {
        if except.is_some_and(|e| std::ptr::eq(stmt, e)) || self.part(stmt) == Part::Goes {
            return false;
        }
        if let StmtKind::For {
            init: Some(init), ..
        } = &stmt.kind
            && let StmtKind::Expr(Expr {
                kind:
                    ExprKind::Assign {
                        op: None,
                        target,
                        value,
                    },
                ..
            }) = &init.kind
            && is_variable(target, id)
            && !reads(value, id)
        {
            return false;
        }
        stmt.expressions().into_iter().any(|e| reads(e, id))
            || stmt
                .children()
                .into_iter()
                .any(|s| self.is_read(s, id, except))
    }

    /// Takes out what goes of a statement: in a list of statements, or alone in its place.
    /// `open`: an `else` behind it would belong to an `if` without one in it.
    fn take(&mut self, stmt: &Stmt, listed: bool, open: bool) -> Result<(), Objection> {
        if self.part(stmt) == Part::Goes {
            let range = self.range(stmt)?;
            self.gone.insert(stmt);
            match listed {
                true => self.taken.ranges.push(range),
                false => self.taken.edits.push(TextEdit::replace(range, ";")),
            }
            return Ok(());
        }
        match &stmt.kind {
            StmtKind::Block(list) => {
                for child in list {
                    self.take(child, true, false)?;
                }
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let other = otherwise.as_deref();
                let pure = has_no_effect(self.tree, condition);
                let goes = |s: &Stmt| self.part(s) == Part::Goes;
                match other {
                    Some(other) if goes(then) && pure && !goes(other) => {
                        self.turn(stmt, condition, then, other, open)?;
                        self.take(other, false, open)?;
                    }
                    Some(other) if goes(other) && !goes(then) => {
                        self.without_else(stmt, then, other, open)?;
                        self.take(then, false, open)?;
                    }
                    _ => {
                        self.take(then, false, other.is_some() || open)?;
                        if let Some(other) = other {
                            self.take(other, false, open)?;
                        }
                    }
                }
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } => {
                self.take(body, false, open)?;
            }
            _ => {
                for child in stmt.children() {
                    self.take(child, false, open)?;
                }
            }
        }
        Ok(())
    }

    /// `if (c) fill; else s;` as `if (!c) s;`.
    fn turn(
        &mut self,
        stmt: &Stmt,
        condition: &Expr,
        then: &Stmt,
        other: &Stmt,
        open: bool,
    ) -> Result<(), Objection> {
        if open {
            return Err((stmt.span, "is one branch of an if whose other one stays"));
        }
        let begin = self.range(then)?.start;
        let end = self.range(other)?.start;
        self.gone.insert(then);
        let opposite = opposite(self.tree, condition)
            .ok_or((stmt.span, "stands under a condition out of a macro"))?;
        self.taken.edits.extend(opposite);
        self.taken.edits.push(TextEdit::replace(begin..end, ""));
        Ok(())
    }

    /// `if (c) s; else fill;` as `if (c) s;`.
    fn without_else(
        &mut self,
        stmt: &Stmt,
        then: &Stmt,
        other: &Stmt,
        open: bool,
    ) -> Result<(), Objection> {
        let (behind, mut end) = (self.range(then)?.end, self.range(other)?.end);
        self.gone.insert(other);
        let word = self.code.get(behind..end).and_then(|t| t.find("else"));
        let (Some(word), false) = (word, open) else {
            return Err((stmt.span, "is one branch of an if whose other one stays"));
        };
        let (text, word) = (&self.tree.text, behind + word);
        // A comment behind the first branch is the first branch's.
        let line = text[..word].rfind('\n').map_or(0, |i| i + 1);
        let begin = match line > behind && text[line..word].trim().is_empty() {
            true => line - 1,
            false => behind,
        };
        if let Some(rest) = rest_of_line(self.code, end) {
            end = rest - usize::from(self.code[..rest].ends_with('\n'));
        }
        self.taken.edits.push(TextEdit::replace(begin..end, ""));
        Ok(())
    }

    fn range(&self, stmt: &Stmt) -> Result<Range<usize>, Objection> {
        match stmt.span.origin {
            Origin::Text | Origin::Macro => Ok(stmt.span.begin..end_of(&self.tree.text, stmt)),
            Origin::Argument { .. } | Origin::Elsewhere => Err((
                stmt.span,
                "stands in the argument of a macro or in another file",
            )),
        }
    }
}

/// A statement that stays, but has its text in what goes: out of one macro.
fn shared(stmt: &Stmt, gone: &HashSet<*const Stmt>, taken: &Taken) -> Option<Span> {
    if gone.contains(&std::ptr::from_ref(stmt)) {
        return None;
    }
    let begin = stmt.span.begin;
    if stmt.children().is_empty() && taken.ranges.iter().any(|r| r.contains(&begin)) {
        return Some(stmt.span);
    }
    stmt.children()
        .into_iter()
        .find_map(|s| shared(s, gone, taken))
}

/// Whether a statement may leave the list that it stands in.
fn leaves(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::Other { .. }
    ) || stmt.children().into_iter().any(leaves)
}

fn declares(stmt: &Stmt, found: &mut Vec<DeclId>) {
    if let StmtKind::Declare(variables) = &stmt.kind {
        found.extend(variables.iter().map(|v| v.id));
    }
    for child in stmt.children() {
        declares(child, found);
    }
}

fn is_variable(expr: &Expr, id: DeclId) -> bool {
    matches!(&expr.plain().kind, ExprKind::Variable { id: other, .. } if *other == id)
}

/// Whether an expression reads a variable: other than as the target of `=`.
fn reads(expr: &Expr, id: DeclId) -> bool {
    match &expr.kind {
        ExprKind::Assign {
            op: None,
            target,
            value,
        } if is_variable(target, id) => reads(value, id),
        _ => is_variable(expr, id) || expr.children().into_iter().any(|e| reads(e, id)),
    }
}

/// Edits that make a condition its opposite.
fn opposite(tree: &SourceTree, condition: &Expr) -> Option<Vec<TextEdit>> {
    let whole = condition.span.editable()?;
    let plain = condition.plain();
    if let ExprKind::Unary {
        op: UnaryOp::Not,
        operand,
    } = &plain.kind
    {
        let inner = operand.plain().span.editable()?;
        return Some(vec![
            TextEdit::replace(whole.start..inner.start, ""),
            TextEdit::replace(inner.end..whole.end, ""),
        ]);
    }
    if let ExprKind::Binary { op, left, right } = &plain.kind
        && is_integer(&left.ty)
        && is_integer(&right.ty)
    {
        let turned = match op {
            BinaryOp::Less => Some(BinaryOp::GreaterEqual),
            BinaryOp::LessEqual => Some(BinaryOp::Greater),
            BinaryOp::Greater => Some(BinaryOp::LessEqual),
            BinaryOp::GreaterEqual => Some(BinaryOp::Less),
            BinaryOp::Equal => Some(BinaryOp::NotEqual),
            BinaryOp::NotEqual => Some(BinaryOp::Equal),
            _ => None,
        };
        let sides = left.span.editable().zip(right.span.editable());
        if let (Some(turned), Some((left, right))) = (turned, sides)
            && left.end <= right.start
        {
            let text = format!(" {} ", turned.text());
            return Some(vec![TextEdit::replace(left.end..right.start, text)]);
        }
    }
    let text = tree.text.get(whole.clone())?;
    Some(
        match text.chars().all(|c| c.is_alphanumeric() || c == '_') {
            true => vec![TextEdit::insert(whole.start, "!")],
            false => vec![
                TextEdit::insert(whole.start, "!("),
                TextEdit::insert(whole.end, ")"),
            ],
        },
    )
}
