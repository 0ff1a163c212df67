//! Launches at which a staged form is tried, beyond the spread of sizes.

use tilewise_launch::resolve::resolve;
use tilewise_launch::{ArgKey, ArgSetting, LaunchSpec, Resolved, Text};

use crate::launch_info::whole_numbers;
use crate::load::Loaded;
use crate::target::Target;
use crate::verify::SizedPair;

use super::MOST_WORK_ITEMS;

/// Most launches of further shapes.
const MOST_VARIANTS: usize = 6;
/// Most launches with other values of arguments that are no sizes.
const MOST_OTHER_VALUES: usize = 6;

/// Launches of other group shapes, and of single groups inside the data.
pub fn variants(target: &Target, original: &Loaded, staged: &Loaded) -> Vec<SizedPair> {
    let range = &original.resolved.launch.range;
    let dims = usize::from(range.dims);
    let local = &range.local[..dims];
    let text = |size: &[u64]| {
        let words: Vec<String> = size.iter().map(u64::to_string).collect();
        Some(Text::flag(words.join("x")))
    };
    let mut specs: Vec<LaunchSpec> = Vec::new();
    let base = original.resolved.spec();
    // One group, one group further on than the data begins.
    let fixed = [original, staged].map(|form| form.signature.reqd_local.is_some());
    specs.push(LaunchSpec {
        global: text(local),
        offset: text(local),
        ..base.clone()
    });
    if fixed == [false, false] {
        let mut shapes: Vec<Vec<u64>> = vec![local.iter().rev().copied().collect()];
        for d in 0..dims {
            let mut halved = local.to_vec();
            halved[d] = (halved[d] / 2).max(1);
            shapes.push(halved);
            let mut single = local.to_vec();
            single[d] = 1;
            shapes.push(single);
        }
        for shape in shapes {
            if shape != local {
                specs.push(LaunchSpec {
                    local: text(&shape),
                    ..base.clone()
                });
            }
        }
    }
    // Where no argument tells the size, the range does.
    if original.resolved.free_sizes.is_empty() {
        for groups in [1, 2, 3] {
            let global: Vec<u64> = local.iter().map(|n| n * groups).collect();
            specs.push(LaunchSpec {
                global: text(&global),
                ..base.clone()
            });
        }
    }
    let mut pairs = Vec::new();
    for spec in specs {
        if pairs.len() == MOST_VARIANTS {
            break;
        }
        pairs.extend(variant(target, original, staged, &spec, None));
    }
    pairs
}

/// Launches in which one whole number that is no size (a radius, the bound of a loop, a
/// switch) has another value than the launch gives it: none, one more, one.
pub fn other_values(target: &Target, original: &Loaded, staged: &Loaded) -> Vec<SizedPair> {
    let numbers: Vec<(&str, i128)> = whole_numbers(original)
        .into_iter()
        .filter(|(name, _)| !is_size(&original.resolved, name))
        .collect();
    let rounds: [fn(i128) -> Option<i128>; 3] = [|_| Some(0), |v| v.checked_add(1), |_| Some(1)];
    let mut seen = Vec::new();
    for round in rounds {
        for &(name, value) in &numbers {
            let other = round(value).map(|other| (name, other));
            seen.extend(other.filter(|o| o.1 != value && !seen.contains(o)));
        }
    }
    let pairs = seen.into_iter().filter_map(|(name, value)| {
        let base = original.resolved.spec();
        variant(target, original, staged, base, Some((name, value)))
    });
    pairs.take(MOST_OTHER_VALUES).collect()
}

fn is_size(resolved: &Resolved, name: &str) -> bool {
    resolved.free_sizes.iter().any(|f| f.name == name)
}

/// Both launches with what `spec` says of the range, at small sizes, and with a value of
/// an argument; `None` where they can't be made.
fn variant(
    target: &Target,
    original: &Loaded,
    staged: &Loaded,
    spec: &LaunchSpec,
    value: Option<(&str, i128)>,
) -> Option<SizedPair> {
    let with_value = |spec: LaunchSpec| match value {
        Some((name, value)) => spec.overridden_by(LaunchSpec {
            args: vec![ArgSetting {
                key: ArgKey::new(name),
                value: Text::flag(value.to_string()),
            }],
            ..LaunchSpec::default()
        }),
        None => spec,
    };
    let own = LaunchSpec {
        global: spec.global.clone(),
        local: spec.local.clone(),
        offset: spec.offset.clone(),
        ..staged.resolved.spec().clone()
    };
    let (spec, own) = (with_value(spec.clone()), with_value(own));
    let first = resolve(&spec, &original.signature, &original.unit.limits(target)).ok()?;
    let second = resolve(&own, &staged.signature, &staged.unit.limits(target)).ok()?;
    let local = original.resolved.launch.range.local;
    let sizes: Vec<(String, u64)> = original
        .resolved
        .free_sizes
        .iter()
        .enumerate()
        .map(|(i, f)| {
            (
                f.name.clone(),
                f.from(2 * local[i.min(2)].max(1) + 3 + i as u64),
            )
        })
        .collect();
    let named: Vec<(&str, u64)> = sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    // Sizes that only the original's launch leaves free are set in both.
    let at = |r: &tilewise_launch::Resolved| {
        let own: Vec<(&str, u64)> = named
            .iter()
            .copied()
            .filter(|(n, _)| r.free_sizes.iter().any(|f| f.name == *n))
            .collect();
        r.with_sizes(&own).ok().map(|r| r.launch)
    };
    let (a, b) = (at(&first)?, at(&second)?);
    let shown = value.and_then(|(name, value)| Some((name.to_owned(), u64::try_from(value).ok()?)));
    let sizes: Vec<(String, u64)> = sizes.into_iter().chain(shown).collect();
    (a.range.work_items().max(b.range.work_items()) <= MOST_WORK_ITEMS).then_some((sizes, a, b))
}
