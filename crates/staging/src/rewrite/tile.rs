//! A tile: its extents, its layout, and where an element of the buffer is in it.

use crate::loads::Accesses;
use crate::plan::{Domain, Family};
use crate::symbolic::{Atom, Poly};

use super::parameters::Parameter;
use super::print::{Printer, unwrapped};
use super::writer::Writer;

/// From so many loads on, the work-item's own element gets a variable.
const FEW_LOADS: usize = 3;

/// A tile to write.
pub struct BoxTile<'f> {
    /// The loads.
    pub family: &'f Family,
    /// What may be read.
    pub domain: &'f Domain,
    /// Name of the buffer.
    pub buffer: String,
    /// Type of an element.
    pub element: String,
    /// Name of the tile.
    pub tile: String,
}

impl BoxTile<'_> {
    /// Where its memory comes from: a parameter, or, where groups have a fixed size
    /// and the build knows its extents, an array of the kernel.
    pub fn memory(&self, writer: &mut Writer<'_, '_>, shape: &Shape) -> Option<Parameter> {
        let room = room(self.family, &shape.extents);
        let is_fixed = writer.accesses.bindings.atoms.group_sizes().is_some();
        let lengths: Option<Vec<String>> = match is_fixed {
            true => room.iter().rev().map(|e| writer.constant(e)).collect(),
            false => None,
        };
        match lengths {
            Some(mut lengths) => {
                // One row says nothing.
                if lengths.len() > 1 {
                    lengths.retain(|l| l != "1");
                }
                if lengths.is_empty() {
                    lengths.push("1".to_owned());
                }
                let length = lengths.join(" * ");
                let length = length
                    .strip_prefix('(')
                    .and_then(|l| l.strip_suffix(')'))
                    .filter(|_| lengths.len() == 1)
                    .unwrap_or(&length);
                writer
                    .arrays
                    .push(format!("__local {} {}[{length}];", self.element, self.tile));
                None
            }
            None => Some(Parameter::Tile {
                element: self.element.clone(),
                name: self.tile.clone(),
            }),
        }
    }
}

/// Numbers of all loads of some tiles.
pub fn loads_of(tiles: &[BoxTile<'_>]) -> Vec<usize> {
    let loads = tiles.iter().flat_map(|t| &t.family.loads);
    loads.copied().collect()
}

/// Whether neighbouring work-items read a tile down a column, so that an even width
/// would have them meet in one bank.
pub fn is_padded(family: &Family) -> bool {
    let moves = |k: usize| family.lanes[k].local[0] != 0;
    family.coordinates.len() > 1 && !moves(0) && (1..family.coordinates.len()).any(moves)
}

/// Elements of local memory by coordinate: the extents, with the padding.
pub fn room(family: &Family, extents: &[Poly]) -> Vec<Poly> {
    let mut room = extents.to_vec();
    if let Some(first) = room.first_mut().filter(|_| is_padded(family)) {
        *first = first.add(&Poly::constant(1));
    }
    room
}

/// Extents of a tile: elements by coordinate.
pub fn extents(accesses: &mut Accesses<'_>, family: &Family, domain: &Domain) -> Vec<Poly> {
    let atoms = &mut accesses.bindings.atoms;
    (0..family.coordinates.len())
        .map(|k| {
            let high = &domain.hull.high[k];
            let mut extent = high.sub(&domain.hull.low[k]).add(&Poly::constant(1));
            for d in family.dims(k) {
                let size = Poly::atom(atoms.intern(Atom::LocalSize(d))).sub(&Poly::constant(1));
                extent = extent.plus(&size, family.lanes[k].local[usize::from(d)].abs());
            }
            extent
        })
        .collect()
}

/// How a tile is laid out.
pub struct Shape {
    /// Elements to fill by coordinate, fastest first.
    pub extents: Vec<Poly>,
    /// Pitches by coordinate, as text: `tw`, `th`.
    pub pitches: Vec<String>,
    /// Elements to fill by coordinate, as text.
    pub limits: Vec<String>,
    /// Lowest value of each coordinate: what element 0 of the tile holds.
    pub origins: Vec<Poly>,
    /// A variable that holds the index of the work-item's own element in the tile,
    /// and that element's place by coordinate.
    pub own: Option<(String, Vec<Poly>)>,
}

/// Lays a tile out; pitches that are no single word become variables. `alone` says
/// that there is no other tile.
pub fn shape(writer: &mut Writer<'_, '_>, tile: &BoxTile<'_>, alone: bool, place: usize) -> Shape {
    let family = tile.family;
    let extents = extents(writer.accesses, family, tile.domain);
    let mut shape = Shape {
        pitches: Vec::new(),
        limits: Vec::new(),
        origins: Vec::new(),
        own: None,
        extents,
    };
    for k in 0..shape.extents.len() {
        let extent = &shape.extents[k];
        let padded = k == 0 && is_padded(family);
        let wide = extent.add(&Poly::constant(i128::from(padded)));
        let limit = writer.print(place, |p| p.poly(extent));
        let text = writer.print(place, |p| p.poly(&wide));
        let last = k + 1 == shape.extents.len();
        let is_word = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let pitch = if last || is_word {
            text
        } else {
            declare_pitch(writer, tile, alone, k, &text, padded)
        };
        shape.limits.push(match padded {
            true => limit,
            false => pitch.clone(),
        });
        shape.pitches.push(pitch);
        let atoms = &mut writer.accesses.bindings.atoms;
        let mut origin = family.lanes[k].start.add(&tile.domain.hull.low[k]);
        for d in family.dims(k) {
            let c = family.lanes[k].local[usize::from(d)];
            if c < 0 {
                let size = Poly::atom(atoms.intern(Atom::LocalSize(d))).sub(&Poly::constant(1));
                origin = origin.plus(&size, c);
            }
        }
        shape.origins.push(origin);
    }
    shape
}

fn declare_pitch(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    alone: bool,
    k: usize,
    text: &str,
    padded: bool,
) -> String {
    let letter = ["w", "h"][k.min(1)];
    let what = ["width", "height"][k.min(1)];
    let wanted = match alone {
        true => format!("t{letter}"),
        false => format!("{}_{letter}", tile.tile),
    };
    let name = writer.names.fresh(&wanted);
    let note = match padded {
        true => ", one more against bank conflicts",
        false => "",
    };
    writer.declarations.push(format!(
        "{} {name} = {text}; // {what} of {}{note}",
        writer.word, tile.tile
    ));
    name
}

/// The offsets of the element that the kernel calls a work-item's own: none, or, where no
/// load reads that, the middle of a stencil that starts a number of elements further on.
fn middle(accesses: &mut Accesses<'_>, tile: &BoxTile<'_>) -> Vec<Poly> {
    let (family, hull) = (tile.family, &tile.domain.hull);
    let count = family.coordinates.len();
    let atoms = &mut accesses.bindings.atoms;
    let offsets: Vec<Vec<Poly>> = (0..family.loads.len())
        .map(|load| (0..count).map(|k| family.offset(load, k, atoms)).collect())
        .collect();
    let none = vec![Poly::default(); count];
    let half = |k: usize| {
        let sum = hull.low[k].add(&hull.high[k]).as_constant()?;
        (sum % 2 == 0).then(|| Poly::constant(sum / 2))
    };
    let halves: Option<Vec<Poly>> = (0..count).map(half).collect();
    match halves.filter(|m| offsets.contains(m)) {
        Some(middle) => middle,
        None => none,
    }
}

/// Declares a variable for the work-item's own element, where several loads are a
/// constant way from it: `tile[at - tw]` says more than the whole index.
pub fn name_own_element(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &mut Shape,
    alone: bool,
    place: usize,
) {
    let family = tile.family;
    let count = shape.pitches.len();
    if count < 2 || family.loads.len() < FEW_LOADS {
        return;
    }
    let middle = middle(writer.accesses, tile);
    let mut own = Vec::new();
    for ((lanes, origin), middle) in family.lanes.iter().zip(&shape.origins).zip(&middle) {
        let mut at = lanes.start.add(middle).sub(origin);
        for (d, &c) in lanes.local.iter().enumerate() {
            let id = writer
                .accesses
                .bindings
                .atoms
                .intern(Atom::LocalId(d as u8));
            at = at.add(&Poly::term(c, vec![id]));
        }
        own.push(at);
    }
    let near = family.values.iter().all(|values| {
        let places = values.iter().zip(&shape.origins).zip(&own);
        places
            .map(|((value, origin), own)| value.sub(origin).sub(own))
            .all(|way| way.as_constant().is_some())
    });
    if !near {
        return;
    }
    let text = writer.print(place, |p| placed(p, shape, &own));
    let name = writer.names.fresh(&match alone {
        true => "at".to_owned(),
        false => format!("{}_at", tile.tile),
    });
    writer.declarations.push(format!(
        "{} {name} = {text}; // the work-item's own element in {}",
        writer.word, tile.tile
    ));
    shape.own = Some((name, own));
}

/// Where a load's element is in the tile.
pub fn tile_index(
    printer: &mut Printer<'_>,
    shape: &Shape,
    family: &Family,
    position: usize,
) -> String {
    let values = family.values[position].iter();
    let places: Vec<Poly> = values
        .zip(&shape.origins)
        .map(|(value, origin)| value.sub(origin))
        .collect();
    from_own(shape, &places).unwrap_or_else(|| placed(printer, shape, &places))
}

/// A place in the tile by its way from the work-item's own element.
fn from_own(shape: &Shape, places: &[Poly]) -> Option<String> {
    let (name, own) = shape.own.as_ref()?;
    let mut text = name.clone();
    for k in (0..places.len()).rev() {
        let way = places[k].sub(&own[k]).as_constant()?;
        let size = way.unsigned_abs();
        let stride = shape.pitches[..k].join(" * ");
        let term = match (k, size) {
            (_, 0) => continue,
            (0, _) => size.to_string(),
            (_, 1) => stride,
            _ => format!("{size} * {stride}"),
        };
        text.push_str(if way < 0 { " - " } else { " + " });
        text.push_str(&term);
    }
    Some(text)
}

/// The index of a place in the tile.
fn placed(printer: &mut Printer<'_>, shape: &Shape, places: &[Poly]) -> String {
    let count = shape.pitches.len();
    let mut text = String::new();
    for k in (0..count).rev() {
        let place = &places[k];
        if k + 1 == count {
            text = if count == 1 {
                printer.poly(place)
            } else {
                printer.factor(place)
            };
            continue;
        }
        if k + 2 < count {
            text = format!("({text})");
        }
        // Row 0 has nothing to multiply.
        text = match (text.as_str(), place.is_zero()) {
            ("0", _) => printer.poly(place),
            (_, true) => format!("{text} * {}", shape.pitches[k]),
            (_, false) => format!("{text} * {} + {}", shape.pitches[k], printer.poly(place)),
        };
    }
    text
}

/// The element of a buffer or image whose coordinates have these values.
pub fn source_element(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    values: &[Poly],
    place: usize,
) -> String {
    let family = tile.family;
    let image = writer.accesses.loads[family.loads[0]].image.clone();
    writer.print(place, |p| match (image, values) {
        (Some(image), [x, y]) => {
            let (x, y) = (p.poly(x), p.poly(y));
            image.text(&tile.buffer, &x, &y)
        }
        _ => {
            let index = source_index(p, family, values);
            format!("{}[{}]", tile.buffer, unwrapped(&index))
        }
    })
}

/// The index of an element whose coordinates have these values, slowest first.
pub fn source_index(printer: &mut Printer<'_>, family: &Family, values: &[Poly]) -> String {
    let mut parts = Vec::new();
    for (coordinate, value) in family.coordinates.iter().zip(values).rev() {
        parts.push(match coordinate.stride.as_constant() {
            Some(1) => printer.poly(value),
            _ => {
                let value = printer.factor(value);
                format!("{value} * {}", printer.multiplier(&coordinate.stride))
            }
        });
    }
    if !family.base.is_zero() {
        parts.push(printer.poly(&family.base));
    }
    parts.join(" + ").replace(" + -", " - ")
}
