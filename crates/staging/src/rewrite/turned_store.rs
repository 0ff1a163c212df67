//! Stores turned around: a kernel whose neighbouring work-items store a row apart.
//!
//! ```text
//! before                              after
//! if (x < W && y < H)                 if (x < W && y < H)
//!     out[x * H + y] = in[y * W + x];     tile[ly * tw + lx] = in[y * W + x];
//!                                     barrier(CLK_LOCAL_MEM_FENCE);
//!
//!                                     // Store out along its rows
//!                                     int t = ly * lsx + lx;
//!                                     int tx = t / lsy; // whose element is stored
//!                                     int ty = t % lsy;
//!                                     int sx = x - lx + tx;
//!                                     int sy = y - ly + ty;
//!
//!                                     if (sx < W && sy < H)
//!                                         out[sx * H + sy] = tile[ty * tw + tx];
//! ```
//!
//! Nothing is read twice: what pays is that a sub-group's stores lie side by side.
//! Each work-item stores another one's element, under that one's guards.
//!
//! What it misses: kernels with more than one store, or with one inside a loop; groups
//! that are no rectangle; a store that is not the last thing that the kernel does.

use tilewise_frontend::source::{Stmt, StmtKind};

use crate::loads::Accesses;
use crate::plan::coordinates::split;
use crate::refusal::{Code, Refusal};
use crate::stage::element::element_text;
use crate::symbolic::{Atom, Poly};

use super::Written;
use super::conditions::{is_early_return, may_return, negated};
use super::edit::{TextEdit, line_start};
use super::fixed_group::fixed_group;
use super::loop_tile::{end_of, needs_guard};
use super::names::Names;
use super::parameters::{Parameter, parameters};
use super::place::Place;
use super::writer::{Writer, rank_of};

/// Elements that have to lie side by side for a turn to pay: half a sector of floats.
pub const LEAST_RUN: u64 = 4;

/// A store to turn around.
pub struct TurnedStore {
    /// Name of the buffer.
    pub buffer: String,
    /// Type of an element.
    pub element: String,
    /// Name of the tile.
    pub tile: String,
    /// Guards on the store's path.
    guards: Vec<Poly>,
    /// Number of the element.
    index: Poly,
    /// Which statement of the kernel holds it.
    at: usize,
    /// Elements behind each row of the tile, against bank conflicts.
    padding: i128,
}

/// Finds the store of a kernel, if it is one to turn around for groups of this shape.
pub fn find(accesses: &mut Accesses<'_>, local: [u64; 3]) -> Option<TurnedStore> {
    let tree = accesses.bindings.tree;
    let [store] = &accesses.stores[..] else {
        return None;
    };
    store.value?;
    let param = accesses
        .function
        .params
        .iter()
        .find(|p| p.id == store.buffer)?;
    let read = accesses.loads.iter().any(|l| l.buffer == store.buffer)
        || accesses.escapes.iter().any(|e| e.buffer == store.buffer);
    let [guard] = &store.guard.0[..] else {
        return None;
    };
    let rectangle = local[0] >= LEAST_RUN && local[1] >= LEAST_RUN && local[2] == 1;
    if read || guard.opaque || !store.loops.is_empty() || !rectangle {
        return None;
    }
    let guards = guard.constraints.clone();
    let index = store.index.clone();
    let span = store.target.span;
    let (element, buffer) = (element_text(tree, param), param.name.clone());
    let split = split(&mut accesses.bindings.atoms, &index).ok()?;
    let atoms = &mut accesses.bindings.atoms;
    let ids = [0, 1].map(|d| atoms.intern(Atom::LocalId(d)));
    let understood = |p: &Poly| p.atoms().all(|a| ids.contains(&a) || atoms.is_uniform(a));
    if !guards.iter().all(understood) || !understood(&index) {
        return None;
    }
    // The second id walks along a row of the buffer, the first one from row to row.
    let moves = |k: usize, d: usize| split.coordinates[k].value.coefficient(&[ids[d]]);
    let fastest = split.coordinates.first()?;
    let along = fastest.stride.as_constant() == Some(1) && moves(0, 1) == 1 && moves(0, 0) == 0;
    let across = (1..split.coordinates.len()).any(|k| moves(k, 0) != 0);
    let plain = split.coordinates.iter().all(|c| c.map.is_none());
    let StmtKind::Block(list) = &accesses.function.body.kind else {
        return None;
    };
    let at = list
        .iter()
        .position(|s| s.span.begin <= span.begin && span.end <= s.span.end)?;
    let last = list[at + 1..]
        .iter()
        .all(|s| matches!(s.kind, StmtKind::Empty | StmtKind::Return(None)));
    if !along || !across || !plain || !last || !is_last(&list[at], span.begin) {
        return None;
    }
    let mut names = Names::around(tree, accesses.function);
    Some(TurnedStore {
        buffer,
        element,
        tile: names.fresh("tile"),
        guards,
        index,
        at,
        padding: padding(local),
    })
}

/// Banks of local memory, four bytes wide each, and work-items of a sub-group, for which
/// the tile is laid out.
const BANKS: u64 = 32;

/// The padding of a row of the tile with the fewest bank conflicts when a sub-group
/// reads it by columns, the smallest of those.
fn padding(local: [u64; 3]) -> i128 {
    let conflicts = |padding: &i128| {
        let pitch = local[0] + padding.unsigned_abs() as u64;
        let mut banks = [0u32; BANKS as usize];
        for t in 0..BANKS {
            let place = t % local[1] * pitch + t / local[1];
            banks[(place % BANKS) as usize] += 1;
        }
        banks.into_iter().max()
    };
    (0..=8).min_by_key(conflicts).unwrap_or(1)
}

/// Whether the statement at a place is the last thing that a statement does.
fn is_last(stmt: &Stmt, offset: usize) -> bool {
    let holds = |s: &Stmt| s.span.begin <= offset && offset < s.span.end;
    match &stmt.kind {
        StmtKind::Expr(_) => holds(stmt),
        StmtKind::If {
            then,
            otherwise: None,
            ..
        } => is_last(then, offset),
        StmtKind::Block(list) => list.last().is_some_and(|s| is_last(s, offset)),
        _ => false,
    }
}

/// Turns the store around.
///
/// # Errors
/// It can't be edited, or work-items leave the kernel where their place can't be
/// kept.
pub fn write(accesses: &mut Accesses<'_>, turned: &TurnedStore) -> Result<Written, Refusal> {
    let tree = accesses.bindings.tree;
    let text = tree.text.as_str();
    let function = accesses.function;
    let target = accesses.stores[0].target.span;
    let element = target.editable().ok_or_else(|| {
        Refusal::new(
            tree,
            target,
            Code::Macro,
            format!("this store to {} comes out of a macro", turned.buffer),
        )
        .of(&turned.buffer)
    })?;
    let StmtKind::Block(list) = &function.body.kind else {
        return Err(Refusal::new(
            tree,
            function.span,
            Code::Form,
            "the kernel has no body",
        ));
    };
    let mut names = Names::around(tree, function);
    names.fresh(&turned.tile);
    let head = Place::find(accesses, &[])?;
    let end = function.body.span.end.saturating_sub(1);
    let (_, ty, unsigned) = rank_of(&accesses.stores[0].index_type);
    let word = if unsigned { ty } else { "int" };
    let mut writer = Writer::new(accesses, names, head.offset, &head.unit, word);
    let mut edits = early_returns(&mut writer, list, turned.at, head.offset)?;

    let atoms = &mut writer.accesses.bindings.atoms;
    let size = |atoms: &mut crate::symbolic::Atoms, d| Poly::atom(atoms.intern(Atom::LocalSize(d)));
    let (width, height) = (size(atoms, 0), size(atoms, 1));
    let pitch = width.add(&Poly::constant(turned.padding));
    let room = vec![pitch.clone(), height.clone()];
    let fixed = writer.accesses.bindings.atoms.group_sizes().is_some();
    let lengths = match fixed {
        true => [&height, &pitch].map(|e| writer.constant(e)),
        false => [None, None],
    };
    let mut new = Vec::new();
    match lengths {
        [Some(height), Some(width)] => writer.arrays.push(format!(
            "__local {} {}[{height} * {width}];",
            turned.element, turned.tile
        )),
        _ => new.push(Parameter::Tile {
            element: turned.element.clone(),
            name: turned.tile.clone(),
        }),
    }
    let tw = writer.names.fresh("tw");
    let (lx, ly, lsx, lsy) = writer.print(head.offset, |p| {
        (
            p.local_id(0),
            p.local_id(1),
            p.poly(&width),
            p.poly(&height),
        )
    });
    writer.declarations.push(format!(
        "{word} {tw} = {lsx} + {}; // width of {}, wider against bank conflicts",
        turned.padding, turned.tile
    ));
    let declarations = writer.take_declarations();
    edits.push(head.insertion(text, head.block(&declarations)));
    edits.push(TextEdit::replace(
        element,
        format!("{}[{ly} * {tw} + {lx}]", turned.tile),
    ));

    let t = writer.names.fresh("t");
    let own = ["x", "y"].map(|l| writer.names.fresh(&format!("t{l}")));
    let there = ["x", "y"].map(|l| writer.names.fresh(&format!("s{l}")));
    let mut lines = vec![
        "barrier(CLK_LOCAL_MEM_FENCE);".to_owned(),
        String::new(),
        format!(
            "// Store {} along its rows: each work-item the element of another one",
            turned.buffer
        ),
        format!("{word} {t} = {ly} * {lsx} + {lx};"),
        format!("{word} {} = {t} / {lsy};", own[0]),
        format!("{word} {} = {t} % {lsy};", own[1]),
    ];
    let mut index = turned.index.clone();
    let mut guards = turned.guards.clone();
    for d in 0..2 {
        let atoms = &mut writer.accesses.bindings.atoms;
        let id = atoms.intern(Atom::LocalId(d as u8));
        let start = atoms.intern(Atom::GroupStart(d as u8));
        let place = Poly::atom(atoms.intern(Atom::Named(own[d].clone())));
        let whole = Poly::atom(atoms.intern(Atom::Named(there[d].clone())));
        let first = writer.print(end, |p| p.poly(&Poly::atom(start)));
        lines.push(format!("{ty} {} = {first} + {};", there[d], own[d]));
        let moved = |p: &Poly| {
            p.substitute(id, &place)
                .and_then(|p| p.substitute(start, &whole.sub(&place)))
        };
        let large = || {
            Refusal::new(
                tree,
                target,
                Code::Form,
                "its index is too large a polynomial",
            )
        };
        index = moved(&index).ok_or_else(large)?;
        for guard in &mut guards {
            *guard = moved(guard).ok_or_else(large)?;
        }
    }
    let (index, guards) = writer.print(end, |p| {
        let guards: Vec<String> = guards.iter().map(|g| p.relation(g, unsigned)).collect();
        (p.poly(&index), guards)
    });
    let store = format!(
        "{}[{index}] = {}[{} * {tw} + {}];",
        turned.buffer, turned.tile, own[1], own[0]
    );
    lines.push(String::new());
    if guards.is_empty() {
        lines.push(store);
    } else {
        lines.push(format!("if ({})", guards.join(" && ")));
        lines.push(format!("{}{store}", head.unit));
    }
    let (line, before) = line_start(text, end);
    let alone = line + before.len() == end;
    let block = head.block(&lines);
    edits.push(match alone {
        true => TextEdit::insert(line, block),
        false => TextEdit::insert(end, format!("\n{block}")),
    });
    let used = writer.used;
    edits.extend(parameters(accesses, &new)?);
    edits.extend(fixed_group(accesses)?);
    Ok(Written {
        edits,
        used,
        rooms: vec![(room, new.is_empty())],
    })
}

/// Early returns as a variable that the statement with the store asks.
fn early_returns<'t>(
    writer: &mut Writer<'_, 't>,
    list: &'t [Stmt],
    at: usize,
    place: usize,
) -> Result<Vec<TextEdit>, Refusal> {
    let tree = writer.accesses.bindings.tree;
    let text = tree.text.as_str();
    let mut edits = Vec::new();
    let mut active: Option<String> = None;
    for stmt in &list[..at] {
        if let StmtKind::If { condition, .. } = &stmt.kind
            && is_early_return(stmt)
        {
            let stays = negated(writer, condition, place)?;
            let new = match &active {
                Some(active) => format!("{active} = {active} && {stays};"),
                None => {
                    let name = writer.names.fresh("active");
                    let new = format!("bool {name} = {stays};");
                    active = Some(name);
                    new
                }
            };
            edits.push(TextEdit::replace(stmt.span.begin..end_of(text, stmt), new));
            continue;
        }
        let harmless = match &stmt.kind {
            StmtKind::Declare(variables) => !variables
                .iter()
                .filter_map(|v| v.init.as_ref())
                .any(needs_guard),
            _ => false,
        };
        if may_return(stmt) || active.is_some() && !harmless {
            return Err(Refusal::new(
                tree,
                stmt.span,
                Code::Barrier,
                "work-items have left the kernel here, and all of them would have to come by",
            ));
        }
    }
    if let Some(active) = active {
        let begin = list[at].span.begin;
        let (line, indent) = line_start(text, begin);
        if line + indent.len() != begin {
            return Err(Refusal::new(
                tree,
                list[at].span,
                Code::Barrier,
                "this statement shares its line with another, so it can't be guarded",
            ));
        }
        let unit = writer.unit.clone();
        edits.push(TextEdit::insert(
            line,
            format!("{indent}if ({active})\n{unit}"),
        ));
    }
    Ok(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each column of a sub-group's rows in a bank of its own, where that can be.
    #[test]
    fn rows_are_padded_for_the_group() {
        assert_eq!(padding([32, 32, 1]), 1);
        assert_eq!(padding([32, 8, 1]), 4);
        assert_eq!(padding([16, 16, 1]), 2);
    }
}
