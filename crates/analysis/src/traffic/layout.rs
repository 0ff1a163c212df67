//! Which figure stands where: one row per buffer and kind, per source site and
//! kind, and per address space and kind; the same fields in each row.

use std::sync::Arc;

use tilewise_ir::{Kernel, Space};
use tilewise_sim::AccessKind;

use crate::region::RegionTable;
use crate::shape::MemoryShape;
use crate::sites::AccessSites;

/// Fields of a row. Those that count elements do so in bytes here.
pub const REQUESTS: usize = 0;
pub const LANES: usize = 1;
pub const BYTES: usize = 2;
pub const SECTORS: usize = 3;
pub const LINES: usize = 4;
pub const REQUEST_DISTINCT: usize = 5;
/// Fields up to here are counted access by access.
pub const COUNTED: usize = REQUEST_DISTINCT + 1;
pub const SUB_GROUP_DISTINCT: usize = 6;
pub const DISTINCT: usize = 7;
pub const DISTINCT_SECTORS: usize = 8;
/// Number of fields.
pub const FIELDS: usize = 9;

/// Kinds of access, as rows are ordered.
pub const KINDS: [AccessKind; 3] = [AccessKind::Load, AccessKind::Store, AccessKind::Atomic];

/// Spaces that traffic is kept apart for, as rows are ordered.
pub const SPACES: [Space; 4] = [Space::Global, Space::Constant, Space::Local, Space::Private];

/// Position of images behind [`SPACES`]: image functions are no loads and
/// stores of global memory.
pub const IMAGES: usize = SPACES.len();

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

/// The row of a region among those of spaces.
pub fn class_index(space: Space, image: bool) -> usize {
    if image { IMAGES } else { space_index(space) }
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
    pub sites: AccessSites,
}

impl Layout {
    pub fn new(kernel: &Kernel, regions: Arc<RegionTable>, shape: MemoryShape) -> Self {
        Self {
            regions,
            shape,
            sector_log2: shape.sector_bytes.max(1).ilog2(),
            line_log2: shape.line_bytes.max(1).ilog2(),
            sites: AccessSites::new(kernel),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.space_row(0, 0) + (SPACES.len() + 1) * KINDS.len()
    }

    /// Row of a region and kind.
    pub fn region_row(&self, slot: usize, kind: usize) -> usize {
        slot * KINDS.len() + kind
    }

    /// Row of a site.
    pub fn site_row(&self, site: usize) -> usize {
        self.region_row(self.regions.len(), 0) + site
    }

    /// Row of a space (or of [`IMAGES`]) and kind.
    pub fn space_row(&self, space: usize, kind: usize) -> usize {
        self.site_row(self.sites.len()) + space * KINDS.len() + kind
    }
}
