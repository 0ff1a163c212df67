//! Functions in units of pi: `sinpi`, `acospi` and so on.
//!
//! The argument is reduced modulo 2, which is exact, so that the results are
//! exact at multiples of one half, as the specification's edge cases want.

use std::f64::consts::PI;

/// `sin(pi x)`. A whole number gives a zero of its own sign.
pub(super) fn sinpi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let r = x % 2.0;
    match r.abs() {
        a if a == 0.0 || a == 1.0 => 0f64.copysign(x),
        a if a <= 0.25 => (r * PI).sin(),
        a if a <= 0.75 => ((0.5 - a) * PI).cos().copysign(r),
        a if a <= 1.25 => ((1.0 - a) * PI).sin() * r.signum(),
        a if a <= 1.75 => -((a - 1.5) * PI).cos() * r.signum(),
        a => ((a - 2.0) * PI).sin() * r.signum(),
    }
}

/// `cos(pi x)`. A whole number and a half gives +0.
pub(super) fn cospi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let a = (x % 2.0).abs();
    // Symmetric about 1; each piece takes the difference to a zero or an
    // extremum, which is exact.
    let a = if a > 1.0 { 2.0 - a } else { a };
    match a {
        0.5 => 0.0,
        a if a <= 0.25 => (a * PI).cos(),
        a if a <= 0.75 => ((0.5 - a) * PI).sin(),
        a => -((1.0 - a) * PI).cos(),
    }
}

/// `tan(pi x)`: an infinity with the sign of the side from even to odd at whole
/// numbers and a half.
pub(super) fn tanpi(x: f64) -> f64 {
    sinpi(x) / cospi(x)
}

/// `acos(x) / pi`.
pub(super) fn acospi(x: f64) -> f64 {
    x.acos() / PI
}

/// `asin(x) / pi`.
pub(super) fn asinpi(x: f64) -> f64 {
    over_pi(x.asin())
}

/// `atan(x) / pi`.
pub(super) fn atanpi(x: f64) -> f64 {
    over_pi(x.atan())
}

/// `atan2(y, x) / pi`.
pub(super) fn atan2pi(y: f64, x: f64) -> f64 {
    over_pi(y.atan2(x))
}

/// An angle over pi. Three quarters of pi as a double, over pi as a double,
/// would not be the 0.75 that `atan2pi` of infinities must give.
fn over_pi(angle: f64) -> f64 {
    if angle.abs() == 0.75 * PI {
        0.75f64.copysign(angle)
    } else {
        angle / PI
    }
}
