//! A tile: its extents, its layout, and where an element of the buffer is in it.

use crate::loads::Accesses;
use crate::plan::{Domain, Family};
use crate::symbolic::{Atom, Monomial, Poly};

use super::own_element::{Own, from_index, from_pointer};
use super::parameters::Parameter;
use super::print::{Printer, is_one_word, unwrapped};
use super::writer::Writer;

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
    /// A variable that says where the work-item's own element is.
    pub own: Option<Own>,
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

/// Where a load's element is in the tile, by coordinate.
pub fn places(shape: &Shape, family: &Family, position: usize) -> Vec<Poly> {
    let values = family.values[position].iter().zip(&shape.origins);
    values.map(|(value, origin)| value.sub(origin)).collect()
}

/// The element of the tile that holds a load's: `tile[ty * tw + tx]`.
pub fn tile_element(
    printer: &mut Printer<'_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    position: usize,
) -> String {
    let places = places(shape, tile.family, position);
    let index = from_index(shape, &places).unwrap_or_else(|| placed(printer, shape, &places));
    format!("{}[{index}]", tile.tile)
}

/// The same to be read, which a pointer may shorten: `own[dy * tw + dx]`.
pub fn element_to_read(
    printer: &mut Printer<'_>,
    tile: &BoxTile<'_>,
    shape: &Shape,
    position: usize,
) -> String {
    let places = places(shape, tile.family, position);
    match from_pointer(printer, shape, &places) {
        Some(element) => element,
        None => tile_element(printer, tile, shape, position),
    }
}

/// The index of a place in the tile.
pub fn placed(printer: &mut Printer<'_>, shape: &Shape, places: &[Poly]) -> String {
    let count = shape.pitches.len();
    let mut text = String::new();
    for k in (0..count).rev() {
        let place = loops_last(printer, &places[k]);
        if k + 1 == count {
            text = match count == 1 || is_one_word(&place) {
                true => place,
                false => format!("({place})"),
            };
            continue;
        }
        if k + 2 < count {
            text = format!("({text})");
        }
        // Row 0 has nothing to multiply.
        text = match (text.as_str(), places[k].is_zero()) {
            ("0", _) => place,
            (_, true) => format!("{text} * {}", shape.pitches[k]),
            (_, false) => format!("{text} * {} + {place}", shape.pitches[k]),
        };
    }
    text
}

/// A sum with what loops change at its end, so that a compiler computes what stands in
/// front once.
fn loops_last(printer: &mut Printer<'_>, sum: &Poly) -> String {
    let of_loop = |m: &Monomial| {
        let mut factors = m.iter();
        factors.any(|a| matches!(printer.atoms.get(*a), Atom::Loop { .. }))
    };
    let moving = sum.filtered(of_loop);
    let fixed = sum.sub(&moving);
    if moving.is_zero() || fixed.is_zero() {
        return printer.poly(sum);
    }
    let text = format!("{} + {}", printer.poly(&fixed), printer.poly(&moving));
    text.replace(" + -", " - ")
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
