//! The text that fills a tile: loops over its coordinates, each element read where
//! the kernel reads it.

use crate::loads::Accesses;
use crate::plan::border::simplified;
use crate::plan::lanes::LaneFill;
use crate::plan::prove::implied;
use crate::plan::{Family, Region};
use crate::symbolic::{Atom, AtomId, Atoms, Function, Poly};

use super::dense::{dense_fill, is_dense};
use super::edge_fill::edge_fill;
use super::lane_fill;
use super::print::unwrapped;
use super::tile::{BoxTile, Shape, source_element, tile_element};
use super::writer::{Writer, names_ints};

/// Characters of a load that a comment names.
const LONGEST: usize = 56;

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
        let sources: Vec<String> = (0..tile.family.values.len())
            .map(|load| {
                let values = read_by(writer, tile, lanes, load);
                source_element(writer, tile, &values, place)
            })
            .collect();
        lines.extend(writer.print(place, |printer| {
            lane_fill::lines(printer, lanes, unsigned, &unit, |p, load| {
                let target = tile_element(p, tile, shape, load);
                format!("{target} = {};", sources[load])
            })
        }));
        return lines;
    }
    if shape.extents.len() > 1 && is_dense(writer.accesses, tile, &shape.extents) {
        return dense_fill(writer, tile, shape, place);
    }
    // Names of the loops end with them: another fill may take the same.
    let names = writer.names.clone();
    let (lines, lasting) = match edge_fill(writer, tile, shape, place) {
        Some(lines) => (lines, Vec::new()),
        None => by_loops(writer, tile, shape, unsigned, place),
    };
    writer.names = names;
    for name in &lasting {
        writer.names.fresh(name);
    }
    let mut all = vec![comment(writer, tile, shape, place)];
    all.extend(lines);
    all
}

/// The coordinates of the element that a load of a fill by the work-items reads, with what
/// the kernel makes of them.
fn read_by(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    lanes: &LaneFill,
    load: usize,
) -> Vec<Poly> {
    let mut known = lanes.guards.clone();
    let side = lanes.sides.iter().find(|s| s.load == load);
    if let Some(side) = side {
        match side.within {
            true => known.extend(side.guards.iter().cloned()),
            false => known = side.guards.clone(),
        }
    }
    let values = tile.family.values[load].iter();
    values
        .zip(&tile.family.coordinates)
        .map(|(value, coordinate)| match coordinate.map {
            Some(map) => {
                let read = in_hole(writer.accesses, map, value);
                simplified(&mut writer.accesses.bindings.atoms, &read, &known)
            }
            None => value.clone(),
        })
        .collect()
}

/// A fill whose loops run over all elements of the tile, and the names that it
/// declares outside of them.
fn by_loops(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    unsigned: bool,
    place: usize,
) -> (Vec<String>, Vec<String>) {
    let mut axes = axes(writer, tile, shape, place);
    let mut regions = tile.domain.regions.clone();
    let mut group = tile.domain.group.clone();
    let mut before = Vec::new();
    let mut outside = Vec::new();
    let is_flat = is_flat(writer, shape, &axes);
    if let ([region], None) = (&mut regions[..], tile.domain.filled_up) {
        // What no loop changes is asked in front of all of them, and what that says
        // of the group need not be said twice.
        let moves = |writer: &Writer<'_, '_>, c: &Poly| {
            axes.iter()
                .enumerate()
                .any(|(k, axis)| axis.looped && holds(&writer.accesses.bindings.atoms, c, k))
        };
        let (inner, outer): (Vec<Poly>, Vec<Poly>) = std::mem::take(&mut region.element)
            .into_iter()
            .partition(|c| moves(writer, c));
        region.element = inner;
        let own: Vec<Poly> = outer.iter().map(|c| at_axes(writer, c, &axes)).collect();
        let atoms = &writer.accesses.bindings.atoms;
        group.retain(|c| !implied(atoms, c, &own));
        outside = outer;
        if !is_flat {
            let mut whole = match outside.is_empty() {
                true => std::mem::take(&mut group),
                false => Vec::new(),
            };
            before = limits(writer, tile, shape, &mut axes, region, &mut whole, place);
            group.append(&mut whole);
        }
    }
    for (k, axis) in axes.iter_mut().enumerate() {
        let atoms = &writer.accesses.bindings.atoms;
        let asked = regions
            .iter()
            .flat_map(|r| &r.element)
            .any(|c| holds(atoms, c, k));
        axis.mapped = axis.looped
            && !asked
            && !shape.origins[k].is_zero()
            && tile.family.coordinates[k].map.is_some();
    }
    let mut conditions: Vec<String> = writer.print(place, |p| {
        group.iter().map(|c| p.relation(c, unsigned)).collect()
    });
    for c in &outside {
        conditions.push(relation(writer, c, shape, &axes, unsigned, place));
    }
    let alone = !axes.iter().any(|a| a.looped) && tile.domain.filled_up.is_none();
    let mut own = condition(writer, &regions, shape, &axes, unsigned, place);
    if alone && let Some(own) = own.take() {
        let either = regions.len() > 1 && !conditions.is_empty();
        conditions.push(if either { format!("({own})") } else { own });
    }
    let body = store(writer, tile, shape, &axes, own, place);
    let mut lines = match is_flat {
        true => flat(writer, tile, shape, &axes, body, place),
        false => looped(writer, tile, shape, &axes, body, place),
    };
    let limited = !before.is_empty();
    if limited {
        before.push(String::new());
        before.append(&mut lines);
        lines = before;
    }
    if conditions.is_empty() {
        let lasting = axes.into_iter().filter_map(|a| a.limit).collect();
        return (lines, lasting);
    }
    let open = if limited { " {" } else { "" };
    let mut all = vec![format!("if ({}){open}", conditions.join(" && "))];
    all.extend(writer.indented(lines));
    if limited {
        all.push("}".to_owned());
    }
    (all, Vec::new())
}

/// A coordinate in the text of a fill.
pub(super) struct Axis {
    /// Its place in the tile.
    pub t: String,
    /// Its value in the buffer: a new variable, or what the work-item's ids give.
    pub s: Poly,
    /// It takes a loop; else the group covers it once.
    pub looped: bool,
    /// A variable that ends its loop before the tile does.
    pub limit: Option<String>,
    /// What the kernel makes of its value, such as a clamp, is in the variable.
    pub mapped: bool,
}

pub(super) fn axes(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    place: usize,
) -> Vec<Axis> {
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
                limit: None,
                mapped: false,
            });
            continue;
        };
        let id = Poly::atom(writer.accesses.bindings.atoms.intern(Atom::LocalId(d)));
        let value = shape.origins[k].add(&id);
        axes.push(writer.print(place, |p| Axis {
            t: p.local_id(d),
            s: value,
            looped: false,
            limit: None,
            mapped: false,
        }));
    }
    axes
}

/// Takes upper bounds of single coordinates out of a region, where the loop over the
/// coordinate can end there instead: `int cols = min(tw, W + 2 - x0);`. What is asked of
/// the `group` goes there, too, if nothing else is asked in front of the loops, and no more
/// than one thing of each:
/// `int cols = x0 < W ? min(tw, W + 2 - x0) : 0;`. An `if` around all of them costs more:
/// PoCL does not know that its condition is the same for the group. Gives the declarations.
fn limits(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    axes: &mut [Axis],
    region: &mut Region,
    group: &mut Vec<Poly>,
    place: usize,
) -> Vec<String> {
    let (ty, unsigned) = writer.coordinate_type(tile.family);
    if ty != "int" {
        return Vec::new();
    }
    let count = axes.len();
    let mut ends: Vec<(usize, Poly)> = Vec::new();
    for k in (0..count).filter(|k| axes[*k].looped) {
        let atoms = &mut writer.accesses.bindings.atoms;
        let coordinate = atoms.intern(Atom::Coordinate(k as u8));
        let end = |c: &Poly| {
            let end = c.add(&Poly::atom(coordinate)).add(&Poly::constant(1));
            let alone = c.coefficient(&[coordinate]) == -1 && end.atoms().all(|a| a != coordinate);
            (alone && is_int(writer.accesses, &end)).then_some(end)
        };
        let found: Vec<(usize, Poly)> = region
            .element
            .iter()
            .enumerate()
            .filter_map(|(i, c)| Some((i, end(c)?)))
            .collect();
        if let [(at, end)] = &found[..] {
            region.element.remove(*at);
            ends.push((k, end.clone()));
        }
    }
    let mut asked: Vec<Option<String>> = vec![None; count];
    if let Some((slowest, _)) = ends.last() {
        let owner = |c: &Poly| {
            let own = ends.iter().find(|(k, _)| is_of(writer, tile, *k, c));
            own.map_or(*slowest, |(k, _)| *k)
        };
        let owners: Vec<usize> = group.iter().map(owner).collect();
        // More than one would be hard to read there.
        if owners
            .iter()
            .enumerate()
            .all(|(i, k)| !owners[..i].contains(k))
        {
            for (k, c) in owners.into_iter().zip(std::mem::take(group)) {
                asked[k] = Some(writer.print(place, |p| p.relation(&c, unsigned)));
            }
        }
    }
    let mut declarations = Vec::new();
    for (k, end) in ends {
        let word = match (count, k) {
            (1, _) => "count",
            (_, 0) => "cols",
            (_, 1) => "rows",
            _ => "planes",
        };
        let way = end.sub(&shape.origins[k]);
        let way = writer.print(place, |p| p.poly(&way));
        // `min` takes two values of one type.
        let value = match names_ints(writer.accesses, &way) {
            true => format!("min({}, {way})", shape.limits[k]),
            false => format!("min({}, (int)({way}))", shape.limits[k]),
        };
        let value = match &asked[k] {
            None => value,
            Some(asked) => format!("{asked} ? {value} : 0"),
        };
        axes[k].limit = Some(match writer.declared.get(&value) {
            Some(name) => name.clone(),
            None => {
                let name = writer.names.fresh(word);
                declarations.push(format!("int {name} = {value};"));
                name
            }
        });
    }
    declarations
}

/// Whether an inequality speaks of the ids of one coordinate alone.
fn is_of(writer: &Writer<'_, '_>, tile: &BoxTile<'_>, k: usize, c: &Poly) -> bool {
    let dims = tile.family.dims(k);
    let atoms = &writer.accesses.bindings.atoms;
    let mut positions = c.atoms().filter(|a| atoms.is_positional(*a)).peekable();
    positions.peek().is_some()
        && positions.all(|a| match atoms.get(a) {
            Atom::GroupStart(d) | Atom::LocalId(d) | Atom::GlobalId(d) => dims.contains(d),
            _ => false,
        })
}

/// Whether a polynomial of uniform values is an `int` in the source.
pub fn is_int(accesses: &Accesses<'_>, poly: &Poly) -> bool {
    let is_int = |name: &str| {
        let params = accesses.function.params.iter();
        params
            .filter(|p| p.name == name)
            .all(|p| p.ty.scalar_name() == Some("int"))
    };
    poly.atoms().all(|a| match accesses.bindings.atoms.get(a) {
        Atom::Param { name, .. } => is_int(name),
        Atom::GroupStart(_) | Atom::LocalSize(_) | Atom::Macro { .. } => true,
        _ => false,
    })
}

/// Whether a polynomial holds a coordinate.
fn holds(atoms: &Atoms, poly: &Poly, coordinate: usize) -> bool {
    poly.atoms()
        .any(|a| matches!(atoms.get(a), Atom::Coordinate(k) if usize::from(*k) == coordinate))
}

/// The coordinates of the element that is read, with what the kernel makes of them.
pub(super) fn mapped(writer: &mut Writer<'_, '_>, tile: &BoxTile<'_>, axes: &[Axis]) -> Vec<Poly> {
    let mut values = Vec::new();
    for (coordinate, axis) in tile.family.coordinates.iter().zip(axes) {
        values.push(match coordinate.map {
            Some(map) if !axis.mapped => in_hole(writer.accesses, map, &axis.s),
            _ => axis.s.clone(),
        });
    }
    values
}

/// The statement that stores one element under a condition.
fn store(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    axes: &[Axis],
    condition: Option<String>,
    place: usize,
) -> Vec<String> {
    let values = mapped(writer, tile, axes);
    store_of(writer, tile, shape, axes, &values, condition, place)
}

/// The same for an element that is read at these coordinates.
pub(super) fn store_of(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    axes: &[Axis],
    values: &[Poly],
    condition: Option<String>,
    place: usize,
) -> Vec<String> {
    let source = source_element(writer, tile, values, place);
    let count = axes.len();
    let mut at = axes[count - 1].t.clone();
    for k in (0..count - 1).rev() {
        let row = match k + 2 == count {
            true => at,
            false => format!("({at})"),
        };
        at = match axes[k].t.as_str() {
            "0" => format!("{row} * {}", shape.pitches[k]),
            t => format!("{row} * {} + {t}", shape.pitches[k]),
        };
    }
    let target = format!("{}[{at}]", tile.tile);
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

/// Whether a row of work-items fills a tile whose rows the build knows the length of:
/// one loop keeps all of them busy, where one over the rows and one along them would
/// leave those idle that a row has no element for.
fn is_flat(writer: &mut Writer<'_, '_>, shape: &Shape, axes: &[Axis]) -> bool {
    let row = writer.dims == [0] && axes.len() == 2 && axes.iter().all(|a| a.looped);
    row && writer.constant(&shape.extents[0]).is_some()
}

/// One loop over both coordinates.
fn flat(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    axes: &[Axis],
    body: Vec<String>,
    place: usize,
) -> Vec<String> {
    let word = writer.word;
    let t = writer.names.fresh("t");
    let (first, step) = steps(writer, 1, place).swap_remove(0);
    let (width, length) = writer.print(place, |p| {
        let width = p.factor(&shape.extents[0]);
        let length = format!("{} * {width}", p.factor(&shape.extents[1]));
        (width, length)
    });
    let mut inner = vec![
        format!("{word} {} = {t} % {width};", axes[0].t),
        format!("{word} {} = {t} / {width};", axes[1].t),
    ];
    for (k, axis) in axes.iter().enumerate() {
        inner.extend(variable(writer, tile, shape, k, axis, place));
    }
    inner.push(String::new());
    inner.extend(body);
    let mut lines = vec![format!(
        "for ({word} {t} = {first}; {t} < {length}; {t} += {step}) {{"
    )];
    lines.extend(writer.indented(inner));
    lines.push("}".to_owned());
    lines
}

/// The declaration of a coordinate's value, where it is no other than the place in
/// the tile, and what the kernel makes of the value step by step.
fn variable(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    k: usize,
    axis: &Axis,
    place: usize,
) -> Vec<String> {
    let (ty, _) = writer.coordinate_type(tile.family);
    let t = &axis.t;
    let s = writer.print(place, |p| p.poly(&axis.s));
    let origin = &shape.origins[k];
    let map = tile.family.coordinates[k].map.filter(|_| axis.mapped);
    let steps = map.and_then(|map| in_steps(&mut writer.accesses.bindings.atoms, map));
    match (map, steps) {
        (Some(map), None) => {
            let named = writer
                .accesses
                .bindings
                .atoms
                .intern(Atom::Named(t.clone()));
            let value = in_hole(writer.accesses, map, &origin.add(&Poly::atom(named)));
            let value = writer.print(place, |p| p.poly(&value));
            vec![format!("{ty} {s} = {};", unwrapped(&value))]
        }
        (None, _) if origin.is_zero() => Vec::new(),
        (_, steps) => {
            let origin = writer.print(place, |p| p.poly(origin));
            let mut lines = vec![format!("{ty} {s} = {origin} + {t};")];
            for (condition, value) in steps.unwrap_or_default() {
                let of_axis = [condition, value].map(|p| in_sum(writer.accesses, &p, &axis.s));
                let [condition, value] = writer.print(place, |p| of_axis.map(|poly| p.poly(&poly)));
                lines.push(format!("if ({})", unwrapped(&condition)));
                lines.push(format!("{}{s} = {};", writer.unit, unwrapped(&value)));
            }
            lines
        }
    }
}

/// A map as a list of conditions, each with the value that takes its place where it
/// holds, as functions of the hole: a mirror at both ends is `u < 0`, `-u`, and `u >= n`,
/// `2 * n - 2 - u`.
fn in_steps(atoms: &mut Atoms, map: AtomId) -> Option<Vec<(Poly, Poly)>> {
    let Atom::Function(function) = atoms.get(map).clone() else {
        return None;
    };
    let [condition, then, otherwise] = &function.args[..] else {
        return None;
    };
    if function.head != "?:" {
        return None;
    }
    let hole = atoms.intern(Atom::Hole);
    let inner = otherwise.as_atom()?;
    let mut steps = match inner == hole {
        true => Vec::new(),
        false => in_steps(atoms, inner)?,
    };
    let condition = with_hole_for(atoms, condition, inner, hole)?;
    let then = with_hole_for(atoms, then, inner, hole)?;
    steps.push((condition, then));
    Some(steps)
}

/// A polynomial with the hole in place of an atom; `None` where the hole is in it
/// otherwise.
fn with_hole_for(atoms: &mut Atoms, poly: &Poly, atom: AtomId, hole: AtomId) -> Option<Poly> {
    let mut result = Poly::default();
    for (monomial, coefficient) in poly.terms() {
        let mut term = Poly::constant(coefficient);
        for &factor in monomial {
            let by = match atoms.get(factor).clone() {
                _ if factor == atom => hole,
                _ if factor == hole => return None,
                Atom::Function(function) if !function.uniform => {
                    let args: Option<Vec<Poly>> = function
                        .args
                        .iter()
                        .map(|a| with_hole_for(atoms, a, atom, hole))
                        .collect();
                    let args = args?;
                    atoms.intern(Atom::Function(Function { args, ..function }))
                }
                _ => factor,
            };
            term = term.mul(&Poly::atom(by))?;
        }
        result = result.add(&term);
    }
    Some(result)
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
    let steps = steps(writer, axes.len(), place);
    for (k, axis) in axes.iter().enumerate().filter(|(_, a)| a.looped) {
        let t = &axis.t;
        let mut inner = Vec::new();
        inner.extend(variable(writer, tile, shape, k, axis, place));
        if !inner.is_empty() {
            inner.push(String::new());
        }
        inner.extend(body);
        let (first, step) = &steps[k];
        let step = match step.as_str() {
            "1" => format!("++{t}"),
            step => format!("{t} += {step}"),
        };
        let limit = axis.limit.as_ref().unwrap_or(&shape.limits[k]);
        let word = writer.word;
        let header = format!("for ({word} {t} = {first}; {t} < {limit}; {step})");
        let one = inner.len() == 1;
        body = vec![if one { header } else { format!("{header} {{") }];
        body.extend(writer.indented(inner));
        if !one {
            body.push("}".to_owned());
        }
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
    let is_image = writer.accesses.loads[tile.family.loads[0]].image.is_some();
    let note = match restrict || is_image {
        true => String::new(),
        false => format!("; {} must not overlap what the kernel writes", tile.buffer),
    };
    format!(
        "// Stage what the group reads of {}{}: {} {} elements{note}",
        tile.buffer,
        which(writer.accesses, tile.family),
        extents.join(" x "),
        tile.element
    )
}

/// Which of a buffer's loads these are, where it has others: ` as in[k]`.
fn which(accesses: &Accesses<'_>, family: &Family) -> String {
    let first = &accesses.loads[family.loads[0]];
    let others = accesses
        .loads
        .iter()
        .enumerate()
        .any(|(i, l)| l.buffer == first.buffer && !family.loads.contains(&i));
    match accesses.bindings.tree.text_of(first.expr.span) {
        Some(text) if others && !text.contains('\n') && text.len() <= LONGEST => {
            format!(" as {text}")
        }
        _ => String::new(),
    }
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
    let args = function.args.iter();
    let args = args.map(|a| in_sum(accesses, a, value)).collect();
    let atom = Atom::Function(Function { args, ..function });
    Poly::atom(accesses.bindings.atoms.intern(atom))
}

/// A sum of holes and functions of them with something in the holes.
fn in_sum(accesses: &mut Accesses<'_>, sum: &Poly, value: &Poly) -> Poly {
    let mut filled = Poly::default();
    for (monomial, coefficient) in sum.terms() {
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
    filled
}

/// The condition under which an element is read.
fn condition(
    writer: &mut Writer<'_, '_>,
    regions: &[Region],
    shape: &Shape,
    axes: &[Axis],
    unsigned: bool,
    place: usize,
) -> Option<String> {
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
pub(super) fn at_axes(writer: &mut Writer<'_, '_>, constraint: &Poly, axes: &[Axis]) -> Poly {
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
