//! The reverse of staging: a kernel that stages reads global memory again.
//!
//! ```text
//! before                                         after
//! tile[lid + 1] = gid < n ? in[gid] : 0.0f;
//! …
//! barrier(CLK_LOCAL_MEM_FENCE);
//!
//! out[gid] = tile[lid] + tile[lid + 1];          out[gid] = (gid > 0 ? in[gid - 1] : 0.0f) + in[gid];
//! ```
//!
//! Method: a fill `tile[F(t)] = in[G(t)]` is solved for its variables `t` (loop
//! variables and local ids), coordinate by coordinate of the tile ([`solve`]); a read
//! `tile[R]` is then `in[G(F⁻¹(R))]`, under the condition under which the fill reads, if a
//! constant stands elsewhere ([`fill`], [`direct`], [`index`]). Fills, barriers, tiles and
//! what only they need are taken out ([`taken`], [`dead`], [`lines`]). Each tile is
//! decided on by itself: one that holds something computed stays, and with it every
//! barrier.
//!
//! It proves nothing: the caller runs both forms. What it misses: tiles that hold
//! something computed, or that are filled from elsewhere than global memory.

mod dead;
mod direct;
mod fill;
mod index;
mod lines;
mod macros;
mod order;
mod parameters;
mod pointers;
mod purity;
mod solve;
mod taken;
mod tiles;

use std::collections::{BTreeSet, HashSet};

use tilewise_frontend::source::{
    DeclId, Expr, ExprKind, Function, SourceTree, Span, Stmt, StmtKind,
};

use crate::loads::{Accesses, all_accesses};
use crate::refusal::{Code, Refusal, merged};
use crate::rewrite::capture::captured;
use crate::rewrite::comments::blanked;
use crate::rewrite::{TextEdit, apply};
use taken::Taken;
use tiles::Tile;

/// A kernel without its tiles.
#[derive(Clone, Debug)]
pub struct Removed {
    /// The whole text.
    pub text: String,
    /// Tiles, and the buffers that are read instead.
    pub tiles: Vec<(String, String)>,
    /// Parameters that are gone.
    pub parameters: Vec<String>,
    /// Why tiles stay.
    pub refusals: Vec<Refusal>,
    /// What else to know.
    pub notes: Vec<String>,
}

/// A tile that goes.
struct Going<'t> {
    tile: Tile,
    fill: fill::Fill<'t>,
    /// The statements that fill it.
    statements: Vec<&'t Stmt>,
}

/// Takes the tiles out of a kernel.
///
/// # Errors
/// It has none, or each is more than a copy: the reasons.
pub fn remove(tree: &SourceTree, kernel: &str) -> Result<Removed, Vec<Refusal>> {
    let Some(function) = tree.function(kernel).filter(|f| f.is_kernel) else {
        return Err(vec![Refusal::elsewhere(kernel)]);
    };
    let found = tiles::tiles(function);
    if found.is_empty() {
        let message = format!("{kernel} has no local memory that could be removed");
        return Err(vec![Refusal::new(tree, function.span, Code::Form, message)]);
    }
    let mut accesses = all_accesses(tree, function);
    let code = blanked(&tree.text);
    let mut refusals = Vec::new();
    let mut going = Vec::new();
    for tile in found {
        match goes(&mut accesses, tile) {
            Ok(found) => going.push(found),
            Err(refusal) => refusals.push(refusal),
        }
    }
    // What makes one tile stay may make another one stay.
    while !going.is_empty() {
        match without(&mut accesses, &code, &going, !refusals.is_empty()) {
            Ok(mut removed) => {
                removed.refusals = merged(refusals);
                return Ok(removed);
            }
            Err((tile, refusal)) => {
                going.retain(|g| tile.is_some_and(|id| g.tile.id != id));
                refusals.push(refusal);
            }
        }
    }
    Err(merged(refusals))
}

/// What is known of a tile that can go.
fn goes<'t>(accesses: &mut Accesses<'t>, tile: Tile) -> Result<Going<'t>, Refusal> {
    let tree = accesses.bindings.tree;
    if let Some(escape) = accesses.escapes.iter().find(|e| e.buffer == tile.id) {
        let message = format!(
            "{} {} here, where it can't be followed",
            tile.name, escape.how
        );
        return Err(Refusal::new(tree, escape.span, Code::Escapes, message).of(&tile.name));
    }
    let fill = fill::fill(accesses, &tile)?;
    let mut statements = Vec::new();
    let stores: Vec<&Expr> = accesses
        .stores
        .iter()
        .filter(|s| s.buffer == tile.id)
        .map(|s| s.target)
        .collect();
    let copies: Vec<&Expr> = accesses
        .copies
        .iter()
        .filter(|c| c.tile == tile.id)
        .map(|c| c.call)
        .collect();
    filling(
        tree,
        &accesses.function.body,
        &stores,
        &copies,
        &mut statements,
    );
    if statements.len() < stores.len() + copies.len() {
        let message = format!(
            "the statements that fill {} do something else, too",
            tile.name
        );
        let span = stores.first().or(copies.first()).map(|e| e.span);
        let span = span.unwrap_or(accesses.function.span);
        return Err(Refusal::new(tree, span, Code::Form, message).of(&tile.name));
    }
    Ok(Going {
        tile,
        fill,
        statements,
    })
}

/// Statements that do nothing but one of these stores or copies.
fn filling<'t>(
    tree: &SourceTree,
    stmt: &'t Stmt,
    stores: &[&Expr],
    copies: &[&Expr],
    found: &mut Vec<&'t Stmt>,
) {
    let one_of = |list: &[&Expr], e: &Expr| list.iter().any(|o| std::ptr::eq(*o, e));
    let fills = match &stmt.kind {
        StmtKind::Expr(expr) => match &expr.plain().kind {
            ExprKind::Assign {
                op: None,
                target,
                value,
            } => {
                let copy = one_of(copies, value.plain());
                let pure = |e: &Expr| purity::has_no_effect(tree, e);
                copy || one_of(stores, target) && pure(target) && pure(value)
            }
            _ => one_of(copies, expr.plain()),
        },
        StmtKind::Declare(variables) => match &variables[..] {
            [one] => one.init.as_ref().is_some_and(|e| one_of(copies, e.plain())),
            _ => false,
        },
        _ => false,
    };
    if fills {
        found.push(stmt);
    }
    for child in stmt.children() {
        filling(tree, child, stores, copies, found);
    }
}

/// The text without these tiles, or what makes one of them stay.
fn without<'t>(
    accesses: &mut Accesses<'t>,
    code: &str,
    going: &[Going<'t>],
    others_stay: bool,
) -> Result<Removed, (Option<DeclId>, Refusal)> {
    let (tree, function) = (accesses.bindings.tree, accesses.function);
    let order = order::order(accesses);
    let mut targets: HashSet<*const Stmt> = HashSet::new();
    for one in going {
        targets.extend(one.statements.iter().map(|s| std::ptr::from_ref(*s)));
    }
    waits(accesses, going, &mut targets).map_err(|refusal| (None, refusal))?;
    if !others_stay {
        targets.extend(
            order::fences(function, order)
                .into_iter()
                .map(std::ptr::from_ref),
        );
    }
    let mut taken = taken::taken(tree, code, function, &targets).map_err(|(span, why)| {
        let at = |g: &&Going<'_>| {
            let mut own = g.statements.iter();
            own.any(|s| span.begin <= s.span.begin && s.span.end <= span.end)
        };
        let tile = going.iter().find(at).map(|g| &g.tile);
        let what = tile.map_or("a barrier", |t| &t.name);
        let message = match tile {
            Some(_) => format!("the statement that fills {what} {why}"),
            None => format!("a statement {why}"),
        };
        (
            tile.map(|t| t.id),
            Refusal::new(tree, span, Code::Form, message),
        )
    })?;
    let reads = reads(accesses, going, &taken)?;
    let ids: Vec<DeclId> = going.iter().map(|g| g.tile.id).collect();
    let replaced = |at: usize| reads.iter().any(|e| e.range.contains(&at));
    let pointers = pointers::pointers(&function.body, &ids);
    if let Some((id, span)) = named(&function.body, &|id, span| {
        let is_known = ids.contains(&id) || pointers.iter().any(|p| p.id == id);
        let points = pointers.iter().any(|p| p.value.contains(&span.begin));
        let stays = !taken.holds(&(span.begin..span.end)) && !replaced(span.begin);
        is_known && stays && !points
    }) {
        let id = pointers.iter().find(|p| p.id == id).map_or(id, |p| p.tile);
        let one = going.iter().find(|g| g.tile.id == id);
        let name = one.map_or("", |g| g.tile.name.as_str());
        let message = format!("{name} is named here, where it can't be replaced");
        let refusal = Refusal::new(tree, span, Code::Escapes, message).of(name);
        return Err((Some(id), refusal));
    }
    let hidden = hidden(accesses, code, &taken);
    let shown: String = reads.iter().map(|e| format!("{} ", e.text)).collect();
    let mut kept = macros::words_in(&shown);
    kept.extend(hidden.iter().map(String::as_str));
    let mut edits = reads.clone();
    let gone: Vec<DeclId> = ids
        .iter()
        .copied()
        .chain(pointers.iter().map(|p| p.id))
        .collect();
    dead::without_unread(tree, code, function, &mut taken, &reads, &gone, &kept);
    let mut notes = Vec::new();
    let parameters: Vec<&Tile> = going
        .iter()
        .map(|g| &g.tile)
        .filter(|t| t.is_parameter)
        .filter(|t| !hidden.contains(&t.name))
        .collect();
    for one in going.iter().filter(|g| hidden.contains(&g.tile.name)) {
        notes.push(format!(
            "{} is still declared: text that the preprocessor leaves out names it",
            one.tile.name
        ));
    }
    let gone: Vec<DeclId> = parameters.iter().map(|t| t.id).collect();
    edits.extend(
        parameters::without_parameters(&tree.text, code, function, &gone).ok_or_else(|| {
            let message = "a parameter comes out of a macro";
            let refusal = Refusal::new(tree, function.span, Code::Macro, message);
            (gone.first().copied(), refusal)
        })?,
    );
    edits.extend(lines::without(&tree.text, code, &taken.ranges));
    edits.extend(taken.edits);
    let edits = outermost(edits);
    if let Some((name, inner)) = captured(function, &edits) {
        return Err((None, Refusal::shadowed(tree, name, inner)));
    }
    let text = apply(&tree.text, &edits).ok_or_else(|| {
        let message =
            "reads of a tile lie within each other, so that they can't be replaced one by one";
        (None, Refusal::new(tree, function.span, Code::Form, message))
    })?;
    if order::has_barrier(&function.body, &targets) {
        notes.push(if others_stay {
            "the barriers stay: what stays in local memory may need them".to_owned()
        } else {
            "barriers of global memory stay: they may order what the kernel writes".to_owned()
        });
    }
    let mut words: Vec<&str> = going.iter().map(|g| g.tile.name.as_str()).collect();
    words.extend(["barrier", "work_group_barrier"]);
    Ok(Removed {
        text: macros::without_macros(&tree.text, text, &words),
        tiles: going.iter().map(|g| pair(function, g)).collect(),
        parameters: parameters.iter().map(|t| t.name.clone()).collect(),
        refusals: Vec::new(),
        notes,
    })
}

fn pair(function: &Function, going: &Going<'_>) -> (String, String) {
    let mut params = function.params.iter();
    let from = params.find(|p| p.id == going.fill.buffer);
    (
        going.tile.name.clone(),
        from.map_or(String::new(), |p| p.name.clone()),
    )
}

/// Takes `wait_group_events` out, where every copy goes.
fn waits(
    accesses: &Accesses<'_>,
    going: &[Going<'_>],
    targets: &mut HashSet<*const Stmt>,
) -> Result<(), Refusal> {
    let goes = |id: DeclId| going.iter().any(|g| g.tile.id == id);
    let own = accesses.copies.iter().any(|c| goes(c.tile));
    if !own {
        return Ok(());
    }
    let tree = accesses.bindings.tree;
    let mut waiting = Vec::new();
    let mut copying = 0;
    calls(&accesses.function.body, &mut |stmt, callee| match callee {
        "wait_group_events" => waiting.push(stmt),
        c if c.starts_with("async_work_group_") => copying += 1,
        _ => {}
    });
    let all = accesses.copies.iter().all(|c| goes(c.tile)) && copying == accesses.copies.len();
    if !all {
        return Err(Refusal::new(
            tree,
            accesses.function.span,
            Code::Form,
            "it waits for copies of which some stay",
        ));
    }
    targets.extend(waiting.into_iter().map(std::ptr::from_ref));
    Ok(())
}

/// Calls that are statements, or that a statement assigns or declares something with.
fn calls<'t>(stmt: &'t Stmt, found: &mut dyn FnMut(&'t Stmt, &'t str)) {
    for expr in stmt.expressions() {
        let value = match &expr.plain().kind {
            ExprKind::Assign { value, .. } => value.plain(),
            _ => expr.plain(),
        };
        if let ExprKind::Call { callee, .. } = &value.kind {
            found(stmt, callee);
        }
    }
    for child in stmt.children() {
        calls(child, found);
    }
}

/// The reads of the tiles that go, as reads of global memory.
fn reads<'t>(
    accesses: &mut Accesses<'t>,
    going: &[Going<'t>],
    taken: &Taken,
) -> Result<Vec<TextEdit>, (Option<DeclId>, Refusal)> {
    let mut edits = Vec::new();
    for one in going {
        let own: Vec<usize> = (0..accesses.loads.len())
            .filter(|l| accesses.loads[*l].buffer == one.tile.id)
            .filter(|l| {
                let span = accesses.loads[*l].expr.span;
                !taken.holds(&(span.begin..span.end))
            })
            .collect();
        for read in own {
            let edit = direct::direct(accesses, &one.tile, &one.fill, read);
            edits.push(edit.map_err(|refusal| (Some(one.tile.id), refusal))?);
        }
    }
    Ok(edits)
}

/// The first use of a variable for which something holds.
fn named(stmt: &Stmt, is: &dyn Fn(DeclId, Span) -> bool) -> Option<(DeclId, Span)> {
    fn by(expr: &Expr, is: &dyn Fn(DeclId, Span) -> bool) -> Option<(DeclId, Span)> {
        match expr.kind {
            ExprKind::Variable { id, .. } => is(id, expr.span).then_some((id, expr.span)),
            _ => expr.children().into_iter().find_map(|e| by(e, is)),
        }
    }
    let own = stmt.expressions().into_iter().find_map(|e| by(e, is));
    own.or_else(|| stmt.children().into_iter().find_map(|s| named(s, is)))
}

/// Names of variables that stand in text that the preprocessor leaves out.
fn hidden(accesses: &Accesses<'_>, code: &str, taken: &Taken) -> BTreeSet<String> {
    let function = accesses.function;
    let within = function.span.begin..function.span.end;
    let mut named = Vec::new();
    named_in(&function.body, &mut named);
    for param in &function.params {
        let span = param.span.begin..param.span.end;
        named.extend(span.map(|at| (param.name.as_str(), at)));
    }
    let mut names: Vec<(String, Vec<usize>)> = Vec::new();
    for variable in &accesses.variables {
        let own = named.iter().filter(|(n, _)| *n == variable.name);
        names.push((variable.name.clone(), own.map(|(_, at)| *at).collect()));
    }
    for param in &function.params {
        let own = named.iter().filter(|(n, _)| *n == param.name);
        names.push((param.name.clone(), own.map(|(_, at)| *at).collect()));
    }
    names
        .into_iter()
        .filter(|(name, known)| {
            let places = macros::conditional_places(code, within.clone(), name);
            places.iter().any(|at| {
                let end = at + name.len();
                !known.iter().any(|k| at <= k && *k < end) && !taken.holds(&(*at..end))
            })
        })
        .map(|(name, _)| name)
        .collect()
}

/// Where variables are named and declared.
fn named_in<'t>(stmt: &'t Stmt, found: &mut Vec<(&'t str, usize)>) {
    if let StmtKind::Declare(variables) = &stmt.kind {
        for variable in variables {
            // The name stands somewhere in the declarator.
            let span = variable.span.begin..variable.span.end;
            found.extend(span.map(|at| (variable.name.as_str(), at)));
        }
    }
    for expr in stmt.expressions() {
        named_by(expr, found);
    }
    for child in stmt.children() {
        named_in(child, found);
    }
}

fn named_by<'t>(expr: &'t Expr, found: &mut Vec<(&'t str, usize)>) {
    if let ExprKind::Variable { name, .. } = &expr.kind {
        let begin = expr.span.editable().map_or(expr.span.begin, |r| r.start);
        found.push((name, begin));
    }
    for child in expr.children() {
        named_by(child, found);
    }
}

/// Edits that lie in no other one, each once.
fn outermost(edits: Vec<TextEdit>) -> Vec<TextEdit> {
    let mut kept: Vec<TextEdit> = Vec::new();
    for (i, edit) in edits.iter().enumerate() {
        let inside = edits.iter().enumerate().any(|(j, o)| {
            let holds = match edit.range.is_empty() {
                true => o.range.start < edit.range.start && edit.range.end < o.range.end,
                false => o.range.start <= edit.range.start && edit.range.end <= o.range.end,
            };
            holds && i != j && (o.range != edit.range || j < i)
        });
        if !inside {
            kept.push(edit.clone());
        }
    }
    kept
}
