//! A variable that says where a work-item's own element is in a tile.
//!
//! ```text
//! loads a constant way from it              loads that loops move around it
//! int at = (ly + 1) * tw + lx + 1;          __local const float *own = tile + (ly + R) * tw + lx + R;
//!
//! out[i] = tile[at - tw] + tile[at + tw];   for (int dx = -R; dx <= R; ++dx)
//!                                               sum += own[dy * tw + dx];
//! ```
//!
//! The pointer is more than a matter of taste: in `tile[(ly + dy + R) * tw + lx + dx + R]`
//! a compiler may lose that the sum does not wrap, once it has put its parts in another
//! order, and then computes it anew for each element. PoCL 5.0 runs such kernels at 0.8 of
//! the speed (`bench/runs/2026-12-01-pocl-staged`).

use crate::loads::Accesses;
use crate::symbolic::{Atom, Atoms, Poly};

use super::print::Printer;
use super::tile::{BoxTile, Shape, placed, places};
use super::writer::{Writer, names_ints};

/// From so many loads on, the work-item's own element gets an index.
const FEW_LOADS: usize = 3;

/// The variable.
pub struct Own {
    name: String,
    /// It is a pointer into the tile, not an index.
    is_pointer: bool,
    /// The element's place by coordinate.
    place: Vec<Poly>,
}

/// Declares a variable for the work-item's own element, where that says more than the
/// whole index of each load.
pub fn name_own_element(
    writer: &mut Writer<'_, '_>,
    tile: &BoxTile<'_>,
    shape: &mut Shape,
    alone: bool,
    place: usize,
) {
    let own = own_place(writer.accesses, tile, shape);
    let loads = tile.family.loads.len();
    let way = |load| -> Vec<Poly> {
        let places = places(shape, tile.family, load).into_iter().zip(&own);
        places.map(|(place, own)| place.sub(own)).collect()
    };
    let ways: Vec<Vec<Poly>> = (0..loads).map(way).collect();
    let is_pointer = !ways.iter().flatten().all(|w| w.as_constant().is_some());
    let says_more = match is_pointer {
        true => {
            is_moved(&writer.accesses.bindings.atoms, &own, &ways)
                && keep_their_sign(writer, shape, &ways, place)
        }
        false => shape.pitches.len() > 1 && loads >= FEW_LOADS,
    };
    if !says_more {
        return;
    }
    let text = writer.print(place, |p| placed(p, shape, &own));
    let wanted = if is_pointer { "own" } else { "at" };
    let name = writer.names.fresh(&match alone {
        true => wanted.to_owned(),
        false => format!("{}_{wanted}", tile.tile),
    });
    let (of, element, word) = (&tile.tile, &tile.element, writer.word);
    writer.declarations.push(match is_pointer {
        true => format!(
            "__local const {element} *{name} = {of} + {text}; // the work-item's own element"
        ),
        false => format!("{word} {name} = {text}; // the work-item's own element in {of}"),
    });
    shape.own = Some(Own {
        name,
        is_pointer,
        place: own,
    });
}

/// Whether indices from the own element are signed: else what is below it would wrap
/// before it is added.
fn keep_their_sign(
    writer: &mut Writer<'_, '_>,
    shape: &Shape,
    ways: &[Vec<Poly>],
    place: usize,
) -> bool {
    writer.word == "int"
        && ways.iter().all(|way| {
            let text = writer.print(place, |p| placed(p, shape, way));
            names_ints(writer.accesses, &text)
        })
}

/// Whether all loads lie around the own element by what loops say, along rows too, and
/// this element is further into the tile than the work-item's ids. Loops that only step
/// from row to row keep the index: NVIDIA's compiler makes less of `own[k * lsx]`.
fn is_moved(atoms: &Atoms, own: &[Poly], ways: &[Vec<Poly>]) -> bool {
    let is = |monomial: &[_], which: fn(&Atom) -> bool| {
        let mut factors = monomial.iter();
        factors.any(|a| which(atoms.get(*a)))
    };
    let by_loops = |(way, own): (&Poly, &Poly)| {
        let of_loops = |m: &[_]| is(m, |a| matches!(a, Atom::Loop { .. }));
        let varies = way.without_constant();
        // Else the loop counts from the edge of the tile, where nothing is to be added.
        let shorter = way.constant_part() == 0 || way.add(own).constant_part() != 0;
        shorter && varies.terms().all(|(m, _)| of_loops(m))
    };
    let of_ids = |m: &[_]| is(m, |a| matches!(a, Atom::LocalId(_)));
    let is_further = own.iter().any(|p| p.terms().any(|(m, _)| !of_ids(m)));
    let along_rows = ways.iter().any(|way| way[0].as_constant().is_none());
    let mut ways = ways.iter();
    is_further && along_rows && ways.all(|way| way.iter().zip(own).all(by_loops))
}

/// The place of the work-item's own element by coordinate.
fn own_place(accesses: &mut Accesses<'_>, tile: &BoxTile<'_>, shape: &Shape) -> Vec<Poly> {
    let middle = middle(accesses, tile);
    let lanes = tile.family.lanes.iter().zip(&shape.origins).zip(&middle);
    lanes
        .map(|((lanes, origin), middle)| {
            let mut at = lanes.start.add(middle).sub(origin);
            for (d, &c) in lanes.local.iter().enumerate() {
                let id = accesses.bindings.atoms.intern(Atom::LocalId(d as u8));
                at = at.add(&Poly::term(c, vec![id]));
            }
            at
        })
        .collect()
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

/// The index of a place in the tile by its way from the work-item's own element, where
/// that has an index.
pub fn from_index(shape: &Shape, places: &[Poly]) -> Option<String> {
    let own = shape.own.as_ref().filter(|own| !own.is_pointer)?;
    let mut text = own.name.clone();
    for k in (0..places.len()).rev() {
        let way = places[k].sub(&own.place[k]).as_constant()?;
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

/// The element at a place in the tile by its way from the work-item's own element, where
/// that has a pointer.
pub fn from_pointer(printer: &mut Printer<'_>, shape: &Shape, places: &[Poly]) -> Option<String> {
    let own = shape.own.as_ref().filter(|own| own.is_pointer)?;
    let places = places.iter().zip(&own.place);
    let way: Vec<Poly> = places.map(|(place, own)| place.sub(own)).collect();
    let text = placed(printer, shape, &way).replace(" + -", " - ");
    Some(format!("{}[{text}]", own.name))
}
