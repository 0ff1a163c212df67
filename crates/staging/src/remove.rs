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
//! variables and local ids), coordinate by coordinate of the tile; a read `tile[R]` is
//! then `in[G(F⁻¹(R))]`, under the condition under which the fill reads, if a constant
//! stands elsewhere. Fills, barriers, tiles and what only they need are taken out.
//!
//! It proves nothing: the caller runs both forms. What it misses: tiles that hold
//! something computed, or that are filled from elsewhere than global memory.

use std::collections::{BTreeSet, HashMap};

use tilewise_frontend::source::{
    AddressSpace, DeclId, Expr, ExprKind, Function, SourceTree, Stmt, StmtKind,
};

use crate::loads::{Accesses, Load, Store, all_accesses};
use crate::plan::coordinates::split;
use crate::plan::domain::without_implied;
use crate::refusal::{Code, Refusal};
use crate::rewrite::edit::line_start;
use crate::rewrite::fixed_group::above_comments;
use crate::rewrite::loop_tile::end_of;
use crate::rewrite::print::Printer;
use crate::rewrite::unused::unused;
use crate::rewrite::{TextEdit, apply};
use crate::symbolic::{Atom, AtomId, Atoms, Function as Pure, LoopId, Poly};

/// A kernel without its tiles.
#[derive(Clone, Debug)]
pub struct Removed {
    /// The whole text.
    pub text: String,
    /// Tiles, and the buffers that are read instead.
    pub tiles: Vec<(String, String)>,
    /// Parameters that are gone.
    pub parameters: Vec<String>,
}

/// A tile of the kernel.
struct Tile {
    id: DeclId,
    name: String,
    is_parameter: bool,
}

/// A coordinate of a tile: its stride, what of a fill is solved for, and what is added to
/// that.
type Solved = (Poly, AtomId, Poly);

/// How a tile is filled.
struct Fill {
    /// The tile's coordinates.
    coordinates: Vec<Solved>,
    /// Number of the load that fills it.
    load: usize,
    /// Further loads, at the edges of the tile, whose conditions count.
    edges: Vec<usize>,
}

/// Takes the tiles out of a kernel.
///
/// # Errors
/// It has none, or one is more than a copy: the reasons.
pub fn remove(tree: &SourceTree, kernel: &str) -> Result<Removed, Vec<Refusal>> {
    let Some(function) = tree.function(kernel).filter(|f| f.is_kernel) else {
        return Err(vec![Refusal::elsewhere(kernel)]);
    };
    removed(tree, function).map_err(|refusal| vec![refusal])
}

fn removed(tree: &SourceTree, function: &Function) -> Result<Removed, Refusal> {
    let mut accesses = all_accesses(tree, function);
    let tiles = tiles(function);
    if tiles.is_empty() {
        return Err(Refusal::new(
            tree,
            function.span,
            Code::Form,
            format!(
                "{} has no local memory that could be removed",
                function.name
            ),
        ));
    }
    for written in &accesses.written {
        let is_tile = tiles.iter().any(|t| t.id == *written);
        if !is_tile && accesses.loads.iter().any(|l| l.buffer == *written) {
            return Err(Refusal::new(
                tree,
                function.span,
                Code::Written,
                "it reads a buffer that it writes, so that its barriers may order more than the tile",
            ));
        }
    }
    let mut edits = Vec::new();
    let mut kept = BTreeSet::new();
    let mut pairs = Vec::new();
    for tile in &tiles {
        if let Some(escape) = accesses.escapes.iter().find(|e| e.buffer == tile.id) {
            let message = format!(
                "{} {} here, where it can't be followed",
                tile.name, escape.how
            );
            return Err(Refusal::new(tree, escape.span, Code::Escapes, message).of(&tile.name));
        }
        let stores: Vec<usize> = (0..accesses.stores.len())
            .filter(|s| accesses.stores[*s].buffer == tile.id)
            .collect();
        let fill = fill(&mut accesses, tile, &stores)?;
        let out = without_stores(tree, function, &accesses, &stores, tile)?;
        let inside = |offset: usize| out.iter().any(|e| e.range.contains(&offset));
        let reads: Vec<usize> = (0..accesses.loads.len())
            .filter(|l| accesses.loads[*l].buffer == tile.id)
            .filter(|l| !inside(accesses.loads[*l].expr.span.begin))
            .collect();
        for read in reads {
            edits.push(direct(&mut accesses, tile, &fill, read, &mut kept)?);
        }
        edits.extend(out);
        let from = accesses.loads[fill.load].buffer;
        let from = function.params.iter().find(|p| p.id == from);
        pairs.push((
            tile.name.clone(),
            from.map_or(String::new(), |p| p.name.clone()),
        ));
    }
    barriers(tree, &function.body, &mut edits);
    let mut parameters = Vec::new();
    for tile in tiles.iter().filter(|t| t.is_parameter) {
        edits.push(without_parameter(tree, function, tile)?);
        parameters.push(tile.name.clone());
    }
    arrays(tree, &function.body, &tiles, &mut edits);
    for edit in unused(tree, function, &edits, &kept) {
        let begin = above_comments(&tree.text, edit.range.start);
        edits.push(TextEdit::replace(begin..edit.range.end, edit.text));
    }
    let edits = outermost(edits);
    let text = apply(&tree.text, &edits).ok_or_else(|| {
        Refusal::new(
            tree,
            function.span,
            Code::Form,
            "reads of a tile lie within each other, so that they can't be replaced one by one",
        )
    })?;
    Ok(Removed {
        text: tidied(&tree.text, text, function),
        tiles: pairs,
        parameters,
    })
}

/// Local memory of a kernel: parameters and arrays.
fn tiles(function: &Function) -> Vec<Tile> {
    let mut found: Vec<Tile> = function
        .params
        .iter()
        .filter(|p| p.ty.points_to() == Some(AddressSpace::Local))
        .map(|p| Tile {
            id: p.id,
            name: p.name.clone(),
            is_parameter: true,
        })
        .collect();
    let mut stack = vec![&function.body];
    while let Some(stmt) = stack.pop() {
        if let StmtKind::Declare(variables) = &stmt.kind {
            for variable in variables {
                let spelled = variable.ty.spelled.as_ref();
                let space = spelled.and_then(|s| s.base_qualifiers.space);
                if space == Some(AddressSpace::Local) && !variable.ty.is_pointer() {
                    found.push(Tile {
                        id: variable.id,
                        name: variable.name.clone(),
                        is_parameter: false,
                    });
                }
            }
        }
        stack.extend(stmt.children());
    }
    found
}

/// Finds out how a tile is filled.
fn fill(accesses: &mut Accesses<'_>, tile: &Tile, stores: &[usize]) -> Result<Fill, Refusal> {
    let tree = accesses.bindings.tree;
    let refuse = |span, why: &str| {
        Refusal::new(tree, span, Code::Form, format!("{} {why}", tile.name)).of(&tile.name)
    };
    let mut main: Option<(usize, Vec<Solved>)> = None;
    let mut loads = Vec::new();
    for &store in stores {
        let span = accesses.stores[store].target.span;
        let load = copied(accesses, &accesses.stores[store]).ok_or_else(|| {
            refuse(
                span,
                "holds something else here than a copy of global memory",
            )
        })?;
        loads.push(load);
        if main.is_none()
            && let Some(coordinates) = solved(accesses, store)
        {
            main = Some((load, coordinates));
        }
    }
    let span = accesses.function.span;
    let Some((load, coordinates)) = main else {
        return Err(refuse(span, "is filled in a way that can't be followed"));
    };
    let buffer = accesses.loads[load].buffer;
    if loads.iter().any(|l| accesses.loads[*l].buffer != buffer) {
        return Err(refuse(span, "is filled from several buffers"));
    }
    Ok(Fill {
        coordinates,
        load,
        edges: loads.into_iter().filter(|l| *l != load).collect(),
    })
}

/// The load of global memory that a store copies, with a constant elsewhere or not.
fn copied(accesses: &Accesses<'_>, store: &Store<'_>) -> Option<usize> {
    let value = store.value?.plain();
    let (load, chosen) = match &value.kind {
        ExprKind::Conditional {
            then, otherwise, ..
        } => {
            let find = |e: &Expr| load_of(accesses, e.plain());
            (find(then).or_else(|| find(otherwise))?, true)
        }
        _ => (load_of(accesses, value)?, false),
    };
    let is_global = accesses.function.params.iter().any(|p| {
        p.id == accesses.loads[load].buffer && p.ty.points_to() != Some(AddressSpace::Local)
    });
    let understood = accesses.loads[load]
        .choice
        .as_ref()
        .map_or(!chosen, |c| !c.own.is_empty());
    (is_global && understood).then_some(load)
}

fn load_of(accesses: &Accesses<'_>, expr: &Expr) -> Option<usize> {
    (0..accesses.loads.len()).find(|l| std::ptr::eq(accesses.loads[*l].expr, expr))
}

/// An index with its functions of ids as loop variables, so that it is affine in them.
fn opaque(atoms: &mut Atoms, index: &Poly) -> (Poly, HashMap<AtomId, AtomId>) {
    let functions: Vec<AtomId> = index
        .atoms()
        .filter(|a| matches!(atoms.get(*a), Atom::Function(_)) && !atoms.is_uniform(*a))
        .collect();
    let mut shown = index.clone();
    let mut known = HashMap::new();
    for function in functions {
        let id = LoopId(u32::MAX - function.0);
        let name = format!("function {}", function.0);
        let atom = atoms.intern(Atom::Loop {
            id,
            name,
            natural: false,
        });
        known.insert(atom, function);
        if let Some(replaced) = shown.substitute(function, &Poly::atom(atom)) {
            shown = replaced;
        }
    }
    (shown, known)
}

/// The coordinates of a fill's store, each solved for one id, loop variable or function
/// of them.
fn solved(accesses: &mut Accesses<'_>, store: usize) -> Option<Vec<Solved>> {
    let index = accesses.stores[store].index.clone();
    let atoms = &mut accesses.bindings.atoms;
    let (index, known) = opaque(atoms, &index);
    let split = split(atoms, &index).ok()?;
    if !split.base.is_zero() || split.coordinates.is_empty() {
        return None;
    }
    let mut coordinates: Vec<Solved> = Vec::new();
    for coordinate in &split.coordinates {
        let moving: Vec<AtomId> = coordinate
            .value
            .atoms()
            .filter(|a| !atoms.is_uniform(*a))
            .collect();
        let [one] = moving[..] else { return None };
        if coordinate.value.coefficient(&[one]) != 1 || coordinate.map.is_some() {
            return None;
        }
        let rest = coordinate.value.sub(&Poly::atom(one));
        let atom = known.get(&one).copied().unwrap_or(one);
        if coordinates.iter().any(|(_, a, _)| *a == atom) {
            return None;
        }
        coordinates.push((coordinate.stride.clone(), atom, rest));
    }
    Some(coordinates)
}

/// A read of a tile as a read of global memory.
fn direct(
    accesses: &mut Accesses<'_>,
    tile: &Tile,
    fill: &Fill,
    read: usize,
    kept: &mut BTreeSet<String>,
) -> Result<TextEdit, Refusal> {
    let tree = accesses.bindings.tree;
    let span = accesses.loads[read].expr.span;
    let refuse = |why: &str| {
        Refusal::new(
            tree,
            span,
            Code::Form,
            format!("this read of {} {why}", tile.name),
        )
        .of(&tile.name)
    };
    let range = accesses.loads[read]
        .text
        .range
        .clone()
        .ok_or_else(|| refuse("comes out of a macro and can't be edited alone"))?;
    let source = &accesses.loads[fill.load];
    let param = accesses
        .function
        .params
        .iter()
        .find(|p| p.id == source.buffer);
    let name = param.map(|p| p.name.clone()).unwrap_or_default();
    let index = accesses.loads[read].index.clone();
    // A copy in place: whatever the index is, it stays.
    if let [(stride, atom, rest)] = &fill.coordinates[..]
        && stride.as_constant() == Some(1)
        && rest.is_zero()
        && source.index == Poly::atom(*atom)
        && source.choice.is_none()
        && let ExprKind::Index { base, .. } = &accesses.loads[read].expr.kind
        && let Some(base) = base.span.editable()
    {
        return Ok(TextEdit::replace(base, name));
    }
    let places = places(accesses, fill, &index)
        .ok_or_else(|| refuse("is at a place that its fill can't be solved for"))?;
    let by: HashMap<AtomId, Poly> = fill
        .coordinates
        .iter()
        .zip(&places)
        .map(|((_, atom, rest), place)| (*atom, place.sub(rest)))
        .collect();
    let source = &accesses.loads[fill.load];
    let (image, choice) = (source.image.clone(), source.choice.clone());
    let from = source.index.clone();
    let atoms = &mut accesses.bindings.atoms;
    let there = replaced(atoms, &from, &by).ok_or_else(|| refuse("has too large an index"))?;
    let known_loops = &accesses.loads[read].loops;
    let strange = there.atoms().any(|a| match accesses.bindings.atoms.get(a) {
        Atom::Loop { id, .. } => !known_loops.contains(id),
        Atom::Unknown { .. } => true,
        _ => false,
    });
    if strange {
        return Err(refuse("depends on more than its place in the tile"));
    }
    let mut conditions = Vec::new();
    if let Some(choice) = &choice {
        for condition in &choice.own {
            conditions.push(
                replaced(&mut accesses.bindings.atoms, condition, &by)
                    .ok_or_else(|| refuse("has too large a condition"))?,
            );
        }
        for edge in &fill.edges {
            conditions.extend(at_edge(accesses, *edge, &there));
        }
    }
    let mut facts = Vec::new();
    if let [guard] = &accesses.loads[read].guard.0[..] {
        facts.extend(guard.constraints.iter().cloned());
    }
    let conditions = without_implied(&accesses.bindings.atoms, conditions, &facts);
    let constant = choice
        .as_ref()
        .and_then(|c| tree.text_of(c.otherwise.span))
        .unwrap_or("0");
    let cast = converted(accesses, fill, read);
    let nothing = HashMap::new();
    let mut printer = Printer {
        atoms: &mut accesses.bindings.atoms,
        variables: &accesses.variables,
        place: range.start,
        introduced: &nothing,
        used: BTreeSet::new(),
    };
    let element = match &image {
        Some(image) => {
            let (x, y) = halves(&mut printer, image.pitch(&name), &there);
            image.text(&name, &x, &y)
        }
        None => format!("{cast}{name}[{}]", by_rows(&mut printer, &there)),
    };
    let texts: Vec<String> = conditions
        .iter()
        .map(|c| printer.relation(c, false))
        .collect();
    kept.append(&mut printer.used);
    Ok(TextEdit::replace(
        range,
        match texts.is_empty() {
            true => element,
            false => format!("({} ? {element} : {constant})", texts.join(" && ")),
        },
    ))
}

/// Both coordinates of a texel.
fn halves(printer: &mut Printer<'_>, pitch: Atom, index: &Poly) -> (String, String) {
    let pitch = printer.atoms.intern(pitch);
    let (mut x, mut y) = (Poly::default(), Poly::default());
    for (monomial, coefficient) in index.terms() {
        match Poly::quotient(monomial, &[pitch]) {
            Some(rest) => y.add_term(coefficient, rest),
            None => x.add_term(coefficient, monomial.clone()),
        }
    }
    (printer.poly(&x), printer.poly(&y))
}

/// A conversion that the tile made: its elements have another type than the buffer's.
fn converted(accesses: &Accesses<'_>, fill: &Fill, read: usize) -> String {
    let from = &accesses.loads[fill.load].expr.ty;
    let to = &accesses.loads[read].expr.ty;
    let same = from.scalar_name() == to.scalar_name();
    match (same, to.scalar_name()) {
        (false, Some(name)) => format!("({name})"),
        _ => String::new(),
    }
}

/// Where a read is in the tile, by the coordinates of its fill.
fn places(accesses: &mut Accesses<'_>, fill: &Fill, index: &Poly) -> Option<Vec<Poly>> {
    if let [(stride, _, _)] = &fill.coordinates[..]
        && stride.as_constant() == Some(1)
    {
        return Some(vec![index.clone()]);
    }
    let atoms = &mut accesses.bindings.atoms;
    let (index, known) = opaque(atoms, index);
    let split = split(atoms, &index).ok()?;
    if !split.base.is_zero() || split.coordinates.len() > fill.coordinates.len() {
        return None;
    }
    let mut places = Vec::new();
    for (stride, _, _) in &fill.coordinates {
        let same = split
            .coordinates
            .iter()
            .find(|c| equal(atoms, &c.stride, stride) && c.map.is_none());
        let mut place = same.map_or(Poly::default(), |c| c.value.clone());
        for (atom, function) in &known {
            place = place.substitute(*atom, &Poly::atom(*function))?;
        }
        places.push(place);
    }
    let all_found = split.coordinates.iter().all(|c| {
        fill.coordinates
            .iter()
            .any(|(stride, _, _)| equal(atoms, stride, &c.stride))
    });
    all_found.then_some(places)
}

/// Whether two pitches are the same, however the source adds them up.
fn equal(atoms: &Atoms, a: &Poly, b: &Poly) -> bool {
    let (a, b) = (atoms.expanded(a), atoms.expanded(b));
    a.is_some() && a == b
}

/// An index as `row * pitch + column`, where it is one.
fn by_rows(printer: &mut Printer<'_>, index: &Poly) -> String {
    let split = match split(printer.atoms, index) {
        Ok(split) if split.base.is_zero() && !split.coordinates.is_empty() => split,
        _ => return printer.poly(index),
    };
    let mut parts = Vec::new();
    for coordinate in split.coordinates.iter().rev() {
        let value = match coordinate.map {
            Some(map) => {
                let hole = printer.atoms.intern(Atom::Hole);
                let by = HashMap::from([(hole, coordinate.value.clone())]);
                match replaced(printer.atoms, &Poly::atom(map), &by) {
                    Some(value) => value,
                    None => return printer.poly(index),
                }
            }
            None => coordinate.value.clone(),
        };
        parts.push(match coordinate.stride.as_constant() {
            Some(1) => printer.poly(&value),
            _ => {
                let value = printer.factor(&value);
                format!("{value} * {}", printer.multiplier(&coordinate.stride))
            }
        });
    }
    parts.join(" + ").replace(" + -", " - ")
}

/// A polynomial with atoms replaced, within functions, too.
fn replaced(atoms: &mut Atoms, poly: &Poly, by: &HashMap<AtomId, Poly>) -> Option<Poly> {
    let mut result = Poly::default();
    let terms: Vec<(Vec<AtomId>, i128)> = poly.terms().map(|(m, c)| (m.to_vec(), c)).collect();
    for (monomial, coefficient) in terms {
        let mut term = Poly::constant(coefficient);
        for atom in monomial {
            let factor = match (by.get(&atom), atoms.get(atom).clone()) {
                (Some(poly), _) => poly.clone(),
                (None, Atom::Function(function)) => {
                    let mut args = Vec::new();
                    for arg in &function.args {
                        args.push(replaced(atoms, arg, by)?);
                    }
                    Poly::atom(atoms.intern(Atom::Function(Pure { args, ..function })))
                }
                _ => Poly::atom(atom),
            };
            term = term.mul(&factor)?;
        }
        result = result.add(&term);
    }
    Some(result)
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

/// Edits that take out the statements that fill a tile.
fn without_stores(
    tree: &SourceTree,
    function: &Function,
    accesses: &Accesses<'_>,
    stores: &[usize],
    tile: &Tile,
) -> Result<Vec<TextEdit>, Refusal> {
    let targets: Vec<usize> = stores
        .iter()
        .map(|s| accesses.stores[*s].target.span.begin)
        .collect();
    let mut found = Vec::new();
    fills(tree, &function.body, &targets, &mut found);
    let covered = |t: &usize| found.iter().any(|e| e.range.contains(t));
    if targets.iter().all(covered) {
        return Ok(found);
    }
    Err(Refusal::new(
        tree,
        function.span,
        Code::Form,
        format!(
            "the statements that fill {} do something else, too",
            tile.name
        ),
    )
    .of(&tile.name))
}

/// The outermost statements that do nothing but fill.
fn fills(tree: &SourceTree, stmt: &Stmt, targets: &[usize], found: &mut Vec<TextEdit>) {
    let holds = |s: &Stmt| {
        targets
            .iter()
            .any(|t| (s.span.begin..s.span.end).contains(t))
    };
    for child in stmt.children() {
        if !holds(child) {
            continue;
        }
        if only_fills(child, targets) {
            found.push(without(tree, child));
        } else {
            fills(tree, child, targets, found);
        }
    }
}

/// Whether all that a statement does is to fill, and to declare what the fill needs.
fn only_fills(stmt: &Stmt, targets: &[usize]) -> bool {
    match &stmt.kind {
        StmtKind::Expr(e) => match &e.kind {
            ExprKind::Assign { target, .. } => targets.contains(&target.span.begin),
            _ => false,
        },
        StmtKind::Declare(_) | StmtKind::Empty => true,
        StmtKind::Block(_) | StmtKind::For { .. } | StmtKind::If { .. } => {
            let init = match &stmt.kind {
                StmtKind::For { init, .. } => init.as_deref(),
                _ => None,
            };
            stmt.children()
                .into_iter()
                .filter(|s| init.is_none_or(|i| !std::ptr::eq(*s, i)))
                .all(|s| only_fills(s, targets))
        }
        _ => false,
    }
}

/// Takes out a statement with its lines and the comment above it.
fn without(tree: &SourceTree, stmt: &Stmt) -> TextEdit {
    let text = tree.text.as_str();
    let (begin, end) = (stmt.span.begin, end_of(text, stmt));
    let (line, indent) = line_start(text, begin);
    let behind = text[end..].find('\n').map_or(text.len(), |i| end + i + 1);
    let rest = text[end..behind].trim();
    let alone = line + indent.len() == begin
        && (rest.is_empty() || rest.starts_with("//") || rest.starts_with("/*"));
    match alone {
        true => TextEdit::replace(above_comments(text, line)..behind, ""),
        false => TextEdit::replace(begin..end, ""),
    }
}

/// Takes out the barriers.
fn barriers(tree: &SourceTree, stmt: &Stmt, edits: &mut Vec<TextEdit>) {
    if let StmtKind::Expr(expr) = &stmt.kind
        && let ExprKind::Call { callee, .. } = &expr.kind
        && matches!(callee.as_str(), "barrier" | "work_group_barrier")
    {
        edits.push(without(tree, stmt));
    }
    for child in stmt.children() {
        barriers(tree, child, edits);
    }
}

/// Takes out the declarations of tiles.
fn arrays(tree: &SourceTree, stmt: &Stmt, tiles: &[Tile], edits: &mut Vec<TextEdit>) {
    if let StmtKind::Declare(variables) = &stmt.kind
        && !variables.is_empty()
        && variables.iter().all(|v| tiles.iter().any(|t| t.id == v.id))
    {
        edits.push(without(tree, stmt));
    }
    for child in stmt.children() {
        arrays(tree, child, tiles, edits);
    }
}

/// Takes out a parameter with its comma.
fn without_parameter(
    tree: &SourceTree,
    function: &Function,
    tile: &Tile,
) -> Result<TextEdit, Refusal> {
    let at = function.params.iter().position(|p| p.id == tile.id);
    let range = |i: usize| function.params.get(i)?.span.editable();
    let found = at.and_then(|at| {
        let own = range(at)?;
        match (at, function.params.len()) {
            (0, 1) => Some(own),
            (0, _) => Some(own.start..range(1)?.start),
            _ => Some(range(at - 1)?.end..own.end),
        }
    });
    found.map(|r| TextEdit::replace(r, "")).ok_or_else(|| {
        Refusal::new(
            tree,
            function.span,
            Code::Macro,
            format!("the parameter {} comes out of a macro", tile.name),
        )
    })
}

/// Edits that lie in no other one, each once.
fn outermost(edits: Vec<TextEdit>) -> Vec<TextEdit> {
    let mut kept: Vec<TextEdit> = Vec::new();
    for (i, edit) in edits.iter().enumerate() {
        let inside = edits.iter().enumerate().any(|(j, o)| {
            let holds = o.range.start <= edit.range.start && edit.range.end <= o.range.end;
            holds && i != j && (o.range != edit.range || j < i)
        });
        if !inside {
            kept.push(edit.clone());
        }
    }
    kept
}

/// The new text with no empty lines where statements went: two in a row, behind an
/// opening brace, in front of a closing one.
fn tidied(before: &str, text: String, function: &Function) -> String {
    let behind = before.len() - function.span.end;
    let (begin, end) = (
        function.span.begin.min(text.len()),
        text.len() - behind.min(text.len()),
    );
    let Some(own) = text.get(begin..end) else {
        return text;
    };
    let lines: Vec<&str> = own.split_inclusive('\n').collect();
    let mut kept: Vec<&str> = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let blank = line.trim().is_empty();
        let last = kept.last().map_or("", |l| l.trim());
        let next = lines[i + 1..]
            .iter()
            .map(|l| l.trim())
            .find(|l| !l.is_empty());
        let closes = next.is_some_and(|l| l.starts_with('}'));
        if blank && (last.is_empty() || last.ends_with('{') || closes) {
            continue;
        }
        kept.push(line);
    }
    format!("{}{}{}", &text[..begin], kept.concat(), &text[end..])
}
