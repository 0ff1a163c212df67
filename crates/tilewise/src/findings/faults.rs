//! Faults of the machine as findings: TW103, TW104, TW107 to TW110.

use tilewise_ir::{Form, InstId, Kernel, Op, pointer};
use tilewise_launch::{ArgValue, Buffer, Fill, ParamKind, ValueType};
use tilewise_report::{Diagnostic, Label};
use tilewise_sim::{AccessKind, Fault, FaultKind, RegionInfo, RegionKind, Regions};

use super::index_source::{bases, selecting};
use super::place::{at, op, work_item};
use crate::error::Error;
use crate::load::Loaded;

pub(super) fn finding(
    loaded: &Loaded,
    regions: &Regions,
    fault: &Fault,
) -> Result<Diagnostic, Error> {
    let mut diagnostic = at(loaded, fault.site);
    diagnostic.count = fault.count;
    let item = work_item(loaded, fault.work_item);
    diagnostic.notes.push(format!(
        "first in work-item {item} of group {}",
        fault.group
    ));
    match &fault.kind {
        FaultKind::OutOfBounds {
            region,
            offset,
            bytes,
            access,
            address_from_data,
        } => {
            let info = regions.get(*region);
            let verb = verb(*access);
            diagnostic.code = "TW104".to_owned();
            if matches!(info.kind, RegionKind::Null) {
                null(loaded, fault.inst, verb, *offset, *bytes, &mut diagnostic)?;
                return Ok(diagnostic);
            }
            if *address_from_data
                && let Some(error) =
                    generated_index(loaded, regions, fault.inst, info, &diagnostic)?
            {
                return Err(error);
            }
            let elem = info.elem_bytes.max(1) as i64;
            let index = offset.div_euclid(elem);
            let length = info.bytes.map_or(0, |b| b as i64 / elem);
            let place = if index < 0 {
                format!(
                    "{}[{index}], {} before its start",
                    info.name,
                    elements(-index)
                )
            } else {
                format!(
                    "{}[{index}], {} past its end (length {length})",
                    info.name,
                    elements((index - length + 1).max(1))
                )
            };
            diagnostic.message = format!("{verb} {place}");
            diagnostic.notes.push(format!(
                "the access covers {bytes} B at byte offset {offset}"
            ));
            diagnostic.help.push(format!(
                "guard the index, or give `{}` the length that the kernel needs",
                info.name
            ));
        }
        FaultKind::OutsideImage {
            region,
            coords,
            access,
            address_from_data,
        } => {
            let info = regions.get(*region);
            if *address_from_data
                && let Some(error) =
                    generated_index(loaded, regions, fault.inst, info, &diagnostic)?
            {
                return Err(error);
            }
            let extent = info.image.map_or(Vec::new(), |image| image.extent());
            let list =
                |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(",");
            let at = list(&mut coords.iter().take(extent.len()).map(i64::to_string));
            let size = list(&mut extent.iter().map(u64::to_string));
            let (verb, help) = match access {
                AccessKind::Load => (
                    "reads",
                    "guard the coordinates, or read through a sampler with an addressing mode \
                     other than CLK_ADDRESS_NONE",
                ),
                _ => ("writes", "guard the coordinates"),
            };
            diagnostic.code = "TW104".to_owned();
            diagnostic.message =
                format!("{verb} {}({at}), outside of the image of {size}", info.name);
            diagnostic.help.push(format!(
                "{help}; or give `{}` the size that the kernel needs",
                info.name
            ));
        }
        FaultKind::OutsideMember {
            region,
            index,
            elements: length,
            access,
        } => {
            diagnostic.code = "TW104".to_owned();
            let name = &regions.get(*region).name;
            let verb = verb(*access);
            let distance = match u64::try_from(*index) {
                Err(_) => format!("{} before its start", elements(-*index)),
                Ok(index) => format!("{} past its end", elements((index - length + 1) as i64)),
            };
            diagnostic.message = format!(
                "{verb} element {index} of an array of {length} within a structure of {name}, {distance}"
            );
            diagnostic.notes.push(
                "the access stays within the variable around it, so that it hits another member"
                    .to_owned(),
            );
            diagnostic
                .help
                .push("guard the index, or make the member longer".to_owned());
        }
        FaultKind::ConstantWrite { region } => {
            diagnostic.code = "TW109".to_owned();
            diagnostic.message = format!(
                "writes to {}, which is constant memory",
                regions.get(*region).name
            );
        }
        FaultKind::DivisionByZero => {
            diagnostic.code = "TW107".to_owned();
            diagnostic.message = "integer division by zero".to_owned();
            diagnostic.help.push("test the divisor first".to_owned());
        }
        FaultKind::ShiftCount { count, bits } => {
            super::shifts::describe(&mut diagnostic, signed(*count, *bits), *bits);
        }
        FaultKind::BarrierDivergence {
            waiting,
            returned,
            iterations_differ,
        } => {
            diagnostic.code = "TW103".to_owned();
            let group = loaded.resolved.launch.range.group_size();
            let here: u32 = waiting.first().map_or(0, |w| w.work_items);
            let kernel = loaded.kernel(Form::AsWritten)?;
            let what = meeting(kernel, fault.inst);
            diagnostic.message = if *iterations_differ {
                format!(
                    "work-items of one group reach this {what} in different iterations of a loop"
                )
            } else {
                format!("only {here} of {group} work-items of the group reach this {what}")
            };
            for other in waiting.iter().skip(1) {
                let place = at(loaded, other.site);
                diagnostic.labels.push(Label {
                    message: format!("{} work-items wait here instead", other.work_items),
                    file: place.file,
                    line: place.line,
                    column: place.column,
                });
            }
            if *returned > 0 {
                diagnostic
                    .notes
                    .push(format!("{returned} work-items of the group have returned"));
            }
            diagnostic.help.push(if *returned > 0 {
                format!(
                    "those that leave early never come to the {what}: let all work-items go on, and guard the work in place of the `return` or `break`"
                )
            } else {
                format!(
                    "move the {what} out of the branch: all work-items of a group must reach it together"
                )
            });
        }
        FaultKind::SubGroupDivergence { active, of } => {
            diagnostic.code = "TW103".to_owned();
            diagnostic.message = format!(
                "only {active} of {of} work-items of a sub-group reach this sub-group function"
            );
            diagnostic.help.push(
                "move it out of the branch: all work-items of a sub-group must reach it together; the sub_group_non_uniform_ functions take those that are there"
                    .to_owned(),
            );
        }
        FaultKind::BroadcastDivergence => {
            diagnostic.code = "TW103".to_owned();
            diagnostic.message =
                "work-items of one group ask work_group_broadcast for values of different work-items"
                    .to_owned();
            diagnostic
                .help
                .push("give all of them the same local id".to_owned());
        }
        FaultKind::AsyncCopyDivergence { arguments } => {
            diagnostic.code = "TW110".to_owned();
            (diagnostic.message, diagnostic.help) = if *arguments {
                (
                    "work-items of one group make this asynchronous copy with different arguments"
                        .to_owned(),
                    vec![super::copies::SAME.to_owned()],
                )
            } else {
                (
                    "not all work-items of the group make this asynchronous copy together"
                        .to_owned(),
                    vec![super::copies::ALL.to_owned()],
                )
            };
        }
        FaultKind::SpinWait => {
            diagnostic.code = "TW108".to_owned();
            diagnostic.message =
                "work-items wait here for memory that none of their group changes any more"
                    .to_owned();
            diagnostic.help.push(
                "a work-group can't rely on another one to run: OpenCL may start it when this one is done"
                    .to_owned(),
            );
        }
        FaultKind::Runaway { budget } => {
            diagnostic.code = "TW108".to_owned();
            diagnostic.message = format!(
                "this loop does not end: a sub-group ran {budget} instructions and was still in it"
            );
            diagnostic.notes.push(
                "the loops inside of it ended meanwhile, and the work-groups behind this one did not run"
                    .to_owned(),
            );
            diagnostic.help.push(
                "look at the loop's condition with these arguments; if it ends after longer, give a smaller size or a higher --loop-budget"
                    .to_owned(),
            );
        }
        FaultKind::Unreachable => {
            diagnostic.code = "TW108".to_owned();
            diagnostic.message =
                "control came where the compiler had proved it can't: the kernel's behaviour is undefined"
                    .to_owned();
        }
    }
    Ok(diagnostic)
}

/// What work-items of a group wait for each other at.
fn meeting(kernel: &Kernel, inst: InstId) -> &'static str {
    match op(kernel, inst) {
        Some(Op::Group { .. }) => "work-group function",
        Some(Op::WaitEvents) => "wait_group_events",
        _ => "barrier",
    }
}

/// The message about an index from contents that nobody chose, if that is what it is:
/// random values of the whole type, or ones that were meant for another size.
fn generated_index(
    loaded: &Loaded,
    regions: &Regions,
    inst: InstId,
    target: &RegionInfo,
    place: &Diagnostic,
) -> Result<Option<Error>, Error> {
    let launch = &loaded.resolved.launch;
    let other_size = launch.args.iter().enumerate().any(|(index, arg)| {
        let now = regions.of_arg(index).and_then(|r| regions.get(r).bytes);
        let given = arg.value.memory().and_then(|m| m.bytes());
        now.is_some() && given.is_some() && now != given
    });
    let chosen = |buffer: &Buffer| match buffer.fill {
        Fill::Random { range } => range.is_some() && !other_size,
        _ => true,
    };
    let indices: Vec<(&str, &Buffer)> = selecting(loaded.kernel(Form::AsWritten)?, inst)
        .into_iter()
        .filter_map(|index| {
            let (arg, param) = (launch.args.get(index)?, loaded.signature.params.get(index)?);
            let ArgValue::Buffer(buffer) = &arg.value else {
                return None;
            };
            let is_index = is_integer(&buffer.elem) && !chosen(buffer);
            (is_index && !matches!(param.kind, ParamKind::Local { .. }))
                .then_some((arg.name.as_str(), buffer))
        })
        .collect();
    let Some((first, buffer)) = indices.first() else {
        return Ok(None);
    };
    let elem = target.elem_bytes.max(1);
    let length = target
        .bytes
        .map_or("N".to_owned(), |b| (b / elem).to_string());
    let shape = buffer.len.map_or(String::new(), |n| format!("[{n}]"));
    let names: Vec<&str> = indices.iter().map(|(name, _)| *name).collect();
    Ok(Some(Error::NeedsData(format!(
        "{}:{}: {} selects elements of {}, and its generated values leave it: give real data or a range that fits\n  --arg {}  or  --arg {first}=@FILE",
        place.file,
        place.line,
        names.join(" or "),
        target.name,
        tilewise_launch::shell_quote(&format!("{first}={shape}:random(0,{length})")),
    ))))
}

fn is_integer(ty: &ValueType) -> bool {
    match ty {
        ValueType::Elem(e) => !e.scalar.is_float(),
        ValueType::Struct(s) => s.fields.iter().any(|f| is_integer(&f.ty)),
        ValueType::Opaque { .. } => false,
    }
}

fn elements(n: i64) -> String {
    if n == 1 {
        "1 element".to_owned()
    } else {
        format!("{n} elements")
    }
}

fn verb(access: AccessKind) -> &'static str {
    match access {
        AccessKind::Load => "reads",
        AccessKind::Store => "writes",
        AccessKind::Atomic => "updates",
    }
}

/// An access through a pointer to no memory.
fn null(
    loaded: &Loaded,
    inst: InstId,
    verb: &str,
    offset: i64,
    bytes: u32,
    diagnostic: &mut Diagnostic,
) -> Result<(), Error> {
    let kernel = loaded.kernel(Form::AsWritten)?;
    let args = &loaded.resolved.launch.args;
    let null = bases(kernel, inst).args.into_iter().filter_map(|index| {
        let arg = args.get(index)?;
        matches!(arg.value, ArgValue::Null).then_some(arg.name.as_str())
    });
    let names: Vec<&str> = null.collect();
    // Regions count offsets from the middle of what a pointer can hold.
    let address = (offset.wrapping_add(pointer::BIAS as i64) << 16) >> 16;
    diagnostic
        .notes
        .push(format!("the access covers {bytes} B at address {address}"));
    (diagnostic.message, diagnostic.help) = match names.first() {
        Some(name) => (
            format!(
                "{verb} through {}, which is a null pointer in this launch",
                names.join(" or ")
            ),
            vec![format!(
                "test the pointer first (`if ({name})`), or give it a buffer: --arg '{name}=[…]'"
            )],
        ),
        None => (
            format!("{verb} through a null or invalid pointer"),
            vec![
                "look where the pointer comes from: it points to no buffer and no variable"
                    .to_owned(),
            ],
        ),
    };
    Ok(())
}

/// A count of so many bits as C would show an `int`. Vectors of smaller types seldom
/// hold negative ones.
fn signed(count: u64, bits: u32) -> i128 {
    match bits {
        32 => i128::from(count as u32 as i32),
        64 => i128::from(count as i64),
        _ => i128::from(count),
    }
}
