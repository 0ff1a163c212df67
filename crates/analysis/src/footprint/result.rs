//! What [`FootprintAnalysis`](super::FootprintAnalysis) has to say.

/// One dimension of the box that a work-group reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Elements between neighbours in this dimension: 1 for the first one, the
    /// row pitch for the second.
    pub pitch: u64,
    /// Extent of the box in elements of this dimension.
    pub extent: u64,
}

/// What a work-group reads of a buffer with one set of strides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Size of an element in bytes.
    pub element_bytes: u32,
    /// Elements that an address moves by per local id, by dimension of the
    /// NDRange.
    pub strides: [i64; 3],
    /// The box, fastest dimension first.
    pub dimensions: Vec<Dimension>,
    /// How far the box reaches below and above the positions of the group's
    /// work-items (strides times global id), by dimension of the box. `None`
    /// where the index doesn't follow the global id, as when a group fills a
    /// tile by local ids.
    pub halo: Option<Vec<[u64; 2]>>,
    /// Distinct elements that the group reads.
    pub distinct: u64,
    /// Work-groups that were looked at and have a footprint.
    pub groups: u64,
    /// How many of them have just this box.
    pub agreeing: u64,
}

impl Footprint {
    /// Elements of the box.
    pub fn box_elements(&self) -> u64 {
        self.dimensions
            .iter()
            .fold(1, |n, d| n.saturating_mul(d.extent))
    }

    /// Bytes of local memory that the box takes.
    pub fn staged_bytes(&self) -> u64 {
        self.box_elements()
            .saturating_mul(u64::from(self.element_bytes))
    }

    /// Elements of the box per element that is read: 1 where the box is full.
    pub fn over_fetch(&self) -> f64 {
        self.box_elements() as f64 / self.distinct.max(1) as f64
    }

    fn merge(&mut self, other: Self) {
        let groups = self.groups + other.groups;
        if self.dimensions == other.dimensions {
            self.agreeing += other.agreeing;
            // Where groups with one box disagree, its place doesn't follow
            // from the global id.
            if self.halo != other.halo {
                self.halo = None;
            }
        } else if other.box_elements() > self.box_elements() {
            *self = other;
        }
        self.groups = groups;
    }
}

/// What a work-group reads of one buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferFootprint {
    /// Slot in the [`RegionTable`](crate::region::RegionTable).
    pub slot: usize,
    /// Name in the source.
    pub name: String,
    /// One footprint per set of strides; none where the addresses are not
    /// affine in the local ids.
    pub patterns: Vec<Footprint>,
}

impl BufferFootprint {
    /// The footprint, where the buffer is read with one set of strides.
    pub fn single(&self) -> Option<&Footprint> {
        match &self.patterns[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        for pattern in other.patterns {
            let same = self
                .patterns
                .iter_mut()
                .find(|p| p.strides == pattern.strides && p.element_bytes == pattern.element_bytes);
            match same {
                Some(known) => known.merge(pattern),
                None => self.patterns.push(pattern),
            }
        }
    }
}

/// Footprints of all buffers in global and constant memory that are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprints {
    /// By buffer, in the order of the region table.
    pub buffers: Vec<BufferFootprint>,
}

impl Footprints {
    /// The footprint of a buffer by its name.
    pub fn buffer(&self, name: &str) -> Option<&BufferFootprint> {
        self.buffers.iter().find(|b| b.name == name)
    }
}
