//! Are two results equal?
//!
//! On the simulator a staged kernel must match its original bit for bit: both
//! run the same arithmetic there. On a device two kernels may be contracted
//! and reordered differently by the compiler, so floating-point results are
//! compared within a budget of units in the last place.
//!
//! The budget grows with the square root of the number `n` of floating-point
//! operations behind a result: rounding errors of that many operations add up
//! like a random walk (Higham and Mary, "A New Approach to Probabilistic
//! Rounding Error Analysis", 2019). It is taken relative to the value itself,
//! or to the magnitude that nine of ten values exceed where that is larger,
//! since a sum that cancels keeps the absolute error of its terms. What it
//! misses: a real difference smaller than that error.

use tilewise_launch::image::ChannelType;
use tilewise_launch::{ArgValue, ElemType, Scalar};

/// How close two results must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// The same bits.
    Exact,
    /// Floating-point values within so many units in the last place of the
    /// larger of the two, or of the magnitude that nine of ten values of the
    /// buffer exceed; integers equal.
    Ulps(f64),
}

impl Tolerance {
    /// The budget for results of about `operations` floating-point operations
    /// each: 4 for a single one (the budget of a correctly rounded operation
    /// that is contracted on one side), and four random walks beyond.
    pub fn for_operations(operations: f64) -> Self {
        Tolerance::Ulps(4.0 + 4.0 * operations.max(0.0).sqrt())
    }
}

impl std::fmt::Display for Tolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Tolerance::Exact => f.write_str("bit for bit"),
            Tolerance::Ulps(n) => write!(f, "within {n:.0} ulp"),
        }
    }
}

/// The first place where two results differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Number of the scalar in the buffer.
    pub index: u64,
    /// Value in the first buffer, as text.
    pub first: String,
    /// Value in the second buffer, as text.
    pub second: String,
    /// Number of scalars that differ.
    pub count: u64,
    /// Number of scalars compared.
    pub of: u64,
}

impl Difference {
    /// The difference in words, for elements of so many components.
    pub fn describe(&self, buffer: &str, elem: Option<ElemType>) -> String {
        let lanes = u64::from(elem.map_or(1, |e| if e.lanes == 3 { 4 } else { e.lanes }));
        let place = if lanes > 1 {
            format!("{buffer}[{}].s{:x}", self.index / lanes, self.index % lanes)
        } else {
            format!("{buffer}[{}]", self.index)
        };
        format!(
            "{place} is {} and {}; {} of {} values differ",
            self.first, self.second, self.count, self.of
        )
    }
}

/// Type of the elements (of an image: of the texels) that an argument holds.
pub fn element(value: &ArgValue) -> Option<ElemType> {
    tilewise_launch::resolved::as_elem(&value.memory()?.elem)
}

/// Compares what two runs left in an argument's buffer or image. Where the
/// tolerance allows for rounding, a fraction that an image stores as an integer
/// (`rgba8`) may be one step away: it was rounded last.
pub fn compare_argument(
    value: &ArgValue,
    a: &[u8],
    b: &[u8],
    tolerance: Tolerance,
) -> Option<Difference> {
    let normalised = matches!(
        value,
        ArgValue::Image(image) if matches!(
            image.format.channel,
            ChannelType::Unorm8
                | ChannelType::Unorm16
                | ChannelType::Snorm8
                | ChannelType::Snorm16
        )
    );
    let step = normalised && matches!(tolerance, Tolerance::Ulps(_));
    compare_within(element(value), a, b, tolerance, u64::from(step))
}

/// Compares two buffers of the same element type; `None` element type compares
/// bytes. A buffer that is longer than the other differs at its end. What pads a
/// vector of three to four components is left out: whether a store writes it is up
/// to the compiler.
pub fn compare(
    elem: Option<ElemType>,
    a: &[u8],
    b: &[u8],
    tolerance: Tolerance,
) -> Option<Difference> {
    compare_within(elem, a, b, tolerance, 0)
}

/// [`compare`], with integers that may be so many apart.
fn compare_within(
    elem: Option<ElemType>,
    a: &[u8],
    b: &[u8],
    tolerance: Tolerance,
    steps: u64,
) -> Option<Difference> {
    let scalar = elem.map_or(Scalar::U8, |e| e.scalar);
    let padded = elem.is_some_and(|e| e.lanes == 3);
    let size = scalar.size() as usize;
    let length = a.len().max(b.len()) / size;
    let of = if padded { length - length / 4 } else { length };
    let (ulps, floor) = match tolerance {
        Tolerance::Ulps(n) if scalar.is_float() => (n, low_magnitude(scalar, a)),
        _ => (0.0, 0.0),
    };
    let mut found: Option<Difference> = None;
    for index in (0..length).filter(|i| !padded || i % 4 != 3) {
        let at = index * size;
        let (x, y) = (a.get(at..at + size), b.get(at..at + size));
        let equal = match (x, y) {
            (Some(x), Some(y)) => {
                x == y
                    || close(scalar, x, y, ulps, floor)
                    || steps > 0 && integer(scalar, x).abs_diff(integer(scalar, y)) <= steps
            }
            _ => false,
        };
        if !equal {
            let text = |c: Option<&[u8]>| c.map_or("missing".to_owned(), |c| show(scalar, c));
            found
                .get_or_insert_with(|| Difference {
                    index: index as u64,
                    first: text(x),
                    second: text(y),
                    count: 0,
                    of: of as u64,
                })
                .count += 1;
        }
    }
    found
}

/// The magnitude that nine of ten values that are finite and not zero exceed.
fn low_magnitude(scalar: Scalar, bytes: &[u8]) -> f64 {
    let mut magnitudes: Vec<f64> = bytes
        .chunks_exact(scalar.size() as usize)
        .map(|c| float(scalar, c).abs())
        .filter(|v| v.is_finite() && *v > 0.0)
        .collect();
    if magnitudes.is_empty() {
        return 0.0;
    }
    let tenth = magnitudes.len() / 10;
    *magnitudes.select_nth_unstable_by(tenth, f64::total_cmp).1
}

fn close(scalar: Scalar, x: &[u8], y: &[u8], ulps: f64, floor: f64) -> bool {
    if ulps == 0.0 {
        return false;
    }
    let (x, y) = (float(scalar, x), float(scalar, y));
    if x.is_nan() || y.is_nan() || x.is_infinite() || y.is_infinite() {
        return x.is_nan() && y.is_nan() || x == y;
    }
    let epsilon = match scalar {
        Scalar::F16 => 2f64.powi(-10),
        Scalar::F32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    (x - y).abs() <= ulps * epsilon * x.abs().max(y.abs()).max(floor)
}

/// The value of an integer; 0 for what is none.
fn integer(scalar: Scalar, bytes: &[u8]) -> i64 {
    match (scalar, bytes) {
        (Scalar::U8, &[a]) => i64::from(a),
        (Scalar::I8, &[a]) => i64::from(a as i8),
        (Scalar::U16, &[a, b]) => i64::from(u16::from_le_bytes([a, b])),
        (Scalar::I16, &[a, b]) => i64::from(i16::from_le_bytes([a, b])),
        _ => 0,
    }
}

fn float(scalar: Scalar, bytes: &[u8]) -> f64 {
    match (scalar, bytes) {
        (Scalar::F16, &[a, b]) => half::f16::from_le_bytes([a, b]).to_f64(),
        (Scalar::F32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
        (Scalar::F64, &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => f64::NAN,
    }
}

/// A scalar as text.
pub(crate) fn show(scalar: Scalar, bytes: &[u8]) -> String {
    let mut wide = [0u8; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    let shift = 64 - 8 * bytes.len() as u32;
    match scalar {
        Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        s if s.is_float() => format!("{:?}", float(s, bytes)),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            (((bits << shift) as i64) >> shift).to_string()
        }
        _ => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn exact_means_the_same_bits() {
        let a = bytes(&[1.0, 2.0, -0.0]);
        assert_eq!(
            compare(
                Some(ElemType::scalar(Scalar::F32)),
                &a,
                &a,
                Tolerance::Exact
            ),
            None
        );
        let b = bytes(&[1.0, 2.5, 0.0]);
        let d = compare(
            Some(ElemType::scalar(Scalar::F32)),
            &a,
            &b,
            Tolerance::Exact,
        )
        .expect("differs");
        assert_eq!((d.index, d.count, d.of), (1, 2, 3));
        assert_eq!(
            d.describe("out", Some(ElemType::scalar(Scalar::F32))),
            "out[1] is 2.0 and 2.5; 2 of 3 values differ"
        );
    }

    #[test]
    fn a_budget_forgives_rounding_and_nothing_more() {
        let some = Some(ElemType::scalar(Scalar::F32));
        // One large value, one that a sum of the others cancelled to, and ten
        // ordinary ones.
        let values = |large: f32, cancelled: f32, ordinary: f32| {
            let mut all = vec![large, cancelled, ordinary];
            all.extend((2..12).map(|i| i as f32));
            bytes(&all)
        };
        let a = values(1000.0, 1e-9, 1.0);
        let budget = Tolerance::Ulps(4.0);
        let near = values(1000.0f32.next_up(), 1.1e-8, 1.0f32.next_up());
        assert_eq!(compare(some, &a, &near, budget), None);
        // The large value does not hide what is wrong in the others.
        let wrong = values(1000.0, 1e-9, 1.001);
        assert_eq!(compare(some, &a, &wrong, budget).map(|d| d.index), Some(2));
        // A value that nothing wrote is a NaN, and no number is close to it.
        let poison = values(1000.0, f32::NAN, 1.0);
        assert!(compare(some, &a, &poison, Tolerance::Ulps(1e9)).is_some());
    }

    #[test]
    fn what_pads_a_vector_of_three_is_left_out() {
        let three = ElemType {
            scalar: Scalar::F32,
            lanes: 3,
        };
        let a = bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let b = bytes(&[1.0, 2.0, 3.0, 0.0, 5.0, 6.0, 7.5, 0.0]);
        let d = compare(Some(three), &a, &b, Tolerance::Exact).expect("differs");
        assert_eq!(
            d.describe("out", Some(three)),
            "out[1].s2 is 7.0 and 7.5; 1 of 6 values differ"
        );
    }

    #[test]
    fn lengths_count() {
        let d = compare(
            Some(ElemType::scalar(Scalar::I32)),
            &[1, 0, 0, 0],
            &[],
            Tolerance::Exact,
        );
        assert_eq!(d.map(|d| d.second), Some("missing".to_owned()));
    }

    #[test]
    fn fractions_of_an_image_may_be_one_step_apart() {
        let image = |format: &str| {
            let format: tilewise_launch::ImageFormat = format.parse().expect("a format");
            ArgValue::Image(tilewise_launch::Image {
                dims: tilewise_launch::image::ImageDims::D1,
                size: [2, 1, 1],
                layers: 1,
                format,
                texels: tilewise_launch::Buffer {
                    elem: tilewise_launch::ValueType::Elem(format.texel()),
                    len: Some(2),
                    fill: tilewise_launch::Fill::Zero,
                    generated: false,
                },
            })
        };
        let differs = |format: &str, a: [u8; 2], b: [u8; 2], how: Tolerance| {
            compare_argument(&image(format), &a, &b, how).is_some()
        };
        let budget = Tolerance::Ulps(4.0);
        assert!(!differs("r8", [7, 255], [8, 254], budget));
        assert!(differs("r8", [7, 255], [8, 254], Tolerance::Exact));
        assert!(differs("r8", [7, 0], [9, 0], budget));
        assert!(differs("r8", [255, 0], [0, 0], budget));
        assert!(!differs("r8snorm", [0xFF, 0], [0, 0], budget));
        assert!(differs("r8ui", [7, 0], [8, 0], budget));
    }

    #[test]
    fn halves_are_widened() {
        for (bits, value) in [(0x3c00u16, 1.0), (0xc000, -2.0), (0x0001, 2f64.powi(-24))] {
            assert_eq!(float(Scalar::F16, &bits.to_le_bytes()), value);
        }
        assert!(float(Scalar::F16, &0x7e00u16.to_le_bytes()).is_nan());
    }
}
