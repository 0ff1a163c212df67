//! The text of a fill by the work-items themselves:
//!
//! ```text
//! if (x < W && y < H) {
//!     tile[(ly + 1) * tw + lx + 1] = in[y * W + x];
//!     if (x > 0 && x < W - 1 && y > 0 && y < H - 1) {
//!         if (lx == 0)
//!             tile[(ly + 1) * tw] = in[y * W + x - 1];
//!         …
//!     }
//! }
//! ```

use crate::plan::lanes::{LaneFill, Side};
use crate::symbolic::Poly;

use super::print::Printer;

/// Lines of the fill. `target` gives a tile's element for a load, `source` the
/// buffer's.
pub fn lines(
    printer: &mut Printer<'_>,
    fill: &LaneFill,
    unsigned: bool,
    unit: &str,
    mut copy: impl FnMut(&mut Printer<'_>, usize) -> String,
) -> Vec<String> {
    let mut body = vec![copy(printer, fill.centre)];
    // Sides under the same guards stand together.
    let mut groups: Vec<(&Vec<Poly>, bool, Vec<&Side>)> = Vec::new();
    for side in &fill.sides {
        match groups
            .iter_mut()
            .find(|(guards, within, _)| **guards == side.guards && *within == side.within)
        {
            Some((_, _, sides)) => sides.push(side),
            None => groups.push((&side.guards, side.within, vec![side])),
        }
    }
    let mut behind = Vec::new();
    for (guards, within, sides) in groups {
        let mut inner = Vec::new();
        for side in sides {
            let id = printer.local_id(side.dim);
            let size = printer.local_size(side.dim);
            let at_side = match (side.way.as_constant(), side.step < 0) {
                (Some(-1), _) => format!("{id} == 0"),
                (Some(1), _) => format!("{id} == {size} - 1"),
                (_, true) => format!("{id} < {}", printer.poly(&side.way.negated())),
                // Without a sign nothing is taken away.
                (_, false) if unsigned => {
                    let reach = printer.poly(&side.way);
                    format!("{id} + {reach} >= {size}")
                }
                (_, false) => format!("{id} >= {size} - {}", printer.factor(&side.way)),
            };
            let open = side.open.iter().map(|o| printer.relation(o, unsigned));
            let at_side: Vec<String> = std::iter::once(at_side).chain(open).collect();
            inner.push(format!("if ({})", at_side.join(" || ")));
            inner.push(format!("{unit}{}", copy(printer, side.load)));
        }
        let lines = guarded(printer, guards, inner, unsigned, unit);
        match within {
            true => body.extend(lines),
            false => behind.extend(lines),
        }
    }
    let count = body.len();
    let mut lines = guarded_block(printer, &fill.guards, body, count > 1, unsigned, unit);
    lines.extend(behind);
    lines
}

fn guarded(
    printer: &mut Printer<'_>,
    guards: &[Poly],
    inner: Vec<String>,
    unsigned: bool,
    unit: &str,
) -> Vec<String> {
    let several = inner.len() > 2;
    guarded_block(printer, guards, inner, several, unsigned, unit)
}

fn guarded_block(
    printer: &mut Printer<'_>,
    guards: &[Poly],
    inner: Vec<String>,
    braces: bool,
    unsigned: bool,
    unit: &str,
) -> Vec<String> {
    if guards.is_empty() {
        return inner;
    }
    let texts: Vec<String> = guards
        .iter()
        .map(|g| printer.relation(g, unsigned))
        .collect();
    let open = if braces { " {" } else { "" };
    let mut lines = vec![format!("if ({}){open}", texts.join(" && "))];
    lines.extend(inner.into_iter().map(|l| format!("{unit}{l}")));
    if braces {
        lines.push("}".to_owned());
    }
    lines
}
