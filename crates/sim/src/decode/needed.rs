//! What control flow and addresses are computed from, and nothing else.
//!
//! Who counts accesses and instructions needs no results. A backward slice
//! (Weiser, "Program slicing", 1981) from branches, addresses, and whatever else
//! can be seen from outside keeps what such a run has to compute; a store's value
//! is among it only where a kept load or an atomic may read that memory again.
//! Memory is told apart by region, where a pointer's arithmetic shows which it
//! starts from.
//!
//! Misses: regions by part (one kept load of a buffer keeps every store to it).

use tilewise_ir::{Kernel, Op, ParamBinding, Value};

use super::facts::{divides_safely, is_division};
use crate::memory::Regions;

/// What a run that leaves results out must still compute.
pub(super) struct Needed {
    pub values: Vec<bool>,
    memory: Contents,
    /// By value: the region that it points into, where that can be seen.
    regions: Vec<Option<usize>>,
}

/// Regions whose contents are read.
struct Contents {
    all: bool,
    regions: Vec<bool>,
}

impl Contents {
    /// Notes that a region is read; returns whether that is new.
    fn read(&mut self, region: Option<usize>) -> bool {
        let read = match region {
            Some(region) => &mut self.regions[region],
            None => &mut self.all,
        };
        !std::mem::replace(read, true)
    }

    fn are_read(&self, region: Option<usize>) -> bool {
        self.all
            || match region {
                Some(region) => self.regions[region],
                None => self.regions.iter().any(|&r| r),
            }
    }
}

impl Needed {
    /// Everything, where results count.
    pub fn everything(kernel: &Kernel) -> Self {
        Self {
            values: vec![true; kernel.values.len()],
            memory: Contents {
                all: true,
                regions: Vec::new(),
            },
            regions: vec![None; kernel.values.len()],
        }
    }

    /// What control flow, addresses and faults depend on.
    pub fn without_results(kernel: &Kernel, regions: &Regions) -> Self {
        let mut needed = Self {
            values: vec![false; kernel.values.len()],
            memory: Contents {
                all: false,
                regions: vec![false; regions.all().len()],
            },
            regions: pointed_to(kernel, regions),
        };
        while needed.grow(kernel) {}
        needed
    }

    /// Whether the value of a store through a pointer may be read again.
    pub fn stores_to(&self, pointer: Value) -> bool {
        self.memory.are_read(self.regions[pointer.index()])
    }

    /// Adds what the kept instructions need; returns whether anything was new.
    fn grow(&mut self, kernel: &Kernel) -> bool {
        let mut grown = false;
        for block in &kernel.blocks {
            for inst in &block.insts {
                grown |= self.keep_operands(kernel, &inst.op);
            }
            if let Some(value) = block.term.condition() {
                grown |= self.keep(value);
            }
            for edge in block.term.edges() {
                for (param, &arg) in kernel.block(edge.block).params.iter().zip(&edge.args) {
                    if self.values[param.index()] {
                        grown |= self.keep(arg);
                    }
                }
            }
        }
        grown
    }

    fn keep(&mut self, value: Value) -> bool {
        !std::mem::replace(&mut self.values[value.index()], true)
    }

    fn keep_operands(&mut self, kernel: &Kernel, op: &Op) -> bool {
        let mut result_needed = false;
        op.for_each_def(|d| result_needed |= self.values[d.index()]);
        let mut grown = false;
        match op {
            Op::Load { ptr, .. } => {
                grown |= self.keep(*ptr);
                if result_needed {
                    grown |= self.memory.read(self.regions[ptr.index()]);
                }
            }
            Op::Store { ptr, src, .. } => {
                grown |= self.keep(*ptr);
                if self.stores_to(*ptr) {
                    for &value in src.iter().flatten() {
                        grown |= self.keep(value);
                    }
                }
            }
            op if op.is_pure() => {
                let done_anyway = match op {
                    // A division by zero is a fault, whoever reads the result.
                    Op::Binary { op, b, .. } => is_division(*op) && !divides_safely(kernel, *b),
                    // Steps of their own.
                    Op::PointsTo { .. } | Op::ImageQuery { .. } => true,
                    _ => false,
                };
                if result_needed || done_anyway {
                    op.for_each_use(|u| grown |= self.keep(u));
                }
            }
            op => {
                // Atomics, copies, texels, what is printed, functions of groups:
                // done as in any run.
                op.for_each_use(|u| grown |= self.keep(u));
                if let Op::Atomic { ptr, .. } | Op::Copy { src: ptr, .. } = op {
                    grown |= self.memory.read(self.regions[ptr.index()]);
                }
                if let Op::AsyncCopy { src, .. } = op {
                    grown |= self.memory.read(self.regions[src.index()]);
                }
            }
        }
        grown
    }
}

/// By value: the region that it points into, where it is an argument or the
/// address of a variable, with or without something added.
fn pointed_to(kernel: &Kernel, regions: &Regions) -> Vec<Option<usize>> {
    let number = |region: tilewise_ir::pointer::Region| usize::from(region.0);
    let mut known = vec![None; kernel.values.len()];
    for (index, param) in kernel.params.iter().enumerate() {
        if let ParamBinding::Pointer { value, .. } | ParamBinding::Image { value } = &param.binding
        {
            known[value.index()] = regions.of_arg(index).map(number);
        }
    }
    // Blocks stand in no particular order.
    loop {
        let mut changed = false;
        for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
            let (dst, region) = match inst.op {
                Op::VarAddr { dst, var } => (dst, Some(number(regions.of_var(var)))),
                Op::PtrAdd { dst, base, .. } => (dst, known[base.index()]),
                _ => continue,
            };
            changed |= known[dst.index()] != region;
            known[dst.index()] = region;
        }
        if !changed {
            return known;
        }
    }
}
