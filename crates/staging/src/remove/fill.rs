//! How a tile is filled.

use std::collections::HashMap;

use tilewise_frontend::source::{AddressSpace, BinaryOp, DeclId, Expr, ExprKind, Span, UnaryOp};

use super::solve::{Solved, moves, places, replaced, solved};
use super::tiles::Tile;
use crate::loads::{Accesses, ImageRead, Load, Store, is_literal};
use crate::refusal::{Code, Refusal};
use crate::symbolic::{Atom, AtomId, Atoms, Guard, LoopId, Poly};

/// Most variables that a copy is followed through.
const STEPS: u32 = 4;

/// How the place in the tile leads to the element of global memory.
pub enum Way {
    /// The tile's index is solved for ids and loop variables, by coordinate.
    Solved(Vec<Solved>),
    /// What is to be added to the place, whatever that is.
    Shifted(Poly),
}

/// How a tile is filled.
pub struct Fill<'t> {
    /// The buffer that it is a copy of.
    pub buffer: DeclId,
    /// Where each element comes from.
    pub way: Way,
    /// The index in the buffer.
    pub from: Poly,
    /// The same as the source writes it, where that is all of it; of what is shifted,
    /// the index of the tile's first element.
    pub written: Option<&'t Expr>,
    /// The buffer is an image.
    pub image: Option<ImageRead>,
    /// Loops around the fill.
    pub loops: Vec<LoopId>,
    /// Elements under a condition, a constant elsewhere.
    pub elsewhere: Option<Elsewhere<'t>>,
    /// Further loads, at the edges of the tile, whose conditions count.
    pub edges: Vec<usize>,
    /// The type of the elements of the buffer; empty where the tile's is the same.
    pub ty: String,
}

/// What a tile holds where it is no copy.
pub struct Elsewhere<'t> {
    /// Inequalities under which it is a copy.
    pub own: Vec<Poly>,
    /// The constant.
    pub constant: &'t Expr,
}

/// What one store puts into a tile.
enum Piece<'t> {
    Load(usize),
    Constant(&'t Expr),
}

/// Finds out how a tile is filled.
///
/// # Errors
/// It holds something else than a copy, or one that is not understood.
pub fn fill<'t>(accesses: &mut Accesses<'t>, tile: &Tile) -> Result<Fill<'t>, Refusal> {
    let tree = accesses.bindings.tree;
    let refuse = |span, code, why: &str| {
        Refusal::new(tree, span, code, format!("{} {why}", tile.name)).of(&tile.name)
    };
    let copies = accesses.copies.iter().any(|c| c.tile == tile.id);
    let stores: Vec<usize> = (0..accesses.stores.len())
        .filter(|s| accesses.stores[*s].buffer == tile.id)
        .collect();
    let fill = match (copies, stores.is_empty()) {
        (true, true) => copied_whole(accesses, tile, &refuse)?,
        (true, false) => {
            let span = accesses.stores[stores[0]].target.span;
            return Err(refuse(
                span,
                Code::Form,
                "is copied to as a whole and stored to",
            ));
        }
        (false, true) => {
            let span = accesses.function.span;
            return Err(refuse(span, Code::Form, "is filled nowhere"));
        }
        (false, false) => stored(accesses, &stores, &refuse)?,
    };
    if accesses.written.contains(&fill.buffer) {
        return Err(refuse(
            accesses.function.span,
            Code::Written,
            "is a copy of a buffer that the kernel writes, so that it may hold what the buffer held before",
        ));
    }
    Ok(fill)
}

type Refuse<'r> = dyn Fn(Span, Code, &str) -> Refusal + 'r;

/// Of `async_work_group_copy`.
fn copied_whole<'t>(
    accesses: &Accesses<'t>,
    tile: &Tile,
    refuse: &Refuse<'_>,
) -> Result<Fill<'t>, Refusal> {
    let mut shift: Option<Poly> = None;
    let mut found = None;
    for copy in accesses.copies.iter().filter(|c| c.tile == tile.id) {
        let by = copy.index.sub(&copy.at);
        let span = copy.call.span;
        let same = shift.as_ref().is_none_or(|s| *s == by);
        let one = found.is_none_or(|b| b == copy.buffer);
        if !same || !one {
            return Err(refuse(
                span,
                Code::Form,
                "is filled more than once, with different elements",
            ));
        }
        shift = Some(by);
        found = Some(copy.buffer);
    }
    let first = accesses.copies.iter().find(|c| c.tile == tile.id);
    let (Some(first), Some(shift)) = (first, shift) else {
        return Err(refuse(
            accesses.function.span,
            Code::Form,
            "is filled nowhere",
        ));
    };
    Ok(Fill {
        buffer: first.buffer,
        way: Way::Shifted(shift),
        from: first.index.clone(),
        written: offset(first.from, first.buffer).filter(|_| first.at.is_zero()),
        image: None,
        loops: first.loops.clone(),
        elsewhere: None,
        edges: Vec::new(),
        // The copy converts nothing.
        ty: String::new(),
    })
}

fn element_type(accesses: &Accesses<'_>, buffer: DeclId) -> String {
    let param = accesses.function.params.iter().find(|p| p.id == buffer);
    let spelled = param.and_then(|p| p.ty.spelled.as_ref());
    spelled.map_or(String::new(), |s| s.base.clone())
}

/// Of stores.
fn stored<'t>(
    accesses: &mut Accesses<'t>,
    stores: &[usize],
    refuse: &Refuse<'_>,
) -> Result<Fill<'t>, Refusal> {
    let mut loads = Vec::new();
    let mut constants = Vec::new();
    for &store in stores {
        let span = accesses.stores[store].target.span;
        match piece(accesses, &accesses.stores[store]) {
            Some(Piece::Load(load)) => loads.push((store, load)),
            Some(Piece::Constant(constant)) => constants.push((store, constant)),
            None => {
                return Err(refuse(
                    span,
                    Code::Form,
                    "holds something else here than a copy of global memory",
                ));
            }
        }
    }
    let Some(&(first, load)) = loads.first() else {
        let span = accesses.stores[stores[0]].target.span;
        return Err(refuse(
            span,
            Code::Form,
            "holds something else here than a copy of global memory",
        ));
    };
    let buffer = accesses.loads[load].buffer;
    if let Some((other, _)) = loads
        .iter()
        .find(|(_, l)| accesses.loads[*l].buffer != buffer)
    {
        let span = accesses.stores[*other].target.span;
        return Err(refuse(span, Code::Form, "is filled from several buffers"));
    }
    let indices: Vec<(Poly, Poly)> = loads
        .iter()
        .map(|(store, load)| pinned(accesses, *store, *load))
        .collect();
    let main = (0..loads.len()).find_map(|i| {
        let atoms = &mut accesses.bindings.atoms;
        solved(atoms, &indices[i].0).map(|coordinates| (i, coordinates))
    });
    let (at, way) = match main {
        Some((at, coordinates)) => (at, Way::Solved(coordinates)),
        None => (0, Way::Shifted(indices[0].1.sub(&indices[0].0))),
    };
    let atoms = &mut accesses.bindings.atoms;
    if let Way::Shifted(by) = &way
        && by.atoms().any(|a| moves(atoms, a))
    {
        let span = accesses.stores[first].target.span;
        return Err(refuse(
            span,
            Code::Form,
            "is filled in a way that can't be followed",
        ));
    }
    for (i, (to, from)) in indices.iter().enumerate().filter(|(i, _)| *i != at) {
        let expected = element(atoms, &way, &indices[at].1, to);
        let fits = match &way {
            Way::Shifted(_) => expected.as_ref() == Some(from),
            // At an edge, the index may be another one by a condition.
            Way::Solved(_) => expected.as_ref() == Some(from) || *to != indices[at].0,
        };
        if !fits {
            let span = accesses.stores[loads[i].0].target.span;
            return Err(refuse(
                span,
                Code::Form,
                "is filled more than once, with different elements",
            ));
        }
    }
    let (store, load) = loads[at];
    let elsewhere = elsewhere(accesses, (store, load), &constants, refuse)?;
    let source = &accesses.loads[load];
    if matches!(way, Way::Shifted(_)) && elsewhere.is_some() {
        let span = accesses.stores[store].target.span;
        return Err(refuse(
            span,
            Code::Form,
            "holds a constant in places that can't be followed",
        ));
    }
    // A helper function may convert what it reads.
    let ty = match (&source.image, &source.expr.kind) {
        (None, ExprKind::Call { .. }) => element_type(accesses, buffer),
        _ => source.expr.ty.scalar_name().unwrap_or("").to_owned(),
    };
    Ok(Fill {
        buffer,
        written: written(source).filter(|_| {
            let first = matches!(way, Way::Solved(_)) || indices[at].0.is_zero();
            first && source.index == indices[at].1
        }),
        way,
        from: indices[at].1.clone(),
        image: source.image.clone(),
        loops: source.loops.clone(),
        elsewhere,
        edges: (0..loads.len())
            .filter(|i| *i != at)
            .map(|i| loads[i].1)
            .collect(),
        ty,
    })
}

/// The element of the buffer that a fill puts at a place of the tile.
pub fn element(atoms: &mut Atoms, way: &Way, from: &Poly, to: &Poly) -> Option<Poly> {
    match way {
        Way::Shifted(by) => Some(to.add(by)),
        Way::Solved(coordinates) => {
            let places = places(atoms, coordinates, to)?;
            let by: HashMap<AtomId, Poly> = coordinates
                .iter()
                .zip(&places)
                .map(|(c, place)| (c.atom, place.sub(&c.rest)))
                .collect();
            replaced(atoms, from, &by)
        }
    }
}

/// What is added to a buffer, as it is written.
fn offset(pointer: &Expr, buffer: DeclId) -> Option<&Expr> {
    let is_buffer =
        |e: &Expr| matches!(&e.plain().kind, ExprKind::Variable { id, .. } if *id == buffer);
    match &pointer.plain().kind {
        ExprKind::Binary {
            op: BinaryOp::Add,
            left,
            right,
        } if is_buffer(left) => Some(right),
        ExprKind::Unary {
            op: UnaryOp::AddressOf,
            operand,
        } => match &operand.plain().kind {
            ExprKind::Index { base, index } if is_buffer(base) => Some(index),
            _ => None,
        },
        _ => None,
    }
}

/// The index as it is written, where the pointer adds nothing.
fn written<'t>(load: &Load<'t>) -> Option<&'t Expr> {
    let ExprKind::Index { base, index } = &load.expr.kind else {
        return None;
    };
    match &base.plain().kind {
        ExprKind::Variable { id, .. } if *id == load.buffer => Some(index),
        _ => None,
    }
}

/// The indices of a store and its load, with ids that its guard fixes.
fn pinned(accesses: &mut Accesses<'_>, store: usize, load: usize) -> (Poly, Poly) {
    let (mut to, mut from) = (
        accesses.stores[store].index.clone(),
        accesses.loads[load].index.clone(),
    );
    let constraints = match &accesses.stores[store].guard.0[..] {
        [one] => one.constraints.clone(),
        _ => Vec::new(),
    };
    for d in 0..3 {
        let id = accesses.bindings.atoms.intern(Atom::LocalId(d));
        // `id <= 0`, or `id <= c` and `id >= c`.
        let value = constraints.iter().find_map(|c| {
            let bound = c.add(&Poly::atom(id));
            let fixed = c.coefficient(&[id]) == -1
                && !bound.atoms().any(|a| moves(&accesses.bindings.atoms, a));
            let below = bound.negated().add(&Poly::atom(id));
            let both = bound.is_zero() || constraints.contains(&below);
            (fixed && both).then_some(bound)
        });
        if let Some(value) = value {
            let by = HashMap::from([(id, value)]);
            let atoms = &mut accesses.bindings.atoms;
            if let (Some(a), Some(b)) = (replaced(atoms, &to, &by), replaced(atoms, &from, &by)) {
                (to, from) = (a, b);
            }
        }
    }
    (to, from)
}

/// The constant that a tile holds where it is no copy.
fn elsewhere<'t>(
    accesses: &Accesses<'t>,
    (store, load): (usize, usize),
    constants: &[(usize, &'t Expr)],
    refuse: &Refuse<'_>,
) -> Result<Option<Elsewhere<'t>>, Refusal> {
    let choice = accesses.loads[load].choice.as_ref();
    let mut found = choice.map(|c| Elsewhere {
        own: c.own.clone(),
        constant: c.otherwise,
    });
    for (other, constant) in constants {
        let (a, b) = (&accesses.stores[store], &accesses.stores[*other]);
        let span = b.target.span;
        let own = (a.index == b.index && a.loops == b.loops && found.is_none())
            .then(|| difference(&a.guard, &b.guard))
            .flatten();
        let Some(own) = own else {
            return Err(refuse(
                span,
                Code::Form,
                "holds a constant in places that can't be followed",
            ));
        };
        found = Some(Elsewhere { own, constant });
    }
    Ok(found)
}

/// What one guard says beyond what it shares with another.
fn difference(guard: &Guard, other: &Guard) -> Option<Vec<Poly>> {
    let [one] = &guard.0[..] else { return None };
    let shared = |c: &&Poly| other.0.iter().all(|o| o.constraints.contains(c));
    if one.opaque || other.0.iter().any(|o| o.opaque) {
        return None;
    }
    let own: Vec<Poly> = one
        .constraints
        .iter()
        .filter(|c| !shared(c))
        .cloned()
        .collect();
    if !own.is_empty() {
        return Some(own);
    }
    // The constant comes second, over the copy: `c >= 0` is where it stands.
    let [other] = &other.0[..] else { return None };
    let over: Vec<&Poly> = other
        .constraints
        .iter()
        .filter(|c| !one.constraints.contains(c))
        .collect();
    match over[..] {
        [c] => Some(vec![c.negated().sub(&Poly::constant(1))]),
        _ => None,
    }
}

/// What a store puts into a tile, perhaps by way of a variable.
fn piece<'t>(accesses: &Accesses<'t>, store: &Store<'t>) -> Option<Piece<'t>> {
    let to = store.target.ty.scalar_name();
    let mut value = store.value?.plain();
    for _ in 0..STEPS {
        value = match &value.kind {
            ExprKind::Variable { id, .. } => {
                let set = accesses.bindings.values.get(id)?;
                // The variable may have another type than what it is set to.
                let same = set.plain().ty.scalar_name() == value.ty.scalar_name();
                if !same && !is_literal(set) {
                    return None;
                }
                set.plain()
            }
            ExprKind::Cast {
                operand,
                implicit: false,
                ..
            } if value.ty.scalar_name() == to && !is_literal(value) => operand.plain(),
            _ => break,
        };
    }
    if is_literal(value) {
        return Some(Piece::Constant(value));
    }
    let (load, chosen) = match &value.kind {
        ExprKind::Conditional {
            then, otherwise, ..
        } => {
            let find = |e: &Expr| load_of(accesses, e.plain());
            (find(then).or_else(|| find(otherwise))?, true)
        }
        _ => (load_of(accesses, value)?, false),
    };
    let source = &accesses.loads[load];
    let is_global = accesses
        .function
        .params
        .iter()
        .any(|p| p.id == source.buffer && p.ty.points_to() != Some(AddressSpace::Local));
    let understood = source
        .choice
        .as_ref()
        .map_or(!chosen, |c| !c.own.is_empty());
    (is_global && understood).then_some(Piece::Load(load))
}

fn load_of(accesses: &Accesses<'_>, expr: &Expr) -> Option<usize> {
    (0..accesses.loads.len()).find(|l| std::ptr::eq(accesses.loads[*l].expr, expr))
}
