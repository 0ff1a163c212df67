//! Which figure stands where: one row per buffer and kind, per source site and
//! kind, and per address space and kind; the same fields in each row.

use std::sync::Arc;

use tilewise_ir::{InstId, Kernel, Op, SiteId, Space};
use tilewise_sim::AccessKind;

use crate::region::RegionTable;
use crate::shape::MemoryShape;

/// Fields of a row. Those that count elements do so in bytes here.
pub const REQUESTS: usize = 0;
pub const LANES: usize = 1;
pub const BYTES: usize = 2;
pub const SECTORS: usize = 3;
pub const LINES: usize = 4;
pub const REQUEST_DISTINCT: usize = 5;
pub const SUB_GROUP_DISTINCT: usize = 6;
pub const DISTINCT: usize = 7;
pub const DISTINCT_SECTORS: usize = 8;
/// Number of fields.
pub const FIELDS: usize = 9;

/// Kinds of access, as rows are ordered.
pub const KINDS: [AccessKind; 3] = [AccessKind::Load, AccessKind::Store, AccessKind::Atomic];

/// Spaces that traffic is kept apart for, as rows are ordered.
pub const SPACES: [Space; 4] = [Space::Global, Space::Constant, Space::Local, Space::Private];

/// No row.
const NONE: u32 = u32::MAX;

/// Position of a kind in [`KINDS`].
pub fn kind_index(kind: AccessKind) -> usize {
    match kind {
        AccessKind::Load => 0,
        AccessKind::Store => 1,
        AccessKind::Atomic => 2,
    }
}

/// Position of a space in [`SPACES`]; generic memory counts as global.
pub fn space_index(space: Space) -> usize {
    match space {
        Space::Global | Space::Generic => 0,
        Space::Constant => 1,
        Space::Local => 2,
        Space::Private => 3,
    }
}

/// A source site that accesses memory.
#[derive(Clone, Debug)]
pub struct SiteRow {
    pub site: SiteId,
    pub kind: AccessKind,
    /// Instructions that belong to it.
    pub insts: Vec<InstId>,
}

/// What a row learns besides sums.
#[derive(Clone, Copy, Debug)]
pub struct RowFacts {
    /// Smallest element that an access touched, in bytes; `u32::MAX` before.
    pub element_bytes: u32,
    /// Slots of the regions that were accessed; slots from 63 on share a bit.
    pub slots: u64,
}

impl Default for RowFacts {
    fn default() -> Self {
        Self {
            element_bytes: u32::MAX,
            slots: 0,
        }
    }
}

impl RowFacts {
    /// Joins what another group learned.
    pub fn merge(&mut self, other: &Self) {
        self.element_bytes = self.element_bytes.min(other.element_bytes);
        self.slots |= other.slots;
    }
}

/// Where each figure of a run stands.
#[derive(Debug)]
pub struct Layout {
    pub regions: Arc<RegionTable>,
    pub shape: MemoryShape,
    pub sector_log2: u32,
    pub line_log2: u32,
    /// Sites by row, after the rows of the regions.
    pub sites: Vec<SiteRow>,
    /// Site row of an instruction, loads and stores of a copy apart.
    site_of: Vec<[u32; 2]>,
}

impl Layout {
    pub fn new(kernel: &Kernel, regions: Arc<RegionTable>, shape: MemoryShape) -> Self {
        let numbering = kernel.numbering();
        let mut sites: Vec<SiteRow> = Vec::new();
        let mut site_of = vec![[NONE; 2]; numbering.len()];
        let mut row = |site: SiteId, kind: AccessKind, inst: InstId| {
            let at = sites.iter().position(|s| s.site == site && s.kind == kind);
            let at = at.unwrap_or_else(|| {
                sites.push(SiteRow {
                    site,
                    kind,
                    insts: Vec::new(),
                });
                sites.len() - 1
            });
            sites[at].insts.push(inst);
            at as u32
        };
        for block in kernel.block_ids() {
            for (i, inst) in kernel.block(block).insts.iter().enumerate() {
                let id = numbering.id(block, i);
                let rows = &mut site_of[id.index()];
                match inst.op {
                    Op::Load { .. } => rows[0] = row(inst.site, AccessKind::Load, id),
                    Op::Store { .. } => rows[1] = row(inst.site, AccessKind::Store, id),
                    Op::Atomic { .. } => *rows = [row(inst.site, AccessKind::Atomic, id); 2],
                    Op::Copy { .. } | Op::AsyncCopy { .. } => {
                        rows[0] = row(inst.site, AccessKind::Load, id);
                        rows[1] = row(inst.site, AccessKind::Store, id);
                    }
                    _ => {}
                }
            }
        }
        Self {
            regions,
            shape,
            sector_log2: shape.sector_bytes.max(1).ilog2(),
            line_log2: shape.line_bytes.max(1).ilog2(),
            sites,
            site_of,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.space_row(0, 0) + SPACES.len() * KINDS.len()
    }

    /// Row of a region and kind.
    pub fn region_row(&self, slot: usize, kind: usize) -> usize {
        slot * KINDS.len() + kind
    }

    /// Row of a site.
    pub fn site_row(&self, site: usize) -> usize {
        self.region_row(self.regions.len(), 0) + site
    }

    /// Row of a space and kind.
    pub fn space_row(&self, space: usize, kind: usize) -> usize {
        self.site_row(self.sites.len()) + space * KINDS.len() + kind
    }

    /// The site (index into [`Layout::sites`]) of an access, if the
    /// instruction is one that accesses memory.
    pub fn site_of(&self, inst: InstId, kind: AccessKind) -> Option<usize> {
        let rows = self.site_of.get(inst.index())?;
        let row = rows[usize::from(kind == AccessKind::Store)];
        (row != NONE).then_some(row as usize)
    }
}
