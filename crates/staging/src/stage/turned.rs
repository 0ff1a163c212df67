//! Stores that neighbouring work-items make a row apart: they go through a tile.

use crate::loads::Accesses;
use crate::refusal::{Code, Refusal};
use crate::rewrite::apply;
use crate::rewrite::turned_store::{self, TurnedStore};

use super::candidate::bytes_of;
use super::terms::extents_in_launch_terms;
use super::{Launch, Staged, Tile};

/// The kernel with its stores turned.
pub fn with_turned_store(
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
    let mut tiles = Vec::new();
    for (extents, in_kernel) in rooms {
        let texts = extents_in_launch_terms(accesses, &turned.buffer, &extents);
        let texts = texts.map_err(|refusal| vec![refusal])?;
        tiles.push(Tile {
            buffer: turned.buffer.clone(),
            name: turned.tile.clone(),
            in_kernel,
            element: turned.element.clone(),
            bytes: bytes_of(accesses, &turned.buffer, &extents, launch),
            extents: texts,
        });
    }
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
