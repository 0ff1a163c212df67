//! `printf`: what kernels print, in the order of the groups, and within a
//! group in the order in which its sub-groups run.

use super::control::Runner;
use super::memory_access::with_words;
use crate::decode::PrintStep;
use crate::lanes::each_lane;
use crate::memory::{LocalWords, Place, PrivateWords, known_region, offset, read_bits};
use crate::observer::Observer;
use crate::semantics::printf;

/// Most bytes of text of a launch: what OpenCL's `CL_DEVICE_PRINTF_BUFFER_SIZE`
/// is at least. Calls beyond print nothing.
const MOST_BYTES: usize = 1 << 20;

/// Longest string that is read from memory.
const LONGEST_STRING: u64 = 1 << 16;

/// What kernels have printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Printed {
    text: Vec<u8>,
    /// End of each call's text.
    ends: Vec<usize>,
    /// Calls whose text has no room.
    dropped: u64,
}

impl Printed {
    fn add(&mut self, text: &[u8]) {
        // Once a call is dropped, so are all that follow.
        if self.dropped > 0 || self.text.len() + text.len() > MOST_BYTES {
            self.dropped += 1;
            return;
        }
        self.text.extend_from_slice(text);
        self.ends.push(self.text.len());
    }

    /// Adds what a later group printed.
    pub fn append(&mut self, later: &Printed) {
        let mut start = 0;
        for &end in &later.ends {
            self.add(&later.text[start..end]);
            start = end;
        }
        self.dropped += later.dropped;
    }

    /// The text, and the number of calls that are missing at its end.
    pub fn into_text(self) -> (String, u64) {
        let text = String::from_utf8_lossy(&self.text).into_owned();
        (text, self.dropped)
    }
}

impl<const W: usize, O: Observer> Runner<'_, '_, W, O> {
    /// Prints for each lane of `mask` in turn.
    pub(super) fn print(&mut self, step: &PrintStep, mask: u64) {
        for lane in each_lane(mask) {
            let vectors = &self.sub_group.vectors;
            let read = |r: &crate::decode::Register| (r.ty, vectors.get(r.ty, r.slot, lane));
            let args: Vec<_> = step.args.iter().map(read).collect();
            let Some((&(_, format), args)) = args.split_first() else {
                continue;
            };
            let text = self.string(format, lane).unwrap_or_default();
            let text = printf::format(&text, args, |pointer| self.string(pointer, lane));
            self.context.printed.add(&text);
        }
    }

    /// The bytes from a pointer on up to a zero; `None` for no memory.
    fn string(&mut self, pointer: u64, lane: usize) -> Option<Vec<u8>> {
        let prepared = self.context.prepared;
        let region = known_region(pointer, &prepared.lengths);
        let length = prepared.lengths[usize::from(region.0)];
        if region.0 == 0 || tilewise_ir::pointer::offset(pointer) < 0 {
            return None;
        }
        let first = offset(pointer);
        let mut bytes = Vec::new();
        with_words!(self, region, words, {
            for at in first..length.min(first.saturating_add(LONGEST_STRING)) {
                match read_bits(words, lane, at, 1) as u8 {
                    0 => break,
                    byte => bytes.push(byte),
                }
            }
        });
        Some(bytes)
    }
}
