//! What a work-group did, with addresses relative to where it worked.

use smallvec::SmallVec;
use tilewise_ir::pointer::{Region, offset, pack};
use tilewise_ir::{BlockId, Fence, InstId, MemAccess, SiteId};
use tilewise_sim::{AccessEvent, AccessKind, AddressShape, BarrierEvent, Observer, each_lane};

/// Where a group works in a region before it has accessed it.
const NOWHERE: i64 = i64::MIN;

/// What an observer is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// `count` instructions from `first` on.
    Instructions { first: u32, count: u32 },
    /// An edge between two blocks.
    Edge { from: u32, to: u32 },
    /// The access with this number.
    Access { number: u32 },
    /// A barrier of the group: its instruction, and its number.
    Barrier { inst: u32, number: u32 },
    /// A barrier of a sub-group.
    SubGroupBarrier { inst: u32, number: u32 },
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub what: What,
    pub sub_group: u32,
    pub mask: u64,
}

/// An access but for the sub-group and the mask, which stand in its [`Event`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Access {
    inst: InstId,
    kind: AccessKind,
    image: Option<u8>,
    region: Region,
    in_bounds: u64,
    shape: AddressShape,
    /// Address of the first active lane, from where the group works.
    first: i64,
    /// That of every lane, where no shape tells it; 0 for those not active.
    lanes: Vec<i64>,
    // What follows from the instruction, the kind and the region.
    site: SiteId,
    access: MemAccess,
    components: u16,
    width: u8,
}

/// Where a group works, by region: the start of the line of its first access.
#[derive(Clone, Debug)]
pub(super) struct Places {
    starts: SmallVec<[i64; 8]>,
    line: u64,
}

impl Places {
    pub fn new(line: u64) -> Self {
        Self {
            starts: SmallVec::new(),
            line,
        }
    }

    /// Where the group works in the region of an access.
    #[inline(always)]
    fn of(&mut self, event: &AccessEvent<'_>, region: Region, first: i64) -> i64 {
        use tilewise_ir::Space;
        let number = usize::from(region.0);
        if let Some(&start) = self.starts.get(number)
            && start != NOWHERE
        {
            return start;
        }
        if number >= self.starts.len() {
            self.starts.resize(number + 1, NOWHERE);
        }
        let start = match event.access.space {
            // Banks follow from the address itself.
            Space::Local | Space::Private | Space::Generic => 0,
            Space::Global | Space::Constant => first & !(self.line as i64 - 1),
        };
        self.starts[number] = start;
        start
    }

    fn known(&self, region: Region) -> i64 {
        match self.starts.get(usize::from(region.0)) {
            Some(&start) if start != NOWHERE => start,
            _ => 0,
        }
    }
}

impl Access {
    /// An access as it is kept; `None` where its lanes go to several regions.
    pub fn new(event: &AccessEvent<'_>, places: &mut Places) -> Option<Self> {
        let region = event.region?;
        let first = offset(event.addresses[event.mask.trailing_zeros() as usize]);
        let start = places.of(event, region, first);
        let mut lanes = Vec::new();
        if event.shape == AddressShape::Scattered {
            lanes.resize(event.addresses.len(), 0);
            for lane in each_lane(event.mask) {
                lanes[lane] = offset(event.addresses[lane]) - start;
            }
        }
        Some(Self {
            inst: event.inst,
            kind: event.kind,
            image: event.image,
            region,
            in_bounds: event.in_bounds,
            shape: event.shape,
            first: first - start,
            lanes,
            site: event.site,
            access: event.access,
            components: event.components,
            width: event.addresses.len() as u8,
        })
    }

    /// Whether an event is this access, wherever its group works. Sub-group and
    /// mask have been compared.
    #[inline(always)]
    pub fn is(&self, event: &AccessEvent<'_>, places: &mut Places) -> bool {
        let alike = self.inst == event.inst
            && self.kind == event.kind
            && self.image == event.image
            && event.region == Some(self.region)
            && self.in_bounds == event.in_bounds
            && self.shape == event.shape;
        if !alike {
            return false;
        }
        let first = offset(event.addresses[event.mask.trailing_zeros() as usize]);
        let start = places.of(event, self.region, first);
        first - start == self.first
            && (self.lanes.is_empty()
                || each_lane(event.mask)
                    .all(|lane| offset(event.addresses[lane]) - start == self.lanes[lane]))
    }

    /// Tells an observer of the access.
    fn tell<O: Observer>(&self, of: &Event, places: &Places, observer: &mut O) {
        let start = places.known(self.region);
        let first = of.mask.trailing_zeros() as i64;
        let at = |lane: i64| match self.shape {
            AddressShape::Uniform => self.first,
            AddressShape::Strided(stride) => self.first + (lane - first) * stride,
            AddressShape::Rows {
                length,
                stride,
                pitch,
            } => {
                let length = i64::from(length);
                self.first + lane / length * pitch + lane % length * stride
            }
            AddressShape::Scattered => self.lanes.get(lane as usize).copied().unwrap_or(0),
        };
        let addresses: [u64; 64] =
            std::array::from_fn(|lane| pack(self.region, start.wrapping_add(at(lane as i64))));
        observer.access(&AccessEvent {
            inst: self.inst,
            site: self.site,
            kind: self.kind,
            access: self.access,
            components: self.components,
            sub_group: of.sub_group,
            mask: of.mask,
            addresses: &addresses[..usize::from(self.width).min(64)],
            shape: self.shape,
            region: Some(self.region),
            in_bounds: self.in_bounds,
            image: self.image,
            values: None,
        });
    }
}

/// What a work-group did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Trace {
    /// Work-items of the group by dimension.
    pub size: [u32; 3],
    pub events: Vec<Event>,
    pub accesses: Vec<Access>,
    pub barriers: Vec<(SiteId, Fence)>,
}

impl Trace {
    /// More events than this are not kept of one group.
    const MOST: usize = 1 << 18;

    pub fn is_full(&self) -> bool {
        self.events.len() >= Self::MOST
    }

    /// The first events of a trace.
    pub fn start_of(&self, events: usize) -> Self {
        let events = &self.events[..events.min(self.events.len())];
        let accesses = |e: &&Event| matches!(e.what, What::Access { .. });
        let barriers =
            |e: &&Event| matches!(e.what, What::Barrier { .. } | What::SubGroupBarrier { .. });
        Self {
            size: self.size,
            events: events.to_vec(),
            accesses: self.accesses[..events.iter().filter(accesses).count()].to_vec(),
            barriers: self.barriers[..events.iter().filter(barriers).count()].to_vec(),
        }
    }

    /// Tells an observer of the events.
    pub fn tell<O: Observer>(&self, places: &Places, observer: &mut O) {
        for event in &self.events {
            match event.what {
                What::Instructions { first, count } => {
                    let first = InstId::new(first as usize);
                    observer.instructions(event.sub_group, first, count, event.mask);
                }
                What::Edge { from, to } => {
                    let [from, to] = [from, to].map(|b| BlockId::new(b as usize));
                    observer.edge(event.sub_group, from, to, event.mask);
                }
                What::Access { number } => {
                    self.accesses[number as usize].tell(event, places, observer);
                }
                What::Barrier { inst, number } => observer.barrier(&self.barrier(inst, number)),
                What::SubGroupBarrier { inst, number } => {
                    observer.sub_group_barrier(event.sub_group, &self.barrier(inst, number));
                }
            }
        }
    }

    fn barrier(&self, inst: u32, number: u32) -> BarrierEvent {
        let (site, fence) = self.barriers[number as usize];
        BarrierEvent {
            inst: InstId::new(inst as usize),
            site,
            fence,
        }
    }

    /// How many events from `from` on are the same in two traces that agree up to
    /// there; the number of the first that is not.
    pub fn parts_from(&self, other: &Self, from: usize) -> usize {
        let both = self.events.len().min(other.events.len());
        (from..both)
            .find(|&i| !self.agrees(other, i))
            .unwrap_or(both)
    }

    /// Whether an event is the same in two traces that agree up to there.
    pub fn agrees(&self, other: &Self, event: usize) -> bool {
        let (Some(a), Some(b)) = (self.events.get(event), other.events.get(event)) else {
            return self.events.len() == event && other.events.len() == event;
        };
        a == b
            && match a.what {
                What::Access { number } => {
                    self.accesses[number as usize] == other.accesses[number as usize]
                }
                _ => true,
            }
    }
}
