//! A read of a tile as a read of global memory.

use std::collections::HashMap;

use tilewise_frontend::source::{BinaryOp, DeclId, Expr, ExprKind};

use super::fill::{Elsewhere, Fill, Way};
use super::index::{Indices, Level, Text, level, sum};
use super::purity::has_no_effect;
use super::solve::{Solved, any_atom, places, replaced};
use super::tiles::Tile;
use crate::loads::{Accesses, Load};
use crate::plan::domain::without_implied;
use crate::refusal::{Code, Refusal};
use crate::rewrite::TextEdit;
use crate::symbolic::{Atom, AtomId, LoopId, Poly};

/// Where a read is, by one coordinate of the tile.
struct Place {
    value: Poly,
    /// As it is written, where that is all of it.
    text: Option<Text>,
}

/// A read of a tile as a read of global memory.
///
/// # Errors
/// The read is at a place that the fill says nothing of.
pub fn direct<'t>(
    accesses: &mut Accesses<'t>,
    tile: &Tile,
    fill: &Fill<'t>,
    read: usize,
) -> Result<TextEdit, Refusal> {
    let tree = accesses.bindings.tree;
    let span = accesses.loads[read].expr.span;
    let refuse = |code, why: &str| {
        Refusal::new(
            tree,
            span,
            code,
            format!("this read of {} {why}", tile.name),
        )
        .of(&tile.name)
    };
    let range = accesses.loads[read].text.range.clone().ok_or_else(|| {
        refuse(
            Code::Macro,
            "comes out of a macro and can't be edited alone",
        )
    })?;
    let param = accesses
        .function
        .params
        .iter()
        .find(|p| p.id == fill.buffer);
    let name = param.map(|p| p.name.clone()).unwrap_or_default();
    let found = placed(accesses, fill, read).ok_or_else(|| {
        refuse(
            Code::Form,
            "is at a place that its fill can't be solved for",
        )
    })?;
    let (by, texts) = match &fill.way {
        Way::Solved(coordinates) => solved_for(accesses, coordinates, found),
        Way::Shifted(_) => Default::default(),
    };
    let target = match &fill.way {
        Way::Solved(_) => replaced(&mut accesses.bindings.atoms, &fill.from, &by),
        Way::Shifted(by) => Some(accesses.loads[read].index.add(by)),
    };
    let target = target.ok_or_else(|| refuse(Code::Form, "has too large an index"))?;
    let (conditions, whole) = conditions(accesses, fill, read, &by, &target)
        .ok_or_else(|| refuse(Code::Form, "has too large a condition"))?;
    let constant = fill
        .elsewhere
        .as_ref()
        .and_then(|e| tree.text_of(e.constant.span))
        .unwrap_or("0");
    // The fill's variables stand for their values.
    let active = with_loops(accesses, &fill.loops);
    let loops = accesses.loads[read].loops.clone();
    let written = own_index(&accesses.loads[read]);
    let mut indices = Indices {
        accesses,
        by,
        texts,
        place: range.start,
        loops,
    };
    let element = match &fill.image {
        Some(image) if indices.is_known(&target) => {
            let pitch = image.pitch(&name);
            let (x, y) = halves(&mut indices, pitch, &target);
            Some(image.text(&name, &x, &y))
        }
        Some(_) => None,
        None => {
            let index = match &fill.way {
                Way::Solved(_) => indices.index(fill.written, &target),
                Way::Shifted(by) => shifted(&mut indices, (written, fill.written), by, &target),
            };
            index.map(|i| format!("{name}[{}]", i.text))
        }
    };
    let readable = conditions.iter().all(|c| indices.is_known(c));
    let texts: Vec<String> = conditions
        .iter()
        .map(|c| indices.relation(c, &target))
        .collect();
    accesses.bindings.active = active;
    let element = element
        .filter(|_| readable)
        .ok_or_else(|| refuse(Code::Form, "depends on more than its place in the tile"))?;
    let outer = accesses.loads[read].text.cast.clone();
    let cast = converted(accesses, fill, read);
    let text = if texts.is_empty() {
        format!("{outer}{}{element}", cast.unwrap_or_default())
    } else {
        let cast = cast.or_else(|| type_of(accesses, read).filter(|_| whole));
        let cast = cast.unwrap_or_default();
        format!(
            "{outer}{cast}({} ? {element} : {constant})",
            texts.join(" && ")
        )
    };
    Ok(TextEdit::replace(range, text))
}

/// The index of an element as it is written, where the pointer adds nothing.
fn own_index<'t>(load: &Load<'t>) -> Option<&'t Expr> {
    match &load.expr.kind {
        ExprKind::Index { base, index } => match &base.plain().kind {
            ExprKind::Variable { id, .. } if *id == load.buffer => Some(index),
            _ => None,
        },
        _ => None,
    }
}

/// Indices of an array, outermost first, where they are written one by one.
fn array_indices<'t>(load: &Load<'t>) -> Option<Vec<&'t Expr>> {
    let mut indices = Vec::new();
    let mut expr = load.expr;
    loop {
        match &expr.kind {
            ExprKind::Index { base, index } => {
                indices.insert(0, index.as_ref());
                expr = base.plain();
            }
            ExprKind::Variable { id, .. } if *id == load.buffer => return Some(indices),
            _ => return None,
        }
    }
}

/// Where a read is in the tile.
fn placed(accesses: &mut Accesses<'_>, fill: &Fill<'_>, read: usize) -> Option<Vec<Place>> {
    let Way::Solved(coordinates) = &fill.way else {
        return Some(Vec::new());
    };
    let index = accesses.loads[read].index.clone();
    let tree = accesses.bindings.tree;
    let text = |e: &Expr| {
        let text = tree.text_of(e.span).filter(|_| has_no_effect(tree, e));
        text.map(|t| Text::new(t, level(e)))
    };
    let written = array_indices(&accesses.loads[read]).unwrap_or_default();
    if let ([one], [_] | []) = (&coordinates[..], &written[..])
        && one.stride.as_constant() == Some(1)
    {
        let text = match written[..] {
            [one] => text(one),
            _ => None,
        };
        return Some(vec![Place { value: index, text }]);
    }
    let by_rows = match written[..] {
        [one] => rows_written(accesses, coordinates, one, read),
        _ => None,
    };
    let found = match by_rows {
        Some(found) => found,
        None => places(&mut accesses.bindings.atoms, coordinates, &index)?,
    };
    let rows = written.len() == coordinates.len();
    let places = coordinates.iter().zip(found).map(|(c, value)| {
        // The fastest coordinate is the last index.
        let at = match c.stride.as_constant() {
            Some(1) => Some(0),
            _ => rows_below(accesses, &c.stride),
        };
        let own = at
            .filter(|_| rows)
            .and_then(|at| written.len().checked_sub(at + 1));
        let text = own.and_then(|i| text(written[i]));
        Place { value, text }
    });
    Some(places.collect())
}

/// The coordinates of an index that is written as `row * pitch + column` with a number for
/// the pitch: as a polynomial, it may look like another row.
fn rows_written<'t>(
    accesses: &mut Accesses<'t>,
    coordinates: &[Solved],
    index: &'t Expr,
    read: usize,
) -> Option<Vec<Poly>> {
    let [a, b] = coordinates else { return None };
    let pitch = match (a.stride.as_constant()?, b.stride.as_constant()?) {
        (1, pitch) | (pitch, 1) => pitch,
        _ => return None,
    };
    let outer = with_loops(accesses, &accesses.loads[read].loops.clone());
    let (mut row, mut column) = (Poly::default(), Poly::default());
    sort_terms(accesses, index, pitch, 1, &mut row, &mut column);
    accesses.bindings.active = outer;
    let unknown = |p: &Poly| {
        let atoms = &accesses.bindings.atoms;
        p.atoms()
            .any(|a| matches!(atoms.get(a), Atom::Unknown { .. }))
    };
    let wide = column.terms().any(|(m, c)| !m.is_empty() && c.abs() > 1);
    if row.is_zero() || wide || unknown(&row) || unknown(&column) {
        return None;
    }
    Some(if a.stride.as_constant() == Some(1) {
        vec![column, row]
    } else {
        vec![row, column]
    })
}

/// Adds the terms of a sum to the row, where they are a product with the pitch, or to the
/// column.
fn sort_terms<'t>(
    accesses: &mut Accesses<'t>,
    expr: &'t Expr,
    pitch: i128,
    sign: i128,
    row: &mut Poly,
    column: &mut Poly,
) {
    let expr = expr.plain();
    match &expr.kind {
        ExprKind::Binary {
            op: op @ (BinaryOp::Add | BinaryOp::Sub),
            left,
            right,
        } => {
            sort_terms(accesses, left, pitch, sign, row, column);
            let sign = if *op == BinaryOp::Sub { -sign } else { sign };
            sort_terms(accesses, right, pitch, sign, row, column);
        }
        ExprKind::Binary {
            op: BinaryOp::Mul,
            left,
            right,
        } => {
            let (a, b) = (accesses.bindings.eval(left), accesses.bindings.eval(right));
            let atoms = &accesses.bindings.atoms;
            let number = |p: &Poly| atoms.with_values(p).as_constant();
            match (number(&a), number(&b)) {
                (_, Some(c)) if c == pitch => *row = row.plus(&a, sign),
                (Some(c), _) if c == pitch => *row = row.plus(&b, sign),
                _ => {
                    let value = accesses.bindings.eval(expr);
                    *column = column.plus(&value, sign);
                }
            }
        }
        _ => {
            let value = accesses.bindings.eval(expr);
            *column = column.plus(&value, sign);
        }
    }
}

/// Lets the variables of loops stand for their values; gives those that did before.
fn with_loops(accesses: &mut Accesses<'_>, loops: &[LoopId]) -> HashMap<DeclId, LoopId> {
    let before = accesses.bindings.active.clone();
    for id in loops {
        let variable = accesses.bindings.loops[id.0 as usize].variable;
        accesses.bindings.active.insert(variable, *id);
    }
    before
}

/// The dimensions of an array below the one that a pitch belongs to.
fn rows_below(accesses: &Accesses<'_>, stride: &Poly) -> Option<usize> {
    match accesses.bindings.atoms.get(stride.as_atom()?) {
        Atom::Named(name) => name.split(" rows ").nth(1)?.parse().ok(),
        _ => None,
    }
}

/// What the fill's ids and loop variables are at a read, and how that is written.
fn solved_for(
    accesses: &mut Accesses<'_>,
    coordinates: &[Solved],
    places: Vec<Place>,
) -> (HashMap<AtomId, Poly>, HashMap<AtomId, Text>) {
    let mut by = HashMap::new();
    let mut texts = HashMap::new();
    for (c, place) in coordinates.iter().zip(places) {
        let atoms = &mut accesses.bindings.atoms;
        let unknown = any_atom(atoms, &place.value, &|_, atom| {
            matches!(atom, Atom::Unknown { .. })
        });
        let value = match &place.text {
            // What is not known is named by its text.
            Some(text) if unknown => {
                let name = text.within(Level::Word);
                Poly::atom(atoms.intern(Atom::Named(name)))
            }
            _ => place.value,
        };
        let value = value.sub(&c.rest);
        if let Some(text) = place.text {
            if c.rest.is_zero() {
                texts.insert(c.atom, text);
            } else if let Some(rest) = c.rest.as_constant()
                && value.as_constant().is_none()
                && value
                    .atoms()
                    .any(|a| matches!(atoms.get(a), Atom::Named(_)))
            {
                let rest = Text::new((-rest).to_string(), Level::Unary);
                texts.insert(c.atom, sum(&text, &rest, false));
            }
        }
        if value != Poly::atom(c.atom) {
            by.insert(c.atom, value);
        }
    }
    (by, texts)
}

/// A read's own index with what is added to it, which the source may write, too.
fn shifted<'t>(
    indices: &mut Indices<'_, 't>,
    (written, added): (Option<&'t Expr>, Option<&'t Expr>),
    by: &Poly,
    target: &Poly,
) -> Option<Text> {
    let tree = indices.accesses.bindings.tree;
    let known = indices.index(None, target);
    let own = written.filter(|e| has_no_effect(tree, e));
    let own = own.and_then(|e| Some(Text::new(tree.text_of(e.span)?, level(e))));
    let own = match own {
        Some(own) if indices.is_known(by) => {
            let first = indices.index(added, by)?;
            Some(sum(&first, &own, false))
        }
        // A variable in local memory has no index.
        None if indices.accesses.bindings.atoms.all_uniform(target) && added.is_some() => {
            indices.index(added, target)
        }
        _ => None,
    };
    match (known, own) {
        (Some(known), Some(own)) if known.cost() < own.cost() => Some(known),
        (known, own) => own.or(known),
    }
}

/// The conditions under which a read finds a copy, those aside that hold anyway; and
/// whether the constant has another type than the element.
fn conditions(
    accesses: &mut Accesses<'_>,
    fill: &Fill<'_>,
    read: usize,
    by: &HashMap<AtomId, Poly>,
    there: &Poly,
) -> Option<(Vec<Poly>, bool)> {
    let Some(Elsewhere { own, constant }) = &fill.elsewhere else {
        return Some((Vec::new(), false));
    };
    let mut found = Vec::new();
    for condition in own {
        found.push(replaced(&mut accesses.bindings.atoms, condition, by)?);
    }
    for edge in &fill.edges {
        found.extend(at_edge(accesses, *edge, there));
    }
    let mut facts = Vec::new();
    if let [guard] = &accesses.loads[read].guard.0[..] {
        facts.extend(guard.constraints.iter().cloned());
    }
    let found = without_implied(&accesses.bindings.atoms, found, &facts);
    let ty = constant.ty.scalar_name();
    let wider = ty == Some("double") && fill.ty != "double";
    Some((found, wider))
}

/// The conditions of a load at an edge, for the element that another index reads.
fn at_edge(accesses: &Accesses<'_>, edge: usize, there: &Poly) -> Vec<Poly> {
    let load: &Load<'_> = &accesses.loads[edge];
    let own = load.choice.as_ref().map_or(&[][..], |c| &c.own);
    let atoms = &accesses.bindings.atoms;
    let id = load
        .index
        .terms()
        .find(|(m, c)| m.len() == 1 && *c == 1 && matches!(atoms.get(m[0]), Atom::LocalId(_)));
    let Some((id, _)) = id else { return Vec::new() };
    own.iter()
        .map(|c| c.plus(&there.sub(&load.index), c.coefficient(id)))
        .collect()
}

/// A conversion that the tile made: its elements have another type than the buffer's.
fn converted(accesses: &Accesses<'_>, fill: &Fill<'_>, read: usize) -> Option<String> {
    let to = accesses.loads[read].expr.ty.scalar_name()?;
    let differs = fill.ty != to && !fill.ty.is_empty();
    type_of(accesses, read).filter(|_| differs)
}

fn type_of(accesses: &Accesses<'_>, read: usize) -> Option<String> {
    let to = accesses.loads[read].expr.ty.scalar_name()?;
    let short = match to.split_once(' ') {
        Some(("unsigned", one)) => format!("u{one}"),
        _ => to.to_owned(),
    };
    Some(format!("({short})"))
}

/// Both coordinates of a texel.
fn halves(indices: &mut Indices<'_, '_>, pitch: Atom, index: &Poly) -> (String, String) {
    let pitch = indices.accesses.bindings.atoms.intern(pitch);
    let (mut x, mut y) = (Poly::default(), Poly::default());
    for (monomial, coefficient) in index.terms() {
        match Poly::quotient(monomial, &[pitch]) {
            Some(rest) => y.add_term(coefficient, rest),
            None => x.add_term(coefficient, monomial.clone()),
        }
    }
    indices.printed(|p| (p.poly(&x), p.poly(&y)))
}
