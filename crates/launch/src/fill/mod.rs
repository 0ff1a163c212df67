//! The bytes of a [`Fill`], for any stretch of a buffer on its own.
//!
//! Random values come from SplitMix64 (Steele, Lea and Flood, "Fast splittable
//! pseudorandom number generators", OOPSLA 2014) used as a counter: value *i*
//! is the mix of `key + i * γ`. So a page has the same bytes in whichever order
//! pages are asked for, and a launch of 4 GiB costs only the pages it touches.

mod layout;
mod random;

use half::f16;
use random::{Span, below, between, random, unit_f32, unit_f64};

use crate::element::Scalar;
use crate::encode::{both_names, encode_scalar, integer_range};
use crate::expr::Num;
use crate::resolved::Fill;
use crate::signature::ValueType;
use crate::split_mix::{GAMMA, draw, mix};

impl Fill {
    /// Writes the bytes from `first_byte` of a buffer of `elem` with this fill.
    /// `stream` is the argument's ([`Launch::stream`](crate::Launch::stream)): buffers of
    /// one launch differ.
    pub fn write(&self, elem: &ValueType, seed: u64, stream: u64, first_byte: u64, out: &mut [u8]) {
        Filler::new(self, elem, seed, stream).write(first_byte, out);
    }

    /// Whether every value of the fill fits `elem`; the message says which
    /// does not.
    pub(crate) fn check(&self, elem: &ValueType) -> Result<(), String> {
        for scalar in layout::scalar_types(elem) {
            match *self {
                Fill::Constant(value) => encode_scalar(scalar, Num::Float(value), &mut [0; 8])?,
                Fill::Random {
                    range: Some((low, high)),
                } => {
                    if !(low.is_finite() && high.is_finite() && low < high) {
                        return Err(format!(
                            "random({low},{high}) is empty: the upper end is exclusive and must \
                             lie above the lower"
                        ));
                    }
                    if scalar.is_float() {
                        encode_scalar(scalar, Num::Float(low), &mut [0; 8])?;
                        encode_scalar(scalar, Num::Float(high), &mut [0; 8])?;
                        continue;
                    }
                    let (min, max) = integer_range(scalar);
                    let (first, end) = (low.ceil() as i128, high.ceil() as i128);
                    if first >= end {
                        return Err(format!("random({low},{high}) holds no whole number"));
                    }
                    if first < min || end - 1 > max {
                        return Err(format!(
                            "random({low},{high}) does not fit {}, which holds {min} to {max}",
                            both_names(scalar)
                        ));
                    }
                }
                Fill::Random { range: None } | Fill::Zero | Fill::Iota | Fill::File { .. } => {}
            }
        }
        Ok(())
    }
}

/// A [`Fill`] made ready for many stretches of one buffer.
#[derive(Clone, Debug)]
pub struct Filler<'a> {
    fill: &'a Fill,
    key: u64,
    /// Bytes from element to element.
    stride: u64,
    elem: ValueType,
    /// Number of scalars of one element.
    scalars: u64,
    /// The element is scalars of this type and nothing else.
    plain: Option<Scalar>,
}

impl<'a> Filler<'a> {
    /// For a buffer of `elem` with the random values of that number.
    pub fn new(fill: &'a Fill, elem: &ValueType, seed: u64, stream: u64) -> Self {
        let plain = match elem {
            ValueType::Elem(elem) => Some(elem.scalar),
            ValueType::Opaque { .. } => Some(Scalar::U8),
            ValueType::Struct(_) => None,
        };
        let key = mix(seed ^ mix(stream.wrapping_add(1).wrapping_mul(GAMMA)));
        Self {
            fill,
            key,
            stride: elem.size().max(1),
            elem: elem.clone(),
            scalars: layout::scalar_count(elem),
            plain,
        }
    }

    /// Writes the bytes from `first_byte` of the buffer.
    pub fn write(&self, first_byte: u64, out: &mut [u8]) {
        match self.fill {
            Fill::Zero => out.fill(0),
            Fill::File { data, .. } => copy_from(data, first_byte, out),
            Fill::Random { .. } | Fill::Iota | Fill::Constant(_) => match self.plain {
                Some(scalar) if first_byte.is_multiple_of(scalar.size()) => {
                    self.write_plain(scalar, first_byte / scalar.size(), out);
                }
                _ => self.write_elements(first_byte, out),
            },
        }
    }

    /// Scalars of one type, from the scalar `first` on. The usual types have
    /// loops of their own, in which nothing is decided.
    fn write_plain(&self, scalar: Scalar, first: u64, out: &mut [u8]) {
        let key = self.key;
        match *self.fill {
            Fill::Random { range } if !scalar.is_float() => {
                let span = Span::new(scalar, range);
                let value = |i: u64| span.pick(draw(key, i)).to_le_bytes();
                each_sized(scalar, first, out, value);
            }
            Fill::Random { range: None } if scalar == Scalar::F32 => {
                each(first, out, |i| unit_f32(draw(key, i)).to_le_bytes());
            }
            Fill::Random { range: None } if scalar == Scalar::F64 => {
                each(first, out, |i| unit_f64(draw(key, i)).to_le_bytes());
            }
            Fill::Random {
                range: Some((low, high)),
            } if scalar == Scalar::F32 => {
                each(first, out, |i| {
                    (below(scalar, between(low, high, draw(key, i)), low, high) as f32)
                        .to_le_bytes()
                });
            }
            Fill::Constant(_) => {
                let bytes = self.value(scalar, 0, 0);
                each_sized(scalar, first, out, |_| bytes);
            }
            // Vectors have a power of two of components: no division.
            Fill::Iota if self.scalars.is_power_of_two() => {
                let shift = self.scalars.trailing_zeros();
                match scalar {
                    Scalar::F32 => each(first, out, |i| ((i >> shift) as f32).to_le_bytes()),
                    Scalar::F16 | Scalar::F64 => {
                        each_sized(scalar, first, out, |i| self.value(scalar, i, i >> shift));
                    }
                    _ => each_sized(scalar, first, out, |i| (i >> shift).to_le_bytes()),
                }
            }
            Fill::Random { .. } | Fill::Iota | Fill::Zero | Fill::File { .. } => {
                let count = self.scalars.max(1);
                each_sized(scalar, first, out, |i| self.value(scalar, i, i / count));
            }
        }
    }

    /// Whole elements, of which the first and last may be cut.
    fn write_elements(&self, first_byte: u64, out: &mut [u8]) {
        let mut rest = out;
        let mut at = first_byte;
        while !rest.is_empty() {
            let (index, skip) = (at / self.stride, at % self.stride);
            let len = (self.stride - skip).min(rest.len() as u64);
            let (part, behind) = rest.split_at_mut(len as usize);
            // What lies between members is zero.
            part.fill(0);
            let first = index.wrapping_mul(self.scalars);
            layout::Stretch { part, start: skip }.write(&self.elem, |scalar, n| {
                self.value(scalar, first.wrapping_add(n), index)
            });
            at += len;
            rest = behind;
        }
    }

    /// The scalar with number `counter` in the buffer, which belongs to element
    /// `index`: its bytes, and zeros behind them.
    fn value(&self, scalar: Scalar, counter: u64, index: u64) -> [u8; 8] {
        let value = match *self.fill {
            Fill::Random { range } => return random(scalar, range, draw(self.key, counter)),
            Fill::Constant(value) => value,
            Fill::Iota if scalar.is_float() => index as f64,
            // Indices beyond the type's range wrap, as a C conversion does.
            Fill::Iota => return index.to_le_bytes(),
            Fill::Zero | Fill::File { .. } => 0.0,
        };
        if scalar.is_float() {
            float_bytes(scalar, value)
        } else {
            (value as i128 as u64).to_le_bytes()
        }
    }
}

fn float_bytes(scalar: Scalar, value: f64) -> [u8; 8] {
    let mut out = [0; 8];
    match scalar {
        Scalar::F16 => out[..2].copy_from_slice(&f16::from_f64(value).to_le_bytes()),
        Scalar::F32 => out[..4].copy_from_slice(&(value as f32).to_le_bytes()),
        _ => out.copy_from_slice(&value.to_le_bytes()),
    }
    out
}

/// [`each`] for values of eight bytes, of which the scalar's come first.
fn each_sized(scalar: Scalar, first: u64, out: &mut [u8], value: impl Fn(u64) -> [u8; 8]) {
    fn start<const N: usize>(bytes: [u8; 8]) -> [u8; N] {
        std::array::from_fn(|n| bytes[n])
    }
    match scalar.size() {
        1 => each(first, out, |i| start::<1>(value(i))),
        2 => each(first, out, |i| start::<2>(value(i))),
        4 => each(first, out, |i| start::<4>(value(i))),
        _ => each(first, out, value),
    }
}

/// Value `first`, `first + 1`, … one behind the other; the last may be cut.
fn each<const N: usize>(first: u64, out: &mut [u8], value: impl Fn(u64) -> [u8; N]) {
    let (whole, rest) = out.as_chunks_mut::<N>();
    for (i, chunk) in whole.iter_mut().enumerate() {
        *chunk = value(first.wrapping_add(i as u64));
    }
    let last = value(first.wrapping_add(whole.len() as u64));
    rest.copy_from_slice(&last[..rest.len()]);
}

/// Bytes of a file from `first_byte` on; zeros beyond its end.
fn copy_from(data: &[u8], first_byte: u64, out: &mut [u8]) {
    let start = usize::try_from(first_byte)
        .unwrap_or(usize::MAX)
        .min(data.len());
    let len = (data.len() - start).min(out.len());
    out[..len].copy_from_slice(&data[start..start + len]);
    out[len..].fill(0);
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;
    use crate::element::ElemType;
    use crate::signature::{Field, StructType};

    fn elem(text: &str) -> ValueType {
        ValueType::Elem(text.parse().unwrap())
    }

    fn pair() -> ValueType {
        let field = |name: &str, offset, ty, array| Field {
            name: name.into(),
            offset,
            ty: ValueType::Elem(ElemType::scalar(ty)),
            array,
        };
        ValueType::Struct(StructType {
            name: "Pair".into(),
            size: 12,
            align: 4,
            fields: vec![
                field("a", 0, Scalar::U8, None),
                field("b", 4, Scalar::F32, Some(2)),
            ],
        })
    }

    fn bytes(fill: &Fill, elem: &ValueType, len: usize) -> Vec<u8> {
        let mut out = vec![0xee; len];
        fill.write(elem, 7, 2, 0, &mut out);
        out
    }

    fn floats(fill: &Fill, count: usize) -> Vec<f32> {
        let bytes = bytes(fill, &elem("f32"), count * 4);
        bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect()
    }

    const RANDOM: Fill = Fill::Random { range: None };

    #[test]
    fn default_floats_lie_in_minus_one_to_one_and_differ() {
        let values = floats(&RANDOM, 10_000);
        assert!(values.iter().all(|v| (-1.0..1.0).contains(v)));
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        assert!(mean.abs() < 0.03, "mean {mean}");
        let low = values.iter().copied().fold(1.0, f32::min);
        let high = values.iter().copied().fold(-1.0, f32::max);
        assert!(low < -0.99 && high > 0.99);
    }

    #[test]
    fn seeds_and_arguments_differ() {
        let of = |seed, arg| {
            let mut out = [0; 64];
            RANDOM.write(&elem("f32"), seed, arg, 0, &mut out);
            out
        };
        assert_eq!(of(1, 0), of(1, 0));
        assert_ne!(of(1, 0), of(2, 0));
        assert_ne!(of(1, 0), of(1, 1));
    }

    #[test]
    fn ranges_are_kept() {
        let values = floats(
            &Fill::Random {
                range: Some((2.0, 2.5)),
            },
            1000,
        );
        assert!(values.iter().all(|v| (2.0..2.5).contains(v)));
        let fill = Fill::Random {
            range: Some((-3.0, 3.0)),
        };
        let mut seen = [false; 6];
        for b in bytes(&fill, &elem("i8"), 1000) {
            seen[usize::try_from(i32::from(b as i8) + 3).unwrap()] = true;
        }
        assert_eq!(seen, [true; 6]);
        let of_u64 = bytes(&RANDOM, &elem("u64"), 8000);
        let highest = of_u64
            .as_chunks::<8>()
            .0
            .iter()
            .map(|b| u64::from_le_bytes(*b))
            .max();
        assert!((60_000..65_536).contains(&highest.unwrap()));
    }

    #[test]
    fn iota_and_constants() {
        assert_eq!(floats(&Fill::Iota, 3), [0.0, 1.0, 2.0]);
        assert_eq!(floats(&Fill::Constant(1.5), 2), [1.5, 1.5]);
        assert_eq!(bytes(&Fill::Iota, &elem("u8"), 258)[255..], [255, 0, 1]);
        let vectors = bytes(&Fill::Iota, &elem("u8x4"), 12);
        assert_eq!(vectors, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
        assert_eq!(bytes(&Fill::Constant(-1.0), &elem("i16"), 4), [255; 4]);
    }

    #[test]
    fn structures_are_filled_by_member() {
        let out = bytes(&Fill::Constant(2.0), &pair(), 12);
        assert_eq!(out[..4], [2, 0, 0, 0]);
        assert_eq!(out[4..8], 2.0_f32.to_le_bytes());
        assert_eq!(out[8..12], 2.0_f32.to_le_bytes());
    }

    #[test]
    fn a_member_may_be_an_array_of_any_length() {
        let field = |name: &str, offset, ty, array| Field {
            name: name.into(),
            offset,
            ty,
            array,
        };
        let inner = 1 << 40;
        let ty = ValueType::Struct(StructType {
            name: "Large".into(),
            size: 12 * inner + 4,
            align: 4,
            fields: vec![
                field("pairs", 0, pair(), Some(inner)),
                field("end", 12 * inner, elem("i32"), None),
            ],
        });
        assert!(Fill::Constant(0.5).check(&ty).is_err());
        assert!(Fill::Constant(5.0).check(&ty).is_ok());
        // The second floating-point number of the last pair, `end`, and the
        // first member of the next element.
        let mut out = [0xee; 9];
        let start = 12 * inner - 4;
        Fill::Constant(2.0).write(&ty, 0, 0, start, &mut out);
        assert_eq!(out, [0, 0, 0, 64, 2, 0, 0, 0, 2]);
        let mut numbered = [0xee; 12];
        Fill::Iota.write(&ty, 0, 0, 12 * inner + 4, &mut numbered);
        assert_eq!(numbered, [1, 0, 0, 0, 0, 0, 128, 63, 0, 0, 128, 63]);
    }

    #[test]
    fn a_file_is_followed_by_zeros() {
        let fill = Fill::File {
            path: PathBuf::from("x"),
            data: vec![1, 2, 3].into(),
        };
        let mut out = [9; 4];
        fill.write(&elem("u8"), 0, 0, 1, &mut out);
        assert_eq!(out, [2, 3, 0, 0]);
    }

    #[test]
    fn values_outside_the_type_are_refused() {
        let range = |low, high| Fill::Random {
            range: Some((low, high)),
        };
        assert!(Fill::Constant(300.0).check(&elem("u8")).is_err());
        assert!(Fill::Constant(0.5).check(&elem("i32")).is_err());
        assert!(Fill::Constant(0.5).check(&elem("f32")).is_ok());
        assert!(Fill::Constant(0.5).check(&pair()).is_err());
        assert!(range(0.0, 256.0).check(&elem("u8")).is_ok());
        assert!(range(0.0, 257.0).check(&elem("u8")).is_err());
        assert!(range(0.2, 0.8).check(&elem("i32")).is_err());
        assert!(range(1.0, 1.0).check(&elem("f32")).is_err());
    }

    proptest! {
        #[test]
        fn any_stretch_is_the_same_as_the_whole(
            start in 0_usize..300,
            len in 0_usize..300,
            fill in prop_oneof![
                Just(RANDOM),
                Just(Fill::Iota),
                Just(Fill::Constant(3.0)),
                Just(Fill::Random { range: Some((0.0, 9.0)) }),
            ],
            ty in prop_oneof![
                (0_usize..11, prop::sample::select(vec![1_u8, 2, 3, 4, 8, 16]))
                    .prop_map(|(s, l)| ValueType::Elem(ElemType::vector(Scalar::ALL[s], l))),
                Just(pair()),
                Just(ValueType::Opaque { size: 5, align: 1 }),
            ],
        ) {
            let whole = bytes(&fill, &ty, 600);
            let mut part = vec![0xaa; len];
            fill.write(&ty, 7, 2, start as u64, &mut part);
            prop_assert_eq!(&whole[start..start + len], &part[..]);
        }
    }
}
