//! From a kernel to its staged form.

use std::collections::HashMap;

use tilewise_frontend::source::{
    AddressSpace, ExprKind, Function, SourceTree, Stmt, StmtKind, Variable,
};

use crate::loads::image::is_image;
use crate::loads::{Accesses, accesses};
use crate::plan::coordinates::{Split, split};
use crate::plan::domain::{Chunk, Domain, domain};
use crate::plan::family::{Family, families, loops_in};
use crate::refusal::{Code, Refusal};
use crate::rewrite::fixed_group::group_sizes;
use crate::rewrite::names::Names;
use crate::rewrite::table_tile::{self, TableTile};
use crate::rewrite::tile::{BoxTile, extents, is_padded, room};
use crate::rewrite::turned_store::{self, LEAST_RUN, TurnedStore};
use crate::rewrite::unused::unused;
use crate::rewrite::{TextEdit, apply};
use crate::rewrite::{box_tile, loop_tile};
use crate::symbolic::{Atom, Atoms, GroupSizes, LoopId, Poly};

/// Width of a panel that a row of work-items stages, in elements.
const CHUNK: u64 = 32;

/// What is known of the launch for which a kernel is staged.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Values of scalar parameters that are integers.
    pub scalars: HashMap<String, i128>,
    /// Work-items of a group by dimension.
    pub local: [u64; 3],
    /// Local memory that a group may take, in bytes.
    pub limit: u64,
    /// Bytes of one element of each buffer.
    pub element_bytes: HashMap<String, u64>,
    /// Elements of each buffer, where its length is given.
    pub lengths: HashMap<String, u64>,
    /// Buffers whose length the launch gives as a number, whatever its other sizes are.
    pub fixed_lengths: Vec<String>,
    /// Buffers that are the same memory as one that the kernel writes.
    pub aliased: Vec<String>,
    /// Whether sizes of this launch may stand in the kernel.
    pub sizes: Sizes,
}

/// Whether a staged kernel takes its group's size, and a table's length, from the
/// launch for which it is staged, or works for any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sizes {
    /// Where it makes the kernel faster: panels of a matrix, whose loop over a chunk
    /// a compiler unrolls only where it knows its length, and tables of a length that
    /// the launch gives as a number.
    #[default]
    Auto,
    /// Always: `reqd_work_group_size`, and arrays instead of arguments.
    Fixed,
    /// Never.
    Any,
}

/// A tile of a staged kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// The buffer whose elements it holds.
    pub buffer: String,
    /// Its parameter, or its array in the kernel.
    pub name: String,
    /// It is an array in the kernel, so that no argument has to be set.
    pub in_kernel: bool,
    /// Type of an element as the source spells it.
    pub element: String,
    /// Elements by coordinate, fastest first, in the launch's terms:
    /// `local_size(0)+2*R`.
    pub extents: Vec<String>,
    /// Bytes of a group's tile at the launch, where they are known.
    pub bytes: Option<u64>,
}

impl Tile {
    /// Elements in the launch's terms: `(local_size(0)+2)*local_size(1)`.
    pub fn length(&self) -> String {
        match &self.extents[..] {
            [one] => one.clone(),
            several => several
                .iter()
                .map(|e| {
                    if e.contains(['+', '-']) {
                        format!("({e})")
                    } else {
                        e.clone()
                    }
                })
                .collect::<Vec<_>>()
                .join("*"),
        }
    }
}

/// A staged kernel.
#[derive(Clone, Debug)]
pub struct Staged {
    /// The whole text.
    pub text: String,
    /// Its tiles, in the order of the new parameters.
    pub tiles: Vec<Tile>,
    /// Parameters behind those of the tiles: name, and the buffer whose number of
    /// elements they hold.
    pub lengths: Vec<(String, String)>,
    /// Buffers that are read whole.
    pub whole: Vec<String>,
    /// The only size of a group that it takes, where there is one.
    pub group: Option<[u64; 3]>,
    /// Buffers that are not staged, with the reason.
    pub refusals: Vec<Refusal>,
}

/// Stages a kernel of a source.
///
/// # Errors
/// Nothing of it can be staged: the reasons, at least one.
pub fn stage(tree: &SourceTree, kernel: &str, launch: &Launch) -> Result<Staged, Vec<Refusal>> {
    let any = || staged(tree, kernel, launch, None);
    let fixed = || {
        let sizes = group_sizes(&tree.text, launch.local);
        staged(tree, kernel, launch, Some(sizes))
    };
    match launch.sizes {
        Sizes::Any => any().map(|(form, _)| form),
        Sizes::Fixed => fixed().map(|(form, _)| form),
        Sizes::Auto => {
            let (form, has_panels) = any()?;
            match has_panels {
                true => Ok(fixed().map_or(form, |(form, _)| form)),
                false => Ok(form),
            }
        }
    }
}

/// A staged form, for groups of one size if it is given, and whether it has panels
/// of more than one dimension.
fn staged(
    tree: &SourceTree,
    kernel: &str,
    launch: &Launch,
    sizes: Option<GroupSizes>,
) -> Result<(Staged, bool), Vec<Refusal>> {
    let Some(function) = tree.function(kernel).filter(|f| f.is_kernel) else {
        return Err(vec![Refusal::elsewhere(kernel)]);
    };
    let is_fixed = sizes.is_some();
    let mut accesses = accesses(tree, function, sizes);
    if let Some(barrier) = accesses.barrier {
        return Err(vec![
            Refusal::new(
                tree,
                barrier,
                Code::Barrier,
                format!("{kernel} has barriers already: it stages by itself"),
            )
            .helped("stage the kernel's plain form"),
        ]);
    }
    let mut refusals = Vec::new();
    let mut boxes: Vec<Candidate> = Vec::new();
    let mut tables: Vec<TableTile> = Vec::new();
    for param in &function.params {
        if param.ty.points_to() == Some(AddressSpace::Global)
            || param.ty.points_to() == Some(AddressSpace::Constant)
            || is_image(&param.ty)
        {
            let before = refusals.len();
            candidates(&mut accesses, param, launch, &mut boxes, &mut refusals);
            let looked_up = refusals[before..]
                .iter()
                .any(|r| r.code == Code::DataDependent);
            if looked_up && let Some(table) = table(&accesses, param, launch) {
                tables.push(table);
            }
        }
    }
    let chunked = match in_chunks(&mut accesses, &mut boxes, launch) {
        Some(Ok(chunked)) => Some(chunked),
        Some(Err(refusal)) => {
            refusals.push(refusal);
            None
        }
        None => None,
    };
    if chunked.is_none() {
        choose(&mut boxes, launch, &mut refusals, function, tree);
    }
    if boxes.is_empty()
        && let Some(table) = tables.into_iter().next()
    {
        refusals.retain(|r| r.buffer.as_ref() != Some(&table.buffer));
        return with_table(&mut accesses, &table, launch, refusals).map(|form| (form, false));
    }
    if boxes.is_empty()
        && let Some(turned) = turned_store::find(&mut accesses, launch.local)
    {
        return with_turned_store(&mut accesses, &turned, launch, refusals)
            .map(|form| (form, true));
    }
    if boxes.is_empty() {
        if refusals.is_empty() {
            refusals.push(Refusal::new(
                tree,
                function.span,
                Code::NoReuse,
                format!("{kernel} reads no buffer"),
            ));
        }
        return Err(refusals);
    }
    match rewritten(&mut accesses, &boxes, chunked.as_ref()) {
        Ok((text, tiles)) => {
            // Rows of a panel of constant width need no fixed group.
            let grows = |(chunk, _): &(Chunk, String)| {
                let length = accesses.bindings.atoms.with_values(&chunk.length);
                length.as_constant().is_none()
            };
            let panels =
                chunked.as_ref().is_some_and(grows) && boxes.iter().any(Candidate::is_panel);
            let form = Staged {
                text,
                tiles,
                lengths: Vec::new(),
                whole: Vec::new(),
                group: is_fixed.then_some(launch.local),
                refusals,
            };
            Ok((form, panels))
        }
        Err(refusal) => {
            refusals.insert(0, refusal);
            Err(refusals)
        }
    }
}

/// A buffer as a table that is staged whole: its length is given, it fits, and a
/// group looks up more elements than it has.
fn table(accesses: &Accesses<'_>, param: &Variable, launch: &Launch) -> Option<TableTile> {
    let known = *launch.lengths.get(&param.name)?;
    let bytes = known.checked_mul(*launch.element_bytes.get(&param.name)?)?;
    let loads: Vec<usize> = (0..accesses.loads.len())
        .filter(|l| accesses.loads[*l].buffer == param.id)
        .collect();
    let direct = |l: &usize| match &accesses.loads[*l].expr.kind {
        ExprKind::Index { base, .. } => {
            matches!(base.plain().kind, ExprKind::Variable { id, .. } if id == param.id)
        }
        _ => false,
    };
    let tree = accesses.bindings.tree;
    let in_loop = loads
        .iter()
        .any(|l| in_a_loop(&accesses.function.body, accesses.loads[*l].expr.span.begin));
    let work_items: u64 = launch.local.iter().map(|n| (*n).max(1)).product();
    let repaid = in_loop || work_items * loads.len() as u64 >= known;
    if bytes > launch.limit || !repaid || !loads.iter().all(direct) {
        return None;
    }
    let mut names = Names::around(tree, accesses.function);
    let is_known = launch.sizes != Sizes::Any && launch.fixed_lengths.contains(&param.name);
    let length = format!("{}_len", param.name);
    let length = match is_known {
        true => Names::of(&tree.text).fresh(&length.to_uppercase()),
        false => names.fresh(&length),
    };
    Some(TableTile {
        loads,
        buffer: param.name.clone(),
        element: element_text(tree, param),
        tile: names.fresh("tile"),
        known: is_known.then_some(known),
        length,
    })
}

/// Whether a place stands in a loop.
fn in_a_loop(stmt: &Stmt, offset: usize) -> bool {
    let inside = |s: &Stmt| s.span.begin <= offset && offset < s.span.end;
    let is_loop = matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. });
    is_loop && inside(stmt)
        || stmt
            .children()
            .into_iter()
            .any(|s| inside(s) && in_a_loop(s, offset))
}

fn with_table(
    accesses: &mut Accesses<'_>,
    table: &TableTile,
    launch: &Launch,
    mut refusals: Vec<Refusal>,
) -> Result<Staged, Vec<Refusal>> {
    let tree = accesses.bindings.tree;
    let fixed = accesses.bindings.atoms.group_sizes().is_some();
    let text = table_tile::write(accesses, table).and_then(|written| {
        apply(&tree.text, &written.edits).ok_or_else(|| {
            Refusal::new(
                tree,
                accesses.function.span,
                Code::Form,
                "look-ups of it lie within each other, so that they can't be replaced one by one",
            )
        })
    });
    match text {
        Ok(text) => Ok(Staged {
            text,
            tiles: vec![Tile {
                buffer: table.buffer.clone(),
                name: table.tile.clone(),
                in_kernel: table.known.is_some(),
                element: table.element.clone(),
                extents: vec![match table.known {
                    Some(known) => known.to_string(),
                    None => table.length.clone(),
                }],
                bytes: launch
                    .lengths
                    .get(&table.buffer)
                    .zip(launch.element_bytes.get(&table.buffer))
                    .map(|(n, size)| n * size),
            }],
            lengths: match table.known {
                Some(_) => Vec::new(),
                None => vec![(table.length.clone(), table.buffer.clone())],
            },
            whole: vec![table.buffer.clone()],
            group: fixed.then_some(launch.local),
            refusals,
        }),
        Err(refusal) => {
            refusals.insert(0, refusal);
            Err(refusals)
        }
    }
}

fn with_turned_store(
    accesses: &mut Accesses<'_>,
    turned: &TurnedStore,
    launch: &Launch,
    mut refusals: Vec<Refusal>,
) -> Result<Staged, Vec<Refusal>> {
    let tree = accesses.bindings.tree;
    let fixed = accesses.bindings.atoms.group_sizes().is_some();
    let text = turned_store::write(accesses, turned).and_then(|written| {
        let text = apply(&tree.text, &written.edits).ok_or_else(|| {
            Refusal::new(
                tree,
                accesses.function.span,
                Code::Form,
                "its store can't be edited alone",
            )
        })?;
        Ok((text, written.rooms))
    });
    let (text, rooms) = match text {
        Ok(done) => done,
        Err(refusal) => {
            refusals.insert(0, refusal);
            return Err(refusals);
        }
    };
    let size = launch.element_bytes.get(&turned.buffer).copied();
    let tiles = rooms
        .into_iter()
        .map(|(extents, in_kernel)| Tile {
            buffer: turned.buffer.clone(),
            name: turned.tile.clone(),
            in_kernel,
            element: turned.element.clone(),
            bytes: extents
                .iter()
                .try_fold(1i128, |n, e| {
                    n.checked_mul(value_at(&accesses.bindings.atoms, e, launch)?)
                })
                .zip(size)
                .and_then(|(n, size)| u64::try_from(n).ok()?.checked_mul(size)),
            extents: extents
                .iter()
                .map(|e| in_launch_terms(&accesses.bindings.atoms, e))
                .collect(),
        })
        .collect();
    // What is read once is no reason any more.
    refusals.retain(|r| r.code != Code::NoReuse);
    Ok(Staged {
        text,
        tiles,
        lengths: Vec::new(),
        whole: Vec::new(),
        group: fixed.then_some(launch.local),
        refusals,
    })
}

/// A family that could be staged.
struct Candidate {
    buffer: String,
    element: String,
    family: Family,
    domain: Domain,
    bytes: Option<u64>,
    /// Its coordinates move with the work-items.
    moves: bool,
    /// The outermost loop that moves a coordinate alone: the box may be cut into
    /// chunks of it.
    long: Option<LoopId>,
}

impl Candidate {
    /// A part of a matrix that moves with the work-items.
    fn is_panel(&self) -> bool {
        self.moves && self.family.coordinates.len() > 1
    }
}

/// Adds what can be staged of a buffer.
fn candidates(
    accesses: &mut Accesses<'_>,
    param: &Variable,
    launch: &Launch,
    found: &mut Vec<Candidate>,
    refusals: &mut Vec<Refusal>,
) {
    let tree = accesses.bindings.tree;
    let name = &param.name;
    let loads: Vec<usize> = (0..accesses.loads.len())
        .filter(|l| accesses.loads[*l].buffer == param.id)
        .collect();
    let escape = accesses.escapes.iter().find(|e| e.buffer == param.id);
    if loads.is_empty() && escape.is_none() {
        return;
    }
    let refuse = |refusals: &mut Vec<Refusal>, span, code, message: String| {
        refusals.push(Refusal::new(tree, span, code, message).of(name));
    };
    if accesses.written.contains(&param.id) || launch.aliased.contains(name) {
        refuse(
            refusals,
            param.span,
            Code::Written,
            format!("{name} is written by the kernel: a tile would keep old values"),
        );
        return;
    }
    let spelled = param.ty.spelled.clone().unwrap_or_default();
    if spelled.base_qualifiers.is_volatile {
        refuse(
            refusals,
            param.span,
            Code::Volatile,
            format!("{name} is volatile: each read has to reach memory"),
        );
        return;
    }
    if let Some(escape) = escape {
        refuse(
            refusals,
            escape.span,
            Code::Escapes,
            format!(
                "{name} {} here, where its loads can't be followed",
                escape.how
            ),
        );
        return;
    }
    let mut splits: Vec<(usize, Split)> = Vec::new();
    for load in loads {
        let index = accesses.loads[load].index.clone();
        let is_image = accesses.loads[load].image.is_some();
        match split(&mut accesses.bindings.atoms, &index) {
            Ok(split) if is_image && (split.coordinates.len() != 2 || !split.base.is_zero()) => {
                refuse(
                    refusals,
                    accesses.loads[load].expr.span,
                    Code::Form,
                    format!(
                        "this read of {name} is not staged: only one of its coordinates moves with ids or loops"
                    ),
                );
            }
            Ok(split) if !split.coordinates.is_empty() => splits.push((load, split)),
            Ok(_) => {}
            Err((code, why)) => refuse(
                refusals,
                accesses.loads[load].expr.span,
                code,
                format!("this load of {name} is not staged: {why}"),
            ),
        }
    }
    let (families, refused) = families(accesses, &splits);
    for (load, (code, why)) in refused {
        refuse(
            refusals,
            accesses.loads[load].expr.span,
            code,
            format!("this load of {name} is not staged: {why}"),
        );
    }
    for family in families {
        let image = accesses.loads[family.loads[0]].image.as_ref();
        let element = match image {
            Some(image) => image.element().to_owned(),
            None => element_text(tree, param),
        };
        let span = accesses.loads[family.loads[0]].expr.span;
        let domain = match domain(accesses, &family, None) {
            Ok(domain) => domain,
            Err((code, why)) => {
                refuse(
                    refusals,
                    span,
                    code,
                    format!("this load of {name} is not staged: {why}"),
                );
                continue;
            }
        };
        if !has_reuse(accesses, &family, &domain) && !is_turned(accesses, &family, launch) {
            refuse(
                refusals,
                span,
                Code::NoReuse,
                format!("no element of {name} is read by two work-items of a group here"),
            );
            continue;
        }
        let long = long_loop(accesses, &family);
        let extents = room(&family, &extents(accesses, &family, &domain));
        let elements = extents.iter().try_fold(1i128, |n, e| {
            n.checked_mul(value_at(&accesses.bindings.atoms, e, launch)?.max(0))
        });
        let size = launch.element_bytes.get(name).copied();
        let bytes = elements
            .zip(size)
            .and_then(|(n, size)| u64::try_from(n).ok()?.checked_mul(size));
        let moves = (0..family.coordinates.len()).any(|k| !family.dims(k).is_empty());
        let candidate = Candidate {
            buffer: name.clone(),
            element,
            family,
            domain,
            bytes,
            moves,
            long,
        };
        match bytes.filter(|b| long.is_none() && *b > launch.limit) {
            Some(bytes) => refusals.push(too_large(accesses, &candidate, bytes, launch.limit)),
            None => found.push(candidate),
        }
    }
}

/// A box that does not fit.
fn too_large(accesses: &Accesses<'_>, candidate: &Candidate, bytes: u64, limit: u64) -> Refusal {
    let span = accesses.loads[candidate.family.loads[0]].expr.span;
    let buffer = &candidate.buffer;
    let message = format!(
        "the box that a group reads of {buffer} takes {bytes} B, and a group may take {limit} B of local memory"
    );
    Refusal::new(accesses.bindings.tree, span, Code::TooLarge, message).of(buffer)
}

/// Whether work-items of a group read the same elements.
fn has_reuse(accesses: &Accesses<'_>, family: &Family, domain: &Domain) -> bool {
    let mut used = [false; 3];
    for variable in &accesses.variables {
        for atom in variable.value.iter().flat_map(Poly::atoms) {
            if let Atom::LocalId(d) = accesses.bindings.atoms.get(atom) {
                used[usize::from(*d)] = true;
            }
        }
    }
    let count = family.coordinates.len();
    let moved = |d: usize| (0..count).any(|k| family.lanes[k].local[d] != 0);
    let shared = (0..3).any(|d| used[d] && !moved(d));
    let overlaps =
        (0..count).any(|k| domain.hull.low[k] != domain.hull.high[k] && !family.dims(k).is_empty());
    shared || overlaps
}

/// Whether neighbouring work-items read a row apart what a loop, or work-items of
/// another dimension, read side by side: a tile is worth its while without reuse
/// then, since it is filled along the rows.
fn is_turned(accesses: &mut Accesses<'_>, family: &Family, launch: &Launch) -> bool {
    let in_memory = accesses.loads[family.loads[0]].image.is_none();
    let [fastest, ..] = &family.coordinates[..] else {
        return false;
    };
    let side_by_side = fastest.stride.as_constant() == Some(1) && fastest.map.is_none();
    if !in_memory || !side_by_side || !is_padded(family) {
        return false;
    }
    let by_ids = family
        .dims(0)
        .iter()
        .any(|d| launch.local[usize::from(*d)] >= LEAST_RUN);
    let by_loop = (0..family.loads.len()).any(|position| {
        let offset = family.offset(position, 0, &mut accesses.bindings.atoms);
        loops_in(&accesses.bindings.atoms, &offset)
            .iter()
            .any(|(_, id)| is_long(accesses, *id))
    });
    by_loop || by_ids && launch.local[0] >= LEAST_RUN
}

/// Whether only the launch knows how often a loop runs.
fn is_long(accesses: &Accesses<'_>, id: LoopId) -> bool {
    let l = &accesses.bindings.loops[id.0 as usize];
    let length = accesses.bindings.atoms.with_values(&l.upper.sub(&l.lower));
    length.as_constant().is_none()
}

/// The outermost loop whose variable alone moves a coordinate, to a bound that only
/// the launch knows.
fn long_loop(accesses: &mut Accesses<'_>, family: &Family) -> Option<LoopId> {
    let mut found: Vec<LoopId> = Vec::new();
    for k in 0..family.coordinates.len() {
        if !family.dims(k).is_empty() {
            continue;
        }
        for position in 0..family.loads.len() {
            let offset = family.offset(position, k, &mut accesses.bindings.atoms);
            found.extend(
                loops_in(&accesses.bindings.atoms, &offset)
                    .into_iter()
                    .map(|(_, id)| id),
            );
        }
    }
    found.into_iter().filter(|id| is_long(accesses, *id)).min()
}

/// Cuts the boxes that grow with a loop into chunks of it: panels of a matrix
/// always, what all work-items share only where it does not fit as a whole.
fn in_chunks(
    accesses: &mut Accesses<'_>,
    boxes: &mut Vec<Candidate>,
    launch: &Launch,
) -> Option<Result<(Chunk, String), Refusal>> {
    let fits = |c: &Candidate| c.bytes.is_some_and(|b| b <= launch.limit / 2);
    let id = boxes
        .iter()
        .filter(|c| c.moves || !fits(c))
        .find_map(|c| c.long)?;
    let tree = accesses.bindings.tree;
    let found = accesses.bindings.loops[id.0 as usize].clone();
    let start = Names::around(tree, accesses.function).fresh(&format!("{}0", found.name));
    // A row of work-items takes a panel as wide as two of a memory's sectors are long,
    // not as wide as the group.
    let panel = boxes.iter().any(|c| c.long == Some(id) && c.is_panel());
    let row = launch.local[1] == 1 && launch.local[2] == 1;
    let length = match panel && row && launch.local[0] > CHUNK {
        true => Atom::Macro {
            name: Names::of(&tree.text).fresh("CHUNK"),
            value: i128::from(CHUNK),
        },
        false => Atom::LocalSize(0),
    };
    let atoms = &mut accesses.bindings.atoms;
    let chunk = Chunk {
        id,
        start: Poly::atom(atoms.intern(Atom::Named(start.clone()))),
        length: Poly::atom(atoms.intern(length)),
    };
    let mut kept = Vec::new();
    let mut refused = None;
    for mut candidate in std::mem::take(boxes) {
        if candidate.long != Some(id) {
            continue;
        }
        match domain(accesses, &candidate.family, Some(&chunk)) {
            Ok(domain) => {
                let extents = extents(accesses, &candidate.family, &domain);
                let extents = room(&candidate.family, &extents);
                let atoms = &accesses.bindings.atoms;
                let elements = extents.iter().try_fold(1i128, |n, e| {
                    n.checked_mul(value_at(atoms, e, launch)?.max(0))
                });
                let size = launch.element_bytes.get(&candidate.buffer).copied();
                candidate.bytes = elements
                    .zip(size)
                    .and_then(|(n, size)| u64::try_from(n).ok()?.checked_mul(size));
                candidate.domain = domain;
                match candidate.bytes.filter(|b| *b > launch.limit) {
                    Some(bytes) => {
                        refused = Some(too_large(accesses, &candidate, bytes, launch.limit));
                    }
                    None => kept.push(candidate),
                }
            }
            Err((code, why)) => {
                let span = accesses.loads[candidate.family.loads[0]].expr.span;
                let message = format!("this load of {} is not staged: {why}", candidate.buffer);
                refused = Some(Refusal::new(tree, span, code, message).of(&candidate.buffer));
            }
        }
    }
    *boxes = kept;
    match refused {
        Some(refusal) if boxes.is_empty() => Some(Err(refusal)),
        _ => Some(Ok((chunk, start))),
    }
}

/// Which candidates to stage together: those that move with the work-items; a
/// table that all read alike comes from a cache as fast, and is staged only
/// where there is nothing else.
fn choose(
    boxes: &mut Vec<Candidate>,
    launch: &Launch,
    refusals: &mut Vec<Refusal>,
    function: &Function,
    tree: &SourceTree,
) {
    if boxes.iter().any(|c| c.moves) {
        boxes.retain(|c| c.moves);
    }
    // The largest goes first where they do not fit together.
    loop {
        let total: u64 = boxes.iter().filter_map(|c| c.bytes).sum();
        if total <= launch.limit || boxes.len() < 2 {
            break;
        }
        let largest = (0..boxes.len()).max_by_key(|i| boxes[*i].bytes);
        let Some(largest) = largest else { break };
        let out = boxes.remove(largest);
        refusals.push(
            Refusal::new(
                tree,
                function.span,
                Code::TooLarge,
                format!(
                    "{} does not fit beside the other tiles: together they take {total} B of {} B",
                    out.buffer, launch.limit
                ),
            )
            .of(&out.buffer),
        );
    }
}

fn rewritten(
    accesses: &mut Accesses<'_>,
    boxes: &[Candidate],
    chunk: Option<&(Chunk, String)>,
) -> Result<(String, Vec<Tile>), Refusal> {
    let tree = accesses.bindings.tree;
    let function = accesses.function;
    let mut names = Names::around(tree, function);
    let alone = boxes.len() == 1;
    let tiles: Vec<BoxTile<'_>> = boxes
        .iter()
        .map(|c| BoxTile {
            family: &c.family,
            domain: &c.domain,
            buffer: c.buffer.clone(),
            element: c.element.clone(),
            tile: if alone {
                names.fresh("tile")
            } else {
                names.fresh(&format!("{}_tile", c.buffer))
            },
        })
        .collect();
    let written = match chunk {
        Some((chunk, start)) => loop_tile::write(accesses, &tiles, chunk, start)?,
        None => box_tile::write(accesses, &tiles)?,
    };
    let mut edits = written.edits;
    edits.extend(unused(tree, function, &edits, &written.used));
    let edits = without_inner(edits);
    let text = apply(&tree.text, &edits).ok_or_else(|| {
        Refusal::new(
            tree,
            function.span,
            Code::Form,
            "loads of it lie within each other, so that they can't be replaced one by one",
        )
    })?;
    let tiles = tiles
        .iter()
        .zip(written.rooms)
        .zip(boxes)
        .map(|((tile, (extents, in_kernel)), candidate)| Tile {
            buffer: tile.buffer.clone(),
            name: tile.tile.clone(),
            in_kernel,
            element: tile.element.clone(),
            extents: extents
                .iter()
                .map(|e| in_launch_terms(&accesses.bindings.atoms, e))
                .collect(),
            bytes: candidate.bytes,
        })
        .collect();
    Ok((text, tiles))
}

/// Edits without those inside of a text that is taken out whole.
fn without_inner(edits: Vec<TextEdit>) -> Vec<TextEdit> {
    let out: Vec<TextEdit> = edits
        .iter()
        .filter(|e| e.text.is_empty() && !e.range.is_empty())
        .cloned()
        .collect();
    edits
        .into_iter()
        .filter(|e| {
            !out.iter().any(|o| {
                o.range != e.range
                    && o.range.start <= e.range.start
                    && e.range.end <= o.range.end
                    && !e.range.is_empty()
            })
        })
        .collect()
}

/// The element type as the source spells it.
pub(crate) fn element_text(tree: &SourceTree, param: &Variable) -> String {
    let from_text = tree.text_of(param.span).and_then(|text| {
        let (ty, _) = text.split_once('*')?;
        let words: Vec<&str> = ty
            .split_whitespace()
            .filter(|w| {
                !matches!(
                    *w,
                    "const" | "__global" | "global" | "__constant" | "constant" | "restrict"
                )
            })
            .collect();
        (!words.is_empty()).then(|| words.join(" "))
    });
    from_text.unwrap_or_else(|| {
        param
            .ty
            .spelled
            .as_ref()
            .map_or("float".to_owned(), |s| s.base.clone())
    })
}

/// The value of a polynomial at a launch.
fn value_at(atoms: &Atoms, poly: &Poly, launch: &Launch) -> Option<i128> {
    let mut sum = 0i128;
    for (monomial, coefficient) in poly.terms() {
        let mut term = coefficient;
        for atom in monomial {
            let value = match atoms.get(*atom) {
                Atom::LocalSize(d) => i128::from(launch.local[usize::from(*d)]),
                Atom::Param { name, .. } => *launch.scalars.get(name)?,
                Atom::Macro { value, .. } => *value,
                Atom::Sum(inner) => value_at(atoms, inner, launch)?,
                _ => return None,
            };
            term = term.checked_mul(value)?;
        }
        sum = sum.checked_add(term)?;
    }
    Some(sum)
}

/// A polynomial in the grammar of launch files.
fn in_launch_terms(atoms: &Atoms, poly: &Poly) -> String {
    let mut text = String::new();
    let mut terms: Vec<_> = poly.terms().collect();
    terms.sort_by_key(|(m, c)| (*c < 0, std::cmp::Reverse(m.len())));
    for (i, (monomial, coefficient)) in terms.into_iter().enumerate() {
        text.push_str(match (coefficient < 0, i) {
            (true, _) => "-",
            (false, 0) => "",
            (false, _) => "+",
        });
        let mut factors: Vec<String> = monomial
            .iter()
            .map(|a| match atoms.get(*a) {
                Atom::LocalSize(d) => format!("local_size({d})"),
                Atom::Param { name, .. } => name.clone(),
                Atom::Macro { value, .. } => value.to_string(),
                Atom::Sum(inner) => format!("({})", in_launch_terms(atoms, inner)),
                _ => "?".to_owned(),
            })
            .collect();
        let size = coefficient.unsigned_abs();
        if size != 1 || factors.is_empty() {
            factors.insert(0, size.to_string());
        }
        text.push_str(&factors.join("*"));
    }
    if text.is_empty() {
        "0".to_owned()
    } else {
        text
    }
}
