//! The scalars of an element, one after the other. They are counted and found,
//! never listed: a structure may hold an array of any length.

use crate::element::Scalar;
use crate::signature::ValueType;

/// Number of scalars of a type. A vector of three has a fourth one, as its
/// memory has.
pub(super) fn scalar_count(ty: &ValueType) -> u64 {
    match ty {
        ValueType::Elem(elem) => elem.size() / elem.scalar.size(),
        ValueType::Opaque { size, .. } => *size,
        ValueType::Struct(s) => s.fields.iter().fold(0, |sum: u64, field| {
            let each = scalar_count(&field.ty);
            sum.wrapping_add(each.wrapping_mul(field.array.unwrap_or(1)))
        }),
    }
}

/// The types of a type's scalars, each at least once.
pub(super) fn scalar_types(ty: &ValueType) -> Vec<Scalar> {
    match ty {
        ValueType::Elem(elem) => vec![elem.scalar],
        ValueType::Opaque { size: 0, .. } => Vec::new(),
        ValueType::Opaque { .. } => vec![Scalar::U8],
        ValueType::Struct(s) => {
            let fields = s.fields.iter().filter(|field| field.array != Some(0));
            fields.flat_map(|field| scalar_types(&field.ty)).collect()
        }
    }
}

/// Some bytes of an element.
pub(super) struct Stretch<'a> {
    /// The bytes.
    pub part: &'a mut [u8],
    /// Where in the element they begin.
    pub start: u64,
}

impl Stretch<'_> {
    /// Writes the scalars of an element of type `ty`, of which `value` gives
    /// the bytes by their number in the element.
    pub fn write(mut self, ty: &ValueType, value: impl Fn(Scalar, u64) -> [u8; 8]) {
        self.write_at(ty, 0, 0, &value);
    }

    /// A part of the element that begins at `base` with scalar `number`.
    fn write_at(
        &mut self,
        ty: &ValueType,
        base: u64,
        number: u64,
        value: &impl Fn(Scalar, u64) -> [u8; 8],
    ) {
        match ty {
            ValueType::Elem(elem) => self.write_scalars(
                elem.scalar,
                self.touched(base, elem.scalar.size(), scalar_count(ty)),
                base,
                number,
                value,
            ),
            ValueType::Opaque { size, .. } => {
                let touched = self.touched(base, 1, *size);
                self.write_scalars(Scalar::U8, touched, base, number, value);
            }
            ValueType::Struct(s) => {
                let mut number = number;
                for field in &s.fields {
                    let base = base + field.offset;
                    let (size, each) = (field.ty.size(), scalar_count(&field.ty));
                    let count = field.array.unwrap_or(1);
                    for n in self.touched(base, size, count) {
                        let first = number.wrapping_add(n.wrapping_mul(each));
                        self.write_at(&field.ty, base + n * size, first, value);
                    }
                    number = number.wrapping_add(count.wrapping_mul(each));
                }
            }
        }
    }

    /// Which of `count` things of `size` bytes each from `base` on lie in the
    /// stretch, with at least a byte.
    fn touched(&self, base: u64, size: u64, count: u64) -> std::ops::Range<u64> {
        let end = self.start + self.part.len() as u64;
        if size == 0 || end <= base {
            return 0..0;
        }
        let first = self.start.saturating_sub(base) / size;
        first..(end - base).div_ceil(size).min(count)
    }

    fn write_scalars(
        &mut self,
        scalar: Scalar,
        touched: std::ops::Range<u64>,
        base: u64,
        number: u64,
        value: &impl Fn(Scalar, u64) -> [u8; 8],
    ) {
        let size = scalar.size();
        for n in touched {
            let bytes = value(scalar, number.wrapping_add(n));
            let at = base + n * size;
            // The first and the last may be cut.
            let from = at.max(self.start);
            let until = (at + size).min(self.start + self.part.len() as u64);
            let (to, skip) = ((from - self.start) as usize, (from - at) as usize);
            let len = until.saturating_sub(from) as usize;
            self.part[to..to + len].copy_from_slice(&bytes[skip..skip + len]);
        }
    }
}
