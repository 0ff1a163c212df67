//! Remainders of division in integers: `x = m 2^e` modulo `y = n 2^f`.

/// An integer mantissa and an exponent of two for a finite magnitude.
fn split(v: f64) -> (u128, i32) {
    let bits = v.abs().to_bits();
    let exponent = (bits >> 52) as i32;
    let fraction = bits & ((1 << 52) - 1);
    if exponent == 0 {
        (u128::from(fraction), -1074)
    } else {
        (u128::from(fraction | 1 << 52), exponent - 1075)
    }
}

/// `|x|` modulo `|y|` in units of `2^exponent`, the divisor in the same units,
/// and the low bits of the quotient.
struct Division {
    rest: u128,
    divisor: u128,
    exponent: i32,
    quotient: u64,
}

const QUOTIENT_BITS: u32 = 10;

fn divide(x: f64, y: f64) -> Option<Division> {
    let ((m, e), (n, f)) = (split(x), split(y));
    if n == 0 {
        return None;
    }
    let (dividend, divisor, exponent) = if e >= f {
        // m 2^(e-f) modulo 2^10 n, by doubling.
        let modulus = n << QUOTIENT_BITS;
        let mut rest = m % modulus;
        for _ in 0..e - f {
            rest = (rest << 1) % modulus;
        }
        (rest, n, f)
    } else if f - e > 60 {
        // y is larger than twice x by far.
        return Some(Division {
            rest: m,
            divisor: u128::MAX,
            exponent: e,
            quotient: 0,
        });
    } else {
        (m, n << (f - e), e)
    };
    Some(Division {
        rest: dividend % divisor,
        divisor,
        exponent,
        quotient: (dividend / divisor) as u64,
    })
}

fn assemble(rest: u128, exponent: i32, negative: bool) -> f64 {
    // A rest has at most 53 significant bits: it is a multiple of the last bit
    // of one operand and below the other.
    let magnitude = rest as f64 * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
    if negative { -magnitude } else { magnitude }
}

/// `fmod`: the rest has the sign of `x`.
pub fn truncated(x: f64, y: f64) -> Option<f64> {
    let d = divide(x, y)?;
    Some(assemble(d.rest, d.exponent, x < 0.0))
}

/// `remainder`: the quotient is rounded to nearest, ties to even. With it the
/// quotient's sign and low bits.
pub fn nearest(x: f64, y: f64) -> Option<(f64, i32)> {
    let mut d = divide(x, y)?;
    let mut negative = x < 0.0;
    let above = d.divisor - d.rest;
    if d.rest > above || (d.rest == above && d.quotient % 2 == 1) {
        d.rest = above;
        d.quotient += 1;
        negative = !negative;
    }
    let low = (d.quotient & 0x7F) as i32;
    let quotient = if (x < 0.0) == (y < 0.0) { low } else { -low };
    Some((assemble(d.rest, d.exponent, negative), quotient))
}
