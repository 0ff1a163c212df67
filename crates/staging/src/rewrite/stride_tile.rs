//! Box tiles within a loop over the range: a tile for each time around.
//!
//! ```text
//! before                                 after
//! for (int i = get_global_id(0);         for (int i = get_global_id(0);
//!      i < n;                                 i - lid < n;
//!      i += get_global_size(0)) {             i += get_global_size(0)) {
//!                                            … fill the tile …
//!                                            barrier(CLK_LOCAL_MEM_FENCE);
//!
//!                                            if (i < n) {
//!     out[i] = in[i] + in[i + 1];                out[i] = tile[lid] + tile[lid + 1];
//!                                            }
//!                                            barrier(CLK_LOCAL_MEM_FENCE);
//! }                                      }
//! ```
//!
//! The loop goes on as long as any work-item of the group does, so that all of them come
//! by its barriers.

use tilewise_frontend::source::{Stmt, StmtKind};

use crate::loads::{Accesses, StrideLoop};
use crate::plan::Domain;
use crate::plan::prove::implied;
use crate::refusal::{Code, Refusal};
use crate::symbolic::{Atom, Atoms, Poly};

use super::Written;
use super::conditions::text_of;
use super::edit::{TextEdit, line_start};
use super::fill::fill;
use super::fixed_group::fixed_group;
use super::loop_tile::{Lines, end_of};
use super::names::Names;
use super::own_element::name_own_element;
use super::parameters::parameters;
use super::place::Place;
use super::reads::reads;
use super::tile::{BoxTile, loads_of, room, shape};
use super::writer::{Writer, word_for};

/// Writes tiles into the loop over the range.
///
/// # Errors
/// A loop, or a load, that can't be edited.
pub fn write(
    accesses: &mut Accesses<'_>,
    tiles: &[BoxTile<'_>],
    stride: &StrideLoop<'_>,
) -> Result<Written, Refusal> {
    let tree = accesses.bindings.tree;
    let text = tree.text.as_str();
    let layout = Layout::find(accesses, stride)?;
    let mut names = Names::around(tree, accesses.function);
    for tile in tiles {
        names.fresh(&tile.tile);
    }
    let head = Place::find(accesses, &loads_of(tiles))?;
    let at = stride.body.span.begin;
    let condition = text_of(tree, stride.condition)?;
    let goes_on = group_condition(accesses, stride);
    let domains: Vec<Domain> = tiles
        .iter()
        .map(|t| within(&accesses.bindings.atoms, t.domain, &goes_on))
        .collect();
    let tiles: Vec<BoxTile<'_>> = tiles
        .iter()
        .zip(&domains)
        .map(|(tile, domain)| BoxTile {
            domain,
            family: tile.family,
            buffer: tile.buffer.clone(),
            element: tile.element.clone(),
            tile: tile.tile.clone(),
        })
        .collect();
    let word = word_for(accesses, tiles.iter().map(|t| t.family));
    let mut writer = Writer::new(accesses, names, head.offset, &head.unit, word);
    let mut edits = Vec::new();
    let mut new = Vec::new();
    let mut rooms = Vec::new();
    let mut block = Vec::new();
    for tile in &tiles {
        let alone = tiles.len() == 1;
        let mut shape = shape(&mut writer, tile, alone, head.offset);
        name_own_element(&mut writer, tile, &mut shape, alone, head.offset);
        if !block.is_empty() {
            block.push(String::new());
        }
        block.extend(fill(&mut writer, tile, &shape, at));
        edits.extend(reads(&mut writer, tile, &shape)?);
        let memory = tile.memory(&mut writer, &shape);
        rooms.push((room(tile.family, &shape.extents), memory.is_none()));
        new.extend(memory);
    }
    block.push("barrier(CLK_LOCAL_MEM_FENCE);".to_owned());
    let unsigned = word != "int";
    let goes_on = writer.print(at, |p| p.relation(&goes_on, unsigned));
    let range = stride.condition.span.editable();
    edits.extend(range.map(|range| TextEdit::replace(range, goes_on)));
    edits.extend(layout.edits(text, &head.unit, &block, condition, &edits));

    let declarations = writer.take_declarations();
    let declarations = Writer::declared_for(declarations, &mut edits);
    if !declarations.is_empty() {
        edits.insert(0, head.insertion(text, head.block(&declarations)));
    }
    let used = writer.used;
    edits.extend(parameters(accesses, &new)?);
    edits.extend(fixed_group(accesses)?);
    Ok(Written { edits, used, rooms })
}

/// A domain without what the loop's condition says of the group.
fn within(atoms: &Atoms, domain: &Domain, goes_on: &Poly) -> Domain {
    let mut domain = domain.clone();
    let known = std::slice::from_ref(goes_on);
    domain.group.retain(|c| !implied(atoms, c, known));
    for region in &mut domain.regions {
        region.group.retain(|c| !implied(atoms, c, known));
    }
    domain.facts.push(goes_on.clone());
    domain
}

/// The loop's condition for the first work-item of the group.
fn group_condition(accesses: &mut Accesses<'_>, stride: &StrideLoop<'_>) -> Poly {
    let atoms = &mut accesses.bindings.atoms;
    let locals = [0, 1, 2].map(|d| atoms.intern(Atom::LocalId(d)));
    stride
        .bound
        .filtered(|m| !m.iter().any(|a| locals.contains(a)))
}

/// The lines of the loop.
struct Layout<'s> {
    /// First byte of the loop's line, and its indentation.
    indent: &'s str,
    /// Its body is a block: behind the brace that opens it, and in front of the one that
    /// closes it.
    braces: Option<(usize, usize)>,
    /// From the first byte of the body's statements to the last.
    inner: (usize, usize),
}

impl<'s> Layout<'s> {
    fn find(accesses: &Accesses<'s>, stride: &StrideLoop<'_>) -> Result<Self, Refusal> {
        let tree = accesses.bindings.tree;
        let text = tree.text.as_str();
        let refuse = |why: &str| {
            Refusal::new(
                tree,
                stride.stmt.span,
                Code::Barrier,
                format!("this loop over the range can't have barriers: {why}"),
            )
        };
        if leaves(stride.body) {
            return Err(refuse("work-items leave its body early"));
        }
        let (line, indent) = line_start(text, stride.stmt.span.begin);
        if line + indent.len() != stride.stmt.span.begin {
            return Err(refuse("it shares its line with other code"));
        }
        let StmtKind::Block(list) = &stride.body.kind else {
            let (start, inner) = line_start(text, stride.body.span.begin);
            if start + inner.len() != stride.body.span.begin {
                return Err(refuse("its body shares its line with its header"));
            }
            let end = end_of(text, stride.body);
            return Ok(Self {
                indent,
                braces: None,
                inner: (stride.body.span.begin, end),
            });
        };
        let (open, close) = (stride.body.span.begin + 1, stride.body.span.end - 1);
        let first = list.first().map_or(close, |s| s.span.begin);
        let own_line = |at: usize| {
            let (start, indent) = line_start(text, at);
            start + indent.len() == at
        };
        if !own_line(first) || !own_line(close) {
            return Err(refuse(
                "a brace of its body shares its line with a statement",
            ));
        }
        let end = line_start(text, close).0;
        Ok(Self {
            indent,
            braces: Some((open, end)),
            inner: (first, end.saturating_sub(1)),
        })
    }

    fn edits(
        &self,
        text: &str,
        unit: &str,
        block: &[String],
        condition: &str,
        others: &[TextEdit],
    ) -> Vec<TextEdit> {
        let indent = format!("{}{unit}", self.indent);
        let shown = |lines: &[String]| -> String {
            let lines = lines.iter().map(|l| match l.is_empty() {
                true => "\n".to_owned(),
                false => format!("{indent}{l}\n"),
            });
            lines.collect()
        };
        let (first, last) = self.inner;
        let line = line_start(text, first).0;
        let behind = text[last..].find('\n').map_or(text.len(), |i| last + i + 1);
        let mut lines = Lines::new(text, unit);
        lines.shift(first, last, 1);
        let mut edits = Vec::new();
        let barrier = "barrier(CLK_LOCAL_MEM_FENCE);".to_owned();
        match self.braces {
            Some((_, close)) => {
                let mut opening = block.to_vec();
                opening.extend([String::new(), format!("if ({condition}) {{")]);
                edits.push(TextEdit::insert(line, shown(&opening)));
                edits.push(TextEdit::insert(close, shown(&["}".to_owned(), barrier])));
            }
            None => {
                let header = text[..line].trim_end().len();
                edits.push(TextEdit::insert(header, " {"));
                let mut opening = block.to_vec();
                opening.extend([String::new(), format!("if ({condition})")]);
                edits.push(TextEdit::insert(line, shown(&opening)));
                let closing = format!("{}{}}}\n", shown(&[barrier]), self.indent);
                edits.push(TextEdit::insert(behind, closing));
            }
        }
        let all: Vec<TextEdit> = others.iter().chain(&edits).cloned().collect();
        edits.extend(lines.edits(&all));
        edits
    }
}

/// Whether a statement leaves the loop around it, or this time around.
fn leaves(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => true,
        // Those of an inner loop are its own.
        StmtKind::For { body, .. } | StmtKind::While { body, .. } => returns(body),
        _ => stmt.children().into_iter().any(leaves),
    }
}

fn returns(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_)) || stmt.children().into_iter().any(returns)
}
