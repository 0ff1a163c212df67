//! The scalar types of OpenCL C and their values.

use tilewise_ir::Ty;

/// How the bits of a type are read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    Signed,
    Unsigned,
    Float,
}

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Elem {
    pub name: &'static str,
    pub size: usize,
    pub kind: Kind,
    pub ty: Ty,
}

const fn elem(name: &'static str, size: usize, kind: Kind, ty: Ty) -> Elem {
    Elem {
        name,
        size,
        kind,
        ty,
    }
}

/// All of them.
pub const TYPES: [Elem; 11] = [
    elem("char", 1, Kind::Signed, Ty::I8),
    elem("uchar", 1, Kind::Unsigned, Ty::I8),
    elem("short", 2, Kind::Signed, Ty::I16),
    elem("ushort", 2, Kind::Unsigned, Ty::I16),
    elem("int", 4, Kind::Signed, Ty::I32),
    elem("uint", 4, Kind::Unsigned, Ty::I32),
    elem("long", 8, Kind::Signed, Ty::I64),
    elem("ulong", 8, Kind::Unsigned, Ty::I64),
    elem("half", 2, Kind::Float, Ty::F16),
    elem("float", 4, Kind::Float, Ty::F32),
    elem("double", 8, Kind::Float, Ty::F64),
];

/// The type of a kind and size.
pub fn of(kind: Kind, size: usize) -> Elem {
    let found = TYPES.iter().find(|t| t.kind == kind && t.size == size);
    *found.unwrap_or_else(|| panic!("no type of {size} bytes, {kind:?}"))
}

impl Elem {
    /// The name of a vector of `length`.
    pub fn vector(self, length: u32) -> String {
        match length {
            1 => self.name.to_owned(),
            n => format!("{}{n}", self.name),
        }
    }

    /// The bits at an index of a buffer.
    pub fn bits(self, bytes: &[u8], index: usize) -> u64 {
        let mut word = [0; 8];
        word[..self.size].copy_from_slice(&bytes[index * self.size..(index + 1) * self.size]);
        u64::from_le_bytes(word)
    }

    /// The number that bits are; integers beyond 2^53 are rounded.
    pub fn number(self, bits: u64) -> f64 {
        match self.ty {
            Ty::F16 => half::f16::from_bits(bits as u16).to_f64(),
            Ty::F32 => f64::from(f32::from_bits(bits as u32)),
            Ty::F64 => f64::from_bits(bits),
            _ if self.kind == Kind::Signed => {
                let unused = 64 - 8 * self.size;
                (((bits << unused) as i64) >> unused) as f64
            }
            _ => bits as f64,
        }
    }

    /// The bits nearest to a number.
    pub fn nearest(self, v: f64) -> u64 {
        match self.ty {
            Ty::F16 => u64::from(half::f16::from_f64(v).to_bits()),
            Ty::F32 => u64::from((v as f32).to_bits()),
            Ty::F64 => v.to_bits(),
            _ => v as i64 as u64,
        }
    }

    /// Lowest and highest value of an integer type.
    pub fn range(self) -> (f64, f64) {
        let bits = 8 * self.size as i32;
        match self.kind {
            Kind::Signed => (-2f64.powi(bits - 1), 2f64.powi(bits - 1) - 1.0),
            _ => (0.0, 2f64.powi(bits) - 1.0),
        }
    }

    /// Bits of a mantissa, and the exponent of the smallest number.
    fn precision(self) -> (i32, i32, i32) {
        match self.ty {
            Ty::F16 => (11, -24, 15),
            Ty::F32 => (24, -149, 127),
            _ => (53, -1074, 1023),
        }
    }

    /// The distance of neighbouring numbers at a magnitude.
    pub fn ulp(self, v: f64) -> f64 {
        let (precision, lowest, highest) = self.precision();
        let exponent = if v == 0.0 || !v.is_finite() {
            if v == 0.0 { lowest } else { highest }
        } else {
            (v.abs().to_bits() >> 52) as i32 - 1023
        };
        let power = (exponent - precision + 1).max(lowest);
        2f64.powi(power / 2) * 2f64.powi(power - power / 2)
    }
}
