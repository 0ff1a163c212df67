//! The fill of a tile that is a stretch of its buffer: one loop.
//!
//! ```text
//! for (int t = lid; t < K * D; t += lsz)
//!     tile[t] = centroids[t];
//! ```

use crate::loads::Accesses;
use crate::symbolic::Poly;

use super::fill::{comment, steps};
use super::tile::{BoxTile, Shape};
use super::writer::Writer;

/// Whether a tile is a stretch of the buffer, from its first element on: each row
/// ends where the next begins.
pub fn is_dense(accesses: &Accesses<'_>, tile: &BoxTile<'_>, extents: &[Poly]) -> bool {
    let atoms = &accesses.bindings.atoms;
    let family = tile.family;
    let expanded = |p: &Poly| atoms.expanded(p);
    let mut stride = Some(Poly::constant(1));
    let rows = family.coordinates.iter().zip(extents).all(|(c, extent)| {
        let fits = stride.is_some() && expanded(&c.stride) == stride && c.map.is_none();
        let next = expanded(extent).and_then(|e| stride.as_ref()?.mul(&e));
        stride = next;
        fits
    });
    let unmoved = (0..extents.len()).all(|k| family.dims(k).is_empty());
    let whole = tile.domain.regions.len() == 1 && tile.domain.regions[0].element.is_empty();
    let from_start = tile.domain.hull.low.iter().all(Poly::is_zero)
        && family.lanes.iter().all(|l| l.start.is_zero());
    let in_memory = accesses.loads[family.loads[0]].image.is_none();
    in_memory && rows && unmoved && whole && from_start && family.base.is_zero()
}

/// The fill of such a tile.
pub fn dense_fill(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    place: usize,
) -> Vec<String> {
    let t = writer.names.fresh("t");
    let heading = comment(writer, tile, shape, place);
    let (first, step) = steps(writer, 1, place).swap_remove(0);
    let (length, group) = writer.print(place, |p| {
        let length: Vec<String> = shape.extents.iter().rev().map(|e| p.factor(e)).collect();
        let group = tile.domain.group.iter();
        let group: Vec<String> = group.map(|c| p.relation(c, false)).collect();
        (length.join(" * "), group)
    });
    let mut lines = vec![
        format!(
            "for ({} {t} = {first}; {t} < {length}; {t} += {step})",
            writer.word
        ),
        format!("{}{}[{t}] = {}[{t}];", writer.unit, tile.tile, tile.buffer),
    ];
    if !group.is_empty() {
        lines = writer.indented(lines);
        lines.insert(0, format!("if ({})", group.join(" && ")));
    }
    lines.insert(0, heading);
    lines
}
