//! Loads and stores of a sub-group.

use tilewise_ir::pointer::Region;
use tilewise_ir::{MemAccess, Space, Ty};

use super::control::Runner;
use crate::affine::Uniform;
use crate::alu::multiversion::{add_lanes, resolve};
use crate::decode::{LoadStep, Operand, Pointer, StoreStep};
use crate::fault::FaultKind;
use crate::lanes::each_lane;
use crate::memory::{
    LocalWords, Place, Plan, PrivateWords, known_region, lane_by_lane, load, offset, read_bits,
    store, uniform,
};
use crate::observer::{AccessEvent, AccessKind, AddressShape, Observer, StoredValues};
use crate::registers::Registers;

/// One memory instruction as the machine carries it out.
#[derive(Clone, Copy)]
pub(super) struct Access<'s> {
    pub at: crate::decode::At,
    pub kind: AccessKind,
    pub access: &'s MemAccess,
    pub components: u16,
    pub from_data: bool,
    /// Number of the texel, for an image function.
    pub image: Option<u8>,
    /// Registers that a store reads, by component.
    pub stored: &'s [Option<u32>],
}

/// What a store writes, read from its registers when somebody asks.
#[derive(Debug)]
struct StoredLanes<'r, const W: usize> {
    vectors: &'r Registers<W>,
    ty: Ty,
    slots: &'r [Option<u32>],
}

impl<const W: usize> StoredValues for StoredLanes<'_, W> {
    fn component(&self, component: usize, lanes: &mut [u64; 64]) {
        let Some(slot) = self.slots.get(component).copied().flatten() else {
            lanes.fill(0);
            return;
        };
        let slot = slot as usize;
        macro_rules! copy {
            ($bank:ident) => {
                for (to, from) in lanes.iter_mut().zip(self.vectors.$bank[slot]) {
                    *to = u64::from(from);
                }
            };
        }
        match self.ty.size() {
            1 => copy!(b1),
            2 => copy!(b2),
            4 => copy!(b4),
            _ => copy!(b8),
        }
    }
}

/// Calls `$body` with `$words` bound to the words of a region, where it has any.
macro_rules! with_words {
    ($runner:expr, $region:expr, $words:ident, $body:expr) => {{
        let prepared = $runner.context.prepared;
        match prepared.places[usize::from($region.0)] {
            Place::Paged => {
                if let Some(memory) = $runner.context.memory.region($region) {
                    let $words = &mut memory.cursor();
                    $body
                }
            }
            Place::Local(first) => {
                let $words = &mut LocalWords(&mut $runner.context.local[first as usize..]);
                $body
            }
            Place::Private(first) => {
                let rows = &mut $runner.sub_group.private[first as usize..];
                let $words = &mut PrivateWords(rows);
                $body
            }
            Place::Nowhere => {}
        }
    }};
}
pub(super) use with_words;

impl<const W: usize, O: Observer> Runner<'_, '_, W, O> {
    /// The addresses that the lanes of `mask` access, and what is known of them.
    #[inline(always)]
    pub(super) fn addresses(
        &self,
        ptr: Pointer,
        mask: u64,
        bytes: u32,
        addresses: &mut [u64; W],
    ) -> Plan {
        let lengths = &self.context.prepared.lengths;
        match ptr {
            Pointer::Affine(number) => self.affine_addresses(number, mask, bytes, addresses),
            Pointer::At(Operand::Scalar(slot)) => {
                let address = self.scalars.b8[slot as usize][0];
                *addresses = [address; W];
                uniform(address, mask, bytes, lengths)
            }
            Pointer::At(Operand::Vector(slot)) => {
                let from = &self.sub_group.vectors.b8[slot as usize];
                self.plan(from, addresses, mask, bytes)
            }
        }
    }

    /// The addresses that an affine value is. What there is to know of them is known
    /// of its class, as long as they stay inside of one region.
    #[inline(always)]
    fn affine_addresses(
        &self,
        number: u32,
        mask: u64,
        bytes: u32,
        addresses: &mut [u64; W],
    ) -> Plan {
        let prepared = self.context.prepared;
        let value = &prepared.affine[number as usize];
        let class = &self.sub_group.classes[value.class as usize];
        let uniform = Uniform {
            scalars: self.scalars,
            first_id: &self.context.group.first_global_id,
        };
        if let Some(base) = value.base(uniform, class) {
            add_lanes(self.context.cpu, base, class.lanes(), addresses);
            if let Some(plan) = class.plan(base, mask, bytes, &prepared.lengths) {
                return plan;
            }
        } else {
            for (lane, address) in addresses.iter_mut().enumerate() {
                *address = value.lane(uniform, class, lane);
            }
        }
        let from = *addresses;
        self.plan(&from, addresses, mask, bytes)
    }

    /// Copies the addresses of the lanes of `mask` and looks at them.
    #[inline(always)]
    pub(super) fn plan(
        &self,
        from: &[u64; W],
        addresses: &mut [u64; W],
        mask: u64,
        bytes: u32,
    ) -> Plan {
        let lengths = &self.context.prepared.lengths;
        if self.context.prepared.reference {
            *addresses = *from;
            return lane_by_lane(addresses, mask, bytes, lengths);
        }
        let row = self.context.group.size[0] as usize;
        let cpu = self.context.cpu;
        resolve(cpu, from, addresses, mask, bytes, row, lengths)
    }

    pub(super) fn load(&mut self, step: &LoadStep, mask: u64) {
        let mut addresses = self.sub_group.room();
        let plan = self.addresses(step.ptr, mask, step.access.bytes, &mut addresses);
        let access = Access {
            at: step.at,
            kind: AccessKind::Load,
            access: &step.access,
            components: first_components(step.access.count),
            from_data: step.from_data,
            image: None,
            stored: &[],
        };
        self.access(&access, mask, &addresses, &plan);
        match plan.region {
            _ if step.dst.is_empty() => {}
            Some(region) => self.load_from(region, step, &addresses, mask, &plan),
            None => self.each_region(mask, &addresses, &plan, |runner, region, lanes, plan| {
                runner.load_from(region, step, &addresses, lanes, plan);
            }),
        }
        self.sub_group.room = Some(addresses);
    }

    /// Loads the lanes of `mask` from one region.
    #[inline(always)]
    fn load_from(
        &mut self,
        region: Region,
        step: &LoadStep,
        addresses: &[u64; W],
        mask: u64,
        plan: &Plan,
    ) {
        if plan.in_bounds == 0 {
            self.load_zeros(step, mask);
            return;
        }
        let whole = mask == self.sub_group.live;
        let first = offset(addresses[mask.trailing_zeros() as usize]);
        with_words!(self, region, words, {
            for (n, dst) in step.dst.iter().enumerate() {
                let delta = n as u64 * u64::from(step.access.elem.size());
                if let Some(slot) = dst.scalar {
                    // One address for all lanes: read once.
                    let bits = read_bits(words, 0, first + delta, dst.ty.size());
                    self.scalars.set(dst.ty, slot, 0, bits);
                    let Some(vector) = dst.vector else { continue };
                    let vectors = &mut self.sub_group.vectors;
                    if whole {
                        vectors.splat(dst.ty, vector, bits);
                    } else {
                        vectors.splat_masked(dst.ty, vector, bits, mask);
                    }
                } else if let Some(slot) = dst.vector {
                    let slot = slot as usize;
                    macro_rules! component {
                        ($bank:ident) => {{
                            let lanes = &mut self.sub_group.vectors.$bank[slot];
                            load(words, addresses, mask, plan, delta, lanes)
                        }};
                    }
                    match dst.ty.size() {
                        1 => component!(b1),
                        2 => component!(b2),
                        4 => component!(b4),
                        _ => component!(b8),
                    }
                }
            }
        });
    }

    /// What a load reads where no lane is inside of the region.
    #[cold]
    fn load_zeros(&mut self, step: &LoadStep, mask: u64) {
        for dst in &step.dst {
            if let Some(slot) = dst.scalar {
                self.scalars.set(dst.ty, slot, 0, 0);
            }
            if let Some(slot) = dst.vector {
                self.sub_group.vectors.splat_masked(dst.ty, slot, 0, mask);
            }
        }
    }

    pub(super) fn store(&mut self, step: &StoreStep, mask: u64) {
        let mut addresses = self.sub_group.room();
        let plan = self.addresses(step.ptr, mask, step.access.bytes, &mut addresses);
        let access = Access {
            at: step.at,
            kind: AccessKind::Store,
            access: &step.access,
            components: step.components,
            from_data: step.from_data,
            image: None,
            stored: &step.src,
        };
        self.access(&access, mask, &addresses, &plan);
        self.context.changes += 1;
        match plan.region {
            _ if step.src.is_empty() => {}
            Some(region) => self.store_to(region, step, &addresses, &plan),
            None => self.each_region(mask, &addresses, &plan, |runner, region, _, plan| {
                runner.store_to(region, step, &addresses, plan);
            }),
        }
        self.sub_group.room = Some(addresses);
    }

    #[inline(always)]
    fn store_to(&mut self, region: Region, step: &StoreStep, addresses: &[u64; W], plan: &Plan) {
        if self.context.prepared.spaces[usize::from(region.0)] == Space::Constant {
            return;
        }
        for (n, src) in step.src.iter().enumerate() {
            let Some(slot) = *src else { continue };
            let slot = slot as usize;
            let delta = n as u64 * u64::from(step.access.elem.size());
            macro_rules! component {
                ($bank:ident) => {{
                    let lanes = &self.sub_group.vectors.$bank[slot];
                    with_words!(
                        self,
                        region,
                        words,
                        store(words, addresses, plan, delta, lanes)
                    );
                }};
            }
            match step.access.elem.size() {
                1 => component!(b1),
                2 => component!(b2),
                4 => component!(b4),
                _ => component!(b8),
            }
        }
    }

    /// Takes an access whose lanes go to several regions apart by region.
    pub(super) fn each_region(
        &mut self,
        mask: u64,
        addresses: &[u64; W],
        plan: &Plan,
        mut f: impl FnMut(&mut Self, Region, u64, &Plan),
    ) {
        let lengths = &self.context.prepared.lengths;
        for (region, lanes) in by_region(addresses, mask, lengths) {
            let offsets = each_lane(lanes).map(|l| offset(addresses[l]));
            let part = Plan {
                shape: AddressShape::Scattered,
                region: Some(region),
                in_bounds: plan.in_bounds & lanes,
                low: offsets.clone().min().unwrap_or(0),
                high: offsets.max().unwrap_or(0),
                ..*plan
            };
            f(self, region, lanes, &part);
        }
    }

    /// Records the faults of an access, tells the observer, and notes how far
    /// its region was touched.
    #[inline(always)]
    pub(super) fn access(
        &mut self,
        access: &Access<'_>,
        mask: u64,
        addresses: &[u64; W],
        plan: &Plan,
    ) {
        match plan.region {
            Some(region) => self.access_in(region, access, mask, addresses, plan),
            None => {
                let whole = *plan;
                self.each_region(mask, addresses, &whole, |runner, region, lanes, part| {
                    runner.access_in(region, access, lanes, addresses, part);
                });
            }
        }
    }

    #[inline(always)]
    fn access_in(
        &mut self,
        region: Region,
        access: &Access<'_>,
        mask: u64,
        addresses: &[u64; W],
        plan: &Plan,
    ) {
        if plan.in_bounds != mask {
            self.outside(access, mask & !plan.in_bounds, addresses, region);
        }
        let space = self.context.prepared.spaces[usize::from(region.0)];
        let writes = access.kind != AccessKind::Load;
        if writes && space == Space::Constant {
            let kind = FaultKind::ConstantWrite { region };
            self.fault(kind, access.at.inst, access.at.site, mask);
        }
        if plan.in_bounds != 0 && matches!(space, Space::Global | Space::Constant) {
            self.touch(region, access, mask, addresses, plan);
        }
        if O::ACCESSES {
            let access_with_space = MemAccess {
                space,
                ..*access.access
            };
            let stored = StoredLanes {
                vectors: &self.sub_group.vectors,
                ty: access.access.elem,
                slots: access.stored,
            };
            self.context.observer.access(&AccessEvent {
                inst: access.at.inst,
                site: access.at.site,
                kind: access.kind,
                access: access_with_space,
                components: access.components,
                sub_group: self.sub_group.index,
                mask,
                addresses,
                shape: plan.shape,
                region: plan.region,
                in_bounds: plan.in_bounds,
                image: access.image,
                values: (!access.stored.is_empty()).then_some(&stored),
            });
        }
    }

    #[cold]
    fn outside(&mut self, access: &Access<'_>, mask: u64, addresses: &[u64; W], region: Region) {
        let address = addresses[mask.trailing_zeros() as usize];
        let kind = FaultKind::OutOfBounds {
            region,
            offset: tilewise_ir::pointer::offset(address),
            bytes: access.access.bytes,
            access: access.kind,
            address_from_data: access.from_data,
        };
        self.fault(kind, access.at.inst, access.at.site, mask);
    }

    /// Notes how far a region has been read or written.
    #[inline(always)]
    fn touch(
        &mut self,
        region: Region,
        access: &Access<'_>,
        mask: u64,
        addresses: &[u64; W],
        plan: &Plan,
    ) {
        let lanes = plan.in_bounds;
        // The plan's end is that of all lanes, inside or not.
        let high = if lanes == mask {
            plan.high
        } else {
            each_lane(lanes)
                .map(|l| offset(addresses[l]))
                .max()
                .unwrap_or(0)
        };
        let end = high + u64::from(access.access.bytes);
        let extent = &mut self.context.extents[usize::from(region.0)];
        if access.kind != AccessKind::Store {
            extent.read_end = extent.read_end.max(end);
        }
        if access.kind != AccessKind::Load {
            extent.write_end = extent.write_end.max(end);
        }
    }
}

/// The lanes of `mask` by the region of their addresses.
fn by_region<const W: usize>(
    addresses: &[u64; W],
    mask: u64,
    lengths: &[u64],
) -> Vec<(Region, u64)> {
    let mut regions: Vec<(Region, u64)> = Vec::new();
    for lane in each_lane(mask) {
        let region = known_region(addresses[lane], lengths);
        match regions.iter_mut().find(|(r, _)| *r == region) {
            Some((_, lanes)) => *lanes |= 1 << lane,
            None => regions.push((region, 1 << lane)),
        }
    }
    regions
}

/// A bit for each of the first `count` components.
pub(super) fn first_components(count: u8) -> u16 {
    if count >= 16 { !0 } else { (1 << count) - 1 }
}
