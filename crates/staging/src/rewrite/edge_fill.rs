//! The fill of a tile that is one element longer than the group at an end, or at
//! both: every work-item stores its own element, the first and the last one of the
//! group the element beside it, too.
//!
//! ```text
//! tile[lid + 1] = (gid < n) ? in[gid] : 0.0f;
//! if (lid == 0)
//!     tile[0] = (gid > 0 && gid < n) ? in[gid - 1] : 0.0f;
//! if (lid == lsz - 1)
//!     tile[lid + 2] = (gid + 1 < n) ? in[gid + 1] : 0.0f;
//! ```
//!
//! No loop, and what is known of the first and the last work-item takes tests away.
//! One element at an end is always right; more would need as many work-items.

use crate::plan::border::simplified;
use crate::plan::domain::without_implied;
use crate::symbolic::{Atom, Poly};

use super::fill::{Axis, at_axes, axes, mapped, store_of};
use super::tile::{BoxTile, Shape};
use super::writer::Writer;

/// Which work-items store an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    All,
    First,
    Last,
}

/// Lines of the fill; `None` where the tile has another form.
pub fn edge_fill(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    place: usize,
) -> Option<Vec<String>> {
    let [region] = &tile.domain.regions[..] else {
        return None;
    };
    let count = shape.extents.len();
    let mut longer = None;
    for k in 0..count {
        let [d] = *writer.dims_of(k, count) else {
            return None;
        };
        let atoms = &mut writer.accesses.bindings.atoms;
        let size = Poly::atom(atoms.intern(Atom::LocalSize(d)));
        match (shape.extents[k].sub(&size).as_constant()?, longer) {
            (0, _) => {}
            (more @ (1 | 2), None) => longer = Some((k, d, more)),
            _ => return None,
        }
    }
    let (k, d, more) = longer?;
    // Its own element is the one that it reads without an offset, where there is one.
    let before = i128::from(more == 2 || tile.domain.hull.high[k].is_zero());
    let (id, size) = writer.print(place, |p| (p.local_id(d), p.local_size(d)));
    let atoms = &mut writer.accesses.bindings.atoms;
    let local = Poly::atom(atoms.intern(Atom::LocalId(d)));
    let last = Poly::atom(atoms.intern(Atom::LocalSize(d)))
        .sub(&Poly::constant(1))
        .sub(&local);
    let own_place = local.add(&Poly::constant(before));
    let mut places = vec![(Who::All, own_place.clone())];
    if before == 1 {
        places.push((Who::First, Poly::default()));
    }
    if more - before == 1 {
        places.push((Who::Last, own_place.add(&Poly::constant(1))));
    }
    let mut lines = Vec::new();
    for (who, at) in places {
        let mut axes: Vec<Axis> = axes(writer, tile, shape, place);
        // The last of the sum needs no parentheses.
        let t = writer.print(place, |p| match k {
            0 => p.poly(&at),
            _ => p.factor(&at),
        });
        // The first work-item's id is 0, so that its own element is at the start.
        let way = match who {
            Who::First => local.clone(),
            _ => at,
        };
        axes[k] = Axis {
            t,
            s: shape.origins[k].add(&way),
            looped: false,
            limit: None,
            mapped: false,
        };
        let mut conditions: Vec<Poly> = region
            .element
            .iter()
            .chain(&region.group)
            .map(|c| at_axes(writer, c, &axes))
            .collect();
        let atoms = &mut writer.accesses.bindings.atoms;
        let start = atoms.intern(Atom::GroupStart(d));
        let group = tile.domain.group.iter().map(|c| match who {
            Who::First => c
                .substitute(start, &Poly::atom(start).add(&local))
                .unwrap_or_else(|| c.clone()),
            _ => c.clone(),
        });
        conditions.extend(group);
        let mut facts = tile.domain.facts.clone();
        match who {
            Who::All => {}
            Who::First => facts.push(local.negated()),
            Who::Last => facts.push(last.negated()),
        }
        let conditions = without_implied(atoms, conditions, &facts);
        let (_, unsigned) = writer.coordinate_type(tile.family);
        let texts: Vec<String> = writer.print(place, |p| {
            conditions.iter().map(|c| p.relation(c, unsigned)).collect()
        });
        let edge = match who {
            Who::All => None,
            Who::First => Some(format!("{id} == 0")),
            Who::Last => Some(format!("{id} == {size} - 1")),
        };
        let mut known = conditions;
        known.extend(facts);
        let values = simple_values(writer, tile, &axes, &known);
        let element = Element {
            axes: &axes,
            values: &values,
        };
        lines.extend(statement(writer, tile, shape, &element, edge, texts, place));
    }
    Some(lines)
}

/// Where the element is read, without what the conditions of the store say of a border:
/// `min(i + 1, n - 1)` instead of `clamp(i + 1, 0, n - 1)`.
fn simple_values(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    axes: &[Axis],
    known: &[Poly],
) -> Vec<Poly> {
    let mut values = mapped(writer, tile, axes);
    for value in &mut values {
        *value = simplified(&mut writer.accesses.bindings.atoms, value, known);
    }
    values
}

/// An element that is stored: its place in the tile, and where it is read.
struct Element<'a> {
    axes: &'a [Axis],
    values: &'a [Poly],
}

/// One store, by the work-items at an edge if one is given.
fn statement(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    element: &Element<'_>,
    edge: Option<String>,
    mut conditions: Vec<String>,
    place: usize,
) -> Vec<String> {
    // A constant stands where the conditions fail, but not for those beside the edge.
    let around = match (edge, tile.domain.filled_up) {
        (Some(edge), None) => {
            conditions.insert(0, edge);
            None
        }
        (edge, _) => edge,
    };
    let condition = (!conditions.is_empty()).then(|| conditions.join(" && "));
    let Element { axes, values } = *element;
    let stored = store_of(writer, tile, shape, axes, values, condition, place);
    let Some(edge) = around else { return stored };
    let mut lines = vec![format!("if ({edge})")];
    lines.extend(writer.indented(stored));
    lines
}
