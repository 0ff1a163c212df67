//! Compares results with a device's, and what PoCL 3.1 is known to get wrong.

use tilewise_ir::accuracy::Bound;
use tilewise_launch::Launch;

use super::generate::{Slot, TestKernel};
use super::types::{Elem, Kind};
use super::{Results, args, count, is_undefined, same};

/// A fault of PoCL 3.1: the call, and for which numbers (`a`, `b`, `c`).
struct Fault {
    call: &'static str,
    second: bool,
    arguments: fn([f64; 3]) -> bool,
}

/// Each was decided by the specification. `lgamma_r(-1.0f, &q)` is a reproducer
/// of the first: section 7.5.1 wants 0 in `q` for zeros and negative integers,
/// PoCL stores 1.
const FAULTS: &[Fault] = &[Fault {
    call: "lgamma_r(a, &q)",
    second: true,
    arguments: |[a, ..]| a <= 0.0 && a == a.trunc(),
}];

/// Adds a line for the first results of each call that differ.
pub fn compare(
    (kernel, ours): (&TestKernel, &[u8]),
    (other, theirs): (&TestKernel, &[u8]),
    launch: &Launch,
    differences: &mut Vec<String>,
) {
    for (at, slot) in other.slots.iter().enumerate() {
        let key = |s: &Slot| (s.call, s.length, s.second);
        let here = kernel.slots.iter().position(|s| key(s) == key(slot));
        let here = here.expect("the simulator ran every length");
        let call = &kernel.calls[slot.call];
        let (a, b) = (
            Results::new(kernel, here, ours),
            Results::new(other, at, theirs),
        );
        let mut found = 0;
        for n in 0..count(slot) {
            let (x, y) = (a.get(n), b.get(n));
            if same(a.elem, x, y) || is_undefined(kernel, slot, n, launch) {
                continue;
            }
            let first = n / slot.stored.1 as usize * slot.length as usize;
            let elements = match call.by_component {
                true => n..n + 1,
                false => first..first + slot.length as usize,
            };
            let values = elements.map(|e| args(kernel, launch, e, &call.text).values);
            let values: Vec<[f64; 3]> = values.collect();
            let known = FAULTS.iter().any(|f| {
                f.call == call.text
                    && f.second == slot.second
                    && values.iter().all(|v| (f.arguments)(*v))
            });
            let quotient = call.text.starts_with("remquo") && slot.second;
            if known || (quotient && same_quotient(x, y)) {
                continue;
            }
            let largest = values
                .iter()
                .flatten()
                .fold(1.0, |m: f64, v| m.max(v.abs()));
            if within(call.tolerance, a.elem, x, y, slot.length, largest) {
                continue;
            }
            found += 1;
            if found <= 3 {
                differences.push(format!(
                    "{} of {}{}{}: arguments {values:?}: {x:#x} ({:e}), the device {y:#x} ({:e})",
                    call.text,
                    kernel.elem.name,
                    slot.length,
                    if slot.second { ", second" } else { "" },
                    a.elem.number(x),
                    b.elem.number(y)
                ));
            }
        }
        if found > 3 {
            differences.push(format!("    and {} more", found - 3));
        }
    }
}

/// `remquo` owes the sign and at least the low seven bits of the quotient.
fn same_quotient(a: u64, b: u64) -> bool {
    let (a, b) = (a as u32 as i32, b as u32 as i32);
    let low = |v: i32| v.unsigned_abs() & 0x7F;
    low(a) == low(b) && (low(a) == 0 || (a < 0) == (b < 0))
}

/// Whether two results lie within the sum of both bounds.
fn within(bound: Bound, elem: Elem, a: u64, b: u64, length: u32, largest: f64) -> bool {
    if elem.kind != Kind::Float {
        return false;
    }
    let (x, y) = (elem.number(a), elem.number(b));
    // Products that overflow leave an infinity or a NaN, by their order.
    if bound == Bound::DotProduct && elem.number(elem.nearest(largest * largest)).is_infinite() {
        return true;
    }
    if x.is_nan() || y.is_nan() {
        return bound == Bound::Unspecified;
    }
    let room = match bound {
        Bound::Unspecified => return true,
        Bound::Absolute(n) => 2.0 * n * largest * largest,
        Bound::DotProduct => {
            let operations = f64::from(2 * length - 1);
            2.0 * largest * largest * operations * elem.ulp(1.0)
        }
        _ => {
            let ulps = bound.ulps(length).unwrap_or(0.0);
            // Zeros of either sign are 0 ulp apart.
            2.0 * ulps * elem.ulp(x.abs().min(y.abs()))
        }
    };
    if x.is_infinite() || y.is_infinite() {
        let largest = elem.number(elem.nearest(f64::INFINITY) - 1);
        return x.signum() == y.signum() && x.abs().min(y.abs()) >= largest - room;
    }
    (x - y).abs() <= room
}
