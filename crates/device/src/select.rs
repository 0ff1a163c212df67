//! Choosing a device by number, kind or part of its name.

use crate::error::DeviceError;
use crate::info::{DeviceInfo, DeviceKind};
use crate::list::{Device, Devices};

impl Devices {
    /// The device that `wanted` names: a number, `gpu`, `cpu` or `accelerator`
    /// (the first of the kind), or part of the name, board or platform in
    /// either case. A leading `cl:` may stand or be left out.
    ///
    /// # Errors
    /// [`DeviceError::UnknownDevice`] or [`DeviceError::AmbiguousDevice`], both
    /// with the list to choose from.
    pub fn select(&self, wanted: &str) -> Result<&Device, DeviceError> {
        let text = wanted.strip_prefix("cl:").unwrap_or(wanted);
        let all = self.all();
        let lines =
            |devices: &mut dyn Iterator<Item = &Device>| devices.map(Device::line).collect();
        let unknown = || DeviceError::UnknownDevice {
            wanted: wanted.to_owned(),
            devices: lines(&mut all.iter()),
        };
        // A number that is no device may still be part of a name (`7900`).
        if let Some(device) = text.parse::<usize>().ok().and_then(|index| all.get(index)) {
            return Ok(device);
        }
        let found = candidates(all.iter().map(Device::info), text);
        match found[..] {
            [] => Err(unknown()),
            [one] => Ok(&all[one]),
            _ => Err(DeviceError::AmbiguousDevice {
                wanted: wanted.to_owned(),
                devices: lines(&mut found.iter().map(|&i| &all[i])),
            }),
        }
    }

    /// The device to use when none is named: the first GPU, else the first
    /// accelerator, else the first device.
    pub fn preferred(&self) -> &Device {
        let all = self.all();
        let first = |kind| all.iter().find(|d| d.info().kind == kind);
        first(DeviceKind::Gpu)
            .or_else(|| first(DeviceKind::Accelerator))
            .unwrap_or(&all[0]) // the list is never empty
    }
}

/// Positions of the devices that `text` may mean, one if it is a kind.
fn candidates<'a>(all: impl Iterator<Item = &'a DeviceInfo>, text: &str) -> Vec<usize> {
    let text = text.to_lowercase();
    let mut found = Vec::new();
    if text.is_empty() {
        return found;
    }
    for (index, info) in all.enumerate() {
        if info.kind.to_string() == text {
            return vec![index];
        }
        let board = info.board.as_deref().unwrap_or_default();
        let names = [&info.name, board, &info.platform];
        if names.iter().any(|name| name.to_lowercase().contains(&text)) {
            found.push(index);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::LocalMemoryKind;

    fn device(name: &str, platform: &str, kind: DeviceKind) -> DeviceInfo {
        DeviceInfo {
            platform: platform.into(),
            name: name.into(),
            board: None,
            vendor: String::new(),
            driver_version: String::new(),
            version: "OpenCL 1.2 ".into(),
            c_version: "OpenCL C 1.2 ".into(),
            kind,
            compute_units: 1,
            max_group_size: 1,
            max_item_sizes: vec![1; 3],
            local_memory: 0,
            local_memory_kind: LocalMemoryKind::None,
            max_constant_buffer: 0,
            global_memory: 0,
            max_buffer: 0,
            cache: 0,
            cache_line: 0,
            clock_mhz: 0,
            timer_resolution_ns: 1,
            extensions: Vec::new(),
            sub_group_widths: Vec::new(),
            registers_per_group: None,
            compute_capability: None,
            il_version: None,
            non_uniform_groups: false,
            pci: None,
            available: true,
            compiler: true,
        }
    }

    #[test]
    fn kinds_take_the_first_and_names_all_that_match() {
        let all = [
            device(
                "pthread-EPYC",
                "Portable Computing Language",
                DeviceKind::Cpu,
            ),
            device("NVIDIA H200", "NVIDIA CUDA", DeviceKind::Gpu),
            device("NVIDIA H200", "NVIDIA CUDA", DeviceKind::Gpu),
        ];
        let find = |text| candidates(all.iter(), text);
        assert_eq!(find("gpu"), [1]);
        assert_eq!(find("h200"), [1, 2]);
        assert_eq!(find("portable"), [0]);
        assert!(find("radeon").is_empty() && find("").is_empty());
    }
}
