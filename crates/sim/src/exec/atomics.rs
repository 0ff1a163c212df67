//! Atomic operations, lane by lane in lane order.

use tilewise_ir::pointer::Region;
use tilewise_ir::{AtomicOp, Space, Ty};

use super::control::Runner;
use super::memory_access::{Access, with_words};
use crate::decode::AtomicStep;
use crate::lanes::each_lane;
use crate::memory::{LocalWords, Place, Plan, PrivateWords, Words, offset, read_bits, write_bits};
use crate::observer::{AccessKind, Observer};
use crate::semantics::atomic;

impl<const W: usize, O: Observer> Runner<'_, '_, W, O> {
    /// Runs an atomic for the lanes of `mask`; whether it changed memory.
    pub(super) fn atomic(&mut self, step: &AtomicStep, mask: u64) -> bool {
        let mut addresses = [0; W];
        let plan = self.addresses(step.ptr, mask, step.access.bytes, &mut addresses);
        let access = Access {
            at: step.at,
            kind: AccessKind::Atomic,
            access: &step.access,
            components: 1,
            from_data: step.from_data,
            image: None,
            stored: &[],
        };
        self.access(&access, mask, &addresses, &plan);
        if let Some(changed) = self.atomic_words(step, mask, &addresses, &plan) {
            return changed;
        }
        let mut changed = false;
        for lane in each_lane(mask) {
            let old = if plan.in_bounds >> lane & 1 != 0 {
                let region = tilewise_ir::pointer::region(addresses[lane]);
                let (old, wrote) = self.atomic_lane(step, region, lane, offset(addresses[lane]));
                changed |= wrote;
                old
            } else {
                0
            };
            if let Some(slot) = step.dst {
                self.sub_group
                    .vectors
                    .set(step.access.elem, slot, lane, old);
            }
        }
        changed
    }

    /// [`Self::atomic`] on whole words of one region in local memory; `None`
    /// where the lanes do something else.
    fn atomic_words(
        &mut self,
        step: &AtomicStep,
        mask: u64,
        addresses: &[u64; W],
        plan: &Plan,
    ) -> Option<bool> {
        let ty = step.access.elem;
        let region = plan.region?;
        let whole = ty.size() == 4 && plan.whole_words && plan.in_bounds == mask;
        let Place::Local(first) = self.context.prepared.places[usize::from(region.0)] else {
            return None;
        };
        if !whole || step.op == AtomicOp::Load {
            return None;
        }
        let words = &mut self.context.local[first as usize..];
        let lanes = Lanes {
            words,
            bank: &mut self.sub_group.vectors.b4,
            step,
            mask,
            addresses,
        };
        Some(match (step.op, ty) {
            (AtomicOp::Increment, _) => lanes.update(|old, _, _| Some(old.wrapping_add(1))),
            (AtomicOp::Add, Ty::I32) => lanes.update(|old, v, _| Some(old.wrapping_add(v))),
            (op, _) => lanes.update(|old, value, compare| {
                let [old, value, compare] = [old, value, compare].map(u64::from);
                atomic::apply(op, ty, old, value, compare).map(|new| new as u32)
            }),
        })
    }

    /// One lane's operation; returns what the location held, and whether it
    /// holds something else now.
    fn atomic_lane(
        &mut self,
        step: &AtomicStep,
        region: Region,
        lane: usize,
        byte: u64,
    ) -> (u64, bool) {
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
            return (old, false);
        }
        let new = |old: u64| atomic::apply(step.op, ty, old, value, compare);
        // Global words may be shared with groups that run at the same time.
        if ty.size() == 4
            && byte.is_multiple_of(4)
            && let Some(memory) = self.context.memory.region(region)
        {
            let old = memory
                .cursor()
                .update(byte / 4, |old| new(u64::from(old)).map(|new| new as u32));
            let old = u64::from(old);
            return (old, new(old).is_some_and(|new| new != old));
        }
        let mut result = (0, false);
        with_words!(
            self,
            region,
            words,
            result = update(words, ty, lane, byte, new)
        );
        result
    }
}

/// Lanes that update words of local memory.
struct Lanes<'l, const W: usize> {
    words: &'l mut [u32],
    bank: &'l mut [[u32; W]],
    step: &'l AtomicStep,
    mask: u64,
    addresses: &'l [u64; W],
}

impl<const W: usize> Lanes<'_, W> {
    /// Replaces what each lane's word holds by what `f` makes of it, the value
    /// and the one to compare with; whether that changed one.
    #[inline(always)]
    fn update(self, f: impl Fn(u32, u32, u32) -> Option<u32>) -> bool {
        let mut changed = false;
        for lane in each_lane(self.mask) {
            let read = |slot: Option<u32>| slot.map_or(0, |s| self.bank[s as usize][lane]);
            let (value, compare) = (read(self.step.value), read(self.step.compare));
            let word = &mut self.words[(offset(self.addresses[lane]) / 4) as usize];
            let old = *word;
            if let Some(new) = f(old, value, compare) {
                changed |= new != old;
                *word = new;
            }
            if let Some(slot) = self.step.dst {
                self.bank[slot as usize][lane] = old;
            }
        }
        changed
    }
}

/// Reads, computes and writes, where nothing else runs meanwhile: local and
/// private memory, and global memory of kernels whose groups run in order.
fn update<S: Words>(
    words: &mut S,
    ty: Ty,
    lane: usize,
    byte: u64,
    new: impl Fn(u64) -> Option<u64>,
) -> (u64, bool) {
    let old = read_bits(words, lane, byte, ty.size());
    match new(old) {
        Some(new) => {
            write_bits(words, lane, byte, ty.size(), new);
            (old, new != old)
        }
        None => (old, false),
    }
}
