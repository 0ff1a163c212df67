//! What local memory costs on the device: TW204, TW205, TW206.

use tilewise_device::LocalMemoryKind as DeviceKind;
use tilewise_model::profile::LocalMemoryKind;
use tilewise_report::{Diagnostic, Severity};

use crate::error::Error;
use crate::findings::place::at_kernel;
use crate::load::Loaded;
use crate::occupancy_of::{local_bytes, occupancy_with};
use crate::target::Target;

/// Share of a compute unit's sub-groups that hides latencies as a rule.
const ENOUGH: f64 = 0.5;

/// The findings of a launch, at the kernel's name.
pub(super) fn findings(target: &Target, loaded: &Loaded) -> Result<Vec<Diagnostic>, Error> {
    let bytes = local_bytes(loaded)?;
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let limit = target.local_limit();
    let mut all = Vec::new();
    if bytes > limit {
        all.push(too_large(target, loaded, bytes, limit));
    } else if target.modelled || target.device.is_none() {
        all.extend(occupancy(target, loaded, bytes)?);
    }
    all.extend(off_chip(target, loaded, bytes));
    Ok(all)
}

fn warning(loaded: &Loaded, code: &str, message: String) -> Diagnostic {
    Diagnostic {
        code: code.to_owned(),
        severity: Severity::Warning,
        message,
        ..at_kernel(loaded)
    }
}

/// TW205.
fn too_large(target: &Target, loaded: &Loaded, bytes: u64, limit: u64) -> Diagnostic {
    let mut finding = warning(
        loaded,
        "TW205",
        format!(
            "a work-group takes {bytes} B of local memory, {} allows {limit} B: the launch would fail",
            target.info().name
        ),
    );
    finding
        .notes
        .push("the limit is CL_DEVICE_LOCAL_MEM_SIZE, which is that of one work-group".to_owned());
    finding.help.push(format!(
        "make the tile smaller by {} B at least, or the work-group where the tile grows with it",
        bytes - limit
    ));
    finding
}

/// TW204.
fn occupancy(target: &Target, loaded: &Loaded, bytes: u64) -> Result<Option<Diagnostic>, Error> {
    let now = occupancy_with(target, loaded, bytes)?;
    let without = occupancy_with(target, loaded, 0)?;
    let (Some(now), Some(without)) = (now, without) else {
        return Ok(None);
    };
    let limited = now.limited_by == "local memory" && now.fraction < ENOUGH;
    // Fewer groups are no loss where others would not fit for another reason.
    if !limited || 2 * without.groups_per_unit < 3 * now.groups_per_unit {
        return Ok(None);
    }
    // The most local memory with which one group more fits.
    let (mut fits, mut fails) = (0, bytes);
    while fits + 1 < fails {
        let middle = fits + (fails - fits) / 2;
        let found = occupancy_with(target, loaded, middle)?;
        if found.is_some_and(|f| f.groups_per_unit > now.groups_per_unit) {
            fits = middle;
        } else {
            fails = middle;
        }
    }
    let groups = |n: u32| match n {
        1 => "1 work-group".to_owned(),
        n => format!("{n} work-groups"),
    };
    let mut finding = warning(
        loaded,
        "TW204",
        format!(
            "local memory lets {} stay on a compute unit ({:.0} % of its sub-groups), where {} would fit without",
            groups(now.groups_per_unit),
            100.0 * now.fraction,
            without.groups_per_unit
        ),
    );
    let profile = &target.profile;
    finding.notes.push(format!(
        "a work-group takes {bytes} B; a compute unit of {} has {} B",
        profile.title,
        profile.local_memory.per_unit.value()
    ));
    finding.help.push(format!(
        "with {fits} B at most, {} would fit: a smaller tile, or a smaller type",
        groups(now.groups_per_unit + 1)
    ));
    Ok(Some(finding))
}

/// TW206.
fn off_chip(target: &Target, loaded: &Loaded, bytes: u64) -> Option<Diagnostic> {
    let off_chip = match &target.device {
        Some(device) => device.info().local_memory_kind == DeviceKind::Global,
        None => target.profile.local_memory.kind.value == LocalMemoryKind::Global,
    };
    if !off_chip {
        return None;
    }
    let mut finding = warning(
        loaded,
        "TW206",
        format!(
            "local memory of {} is part of global memory: staging {bytes} B there saves no access to it",
            target.info().name
        ),
    );
    finding
        .notes
        .push("CL_DEVICE_LOCAL_MEM_TYPE is CL_GLOBAL, as on most CPUs".to_owned());
    finding.help.push(
        "measure the plain kernel beside it (`tilewise bench`): caches do what a tile would"
            .to_owned(),
    );
    Some(finding)
}
