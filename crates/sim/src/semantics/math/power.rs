//! `pown`, `powr` and `rootn`, which differ from `pow` in their edge cases.

/// `x` to a whole power.
pub(super) fn pown(x: f64, n: i32) -> f64 {
    x.powf(f64::from(n))
}

/// `pow` for a base that is not negative; the cases of IEEE 754's `powr`.
pub(super) fn powr(x: f64, y: f64) -> f64 {
    let undefined = x < 0.0
        || x.is_nan()
        || y.is_nan()
        || (x == 0.0 && y == 0.0)
        || (x == 1.0 && y.is_infinite())
        || (x.is_infinite() && y == 0.0);
    if undefined { f64::NAN } else { x.abs().powf(y) }
}

/// The `n`-th root of `x`.
pub(super) fn rootn(x: f64, n: i32) -> f64 {
    if n == 0 || x.is_nan() || (x < 0.0 && n % 2 == 0) {
        return f64::NAN;
    }
    let root = positive_root(x.abs(), n);
    if n % 2 == 0 { root } else { root.copysign(x) }
}

/// `pow(x, 1.0 / n)` would multiply the rounding error of `1.0 / n` by the
/// logarithm of `x`, some hundred ulp. Here the exponent of `x` and the
/// logarithm of its mantissa stay apart, as an unevaluated sum, until the
/// division by `n` has made the sum small.
fn positive_root(x: f64, n: i32) -> f64 {
    match n {
        1 => return x,
        -1 => return 1.0 / x,
        2 => return x.sqrt(),
        3 => return x.cbrt(),
        _ => {}
    }
    if x == 0.0 || x.is_infinite() {
        return if (x == 0.0) == (n > 0) {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let (mut mantissa, mut exponent) = libm::frexp(x);
    if mantissa < std::f64::consts::FRAC_1_SQRT_2 {
        mantissa *= 2.0;
        exponent -= 1;
    }
    let (whole, part) = (f64::from(exponent), mantissa.log2());
    // log2(x) = high + low exactly: the exponent is 0 or the larger of the two.
    let high = whole + part;
    let low = part - (high - whole);
    let n = f64::from(n);
    let quotient = high / n;
    // What the division left, and the low part.
    let rest = ((-quotient).mul_add(n, high) + low) / n;
    let root = quotient.exp2();
    root.mul_add(rest * std::f64::consts::LN_2, root)
}
