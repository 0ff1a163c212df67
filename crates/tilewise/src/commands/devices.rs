//! `tilewise devices`: simulated profiles and OpenCL devices.

use tilewise_device::{Device, LocalMemoryKind, OpenCl};
use tilewise_model::profile::{self, DeviceProfile};
use tilewise_report::text::DeviceRow;

use crate::error::Error;
use crate::session::Session;

/// Rows of the table, and what is missing.
pub struct DeviceTable {
    /// OpenCL devices first, then the built-in profiles.
    pub rows: Vec<DeviceRow>,
    /// What could not be listed, and why.
    pub notes: Vec<String>,
}

/// Lists devices. A machine without OpenCL is no error: the profiles remain.
///
/// # Errors
/// None today; the signature leaves room for it.
pub fn devices(_session: &Session) -> Result<DeviceTable, Error> {
    let mut notes = Vec::new();
    let mut rows = match OpenCl::load().and_then(|cl| cl.devices()) {
        Ok(devices) => {
            notes.extend(devices.problems().iter().map(ToString::to_string));
            devices.all().iter().map(device_row).collect()
        }
        Err(error) => {
            notes.push(format!("no OpenCL device: {error}"));
            Vec::new()
        }
    };
    rows.extend(DeviceProfile::all().iter().map(profile_row));
    Ok(DeviceTable { rows, notes })
}

fn device_row(device: &Device) -> DeviceRow {
    let info = device.info();
    DeviceRow {
        id: format!("cl:{}", device.index()),
        name: info.name.trim().to_owned(),
        kind: info.kind.to_string(),
        compute_units: u32::try_from(info.compute_units).ok(),
        sub_group: DeviceProfile::matching(&info.name)
            .and_then(|p| u32::try_from(p.execution.sub_group_width.value()).ok()),
        max_group: Some(info.max_group_size),
        local_mem_bytes: Some(info.local_memory),
        local_mem_type: match info.local_memory_kind {
            LocalMemoryKind::Local => "on chip",
            LocalMemoryKind::Global => "in global memory",
            LocalMemoryKind::None => "none",
        }
        .to_owned(),
        global_mem_bytes: Some(info.global_memory),
        source: format!("{}, driver {}", info.version.trim(), info.driver_version),
    }
}

fn profile_row(profile: &DeviceProfile) -> DeviceRow {
    let execution = &profile.execution;
    DeviceRow {
        id: format!("sim:{}", profile.name),
        name: profile.title.clone(),
        kind: "simulated".to_owned(),
        compute_units: u32::try_from(execution.compute_units.value()).ok(),
        sub_group: u32::try_from(execution.sub_group_width.value()).ok(),
        max_group: Some(execution.max_group_size.value()),
        local_mem_bytes: Some(profile.local_memory.per_group.value()),
        local_mem_type: match profile.local_memory.kind.value {
            profile::LocalMemoryKind::Local => "on chip",
            profile::LocalMemoryKind::Global => "in global memory",
        }
        .to_owned(),
        global_mem_bytes: None,
        source: format!("profiles/{}.toml", profile.name),
    }
}
