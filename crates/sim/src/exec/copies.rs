//! Copies of bytes: structures, and the work-group's asynchronous copies.

use tilewise_ir::pointer::region;
use tilewise_ir::{MemAccess, Space};

use super::control::Runner;
use super::memory_access::{Access, first_components, with_words};
use crate::decode::{AsyncCopyStep, At, CopyStep, Operand, Pointer};
use crate::fault::FaultKind;
use crate::lanes::each_lane;
use crate::memory::{LocalWords, Place, Plan, PrivateWords, offset, read_bits, write_bits};
use crate::observer::{AccessKind, Observer};

/// One copy of all lanes: what is read, and what is written.
struct Transfer<'s> {
    at: At,
    load: &'s MemAccess,
    store: &'s MemAccess,
    bytes: u32,
    from_data: bool,
}

impl<const W: usize, O: Observer> Runner<'_, '_, W, O> {
    pub(super) fn copy(&mut self, step: &CopyStep, mask: u64) {
        let transfer = Transfer {
            at: step.at,
            load: &step.load,
            store: &step.store,
            bytes: step.bytes,
            from_data: step.from_data,
        };
        let (mut from, mut to) = ([0; W], [0; W]);
        let from_plan = self.addresses(Pointer::At(step.src), mask, step.bytes, &mut from);
        let to_plan = self.addresses(Pointer::At(step.dst), mask, step.bytes, &mut to);
        self.transfer(&transfer, mask, (&from, &from_plan), (&to, &to_plan));
    }

    /// Reads all lanes, then writes all lanes, as one instruction each.
    fn transfer(
        &mut self,
        transfer: &Transfer<'_>,
        mask: u64,
        (from, from_plan): (&[u64; W], &Plan),
        (to, to_plan): (&[u64; W], &Plan),
    ) {
        let access = |kind, access| Access {
            at: transfer.at,
            kind,
            access,
            components: first_components(transfer.load.count),
            from_data: transfer.from_data,
            image: None,
            stored: &[],
        };
        self.access(
            &access(AccessKind::Load, transfer.load),
            mask,
            from,
            from_plan,
        );
        let size = transfer.bytes as usize;
        let mut bytes = vec![0u8; size * W];
        for lane in each_lane(mask & from_plan.in_bounds) {
            let first = offset(from[lane]);
            let part = &mut bytes[lane * size..(lane + 1) * size];
            with_words!(self, region(from[lane]), words, {
                for (i, b) in part.iter_mut().enumerate() {
                    *b = read_bits(words, lane, first + i as u64, 1) as u8;
                }
            });
        }
        self.access(
            &access(AccessKind::Store, transfer.store),
            mask,
            to,
            to_plan,
        );
        self.context.changes += 1;
        for lane in each_lane(mask & to_plan.in_bounds) {
            let target = region(to[lane]);
            if self.context.prepared.regions.get(target).space == Space::Constant {
                continue;
            }
            let first = offset(to[lane]);
            let part = &bytes[lane * size..(lane + 1) * size];
            with_words!(self, target, words, {
                for (i, b) in part.iter().enumerate() {
                    write_bits(words, lane, first + i as u64, 1, u64::from(*b));
                }
            });
        }
    }

    /// The sub-group's share of a work-group's copy: elements are dealt out to
    /// the work-items in turn, as devices without a copy engine do it.
    /// False where the step budget is spent: a length that nothing has set can
    /// be anything.
    pub(super) fn async_copy(&mut self, step: &AsyncCopyStep, mask: u64) -> bool {
        let lane = mask.trailing_zeros() as usize;
        let operands = [step.dst, step.src, step.count, step.stride];
        let differs = |operand: &Operand| match *operand {
            Operand::Scalar(_) => false,
            Operand::Vector(slot) => {
                let lanes = &self.sub_group.vectors.b8[slot as usize];
                each_lane(mask).any(|l| lanes[l] != lanes[lane])
            }
        };
        let arguments = operands.iter().any(differs);
        let [dst, src, count, stride] = operands.map(|operand| match operand {
            Operand::Scalar(slot) => self.scalars.b8[slot as usize][0],
            Operand::Vector(slot) => self.sub_group.vectors.b8[slot as usize][lane],
        });
        if arguments || mask != self.sub_group.initial {
            let kind = FaultKind::AsyncCopyDivergence { arguments };
            self.fault(kind, step.at.inst, step.at.site, mask);
        }
        let group = self.context.group;
        let work_items: u64 = group.size.iter().map(|&s| u64::from(s)).product();
        let size = u64::from(step.elem_bytes);
        // The stride is that of the side in global memory.
        let (to_step, from_step) = if step.dst_space == Space::Local {
            (size, size.wrapping_mul(stride))
        } else {
            (size.wrapping_mul(stride), size)
        };
        let own = u64::from(self.sub_group.index) * u64::from(group.width);
        let transfer = Transfer {
            at: step.at,
            load: &step.load,
            store: &step.store,
            bytes: step.elem_bytes,
            from_data: step.from_data,
        };
        let mut first = own;
        while first < count {
            match self.sub_group.budget.checked_sub(1) {
                Some(left) => self.sub_group.budget = left,
                None => return false,
            }
            let lanes = each_lane(self.sub_group.initial)
                .filter(|&l| first.saturating_add(l as u64) < count)
                .fold(0u64, |lanes, l| lanes | 1 << l);
            let addresses = |base: u64, step: u64| -> [u64; W] {
                std::array::from_fn(|l| {
                    base.wrapping_add(first.wrapping_add(l as u64).wrapping_mul(step))
                })
            };
            let (mut from, mut to) = ([0; W], [0; W]);
            let bytes = step.elem_bytes;
            let from_plan = self.plan(&addresses(src, from_step), &mut from, lanes, bytes);
            let to_plan = self.plan(&addresses(dst, to_step), &mut to, lanes, bytes);
            self.transfer(&transfer, lanes, (&from, &from_plan), (&to, &to_plan));
            first = first.saturating_add(work_items);
        }
        true
    }
}
