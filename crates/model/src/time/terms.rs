//! The terms of a launch's time, each as if it were alone.
//!
//! DRAM and L2 serve the whole device; L1, local memory and issue belong to a
//! compute unit, and a unit that gets one group more than the others decides,
//! so their counts are those of the unit with the most groups. Latency is
//! Little's law: a unit runs its groups in waves of resident ones, each wave
//! lasting a group's lifetime.

use std::fmt;

use super::Work;
use super::overlap::{overlapped, sensitivity};
use super::queueing::{loaded_latency, utilisation};
use crate::profile::DeviceProfile;

/// A resource that may bound a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TermKind {
    /// Device memory's bandwidth.
    Dram,
    /// L2's bandwidth.
    L2,
    /// L1's bandwidth and request rate.
    L1,
    /// Local memory's bandwidth, bank conflicts included.
    Local,
    /// Instruction issue and execution pipes.
    Issue,
    /// Latency that the resident groups do not hide.
    Latency,
    /// Set-up and end of the launch, which nothing overlaps.
    Launch,
}

impl fmt::Display for TermKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dram => "DRAM bandwidth",
            Self::L2 => "L2 bandwidth",
            Self::L1 => "L1 bandwidth",
            Self::Local => "local memory bandwidth",
            Self::Issue => "instruction issue",
            Self::Latency => "latency",
            Self::Launch => "launch",
        })
    }
}

/// One term of a prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The resource.
    pub kind: TermKind,
    /// Seconds of the launch if nothing else mattered.
    pub seconds: f64,
    /// By how much the launch's time grows per growth of this term, from 0
    /// (hidden behind others) to 1 (decides alone).
    pub sensitivity: f64,
    /// How the seconds come about, for people.
    pub detail: String,
}

/// The seconds of all terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seconds {
    pub dram: f64,
    pub l2: f64,
    pub l1: f64,
    pub local: f64,
    pub issue: f64,
    pub latency: f64,
}

/// The terms that do not depend on the time sought; latency is left 0.
pub(super) fn without_latency(profile: &DeviceProfile, work: &Work) -> Seconds {
    let per_unit = share_of_fullest_unit(profile, work) / profile.execution.clock.value();
    let sector = profile.l1.sector.value() as f64;
    Seconds {
        dram: dram_bytes(work) / profile.dram.bytes_per_second.value(),
        l2: work.l2_sectors * sector / profile.l2.bytes_per_second.value(),
        l1: l1_cycles(profile, work) * per_unit,
        local: local_cycles(profile, work) * per_unit,
        issue: issue_cycles(profile, work).0 * per_unit,
        latency: 0.0,
    }
}

/// The latency term if the launch takes `seconds`.
pub(super) fn latency(profile: &DeviceProfile, work: &Work, loads: &Seconds, seconds: f64) -> f64 {
    waves(profile, work) * lifetime_cycles(profile, work, loads, seconds)
        / profile.execution.clock.value()
}

/// The time of the launch: the overlap of all terms.
pub(super) fn total(profile: &DeviceProfile, loads: &Seconds, latency: f64) -> f64 {
    let resources = resources(profile, &Seconds { latency, ..*loads });
    overlapped(
        &resources.map(|(seconds, _)| seconds),
        profile.prediction.overlap_exponent.value(),
    )
}

/// The terms as shown, the longest first.
pub(super) fn described(
    profile: &DeviceProfile,
    work: &Work,
    all: &Seconds,
    total: f64,
) -> Vec<Term> {
    let p = profile.prediction.overlap_exponent.value();
    let mut terms: Vec<Term> = [
        (TermKind::Dram, all.dram),
        (TermKind::L2, all.l2),
        (TermKind::L1, all.l1),
        (TermKind::Local, all.local),
        (TermKind::Issue, all.issue),
        (TermKind::Latency, all.latency),
    ]
    .into_iter()
    .map(|(kind, seconds)| {
        let resource = resources(profile, all)
            .into_iter()
            .find(|(_, kinds)| kinds.contains(&kind))
            .map_or(seconds, |(resource, _)| resource);
        Term {
            kind,
            seconds,
            sensitivity: sensitivity(resource, total, p),
            detail: detail(profile, work, kind),
        }
    })
    .collect();
    terms.push(Term {
        kind: TermKind::Launch,
        seconds: profile.latency.launch.value(),
        sensitivity: 1.0,
        detail: detail(profile, work, TermKind::Launch),
    });
    terms.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    terms
}

/// Seconds of one resource, and the terms that make it up.
type Resource = (f64, &'static [TermKind]);

/// The resources that work side by side: L1 and local memory add where they
/// queue for one data path.
fn resources(profile: &DeviceProfile, all: &Seconds) -> [Resource; 6] {
    use TermKind::{Dram, Issue, L1, L2, Latency, Local};
    let (l1, local): (Resource, Resource) = if profile.l1.shares_path_with_local.value {
        ((all.l1 + all.local, &[L1, Local]), (0.0, &[]))
    } else {
        ((all.l1, &[L1]), (all.local, &[Local]))
    };
    [
        (all.dram, &[Dram]),
        (all.l2, &[L2]),
        l1,
        local,
        (all.issue, &[Issue]),
        (all.latency, &[Latency]),
    ]
}

/// Cycles from a group's launch to its end, if the launch takes `seconds`.
pub(super) fn lifetime_cycles(
    profile: &DeviceProfile,
    work: &Work,
    loads: &Seconds,
    seconds: f64,
) -> f64 {
    let k = profile.prediction.queueing.value();
    let (l1_busy, local_busy) = if profile.l1.shares_path_with_local.value {
        (loads.l1 + loads.local, loads.l1 + loads.local)
    } else {
        (loads.l1, loads.local)
    };
    let loaded = |base: f64, busy: f64| loaded_latency(base, utilisation(busy, seconds), k);
    let trips = &work.lifetime.round_trips;
    // What a farther level adds queues at that level; what it has in common
    // with a nearer one queues there.
    let l1 = loaded(profile.l1.latency.value(), l1_busy);
    let l2 = l1
        + loaded(
            beyond(profile.l2.latency.value(), profile.l1.latency.value()),
            loads.l2,
        );
    let dram = l2
        + loaded(
            beyond(profile.dram.latency.value(), profile.l2.latency.value()),
            loads.dram,
        );
    profile.latency.group_launch.value()
        + work.sub_groups_per_group * profile.latency.sub_group_launch.value()
        + work.lifetime.arithmetic_cycles
        + work.barriers_per_group * profile.latency.barrier.value()
        + trips.l1 * l1
        + trips.l2 * l2
        + trips.dram * dram
        + trips.local * loaded(profile.local_memory.latency.value(), local_busy)
}

fn beyond(far: f64, near: f64) -> f64 {
    (far - near).max(0.0)
}

/// Rounds of resident groups on the unit with the most groups.
pub(super) fn waves(profile: &DeviceProfile, work: &Work) -> f64 {
    (groups_of_fullest_unit(profile, work) / work.groups_per_unit).ceil()
}

fn groups_of_fullest_unit(profile: &DeviceProfile, work: &Work) -> f64 {
    (work.groups / profile.execution.compute_units.value() as f64).ceil()
}

/// The share of the launch's groups that the fullest unit runs.
fn share_of_fullest_unit(profile: &DeviceProfile, work: &Work) -> f64 {
    groups_of_fullest_unit(profile, work) / work.groups
}

fn dram_bytes(work: &Work) -> f64 {
    work.dram_read_bytes + work.dram_write_bytes
}

/// Cycles of L1 over all units: the slowest of the bytes that it reads and
/// those that it hands out, its look-ups, the lanes of the requests and the
/// lines that stores send on.
fn l1_cycles(profile: &DeviceProfile, work: &Work) -> f64 {
    let l1 = &profile.l1;
    // A request for constant memory is taken to be for one address.
    let constant = if l1.serves_constant.value {
        work.constant_requests
    } else {
        0.0
    };
    let sectors = work.l1_load_sectors + work.l1_store_sectors + constant;
    let lines = work.l1_load_lines + work.l1_store_lines + constant;
    let requests = work.global_load_requests + work.global_store_requests + constant;
    let width = profile.execution.sub_group_width.value() as f64;
    [
        sectors * l1.sector.value() as f64 / l1.bytes_per_cycle.value(),
        work.load_bytes / l1.bytes_per_cycle.value(),
        lines / l1.lines_per_cycle.value(),
        requests * width / profile.issue.load_store_lanes.value(),
        work.l1_store_lines / l1.store_lines_per_cycle.value(),
    ]
    .into_iter()
    .fold(0.0, f64::max)
}

/// Cycles of local memory over all units: the slower of its passes and the
/// bytes that it hands out. One pass may serve several work-items, but each
/// gets its bytes over the same path: a broadcast `float4` takes four cycles of
/// 128 B on a sub-group of 32.
fn local_cycles(profile: &DeviceProfile, work: &Work) -> f64 {
    let local = &profile.local_memory;
    let passed = work.local_passes * local.bytes_per_pass.value() as f64;
    passed.max(work.local_bytes) / local.bytes_per_cycle.value()
}

/// Cycles of issue over all units, and what limits it: the slower of the
/// schedulers and the busiest pipe.
fn issue_cycles(profile: &DeviceProfile, work: &Work) -> (f64, &'static str) {
    let rate = &profile.issue;
    let width = profile.execution.sub_group_width.value() as f64;
    let i = &work.instructions;
    [
        (
            work.issued() / rate.instructions_per_cycle.value(),
            "issue slots",
        ),
        (i.fp32 * width / rate.fp32_lanes.value(), "fp32 lanes"),
        (
            i.integer * width / rate.integer_lanes.value(),
            "integer lanes",
        ),
        (
            i.special * width / rate.special_lanes.value(),
            "special function lanes",
        ),
        (i.double * width / rate.double_lanes.value(), "fp64 lanes"),
    ]
    .into_iter()
    .max_by(|a, b| a.0.total_cmp(&b.0))
    .unwrap_or((0.0, "issue slots"))
}

/// How a term comes about, in a few words.
fn detail(profile: &DeviceProfile, work: &Work, kind: TermKind) -> String {
    let sub_groups = work.sub_groups();
    match kind {
        TermKind::Dram => format!(
            "{:.1} MB at {:.2} TB/s",
            dram_bytes(work) / 1e6,
            profile.dram.bytes_per_second.value() / 1e12
        ),
        TermKind::L2 => format!(
            "{:.1} MB at {:.2} TB/s",
            work.l2_sectors * profile.l1.sector.value() as f64 / 1e6,
            profile.l2.bytes_per_second.value() / 1e12
        ),
        TermKind::L1 => format!(
            "{:.2} requests, {:.2} lines and {:.2} sectors per sub-group",
            (work.global_load_requests + work.global_store_requests) / sub_groups,
            (work.l1_load_lines + work.l1_store_lines) / sub_groups,
            (work.l1_load_sectors + work.l1_store_sectors) / sub_groups
        ),
        TermKind::Local => format!(
            "{:.2} passes for {:.2} local requests per sub-group",
            work.local_passes / sub_groups,
            work.local_requests / sub_groups
        ),
        TermKind::Issue => format!(
            "{:.1} instructions per sub-group, limited by {}",
            work.issued() / sub_groups,
            issue_cycles(profile, work).1
        ),
        TermKind::Latency => format!(
            "{} waves of {} resident groups",
            waves(profile, work),
            work.groups_per_unit
        ),
        TermKind::Launch => format!("{:.1} us per launch", profile.latency.launch.value() * 1e6),
    }
}
