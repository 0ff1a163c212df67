//! Arguments: special values of a format, and random ones of several kinds.

use tilewise_ir::{MathFn, Ty};
use tilewise_launch::SplitMix64;

use crate::format::Format;

/// A stream of random arguments.
pub struct Random(SplitMix64);

impl Random {
    /// A generator for a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// Uniform 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// Uniform within a range.
    fn within(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 * 2f64.powi(-53);
        low + unit * (high - low)
    }
}

/// One set of arguments: floating-point ones, and an integer.
pub struct Input {
    /// Values of the format.
    pub args: Vec<f64>,
    /// The integer argument of `ldexp`, `pown` and `rootn`.
    pub whole: i32,
}

/// Number of floating-point arguments; vectors have two to four components.
fn arity(fun: MathFn, random: &mut Random) -> usize {
    use MathFn::*;
    let components = 2 + random.below(3) as usize;
    match fun {
        Atan2 | Atan2pi | Copysign | Fdim | Fmax | Fmin | Fmod | Hypot | Maxmag | Minmag
        | Nextafter | Pow | Powr | Remainder | Remquo | Step => 2,
        Fclamp | Fma | Mad | Mix | Smoothstep => 3,
        Dot | Distance => 2 * components,
        Length => components,
        // One of the components, then all.
        Normalize => 1 + components,
        _ => 1,
    }
}

/// Values where functions change: zeros, subnormals, the ends of the range, 1
/// and its neighbours, fractions of pi, and where exponentials overflow.
fn special(format: Format) -> Vec<f64> {
    let Format { ty, .. } = format;
    let step = |v: f64, by: i64| format.value(format.nearest(v).wrapping_add_signed(by));
    let mut values = vec![0.0];
    let smallest = format.value(1);
    let normal = format.smallest_normal();
    values.extend([smallest, step(normal, -1), normal, step(normal, 1)]);
    values.extend([format.largest(), step(format.largest(), -1)]);
    for near in [0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0] {
        values.extend([step(near, -1), near, step(near, 1)]);
    }
    let pi = std::f64::consts::PI;
    values.extend((1..9).map(|n| f64::from(n) * pi / 4.0));
    values.extend([
        0.1, 0.7, 1e-3, 1e-4, 5.5, 7.0, 10.0, 10.5, 25.0, 36.0, 100.0, 100.5, 171.5,
    ]);
    values.extend([
        std::f64::consts::E,
        std::f64::consts::LN_2,
        11.0,
        16.5,
        1024.5,
        2049.0,
        65000.0,
    ]);
    if ty != Ty::F16 {
        values.extend([38.5, 88.5, 89.0, 103.5, 127.5, 149.5, 1e5, 1e10, 1e22, 1e35]);
    }
    if ty == Ty::F64 {
        values.extend([
            308.2, 323.5, 709.5, 710.0, 745.0, 1023.5, 1074.5, 1e100, 1e300,
        ]);
    }
    let rounded: Vec<f64> = values
        .iter()
        .map(|&v| format.value(format.nearest(v)))
        .collect();
    rounded
        .iter()
        .copied()
        .chain(rounded.iter().map(|v| -v))
        .collect()
}

fn random_value(format: Format, random: &mut Random) -> f64 {
    let value = match random.below(6) {
        // Any exponent.
        0 | 1 => loop {
            let value = format.value(random.bits());
            if value.is_finite() {
                break value;
            }
        },
        2 => random.within(-1.0, 1.0),
        3 => random.within(-8.0, 8.0),
        4 => random.within(-200.0, 200.0),
        _ => 1.0 + random.within(-0.01, 0.01),
    };
    format.value(format.nearest(value))
}

fn random_whole(random: &mut Random) -> i32 {
    match random.below(4) {
        0 => random.bits() as i32,
        1 => random.below(5000) as i32 - 2500,
        _ => random.below(40) as i32 - 20,
    }
}

/// The arguments to try: for one argument every special value, for more a
/// sample of their combinations, then `count` random ones.
pub fn inputs(fun: MathFn, format: Format, count: usize, random: &mut Random) -> Vec<Input> {
    let special = special(format);
    let mut inputs = Vec::new();
    let one = arity(fun, &mut Random::new(0)) == 1;
    let special_calls = if one {
        special.len()
    } else {
        special.len().max(count)
    };
    for n in 0..special_calls {
        let args = (0..arity(fun, random)).map(|_| match one {
            true => special[n],
            false => special[random.below(special.len() as u64) as usize],
        });
        let args = args.collect();
        inputs.push(Input {
            args,
            whole: random_whole(random),
        });
    }
    for _ in 0..count {
        let args = (0..arity(fun, random)).map(|_| random_value(format, random));
        let args = args.collect::<Vec<f64>>();
        inputs.push(Input {
            args,
            whole: random_whole(random),
        });
    }
    if fun == MathFn::Normalize {
        for input in &mut inputs {
            let of = random.below(input.args.len() as u64 - 1) as usize;
            input.args[0] = input.args[1 + of];
        }
    }
    inputs
}
