//! Atomic operations, lane by lane in lane order.

use tilewise_ir::pointer::Region;
use tilewise_ir::{AtomicOp, Space};

use super::control::Runner;
use super::memory_access::{Access, with_words};
use crate::decode::AtomicStep;
use crate::lanes::each_lane;
use crate::memory::{LocalWords, Place, PrivateWords, Words, offset, read_bits, write_bits};
use crate::observer::{AccessKind, Observer};
use crate::semantics::atomic;

impl<const W: usize, O: Observer> Runner<'_, '_, W, O> {
    pub(super) fn atomic(&mut self, step: &AtomicStep, mask: u64) {
        let (addresses, plan) = self.addresses(step.ptr, mask, step.access.bytes);
        let access = Access {
            at: step.at,
            kind: AccessKind::Atomic,
            access: &step.access,
            components: 1,
            from_data: step.from_data,
        };
        self.access(&access, mask, &addresses, &plan);
        for lane in each_lane(mask) {
            let old = if plan.in_bounds >> lane & 1 != 0 {
                let region = tilewise_ir::pointer::region(addresses[lane]);
                self.atomic_lane(step, region, lane, offset(addresses[lane]))
            } else {
                0
            };
            if let Some(slot) = step.dst {
                self.sub_group
                    .vectors
                    .set(step.access.elem, slot, lane, old);
            }
        }
    }

    /// One lane's operation; returns what the location held.
    fn atomic_lane(&mut self, step: &AtomicStep, region: Region, lane: usize, byte: u64) -> u64 {
        let ty = step.access.elem;
        let vectors = &self.sub_group.vectors;
        let read = |slot: Option<u32>| slot.map_or(0, |s| vectors.get(ty, s, lane));
        let (value, compare) = (read(step.value), read(step.compare));
        let info = self.context.prepared.regions.get(region);
        let constant = info.space == Space::Constant;
        if step.op == AtomicOp::Load || constant {
            let mut old = 0;
            with_words!(
                self,
                region,
                words,
                old = read_bits(words, lane, byte, ty.size())
            );
            return old;
        }
        // Global words may be shared with groups that run at the same time.
        if ty.size() == 4
            && byte.is_multiple_of(4)
            && let Some(memory) = self.context.memory.region(region)
        {
            let old = memory.cursor().update(byte / 4, |old| {
                atomic::apply(step.op, ty, u64::from(old), value, compare).map(|new| new as u32)
            });
            return u64::from(old);
        }
        let mut result = 0;
        with_words!(
            self,
            region,
            words,
            result = update(words, step, lane, byte, value, compare)
        );
        result
    }
}

/// Reads, computes and writes, where nothing else runs meanwhile: local and
/// private memory, and global memory of kernels whose groups run in order.
fn update<S: Words>(
    words: &mut S,
    step: &AtomicStep,
    lane: usize,
    byte: u64,
    value: u64,
    compare: u64,
) -> u64 {
    let ty = step.access.elem;
    let old = read_bits(words, lane, byte, ty.size());
    if let Some(new) = atomic::apply(step.op, ty, old, value, compare) {
        write_bits(words, lane, byte, ty.size(), new);
    }
    old
}
