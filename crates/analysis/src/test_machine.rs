//! Plays the part of the machine in tests: makes events from closures that
//! give each work-item's address.

use tilewise_ir::pointer::{Region, pack, region};
use tilewise_ir::{Fence, InstId, MemAccess, SiteId};
use tilewise_sim::{
    AccessEvent, AccessKind, AddressShape, Analysis, BarrierEvent, GroupInfo, Observer,
};

/// An NDRange and a sub-group width.
#[derive(Clone, Copy, Debug)]
pub struct TestMachine {
    pub width: u32,
    pub local: [u32; 3],
    pub groups: [u64; 3],
}

/// A work-item, as tests compute addresses from it.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub local: [i64; 3],
    pub global: [i64; 3],
}

/// One running group.
pub struct Running<'a, O: Observer> {
    pub info: GroupInfo,
    pub observer: &'a mut O,
}

impl TestMachine {
    pub fn linear(local: u32, groups: u64) -> Self {
        Self {
            width: 32,
            local: [local, 1, 1],
            groups: [groups, 1, 1],
        }
    }

    pub fn plane(local: [u32; 2], groups: [u64; 2]) -> Self {
        Self {
            width: 32,
            local: [local[0], local[1], 1],
            groups: [groups[0], groups[1], 1],
        }
    }

    /// Runs the groups whose linear numbers are given.
    pub fn run<A: Analysis>(
        &self,
        analysis: &mut A,
        linear: impl IntoIterator<Item = u64>,
        mut body: impl FnMut(&mut Running<'_, A::Group>),
    ) {
        let [gx, gy, _] = self.groups;
        for linear in linear {
            let id = [linear % gx, linear / gx % gy, linear / (gx * gy)];
            let items: u32 = self.local.iter().product();
            let info = GroupInfo {
                id,
                linear,
                size: self.local,
                first_global_id: std::array::from_fn(|d| id[d] * u64::from(self.local[d])),
                sub_groups: items.div_ceil(self.width),
                width: self.width,
            };
            let mut observer = analysis.begin(&info);
            body(&mut Running {
                info,
                observer: &mut observer,
            });
            analysis.finish(&info, observer);
        }
    }

    /// Runs all groups.
    pub fn run_all<A: Analysis>(
        &self,
        analysis: &mut A,
        body: impl FnMut(&mut Running<'_, A::Group>),
    ) {
        self.run(analysis, 0..self.groups.iter().product(), body);
    }
}

impl<O: Observer> Running<'_, O> {
    /// One memory instruction of every sub-group in turn. `address` gives the
    /// region and byte offset, or `None` for an inactive work-item.
    pub fn access(
        &mut self,
        inst: usize,
        kind: AccessKind,
        access: MemAccess,
        mut address: impl FnMut(Item) -> Option<(u16, i64)>,
    ) {
        for sub_group in 0..self.info.sub_groups {
            self.sub_group_access(sub_group, inst, kind, access, &mut address);
        }
    }

    /// One memory instruction of one sub-group.
    pub fn sub_group_access(
        &mut self,
        sub_group: u32,
        inst: usize,
        kind: AccessKind,
        access: MemAccess,
        mut address: impl FnMut(Item) -> Option<(u16, i64)>,
    ) {
        let items: u32 = self.info.size.iter().product();
        let mut addresses = vec![0; self.info.width as usize];
        let mut mask = 0u64;
        for lane in 0..self.info.width {
            if sub_group * self.info.width + lane >= items {
                break;
            }
            let local = self.info.local_id(sub_group, lane);
            let item = Item {
                local: local.map(i64::from),
                global: std::array::from_fn(|d| {
                    (self.info.first_global_id[d] + u64::from(local[d])) as i64
                }),
            };
            if let Some((number, offset)) = address(item) {
                addresses[lane as usize] = pack(Region(number), offset);
                mask |= 1 << lane;
            }
        }
        if mask == 0 {
            return;
        }
        let shape = shape(&mut addresses, mask);
        let first = mask.trailing_zeros() as usize;
        let one_region = (0..self.info.width as usize)
            .filter(|l| mask >> l & 1 == 1)
            .all(|l| region(addresses[l]) == region(addresses[first]));
        let components = ((1u32 << access.count) - 1) as u16;
        self.observer.access(&AccessEvent {
            inst: InstId::new(inst),
            site: SiteId::new(0),
            kind,
            access,
            components,
            sub_group,
            mask,
            addresses: &addresses,
            shape,
            region: one_region.then(|| region(addresses[first])),
            in_bounds: mask,
            image: None,
            values: None,
        });
    }

    /// A barrier of the whole group.
    pub fn barrier(&mut self, inst: usize) {
        self.observer.barrier(&BarrierEvent {
            inst: InstId::new(inst),
            site: SiteId::new(0),
            fence: Fence {
                local: true,
                global: false,
            },
        });
    }
}

/// Finds the shape, and gives inactive lanes the progression of the others.
fn shape(addresses: &mut [u64], mask: u64) -> AddressShape {
    let lanes: Vec<usize> = (0..addresses.len())
        .filter(|l| mask >> l & 1 == 1)
        .collect();
    let first = lanes[0];
    if lanes.iter().all(|&l| addresses[l] == addresses[first]) {
        return AddressShape::Uniform;
    }
    let second = lanes[1];
    let difference = addresses[second].wrapping_sub(addresses[first]) as i64;
    let steps = (second - first) as i64;
    let stride = difference / steps;
    let at = |l: usize| addresses[first].wrapping_add((stride * (l as i64 - first as i64)) as u64);
    if stride * steps != difference || lanes.iter().any(|&l| addresses[l] != at(l)) {
        return AddressShape::Scattered;
    }
    let all: Vec<u64> = (0..addresses.len()).map(at).collect();
    addresses.copy_from_slice(&all);
    AddressShape::Strided(stride)
}
