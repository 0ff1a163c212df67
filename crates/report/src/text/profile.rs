//! The access profile: buffers, source lines, counters, occupancy.

use super::table::{Side, Table};
use super::{footer, header, section};
use crate::number::{bytes, count, counted, duration, fixed, percent};
use crate::phrase;
use crate::run::{BufferProfile, Counters, Occupancy, Predicted, Profile, Run};
use crate::style::Style;

/// Characters of a source line that a table shows.
const SOURCE_WIDTH: usize = 72;

/// Renders `tilewise profile`.
pub(super) fn profile(run: &Run, style: Style) -> String {
    let mut out = header(run, style);
    match &run.profile {
        Some(profile) => {
            out.push_str(&buffers(profile, style));
            out.push_str(&lines(profile, style));
            out.push_str(&counters(&profile.counters, style));
        }
        None => out.push_str("\nno access profile in this run\n"),
    }
    if let Some(occ) = &run.occupancy {
        out.push_str(&occupancy(occ, style));
    }
    if let Some(time) = &run.predicted {
        out.push_str(&predicted(time, style));
    }
    out.push_str(&super::check::brief(run, style));
    out.push_str(&footer(run, style));
    out
}

/// The table of buffers, and where their reuse lies.
pub(super) fn buffers(profile: &Profile, style: Style) -> String {
    let mut out = section(
        "Buffers",
        "simulated; reuse = elements read / different elements, per work-group",
        style,
    );
    if profile.buffers.is_empty() {
        out.push_str("  the kernel accesses no buffer\n");
        return out;
    }
    let mut table = Table::new(&[
        ("buffer", Side::Left),
        ("space", Side::Left),
        ("element", Side::Left),
        ("reads", Side::Right),
        ("distinct", Side::Right),
        ("reuse", Side::Right),
        ("halo lo/hi", Side::Left),
        ("box", Side::Left),
        ("tile", Side::Right),
        ("sectors/request", Side::Right),
        ("writes", Side::Right),
    ]);
    for buffer in &profile.buffers {
        table.row(buffer_row(buffer));
    }
    out.push_str(&table.render(style));
    for buffer in &profile.buffers {
        if let Some(line) = reuse_split(buffer) {
            out.push_str(&format!("  {}\n", style.quiet(line)));
        }
    }
    out
}

fn buffer_row(buffer: &BufferProfile) -> Vec<String> {
    vec![
        buffer.name.clone(),
        buffer.space.clone(),
        buffer.element.clone(),
        count(buffer.accesses),
        count(buffer.distinct),
        optional(buffer.reuse, |r| fixed(r, 3)),
        phrase::halo(buffer),
        phrase::shape(&buffer.footprint),
        optional(buffer.tile_bytes, bytes),
        optional(phrase::sectors_per_request(buffer), |s| fixed(s, 2)),
        count(buffer.stores + buffer.atomics),
    ]
}

/// `in: reuse 2.98 = …`: which part of the reuse the hardware catches by itself.
fn reuse_split(buffer: &BufferProfile) -> Option<String> {
    let parts: Vec<String> = [
        (buffer.reuse_within_request, "within a request"),
        (buffer.reuse_over_time, "over time in a sub-group"),
        (buffer.reuse_across_sub_groups, "across sub-groups"),
    ]
    .into_iter()
    .filter_map(|(value, name)| Some(format!("{} {name}", fixed(value?, 2))))
    .collect();
    if parts.is_empty() && buffer.over_fetch.is_none() {
        return None;
    }
    let mut line = format!("{}: ", buffer.name);
    if !parts.is_empty() {
        line.push_str("of the reuse ");
        line.push_str(&parts.join(", "));
    }
    if let Some(over) = buffer.over_fetch.filter(|&share| share != 0.0) {
        if !parts.is_empty() {
            line.push_str("; ");
        }
        line.push_str(&format!("{} of the box is never read", percent(over)));
    }
    (line.len() > buffer.name.len() + 2).then_some(line)
}

fn lines(profile: &Profile, style: Style) -> String {
    if profile.lines.is_empty() {
        return String::new();
    }
    let mut out = section(
        "Lines",
        "simulated; per request: 32-byte sectors, in local memory passes",
        style,
    );
    let mut table = Table::new(&[
        ("line", Side::Right),
        ("access", Side::Left),
        ("elements", Side::Right),
        ("requests", Side::Right),
        ("sectors", Side::Right),
        ("passes", Side::Right),
        ("per request", Side::Right),
        ("source", Side::Left),
    ]);
    for line in &profile.lines {
        table.row([
            line.line.to_string(),
            format!("{} {}", line.kind, line.buffer),
            count(line.accesses),
            count(line.requests),
            some_count(line.sectors),
            some_count(line.passes),
            fixed(line.per_request, 2),
            phrase::excerpt(&line.text, SOURCE_WIDTH),
        ]);
    }
    out.push_str(&table.render(style));
    out
}

fn counters(c: &Counters, style: Style) -> String {
    let mut out = section(
        "Counters",
        "simulated, over the launch, in the terms of hardware counters",
        style,
    );
    let mut row = |name: &str, value: String| out.push_str(&format!("  {name:<14}  {value}\n"));
    row(
        "global loads",
        format!(
            "{}, {}",
            counted(c.global_load_requests, "request", "requests"),
            counted(c.global_load_sectors, "sector", "sectors")
        ),
    );
    row(
        "global stores",
        format!(
            "{}, {}",
            counted(c.global_store_requests, "request", "requests"),
            counted(c.global_store_sectors, "sector", "sectors")
        ),
    );
    if c.image_read_requests + c.image_write_requests > 0 {
        row(
            "images",
            format!(
                "{}, {}",
                counted(c.image_read_requests, "read", "reads"),
                counted(c.image_write_requests, "write", "writes")
            ),
        );
    }
    row("local loads", local_loads(c));
    row(
        "local stores",
        counted(c.local_store_passes, "pass", "passes"),
    );
    row(
        "bank conflicts",
        format!(
            "{} beyond the ideal",
            counted(c.local_bank_conflicts, "pass", "passes")
        ),
    );
    row(
        "instructions",
        format!("{} of sub-groups", count(c.instructions)),
    );
    row("barriers", format!("{} of work-groups", count(c.barriers)));
    row("active lanes", percent(c.active_lanes));
    out
}

fn local_loads(c: &Counters) -> String {
    let mut text = counted(c.local_load_requests, "request", "requests");
    if c.local_load_requests_unmerged != c.local_load_requests {
        text.push_str(&format!(
            " ({} before the compiler merges neighbours)",
            count(c.local_load_requests_unmerged)
        ));
    }
    text.push_str(&format!(
        ", {}",
        counted(c.local_load_passes, "pass", "passes")
    ));
    text
}

fn occupancy(occ: &Occupancy, style: Style) -> String {
    let mut out = section("Occupancy", "computed from the device profile", style);
    out.push_str(&format!(
        "  {} per compute unit, {} of its sub-groups; limited by {}\n",
        counted(occ.groups_per_unit.into(), "group", "groups"),
        percent(occ.fraction),
        occ.limited_by
    ));
    let registers = match occ.registers {
        Some(n) => format!("{n} registers per work-item"),
        None => "registers: ".to_owned(),
    };
    let source = match (occ.registers, occ.registers_source.as_str()) {
        (None, "") => "not known".to_owned(),
        (None, source) => source.to_owned(),
        (_, "") => String::new(),
        (_, source) => format!(" ({source})"),
    };
    out.push_str(&format!(
        "  {} of local memory per group; {registers}{source}\n",
        bytes(occ.local_bytes)
    ));
    if !occ.limits.is_empty() {
        let limits: Vec<String> = occ
            .limits
            .iter()
            .map(|limit| format!("{} {}", limit.resource, limit.groups))
            .collect();
        out.push_str(&format!("  groups by resource: {}\n", limits.join(", ")));
    }
    out.push_str(&curve(occ, style));
    out
}

/// The steps of the occupancy curve: up to which tile size how many groups fit.
fn curve(occ: &Occupancy, style: Style) -> String {
    if occ.curve.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[
        ("tile up to", Side::Right),
        ("groups", Side::Right),
        ("", Side::Left),
    ]);
    for (i, &(size, groups)) in occ.curve.iter().enumerate() {
        let ends_step = occ.curve.get(i + 1).is_none_or(|next| next.1 != groups);
        if ends_step {
            // Longer bars than this break the line; no device has so many.
            let bar = "█".repeat(groups.min(48) as usize);
            table.row([bytes(size), groups.to_string(), bar]);
        }
    }
    format!("\n{}", table.render(style))
}

fn predicted(time: &Predicted, style: Style) -> String {
    let mut out = section("Time", "predicted by the time model", style);
    out.push_str(&format!(
        "  {} per launch, bottleneck {}\n",
        duration(time.time_ns),
        time.bottleneck
    ));
    if !time.terms.is_empty() {
        let mut table = Table::new(&[
            ("each term alone", Side::Left),
            ("", Side::Right),
            ("", Side::Left),
        ]);
        for term in &time.terms {
            table.row([
                term.name.clone(),
                duration(term.ns),
                phrase::printable(&term.detail),
            ]);
        }
        out.push('\n');
        out.push_str(&table.render(style));
    }
    out
}

fn optional<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), show)
}

fn some_count(n: u64) -> String {
    if n == 0 { "-".to_owned() } else { count(n) }
}
