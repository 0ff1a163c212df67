//! The [`Run`]: one launch on one device, with all that is known about it.

use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;

/// Name and version of the JSON form.
pub const SCHEMA: &str = "tilewise-run/1";

/// One launch on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`SCHEMA`].
    pub schema: String,
    /// Version of tilewise.
    pub tilewise: String,
    /// The command that made it.
    pub command: Command,
    /// Name of the kernel.
    pub kernel: String,
    /// File that holds it, as the user named it.
    pub file: String,
    /// What was launched.
    pub launch: LaunchInfo,
    /// Where.
    pub device: DeviceInfo,
    /// How the kernel reads and writes memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// How many groups fit on a compute unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occupancy: Option<Occupancy>,
    /// Predicted time of this kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Predicted>,
    /// Measured time of this kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// Findings.
    pub findings: Vec<Diagnostic>,
    /// Other forms of the kernel, compared with it.
    pub candidates: Vec<Candidate>,
    /// The article's procedure, answered (`advise` only).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub procedure: Vec<Answer>,
    /// It takes tiles out of the kernel (`stage --remove` only).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removal: bool,
    /// One imperative: what to do (`advise` only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Does staging pay?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// What to know about the figures, each with what to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Where the time went, in seconds by phase (`--timings`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timings: Vec<Timing>,
}

/// The command that made a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Command {
    Check,
    Profile,
    Verify,
    Bench,
    Advise,
    Demo,
    Stage,
}

/// What was launched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchInfo {
    /// `global_work_size` by dimension used.
    pub global: Vec<u64>,
    /// `local_work_size` by dimension used.
    pub local: Vec<u64>,
    /// `global_work_offset` by dimension used.
    pub offset: Vec<u64>,
    /// Arguments in order.
    pub args: Vec<ArgInfo>,
    /// Defaults taken, each with the flag that sets it.
    pub defaults: Vec<String>,
}

/// One argument, as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgInfo {
    /// Name of the parameter.
    pub name: String,
    /// Type in the source's spelling.
    pub ty: String,
    /// Its value: `5`, `f32[4096] random`, `local 1032 B`.
    pub value: String,
}

/// A device or a simulated profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Name, such as `NVIDIA H200`.
    pub name: String,
    /// What selects it: `sim:h200`, `cl:0`.
    pub id: String,
    /// Figures come from the simulator and a device profile.
    pub simulated: bool,
    /// Local memory that one work-group may use, in bytes.
    pub local_mem_bytes: u64,
    /// Driver version, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
}

/// How a kernel reads and writes memory. Counts are totals over the launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// By buffer, in the order of the arguments.
    pub buffers: Vec<BufferProfile>,
    /// By source line, in the order of the source.
    pub lines: Vec<LineProfile>,
    /// Totals, in the terms of hardware counters.
    pub counters: Counters,
    /// Which work-groups ran.
    pub sampled: Sampled,
}

/// One buffer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BufferProfile {
    /// Name of the argument or variable.
    pub name: String,
    /// `global`, `constant`, `local` or `private`; `image` for an image.
    pub space: String,
    /// Type of an element, such as `f32`.
    pub element: String,
    /// Elements read, counted per work-item.
    pub accesses: u64,
    /// Different elements read by each work-group, summed over groups.
    pub distinct: u64,
    /// `accesses / distinct`; `null` if the buffer is not read.
    pub reuse: Option<f64>,
    /// Elements written.
    pub stores: u64,
    /// Atomic operations.
    pub atomics: u64,
    /// Elements read beyond the group's own, `[low, high]` by dimension,
    /// fastest first; empty where no regular footprint was found.
    pub halo: Vec<[i64; 2]>,
    /// Box that covers a group's reads, in elements by dimension.
    pub footprint: Vec<u64>,
    /// Bytes of local memory that a tile of it takes per group.
    pub tile_bytes: Option<u64>,
    /// Elements of the box that no work-item reads, as a share of the box.
    pub over_fetch: Option<f64>,
    /// Load requests of sub-groups.
    pub load_requests: u64,
    /// 32-byte sectors loaded.
    pub load_sectors: u64,
    /// Of the reuse: within one request (lanes of a sub-group).
    pub reuse_within_request: Option<f64>,
    /// Of the reuse: by a sub-group over time.
    pub reuse_over_time: Option<f64>,
    /// Of the reuse: between sub-groups of a group, which only a cache or
    /// local memory catches.
    pub reuse_across_sub_groups: Option<f64>,
}

/// One source line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LineProfile {
    /// File, as the user named it.
    pub file: String,
    /// Line from 1.
    pub line: u32,
    /// Text of the line, without indentation.
    pub text: String,
    /// Buffers accessed there.
    pub buffer: String,
    /// `load`, `store` or `atomic`.
    pub kind: String,
    /// Element accesses.
    pub accesses: u64,
    /// Requests of sub-groups.
    pub requests: u64,
    /// 32-byte sectors (global memory).
    pub sectors: u64,
    /// Passes (local memory).
    pub passes: u64,
    /// Mean sectors per request (global) or passes per request (local).
    #[serde(deserialize_with = "crate::json::figure")]
    pub per_request: f64,
}

/// Totals in the terms of hardware counters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    /// Global load instructions of sub-groups.
    pub global_load_requests: u64,
    /// 32-byte sectors of global loads.
    pub global_load_sectors: u64,
    /// Global store instructions of sub-groups.
    pub global_store_requests: u64,
    /// 32-byte sectors of global stores.
    pub global_store_sectors: u64,
    /// Image functions of sub-groups that read.
    #[serde(default)]
    pub image_read_requests: u64,
    /// Image functions of sub-groups that write.
    #[serde(default)]
    pub image_write_requests: u64,
    /// Local load instructions of sub-groups, as the compiler merges them.
    pub local_load_requests: u64,
    /// Local load instructions of sub-groups, before merging.
    pub local_load_requests_unmerged: u64,
    /// Passes (wavefronts) of local loads.
    pub local_load_passes: u64,
    /// Passes of local stores.
    pub local_store_passes: u64,
    /// Passes beyond what conflict-free accesses would take.
    pub local_bank_conflicts: u64,
    /// Instructions of sub-groups.
    pub instructions: u64,
    /// Barriers, counted per work-group.
    pub barriers: u64,
    /// Mean share of lanes that are active, 0 to 1.
    #[serde(deserialize_with = "crate::json::figure")]
    pub active_lanes: f64,
}

/// Which work-groups ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// Work-groups simulated.
    pub groups: u64,
    /// Work-groups of the launch.
    pub of: u64,
    /// All groups ran, or all samples of each stratum agreed.
    pub exact: bool,
    /// Half-width of the 95 % interval of the counts, relative, if not exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_error: Option<f64>,
}

/// How many groups fit on a compute unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Occupancy {
    /// Work-groups resident on one compute unit.
    pub groups_per_unit: u32,
    /// The resource that limits them: `local memory`, `registers`,
    /// `sub-groups`, `work-items`, `groups`.
    pub limited_by: String,
    /// Share of the unit's sub-groups that is resident, 0 to 1.
    #[serde(deserialize_with = "crate::json::figure")]
    pub fraction: f64,
    /// Local memory of one group in bytes.
    pub local_bytes: u64,
    /// Registers of one work-item, where known, and how.
    pub registers: Option<u32>,
    /// Where the register count comes from.
    pub registers_source: String,
    /// Groups per unit by each resource.
    pub limits: Vec<OccupancyLimit>,
    /// Groups per unit over tile sizes: `[bytes, groups]`.
    pub curve: Vec<(u64, u32)>,
}

/// Groups per unit that one resource allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OccupancyLimit {
    /// The resource.
    pub resource: String,
    /// Groups that fit.
    pub groups: u32,
}

/// A predicted time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// Time of one launch in nanoseconds.
    #[serde(deserialize_with = "crate::json::figure")]
    pub time_ns: f64,
    /// The term that weighs most.
    pub bottleneck: String,
    /// Each term by name, in nanoseconds if nothing else took time.
    pub terms: Vec<Term>,
    /// Unstaged over staged time (candidates only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup: Option<f64>,
}

/// A term of the time model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// Name: `DRAM bandwidth`, `instruction issue`, `latency`.
    pub name: String,
    /// How it comes about, in a few words: `134.2 MB at 4.30 TB/s`.
    pub detail: String,
    /// Nanoseconds.
    #[serde(deserialize_with = "crate::json::figure")]
    pub ns: f64,
}

/// A measured time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Median time of one launch in nanoseconds.
    #[serde(deserialize_with = "crate::json::figure")]
    pub median_ns: f64,
    /// Fastest.
    #[serde(deserialize_with = "crate::json::figure")]
    pub min_ns: f64,
    /// Slowest.
    #[serde(deserialize_with = "crate::json::figure")]
    pub max_ns: f64,
    /// Every sample in nanoseconds, in the order taken.
    #[serde(deserialize_with = "crate::json::figures")]
    pub samples: Vec<f64>,
    /// Launches per sample.
    pub launches_per_sample: u32,
    /// Bytes that the kernel must move at least, per second, in GB/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gbps: Option<f64>,
    /// Unstaged over staged time, median of the pairs (candidates only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup: Option<f64>,
    /// 95 % interval of it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::json::interval"
    )]
    pub interval: Option<[f64; 2]>,
}

/// Another form of the kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Name of its kernel, unique in the run.
    pub id: String,
    /// Where it comes from: `given` or `generated`.
    pub source: String,
    /// File that holds it.
    pub file: String,
    /// This candidate is the staged form (it uses more local memory).
    pub staged: bool,
    /// Whether its results equal the original's.
    pub verified: Option<Verified>,
    /// Its access profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Its occupancy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occupancy: Option<Occupancy>,
    /// Predicted time.
    pub predicted: Option<Predicted>,
    /// Measured time.
    pub measured: Option<Measured>,
    /// Its launch, where it differs from the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<LaunchInfo>,
    /// How it was made, where it is `generated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staging: Option<Staging>,
}

/// How a staged form was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Staging {
    /// Its tiles, in the order of the new parameters.
    pub tiles: Vec<StagedTile>,
    /// The change of the source as a unified diff; empty for a form that was not
    /// proved and not asked for.
    pub diff: String,
    /// The whole new source; empty where the diff is.
    pub text: String,
    /// Its launch as a launch file's text; empty where the diff is.
    pub launch_file: String,
    /// Lines of the host program that set the new arguments.
    pub host: Vec<String>,
}

/// A tile of a staged form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StagedTile {
    /// The buffer whose elements it holds.
    pub buffer: String,
    /// Its parameter.
    pub name: String,
    /// Number of elements, in the terms of a launch: `local_size(0)+2`.
    pub elements: String,
    /// Bytes per group at the run's launch.
    pub bytes: Option<u64>,
}

/// Whether two kernels gave the same results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    /// They did, everywhere it was tried.
    pub equal: bool,
    /// Each trial in words: where, which sizes, how compared.
    pub trials: Vec<Trial>,
}

/// One comparison of results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Where it ran: `simulator`, or a device's name.
    pub on: String,
    /// Sizes and group shape, such as `n=1021 global 1024 local 256`.
    pub launch: String,
    /// Whether the results were equal.
    pub equal: bool,
    /// How they were compared: `bit for bit`, `within 3 ulp`.
    pub how: String,
    /// The first difference, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
}

/// One step of the article's procedure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The question.
    pub question: String,
    /// `yes`, `no` or `unknown`.
    pub answer: String,
    /// The figure behind the answer, and where it comes from.
    pub figure: String,
}

/// Does staging pay, for this launch on this device?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The class.
    pub kind: VerdictKind,
    /// How it was obtained: `measured`, `predicted`, `not measured`.
    pub basis: String,
    /// Time unstaged over time staged.
    pub speedup: Option<f64>,
    /// Lower end of the interval.
    pub lo: Option<f64>,
    /// Upper end of the interval.
    pub hi: Option<f64>,
    /// What the interval is: `95% CI`, `80% model interval`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<String>,
    /// The interval reaches into another class.
    #[serde(default)]
    pub unsure: bool,
    /// Buffers that the staged form keeps in local memory.
    #[serde(default)]
    pub staged: Vec<String>,
    /// Name of the device.
    pub device: String,
    /// Why, in order of weight, each with its number.
    pub reasons: Vec<String>,
}

/// The class of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// Staging is faster.
    Pays,
    /// Staging is slower.
    Loses,
    /// Neither by more than the band.
    Ties,
    /// It can't be said; the reasons say why.
    Unknown,
    /// There is nothing that staging could save.
    NotApplicable,
}

/// Time of one phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The phase.
    pub phase: String,
    /// Seconds.
    #[serde(deserialize_with = "crate::json::figure")]
    pub seconds: f64,
}
