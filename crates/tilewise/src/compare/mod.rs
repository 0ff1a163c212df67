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

mod leaves;
mod scalar;

use tilewise_launch::image::ChannelType;
use tilewise_launch::{ArgValue, Scalar, ValueType};

use leaves::{Leaf, leaves};
use scalar::{float, integer};

pub(crate) use scalar::show;

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
    /// The scalar, as the source has it behind the buffer's name: `[3].pos.s1`.
    pub place: String,
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
    /// The difference in words. `whose` says where the values come from: `by blur`,
    /// `on the device`.
    pub fn describe(&self, buffer: &str, whose: [&str; 2]) -> String {
        format!(
            "{buffer}{} is {} {} and {} {}; {} of {} values differ",
            self.place, self.first, whose[0], self.second, whose[1], self.count, self.of
        )
    }
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
    compare_within(&value.memory()?.elem, a, b, tolerance, u64::from(step))
}

/// Compares two buffers of the same element type, scalar by scalar. A buffer that is
/// longer than the other differs at its end.
pub fn compare(ty: &ValueType, a: &[u8], b: &[u8], tolerance: Tolerance) -> Option<Difference> {
    compare_within(ty, a, b, tolerance, 0)
}

/// [`compare`], with integers that may be so many apart.
fn compare_within(
    ty: &ValueType,
    a: &[u8],
    b: &[u8],
    tolerance: Tolerance,
    steps: u64,
) -> Option<Difference> {
    if a == b {
        return None;
    }
    let leaves = leaves(ty);
    let size = ty.size().max(1) as usize;
    let count = a.len().max(b.len()).div_ceil(size);
    let floors = floors(&leaves, size, a, tolerance);
    let mut found: Option<Difference> = None;
    for element in 0..count {
        for leaf in &leaves {
            let at = element * size + leaf.offset as usize;
            let range = at..at + leaf.scalar.size() as usize;
            let (x, y) = (a.get(range.clone()), b.get(range));
            let scalar = leaf.scalar;
            let equal = match (x, y) {
                (Some(x), Some(y)) => {
                    x == y
                        || floors[leaf.kind].is_some_and(|(u, f)| close(scalar, x, y, u, f))
                        || steps > 0 && integer(scalar, x).abs_diff(integer(scalar, y)) <= steps
                }
                (None, None) => true,
                _ => false,
            };
            if !equal {
                let text = |c: Option<&[u8]>| c.map_or("missing".to_owned(), |c| show(scalar, c));
                found
                    .get_or_insert_with(|| Difference {
                        place: format!("[{element}]{}", leaf.path),
                        first: text(x),
                        second: text(y),
                        count: 0,
                        of: (count * leaves.len()) as u64,
                    })
                    .count += 1;
            }
        }
    }
    found
}

/// For leaves of each kind: the budget in units in the last place and the magnitude
/// from which it counts, where they are floating-point values and may be rounded.
fn floors(
    leaves: &[Leaf],
    size: usize,
    bytes: &[u8],
    tolerance: Tolerance,
) -> Vec<Option<(f64, f64)>> {
    let kinds = leaves.iter().map(|l| l.kind + 1).max().unwrap_or(0);
    let floor = |kind: usize| {
        let Tolerance::Ulps(ulps) = tolerance else {
            return None;
        };
        let alike: Vec<&Leaf> = leaves.iter().filter(|l| l.kind == kind).collect();
        if !alike.first()?.scalar.is_float() {
            return None;
        }
        let values = bytes.chunks_exact(size).flat_map(|element| {
            alike.iter().filter_map(|leaf| {
                let at = leaf.offset as usize;
                let bytes = element.get(at..at + leaf.scalar.size() as usize)?;
                Some(float(leaf.scalar, bytes).abs())
            })
        });
        Some((ulps, low_magnitude(values)))
    };
    (0..kinds).map(floor).collect()
}

/// The magnitude that nine of ten values that are finite and not zero exceed.
fn low_magnitude(magnitudes: impl Iterator<Item = f64>) -> f64 {
    let mut magnitudes: Vec<f64> = magnitudes.filter(|v| v.is_finite() && *v > 0.0).collect();
    if magnitudes.is_empty() {
        return 0.0;
    }
    let tenth = magnitudes.len() / 10;
    *magnitudes.select_nth_unstable_by(tenth, f64::total_cmp).1
}

fn close(scalar: Scalar, x: &[u8], y: &[u8], ulps: f64, floor: f64) -> bool {
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

#[cfg(test)]
mod tests {
    use tilewise_launch::{ElemType, Field, StructType};

    use super::*;

    const BY: [&str; 2] = ["by a", "by b"];

    fn scalars(scalar: Scalar) -> ValueType {
        ValueType::Elem(ElemType::scalar(scalar))
    }

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn exact_means_the_same_bits() {
        let a = bytes(&[1.0, 2.0, -0.0]);
        assert_eq!(
            compare(&scalars(Scalar::F32), &a, &a, Tolerance::Exact),
            None
        );
        let b = bytes(&[1.0, 2.5, 0.0]);
        let d = compare(&scalars(Scalar::F32), &a, &b, Tolerance::Exact).expect("differs");
        assert_eq!((d.place.as_str(), d.count, d.of), ("[1]", 2, 3));
        assert_eq!(
            d.describe("out", BY),
            "out[1] is 2.0 by a and 2.5 by b; 2 of 3 values differ"
        );
    }

    #[test]
    fn a_budget_forgives_rounding_and_nothing_more() {
        let some = scalars(Scalar::F32);
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
        assert_eq!(compare(&some, &a, &near, budget), None);
        // The large value does not hide what is wrong in the others.
        let wrong = values(1000.0, 1e-9, 1.001);
        assert_eq!(
            compare(&some, &a, &wrong, budget).map(|d| d.place),
            Some("[2]".to_owned())
        );
        // A value that nothing wrote is a NaN, and no number is close to it.
        let poison = values(1000.0, f32::NAN, 1.0);
        assert!(compare(&some, &a, &poison, Tolerance::Ulps(1e9)).is_some());
    }

    #[test]
    fn what_pads_a_vector_of_three_is_left_out() {
        let three = ValueType::Elem(ElemType {
            scalar: Scalar::F32,
            lanes: 3,
        });
        let a = bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let b = bytes(&[1.0, 2.0, 3.0, 0.0, 5.0, 6.0, 7.5, 0.0]);
        let d = compare(&three, &a, &b, Tolerance::Exact).expect("differs");
        assert_eq!(
            d.describe("out", BY),
            "out[1].s2 is 7.0 by a and 7.5 by b; 1 of 6 values differ"
        );
    }

    #[test]
    fn lengths_count() {
        let d = compare(&scalars(Scalar::I32), &[1, 0, 0, 0], &[], Tolerance::Exact);
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

    /// A float that is rounded elsewhere beside an integer; bytes that nothing uses.
    #[test]
    fn structures_are_compared_member_by_member() {
        let elem = |scalar, lanes| ValueType::Elem(ElemType { scalar, lanes });
        let field = |name: &str, offset, ty, array| Field {
            name: name.to_owned(),
            offset,
            ty,
            array,
        };
        let ty = ValueType::Struct(StructType {
            name: "P".to_owned(),
            size: 16,
            align: 4,
            fields: vec![
                field("x", 0, elem(Scalar::F32, 1), None),
                field("k", 4, elem(Scalar::I8, 1), None),
                field("v", 8, elem(Scalar::F32, 1), Some(2)),
            ],
        });
        let bytes = |x: f32, k: u8, padding: u8, v: [f32; 2]| {
            let mut all = x.to_le_bytes().to_vec();
            all.extend([k, padding, padding, padding]);
            all.extend(v.iter().flat_map(|v| v.to_le_bytes()));
            all
        };
        let budget = Tolerance::Ulps(4.0);
        let a = bytes(1.5, 7, 0, [2.0, 3.0]);
        let near = bytes(1.5f32.next_up(), 7, 9, [2.0, 3.0f32.next_up()]);
        assert_eq!(compare(&ty, &a, &near, budget), None);
        let wrong = bytes(1.5, 8, 0, [2.0, 4.0]);
        let d = compare(&ty, &a, &wrong, budget).expect("differs");
        assert_eq!(
            d.describe("o", BY),
            "o[0].k is 7 by a and 8 by b; 2 of 4 values differ"
        );
        let wrong = bytes(1.5, 7, 0, [2.0, 4.0]);
        let d = compare(&ty, &a, &wrong, budget).expect("differs");
        assert_eq!(d.place, "[0].v[1]");
    }
}
