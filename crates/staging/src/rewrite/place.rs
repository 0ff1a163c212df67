//! Where new statements stand in a kernel.

use tilewise_frontend::source::{ExprKind, Stmt, StmtKind};

use crate::loads::Accesses;
use crate::refusal::{Code, Refusal};

use super::edit::{TextEdit, line_start};

/// In front of the first statement that may part the work-items or reads what is
/// staged: all work-items come by there.
pub struct Place {
    /// Names known here may be used.
    pub offset: usize,
    /// The block goes in front of this byte, the first of a line unless it
    /// [`breaks`](Self::breaks) one.
    pub line: usize,
    /// Other code stands in front of it in its line.
    pub breaks: bool,
    /// A declaration ends in the line above.
    pub behind_declaration: bool,
    /// Indentation of the statements.
    pub indent: String,
    /// One level of indentation.
    pub unit: String,
}

impl Place {
    /// Finds it for a kernel of which these loads are staged.
    ///
    /// # Errors
    /// The kernel has no body.
    pub fn find(accesses: &Accesses<'_>, loads: &[usize]) -> Result<Self, Refusal> {
        let tree = accesses.bindings.tree;
        let StmtKind::Block(list) = &accesses.function.body.kind else {
            return Err(Refusal::new(
                tree,
                accesses.function.span,
                Code::Form,
                "the kernel has no body",
            ));
        };
        let staged: Vec<(usize, usize)> = loads
            .iter()
            .map(|l| {
                let span = accesses.loads[*l].expr.span;
                (span.begin, span.end)
            })
            .collect();
        let has_load = |s: &Stmt| {
            staged
                .iter()
                .any(|(a, b)| s.span.begin <= *a && *b <= s.span.end)
        };
        let stop = list
            .iter()
            .position(|s| !matches!(s.kind, StmtKind::Declare(_)) && !is_plain(s) || has_load(s))
            .unwrap_or(0);
        let at = &list[stop.min(list.len() - 1)];
        let Some(range) = at.span.editable().or(Some(at.span.begin..at.span.end)) else {
            unreachable!("a span has a range")
        };
        let (start, indent) = line_start(&tree.text, range.start);
        let breaks = !tree.text[start..range.start].trim().is_empty();
        let unit = if indent.contains('\t') {
            "\t".to_owned()
        } else if indent.is_empty() {
            "    ".to_owned()
        } else {
            indent.to_owned()
        };
        if breaks {
            let indent = if indent.is_empty() { &unit } else { indent };
            return Ok(Self {
                offset: range.start,
                line: range.start,
                breaks,
                behind_declaration: false,
                indent: indent.to_owned(),
                unit,
            });
        }
        let above = stop.checked_sub(1).map(|i| &list[i]);
        let behind = above.and_then(|s| {
            let end = s.span.end;
            let rest = tree.text.get(end..)?;
            let line_end = end + rest.find('\n')? + 1;
            (line_end <= start).then_some((line_end, end))
        });
        Ok(match behind {
            Some((line, _)) => Self {
                offset: range.start,
                line,
                breaks,
                behind_declaration: true,
                indent: indent.to_owned(),
                unit,
            },
            None => Self {
                offset: range.start,
                line: start,
                breaks,
                behind_declaration: false,
                indent: indent.to_owned(),
                unit,
            },
        })
    }

    /// Lines as they stand there.
    pub fn block(&self, lines: &[String]) -> String {
        lines
            .iter()
            .map(|l| match l.is_empty() {
                true => "\n".to_owned(),
                false => format!("{}{l}\n", self.indent),
            })
            .collect()
    }

    /// Puts a block of lines there.
    pub fn insertion(&self, text: &str, mut block: String) -> TextEdit {
        // An empty line is wanted behind the block; one may be there.
        let rest = &text[self.line..];
        let next_is_empty = rest
            .lines()
            .next()
            .is_some_and(|line| line.trim().is_empty());
        if !(self.behind_declaration && next_is_empty) {
            block.push('\n');
        }
        if self.breaks {
            // The blanks in front would be left at the end of the line.
            let before = text[..self.line].trim_end_matches([' ', '\t']).len();
            let block = format!("\n{block}{}", self.indent);
            return TextEdit::replace(before..self.line, block);
        }
        TextEdit::insert(self.line, block)
    }
}

/// An assignment to a local variable at the top of a kernel: no reason to stop.
fn is_plain(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Expr(e) => match &e.kind {
            ExprKind::Assign { target, .. } => {
                matches!(target.plain().kind, ExprKind::Variable { .. })
            }
            _ => false,
        },
        StmtKind::Empty => true,
        _ => false,
    }
}
