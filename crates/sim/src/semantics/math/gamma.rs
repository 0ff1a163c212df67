//! `lgamma`, `lgamma_r` and `tgamma`.

/// The logarithm of the gamma function's magnitude and the sign of the gamma
/// function: 0 at its poles (OpenCL C 3.0, section 7.5.1), where C leaves the
/// sign open.
pub(super) fn lgamma_r(x: f64) -> (f64, i32) {
    let (value, sign) = libm::lgamma_r(x);
    let pole = x <= 0.0 && x == x.trunc() && x.is_finite();
    (value, if pole { 0 } else { sign })
}

/// The gamma function.
pub(super) fn tgamma(x: f64) -> f64 {
    libm::tgamma(x)
}
