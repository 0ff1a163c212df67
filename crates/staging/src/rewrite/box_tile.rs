//! Box tiles: stencils, convolutions, filters, tables.
//!
//! ```text
//! before                                after
//! int gid = get_global_id(0);           int gid = get_global_id(0);
//!                                       int lid = get_local_id(0);
//!                                       int lsz = get_local_size(0);
//!
//!                                       // Stage in: lsz + 2 floats, …
//!                                       if (gid - lid < n)
//!                                           for (int t = lid; t < lsz + 2; t += lsz) {
//!                                               int s = gid - lid + t - 1;
//!
//!                                               tile[t] = (s >= 0 && s < n) ? in[s] : 0.0f;
//!                                           }
//!                                       barrier(CLK_LOCAL_MEM_FENCE);
//!
//! if (gid < n) {                        if (gid < n) {
//!     float left = (gid > 0)                float left = tile[lid];
//!         ? in[gid - 1] : 0.0f;
//! ```
//!
//! The block stands in front of the first statement that may part the work-items,
//! so that all of them reach its barrier: early returns come after it.

use crate::loads::Accesses;
use crate::refusal::Refusal;

use super::Written;
use super::edit::TextEdit;
use super::fill::fill;
use super::fixed_group::fixed_group;
use super::names::Names;
use super::own_element::name_own_element;
use super::parameters::parameters;
use super::place::Place;
use super::reads::reads;
use super::tile::{BoxTile, loads_of, room, shape};
use super::writer::{Writer, word_for};

/// Writes tiles into a kernel.
///
/// # Errors
/// A place that can't be edited.
pub fn write(accesses: &mut Accesses<'_>, tiles: &[BoxTile<'_>]) -> Result<Written, Refusal> {
    let tree = accesses.bindings.tree;
    let mut names = Names::around(tree, accesses.function);
    for tile in tiles {
        names.fresh(&tile.tile);
    }
    let place = Place::find(accesses, &loads_of(tiles))?;
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut new = Vec::new();
    let word = word_for(accesses, tiles.iter().map(|t| t.family));
    let mut writer = Writer::new(accesses, names, place.offset, &place.unit, word);
    let mut fills = Vec::new();
    let mut rooms = Vec::new();
    for tile in tiles {
        let alone = tiles.len() == 1;
        let mut shape = shape(&mut writer, tile, alone, place.offset);
        name_own_element(&mut writer, tile, &mut shape, alone, place.offset);
        fills.push(fill(&mut writer, tile, &shape, place.offset));
        edits.extend(reads(&mut writer, tile, &shape)?);
        let memory = tile.memory(&mut writer, &shape);
        rooms.push((room(tile.family, &shape.extents), memory.is_none()));
        new.extend(memory);
    }
    let declarations = writer.take_declarations();
    let texts = fills.iter().flatten().chain(edits.iter().map(|e| &e.text));
    let (mut lines, out) = Writer::needed(declarations, texts.map(String::as_str));
    for fill in fills {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(fill.iter().map(|l| Writer::without_names(l, &out)));
    }
    lines.push("barrier(CLK_LOCAL_MEM_FENCE);".to_owned());
    edits.push(place.insertion(&tree.text, place.block(&lines)));
    let used = writer.used;
    edits.extend(parameters(accesses, &new)?);
    edits.extend(fixed_group(accesses)?);
    Ok(Written { edits, used, rooms })
}
