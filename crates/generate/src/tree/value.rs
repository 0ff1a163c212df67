//! Values of scalars and vectors as bits.

use serde::{Deserialize, Serialize};
use tilewise_launch::{ElemType, Scalar};

use crate::random::Random;
use crate::types::bits;

/// A scalar or vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// Its type.
    pub ty: ElemType,
    /// The components as bits, filled up with zeros.
    pub bits: [u64; 16],
}

impl Value {
    /// All zeros.
    pub fn zero(ty: ElemType) -> Self {
        Self { ty, bits: [0; 16] }
    }

    /// A scalar from its bits.
    pub fn scalar(scalar: Scalar, bits: u64) -> Self {
        let mut value = Self::zero(ElemType::scalar(scalar));
        value.bits[0] = bits;
        value
    }

    /// A small number of any type, the same in every component.
    pub fn small(ty: ElemType, n: i32) -> Self {
        let bits = match ty.scalar {
            Scalar::F32 => u64::from((n as f32).to_bits()),
            Scalar::F64 => f64::from(n).to_bits(),
            scalar => i64::from(n) as u64 & mask(scalar),
        };
        let mut value = Self::zero(ty);
        value.bits[..usize::from(ty.lanes)].fill(bits);
        value
    }

    /// Number of components.
    pub fn lanes(&self) -> usize {
        usize::from(self.ty.lanes)
    }

    /// The components.
    pub fn components(&self) -> &[u64] {
        &self.bits[..self.lanes()]
    }

    /// The bytes of the components, without padding.
    pub fn bytes(&self) -> Vec<u8> {
        let size = self.ty.scalar.size() as usize;
        let of = |bits: &u64| bits.to_le_bytes()[..size].to_vec();
        self.components().iter().flat_map(of).collect()
    }

    /// Reads components from bytes.
    pub fn from_bytes(ty: ElemType, bytes: &[u8]) -> Self {
        let mut value = Self::zero(ty);
        let size = ty.scalar.size() as usize;
        let lanes = value.lanes();
        for (bits, piece) in value.bits[..lanes].iter_mut().zip(bytes.chunks(size)) {
            let mut word = [0; 8];
            word[..piece.len()].copy_from_slice(piece);
            *bits = u64::from_le_bytes(word);
        }
        value
    }

    /// Whether two values are equal bit for bit, any NaN being like any other.
    pub fn same(&self, other: &Value) -> bool {
        let alike =
            |a: u64, b: u64| a == b || (is_nan(self.ty.scalar, a) && is_nan(other.ty.scalar, b));
        self.ty == other.ty
            && (self.components().iter().zip(other.components())).all(|(&a, &b)| alike(a, b))
    }

    /// A random value: small numbers, any bits, and the special ones.
    pub fn random(ty: ElemType, random: &mut Random) -> Self {
        let mut value = Self::zero(ty);
        let lanes = value.lanes();
        for bits in &mut value.bits[..lanes] {
            *bits = random_bits(ty.scalar, random);
        }
        value
    }
}

/// Whether the bits of a type are a NaN.
pub fn is_nan(scalar: Scalar, bits: u64) -> bool {
    match scalar {
        Scalar::F32 => f32::from_bits(bits as u32).is_nan(),
        Scalar::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

/// The bits that a type has.
pub fn mask(scalar: Scalar) -> u64 {
    u64::MAX >> (64 - bits(scalar))
}

fn random_bits(scalar: Scalar, random: &mut Random) -> u64 {
    if scalar.is_float() {
        let value = random_float(random);
        return match scalar {
            Scalar::F32 => match random.below(24) {
                0 => u64::from(
                    random
                        .pick([
                            f32::MAX,
                            f32::MIN_POSITIVE,
                            -f32::from_bits(1),
                            f32::from_bits(0x0070_0001),
                            16_777_216.0,
                            2_147_483_648.0,
                        ])
                        .to_bits(),
                ),
                _ => u64::from((value as f32).to_bits()),
            },
            _ => match random.below(24) {
                0 => random
                    .pick([
                        f64::MAX,
                        f64::MIN_POSITIVE,
                        -f64::from_bits(1),
                        9_007_199_254_740_993.0,
                        f64::from(f32::MAX) * 1.000_000_06,
                    ])
                    .to_bits(),
                _ => value.to_bits(),
            },
        };
    }
    let all = mask(scalar);
    match random.below(4) {
        0 => random.below(16) as u64 & all,
        1 => (random.below(16) as u64).wrapping_neg() & all,
        2 => random.bits() & all,
        _ => random.pick([0, 1, all, all >> 1, (all >> 1) + 1, 0x55 & all, 100]),
    }
}

fn random_float(random: &mut Random) -> f64 {
    let small = random.below(33) as f64 - 16.0;
    let fraction = random.bits() as f64 / u64::MAX as f64;
    match random.below(16) {
        0..5 => small,
        5..8 => small * 0.25,
        8..12 => small + fraction,
        12 => small * 1e10 * fraction,
        13 => small * 1e-10 * fraction,
        14 => random.pick([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5]),
        _ => random.pick([f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e30, -1e-30]),
    }
}
