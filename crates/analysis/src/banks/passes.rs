//! Passes of one request to local memory.

use tilewise_ir::pointer;
use tilewise_sim::{AccessEvent, AddressShape};

use crate::region::RegionTable;
use crate::shape::MemoryShape;

/// Most banks that are told apart; more are folded onto these.
pub const BANKS: usize = 64;
/// Most words of the lanes that are served together.
const WORDS: usize = 512;

/// What a request to local memory takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    /// Passes.
    pub passes: u32,
    /// Passes that it would take without conflicts.
    pub ideal: u32,
}

/// What a request takes of each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Bytes behind the lane's address where it begins.
    pub skip: i64,
    /// Bytes.
    pub bytes: u32,
    /// Lanes with the same word are served by one access (loads and stores;
    /// not atomics).
    pub combines: bool,
}

/// Passes of one request of the lanes of `mask`. `banks` is room to count in.
pub fn count_passes(
    event: &AccessEvent<'_>,
    regions: &RegionTable,
    shape: &MemoryShape,
    mask: u64,
    request: Request,
    banks: &mut BankWords,
) -> Passes {
    let Request {
        skip,
        bytes,
        combines,
    } = request;
    if mask == 0 || bytes == 0 {
        return Passes::default();
    }
    let word = u64::from(shape.bank_bytes.max(1));
    let base_of = |address: u64| regions.get(regions.slot_of(address)).base;
    let base = event
        .region
        .map(|region| regions.get(regions.slot(region)).base);
    let per_pass = (shape.bytes_per_pass / bytes.max(shape.bank_bytes)).clamp(1, 64);
    let uniform = event.shape == AddressShape::Uniform;
    let lanes_per_turn = if per_pass < 64 && shape.pairs_lanes && (uniform || paired(event, mask)) {
        2 * per_pass
    } else {
        per_pass
    };
    let width = 64 - mask.leading_zeros();
    let mut total = Passes::default();
    let mut first = 0;
    while first < width {
        let turn = turn_mask(first, lanes_per_turn) & mask;
        first += lanes_per_turn;
        if turn == 0 {
            continue;
        }
        total.ideal += 1;
        total.passes += if combines && (uniform || is_unit_stride(event, bytes, word)) {
            1
        } else {
            banks.clear(shape.banks);
            let mut rest = turn;
            while rest != 0 {
                let address = event.addresses[rest.trailing_zeros() as usize];
                rest &= rest - 1;
                let base = base.unwrap_or_else(|| base_of(address));
                let at = (pointer::offset(address) + skip) as u64 + base;
                let end = at + u64::from(bytes) - 1;
                let words = if word == 4 {
                    at / 4..=end / 4
                } else {
                    at / word..=end / word
                };
                for w in words {
                    banks.add(w, combines);
                }
            }
            banks.fullest()
        };
    }
    total
}

/// Whether lanes stand side by side: the lanes of one turn then cover no more
/// than one pass delivers, and no two of their words share a bank.
fn is_unit_stride(event: &AccessEvent<'_>, bytes: u32, word: u64) -> bool {
    event.shape == AddressShape::Strided(i64::from(bytes))
        && u64::from(bytes).is_multiple_of(word)
        && (pointer::offset(event.addresses[0]) as u64).is_multiple_of(word)
}

/// Whether all active lanes `n` and `n ^ 1`, or all `n` and `n ^ 2`, have the
/// same address.
fn paired(event: &AccessEvent<'_>, mask: u64) -> bool {
    let agree = |distance: u32| {
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let other = lane ^ distance;
            if mask >> other & 1 == 1
                && event.addresses[lane as usize] != event.addresses[other as usize]
            {
                return false;
            }
        }
        true
    };
    // One lane alone pairs with nothing.
    mask.count_ones() > 1 && (agree(1) || agree(2))
}

fn turn_mask(first: u32, lanes: u32) -> u64 {
    let ones = if lanes >= 64 {
        u64::MAX
    } else {
        (1 << lanes) - 1
    };
    ones << first
}

/// Distinct words by bank, as lists threaded through one array.
#[derive(Debug)]
pub struct BankWords {
    banks: u64,
    head: [u16; BANKS],
    count: [u16; BANKS],
    words: [u64; WORDS],
    next: [u16; WORDS],
    len: usize,
}

const END: u16 = u16::MAX;

impl Default for BankWords {
    fn default() -> Self {
        Self {
            banks: 1,
            head: [END; BANKS],
            count: [0; BANKS],
            words: [0; WORDS],
            next: [END; WORDS],
            len: 0,
        }
    }
}

impl BankWords {
    /// Forgets the words. Lists end where `head` says, so that nothing else
    /// need be cleared.
    fn clear(&mut self, banks: u32) {
        self.banks = u64::from(banks).clamp(1, BANKS as u64);
        self.head = [END; BANKS];
        self.count = [0; BANKS];
        self.len = 0;
    }

    fn add(&mut self, word: u64, combines: bool) {
        let bank = if self.banks.is_power_of_two() {
            word & (self.banks - 1)
        } else {
            word % self.banks
        };
        let bank = bank as usize % BANKS;
        if combines {
            let mut at = self.head[bank];
            while at != END {
                if self.words[at as usize] == word {
                    return;
                }
                at = self.next[at as usize];
            }
        }
        self.count[bank] += 1;
        if self.len < WORDS {
            self.words[self.len] = word;
            self.next[self.len] = self.head[bank];
            self.head[bank] = self.len as u16;
            self.len += 1;
        }
    }

    fn fullest(&self) -> u32 {
        self.count.iter().copied().max().map_or(0, u32::from)
    }
}
