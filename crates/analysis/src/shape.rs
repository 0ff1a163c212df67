//! What the analyses must know of a device's memory.

/// Granularities of a device's memory system. Plain figures; device profiles
/// fill them in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryShape {
    /// Bytes of a sector, the unit that the L1 cache asks the L2 for. A power
    /// of two, 8 to 128 (NVIDIA: 32).
    pub sector_bytes: u32,
    /// Bytes of a cache line. A power of two, at least a sector.
    pub line_bytes: u32,
    /// Widest access of one lane in one instruction, in bytes: wider ones
    /// (`float8`) are issued in parts. A power of two (NVIDIA, AMD: 16).
    pub access_bytes: u32,
    /// Banks of local memory.
    pub banks: u32,
    /// Width of a bank in bytes.
    pub bank_bytes: u32,
    /// Bytes that local memory delivers in one pass. An access of `w` bytes
    /// per lane is served for `bytes_per_pass / w` lanes at a time.
    pub bytes_per_pass: u32,
    /// Whether two neighbouring groups of lanes are served together when all
    /// active lanes `n` and `n ^ 1` (or all `n` and `n ^ 2`) read the same
    /// address. NVIDIA does since compute capability 7.0 (answer of an NVIDIA
    /// engineer in the developer forum, topic 77228), so that a 16-byte
    /// broadcast takes two passes, not four.
    pub pairs_lanes: bool,
    /// Whether the device's compiler merges neighbouring local loads at
    /// constant offsets into 8 and 16 byte ones (NVIDIA's does).
    pub merges_local_loads: bool,
}

impl MemoryShape {
    /// NVIDIA GPUs from compute capability 7.0 on (CUDA C++ Programming Guide,
    /// "Compute Capability 7.x" to "9.0": 32 banks of 4 bytes; Nsight Compute's
    /// guide: sectors of 32 and lines of 128 bytes).
    pub const NVIDIA: Self = Self {
        sector_bytes: 32,
        line_bytes: 128,
        access_bytes: 16,
        banks: 32,
        bank_bytes: 4,
        bytes_per_pass: 128,
        pairs_lanes: true,
        merges_local_loads: true,
    };

    /// Bytes of each instruction that an access of `bytes` bytes, aligned to
    /// `align`, is issued as: the widest power of two that the alignment
    /// allows.
    pub fn part_bytes(&self, bytes: u32, align: u32) -> u32 {
        let align = 1 << align.max(1).ilog2();
        let widest = self.access_bytes.max(1).min(align);
        if bytes <= widest {
            bytes.max(1)
        } else {
            widest
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryShape;

    #[test]
    fn wide_or_badly_aligned_accesses_are_cut() {
        let shape = MemoryShape::NVIDIA;
        assert_eq!(shape.part_bytes(4, 4), 4);
        assert_eq!(shape.part_bytes(16, 16), 16);
        assert_eq!(shape.part_bytes(32, 32), 16);
        // `vload4` from a `float` pointer.
        assert_eq!(shape.part_bytes(16, 4), 4);
        // Three components of a `float3` without the padding.
        assert_eq!(shape.part_bytes(12, 16), 12);
    }
}
