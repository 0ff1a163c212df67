//! Small tables indexed by data, staged whole.

use tilewise_frontend::source::{ExprKind, Stmt, StmtKind, Variable};

use crate::loads::Accesses;
use crate::refusal::{Code, Refusal};
use crate::rewrite::apply;
use crate::rewrite::names::Names;
use crate::rewrite::table_tile::{self, TableTile};

use super::element::element_text;
use super::{Launch, Sizes, Staged, Tile};

/// A buffer as a table that is staged whole: its length is given, it fits, and a
/// group looks up more elements than it has.
pub fn table(accesses: &Accesses<'_>, param: &Variable, launch: &Launch) -> Option<TableTile> {
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

/// The kernel with its table staged.
pub fn with_table(
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
