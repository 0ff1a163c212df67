//! The NDRange: global size, work-group size, offset.

use super::scalars::{Scalars, text_error};
use super::sizes::Tie;
use super::{Change, Limits, Note, Setup};
use crate::error::LaunchError;
use crate::expr::{Env, Expr};
use crate::parse::split_dims;
use crate::quote::shell_quote;
use crate::resolved::NdRange;
use crate::spec::{LaunchSpec, Setting, Text};

/// The expressions of a text such as `4096x4096`.
pub(super) fn dims_of(setting: &'static str, text: &Text) -> Result<Vec<Expr>, LaunchError> {
    split_dims(&text.text).map_err(|error| text_error(text.place(&Setting::Range(setting)), error))
}

/// The NDRange of `spec`, with each default noted.
pub(super) fn resolve(
    setup: &Setup<'_>,
    scalars: &Scalars<'_>,
    notes: &mut Vec<Note>,
) -> Result<NdRange, LaunchError> {
    let Setup {
        spec,
        signature,
        limits,
        ref change,
    } = *setup;
    let Some(global_text) = &spec.global else {
        return Err(LaunchError::Missing {
            kernel: signature.kernel.clone(),
            missing: Vec::new(),
        });
    };
    let globals = dims_of("global", global_text)?;
    scalars.check_known("the global size", &globals)?;
    let dims = globals.len();

    let mut env = scalars.env(None);
    let (mut local, source) = match change {
        Some(change) => (change.base.launch.range.local, Source::Given),
        None => group(setup, scalars, &env, dims)?,
    };
    env.local = Some(local);
    let mut global = sizes("global", global_text, &globals, &env)?;
    if let Some(change) = change {
        follow(change, scalars, limits, &mut global, dims);
    }

    let items = global
        .iter()
        .try_fold(1_u64, |n, size| n.checked_mul(*size));
    if items.is_none_or(|items| items > i64::MAX as u64) {
        return Err(LaunchError::TooLarge {
            place: global_text.place(&Setting::Range("global")),
            what: "the number of work-items".to_owned(),
        });
    }
    if let Source::Default = source {
        let uses_local = globals.iter().any(Expr::uses_geometry);
        let chosen = default_group(global, local, limits.non_uniform_groups || uses_local);
        let flag = format!("--local {}", shape(chosen, dims));
        notes.push(if chosen == local {
            Note {
                text: format!("work-group size {}", shape(chosen, dims)),
                flag,
            }
        } else {
            let rounded = rounded_up(&globals, global, local);
            Note {
                text: format!(
                    "work-group size {}, cut so that it divides the global size",
                    shape(chosen, dims)
                ),
                flag: format!("{flag}, or if the kernel guards its range {rounded}"),
            }
        });
        local = chosen;
    } else if let Source::Required = source {
        notes.push(Note {
            text: format!(
                "work-group size {} (reqd_work_group_size)",
                shape(local, dims)
            ),
            flag: format!("--local {}", shape(local, dims)),
        });
    }

    check_group(setup, local, dims, &source)?;
    let uneven = (0..3).find(|d| global[*d] % local[*d] != 0);
    if let Some(dim) = uneven
        && !limits.non_uniform_groups
    {
        let required = signature.reqd_local.is_some();
        return Err(does_not_divide(dim, &globals, global, local, required));
    }
    let offset = offset(spec, scalars, &env, dims)?;
    if dims < usize::from(signature.dims_used) {
        notes.push(Note {
            text: format!(
                "{dims} of the {} dimensions that the kernel asks about are used",
                signature.dims_used
            ),
            flag: format!(
                "--global {}",
                vec!["…"; usize::from(signature.dims_used)].join("x")
            ),
        });
    }
    Ok(NdRange {
        dims: dims as u8,
        global,
        offset,
        local,
    })
}

/// Where the work-group size comes from.
enum Source {
    Given,
    Required,
    Default,
}

/// The work-group size before the global size is known.
fn group(
    setup: &Setup<'_>,
    scalars: &Scalars<'_>,
    env: &Env<'_>,
    dims: usize,
) -> Result<([u64; 3], Source), LaunchError> {
    let Setup {
        spec,
        signature,
        limits,
        ..
    } = *setup;
    if let Some(text) = &spec.local {
        let exprs = dims_of("local", text)?;
        scalars.check_known("the work-group size", &exprs)?;
        if exprs.len() != dims {
            let mut parts: Vec<String> = exprs.iter().map(Expr::to_string).collect();
            parts.resize(dims, "1".to_owned());
            return Err(LaunchError::Dimensions {
                place: text.place(&Setting::Range("local")),
                problem: format!(
                    "the work-group size has {}, the global size {}",
                    dimensions(exprs.len()),
                    dimensions(dims)
                ),
                suggestion: format!("--local {}", shell_quote(&parts.join(","))),
            });
        }
        return Ok((sizes("local", text, &exprs, env)?, Source::Given));
    }
    if let Some(required) = signature.reqd_local {
        return Ok((required.map(|size| size.max(1)), Source::Required));
    }
    let default = match dims {
        1 => [256, 1, 1],
        2 => [16, 16, 1],
        _ => [8, 8, 4],
    };
    Ok((limits.fit(default), Source::Default))
}

/// The values of the dimensions, those not given 1. None may be 0.
fn sizes(
    setting: &'static str,
    text: &Text,
    exprs: &[Expr],
    env: &Env<'_>,
) -> Result<[u64; 3], LaunchError> {
    let place = || text.place(&Setting::Range(setting));
    let mut out = [1; 3];
    for (dim, expr) in exprs.iter().enumerate() {
        out[dim] = expr
            .eval_size(env)
            .map_err(|error| text_error(place(), error))?;
        if out[dim] == 0 {
            let what = format!("the {setting} size in dimension {dim} (`{expr}`)");
            return Err(LaunchError::ZeroSize {
                place: place(),
                what,
            });
        }
    }
    Ok(out)
}

fn offset(
    spec: &LaunchSpec,
    scalars: &Scalars<'_>,
    env: &Env<'_>,
    dims: usize,
) -> Result<[u64; 3], LaunchError> {
    let mut offset = [0; 3];
    let Some(text) = &spec.offset else {
        return Ok(offset);
    };
    let exprs = dims_of("offset", text)?;
    scalars.check_known("the global offset", &exprs)?;
    let place = || text.place(&Setting::Range("offset"));
    if exprs.len() > dims {
        let parts: Vec<String> = exprs[..dims].iter().map(Expr::to_string).collect();
        return Err(LaunchError::Dimensions {
            place: place(),
            problem: format!(
                "the offset has {}, the global size {}",
                dimensions(exprs.len()),
                dimensions(dims)
            ),
            suggestion: format!("--offset {}", shell_quote(&parts.join(","))),
        });
    }
    for (value, expr) in offset.iter_mut().zip(&exprs) {
        *value = expr
            .eval_size(env)
            .map_err(|error| text_error(place(), error))?;
    }
    Ok(offset)
}

/// The default shape, in each dimension the largest size up to it that divides
/// the global size (any size where a smaller last group is allowed).
fn default_group(global: [u64; 3], default: [u64; 3], any: bool) -> [u64; 3] {
    std::array::from_fn(|d| {
        if any {
            default[d].min(global[d])
        } else {
            largest_divisor(global[d], default[d])
        }
    })
}

fn largest_divisor(size: u64, limit: u64) -> u64 {
    (1..=limit.min(size))
        .rev()
        .find(|n| size.is_multiple_of(*n))
        .unwrap_or(1)
}

fn check_group(
    setup: &Setup<'_>,
    local: [u64; 3],
    dims: usize,
    source: &Source,
) -> Result<(), LaunchError> {
    let Setup {
        spec,
        signature,
        limits,
        ..
    } = *setup;
    let place = match (&spec.local, source) {
        (Some(text), Source::Given) => text.place(&Setting::Range("local")),
        (_, Source::Required) => format!("kernel {}", signature.kernel),
        _ => format!("--local {}", shape(local, dims)),
    };
    if let Some(required) = signature.reqd_local
        && required != local
    {
        return Err(LaunchError::RequiredGroup {
            place,
            kernel: signature.kernel.clone(),
            required: shape(required, used_dims(required)),
        });
    }
    if let Some(problem) = limits.broken_by(local) {
        return Err(LaunchError::GroupTooLarge {
            place,
            problem,
            device: limits.device.clone(),
            suggestion: format!("--local {}", shape(limits.fit(local), dims)),
        });
    }
    Ok(())
}

fn does_not_divide(
    dim: usize,
    exprs: &[Expr],
    global: [u64; 3],
    local: [u64; 3],
    required: bool,
) -> LaunchError {
    let dims = exprs.len();
    let divisors = default_group(global, local, false);
    let useful = divisors.iter().product::<u64>() >= SMALLEST_USEFUL_GROUP;
    LaunchError::LocalDoesNotDivide {
        dim,
        local: shape(local, dims),
        global: shape(global, dims),
        fix_global: rounded_up(exprs, global, local),
        fix_local: (useful && !required).then(|| format!("--local {}", shape(divisors, dims))),
    }
}

/// Groups below this leave most lanes of a sub-group idle on every GPU, so they
/// are never suggested.
const SMALLEST_USEFUL_GROUP: u64 = 16;

/// The flag with the global size rounded up to whole groups. Expressions stay
/// expressions.
fn rounded_up(exprs: &[Expr], global: [u64; 3], local: [u64; 3]) -> String {
    let parts: Vec<String> = exprs
        .iter()
        .enumerate()
        .map(|(d, expr)| match expr.is_constant() {
            true => global[d].next_multiple_of(local[d]).to_string(),
            false if global[d].is_multiple_of(local[d]) => expr.to_string(),
            false => format!("roundup({expr},{})", local[d]),
        })
        .collect();
    let plain = parts
        .iter()
        .all(|part| part.bytes().all(|b| b.is_ascii_digit()));
    let text = parts.join(if plain { "x" } else { "," });
    format!("--global {}", shell_quote(&text))
}

/// Lets the global size follow changed sizes: a literal dimension that was tied
/// to one is rounded up from it, and whatever follows is rounded up to whole
/// groups where they must be whole.
fn follow(
    change: &Change<'_>,
    scalars: &Scalars<'_>,
    limits: &Limits,
    global: &mut [u64; 3],
    dims: usize,
) {
    let local = change.base.launch.range.local;
    for (dim, size) in global.iter_mut().enumerate().take(dims) {
        for free in &change.base.free {
            if !change.sizes.contains_key(&free.name) {
                continue;
            }
            if free.ties.contains(&Tie::GlobalLiteral { dim }) {
                let value = scalars.names.get(&free.name).and_then(|v| v.as_int());
                let value = value
                    .and_then(|v| u64::try_from(v).ok())
                    .unwrap_or(0)
                    .max(1);
                *size = value
                    .checked_next_multiple_of(local[dim])
                    .unwrap_or(u64::MAX);
            } else if free.ties.contains(&Tie::Global { dim }) && !limits.non_uniform_groups {
                *size = size
                    .checked_next_multiple_of(local[dim])
                    .unwrap_or(u64::MAX);
            }
        }
    }
}

fn used_dims(shape: [u64; 3]) -> usize {
    (0..3).rev().find(|d| shape[*d] > 1).map_or(1, |d| d + 1)
}

fn dimensions(count: usize) -> String {
    if count == 1 {
        "1 dimension".to_owned()
    } else {
        format!("{count} dimensions")
    }
}

/// `16x16`.
pub(super) fn shape(sizes: [u64; 3], dims: usize) -> String {
    let parts: Vec<String> = sizes[..dims].iter().map(u64::to_string).collect();
    parts.join("x")
}
