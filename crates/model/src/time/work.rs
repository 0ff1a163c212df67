//! What a launch does: the counts that the time model takes.

/// Sub-group instructions by the pipe that executes them, over the launch.
/// Memory instructions and barriers are counted elsewhere in [`Work`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Instructions {
    /// fp32 add, multiply, fused multiply-add.
    pub fp32: f64,
    /// Integer arithmetic, comparison, selection, address arithmetic.
    pub integer: f64,
    /// Reciprocal, square root, exponential, sine.
    pub special: f64,
    /// fp64 arithmetic.
    pub double: f64,
    /// Branches and other control.
    pub control: f64,
}

impl Instructions {
    /// All of them.
    pub fn total(&self) -> f64 {
        self.fp32 + self.integer + self.special + self.double + self.control
    }
}

/// Memory round trips that follow one another in a group's critical
/// sub-group: a load that waits for an earlier one is a second trip, loads
/// issued together are one. Each counts at the farthest level that serves one
/// of its sectors; fractions are averages over groups.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RoundTrips {
    /// Served by L1.
    pub l1: f64,
    /// Served by L2.
    pub l2: f64,
    /// Served by device memory.
    pub dram: f64,
    /// Through local memory.
    pub local: f64,
}

/// What a group's time from launch to end is made of.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lifetime {
    /// Cycles of dependent arithmetic and of issue in the critical sub-group.
    pub arithmetic_cycles: f64,
    /// Memory round trips, one after another.
    pub round_trips: RoundTrips,
}

/// The counts of one launch, totals over the launch unless said otherwise.
/// They are `f64` because a sampled run scales them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// Work-groups.
    pub groups: f64,
    /// Sub-groups of one group.
    pub sub_groups_per_group: f64,
    /// Groups resident on one compute unit ([`crate::occupancy`]).
    pub groups_per_unit: f64,
    /// Arithmetic and control instructions.
    pub instructions: Instructions,
    /// Sub-group requests to global memory that load.
    pub global_load_requests: f64,
    /// Sub-group requests to global memory that store.
    pub global_store_requests: f64,
    /// Sub-group requests to constant memory.
    pub constant_requests: f64,
    /// Bytes that L1 hands to work-items, those of constant memory among them
    /// where L1 serves it: what several work-items read of one address counts
    /// for each.
    pub load_bytes: f64,
    /// L1 lines that loads touch, summed over requests.
    pub l1_load_lines: f64,
    /// L1 lines that stores touch, summed over requests.
    pub l1_store_lines: f64,
    /// L1 sectors that loads ask for.
    pub l1_load_sectors: f64,
    /// L1 sectors that stores write.
    pub l1_store_sectors: f64,
    /// L2 sectors asked for: L1's misses and all stores.
    pub l2_sectors: f64,
    /// Bytes read from device memory.
    pub dram_read_bytes: f64,
    /// Bytes written to device memory.
    pub dram_write_bytes: f64,
    /// Sub-group instructions on local memory.
    pub local_requests: f64,
    /// Passes over local memory that those need, conflicts included.
    pub local_passes: f64,
    /// Bytes that local memory takes from and hands to work-items.
    pub local_bytes: f64,
    /// Barriers that one group executes.
    pub barriers_per_group: f64,
    /// One group's life.
    pub lifetime: Lifetime,
}

/// A count that can't be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorkError {
    /// Not a number, infinite or negative.
    #[error("the count {name} of a launch is {value}, which is no count")]
    NoCount {
        /// The field of [`Work`].
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// Less than one where at least one must be.
    #[error("the count {name} of a launch is {value}, it must be at least 1")]
    BelowOne {
        /// The field of [`Work`].
        name: &'static str,
        /// Its value.
        value: f64,
    },
}

impl Work {
    /// Sub-groups of the launch.
    pub fn sub_groups(&self) -> f64 {
        self.groups * self.sub_groups_per_group
    }

    /// Sub-group instructions issued, memory and barriers included.
    pub fn issued(&self) -> f64 {
        self.instructions.total()
            + self.global_load_requests
            + self.global_store_requests
            + self.constant_requests
            + self.local_requests
            + self.barriers_per_group * self.sub_groups()
    }

    pub(super) fn check(&self) -> Result<(), WorkError> {
        let (i, trips) = (&self.instructions, &self.lifetime.round_trips);
        for (name, value) in [
            ("groups", self.groups),
            ("sub_groups_per_group", self.sub_groups_per_group),
            ("groups_per_unit", self.groups_per_unit),
            ("instructions.fp32", i.fp32),
            ("instructions.integer", i.integer),
            ("instructions.special", i.special),
            ("instructions.double", i.double),
            ("instructions.control", i.control),
            ("global_load_requests", self.global_load_requests),
            ("global_store_requests", self.global_store_requests),
            ("constant_requests", self.constant_requests),
            ("load_bytes", self.load_bytes),
            ("l1_load_lines", self.l1_load_lines),
            ("l1_store_lines", self.l1_store_lines),
            ("l1_load_sectors", self.l1_load_sectors),
            ("l1_store_sectors", self.l1_store_sectors),
            ("l2_sectors", self.l2_sectors),
            ("dram_read_bytes", self.dram_read_bytes),
            ("dram_write_bytes", self.dram_write_bytes),
            ("local_requests", self.local_requests),
            ("local_passes", self.local_passes),
            ("local_bytes", self.local_bytes),
            ("barriers_per_group", self.barriers_per_group),
            (
                "lifetime.arithmetic_cycles",
                self.lifetime.arithmetic_cycles,
            ),
            ("lifetime.round_trips.l1", trips.l1),
            ("lifetime.round_trips.l2", trips.l2),
            ("lifetime.round_trips.dram", trips.dram),
            ("lifetime.round_trips.local", trips.local),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(WorkError::NoCount { name, value });
            }
        }
        for (name, value) in [
            ("groups", self.groups),
            ("sub_groups_per_group", self.sub_groups_per_group),
            ("groups_per_unit", self.groups_per_unit),
        ] {
            if value < 1.0 {
                return Err(WorkError::BelowOne { name, value });
            }
        }
        Ok(())
    }
}
