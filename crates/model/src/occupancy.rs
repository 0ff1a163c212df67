//! How many work-groups fit on one compute unit, and what stops the next one.
//!
//! Each resource of a compute unit allows so many resident groups; the fewest
//! of them is the answer (the method of NVIDIA's and AMD's occupancy
//! calculators). Local memory and registers are counted with the rounding of
//! the device, registers by partition, since a sub-group lives in one.
//!
//! AMD's scalar registers are left out: since gfx10 they never limit, and on
//! gfx942 hardly ever.

use std::fmt;

use crate::profile::DeviceProfile;

/// What one work-group takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupDemand {
    /// Work-items of the group.
    pub work_items: u64,
    /// Bytes of local memory: static arrays and arguments together.
    pub local_bytes: u64,
    /// 32-bit registers of one work-item, where the compiler's count is known.
    pub registers_per_work_item: Option<u64>,
}

/// A resource of a compute unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// Local memory.
    LocalMemory,
    /// The register file.
    Registers,
    /// Sub-group slots.
    SubGroups,
    /// Work-item slots.
    WorkItems,
    /// Work-group slots.
    Groups,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LocalMemory => "local memory",
            Self::Registers => "registers",
            Self::SubGroups => "sub-groups",
            Self::WorkItems => "work-items",
            Self::Groups => "work-groups",
        })
    }
}

/// How many groups one resource would allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The resource.
    pub resource: Resource,
    /// Groups that it holds.
    pub groups: u64,
}

/// The residency of one kernel's groups on a compute unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Occupancy {
    /// Resident groups on one compute unit, at least 1.
    pub groups_per_unit: u64,
    /// Sub-groups of one group.
    pub sub_groups_per_group: u64,
    /// Resident sub-groups over the most that the unit holds, from 0 to 1.
    pub fraction: f64,
    /// What each resource would allow; registers only where they are known.
    pub limits: Vec<Limit>,
}

impl Occupancy {
    /// The resources that allow no group more, at least one.
    pub fn limited_by(&self) -> impl Iterator<Item = Resource> + '_ {
        self.limits
            .iter()
            .filter(|limit| limit.groups == self.groups_per_unit)
            .map(|limit| limit.resource)
    }

    /// Resident sub-groups on one compute unit.
    pub fn sub_groups_per_unit(&self) -> u64 {
        self.groups_per_unit * self.sub_groups_per_group
    }
}

/// Why a group can't run at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OccupancyError {
    /// A group without work-items.
    #[error("the work-group has no work-items; every local size must be at least 1")]
    EmptyGroup,
    /// More work-items than the device allows.
    #[error(
        "a work-group of {asked} work-items exceeds the {limit} that {device} allows; \
         choose a smaller local size"
    )]
    GroupTooLarge {
        /// Work-items asked for.
        asked: u64,
        /// `CL_DEVICE_MAX_WORK_GROUP_SIZE`.
        limit: u64,
        /// The device's title.
        device: String,
    },
    /// More local memory than a group may have.
    #[error(
        "a work-group asks for {asked} B of local memory, {device} allows {limit} B \
         (CL_DEVICE_LOCAL_MEM_SIZE); make the tile or the local size smaller"
    )]
    LocalMemoryTooLarge {
        /// Bytes asked for.
        asked: u64,
        /// `CL_DEVICE_LOCAL_MEM_SIZE`.
        limit: u64,
        /// The device's title.
        device: String,
    },
    /// The register file does not hold one group.
    #[error(
        "a work-group of {work_items} work-items with {registers} registers each does not fit \
         the register file of {device}; choose a smaller local size"
    )]
    RegistersTooMany {
        /// Work-items of the group.
        work_items: u64,
        /// Registers of one work-item.
        registers: u64,
        /// The device's title.
        device: String,
    },
}

/// The residency of groups that take `demand` each.
///
/// # Errors
/// [`OccupancyError`] when not even one such group can run.
pub fn occupancy(
    profile: &DeviceProfile,
    demand: GroupDemand,
) -> Result<Occupancy, OccupancyError> {
    let device = || profile.title.clone();
    let max_size = profile.execution.max_group_size.value();
    let max_local = profile.local_memory.per_group.value();
    if demand.work_items == 0 {
        return Err(OccupancyError::EmptyGroup);
    }
    if demand.work_items > max_size {
        return Err(OccupancyError::GroupTooLarge {
            asked: demand.work_items,
            limit: max_size,
            device: device(),
        });
    }
    if demand.local_bytes > max_local {
        return Err(OccupancyError::LocalMemoryTooLarge {
            asked: demand.local_bytes,
            limit: max_local,
            device: device(),
        });
    }
    let residency = &profile.residency;
    let width = profile.execution.sub_group_width.value();
    let sub_groups_per_group = demand.work_items.div_ceil(width);
    let mut limits = Vec::with_capacity(5);
    if let Some(groups) = by_local_memory(profile, demand.local_bytes) {
        limits.push(Limit {
            resource: Resource::LocalMemory,
            groups,
        });
    }
    if let Some(registers) = demand.registers_per_work_item.filter(|n| *n > 0) {
        let groups = by_registers(profile, registers) / sub_groups_per_group;
        if groups == 0 {
            return Err(OccupancyError::RegistersTooMany {
                work_items: demand.work_items,
                registers,
                device: device(),
            });
        }
        limits.push(Limit {
            resource: Resource::Registers,
            groups,
        });
    }
    let slots = match (&residency.groups_of_one_sub_group, sub_groups_per_group) {
        (Some(slots), 1) => slots.value(),
        _ => residency.groups.value(),
    };
    limits.extend([
        Limit {
            resource: Resource::SubGroups,
            groups: residency.sub_groups.value() / sub_groups_per_group,
        },
        Limit {
            resource: Resource::WorkItems,
            groups: residency.work_items.value() / demand.work_items,
        },
        Limit {
            resource: Resource::Groups,
            groups: slots,
        },
    ]);
    // A group that the device accepts runs, whatever a profile's rounding of
    // one resource says: a file may state limits that contradict each other.
    for limit in &mut limits {
        limit.groups = limit.groups.max(1);
    }
    let groups_per_unit = limits
        .iter()
        .map(|limit| limit.groups)
        .min()
        .unwrap_or(slots);
    let resident = (groups_per_unit * sub_groups_per_group) as f64;
    Ok(Occupancy {
        groups_per_unit,
        sub_groups_per_group,
        fraction: (resident / residency.sub_groups.value() as f64).min(1.0),
        limits,
    })
}

/// Groups by tile size: for each of `tile_bytes`, the resident groups if each
/// took that much local memory; 0 where the device does not allow one.
///
/// # Errors
/// [`OccupancyError`] when the group can't run whatever its tile.
pub fn curve(
    profile: &DeviceProfile,
    demand: GroupDemand,
    tile_bytes: &[u64],
) -> Result<Vec<(u64, u64)>, OccupancyError> {
    tile_bytes
        .iter()
        .map(|&local_bytes| {
            match occupancy(
                profile,
                GroupDemand {
                    local_bytes,
                    ..demand
                },
            ) {
                Ok(occupancy) => Ok((local_bytes, occupancy.groups_per_unit)),
                Err(OccupancyError::LocalMemoryTooLarge { .. }) => Ok((local_bytes, 0)),
                Err(other) => Err(other),
            }
        })
        .collect()
}

/// Bytes of the unit's local memory that one group takes, reserve and rounding
/// included.
pub fn local_bytes_taken(profile: &DeviceProfile, local_bytes: u64) -> u64 {
    let local = &profile.local_memory;
    (local_bytes + local.reserved_per_group.value()).next_multiple_of(local.granularity.value())
}

fn by_local_memory(profile: &DeviceProfile, local_bytes: u64) -> Option<u64> {
    match local_bytes_taken(profile, local_bytes) {
        0 => None,
        taken => Some(profile.local_memory.per_unit.value() / taken),
    }
}

/// Sub-groups that the register file holds.
fn by_registers(profile: &DeviceProfile, registers_per_work_item: u64) -> u64 {
    let file = &profile.registers;
    let partitions = profile.residency.partitions.value();
    let sub_group = (registers_per_work_item * profile.execution.sub_group_width.value())
        .next_multiple_of(file.granularity.value());
    file.per_unit.value() / partitions / sub_group * partitions
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::profile::Figure;

    fn h200() -> &'static DeviceProfile {
        DeviceProfile::builtin("h200").expect("built in")
    }

    fn demand(work_items: u64, local_bytes: u64, registers: Option<u64>) -> GroupDemand {
        GroupDemand {
            work_items,
            local_bytes,
            registers_per_work_item: registers,
        }
    }

    #[test]
    fn a_64_kib_unit_holds_two_groups_of_32_kib() {
        let mut unit = h200().clone();
        unit.local_memory.per_unit = Figure::new(65536, "the article's example");
        unit.local_memory.reserved_per_group = Figure::new(0, "the article's example");
        let result = occupancy(&unit, demand(64, 32768, None)).expect("fits");
        assert_eq!(result.groups_per_unit, 2);
        assert_eq!(
            result.limited_by().collect::<Vec<_>>(),
            [Resource::LocalMemory]
        );
        // The 1 KiB that newer NVIDIA devices reserve costs the second group.
        unit.local_memory.reserved_per_group = Figure::new(1024, "sm_90");
        let result = occupancy(&unit, demand(64, 32768, None)).expect("fits");
        assert_eq!(result.groups_per_unit, 1);
    }

    #[test]
    fn the_blur_fills_an_h200_unit() {
        // 16 registers were measured for both kernels.
        for local_bytes in [0, 258 * 4] {
            let result = occupancy(h200(), demand(256, local_bytes, Some(16))).expect("fits");
            assert_eq!(result.groups_per_unit, 8);
            assert_eq!(result.fraction, 1.0);
            assert_eq!(
                result.limited_by().collect::<Vec<_>>(),
                [Resource::SubGroups, Resource::WorkItems]
            );
        }
    }

    #[test]
    fn registers_are_rounded_by_sub_group_and_partition() {
        // CUDA's occupancy calculator: 128 threads of 33 registers, 40 each
        // after rounding, 12 warps in a partition, 12 blocks.
        let result = occupancy(h200(), demand(128, 0, Some(33))).expect("fits");
        assert_eq!(result.groups_per_unit, 12);
        let limits: Vec<Resource> = result.limited_by().collect();
        assert_eq!(limits, [Resource::Registers]);
    }

    #[test]
    fn small_groups_are_limited_by_slots() {
        let result = occupancy(h200(), demand(32, 0, None)).expect("fits");
        assert_eq!(result.groups_per_unit, 32);
        assert_eq!(result.fraction, 0.5);
        let cdna = DeviceProfile::builtin("mi300x").expect("built in");
        let one = occupancy(cdna, demand(64, 0, None)).expect("fits");
        assert_eq!(one.groups_per_unit, 32);
        let two = occupancy(cdna, demand(65, 0, None)).expect("fits");
        assert_eq!((two.sub_groups_per_group, two.groups_per_unit), (2, 16));
    }

    #[test]
    fn what_cannot_run_is_said() {
        let error = |d| occupancy(h200(), d).expect_err("too much");
        assert_eq!(error(demand(0, 0, None)), OccupancyError::EmptyGroup);
        assert!(matches!(
            error(demand(1025, 0, None)),
            OccupancyError::GroupTooLarge { limit: 1024, .. }
        ));
        assert!(
            error(demand(64, 49153, None))
                .to_string()
                .contains("49153 B of local memory, NVIDIA H200 allows 49152 B")
        );
        assert!(matches!(
            error(demand(1024, 0, Some(128))),
            OccupancyError::RegistersTooMany { registers: 128, .. }
        ));
    }

    #[test]
    fn the_curve_ends_in_noughts() {
        let points = curve(h200(), demand(256, 0, None), &[0, 28672, 49152, 65536])
            .expect("a group of 256 runs");
        assert_eq!(points, [(0, 8), (28672, 7), (49152, 4), (65536, 0)]);
    }

    proptest! {
        #[test]
        fn more_demand_never_fits_more_groups(
            work_items in 1u64..=1024,
            local in 0u64..49152,
            more in 0u64..4096,
            registers in 1u64..=60,
        ) {
            let base = occupancy(h200(), demand(work_items, local, Some(registers))).expect("fits");
            prop_assert!(base.groups_per_unit >= 1);
            prop_assert!(base.sub_groups_per_unit() <= 64);
            prop_assert!(base.limited_by().count() >= 1);
            let larger = (local + more).min(49152);
            let tile = occupancy(h200(), demand(work_items, larger, Some(registers))).expect("fits");
            prop_assert!(tile.groups_per_unit <= base.groups_per_unit);
            let fat = occupancy(h200(), demand(work_items, local, Some(registers + 3)))
                .expect("63 registers of 1024 work-items fit");
            prop_assert!(fat.groups_per_unit <= base.groups_per_unit);
        }
    }
}
