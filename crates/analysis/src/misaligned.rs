//! Accesses at addresses that their type does not allow.
//!
//! OpenCL C 3.0, section 6.3.5: an object of a vector or scalar type lies at a
//! multiple of its size (a vector of three counts as one of four); `vloadN` and
//! `vstoreN` need the alignment of their elements only. The alignment asked for
//! is the one that the compiler was promised. Buffers count as aligned to every
//! type, as `clCreateBuffer` makes them.

use tilewise_ir::pointer::{self, Region};
use tilewise_ir::{InstId, Space};
use tilewise_sim::{AccessEvent, AccessKind, AddressShape, Analysis, GroupInfo, Observer};

/// Instructions that are kept.
const MOST: usize = 64;

/// An instruction that accesses memory at a wrong address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misaligned {
    /// The instruction.
    pub inst: InstId,
    /// What it does.
    pub kind: AccessKind,
    /// The memory.
    pub region: Region,
    /// Its address space.
    pub space: Space,
    /// Byte offset of the first such access.
    pub offset: u64,
    /// Alignment that it needs, in bytes.
    pub align: u32,
    /// Bytes accessed.
    pub bytes: u32,
    /// Linear number of the first group.
    pub group: u64,
    /// `get_global_id` of the first work-item.
    pub global_id: [u64; 3],
    /// How many work-items, counted with every repetition.
    pub count: u64,
}

/// The check of one run.
#[derive(Debug, Default)]
pub struct MisalignedAnalysis {
    found: Vec<Misaligned>,
}

impl MisalignedAnalysis {
    /// What was found, in the order of the groups.
    pub fn result(self) -> Vec<Misaligned> {
        self.found
    }
}

impl Analysis for MisalignedAnalysis {
    type Group = MisalignedGroup;

    fn begin(&self, group: &GroupInfo) -> MisalignedGroup {
        MisalignedGroup {
            info: *group,
            found: Vec::new(),
        }
    }

    fn finish(&mut self, _: &GroupInfo, group: MisalignedGroup) {
        for access in group.found {
            add(&mut self.found, access);
        }
    }
}

/// The observer of one work-group.
#[derive(Debug)]
pub struct MisalignedGroup {
    info: GroupInfo,
    found: Vec<Misaligned>,
}

impl Observer for MisalignedGroup {
    const ACCESSES: bool = true;

    #[inline]
    fn access(&mut self, event: &AccessEvent<'_>) {
        let below = u64::from(event.access.align.max(1)) - 1;
        let first = event.addresses[event.mask.trailing_zeros() as usize];
        let wrong = match event.shape {
            AddressShape::Uniform => first & below,
            AddressShape::Strided(stride) => (first | stride as u64) & below,
            _ => event.addresses.iter().fold(0, |bits, a| bits | a) & below,
        };
        if wrong != 0 {
            self.look(event, below);
        }
    }
}

impl MisalignedGroup {
    #[cold]
    fn look(&mut self, event: &AccessEvent<'_>, below: u64) {
        let mask = event.mask & event.in_bounds;
        let lanes = (0..self.info.width)
            .filter(|l| mask >> l & 1 != 0 && event.addresses[*l as usize] & below != 0)
            .fold(0u64, |lanes, l| lanes | 1 << l);
        if lanes == 0 {
            return;
        }
        let lane = lanes.trailing_zeros();
        let region = pointer::region(event.addresses[lane as usize]);
        let local = self.info.local_id(event.sub_group, lane);
        let first = self.info.first_global_id;
        let access = Misaligned {
            inst: event.inst,
            kind: event.kind,
            region,
            space: event.access.space,
            offset: pointer::offset(event.addresses[lane as usize]) as u64,
            align: event.access.align,
            bytes: event.access.bytes,
            group: self.info.linear,
            global_id: std::array::from_fn(|d| first[d] + u64::from(local[d])),
            count: u64::from(lanes.count_ones()),
        };
        add(&mut self.found, access);
    }
}

fn add(found: &mut Vec<Misaligned>, access: Misaligned) {
    let full = found.len() >= MOST;
    let same = |m: &&mut Misaligned| {
        (m.inst, m.kind, m.region) == (access.inst, access.kind, access.region)
    };
    match found.iter_mut().find(same) {
        Some(known) => known.count += access.count,
        None if full => {}
        None => found.push(access),
    }
}
