//! All arguments together: the value of each, aliases followed to their buffer,
//! local memory against the device's limit.

use super::assign::{Given, arg_flag};
use super::image::{self, ImageArg};
use super::pointer::Pointer;
use super::scalars::Scalars;
use super::{Limits, Note, Setup};
use crate::error::LaunchError;
use crate::parse::ArgText;
use crate::resolved::{Arg, ArgValue, Buffer, Fill, NdRange};
use crate::signature::{ParamKind, Signature};

/// The values of all arguments, in the order of the signature.
pub(super) fn arguments(
    setup: &Setup<'_>,
    given: &[Option<Given<'_>>],
    scalars: &Scalars<'_>,
    range: &NdRange,
    notes: &mut Vec<Note>,
) -> Result<Vec<Arg>, LaunchError> {
    let Setup {
        signature,
        limits,
        ref change,
        ..
    } = *setup;
    let env = scalars.env(Some(range));
    let mut args = Vec::new();
    let mut errors = Vec::new();
    let mut random = Vec::new();
    for (index, param) in signature.params.iter().enumerate() {
        let value = match (&param.kind, &given[index]) {
            (ParamKind::Value(_), _) => Ok(ArgValue::Bytes(
                scalars.bytes[index].clone().unwrap_or_default(),
            )),
            (ParamKind::Global { elem, .. } | ParamKind::Constant { elem }, None) => {
                notes.push(Note {
                    text: format!("{}: length not given, upper bound not checked", param.name),
                    flag: arg_flag(&param.name, "[…]"),
                });
                random.push(param.name.as_str());
                Ok(ArgValue::Buffer(Buffer {
                    elem: elem.clone(),
                    len: None,
                    fill: Fill::Random { range: None },
                    generated: true,
                }))
            }
            (ParamKind::Global { elem, .. } | ParamKind::Constant { elem }, Some(given)) => {
                if let ArgText::Buffer { fill: None, .. } = given.text {
                    random.push(param.name.as_str());
                }
                let target = Pointer {
                    signature,
                    index,
                    param,
                    elem,
                    given,
                };
                let kept = change.as_ref().and_then(|c| c.base.launch.args.get(index));
                target.buffer(&env, kept.map(|arg| &arg.value))
            }
            (ParamKind::Local { elem }, Some(given)) => Pointer {
                signature,
                index,
                param,
                elem,
                given,
            }
            .local(&env),
            (&ParamKind::Image { ty, texel, .. }, Some(given)) => {
                let kept = change.as_ref().and_then(|c| c.base.launch.args.get(index));
                let target = ImageArg {
                    signature,
                    index,
                    param,
                    ty,
                    texel,
                    given,
                };
                if target.is_random() {
                    random.push(param.name.as_str());
                }
                target.image(&env, kept.map(|arg| &arg.value), notes)
            }
            (ParamKind::Sampler, given) => image::sampler(param, given.as_ref(), &env, notes),
            (ParamKind::Local { .. } | ParamKind::Image { .. }, None) => {
                // Reported before: these have no default.
                continue;
            }
        };
        match value {
            Ok(value) => args.push(Arg {
                name: param.name.clone(),
                value,
            }),
            Err(error) => errors.push(error),
        }
    }
    LaunchError::all(errors)?;
    follow_aliases(given, &mut args)?;
    check_local(signature, limits, &args)?;
    if !random.is_empty() {
        notes.push(Note {
            text: format!(
                "random contents for {}, seed {}",
                random.join(", "),
                setup.seed()
            ),
            flag: format!(
                "{} or --seed {}",
                arg_flag(random[0], "[…]:zero"),
                setup.seed()
            ),
        });
    }
    Ok(args)
}

/// Lets every alias point at a buffer, not at another alias.
fn follow_aliases(given: &[Option<Given<'_>>], args: &mut [Arg]) -> Result<(), LaunchError> {
    for index in 0..args.len() {
        let mut path = vec![index];
        let mut at = index;
        while let ArgValue::Alias { of } = args[at].value {
            if path.contains(&of) {
                let names: Vec<&str> = path.iter().map(|i| args[*i].name.as_str()).collect();
                let place = given[index].as_ref().map(Given::place).unwrap_or_default();
                let problem = format!(
                    "{} are all the same as each other, but none is a buffer: give one a length",
                    names.join(", ")
                );
                return Err(LaunchError::Alias { place, problem });
            }
            path.push(of);
            at = of;
        }
        if at != index {
            args[index].value = match args[at].value {
                ArgValue::Null => ArgValue::Null,
                _ => ArgValue::Alias { of: at },
            };
        }
    }
    Ok(())
}

/// All local arguments together against the limit. Each starts at a multiple of
/// its type's alignment.
fn check_local(signature: &Signature, limits: &Limits, args: &[Arg]) -> Result<(), LaunchError> {
    let Some(limit) = limits.max_local_bytes else {
        return Ok(());
    };
    let mut total = 0_u64;
    let mut parts = Vec::new();
    for (param, arg) in signature.params.iter().zip(args) {
        if let (ParamKind::Local { elem }, ArgValue::Local { bytes }) = (&param.kind, &arg.value) {
            let start = total
                .checked_next_multiple_of(elem.align().max(1))
                .unwrap_or(u64::MAX);
            total = start.saturating_add(*bytes);
            parts.push(format!("{} {bytes}", param.name));
        }
    }
    if total <= limit {
        return Ok(());
    }
    Err(LaunchError::LocalMemory {
        bytes: total,
        parts: parts.join(", "),
        device: limits.device.clone(),
        limit,
    })
}
