//! From a kernel to its staged form.

mod candidate;
mod choice;
pub(crate) mod element;
mod launch;
mod signature;
mod staged;
mod table;
mod terms;
mod turned;

use tilewise_frontend::source::{AddressSpace, SourceTree};

use crate::loads::image::is_image;
use crate::loads::{Accesses, accesses};
use crate::plan::domain::Chunk;
use crate::refusal::{Code, Refusal, merged};
use crate::rewrite::capture::captured;
use crate::rewrite::fixed_group::group_sizes;
use crate::rewrite::names::Names;
use crate::rewrite::stride_tile;
use crate::rewrite::table_tile::TableTile;
use crate::rewrite::tile::BoxTile;
use crate::rewrite::turned_store;
use crate::rewrite::unused::unused;
use crate::rewrite::{TextEdit, apply};
use crate::rewrite::{box_tile, loop_tile};
use crate::symbolic::GroupSizes;

use candidate::{Candidate, candidates};
use choice::{choose, in_chunks};
use table::{table, with_table};
use terms::extents_in_launch_terms;
use turned::with_turned_store;

pub use launch::{Launch, Sizes};
pub use staged::{Staged, Tile};

/// Stages a kernel of a source.
///
/// # Errors
/// Nothing of it can be staged: the reasons, at least one.
pub fn stage(tree: &SourceTree, kernel: &str, launch: &Launch) -> Result<Staged, Vec<Refusal>> {
    match by_sizes(tree, kernel, launch) {
        Ok(form) => match signature::relied_on(tree, kernel, form.adds_parameters()) {
            Some(refusal) => Err(vec![refusal]),
            None => Ok(Staged {
                refusals: merged(form.refusals),
                ..form
            }),
        },
        Err(refusals) => Err(merged(refusals)),
    }
}

fn by_sizes(tree: &SourceTree, kernel: &str, launch: &Launch) -> Result<Staged, Vec<Refusal>> {
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
    let chunked = in_chunks(&mut accesses, &mut boxes, launch, &mut refusals);
    if chunked.is_none() {
        choose(&mut boxes, launch, &mut refusals, &accesses);
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
        // A table that all read alike is filled once, in front of the loop.
        None => match accesses
            .stride
            .clone()
            .filter(|_| boxes.iter().any(|c| c.moves))
        {
            Some(stride) => stride_tile::write(accesses, &tiles, &stride)?,
            None => box_tile::write(accesses, &tiles)?,
        },
    };
    let mut edits = written.edits;
    edits.extend(unused(tree, function, &edits, &written.used));
    let edits = without_inner(edits);
    if let Some((name, inner)) = captured(function, &edits) {
        return Err(Refusal::shadowed(tree, name, inner));
    }
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
        .map(|((tile, (extents, in_kernel)), candidate)| {
            Ok(Tile {
                buffer: tile.buffer.clone(),
                name: tile.tile.clone(),
                in_kernel,
                element: tile.element.clone(),
                extents: extents_in_launch_terms(accesses, &tile.buffer, &extents)?,
                bytes: candidate.bytes,
            })
        })
        .collect::<Result<_, Refusal>>()?;
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
