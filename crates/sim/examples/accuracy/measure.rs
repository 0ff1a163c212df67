//! Runs one function of one format over its inputs and compares with the
//! reference.

use tilewise_ir::accuracy::{Bound, bound};
use tilewise_ir::{MathFn, Ty};
use tilewise_sim::builtin;

use crate::format::Format;
use crate::inputs::{Input, Random, inputs};
use crate::reference::{Expected, Reference, Second, big, shown, sub, to_double};

/// What came out for one function and format.
pub struct Measured {
    /// The function.
    pub fun: MathFn,
    /// The format.
    pub format: Format,
    /// Inputs that have an exact result.
    pub inputs: usize,
    /// The largest error in ulp, and where.
    pub worst: f64,
    /// Arguments and results of that input.
    pub worst_input: String,
    /// What the specification allows.
    pub bound: Bound,
    /// Inputs whose results are outside of it, the first few in words.
    pub failures: Vec<String>,
}

/// Measures a function over special values and `count` random inputs.
pub fn measure(
    reference: &mut Reference,
    fun: MathFn,
    format: Format,
    count: usize,
    random: &mut Random,
) -> Measured {
    let mut measured = Measured {
        fun,
        format,
        inputs: 0,
        worst: 0.0,
        worst_input: String::new(),
        bound: bound(fun, format.ty),
        failures: Vec::new(),
    };
    let below_one = format.value(format.nearest(1.0) - 1);
    for input in inputs(fun, format, count, random) {
        let Some(expected) = reference.exact(fun, &input.args, input.whole, below_one) else {
            continue;
        };
        measured.inputs += 1;
        measured.compare(&input, &expected);
    }
    measured
}

impl Measured {
    fn compare(&mut self, input: &Input, expected: &Expected) {
        let (fun, format) = (self.fun, self.format);
        let mut bits: Vec<u64> = input.args.iter().map(|&v| format.nearest(v)).collect();
        if matches!(fun, MathFn::Ldexp | MathFn::Pown | MathFn::Rootn) {
            bits.push(u64::from(input.whole as u32));
        }
        let [first, second] = builtin::evaluate(fun, format.ty, &bits);
        let call = || {
            let whole = (bits.len() > input.args.len()).then_some(input.whole);
            format!(
                "{:?}{:?} {}",
                fun,
                input.args,
                whole.map_or(String::new(), |n| n.to_string())
            )
        };
        let got = format.value(first);
        let mut within = self.within(first, got, expected, input);
        match &expected.second {
            Second::None => {}
            Second::Number(number) => {
                let other = format.value(second);
                let exact = Expected {
                    first: number.clone(),
                    second: Second::None,
                };
                within &= self.within(second, other, &exact, input);
            }
            Second::Integer(n) => within &= second == u64::from(*n as u32),
            Second::LowBits(n) => {
                let got = second as u32 as i32;
                within &= (got.unsigned_abs() & 0x7F) == n.unsigned_abs();
                within &= *n == 0 || (got < 0) == (*n < 0);
            }
        }
        if !within {
            let text = format!(
                "{} = {got:e}, {second:#x}, not {}",
                call(),
                shown(&expected.first)
            );
            self.failures.push(text);
        }
    }

    /// Whether a result is within the bound; keeps the worst.
    fn within(&mut self, bits: u64, got: f64, expected: &Expected, input: &Input) -> bool {
        let exact = &expected.first;
        if self.bound == Bound::DotProduct && self.dot_product_room(input).is_infinite() {
            return true;
        }
        let Some(error) = self.format.distance(got, exact) else {
            return false;
        };
        let ulps = to_double(&error);
        if ulps > self.worst {
            self.worst = ulps;
            let whole = if input.args.len() == 1 {
                format!(" {}", input.whole)
            } else {
                String::new()
            };
            self.worst_input = format!("{:?}{whole} -> {got:e}", input.args);
        }
        match self.bound {
            Bound::Unspecified => true,
            Bound::Exact => error.is_zero(),
            Bound::Rounded => match error.cmp(&big(0.5)) {
                Some(0) => bits.is_multiple_of(2),
                order => order.is_some_and(|o| o < 0),
            },
            Bound::Ulps(most) => ulps <= most,
            Bound::VectorUlps { .. } => {
                let components = match self.fun {
                    MathFn::Distance => input.args.len() / 2,
                    MathFn::Normalize => input.args.len() - 1,
                    _ => input.args.len(),
                };
                let most = self.bound.ulps(components as u32);
                most.is_some_and(|most| ulps <= most)
            }
            Bound::Absolute(most) => {
                let largest = input.args.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
                // Meant for values about 1: larger ones scale it, and so does
                // a factor that is no fraction.
                absolute(got, exact) <= most * largest * largest
            }
            // Half an ulp of the smallest number is the least error there is.
            Bound::DotProduct => {
                ulps <= 0.5 || absolute(got, exact) <= self.dot_product_room(input)
            }
        }
    }
}

impl Measured {
    /// The absolute error that a dot product may have.
    fn dot_product_room(&self, input: &Input) -> f64 {
        let largest = input.args.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let operations = input.args.len() as f64 - 1.0;
        largest * largest * operations * self.format.epsilon()
    }
}

fn absolute(got: f64, exact: &astro_float_num::BigFloat) -> f64 {
    if got.is_infinite() {
        return 0.0;
    }
    to_double(&sub(&big(got), exact)).abs()
}

/// Whether a function takes arguments of a type and has a reference.
pub fn is_measured(fun: MathFn) -> bool {
    use MathFn::*;
    // Their results are one of their arguments or a choice among constants: the
    // simulator's tests name them case by case.
    let chosen = matches!(
        fun,
        Copysign
            | Fabs
            | Fclamp
            | Fmax
            | Fmin
            | Ilogb
            | Logb
            | Maxmag
            | Minmag
            | Nan
            | Nextafter
            | Sign
            | Step
    );
    // `mad` is `fma` here.
    !chosen && fun != Mad && builtin::supports(fun, Ty::F32)
}
