//! Which local loads a compiler merges into wider ones.
//!
//! Loads of one block merge when their addresses differ by constants, lie
//! next to each other and fill 16 or 8 bytes that are provably aligned, and
//! nothing that may write local memory stands between them. This is what
//! NVIDIA's `ptxas` does with the row reads of a tiled matrix product, whose
//! inner loop has been unrolled by four: four loads of a row become one.
//! Alignment comes from [`Forms`]: a `__local` array of the kernel's own can
//! be placed where it must, a `__local` argument can't.
//!
//! Misses: merging across blocks, and merging of stores.

use tilewise_ir::cfg::Cfg;
use tilewise_ir::{InstId, Kernel, Op, Space, Value};

use crate::affine::{Form, Forms};

/// What becomes of one load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MergeRole {
    /// It stays as it is.
    #[default]
    Alone,
    /// It becomes the wide load.
    Leads {
        /// Bytes from its own address to the start of the wide load; not
        /// positive.
        skip: i32,
        /// Bytes of the wide load.
        bytes: u32,
    },
    /// It is served by another load.
    Served,
}

/// What becomes of each local load of a kernel.
#[derive(Clone, Debug)]
pub struct LocalMerges {
    roles: Vec<MergeRole>,
}

/// A local load that can take part.
struct Candidate<'a> {
    inst: InstId,
    form: &'a Form,
    bytes: i64,
}

impl LocalMerges {
    /// Nothing merges.
    pub fn none(kernel: &Kernel) -> Self {
        Self {
            roles: vec![MergeRole::Alone; kernel.numbering().len()],
        }
    }

    /// Merges into accesses of up to `widest` bytes.
    pub fn new(kernel: &Kernel, widest: u32) -> Self {
        let mut merges = Self::none(kernel);
        let numbering = kernel.numbering();
        let forms = Forms::new(kernel, &Cfg::new(kernel));
        for block in kernel.block_ids() {
            let mut window: Vec<Candidate<'_>> = Vec::new();
            for (i, inst) in kernel.block(block).insts.iter().enumerate() {
                if let Some((ptr, bytes)) = mergeable(&inst.op) {
                    window.push(Candidate {
                        inst: numbering.id(block, i),
                        form: forms.get(ptr),
                        bytes,
                    });
                } else if may_write_local(&inst.op) {
                    merges.close(&forms, &mut window, i64::from(widest));
                }
            }
            merges.close(&forms, &mut window, i64::from(widest));
        }
        merges
    }

    /// What becomes of a load.
    pub fn role(&self, inst: InstId) -> MergeRole {
        self.roles.get(inst.index()).copied().unwrap_or_default()
    }

    /// Merges the loads of one window, and empties it.
    fn close(&mut self, forms: &Forms, window: &mut Vec<Candidate<'_>>, widest: i64) {
        let mut rest = std::mem::take(window);
        while let Some(first) = rest.first() {
            let terms = first.form.terms().to_vec();
            let zeros = forms.zeros_of_terms(first.form);
            let (mut same, other): (Vec<_>, Vec<_>) =
                rest.into_iter().partition(|c| c.form.terms() == terms);
            rest = other;
            same.sort_by_key(|c| (c.form.constant, c.inst));
            let mut size = widest;
            while size >= 8 {
                if zeros >= size.trailing_zeros() {
                    self.merge_into(&same, size);
                }
                size /= 2;
            }
        }
    }

    /// Merges runs of loads, sorted by address, that fill aligned `size` bytes.
    fn merge_into(&mut self, loads: &[Candidate<'_>], size: i64) {
        let free = |roles: &[MergeRole], c: &Candidate<'_>| {
            roles[c.inst.index()] == MergeRole::Alone && c.bytes < size
        };
        for (i, first) in loads.iter().enumerate() {
            let start = first.form.constant;
            if start.rem_euclid(size) != 0 || !free(&self.roles, first) {
                continue;
            }
            let mut run = vec![first];
            let mut end = start + first.bytes;
            for next in &loads[i + 1..] {
                if end >= start + size {
                    break;
                }
                if next.form.constant == end && free(&self.roles, next) {
                    end += next.bytes;
                    run.push(next);
                }
            }
            if end != start + size {
                continue;
            }
            for load in &run {
                self.roles[load.inst.index()] = MergeRole::Served;
            }
            if let Some(leader) = run.iter().min_by_key(|c| c.inst) {
                self.roles[leader.inst.index()] = MergeRole::Leads {
                    skip: (start - leader.form.constant) as i32,
                    bytes: size as u32,
                };
            }
        }
    }
}

/// Address and size of a local load that may be merged.
fn mergeable(op: &Op) -> Option<(Value, i64)> {
    match *op {
        Op::Load { ptr, access, .. } => (access.space == Space::Local
            && !access.volatile
            && access.bytes.is_power_of_two()
            && access.bytes >= 4)
            .then_some((ptr, i64::from(access.bytes))),
        _ => None,
    }
}

/// Whether the operation may change local memory or orders accesses to it.
fn may_write_local(op: &Op) -> bool {
    let local = |space: Space| matches!(space, Space::Local | Space::Generic);
    match *op {
        Op::Store { access, .. } | Op::Atomic { access, .. } => local(access.space),
        Op::Copy { dst_space, .. } | Op::AsyncCopy { dst_space, .. } => local(dst_space),
        Op::Barrier { .. } | Op::Fence { .. } | Op::WaitEvents => true,
        _ => false,
    }
}
