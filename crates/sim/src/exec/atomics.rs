//! Atomic operations, lane by lane in lane order.

use tilewise_ir::pointer::Region;
use tilewise_ir::{AtomicOp, Space, Ty};

use super::control::Runner;
use super::memory_access::{Access, with_words};
use crate::decode::AtomicStep;
use crate::lanes::{each_lane, first_lanes};
use crate::memory::{
    LocalWords, PagedWords, Place, Plan, PrivateWords, Words, offset, read_bits, write_bits,
};
use crate::observer::{AccessKind, Observer};
use crate::semantics::atomic;

impl<const W: usize, O: Observer> Runner<'_, '_, W, O> {
    /// Runs an atomic for the lanes of `mask`; whether it changed memory.
    pub(super) fn atomic(&mut self, step: &AtomicStep, mask: u64) -> bool {
        let mut addresses = self.sub_group.room();
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
        let changed = self
            .atomic_words(step, mask, &addresses, &plan)
            .unwrap_or_else(|| self.atomic_lanes(step, mask, &addresses, &plan));
        self.sub_group.room = Some(addresses);
        changed
    }

    /// [`Self::atomic`] one lane after another.
    fn atomic_lanes(
        &mut self,
        step: &AtomicStep,
        mask: u64,
        addresses: &[u64; W],
        plan: &Plan,
    ) -> bool {
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

    /// [`Self::atomic`] on whole words of one region in local or global memory; `None`
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
        let prepared = self.context.prepared;
        let whole = ty.size() == 4 && plan.whole_words && plan.in_bounds == mask;
        let constant = prepared.spaces[usize::from(region.0)] == Space::Constant;
        if !whole || constant || step.op == AtomicOp::Load {
            return None;
        }
        let lanes = Lanes {
            bank: &mut self.sub_group.vectors.b4,
            step,
            mask,
            addresses,
        };
        match prepared.places[usize::from(region.0)] {
            Place::Local(first) => {
                let words = &mut self.context.local[first as usize..];
                Some(lanes.operate(&mut LocalWords(words)))
            }
            Place::Paged => {
                let memory = self.context.memory.region(region)?;
                Some(lanes.operate(&mut memory.cursor()))
            }
            Place::Private(_) | Place::Nowhere => None,
        }
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

/// Memory whose whole words are updated at once, also where other groups do the same.
trait UpdateWords {
    /// Replaces a word by what `f` makes of it, if anything; what it held.
    fn update(&mut self, word: u64, f: impl FnMut(u32) -> Option<u32>) -> u32;
}

impl UpdateWords for LocalWords<'_> {
    #[inline(always)]
    fn update(&mut self, word: u64, mut f: impl FnMut(u32) -> Option<u32>) -> u32 {
        let word = &mut self.0[word as usize];
        let old = *word;
        *word = f(old).unwrap_or(old);
        old
    }
}

impl UpdateWords for PagedWords<'_> {
    #[inline(always)]
    fn update(&mut self, word: u64, f: impl FnMut(u32) -> Option<u32>) -> u32 {
        PagedWords::update(self, word, f)
    }
}

/// Lanes that update words of one region.
struct Lanes<'l, const W: usize> {
    bank: &'l mut [[u32; W]],
    step: &'l AtomicStep,
    mask: u64,
    addresses: &'l [u64; W],
}

impl<const W: usize> Lanes<'_, W> {
    /// Does the operation; whether that changed a word.
    fn operate(self, words: &mut impl UpdateWords) -> bool {
        let ty = self.step.access.elem;
        match (self.step.op, ty) {
            (AtomicOp::Increment, _) => self.update(words, |old, _, _| Some(old.wrapping_add(1))),
            (AtomicOp::Add, Ty::I32) => self.update(words, |old, v, _| Some(old.wrapping_add(v))),
            (op, _) => self.update(words, |old, value, compare| {
                let [old, value, compare] = [old, value, compare].map(u64::from);
                atomic::apply(op, ty, old, value, compare).map(|new| new as u32)
            }),
        }
    }

    /// Replaces what each lane's word holds by what `f` makes of it, the value
    /// and the one to compare with; whether that changed one.
    #[inline(always)]
    fn update(
        self,
        words: &mut impl UpdateWords,
        f: impl Fn(u32, u32, u32) -> Option<u32>,
    ) -> bool {
        // The result may take a register that an operand leaves.
        let operand = |slot: Option<u32>| slot.map_or([0; W], |s| self.bank[s as usize]);
        let (values, compares) = (operand(self.step.value), operand(self.step.compare));
        let mut results = self.step.dst.map(|s| &mut self.bank[s as usize]);
        let mut changed = false;
        let mut one = |lane: usize| {
            let (value, compare) = (values[lane], compares[lane]);
            let word = offset(self.addresses[lane]) / 4;
            let old = words.update(word, |old| f(old, value, compare));
            changed |= f(old, value, compare).is_some_and(|new| new != old);
            if let Some(results) = &mut results {
                results[lane] = old;
            }
        };
        if self.mask == first_lanes(W as u32) {
            (0..W).for_each(&mut one);
        } else {
            each_lane(self.mask).for_each(|lane| one(lane % W));
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
