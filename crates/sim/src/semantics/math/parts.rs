//! Functions that take a number apart: exponent, fraction, quotient.

/// The exponent, with `FP_ILOGB0` and `FP_ILOGBNAN` as clang defines them.
pub(super) fn ilogb(v: f64) -> i32 {
    if v == 0.0 {
        i32::MIN
    } else if !v.is_finite() {
        i32::MAX
    } else {
        libm::ilogb(v)
    }
}

/// The exponent as a number.
pub(super) fn logb(v: f64) -> f64 {
    if v == 0.0 {
        f64::NEG_INFINITY
    } else if v.is_infinite() {
        f64::INFINITY
    } else if v.is_nan() {
        v
    } else {
        f64::from(libm::ilogb(v))
    }
}

/// A fraction of magnitude 1/2 to 1 and an exponent of two; 0 for what has no
/// exponent.
pub(super) fn frexp(v: f64) -> (f64, i32) {
    if v.is_finite() {
        libm::frexp(v)
    } else {
        (v, 0)
    }
}

/// The part behind the point and the whole part, both with the sign of `v`.
pub(super) fn modf(v: f64) -> (f64, f64) {
    let whole = v.trunc();
    let part = if v.is_infinite() { 0.0 } else { v - whole };
    (part.copysign(v), whole)
}

/// What lies above the next lower whole number, at most `below_one`, and that
/// whole number. A tiny negative number would round up to 1 otherwise.
pub(super) fn fract(v: f64, below_one: f64) -> (f64, f64) {
    let whole = v.floor();
    let part = if v.is_infinite() { 0.0 } else { v - whole };
    let part = if part > below_one { below_one } else { part };
    // fract(-0) is -0, and so is fract of minus infinity.
    let part = if part == 0.0 && (v == 0.0 || v.is_infinite()) {
        part.copysign(v)
    } else {
        part
    };
    (part, whole)
}

/// The remainder of the quotient rounded to nearest, and that quotient's sign
/// and low bits; 0 where the remainder is a NaN.
pub(super) fn remquo(x: f64, y: f64) -> (f64, i32) {
    if x.is_infinite() || y == 0.0 || x.is_nan() || y.is_nan() {
        return (f64::NAN, 0);
    }
    libm::remquo(x, y)
}
