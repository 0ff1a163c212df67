//! How many of a launch's groups fit on a compute unit, as a report shows it.

use tilewise_ir::Form;
use tilewise_launch::ArgValue;
use tilewise_model::occupancy::{self, GroupDemand};
use tilewise_report::{Occupancy, OccupancyLimit};

use crate::error::Error;
use crate::load::Loaded;
use crate::target::Target;

/// Tile sizes of the curve, as shares of the most that a group may have.
const CURVE_STEPS: u64 = 12;

/// Local memory of one group in bytes: what the kernel declares and what its
/// arguments add.
///
/// # Errors
/// The kernel is lost.
pub fn local_bytes(loaded: &Loaded) -> Result<u64, Error> {
    let declared = loaded.kernel(Form::AsCompiled)?.static_local_bytes();
    let given: u64 = loaded
        .resolved
        .launch
        .args
        .iter()
        .map(|arg| match arg.value {
            ArgValue::Local { bytes } => bytes,
            _ => 0,
        })
        .sum();
    Ok(declared + given)
}

/// Computes the occupancy of a launch. None where the launch fits the device that runs
/// it, and a group of it is more than the profile allows, which often is another
/// device's: of that one nothing can be said, and the launch is fine.
///
/// # Errors
/// The group is larger than the device allows.
pub fn occupancy_of(target: &Target, loaded: &Loaded) -> Result<Option<Occupancy>, Error> {
    let local_bytes = local_bytes(loaded)?;
    occupancy_with(target, loaded, local_bytes)
}

/// Computes the occupancy of a launch if its group took so many bytes of local
/// memory.
///
/// # Errors
/// As [`occupancy_of`].
pub fn occupancy_with(
    target: &Target,
    loaded: &Loaded,
    local_bytes: u64,
) -> Result<Option<Occupancy>, Error> {
    let profile = &target.profile;
    let demand = GroupDemand {
        work_items: loaded.resolved.launch.range.group_size(),
        local_bytes,
        registers_per_work_item: None,
    };
    let input = |e: occupancy::OccupancyError| Error::Input(e.to_string());
    let found = match occupancy::occupancy(profile, demand) {
        Ok(found) => found,
        // The launch was held against the device's own limits when it was resolved.
        Err(_) if target.device.is_some() => return Ok(None),
        Err(error) => return Err(input(error)),
    };
    let most = profile.local_memory.per_group.value();
    let tiles: Vec<u64> = (0..=CURVE_STEPS).map(|i| i * most / CURVE_STEPS).collect();
    let curve = occupancy::curve(profile, demand, &tiles).map_err(input)?;
    let limited: Vec<String> = found.limited_by().map(|r| r.to_string()).collect();
    Ok(Some(Occupancy {
        groups_per_unit: found.groups_per_unit as u32,
        limited_by: limited.join(", "),
        fraction: found.fraction,
        local_bytes,
        registers: None,
        registers_source: "not known before a device compiles the kernel; not counted".to_owned(),
        limits: found
            .limits
            .iter()
            .map(|l| OccupancyLimit {
                resource: l.resource.to_string(),
                groups: l.groups as u32,
            })
            .collect(),
        curve: curve
            .into_iter()
            .map(|(bytes, groups)| (bytes, groups as u32))
            .collect(),
    }))
}
