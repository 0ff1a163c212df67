//! When there is nothing that staging could gain.
//!
//! Two things can make a tile pay: elements that several work-items of a group
//! read, and accesses that touch more sectors than their bytes need (a
//! transposition through local memory mends those even without reuse). Without
//! either, or where no tile fits, the answer needs no clock.

use std::fmt;

/// Below this, the re-reads of a rounded figure are none.
const REUSE_OF_NOTE: f64 = 1.001;
/// Below this, an access is as good as coalesced: an unaligned run of a
/// sub-group touches a sector or two more than it needs.
const EXCESS_OF_NOTE: f64 = 1.5;

/// What a kernel offers to staging.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opportunity {
    /// The largest reuse factor (accesses over distinct elements within a
    /// group) among the buffers that are read and not written; nothing when
    /// there is no such buffer.
    pub best_reuse: Option<f64>,
    /// The largest ratio, among loads and stores of global memory, of sectors
    /// touched to sectors that the bytes need.
    pub worst_sector_excess: f64,
    /// Bytes of the smallest tile that would hold what a group re-reads;
    /// nothing when it is not known.
    pub smallest_tile_bytes: Option<u64>,
    /// `CL_DEVICE_LOCAL_MEM_SIZE`.
    pub local_bytes_per_group: u64,
}

/// Why staging can't gain.
#[derive(Debug, Clone, PartialEq)]
pub enum NotApplicable {
    /// No element is read twice in a group, and accesses are coalesced.
    NothingReRead {
        /// The largest reuse factor.
        reuse: f64,
        /// The largest sector excess.
        sector_excess: f64,
    },
    /// The kernel reads no buffer that it does not also write.
    NothingReadOnly,
    /// The smallest useful tile is too large for a group.
    NothingFits {
        /// Bytes of that tile.
        tile: u64,
        /// `CL_DEVICE_LOCAL_MEM_SIZE`.
        limit: u64,
    },
}

impl fmt::Display for NotApplicable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingReRead {
                reuse,
                sector_excess,
            } => write!(
                f,
                "each element is read {reuse:.3} times within a group and accesses touch \
                 {sector_excess:.2} times the sectors they need: no reuse and no coalescing \
                 to gain"
            ),
            Self::NothingReadOnly => {
                f.write_str("the kernel reads no buffer that it does not also write")
            }
            Self::NothingFits { tile, limit } => write!(
                f,
                "the smallest useful tile takes {tile} B, a work-group may have {limit} B"
            ),
        }
    }
}

/// Why staging can't gain anything here, or nothing when it might.
pub fn not_applicable(opportunity: &Opportunity) -> Option<NotApplicable> {
    let coalesced = opportunity.worst_sector_excess < EXCESS_OF_NOTE;
    match opportunity.best_reuse {
        None if coalesced => return Some(NotApplicable::NothingReadOnly),
        Some(reuse) if reuse < REUSE_OF_NOTE && coalesced => {
            return Some(NotApplicable::NothingReRead {
                reuse,
                sector_excess: opportunity.worst_sector_excess,
            });
        }
        _ => {}
    }
    let limit = opportunity.local_bytes_per_group;
    opportunity
        .smallest_tile_bytes
        .filter(|tile| *tile > limit)
        .map(|tile| NotApplicable::NothingFits { tile, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLUR: Opportunity = Opportunity {
        best_reuse: Some(2.977),
        worst_sector_excess: 1.25,
        smallest_tile_bytes: Some(1032),
        local_bytes_per_group: 49152,
    };

    #[test]
    fn reuse_or_bad_coalescing_is_an_opportunity() {
        assert_eq!(not_applicable(&BLUR), None);
        let transpose = Opportunity {
            best_reuse: Some(1.0),
            worst_sector_excess: 8.0,
            ..BLUR
        };
        assert_eq!(not_applicable(&transpose), None);
        let scatter = Opportunity {
            best_reuse: None,
            ..transpose
        };
        assert_eq!(not_applicable(&scatter), None);
    }

    #[test]
    fn without_either_or_without_room_it_is_none() {
        let copy = Opportunity {
            best_reuse: Some(1.0),
            ..BLUR
        };
        let why = not_applicable(&copy).expect("no reuse");
        assert!(why.to_string().contains("1.000 times within a group"));
        let in_place = Opportunity {
            best_reuse: None,
            ..BLUR
        };
        assert_eq!(
            not_applicable(&in_place),
            Some(NotApplicable::NothingReadOnly)
        );
        let huge = Opportunity {
            smallest_tile_bytes: Some(65536),
            ..BLUR
        };
        let why = not_applicable(&huge).expect("too large");
        assert!(why.to_string().contains("65536 B"));
    }
}
