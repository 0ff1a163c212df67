//! The table of devices and simulated profiles.

use super::table::{Side, Table};
use crate::number::{bytes, count};
use crate::phrase;
use crate::style::Style;

/// One device or simulated profile, as `tilewise devices` lists it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceRow {
    /// What `--device` takes: `cl:0`, `sim:h200`.
    pub id: String,
    /// Name of the device.
    pub name: String,
    /// `GPU`, `CPU`, `simulated`.
    pub kind: String,
    /// Compute units.
    pub compute_units: Option<u32>,
    /// Work-items of a sub-group.
    pub sub_group: Option<u32>,
    /// Largest work-group, in work-items.
    pub max_group: Option<u64>,
    /// Local memory that one work-group may use, in bytes.
    pub local_mem_bytes: Option<u64>,
    /// `CL_DEVICE_LOCAL_MEM_TYPE`: `on chip`, `global memory`.
    pub local_mem_type: String,
    /// Global memory in bytes.
    pub global_mem_bytes: Option<u64>,
    /// OpenCL version and driver, or where the figures come from.
    pub source: String,
}

/// Renders `tilewise devices`. `notes` say what is missing and what to do.
pub fn devices(rows: &[DeviceRow], notes: &[String], style: Style) -> String {
    let mut out = String::new();
    if rows.is_empty() {
        out.push_str("no device and no simulated profile found\n");
    } else {
        let mut table = Table::new(&[
            ("--device", Side::Left),
            ("name", Side::Left),
            ("kind", Side::Left),
            ("units", Side::Right),
            ("sub-group", Side::Right),
            ("largest group", Side::Right),
            ("local memory/group", Side::Right),
            ("", Side::Left),
            ("global memory", Side::Right),
            ("source", Side::Left),
        ]);
        for row in rows {
            let number = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), count);
            let size = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), bytes);
            table.row([
                row.id.clone(),
                phrase::printable(&row.name),
                row.kind.clone(),
                number(row.compute_units.map(u64::from)),
                number(row.sub_group.map(u64::from)),
                number(row.max_group),
                size(row.local_mem_bytes),
                row.local_mem_type.clone(),
                size(row.global_mem_bytes),
                phrase::printable(&row.source),
            ]);
        }
        out.push_str(&table.render(style));
    }
    if !notes.is_empty() {
        out.push('\n');
    }
    for note in notes {
        out.push_str(&format!(
            "{} {}\n",
            style.quiet("note:"),
            phrase::printable(note)
        ));
    }
    out
}
