//! Steps of affine values.

use tilewise_ir::{BinaryOp, BlockId, Kernel, Op, Ty, Value};

use super::affine::{Base, Increment, Sum};
use super::emit::Emitter;
use super::step::{At, Pointer};
use crate::affine::{AffineCompare, AffineValue, ClassKey, Source, UniformSum, Widened};
use crate::alu::{AluInst, AluOp, NO_SLOT};

/// The affine values that steps use.
pub(super) struct AffineSteps {
    pub values: Vec<AffineValue>,
    pub classes: Vec<ClassKey>,
    pub compares: Vec<AffineCompare>,
    /// By value of the kernel: its number among those above.
    numbers: Vec<Option<u32>>,
}

impl AffineSteps {
    pub fn new(kernel: &Kernel) -> Self {
        Self {
            values: Vec::new(),
            classes: Vec::new(),
            compares: Vec::new(),
            numbers: vec![None; kernel.values.len()],
        }
    }
}

impl Emitter<'_> {
    /// Writes what an instruction takes whose result is affine, or compares affine
    /// values; returns whether it is one.
    pub(super) fn affine_inst(&mut self, block: BlockId, at: At, op: &Op) -> bool {
        if matches!(op, Op::WorkItem { .. }) {
            // Set before the kernel starts, where its lanes are read.
            return false;
        }
        let given = self.facts.given(self.kernel, self.fixed);
        if let Some((compare, value, with)) = self.facts.forms.comparison(&given, op, block) {
            let mut dst = None;
            op.for_each_def(|d| dst = Some(d));
            if let Some(dst) = dst.filter(|d| self.needed.values[d.index()]) {
                let compare = AffineCompare {
                    op: compare,
                    value: self.affine_value(value),
                    with: self.source(Base::Value(with)),
                    narrow: self.kernel.ty(value) == Ty::I32,
                };
                self.affine.compares.push(compare);
                let number = self.affine.compares.len() as u32 - 1;
                self.affine_alu(at, AluOp::AffineCompare(number), dst);
            } else {
                self.no_code(at);
            }
            return true;
        }
        let mut affine = None;
        op.for_each_def(|d| affine = affine.or(self.facts.forms.of(d).map(|_| d)));
        let Some(dst) = affine else {
            return false;
        };
        if self.facts.without_lanes[dst.index()] || !self.needed.values[dst.index()] {
            self.no_code(at);
        } else {
            let value = self.affine_value(dst);
            let ty = self.kernel.ty(dst);
            self.affine_alu(at, AluOp::Affine { value, ty }, dst);
        }
        true
    }

    /// Where an access reads its addresses from.
    pub(super) fn pointer(&mut self, block: BlockId, ptr: Value) -> Pointer {
        let given = self.facts.given(self.kernel, self.fixed);
        if self.facts.forms.at(&given, ptr, block).is_some() {
            Pointer::Affine(self.affine_value(ptr))
        } else {
            Pointer::At(self.operand(ptr))
        }
    }

    fn affine_alu(&mut self, at: At, op: AluOp, dst: Value) {
        let inst = AluInst {
            op,
            dst: self.slots.vector_of(dst).unwrap_or(NO_SLOT),
            a: NO_SLOT,
            b: NO_SLOT,
            c: NO_SLOT,
            scalar: false,
            spread: NO_SLOT,
            blend: self.facts.blend[dst.index()],
            by_lane: op.by_lane(),
        };
        self.pure(at, inst);
    }

    /// The number of an affine value.
    fn affine_value(&mut self, value: Value) -> u32 {
        if let Some(number) = self.affine.numbers[value.index()] {
            return number;
        }
        let form = self.facts.forms.of(value).cloned().unwrap_or_default();
        let key = ClassKey {
            lanes: form.sum.lanes,
            widened: form.widened.as_ref().map(|w| (w.sum.lanes, w.scale)),
            narrow: self.kernel.ty(value) == Ty::I32,
        };
        let classes = &mut self.affine.classes;
        let class = classes.iter().position(|c| *c == key).unwrap_or_else(|| {
            classes.push(key);
            classes.len() - 1
        });
        let affine = AffineValue {
            sum: self.uniform_sum(&form.sum),
            widened: form.widened.as_ref().map(|w| Widened {
                sum: self.uniform_sum(&w.sum),
                signed: w.signed,
                scale: w.scale,
            }),
            class: class as u32,
        };
        self.affine.values.push(affine);
        let number = self.affine.values.len() as u32 - 1;
        self.affine.numbers[value.index()] = Some(number);
        number
    }

    fn uniform_sum(&mut self, sum: &Sum) -> UniformSum {
        UniformSum {
            constant: sum.constant,
            terms: sum
                .terms
                .iter()
                .map(|&(base, factor)| (self.source(base), factor))
                .collect(),
        }
    }

    fn source(&mut self, base: Base) -> Source {
        match base {
            Base::FirstId(dim) => Source::FirstId(dim),
            Base::Value(value) => {
                let slot = self.slots.scalar_of(value).unwrap_or(NO_SLOT);
                self.scalar_source(value, slot)
            }
            Base::Added(param) => {
                let slot = self.slots.added_to(param);
                self.scalar_source(param, slot)
            }
        }
    }

    fn scalar_source(&self, value: Value, slot: u32) -> Source {
        match self.kernel.ty(value) {
            Ty::I32 => Source::Narrow(slot),
            _ => Source::Wide(slot),
        }
    }

    /// Writes what an edge into the header of a loop does to the scalars of what the loop
    /// has added: they start from 0 and grow.
    pub(super) fn increments(&mut self, from: BlockId, to: BlockId) {
        let kernel = self.kernel;
        let mut loops = self.facts.loops.all().iter();
        let again = loops.any(|l| l.header == to && l.contains(from));
        for &param in &kernel.block(to).params {
            let Some(increment) = self.facts.forms.increment_of(param) else {
                continue;
            };
            if !self.needed.values[param.index()] {
                continue;
            }
            let narrow = kernel.ty(param) == Ty::I32;
            let ty = if narrow { Ty::I32 } else { Ty::I64 };
            let added = self.slots.added_to(param);
            let by = match increment {
                _ if !again => self.scalar_constant(ty, 0),
                Increment::Constant(by) => self.scalar_constant(ty, by as u64),
                Increment::Value(value) => self.slots.scalar_of(value).unwrap_or(NO_SLOT),
            };
            let (op, a, b) = match again {
                true => (AluOp::Binary(BinaryOp::Add, ty), added, by),
                false => (AluOp::Move(ty), by, NO_SLOT),
            };
            self.code.push(AluInst {
                op,
                dst: added,
                a,
                b,
                c: NO_SLOT,
                scalar: true,
                spread: NO_SLOT,
                blend: true,
                by_lane: false,
            });
        }
    }

    /// A scalar register that holds a number throughout.
    fn scalar_constant(&mut self, ty: Ty, bits: u64) -> u32 {
        let slot = self.slots.lasting_scalar(ty);
        self.scalar_constants.push((ty, slot, bits));
        slot
    }
}
