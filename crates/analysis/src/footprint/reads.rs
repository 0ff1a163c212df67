//! What one instruction reads in one work-group.

use crate::touched::PageSet;

/// Most lone accesses that are kept: those of lanes without a neighbour.
const MOST_LONE: usize = 1024;

/// The reads of one instruction in one group. A *row* of work-items is those
/// that share the second and third local id.
#[derive(Clone, Debug)]
pub struct Reads {
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
    /// Lowest offset less stride times first local id, by row.
    firsts: Vec<Option<i64>>,
    /// Accesses of lanes whose row had no other active lane while the stride
    /// wasn't known: row, first local id, offset.
    lone: Vec<(usize, i64, i64)>,
}

impl Reads {
    /// Nothing read yet, in a group of so many rows.
    pub fn new(slot: usize, rows: usize) -> Self {
        Self {
            slot,
            element_bytes: u32::MAX,
            stride: None,
            affine: true,
            touched: PageSet::default(),
            firsts: vec![None; rows],
            lone: Vec::new(),
        }
    }

    /// Enters the accesses of one row by one instruction: first local ids and
    /// byte offsets, at least one.
    pub fn enter(&mut self, row: usize, lanes: &[(i64, i64)]) {
        let Some(&first) = lanes.first() else {
            return;
        };
        let (x, offset) = first;
        let stride = lanes.get(1).map(|&(other, at)| {
            let stride = (at - offset) / (other - x);
            self.affine &= lanes.iter().all(|&(i, at)| at == offset + stride * (i - x));
            stride
        });
        self.enter_progression(row, first, stride);
    }

    /// Enters the accesses of one row by one instruction that are known to lie
    /// at regular distances: first local id and byte offset of the first lane,
    /// and bytes per step of the first local id where another lane shows them.
    pub fn enter_progression(&mut self, row: usize, first: (i64, i64), stride: Option<i64>) {
        let (x, offset) = first;
        if let Some(stride) = stride {
            self.affine &= *self.stride.get_or_insert(stride) == stride;
        }
        match self.stride {
            Some(stride) => self.lower(row, offset - stride * x),
            None if self.lone.len() < MOST_LONE => self.lone.push((row, x, offset)),
            None => self.affine = false,
        }
    }

    /// Takes the stride that other instructions have shown, where this one
    /// has shown none, and enters what has waited for it.
    pub fn settle(&mut self, usual: i64) {
        let stride = *self.stride.get_or_insert(usual);
        for (row, x, offset) in std::mem::take(&mut self.lone) {
            self.lower(row, offset - stride * x);
        }
    }

    /// Lowest offset less stride times first local id, by row; `None` where a
    /// row reads nothing.
    pub fn firsts(&self) -> &[Option<i64>] {
        &self.firsts
    }

    fn lower(&mut self, row: usize, at: i64) {
        let first = &mut self.firsts[row];
        *first = Some(first.map_or(at, |old| old.min(at)));
    }
}
