//! Which texels a read through a sampler touches, and with which weights:
//! section 8.2 of the OpenCL 1.2 specification, formula by formula.

use tilewise_launch::image::{Addressing, Sampler};

use super::ImageLayout;

/// Coordinates of one read, the layer of an array behind them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Coords {
    /// Integers.
    Int([i32; 4]),
    /// Floats.
    Float([f32; 4]),
}

/// The texels of one read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Taps {
    /// How many: 1, 2, 4 or 8.
    pub count: usize,
    /// Number of each texel in the image; `None` for the border.
    pub texels: [Option<u64>; 8],
    /// Weight of each, 1 for a single one.
    pub weights: [f32; 8],
    /// The coordinates where they should have been inside and are not.
    pub outside: Option<[i64; 4]>,
}

impl Taps {
    /// One texel; `must` says that it has to lie inside.
    pub fn one(image: &ImageLayout, coords: [i64; 4], must: bool) -> Self {
        let texel = image.texel(&coords);
        Self {
            count: 1,
            texels: [texel, None, None, None, None, None, None, None],
            weights: [1.0; 8],
            outside: (must && texel.is_none()).then_some(coords),
        }
    }
}

/// The two texels of one dimension and the weight of the second; the same one
/// twice for the nearest.
#[derive(Clone, Copy)]
struct Pair {
    first: i64,
    second: i64,
    fraction: f32,
}

/// The texels of a read through a sampler.
///
/// Undefined there, definite here: integer coordinates are taken as they are,
/// by the nearest filter, whatever the sampler says of filter and
/// normalisation; `repeat` of coordinates that are not normalised divides them
/// by the size; a linear filter of integers (`linear` false) takes the nearest.
pub(crate) fn taps(image: &ImageLayout, sampler: Sampler, linear: bool, coords: Coords) -> Taps {
    let dims = usize::from(image.dims.dimensions());
    let must = sampler.addressing == Addressing::None;
    let (coords, linear) = match coords {
        Coords::Int(ints) => {
            let mut at = ints.map(i64::from);
            for (c, &size) in at.iter_mut().zip(&image.size[..dims]) {
                *c = integer(sampler.addressing, *c, size as i64);
            }
            if image.dims.is_array() {
                at[dims] = at[dims].clamp(0, image.layers as i64 - 1);
            }
            return Taps::one(image, at, must);
        }
        Coords::Float(floats) => (floats, linear && sampler.linear),
    };
    let mut pairs = [Pair {
        first: 0,
        second: 0,
        fraction: 0.0,
    }; 3];
    for d in 0..dims {
        pairs[d] = dimension(sampler, linear, coords[d], image.size[d]);
    }
    // Layers are never blended.
    let layer = if image.dims.is_array() {
        let nearest = coords[dims].round_ties_even();
        (nearest as i64).clamp(0, image.layers as i64 - 1)
    } else {
        0
    };
    let place = |tap: usize| {
        let mut at = [0; 4];
        for d in 0..dims {
            at[d] = if tap >> d & 1 == 0 {
                pairs[d].first
            } else {
                pairs[d].second
            };
        }
        at[dims] = layer;
        at
    };
    if !linear {
        return Taps::one(image, place(0), must);
    }
    let mut taps = Taps {
        count: 1 << dims,
        texels: [None; 8],
        weights: [0.0; 8],
        outside: None,
    };
    for tap in 0..taps.count {
        let at = place(tap);
        taps.texels[tap] = image.texel(&at);
        if must && taps.texels[tap].is_none() {
            taps.outside.get_or_insert(at);
        }
        taps.weights[tap] = pairs[..dims]
            .iter()
            .enumerate()
            .map(|(d, pair)| {
                if tap >> d & 1 == 0 {
                    1.0 - pair.fraction
                } else {
                    pair.fraction
                }
            })
            .product();
    }
    taps
}

/// An integer coordinate after addressing.
fn integer(addressing: Addressing, at: i64, size: i64) -> i64 {
    match addressing {
        Addressing::None => at,
        Addressing::Clamp => at.clamp(-1, size),
        Addressing::ClampToEdge => at.clamp(0, size - 1),
        Addressing::Repeat => at.rem_euclid(size),
        Addressing::MirroredRepeat => {
            let at = at.rem_euclid(2 * size);
            at.min(2 * size - 1 - at)
        }
    }
}

fn dimension(sampler: Sampler, linear: bool, s: f32, size: u64) -> Pair {
    let extent = size as f32;
    let size = size as i64;
    let scaled = |s: f32| if sampler.normalized { s * extent } else { s };
    let unit = |s: f32| if sampler.normalized { s } else { s / extent };
    let u = match sampler.addressing {
        Addressing::None | Addressing::Clamp | Addressing::ClampToEdge => scaled(s),
        Addressing::Repeat => {
            let s = unit(s);
            (s - s.floor()) * extent
        }
        Addressing::MirroredRepeat => {
            let s = unit(s);
            let even = 2.0 * (0.5 * s).round_ties_even();
            (s - even).abs() * extent
        }
    };
    // A conversion of what is no number gives 0, of what is too large the end
    // of the range; both are undefined.
    let floor = |u: f32| u.floor() as i64;
    let alone = |at: i64| Pair {
        first: at,
        second: at,
        fraction: 0.0,
    };
    if !linear {
        let i = floor(u);
        return alone(match sampler.addressing {
            Addressing::None => i,
            Addressing::Clamp => i.clamp(-1, size),
            Addressing::ClampToEdge => i.clamp(0, size - 1),
            Addressing::Repeat if i > size - 1 => i - size,
            Addressing::Repeat => i.max(0),
            Addressing::MirroredRepeat => i.clamp(0, size - 1),
        });
    }
    let low = floor(u - 0.5);
    let fraction = (u - 0.5) - (u - 0.5).floor();
    let high = low.saturating_add(1);
    let (first, second) = match sampler.addressing {
        Addressing::None => (low, high),
        Addressing::Clamp => (low.clamp(-1, size), high.clamp(-1, size)),
        Addressing::ClampToEdge => (low.clamp(0, size - 1), high.clamp(0, size - 1)),
        Addressing::Repeat => (
            if low < 0 { size + low } else { low },
            if high > size - 1 { high - size } else { high },
        ),
        Addressing::MirroredRepeat => (low.clamp(0, size - 1), high.clamp(0, size - 1)),
    };
    Pair {
        first,
        second,
        fraction,
    }
}

#[cfg(test)]
mod tests {
    use tilewise_launch::image::ImageDims;

    use super::*;

    fn row(width: u64) -> ImageLayout {
        ImageLayout {
            dims: ImageDims::D1,
            size: [width, 1, 1],
            layers: 1,
            format: "r32f".parse().unwrap(),
        }
    }

    /// Texels and weights of the second one, along a row of four.
    fn read(sampler: &str, s: f32) -> (Vec<Option<u64>>, f32) {
        let sampler = Sampler::from_words(sampler.split(',')).unwrap();
        let coords = Coords::Float([s, 0.0, 0.0, 0.0]);
        let taps = taps(&row(4), sampler, true, coords);
        (taps.texels[..taps.count].to_vec(), taps.weights[1])
    }

    #[test]
    fn nearest_texels_by_addressing() {
        let one = |sampler: &str, s: f32| read(sampler, s).0[0];
        for (s, clamp, edge) in [
            (-0.1, None, Some(0)),
            (0.0, Some(0), Some(0)),
            (3.9, Some(3), Some(3)),
            (4.0, None, Some(3)),
        ] {
            assert_eq!(one("clamp", s), clamp, "{s}");
            assert_eq!(one("clamp_to_edge", s), edge, "{s}");
            assert_eq!(one("clamp,normalized", s / 4.0), clamp, "{s}");
        }
        for (s, repeat, mirrored) in [
            (-0.1, 3, 0),
            (0.1, 0, 0),
            (0.9, 3, 3),
            (1.1, 0, 3),
            (1.9, 3, 0),
            (2.1, 0, 0),
        ] {
            assert_eq!(one("repeat", s), Some(repeat), "{s}");
            assert_eq!(one("mirrored_repeat", s), Some(mirrored), "{s}");
        }
        // Just below a whole number, the product rounds up to the size.
        assert_eq!(one("repeat", -f32::MIN_POSITIVE), Some(0));
    }

    #[test]
    fn linear_texels_by_addressing() {
        let (texels, weight) = read("clamp_to_edge,linear", 1.75);
        assert_eq!((texels, weight), (vec![Some(1), Some(2)], 0.25));
        let (texels, weight) = read("clamp,linear", 0.25);
        assert_eq!((texels, weight), (vec![None, Some(0)], 0.75));
        let (texels, weight) = read("clamp_to_edge,linear", 3.75);
        assert_eq!((texels, weight), (vec![Some(3), Some(3)], 0.25));
        let (texels, weight) = read("repeat,linear", 0.0);
        assert_eq!((texels, weight), (vec![Some(3), Some(0)], 0.5));
        let (texels, _) = read("mirrored_repeat,linear", 1.0);
        assert_eq!(texels, [Some(3), Some(3)]);
    }

    /// Section 8.4: the layer is rounded to the nearest even number and clamped,
    /// whatever the sampler says. (PoCL 3.1 multiplies it by the number of
    /// layers where coordinates are normalised, and rounds 0.5 up.)
    #[test]
    fn layers_are_rounded_and_never_normalised() {
        let image = ImageLayout {
            dims: ImageDims::D1Array,
            layers: 4,
            ..row(2)
        };
        for sampler in ["clamp_to_edge", "clamp,normalized", "repeat,linear"] {
            let sampler = Sampler::from_words(sampler.split(',')).unwrap();
            for (layer, wanted) in [(-3.0, 0), (0.5, 0), (0.6, 1), (1.5, 2), (2.4, 2), (9.0, 3)] {
                let coords = Coords::Float([0.25, layer, 0.0, 0.0]);
                let taps = taps(&image, sampler, true, coords);
                let layers = taps.texels[..taps.count].iter().map(|t| t.unwrap() / 2);
                assert!(layers.eq(vec![wanted; taps.count]), "{sampler} {layer}");
            }
        }
    }

    #[test]
    fn no_addressing_must_stay_inside() {
        let sampler = Sampler::from_words(["none"]).unwrap();
        let read = |s| taps(&row(4), sampler, false, Coords::Int([s, 7, 7, 7])).outside;
        assert_eq!(read(3), None);
        assert_eq!(read(4).map(|at| at[0]), Some(4));
        let image = ImageLayout {
            dims: ImageDims::D2Array,
            size: [4, 3, 1],
            layers: 2,
            ..row(4)
        };
        let sampler = Sampler::from_words(["clamp"]).unwrap();
        let far = Coords::Float([1.5, 2.5, 9.0, 0.0]);
        let taps = taps(&image, sampler, false, far);
        assert_eq!(taps.texels[0], Some((3 + 2) * 4 + 1), "layers are clamped");
    }
}
