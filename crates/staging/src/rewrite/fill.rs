//! The text that fills a tile: loops over its coordinates, each element read where
//! the kernel reads it.

use crate::loads::Accesses;
use crate::plan::prove::implied;
use crate::plan::{Family, Region};
use crate::symbolic::{Atom, AtomId, Function, Poly};

use super::dense::{dense_fill, is_dense};
use super::lane_fill;
use super::tile::{BoxTile, Shape, source_index, tile_index};
use super::writer::Writer;

/// Lines that fill a tile, without the barrier. Names known at `place` are used.
pub fn fill(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    place: usize,
) -> Vec<String> {
    let (_, unsigned) = writer.coordinate_type(tile.family);
    if let Some(lanes) = &tile.domain.lanes {
        let unit = writer.unit.clone();
        let mut lines = vec![comment(writer, tile, shape, place)];
        lines.extend(writer.print(place, |printer| {
            lane_fill::lines(
                printer,
                tile.family,
                lanes,
                unsigned,
                &unit,
                |p, family, load| {
                    let target = tile_index(p, shape, family, load);
                    let source = source_index(p, family, &family.values[load]);
                    format!("{}[{target}] = {}[{source}];", tile.tile, tile.buffer)
                },
            )
        }));
        return lines;
    }
    if shape.extents.len() > 1 && is_dense(writer.accesses, tile, &shape.extents) {
        return dense_fill(writer, tile, shape, place);
    }
    // Names of the loops end with them: another fill may take the same.
    let names = writer.names.clone();
    let axes = axes(writer, tile, shape, place);
    let mut group = tile.domain.group.clone();
    if let ([region], false) = (&tile.domain.regions[..], axes.iter().any(|a| a.looped)) {
        // What the work-item's own tests say of its group need not be said twice.
        let own: Vec<Poly> = region
            .element
            .iter()
            .map(|c| at_axes(writer, c, &axes))
            .collect();
        let atoms = &writer.accesses.bindings.atoms;
        group.retain(|c| !implied(atoms, c, &own));
    }
    let group: Vec<String> = writer.print(place, |p| {
        group.iter().map(|c| p.relation(c, unsigned)).collect()
    });
    let alone = !axes.iter().any(|a| a.looped) && tile.domain.filled_up.is_none();
    let (outside, inside) = if alone {
        (Vec::new(), group)
    } else {
        (group, Vec::new())
    };
    let body = element(writer, tile, shape, &axes, inside, place);
    let mut lines = looped(writer, tile, shape, &axes, body, place);
    writer.names = names;
    if !outside.is_empty() {
        lines = writer.indented(lines);
        lines.insert(0, format!("if ({})", outside.join(" && ")));
    }
    lines.insert(0, comment(writer, tile, shape, place));
    lines
}

/// A coordinate in the text of a fill.
struct Axis {
    /// Its place in the tile.
    t: String,
    /// Its value in the buffer: a new variable, or what the work-item's ids give.
    s: Poly,
    /// It takes a loop; else the group covers it once.
    looped: bool,
}

fn axes(writer: &mut Writer<'_, '_>, tile: &BoxTile<'_>, shape: &Shape, place: usize) -> Vec<Axis> {
    let count = shape.extents.len();
    let mut axes = Vec::new();
    // One that is free in all dimensions: `sx`, `sy`.
    let letters: Vec<String> = (0..count)
        .map(|k| letter(writer.accesses, tile.family, k, count))
        .collect();
    let free = |p: &&str| {
        letters
            .iter()
            .all(|l| writer.names.is_free(&format!("{p}{l}")))
    };
    let source = ["s", "g", "p"].into_iter().find(free).unwrap_or("s");
    for (k, letter) in letters.iter().enumerate() {
        let once = match *writer.dims_of(k, count) {
            [d] => {
                let atoms = &mut writer.accesses.bindings.atoms;
                let size = Poly::atom(atoms.intern(Atom::LocalSize(d)));
                (shape.extents[k] == size).then_some(d)
            }
            _ => None,
        };
        let Some(d) = once else {
            let t = writer.names.fresh(&format!("t{letter}"));
            // From element 0 on, the place in the tile is the one in the buffer.
            let s = match shape.origins[k].is_zero() {
                true => t.clone(),
                false => writer.names.fresh(&format!("{source}{letter}")),
            };
            let s = writer.accesses.bindings.atoms.intern(Atom::Named(s));
            axes.push(Axis {
                t,
                s: Poly::atom(s),
                looped: true,
            });
            continue;
        };
        let id = Poly::atom(writer.accesses.bindings.atoms.intern(Atom::LocalId(d)));
        let value = shape.origins[k].add(&id);
        axes.push(writer.print(place, |p| Axis {
            t: p.local_id(d),
            s: value,
            looped: false,
        }));
    }
    axes
}

/// The statement that stores one element; `conditions` hold beside its own.
fn element(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    axes: &[Axis],
    mut conditions: Vec<String>,
    place: usize,
) -> Vec<String> {
    let (_, unsigned) = writer.coordinate_type(tile.family);
    let mut values = Vec::new();
    for (coordinate, axis) in tile.family.coordinates.iter().zip(axes) {
        values.push(match coordinate.map {
            Some(map) => in_hole(writer.accesses, map, &axis.s),
            None => axis.s.clone(),
        });
    }
    let own = condition(writer, tile, shape, axes, unsigned, place);
    let either = tile.domain.regions.len() > 1 && !conditions.is_empty();
    conditions.extend(own.map(|c| match either {
        true => format!("({c})"),
        false => c,
    }));
    let condition = (!conditions.is_empty()).then(|| conditions.join(" && "));
    let index = writer.print(place, |p| source_index(p, tile.family, &values));
    let count = axes.len();
    let mut at = axes[count - 1].t.clone();
    for k in (0..count - 1).rev() {
        let row = match k + 2 == count {
            true => at,
            false => format!("({at})"),
        };
        at = format!("{row} * {} + {}", shape.pitches[k], axes[k].t);
    }
    let target = format!("{}[{at}]", tile.tile);
    let source = format!("{}[{index}]", tile.buffer);
    let constant = tile.domain.filled_up.and_then(|load| {
        let choice = writer.accesses.loads[load].choice.as_ref()?;
        writer.accesses.bindings.tree.text_of(choice.otherwise.span)
    });
    match (condition, constant) {
        (None, _) => vec![format!("{target} = {source};")],
        (Some(c), Some(constant)) => {
            vec![format!("{target} = ({c}) ? {source} : {constant};")]
        }
        (Some(c), None) => vec![
            format!("if ({c})"),
            format!("{}{target} = {source};", writer.unit),
        ],
    }
}

/// The loops around it, fastest inside.
fn looped(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    axes: &[Axis],
    mut body: Vec<String>,
    place: usize,
) -> Vec<String> {
    let (ty, _) = writer.coordinate_type(tile.family);
    let steps = steps(writer, axes.len(), place);
    for (k, axis) in axes.iter().enumerate().filter(|(_, a)| a.looped) {
        let t = &axis.t;
        let s = writer.print(place, |p| p.poly(&axis.s));
        let origin = &shape.origins[k];
        let mut inner = Vec::new();
        if !origin.is_zero() {
            let origin = writer.print(place, |p| p.poly(origin));
            inner.push(format!("{ty} {s} = {origin} + {t};"));
            inner.push(String::new());
        }
        inner.extend(body);
        let (first, step) = &steps[k];
        let step = match step.as_str() {
            "1" => format!("++{t}"),
            step => format!("{t} += {step}"),
        };
        let limit = &shape.limits[k];
        body = vec![format!("for (int {t} = {first}; {t} < {limit}; {step}) {{")];
        body.extend(writer.indented(inner));
        body.push("}".to_owned());
    }
    body
}

/// The comment that says what is staged and how large.
pub fn comment(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    place: usize,
) -> String {
    let extents: Vec<String> = writer.print(place, |p| match &shape.extents[..] {
        [one] => vec![p.poly(one)],
        several => several.iter().map(|e| p.factor(e)).collect(),
    });
    let params = &writer.accesses.function.params;
    let restrict = params
        .iter()
        .find(|p| p.name == tile.buffer)
        .and_then(|p| p.ty.spelled.as_ref()?.pointers.last())
        .is_some_and(|p| p.is_restrict);
    let note = match restrict {
        true => String::new(),
        false => format!("; {} must not overlap what the kernel writes", tile.buffer),
    };
    format!(
        "// Stage what the group reads of {}: {} {} elements{note}",
        tile.buffer,
        extents.join(" x "),
        tile.element
    )
}

/// First value and step of each loop of a fill: ids of the work-items, those of
/// more dimensions than the tile has joined in the last loop.
pub fn steps(writer: &mut Writer<'_, '_>, count: usize, place: usize) -> Vec<(String, String)> {
    let mut result = Vec::new();
    for k in 0..count {
        let mine = writer.dims_of(k, count).to_vec();
        let atoms = &mut writer.accesses.bindings.atoms;
        let mut first: Option<Poly> = None;
        let mut step = Poly::constant(1);
        for &d in mine.iter().rev() {
            let id = Poly::atom(atoms.intern(Atom::LocalId(d)));
            let size = Poly::atom(atoms.intern(Atom::LocalSize(d)));
            first = match first {
                None => Some(id),
                Some(outer) => outer.mul(&size).map(|p| p.add(&id)),
            };
            step = step.mul(&size).unwrap_or(step);
        }
        let first = first.unwrap_or_default();
        result.push(writer.print(place, |p| (p.poly(&first), p.poly(&step))));
    }
    result
}

/// A letter for a coordinate: of the id that moves it, or its loop's variable.
fn letter(accesses: &Accesses<'_>, family: &Family, k: usize, count: usize) -> String {
    if count == 1 {
        return String::new();
    }
    if let Some(d) = family.dims(k).first() {
        return ["x", "y", "z"][usize::from((*d).min(2))].to_owned();
    }
    let atoms = &accesses.bindings.atoms;
    let name = family
        .values
        .iter()
        .flat_map(|v| v[k].atoms())
        .find_map(|a| match atoms.get(a) {
            Atom::Loop { name, .. } => Some(name.clone()),
            _ => None,
        });
    name.map_or(k.to_string(), |n| format!("_{n}"))
}

/// A function of a hole with something in it.
fn in_hole(accesses: &mut Accesses<'_>, map: AtomId, value: &Poly) -> Poly {
    let Atom::Function(function) = accesses.bindings.atoms.get(map).clone() else {
        return value.clone();
    };
    let mut args = Vec::new();
    for arg in &function.args {
        let mut filled = Poly::default();
        for (monomial, coefficient) in arg.terms() {
            let mut term = Poly::constant(coefficient);
            for &atom in monomial {
                let factor = match accesses.bindings.atoms.get(atom) {
                    Atom::Hole => value.clone(),
                    Atom::Function(_) => in_hole(accesses, atom, value),
                    _ => Poly::atom(atom),
                };
                term = term.mul(&factor).unwrap_or(term);
            }
            filled = filled.add(&term);
        }
        args.push(filled);
    }
    let atom = Atom::Function(Function { args, ..function });
    Poly::atom(accesses.bindings.atoms.intern(atom))
}

/// The condition under which an element is read.
fn condition(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    axes: &[Axis],
    unsigned: bool,
    place: usize,
) -> Option<String> {
    let regions: &[Region] = &tile.domain.regions;
    let common: Vec<&Poly> = regions
        .first()?
        .element
        .iter()
        .filter(|c| regions.iter().all(|r| r.element.contains(c)))
        .collect();
    let mut one = |c: &Poly| relation(writer, c, shape, axes, unsigned, place);
    let mut parts: Vec<String> = common.iter().map(|c| one(c)).collect();
    if regions.len() > 1 {
        let mut alternatives: Vec<Vec<String>> = Vec::new();
        for region in regions {
            let own = region.element.iter().filter(|c| !common.contains(c));
            alternatives.push(own.chain(&region.group).map(&mut one).collect());
        }
        // A region without a condition of its own holds all others.
        if alternatives.iter().all(|a| !a.is_empty()) {
            let texts: Vec<String> = alternatives
                .iter()
                .map(|a| match &a[..] {
                    [single] => single.clone(),
                    several => format!("({})", several.join(" && ")),
                })
                .collect();
            let either = texts.join(" || ");
            parts.push(match parts.is_empty() {
                true => either,
                false => format!("({either})"),
            });
        }
    }
    (!parts.is_empty()).then(|| parts.join(" && "))
}

/// An inequality of coordinates at a work-item's own.
fn at_axes(writer: &mut Writer<'_, '_>, constraint: &Poly, axes: &[Axis]) -> Poly {
    let atoms = &mut writer.accesses.bindings.atoms;
    let mut at = constraint.clone();
    for (k, axis) in axes.iter().enumerate() {
        let coordinate = atoms.intern(Atom::Coordinate(k as u8));
        at = at.substitute(coordinate, &axis.s).unwrap_or(at);
    }
    at
}

/// One inequality of coordinates as C.
fn relation(
    writer: &mut Writer<'_, '_>,
    constraint: &Poly,
    shape: &Shape,
    axes: &[Axis],
    unsigned: bool,
    place: usize,
) -> String {
    // Beside the group's start, or where a value below 0 would wrap, the place in
    // the tile says it better.
    let atoms = &mut writer.accesses.bindings.atoms;
    let starts = constraint
        .atoms()
        .any(|a| matches!(atoms.get(a), Atom::GroupStart(_)));
    let mut shown = constraint.clone();
    for (k, axis) in axes.iter().enumerate() {
        let coordinate = atoms.intern(Atom::Coordinate(k as u8));
        let lower = constraint
            .terms()
            .any(|(m, x)| x > 0 && m.contains(&coordinate));
        let by = if starts || unsigned && lower {
            Poly::atom(atoms.intern(Atom::Named(axis.t.clone()))).add(&shape.origins[k])
        } else {
            axis.s.clone()
        };
        if let Some(p) = shown.substitute(coordinate, &by) {
            shown = p;
        }
    }
    writer.print(place, |p| p.relation(&shown, unsigned))
}
