//! What one instruction reads relative to the work-items' own positions.

use crate::touched::PageSet;

/// Added to tap positions, so that they are never negative.
pub const BIAS: i64 = 1 << 47;

/// Most lone accesses that are kept: those of lanes without a neighbour.
const MOST_LONE: usize = 1024;

/// The reads of one instruction in one group.
#[derive(Clone, Debug)]
pub struct Taps {
    /// Slot of the region that is read.
    pub slot: usize,
    /// Size of the smallest element read, in bytes.
    pub element_bytes: u32,
    /// Bytes per step of the first local id, once two lanes have shown it.
    pub stride: Option<i64>,
    /// Every access so far agrees with that stride.
    pub affine: bool,
    /// Everything that is touched, in granules.
    pub touched: PageSet,
    /// Address less stride times first local id, in granules, by row of
    /// work-items (those that share the second and third local id).
    rows: Vec<PageSet>,
    /// Accesses of lanes whose row had no other active lane while the stride
    /// wasn't known: row, first local id, offset, bytes.
    lone: Vec<(usize, i64, i64, i64)>,
    granule_log2: u32,
}

impl Taps {
    pub fn new(slot: usize, rows: usize, granule_log2: u32) -> Self {
        Self {
            slot,
            element_bytes: u32::MAX,
            stride: None,
            affine: true,
            touched: PageSet::default(),
            rows: vec![PageSet::default(); rows],
            lone: Vec::new(),
            granule_log2,
        }
    }

    /// Enters the accesses of one row of work-items by one instruction: first
    /// local ids and byte offsets, at least one.
    pub fn enter(&mut self, row: usize, lanes: &[(i64, i64)], bytes: i64) {
        let Some(&(x, offset)) = lanes.first() else {
            return;
        };
        if let Some(&(other, at)) = lanes.get(1) {
            let stride = (at - offset) / (other - x);
            let regular = lanes.iter().all(|&(i, at)| at == offset + stride * (i - x));
            self.affine &= regular && *self.stride.get_or_insert(stride) == stride;
        }
        match self.stride {
            Some(stride) => self.insert(row, offset - stride * x, bytes),
            None if self.lone.len() < MOST_LONE => self.lone.push((row, x, offset, bytes)),
            None => self.affine = false,
        }
    }

    /// Takes the stride that other instructions have shown, where this one
    /// has shown none, and enters what has waited for it.
    pub fn settle(&mut self, usual: i64) {
        let stride = *self.stride.get_or_insert(usual);
        for (row, x, offset, bytes) in std::mem::take(&mut self.lone) {
            self.insert(row, offset - stride * x, bytes);
        }
    }

    fn insert(&mut self, row: usize, at: i64, bytes: i64) {
        let start = (at + BIAS) as u64 >> self.granule_log2;
        let end = ((at + BIAS + bytes - 1) as u64 >> self.granule_log2) + 1;
        self.rows[row].insert_range(start, end);
    }

    /// First tap of a row of work-items, in bytes, stride times first local id
    /// taken off.
    pub fn first_of_row(&self, row: usize) -> Option<i64> {
        let (start, _) = *self.rows[row].runs().first()?;
        Some(((start << self.granule_log2) as i64) - BIAS)
    }

    /// Runs of taps of a row of work-items, in bytes.
    pub fn runs_of_row(&self, row: usize) -> impl Iterator<Item = (i64, i64)> + '_ {
        let bytes = |granule: u64| (granule << self.granule_log2) as i64 - BIAS;
        self.rows[row]
            .runs()
            .into_iter()
            .map(move |(a, b)| (bytes(a), bytes(b)))
    }
}
