//! The memory that tagged addresses point to: names, spaces and element sizes
//! by region number.

use tilewise_ir::Space;
use tilewise_ir::pointer::{self, Region};
use tilewise_launch::{Launch, ValueType};
use tilewise_sim::RegionKind;

/// One region of memory, as results name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionInfo {
    /// Name of the argument or variable in the source.
    pub name: String,
    /// Address space of the memory itself.
    pub space: Space,
    /// Smallest unit in which touched memory is told apart, in bytes: a power
    /// of two, at most 8. The size of the scalars that the region holds
    /// ([`granule_bytes`]); smaller accesses are rounded outwards to it.
    pub granule_bytes: u32,
    /// Byte address of offset 0 within the work-group's local memory, for
    /// bank numbers. 0 for other spaces.
    pub base: u64,
    /// Index of the kernel argument that the region belongs to, if it is one.
    pub param: Option<usize>,
    /// It is an image: only image functions reach it.
    pub image: bool,
}

/// All regions of a run, by region number. Number 0 is the null region, which
/// also stands for any number beyond the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionTable {
    regions: Vec<RegionInfo>,
}

impl RegionTable {
    /// The table of the regions numbered from 1, in order.
    pub fn new(regions: impl IntoIterator<Item = RegionInfo>) -> Self {
        let null = RegionInfo {
            name: "(unknown memory)".to_owned(),
            space: Space::Generic,
            granule_bytes: 1,
            base: 0,
            param: None,
            image: false,
        };
        let mut all = vec![null];
        all.extend(regions.into_iter().map(|mut r| {
            r.granule_bytes = 1 << r.granule_bytes.clamp(1, 8).ilog2();
            r
        }));
        Self { regions: all }
    }

    /// The table of a launch's regions, numbered as the machine numbers them.
    ///
    /// Local regions are laid out one after another in whole 4-byte words, as
    /// the machine does; a device may place them elsewhere, which turns all bank
    /// numbers of a region by the same amount.
    pub fn of_launch(regions: &tilewise_sim::Regions, launch: &Launch) -> Self {
        let mut local_end = 0;
        Self::new(regions.all().iter().skip(1).map(|region| {
            let (param, granule) = match region.kind {
                RegionKind::Buffer { arg } => (Some(arg), buffer_granule(launch, arg)),
                RegionKind::LocalArg { arg } => (Some(arg), None),
                RegionKind::Null
                | RegionKind::Program { .. }
                | RegionKind::LocalVar { .. }
                | RegionKind::Private { .. } => (None, None),
            };
            let base = if region.space == Space::Local {
                let base = local_end;
                local_end += region.bytes.unwrap_or(0).next_multiple_of(4);
                base
            } else {
                0
            };
            RegionInfo {
                name: region.name.clone(),
                space: region.space,
                granule_bytes: granule.unwrap_or(region.elem_bytes.min(8) as u32),
                base,
                param,
                image: region.image.is_some(),
            }
        }))
    }

    /// Number of slots, the null region's included.
    pub fn len(&self) -> usize {
        self.regions.len()
    }

    /// Whether there is nothing but the null region.
    pub fn is_empty(&self) -> bool {
        self.regions.len() == 1
    }

    /// Slot of a region: its number, or 0 where the table doesn't know it.
    pub fn slot(&self, region: Region) -> usize {
        let number = usize::from(region.0);
        if number < self.regions.len() {
            number
        } else {
            0
        }
    }

    /// Slot of the region that an address points to.
    pub fn slot_of(&self, address: u64) -> usize {
        self.slot(pointer::region(address))
    }

    /// The region in a slot.
    pub fn get(&self, slot: usize) -> &RegionInfo {
        &self.regions[slot]
    }

    /// All slots with their regions, the null region first.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &RegionInfo)> {
        self.regions.iter().enumerate()
    }
}

fn buffer_granule(launch: &Launch, arg: usize) -> Option<u32> {
    let buffer = launch.args.get(arg)?.value.memory()?;
    Some(granule_bytes(&buffer.elem))
}

/// The unit in which memory of this type is told apart: the size of its
/// smallest scalar, 1 where the type isn't known. A `float4` counts by its
/// components, so that reading `x`, `y` and `z` of one vector is no re-read.
pub fn granule_bytes(ty: &ValueType) -> u32 {
    match ty {
        ValueType::Elem(elem) => elem.scalar.size() as u32,
        ValueType::Struct(s) => s
            .fields
            .iter()
            .map(|f| granule_bytes(&f.ty))
            .min()
            .unwrap_or(1),
        ValueType::Opaque { .. } => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewise_launch::{ElemType, Scalar};

    fn buffer(granule_bytes: u32) -> RegionInfo {
        RegionInfo {
            name: "in".to_owned(),
            space: Space::Global,
            granule_bytes,
            base: 0,
            param: Some(0),
            image: false,
        }
    }

    #[test]
    fn unknown_regions_fall_back_to_null() {
        let table = RegionTable::new([buffer(4)]);
        assert_eq!(table.slot(Region(1)), 1);
        assert_eq!(table.slot(Region(2)), 0);
        assert_eq!(table.slot_of(0), 0);
    }

    #[test]
    fn granules_are_powers_of_two() {
        let table = RegionTable::new([buffer(0), buffer(3), buffer(64)]);
        let sizes: Vec<u32> = table.iter().map(|(_, r)| r.granule_bytes).collect();
        assert_eq!(sizes, [1, 1, 2, 8]);
    }

    #[test]
    fn vectors_count_by_component() {
        let ty = ValueType::Elem(ElemType::vector(Scalar::F32, 4));
        assert_eq!(granule_bytes(&ty), 4);
        let unknown = ValueType::Opaque { size: 12, align: 4 };
        assert_eq!(granule_bytes(&unknown), 1);
    }
}
