//! A number of elements as an expression of a launch's sizes.

use tilewise_launch::Resolved;
use tilewise_launch::expr::{Env, Expr, Num};

/// A size that lengths may be made of.
struct Size {
    name: String,
    value: u64,
}

/// The shortest expression whose value is `needed`, or a little more than it
/// for an element or two beyond each row or at the end; `None` where there is
/// none.
pub(super) fn express(resolved: &Resolved, needed: u64) -> Option<String> {
    let candidates = candidates(&sizes(resolved));
    let fits = candidates
        .into_iter()
        .filter_map(|(text, value)| Some((text, excess(value, needed)?)));
    let (text, _) = fits.min_by_key(|(text, excess)| (*excess != 0, text.len(), *excess))?;
    Expr::parse(&text).is_ok().then_some(text)
}

/// By how much a length is more than a run needed; `None` where it is less, or a waste.
fn excess(length: u64, needed: u64) -> Option<u64> {
    // A sum may stop short of its bound, by a row's last element or by a
    // guarded border; one part in sixteen is no waste.
    let excess = length.checked_sub(needed)?;
    (excess <= needed / 16 + 2).then_some(excess)
}

/// Products and sums of sizes, with their values.
fn candidates(sizes: &[Size]) -> Vec<(String, u64)> {
    let mut candidates: Vec<(String, u64)> = Vec::new();
    for (i, a) in sizes.iter().enumerate() {
        candidates.push((a.name.clone(), a.value));
        for (j, b) in sizes.iter().enumerate().skip(i) {
            let Some(product) = a.value.checked_mul(b.value) else {
                continue;
            };
            candidates.push((format!("{}*{}", a.name, b.name), product));
            for c in sizes.iter().skip(j) {
                if let Some(product) = product.checked_mul(c.value) {
                    candidates.push((format!("{}*{}*{}", a.name, b.name, c.name), product));
                }
            }
            for k in [1, 2] {
                let padded = (a.value + k).checked_mul(b.value + k);
                if let Some(padded) = padded {
                    candidates.push((format!("({}+{k})*({}+{k})", a.name, b.name), padded));
                }
            }
        }
    }
    let plain = candidates.len();
    for index in 0..plain {
        let (text, value) = candidates[index].clone();
        let factor = |k: u64| (format!("{k}*{text}"), value.checked_mul(k));
        for (text, value) in [2, 3, 4, 8].map(factor) {
            candidates.extend(value.map(|value| (text, value)));
        }
        for k in [1, 2] {
            candidates.extend(value.checked_add(k).map(|v| (format!("{text}+{k}"), v)));
        }
    }
    candidates
}

/// A run, and how many elements of a buffer it touched.
pub(super) struct Measured<'a> {
    /// Its launch.
    pub resolved: &'a Resolved,
    /// Elements up to the last one that was touched.
    pub needed: u64,
}

/// The expression of the sizes, and of these others, whose value is that of every run,
/// or a little more; the `usual` one, where it is one of them.
pub(super) fn express_all(runs: &[Measured<'_>], others: &[String], usual: &str) -> Option<String> {
    let first = runs.first()?;
    let mut sizes = sizes(first.resolved);
    // That a product of sizes is the extent of the range tells nothing.
    sizes.retain(|s| !s.name.contains('('));
    for name in others {
        if let Some(value) = value_of(name, first.resolved)
            && !sizes.iter().any(|s| s.name == *name)
        {
            let name = name.clone();
            sizes.push(Size { name, value });
        }
    }
    let of_all = |text: &str| -> Option<u64> {
        let of = |run: &Measured<'_>| excess(value_of(text, run.resolved)?, run.needed);
        runs.iter().map(of).sum()
    };
    if of_all(usual).is_some() {
        return Some(usual.to_owned());
    }
    // Most fail at the first run, whose values are known.
    let fits = candidates(&sizes)
        .into_iter()
        .filter(|(_, value)| excess(*value, first.needed).is_some());
    let (_, text) = fits
        .filter_map(|(text, _)| Some((of_all(&text)?, text)))
        .min_by_key(|(excess, text)| (*excess != 0, text.len(), *excess))?;
    Some(text)
}

/// The value of an expression in a launch; `None` where it has none.
fn value_of(text: &str, resolved: &Resolved) -> Option<u64> {
    let names = resolved.integers().into_iter();
    let env = Env {
        names: names.map(|(n, v)| (n.to_owned(), Num::Int(v))).collect(),
        local: None,
        range: Some(&resolved.launch.range),
    };
    Expr::parse(text).ok()?.eval_size(&env).ok()
}

/// Integer arguments that are no small constants, and the extents of the
/// range.
fn sizes(resolved: &Resolved) -> Vec<Size> {
    let mut sizes: Vec<Size> = Vec::new();
    for (name, value) in resolved.integers() {
        if let Ok(value) = u64::try_from(value)
            && value > 2
            && !sizes.iter().any(|s| s.value == value)
        {
            sizes.push(Size {
                name: name.to_owned(),
                value,
            });
        }
    }
    let range = &resolved.launch.range;
    for dim in 0..usize::from(range.dims) {
        for (name, value) in [
            (format!("global_size({dim})"), range.global[dim]),
            (format!("num_groups({dim})"), range.groups()[dim]),
        ] {
            if value > 2 && !sizes.iter().any(|s| s.value == value) {
                sizes.push(Size { name, value });
            }
        }
    }
    sizes
}
