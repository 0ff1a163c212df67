//! A device as the simulator and the model see it.
//!
//! A profile is a TOML file in which every figure stands with its unit and its
//! source (see [`Figure`]). Four profiles are built in; any other device is
//! described by a file of the same form, without a line of Rust. Per-unit
//! figures are those of one *compute unit*, the thing that
//! `CL_DEVICE_MAX_COMPUTE_UNITS` counts: an NVIDIA SM, a CDNA CU, an RDNA
//! work-group processor.
//!
//! A profile describes one memory level between L2 and DRAM at most by its
//! DRAM figures: AMD's Infinity Cache has no section of its own.

mod builtin;
mod figure;
mod lane_groups;
mod load;
mod units;

use serde::Deserialize;

pub use figure::{Figure, Stated};
pub use lane_groups::{LaneGroups, LaneSet};
pub use load::ProfileError;
pub use units::{
    Bytes, BytesPerCycle, BytesPerSecond, Count, Cycles, Hertz, LanesPerCycle, Magnitude, PerCycle,
    Ratio, Registers, Seconds, Unit, WorkItems,
};

/// A device: limits, sizes, rates and latencies, each with its source.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceProfile {
    /// The short name of `--device sim:NAME`.
    pub name: String,
    /// The name shown to people.
    pub title: String,
    /// Who makes it.
    pub vendor: String,
    /// Parts of `CL_DEVICE_NAME` that identify the device, in any case.
    pub device_names: Vec<String>,
    /// What its OpenCL compiler defines and offers.
    pub opencl: OpenCl,
    /// Sub-groups, compute units, clock, and the shape limits of a group.
    pub execution: Execution,
    /// What may be resident on one compute unit at a time.
    pub residency: Residency,
    /// The register file of one compute unit.
    pub registers: RegisterFile,
    /// Local memory.
    pub local_memory: LocalMemory,
    /// The first cache that vector loads meet.
    pub l1: L1,
    /// The cache that all compute units share.
    pub l2: L2,
    /// Device memory.
    pub dram: Dram,
    /// How fast a compute unit issues and executes.
    pub issue: Issue,
    /// Latencies that belong to no memory level.
    pub latency: Latency,
    /// Calibration of the time model.
    pub prediction: Calibration,
}

/// What the device's OpenCL C compiler defines and offers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenCl {
    /// The value of `__OPENCL_VERSION__`, 300 for OpenCL 3.0.
    pub version: Stated<u32>,
    /// The version that is compiled for without `-cl-std`, 120 for OpenCL C 1.2.
    pub default_c_version: Stated<u32>,
    /// The names in `CL_DEVICE_EXTENSIONS` that concern kernel code.
    pub extensions: Stated<Vec<String>>,
    /// Predefined macros of the vendor, as `NAME=VALUE`.
    pub macros: Stated<Vec<String>>,
}

/// Sub-groups, compute units and the limits of a group's shape.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Execution {
    /// Lanes of a sub-group (NVIDIA warp, AMD wavefront): 32 or 64.
    pub sub_group_width: Figure<WorkItems>,
    /// `CL_DEVICE_MAX_COMPUTE_UNITS`.
    pub compute_units: Figure<Count>,
    /// Sustained clock under load.
    pub clock: Figure<Hertz>,
    /// `CL_DEVICE_MAX_WORK_GROUP_SIZE`.
    pub max_group_size: Figure<WorkItems>,
    /// `CL_DEVICE_MAX_WORK_ITEM_SIZES`.
    pub max_group_sizes: Stated<[u64; 3]>,
}

/// How much may be resident on one compute unit at a time.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Residency {
    /// Work-groups.
    pub groups: Figure<Count>,
    /// Work-groups of a single sub-group, where the device allows more of
    /// them (they need no barrier).
    #[serde(default)]
    pub groups_of_one_sub_group: Option<Figure<Count>>,
    /// Sub-groups.
    pub sub_groups: Figure<Count>,
    /// Work-items.
    pub work_items: Figure<WorkItems>,
    /// Equal parts (schedulers, SIMDs) into which registers are divided; a
    /// sub-group lives in one of them.
    pub partitions: Figure<Count>,
}

/// The register file of one compute unit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterFile {
    /// 32-bit registers, over all lanes and partitions.
    pub per_unit: Figure<Registers>,
    /// A sub-group's registers are rounded up to a multiple of this.
    pub granularity: Figure<Registers>,
    /// What one work-item can address.
    pub max_per_work_item: Figure<Registers>,
}

/// Where `__local` lives: `CL_DEVICE_LOCAL_MEM_TYPE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LocalMemoryKind {
    /// Dedicated storage on the chip.
    Local,
    /// Carved out of global memory: staging can't make it faster.
    Global,
}

/// Local memory of one compute unit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalMemory {
    /// `CL_DEVICE_LOCAL_MEM_TYPE`.
    pub kind: Stated<LocalMemoryKind>,
    /// The scratchpad that resident groups share.
    pub per_unit: Figure<Bytes>,
    /// `CL_DEVICE_LOCAL_MEM_SIZE`: the most that one group may have.
    pub per_group: Figure<Bytes>,
    /// What the system takes for each resident group besides.
    pub reserved_per_group: Figure<Bytes>,
    /// A group's share is rounded up to a multiple of this.
    pub granularity: Figure<Bytes>,
    /// Banks that one pass can address.
    pub banks: Figure<Count>,
    /// Width of a bank.
    pub bank_width: Figure<Bytes>,
    /// Bytes that one pass without conflicts moves.
    pub bytes_per_pass: Figure<Bytes>,
    /// Bytes that one compute unit moves in a cycle.
    pub bytes_per_cycle: Figure<BytesPerCycle>,
    /// From issue to use of a load without conflicts.
    pub latency: Figure<Cycles>,
    /// Whether the compiler merges local loads at neighbouring constant
    /// offsets into 8 or 16 byte ones.
    pub merges_adjacent_loads: Stated<bool>,
    /// Lane groups by access width, narrowest first.
    pub lane_groups: Vec<LaneGroups>,
}

/// The first cache of one compute unit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L1 {
    /// Capacity; together with local memory where `local_carve_outs` is given.
    pub size: Figure<Bytes>,
    /// The sizes that local memory may take from `size`, ascending; empty
    /// where both have storage of their own.
    pub local_carve_outs: Stated<Vec<u64>>,
    /// Whether local and L1 accesses queue for one data path.
    pub shares_path_with_local: Stated<bool>,
    /// Whether loads of constant memory are served here, as any others; else
    /// they have a path of their own that is not a term of the model.
    pub serves_constant: Stated<bool>,
    /// Bytes of a line (the tag's granularity).
    pub line: Figure<Bytes>,
    /// Bytes of a sector (the transfer's granularity).
    pub sector: Figure<Bytes>,
    /// Bytes that one compute unit gets from L1 in a cycle.
    pub bytes_per_cycle: Figure<BytesPerCycle>,
    /// Lines that L1 looks up in a cycle; a request looks up each line that it
    /// touches.
    pub lines_per_cycle: Figure<PerCycle>,
    /// Lines that stores send on towards L2 in a cycle.
    pub store_lines_per_cycle: Figure<PerCycle>,
    /// From issue to use of a load that hits.
    pub latency: Figure<Cycles>,
}

/// The cache that all compute units share.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L2 {
    /// Capacity over the whole device.
    pub size: Figure<Bytes>,
    /// Bandwidth over the whole device.
    pub bytes_per_second: Figure<BytesPerSecond>,
    /// From issue to use of a load that hits here.
    pub latency: Figure<Cycles>,
}

/// Device memory.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dram {
    /// What the data sheet says.
    pub peak_bytes_per_second: Figure<BytesPerSecond>,
    /// What the best kernels reach: the ceiling of the model.
    pub bytes_per_second: Figure<BytesPerSecond>,
    /// From issue to use of a load, on an idle device.
    pub latency: Figure<Cycles>,
}

/// Issue and execution rates of one compute unit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// Sub-group instructions issued in a cycle.
    pub instructions_per_cycle: Figure<PerCycle>,
    /// fp32 add, multiply, fused multiply-add.
    pub fp32_lanes: Figure<LanesPerCycle>,
    /// 32-bit integer arithmetic, comparison, conversion of addresses.
    pub integer_lanes: Figure<LanesPerCycle>,
    /// Reciprocal, square root, exponential, sine.
    pub special_lanes: Figure<LanesPerCycle>,
    /// fp64 arithmetic.
    pub double_lanes: Figure<LanesPerCycle>,
    /// Lanes of memory instructions that are taken in a cycle.
    pub load_store_lanes: Figure<LanesPerCycle>,
}

/// Latencies that belong to no memory level.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// From issue of an arithmetic instruction to issue of its user.
    pub arithmetic: Figure<Cycles>,
    /// A barrier: from the arrival of the sub-group that is last by its own
    /// latencies until all go on. Arrivals spread, since the sub-groups of a
    /// group take turns at issuing.
    pub barrier: Figure<Cycles>,
    /// From a free slot to a group's first instruction, and its retirement.
    pub group_launch: Figure<Cycles>,
    /// What each sub-group of the group adds to that.
    pub sub_group_launch: Figure<Cycles>,
    /// What a launch takes beyond the life of its groups: its set-up on the
    /// device and the end of its last group, as event profiling counts them.
    pub launch: Figure<Seconds>,
}

/// Calibration of the time model ([`crate::time`]).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The exponent p by which terms overlap: 1 adds them, infinity takes the
    /// largest.
    pub overlap_exponent: Figure<Ratio>,
    /// The factor k of loaded latency, `base * (1 + k u / (1 - u))`.
    pub queueing: Figure<Ratio>,
    /// 10 % quantile of measured over predicted speed-up.
    pub speedup_error_low: Figure<Ratio>,
    /// 90 % quantile of measured over predicted speed-up.
    pub speedup_error_high: Figure<Ratio>,
}

impl DeviceProfile {
    /// The lane groups of one local access of `bytes` per work-item, in order
    /// of service. A width between two rules follows the wider one; a width
    /// beyond the widest rule follows that.
    pub fn lane_sets(&self, bytes: u64) -> Vec<LaneSet> {
        let width = self.execution.sub_group_width.value();
        let rules = &self.local_memory.lane_groups;
        rules
            .iter()
            .find(|rule| rule.access.value() >= bytes)
            .or(rules.last())
            // Loading has checked every rule, and a profile changed in code
            // past use still gets a meaning: the whole sub-group at once.
            .and_then(|rule| rule.sets(width).ok())
            .unwrap_or_else(|| vec![u64::MAX >> (64 - width.clamp(1, 64))])
    }

    /// The bytes of L1 that are left for caching while the resident groups
    /// hold `local_bytes` of local memory together (reserved bytes included).
    ///
    /// The driver picks the smallest carve-out that holds them.
    pub fn l1_bytes_beside(&self, local_bytes: u64) -> u64 {
        let carve_outs = &self.l1.local_carve_outs.value;
        let taken = carve_outs
            .iter()
            .find(|size| **size >= local_bytes)
            .or(carve_outs.last())
            .copied()
            .unwrap_or(0);
        self.l1.size.value().saturating_sub(taken)
    }

    /// Whether the device of this `CL_DEVICE_NAME` is the one described.
    pub fn matches(&self, device_name: &str) -> bool {
        self.match_length(device_name).is_some()
    }

    /// The length of the longest identifying part that `device_name` holds.
    fn match_length(&self, device_name: &str) -> Option<usize> {
        let name = device_name.to_lowercase();
        self.device_names
            .iter()
            .filter(|part| name.contains(&part.to_lowercase()))
            .map(String::len)
            .max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn h200() -> &'static DeviceProfile {
        DeviceProfile::builtin("h200").expect("built in")
    }

    #[test]
    fn lane_sets_follow_the_access_width() {
        assert_eq!(h200().lane_sets(1), [0xffff_ffff]);
        assert_eq!(h200().lane_sets(4), [0xffff_ffff]);
        assert_eq!(h200().lane_sets(8).len(), 2);
        assert_eq!(h200().lane_sets(12).len(), 4);
        assert_eq!(h200().lane_sets(16)[1], 0xff00);
        assert_eq!(h200().lane_sets(64).len(), 4);
        let cdna = DeviceProfile::builtin("mi300x").expect("built in");
        assert_eq!(cdna.lane_sets(4).len(), 2);
        assert_eq!(cdna.lane_sets(16)[0], 0x00f0_000f);
    }

    #[test]
    fn local_memory_takes_from_l1_in_steps() {
        let kib = 1024;
        assert_eq!(h200().l1_bytes_beside(0), 256 * kib);
        assert_eq!(h200().l1_bytes_beside(8 * kib), 248 * kib);
        assert_eq!(h200().l1_bytes_beside(8 * kib + 1), 240 * kib);
        assert_eq!(h200().l1_bytes_beside(228 * kib), 28 * kib);
        let cdna = DeviceProfile::builtin("mi300x").expect("built in");
        assert_eq!(cdna.l1_bytes_beside(64 * kib), 32 * kib);
    }
}
