//! What a function gives in exact arithmetic, to some 300 bits.
//!
//! Elementary functions come from `astro-float`, which rounds them correctly at
//! any precision; the error function and the gamma function, which it lacks,
//! are summed here ([`erf`], [`gamma`]). Special operands (NaNs, infinities,
//! poles) have no exact number: their results are prescribed one by one, and
//! the tests of the simulator's `semantics::math` hold them.

mod erf;
mod gamma;
mod remainder;

use astro_float_num::{BigFloat, Consts, Radix, RoundingMode, Sign};
use tilewise_ir::MathFn;

/// Bits of the results: enough for the hardest case of a 53-bit function by
/// far, and for a hundred bits of cancellation on the way.
const P: usize = 320;
const RM: RoundingMode = RoundingMode::ToEven;

/// What a call must give.
pub struct Expected {
    /// The first result, not rounded.
    pub first: BigFloat,
    /// The second.
    pub second: Second,
}

/// A second result.
pub enum Second {
    /// There is none.
    None,
    /// A number, not rounded.
    Number(BigFloat),
    /// An integer.
    Integer(i32),
    /// At least the sign and the low seven bits of an integer (`remquo`).
    LowBits(i32),
}

/// Holds the constants that `astro-float` computes on demand.
pub struct Reference {
    constants: Consts,
    stirling: Vec<BigFloat>,
}

impl Reference {
    /// Precomputes what all functions share.
    pub fn new() -> Self {
        Self {
            constants: Consts::new().expect("memory for a few constants"),
            stirling: gamma::stirling_coefficients(),
        }
    }

    /// The exact results of `fun` over finite arguments, a NaN outside of its
    /// domain; `None` where the edge cases prescribe the result. `whole` is the integer
    /// argument of functions that have one, `below_one` the
    /// largest number of the format below 1.
    pub fn exact(
        &mut self,
        fun: MathFn,
        args: &[f64],
        whole: i32,
        below_one: f64,
    ) -> Option<Expected> {
        use MathFn::*;
        let x = *args.first()?;
        let y = args.get(1).copied().unwrap_or(0.0);
        match fun {
            Sincos => {
                return Some(Expected {
                    first: self.one_result(Sin, args, 0)?,
                    second: Second::Number(self.one_result(Cos, args, 0)?),
                });
            }
            Fract => {
                return Some(Expected {
                    first: fraction(x, below_one),
                    second: Second::Number(big(x.floor())),
                });
            }
            Modf => {
                return Some(Expected {
                    first: sub(&big(x), &big(x.trunc())),
                    second: Second::Number(big(x.trunc())),
                });
            }
            LgammaR => {
                let (value, sign) = self.log_gamma(x)?;
                return Some(Expected {
                    first: value,
                    second: Second::Integer(sign),
                });
            }
            Remquo => {
                let (rest, quotient) = remainder::nearest(x, y)?;
                return Some(Expected {
                    first: big(rest),
                    second: Second::LowBits(quotient),
                });
            }
            Frexp => {
                let value = big(x);
                let exponent = value.exponent().filter(|_| x != 0.0).unwrap_or(0);
                return Some(Expected {
                    first: shifted(&value, -exponent),
                    second: Second::Integer(exponent),
                });
            }
            _ => {}
        }
        let first = self.one_result(fun, args, whole)?;
        Some(Expected {
            first,
            second: Second::None,
        })
    }

    fn one_result(&mut self, fun: MathFn, args: &[f64], whole: i32) -> Option<BigFloat> {
        use MathFn::*;
        let [x, y, z] = std::array::from_fn(|n| args.get(n).copied().unwrap_or(0.0));
        let [a, b, c] = [x, y, z].map(big);
        let cc = &mut self.constants;
        let number = match fun {
            Acos => a.acos(P, RM, cc),
            Acosh => a.acosh(P, RM, cc),
            Acospi => {
                let angle = a.acos(P, RM, cc);
                self.over_pi(&angle)
            }
            Asin => a.asin(P, RM, cc),
            Asinh => a.asinh(P, RM, cc),
            Asinpi => {
                let angle = a.asin(P, RM, cc);
                self.over_pi(&angle)
            }
            Atan => a.atan(P, RM, cc),
            Atanh => a.atanh(P, RM, cc),
            Atanpi => {
                let angle = a.atan(P, RM, cc);
                self.over_pi(&angle)
            }
            Cbrt => a.cbrt(P, RM),
            Ceil => big(x.ceil()),
            Cos => a.cos(P, RM, cc),
            Cosh => a.cosh(P, RM, cc),
            Cospi => self.cospi(x),
            Degrees => {
                let degrees = a.mul_full_prec(&big(180.0));
                self.over_pi(&degrees)
            }
            Erf => self.erf(x),
            Erfc => self.erfc(x)?,
            Exp => a.exp(P, RM, cc),
            Exp10 => self.power(10.0, x)?,
            Exp2 => self.power(2.0, x)?,
            Expm1 => {
                let lost = a.exponent().map_or(0, |e| (-e).max(0)) as usize;
                sub(&a.exp(P + lost, RM, cc), &big(1.0))
            }
            Floor => big(x.floor()),
            Lgamma => self.log_gamma(x)?.0,
            Log => a.ln(P, RM, cc),
            Log10 => a.log10(P, RM, cc),
            Log1p => add(&a, &big(1.0)).ln(P, RM, cc),
            Log2 => a.log2(P, RM, cc),
            Radians => {
                let pi = cc.pi(P, RM);
                a.mul(&pi, P, RM).div(&big(180.0), P, RM)
            }
            Rint => big(x.round_ties_even()),
            Round => big(x.round()),
            Rsqrt if x == 0.0 => return None,
            Rsqrt => a.sqrt(P, RM).reciprocal(P, RM),
            Sin => a.sin(P, RM, cc),
            Sinh => a.sinh(P, RM, cc),
            Sinpi => self.sinpi(x),
            Sqrt => a.sqrt(P, RM),
            Tan => a.tan(P, RM, cc),
            Tanh => a.tanh(P, RM, cc),
            Tanpi => self.sinpi(x).div(&self.cospi(x), P, RM),
            Tgamma => self.gamma(x)?,
            Trunc => big(x.trunc()),
            Atan2 => self.angle(x, y)?,
            Atan2pi => {
                let angle = self.angle(x, y)?;
                self.over_pi(&angle)
            }
            Fdim if x > y => sub(&a, &b),
            Fdim => big(0.0),
            Fmod => big(remainder::truncated(x, y)?),
            Remainder => big(remainder::nearest(x, y)?.0),
            Hypot => norm(&[a, b]),
            Powr if x < 0.0 => return None,
            Pow | Powr => self.power(x, y)?,
            Pown => self.power(x, f64::from(whole))?,
            Rootn => self.root(x, whole)?,
            Ldexp => shifted(&a, whole),
            Fma => add(&a.mul_full_prec(&b), &c),
            Mix => add(&sub(&b, &a).mul_full_prec(&c), &a),
            Smoothstep => smoothstep(&a, &b, &c)?,
            Dot => {
                let (p, q) = args.split_at(args.len() / 2);
                let products = p
                    .iter()
                    .zip(q)
                    .map(|(&p, &q)| big(p).mul_full_prec(&big(q)));
                products.fold(big(0.0), |sum, t| add(&sum, &t))
            }
            Length => norm(&args.iter().copied().map(big).collect::<Vec<_>>()),
            Distance => {
                let (p, q) = args.split_at(args.len() / 2);
                let parts = p.iter().zip(q).map(|(&p, &q)| sub(&big(p), &big(q)));
                norm(&parts.collect::<Vec<_>>())
            }
            Normalize => {
                let (_, vector) = args.split_first()?;
                let length = norm(&vector.iter().copied().map(big).collect::<Vec<_>>());
                if length.is_zero() {
                    return None;
                }
                a.div(&length, P, RM)
            }
            _ => return None,
        };
        Some(number)
    }

    fn over_pi(&mut self, angle: &BigFloat) -> BigFloat {
        let pi = self.constants.pi(P, RM);
        angle.div(&pi, P, RM)
    }

    /// `sin(pi x)`; the remainder modulo 2 is exact.
    fn sinpi(&mut self, x: f64) -> BigFloat {
        let reduced = x % 2.0;
        if reduced == reduced.trunc() {
            return big(0.0);
        }
        self.times_pi(reduced).sin(P, RM, &mut self.constants)
    }

    fn cospi(&mut self, x: f64) -> BigFloat {
        let reduced = (x % 2.0).abs();
        if reduced == 0.5 || reduced == 1.5 {
            return big(0.0);
        }
        self.times_pi(reduced).cos(P, RM, &mut self.constants)
    }

    fn times_pi(&mut self, x: f64) -> BigFloat {
        let pi = self.constants.pi(P, RM);
        big(x).mul(&pi, P, RM)
    }

    /// The angle of the point (x, y).
    fn angle(&mut self, y: f64, x: f64) -> Option<BigFloat> {
        if x == 0.0 || y == 0.0 {
            return None;
        }
        let ratio = big(y).div(&big(x), P, RM);
        let angle = ratio.atan(P, RM, &mut self.constants);
        if x > 0.0 {
            return Some(angle);
        }
        let pi = self.constants.pi(P, RM);
        Some(if y > 0.0 {
            angle.add(&pi, P, RM)
        } else {
            angle.sub(&pi, P, RM)
        })
    }

    /// `x` to the power `y`, where that is neither 0 nor a pole.
    fn power(&mut self, x: f64, y: f64) -> Option<BigFloat> {
        if x == 0.0 || (x < 0.0 && y != y.trunc()) {
            return None;
        }
        let mut power = self.positive_power(x.abs(), &big(y), y);
        if x < 0.0 && y % 2.0 != 0.0 {
            power.inv_sign();
        }
        Some(power)
    }

    /// `exp(y ln x)`. What is far beyond every format is an infinity or 0.
    fn positive_power(&mut self, x: f64, y: &BigFloat, about: f64) -> BigFloat {
        let exponent = x.log2() * about;
        if exponent > 4000.0 {
            return BigFloat::from_f64(f64::INFINITY, P);
        }
        if exponent < -4000.0 {
            return big(0.0);
        }
        let log = big(x).ln(P, RM, &mut self.constants);
        log.mul(y, P, RM).exp(P, RM, &mut self.constants)
    }

    fn root(&mut self, x: f64, n: i32) -> Option<BigFloat> {
        if n == 0 || x == 0.0 || (x < 0.0 && n % 2 == 0) {
            return None;
        }
        let part = big(1.0).div(&big(f64::from(n)), P, RM);
        let mut root = self.positive_power(x.abs(), &part, 1.0 / f64::from(n));
        if x < 0.0 {
            root.inv_sign();
        }
        Some(root)
    }
}

/// A double, exactly. `BigFloat::from_f64` of version 0.3 halves subnormals.
pub fn big(v: f64) -> BigFloat {
    if v.is_subnormal() {
        shifted(&BigFloat::from_f64(v * 2f64.powi(64), 64), -64)
    } else {
        BigFloat::from_f64(v, 64)
    }
}

/// The sum, not rounded. `add_full_prec` of version 0.3 takes it for 0 where one
/// term is 0.
pub fn add(a: &BigFloat, b: &BigFloat) -> BigFloat {
    if a.is_zero() {
        b.clone()
    } else if b.is_zero() {
        a.clone()
    } else {
        a.add_full_prec(b)
    }
}

/// The difference, not rounded.
pub fn sub(a: &BigFloat, b: &BigFloat) -> BigFloat {
    add(a, &b.neg())
}

/// What `fract` returns before it is rounded, which must stay below 1.
fn fraction(x: f64, below_one: f64) -> BigFloat {
    sub(&big(x), &big(x.floor())).min(&big(below_one))
}

/// `v * 2^by`.
pub fn shifted(v: &BigFloat, by: i32) -> BigFloat {
    let mut out = v.clone();
    if let Some(exponent) = v.exponent().filter(|_| !v.is_zero()) {
        out.set_exponent(exponent.saturating_add(by));
    }
    out
}

/// The nearest double but for its last bits; for printing and for ratios.
pub fn to_double(v: &BigFloat) -> f64 {
    let Some((words, _, sign, exponent, _)) = v.as_raw_parts() else {
        return if v.is_nan() {
            f64::NAN
        } else if v.is_positive() {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        };
    };
    // The mantissa is a fraction below 1 whose highest word comes last.
    let top = words.last().copied().unwrap_or(0) as f64 * 2f64.powi(-64);
    let magnitude = if exponent > 1100 {
        f64::INFINITY
    } else if exponent < -1200 {
        0.0
    } else {
        top * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
    };
    if sign == Sign::Neg {
        -magnitude
    } else {
        magnitude
    }
}

/// The number in decimal, for messages.
pub fn shown(v: &BigFloat) -> String {
    let mut short = v.clone();
    if short.set_precision(128, RM).is_err() {
        return "a number".to_owned();
    }
    let constants = Consts::new();
    constants
        .and_then(|mut cc| short.format(Radix::Dec, RM, &mut cc))
        .unwrap_or_else(|_| "a number".to_owned())
}

/// The square root of the sum of squares.
fn norm(parts: &[BigFloat]) -> BigFloat {
    let squares = parts.iter().map(|v| v.mul_full_prec(v));
    let sum = squares.fold(big(0.0), |sum, square| add(&sum, &square));
    sum.sqrt(P, RM)
}

/// `t * t * (3 - 2t)` for `t = (x - low) / (high - low)` within 0 and 1.
fn smoothstep(low: &BigFloat, high: &BigFloat, x: &BigFloat) -> Option<BigFloat> {
    let width = sub(high, low);
    if width.is_zero() || width.is_negative() {
        return None;
    }
    let t = sub(x, low).div(&width, P, RM);
    let t = t.clamp(&big(0.0), &big(1.0));
    let twice = t.mul(&big(2.0), P, RM);
    let factor = big(3.0).sub(&twice, P, RM);
    Some(t.mul(&t, P, RM).mul(&factor, P, RM))
}
