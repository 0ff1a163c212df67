//! Gives values their registers.

use tilewise_ir::{Kernel, Ty, Value};

use super::facts::Facts;
use crate::registers::BankSizes;

/// Registers of one file, with those that are free again by lane size.
#[derive(Debug, Default)]
struct File {
    sizes: BankSizes,
    free: [Vec<u32>; 4],
}

impl File {
    fn take(&mut self, ty: Ty) -> u32 {
        match self.free[bank(ty)].pop() {
            Some(slot) => slot,
            None => self.take_new(ty),
        }
    }

    /// One that no other value has had.
    fn take_new(&mut self, ty: Ty) -> u32 {
        let next = self.sizes.of(ty);
        *next += 1;
        *next - 1
    }

    fn give_back(&mut self, ty: Ty, slot: u32) {
        self.free[bank(ty)].push(slot);
    }
}

fn bank(ty: Ty) -> usize {
    ty.size().trailing_zeros() as usize
}

/// The registers of each value.
pub(crate) struct Slots<'k> {
    kernel: &'k Kernel,
    facts: &'k Facts,
    scalars: File,
    vectors: File,
    scalar: Vec<Option<u32>>,
    vector: Vec<Option<u32>>,
    /// Scalars of what loops have added to their parameters.
    added: Vec<Option<u32>>,
}

impl<'k> Slots<'k> {
    pub fn new(kernel: &'k Kernel, facts: &'k Facts) -> Self {
        Self {
            kernel,
            facts,
            scalars: File::default(),
            vectors: File::default(),
            scalar: vec![None; kernel.values.len()],
            vector: vec![None; kernel.values.len()],
            added: vec![None; kernel.values.len()],
        }
    }

    /// Gives a value its registers, if it has none yet.
    pub fn define(&mut self, value: Value) {
        let i = value.index();
        let ty = self.kernel.ty(value);
        if self.facts.scalar[i] && self.scalar[i].is_none() {
            self.scalar[i] = Some(self.scalars.take(ty));
        }
        let lanes = match self.facts.scalar[i] {
            true => self.facts.spread[i],
            false => !self.facts.without_lanes[i],
        };
        if lanes && self.vector[i].is_none() {
            self.vector[i] = Some(self.vectors.take(ty));
        }
    }

    /// The scalar register of what a loop has added to a parameter.
    pub fn added_to(&mut self, param: Value) -> u32 {
        let ty = self.kernel.ty(param);
        *self.added[param.index()].get_or_insert_with(|| self.scalars.take_new(ty))
    }

    /// A scalar register that keeps what it holds when the kernel starts.
    pub fn lasting_scalar(&mut self, ty: Ty) -> u32 {
        self.scalars.take_new(ty)
    }

    /// Lets others use the registers of a value that no one reads any more.
    pub fn release(&mut self, value: Value) {
        let i = value.index();
        let ty = self.kernel.ty(value);
        if let Some(slot) = self.scalar[i] {
            self.scalars.give_back(ty, slot);
        }
        if let Some(slot) = self.vector[i] {
            self.vectors.give_back(ty, slot);
        }
    }

    /// A register of its own in the scalar or vector file.
    pub fn spare(&mut self, scalar: bool, ty: Ty) -> u32 {
        if scalar {
            self.scalars.take(ty)
        } else {
            self.vectors.take(ty)
        }
    }

    /// The scalar register of a value, if it has one.
    pub fn scalar_of(&mut self, value: Value) -> Option<u32> {
        self.define(value);
        self.scalar[value.index()]
    }

    /// The vector register of a value, if it has one.
    pub fn vector_of(&mut self, value: Value) -> Option<u32> {
        self.define(value);
        self.vector[value.index()]
    }

    /// Sizes of the scalar and the vector file.
    pub fn sizes(&self) -> (BankSizes, BankSizes) {
        (self.scalars.sizes, self.vectors.sizes)
    }
}
