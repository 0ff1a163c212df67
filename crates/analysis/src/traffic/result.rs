//! What [`TrafficAnalysis`](super::TrafficAnalysis) has to say.

use tilewise_ir::{InstId, SiteId, Space};
use tilewise_sim::AccessKind;

use super::layout::{
    BYTES, DISTINCT, DISTINCT_SECTORS, FIELDS, IMAGES, KINDS, LANES, LINES, Layout,
    REQUEST_DISTINCT, REQUESTS, RowFacts, SECTORS, SPACES, SUB_GROUP_DISTINCT,
};
use crate::estimate::{Accumulator, Estimate, SamplePlan};

/// Accesses of one kind, summed over all work-groups of the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// Size of the element that accesses are counted in, in bytes; 0 where
    /// nothing is accessed.
    pub element_bytes: u32,
    /// Memory instructions (or image functions) of sub-groups with at least one
    /// active lane.
    pub requests: Estimate,
    /// Active lanes over all requests' instructions.
    pub active_lanes: Estimate,
    /// Elements accessed.
    pub accesses: Estimate,
    /// Bytes accessed.
    pub bytes: Estimate,
    /// Distinct sectors per request, summed. 0 for local and private memory.
    pub sectors: Estimate,
    /// Distinct lines per request, summed. 0 for local and private memory.
    pub lines: Estimate,
    /// Distinct elements per sub-group instruction, summed. 0 for private
    /// memory, as are those below.
    pub distinct_per_request: Estimate,
    /// Distinct elements per sub-group over its whole life, summed; not known
    /// for single source sites.
    pub distinct_per_sub_group: Option<Estimate>,
    /// Distinct elements per work-group, summed.
    pub distinct: Estimate,
    /// Distinct sectors per work-group, summed: what the L2 must deliver at
    /// least when groups share nothing.
    pub distinct_sectors: Estimate,
}

impl Stream {
    /// How often each element that a work-group touches is accessed by it;
    /// `None` where nothing is accessed.
    pub fn reuse(&self) -> Option<f64> {
        ratio(self.accesses, self.distinct)
    }

    /// The part of the reuse that lies between lanes of one instruction: the
    /// coalescer catches it.
    pub fn lane_reuse(&self) -> Option<f64> {
        ratio(self.accesses, self.distinct_per_request)
    }

    /// The part that lies between instructions of one sub-group: a register
    /// could catch what one work-item reads again, the L1 cache the rest.
    pub fn time_reuse(&self) -> Option<f64> {
        ratio(self.distinct_per_request, self.distinct_per_sub_group?)
    }

    /// The part that lies between sub-groups of one work-group: only a cache
    /// or local memory catches it.
    pub fn sub_group_reuse(&self) -> Option<f64> {
        ratio(self.distinct_per_sub_group?, self.distinct)
    }

    /// Sectors per request; `None` where nothing is requested.
    pub fn sectors_per_request(&self) -> Option<f64> {
        ratio(self.sectors, self.requests)
    }

    /// Whether all figures are exact.
    pub fn is_exact(&self) -> bool {
        [
            self.requests,
            self.active_lanes,
            self.accesses,
            self.bytes,
            self.sectors,
            self.lines,
            self.distinct_per_request,
            self.distinct,
            self.distinct_sectors,
        ]
        .iter()
        .chain(&self.distinct_per_sub_group)
        .all(|e| e.exact)
    }
}

fn ratio(a: Estimate, b: Estimate) -> Option<f64> {
    (b.value > 0).then(|| a.value as f64 / b.value as f64)
}

/// Loads, stores and atomics apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindTraffic {
    /// Reads.
    pub loads: Stream,
    /// Writes.
    pub stores: Stream,
    /// Both at once.
    pub atomics: Stream,
}

/// Traffic of one region: a buffer or a local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferTraffic {
    /// Slot in the [`RegionTable`](crate::region::RegionTable).
    pub slot: usize,
    /// Name in the source.
    pub name: String,
    /// Its address space.
    pub space: Space,
    /// Index of the kernel argument, if it is one.
    pub param: Option<usize>,
    /// The traffic.
    pub traffic: KindTraffic,
}

/// Traffic of one source site, with all copies that the compiler made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteTraffic {
    /// The site.
    pub site: SiteId,
    /// What it does.
    pub kind: AccessKind,
    /// Instructions that come from it.
    pub insts: Vec<InstId>,
    /// Slots of the regions that it accesses.
    pub slots: Vec<usize>,
    /// The traffic.
    pub stream: Stream,
}

/// Traffic of one address space. Where its buffers hold elements of several
/// sizes, they are counted in the smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceTraffic {
    /// The space.
    pub space: Space,
    /// The traffic.
    pub traffic: KindTraffic,
}

/// Traffic of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// By region, in the order of the table; regions not accessed left out.
    pub buffers: Vec<BufferTraffic>,
    /// By source site, in the order of the kernel; sites not reached left out.
    pub sites: Vec<SiteTraffic>,
    /// Global, constant, local and private memory, in this order; images are
    /// not among them.
    pub spaces: [SpaceTraffic; 4],
    /// Image functions. An access is a texel, of which a linear filter touches
    /// up to eight; a request is one function of a sub-group. Sectors are those
    /// of texels that lie row by row: drivers order them otherwise.
    pub images: KindTraffic,
    /// Work-groups that ran.
    pub sampled_groups: u64,
    /// Work-groups of the launch.
    pub groups: u64,
}

impl Traffic {
    /// Whether every figure is exact.
    pub fn is_exact(&self) -> bool {
        let kinds =
            |k: &KindTraffic| k.loads.is_exact() && k.stores.is_exact() && k.atomics.is_exact();
        self.buffers.iter().all(|b| kinds(&b.traffic))
            && self.sites.iter().all(|s| s.stream.is_exact())
            && self.spaces.iter().all(|s| kinds(&s.traffic))
            && kinds(&self.images)
    }

    /// The traffic of a region by the name of its argument or variable.
    pub fn buffer(&self, name: &str) -> Option<&BufferTraffic> {
        self.buffers.iter().find(|b| b.name == name)
    }

    /// The traffic of an address space; generic memory is counted as global.
    pub fn space(&self, space: Space) -> &KindTraffic {
        &self.spaces[super::layout::space_index(space)].traffic
    }

    pub(super) fn new(
        layout: &Layout,
        plan: &SamplePlan,
        sums: &Accumulator,
        facts: &[RowFacts],
    ) -> Self {
        let stream = |row: usize| stream(plan, sums, row, &facts[row]);
        let kinds = |rows: [usize; 3]| KindTraffic {
            loads: stream(rows[0]),
            stores: stream(rows[1]),
            atomics: stream(rows[2]),
        };
        let buffers = layout
            .regions
            .iter()
            .filter_map(|(slot, region)| {
                let rows: [usize; 3] = std::array::from_fn(|k| layout.region_row(slot, k));
                let used = rows.iter().any(|&r| facts[r].slots != 0);
                used.then(|| BufferTraffic {
                    slot,
                    name: region.name.clone(),
                    space: region.space,
                    param: region.param,
                    traffic: kinds(rows),
                })
            })
            .collect();
        let sites = layout
            .sites
            .iter()
            .enumerate()
            .filter_map(|(i, site)| {
                let row = layout.site_row(i);
                let slots = facts[row].slots;
                let stream = Stream {
                    distinct_per_sub_group: None,
                    ..stream(row)
                };
                (slots != 0).then(|| SiteTraffic {
                    site: site.site,
                    kind: site.kind,
                    insts: site.insts.clone(),
                    slots: (0..64).filter(|s| slots >> s & 1 == 1).collect(),
                    stream,
                })
            })
            .collect();
        Self {
            buffers,
            sites,
            spaces: std::array::from_fn(|s| SpaceTraffic {
                space: SPACES[s],
                traffic: kinds(std::array::from_fn::<_, { KINDS.len() }, _>(|k| {
                    layout.space_row(s, k)
                })),
            }),
            images: kinds(std::array::from_fn::<_, { KINDS.len() }, _>(|k| {
                layout.space_row(IMAGES, k)
            })),
            sampled_groups: sums.groups(),
            groups: plan.population(),
        }
    }
}

fn stream(plan: &SamplePlan, sums: &Accumulator, row: usize, facts: &RowFacts) -> Stream {
    if facts.slots == 0 {
        return Stream {
            distinct_per_sub_group: Some(Estimate::exact(0)),
            requests: Estimate::exact(0),
            active_lanes: Estimate::exact(0),
            accesses: Estimate::exact(0),
            bytes: Estimate::exact(0),
            sectors: Estimate::exact(0),
            lines: Estimate::exact(0),
            distinct_per_request: Estimate::exact(0),
            distinct: Estimate::exact(0),
            distinct_sectors: Estimate::exact(0),
            element_bytes: 0,
        };
    }
    let total = |field: usize| sums.total(plan, row * FIELDS + field);
    let elements = |field: usize| total(field).in_units_of(u64::from(facts.element_bytes));
    Stream {
        element_bytes: facts.element_bytes,
        requests: total(REQUESTS),
        active_lanes: total(LANES),
        accesses: elements(BYTES),
        bytes: total(BYTES),
        sectors: total(SECTORS),
        lines: total(LINES),
        distinct_per_request: elements(REQUEST_DISTINCT),
        distinct_per_sub_group: Some(elements(SUB_GROUP_DISTINCT)),
        distinct: elements(DISTINCT),
        distinct_sectors: total(DISTINCT_SECTORS),
    }
}
