//! The register file of a sub-group: one bank of lane arrays per lane size.
//!
//! `Registers<1>` is the scalar file, which holds what is uniform over the
//! sub-group.

use tilewise_ir::Ty;

/// How many registers of each size a kernel needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BankSizes {
    pub b1: u32,
    pub b2: u32,
    pub b4: u32,
    pub b8: u32,
}

impl BankSizes {
    /// The count of the bank that holds values of a type.
    pub fn of(&mut self, ty: Ty) -> &mut u32 {
        match ty.size() {
            1 => &mut self.b1,
            2 => &mut self.b2,
            4 => &mut self.b4,
            _ => &mut self.b8,
        }
    }
}

/// Lane arrays by size. A truth value is a byte that holds 0 or 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers<const W: usize> {
    pub b1: Vec<[u8; W]>,
    pub b2: Vec<[u16; W]>,
    pub b4: Vec<[u32; W]>,
    pub b8: Vec<[u64; W]>,
}

/// The banks of a register file, cut into lane arrays of `N`: a register of
/// `W` lanes is `W / N` of them, one after another.
pub(crate) struct Banks<'r, const N: usize> {
    pub b1: &'r mut [[u8; N]],
    pub b2: &'r mut [[u16; N]],
    pub b4: &'r mut [[u32; N]],
    pub b8: &'r mut [[u64; N]],
}

impl<const N: usize> Banks<'_, N> {
    /// The banks cut smaller.
    pub fn cut<const M: usize>(&mut self) -> Banks<'_, M> {
        const { assert!(N.is_multiple_of(M)) };
        Banks {
            b1: self.b1.as_flattened_mut().as_chunks_mut().0,
            b2: self.b2.as_flattened_mut().as_chunks_mut().0,
            b4: self.b4.as_flattened_mut().as_chunks_mut().0,
            b8: self.b8.as_flattened_mut().as_chunks_mut().0,
        }
    }

    /// Sets all lanes to one value.
    #[inline(always)]
    pub fn splat(&mut self, ty: Ty, slot: u32, bits: u64) {
        let slot = slot as usize;
        match ty.size() {
            1 => self.b1[slot] = [bits as u8; N],
            2 => self.b2[slot] = [bits as u16; N],
            4 => self.b4[slot] = [bits as u32; N],
            _ => self.b8[slot] = [bits; N],
        }
    }

    /// The bits of one lane, zero-extended.
    pub fn get(&self, ty: Ty, slot: u32, lane: usize) -> u64 {
        let slot = slot as usize;
        match ty.size() {
            1 => u64::from(self.b1[slot][lane]),
            2 => u64::from(self.b2[slot][lane]),
            4 => u64::from(self.b4[slot][lane]),
            _ => self.b8[slot][lane],
        }
    }

    /// Sets one lane.
    pub fn set(&mut self, ty: Ty, slot: u32, lane: usize, bits: u64) {
        let slot = slot as usize;
        match ty.size() {
            1 => self.b1[slot][lane] = bits as u8,
            2 => self.b2[slot][lane] = bits as u16,
            4 => self.b4[slot][lane] = bits as u32,
            _ => self.b8[slot][lane] = bits,
        }
    }
}

impl<const W: usize> Registers<W> {
    /// Registers that hold zeros.
    pub fn new(sizes: BankSizes) -> Self {
        Self {
            b1: vec![[0; W]; sizes.b1 as usize],
            b2: vec![[0; W]; sizes.b2 as usize],
            b4: vec![[0; W]; sizes.b4 as usize],
            b8: vec![[0; W]; sizes.b8 as usize],
        }
    }

    /// The banks, cut into arrays of `N` lanes, where `N` divides `W`.
    #[inline(always)]
    pub fn banks<const N: usize>(&mut self) -> Banks<'_, N> {
        const { assert!(W.is_multiple_of(N)) };
        Banks {
            b1: self.b1.as_flattened_mut().as_chunks_mut().0,
            b2: self.b2.as_flattened_mut().as_chunks_mut().0,
            b4: self.b4.as_flattened_mut().as_chunks_mut().0,
            b8: self.b8.as_flattened_mut().as_chunks_mut().0,
        }
    }

    /// The bits of one lane, zero-extended.
    pub fn get(&self, ty: Ty, slot: u32, lane: usize) -> u64 {
        let slot = slot as usize;
        match ty.size() {
            1 => u64::from(self.b1[slot][lane]),
            2 => u64::from(self.b2[slot][lane]),
            4 => u64::from(self.b4[slot][lane]),
            _ => self.b8[slot][lane],
        }
    }

    /// Sets one lane.
    pub fn set(&mut self, ty: Ty, slot: u32, lane: usize, bits: u64) {
        self.banks::<W>().set(ty, slot, lane, bits);
    }

    /// Sets all lanes to one value.
    pub fn splat(&mut self, ty: Ty, slot: u32, bits: u64) {
        self.banks::<W>().splat(ty, slot, bits);
    }

    /// Sets the lanes of a mask to one value.
    pub fn splat_masked(&mut self, ty: Ty, slot: u32, bits: u64, mask: u64) {
        for lane in crate::lanes::each_lane(mask).take_while(|&l| l < W) {
            self.set(ty, slot, lane, bits);
        }
    }
}
