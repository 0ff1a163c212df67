//! Passes that were counted before.
//!
//! Where lanes access a progression, the banks that they meet follow from where
//! the progression begins modulo all banks. In a loop an instruction mostly
//! comes back with the same, so that counting its words again can be spared.

use tilewise_ir::{InstId, pointer};
use tilewise_sim::{AccessEvent, AddressShape};

use super::passes::{BANKS, BankWords, Passes, Request, count_passes};
use crate::region::RegionTable;
use crate::shape::MemoryShape;

/// Requests that are remembered: of an instruction one for each bank at which
/// it may begin.
const PLACES: usize = 16 * PHASES;
const PHASES: usize = 32;

/// What the passes of a request depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    inst: InstId,
    shape: AddressShape,
    mask: u64,
    /// Where the first active lane's bytes begin, modulo all banks.
    phase: u64,
    request: Request,
}

/// Counts passes, and remembers some.
#[derive(Debug)]
pub struct PassCache {
    places: Vec<Option<(Key, Passes)>>,
    /// On the heap: a group's state is moved about.
    words: Box<BankWords>,
}

impl Default for PassCache {
    fn default() -> Self {
        Self {
            places: vec![None; PLACES],
            words: Box::default(),
        }
    }
}

impl PassCache {
    /// As [`count_passes`], of the lanes that are in bounds.
    pub fn count(
        &mut self,
        event: &AccessEvent<'_>,
        regions: &RegionTable,
        shape: &MemoryShape,
        request: Request,
    ) -> Passes {
        let mask = event.mask & event.in_bounds;
        if event.shape == AddressShape::Scattered || mask == 0 {
            return count_passes(event, regions, shape, mask, request, &mut self.words);
        }
        let address = event.addresses[mask.trailing_zeros() as usize];
        let base = regions.get(regions.slot_of(address)).base;
        let banks = u64::from(shape.banks).clamp(1, BANKS as u64);
        let all_banks = banks * u64::from(shape.bank_bytes.max(1));
        let at = (pointer::offset(address) as u64).wrapping_add(base);
        let phase = if all_banks.is_power_of_two() {
            at & (all_banks - 1)
        } else {
            at % all_banks
        };
        let key = Key {
            inst: event.inst,
            shape: event.shape,
            mask,
            phase,
            request,
        };
        // Parts of a wide access and its merged form take places of their own.
        let row = event.inst.index().wrapping_add(request.skip as usize >> 2);
        let place = row.wrapping_mul(PHASES) + (phase as usize >> 2) % PHASES;
        let place = &mut self.places[place % PLACES];
        match place {
            Some((known, passes)) if *known == key => *passes,
            _ => {
                let passes = count_passes(event, regions, shape, mask, request, &mut self.words);
                *place = Some((key, passes));
                passes
            }
        }
    }
}
