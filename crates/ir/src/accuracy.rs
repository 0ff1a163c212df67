//! How accurate a builtin must be: OpenCL C's tables of relative error.
//!
//! Source: The OpenCL C Specification, version 3.0, section 7.4 "Relative Error
//! as ULPs", tables "ULP Values for Single-Precision Built-in Math Functions"
//! (full profile), "… Double-Precision …" and "… Half-Precision …". Functions
//! that the section leaves out (`lgamma`, integer functions) have
//! [`Bound::Unspecified`] or are exact by their definition.
//!
//! The `half_` and `native_` forms are lowered as the functions themselves and
//! are not told apart here; [`HALF_FORM_ULPS`] is what a device may do.

use crate::math::MathFn;
use crate::ty::Ty;

/// Error that the `half_` forms may have in `float`, in ulp. The `native_`
/// forms have no bound at all.
pub const HALF_FORM_ULPS: f64 = 8192.0;

/// The largest error that a function may have. *Ulp* is the distance between
/// the two floating-point numbers that surround the exact result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// The exact result, which always is a number of the format.
    Exact,
    /// The exact result rounded to the nearest number, ties to even.
    Rounded,
    /// Within so many ulp of the exact result.
    Ulps(f64),
    /// Within `base + per_component * n` ulp, for vectors of `n` components.
    VectorUlps {
        /// Error of a vector of no components.
        base: f64,
        /// Error that each component adds.
        per_component: f64,
    },
    /// Within `max * max * (2n - 1) * epsilon`, where `max` is the largest
    /// magnitude among the components.
    DotProduct,
    /// Within so much of the exact result.
    Absolute(f64),
    /// The specification leaves it to the implementation.
    Unspecified,
}

impl Bound {
    /// The bound in ulp for vectors of `components`; `None` where it is none of
    /// that kind.
    pub fn ulps(self, components: u32) -> Option<f64> {
        match self {
            Bound::Exact => Some(0.0),
            Bound::Rounded => Some(0.5),
            Bound::Ulps(n) => Some(n),
            Bound::VectorUlps {
                base,
                per_component,
            } => Some(base + per_component * f64::from(components)),
            Bound::DotProduct | Bound::Absolute(_) | Bound::Unspecified => None,
        }
    }
}

/// The bound of a division `x / y` and of a reciprocal.
pub fn division(format: Ty) -> Bound {
    match format {
        Ty::F16 => Bound::Ulps(1.0),
        Ty::F32 => Bound::Ulps(2.5),
        _ => Bound::Rounded,
    }
}

/// The bound of a function in a floating-point format. Integer functions are
/// exact.
pub fn bound(fun: MathFn, format: Ty) -> Bound {
    let column = match format {
        Ty::F16 => 0,
        Ty::F32 => 1,
        Ty::F64 => 2,
        _ => return Bound::Exact,
    };
    let row = TABLE.iter().find(|(name, _)| *name == fun);
    row.map_or(Bound::Exact, |(_, bounds)| bounds[column])
}

/// The functions that have a row of their own, in the order of the tables.
pub fn functions() -> impl Iterator<Item = MathFn> {
    TABLE.iter().map(|(fun, _)| *fun)
}

const fn ulps(half: f64, single: f64, double: f64) -> [Bound; 3] {
    [Bound::Ulps(half), Bound::Ulps(single), Bound::Ulps(double)]
}

const fn vector(half: (f64, f64), single: (f64, f64), double: (f64, f64)) -> [Bound; 3] {
    const fn one((base, per_component): (f64, f64)) -> Bound {
        Bound::VectorUlps {
            base,
            per_component,
        }
    }
    [one(half), one(single), one(double)]
}

const EXACT: [Bound; 3] = [Bound::Exact; 3];
const ROUNDED: [Bound; 3] = [Bound::Rounded; 3];
const FREE: [Bound; 3] = [Bound::Unspecified; 3];

/// Half, single and double precision.
const TABLE: &[(MathFn, [Bound; 3])] = &[
    (MathFn::Acos, ulps(2.0, 4.0, 4.0)),
    (MathFn::Acospi, ulps(2.0, 5.0, 5.0)),
    (MathFn::Asin, ulps(2.0, 4.0, 4.0)),
    (MathFn::Asinpi, ulps(2.0, 5.0, 5.0)),
    (MathFn::Atan, ulps(2.0, 5.0, 5.0)),
    (MathFn::Atan2, ulps(2.0, 6.0, 6.0)),
    (MathFn::Atanpi, ulps(2.0, 5.0, 5.0)),
    (MathFn::Atan2pi, ulps(2.0, 6.0, 6.0)),
    (MathFn::Acosh, ulps(2.0, 4.0, 4.0)),
    (MathFn::Asinh, ulps(2.0, 4.0, 4.0)),
    (MathFn::Atanh, ulps(2.0, 5.0, 5.0)),
    (MathFn::Cbrt, ulps(2.0, 2.0, 2.0)),
    (MathFn::Ceil, ROUNDED),
    (MathFn::Fclamp, EXACT),
    (MathFn::Copysign, EXACT),
    (MathFn::Cos, ulps(2.0, 4.0, 4.0)),
    (MathFn::Cosh, ulps(2.0, 4.0, 4.0)),
    (MathFn::Cospi, ulps(2.0, 4.0, 4.0)),
    (MathFn::Degrees, ulps(2.0, 2.0, 2.0)),
    (MathFn::Distance, vector((0.0, 2.0), (2.5, 2.0), (5.5, 2.0))),
    (MathFn::Dot, [Bound::DotProduct; 3]),
    (MathFn::Erfc, ulps(4.0, 16.0, 16.0)),
    (MathFn::Erf, ulps(4.0, 16.0, 16.0)),
    (MathFn::Exp, ulps(2.0, 3.0, 3.0)),
    (MathFn::Exp2, ulps(2.0, 3.0, 3.0)),
    (MathFn::Exp10, ulps(2.0, 3.0, 3.0)),
    (MathFn::Expm1, ulps(2.0, 3.0, 3.0)),
    (MathFn::Fabs, EXACT),
    (MathFn::Fdim, ROUNDED),
    (MathFn::Floor, ROUNDED),
    (MathFn::Fma, ROUNDED),
    (MathFn::Fmax, EXACT),
    (MathFn::Fmin, EXACT),
    (MathFn::Fmod, EXACT),
    (MathFn::Fract, ROUNDED),
    (MathFn::Frexp, EXACT),
    (MathFn::Hypot, ulps(2.0, 4.0, 4.0)),
    (MathFn::Ilogb, EXACT),
    (MathFn::Length, vector((0.25, 0.5), (2.75, 0.5), (5.5, 1.0))),
    (MathFn::Ldexp, ROUNDED),
    (MathFn::Lgamma, FREE),
    (MathFn::LgammaR, FREE),
    (MathFn::Log, ulps(2.0, 3.0, 3.0)),
    (MathFn::Log2, ulps(2.0, 3.0, 3.0)),
    (MathFn::Log10, ulps(2.0, 3.0, 3.0)),
    (MathFn::Log1p, ulps(2.0, 2.0, 2.0)),
    (MathFn::Logb, EXACT),
    // In single precision either fused or two rounded operations.
    (MathFn::Mad, FREE),
    (MathFn::Maxmag, EXACT),
    (MathFn::Minmag, EXACT),
    (
        MathFn::Mix,
        [
            Bound::Unspecified,
            Bound::Absolute(1e-3),
            Bound::Unspecified,
        ],
    ),
    (MathFn::Modf, EXACT),
    (MathFn::Nan, EXACT),
    (MathFn::Nextafter, EXACT),
    (
        MathFn::Normalize,
        vector((1.0, 1.0), (2.0, 1.0), (4.5, 1.0)),
    ),
    (MathFn::Pow, ulps(4.0, 16.0, 16.0)),
    (MathFn::Pown, ulps(4.0, 16.0, 16.0)),
    (MathFn::Powr, ulps(4.0, 16.0, 16.0)),
    (MathFn::Radians, ulps(2.0, 2.0, 2.0)),
    (MathFn::Remainder, EXACT),
    (MathFn::Remquo, EXACT),
    (MathFn::Rint, ROUNDED),
    (MathFn::Rootn, ulps(4.0, 16.0, 16.0)),
    (MathFn::Round, ROUNDED),
    (MathFn::Rsqrt, ulps(1.0, 2.0, 2.0)),
    (MathFn::Sign, EXACT),
    (MathFn::Sin, ulps(2.0, 4.0, 4.0)),
    (MathFn::Sincos, ulps(2.0, 4.0, 4.0)),
    (MathFn::Sinh, ulps(2.0, 4.0, 4.0)),
    (MathFn::Sinpi, ulps(2.0, 4.0, 4.0)),
    (
        MathFn::Smoothstep,
        [
            Bound::Unspecified,
            Bound::Absolute(1e-5),
            Bound::Unspecified,
        ],
    ),
    // Single precision is rounded correctly only under
    // `-cl-fp32-correctly-rounded-divide-sqrt`.
    (
        MathFn::Sqrt,
        [Bound::Ulps(1.5), Bound::Ulps(3.0), Bound::Rounded],
    ),
    (MathFn::Step, EXACT),
    (MathFn::Tan, ulps(2.5, 5.0, 5.0)),
    (MathFn::Tanh, ulps(2.0, 5.0, 5.0)),
    (MathFn::Tanpi, ulps(2.0, 6.0, 6.0)),
    (MathFn::Tgamma, ulps(4.0, 16.0, 16.0)),
    (MathFn::Trunc, ROUNDED),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_once_each() {
        for fun in functions() {
            assert_eq!(functions().filter(|f| *f == fun).count(), 1, "{fun:?}");
        }
        assert_eq!(bound(MathFn::Sin, Ty::F32), Bound::Ulps(4.0));
        assert_eq!(bound(MathFn::Sqrt, Ty::F64), Bound::Rounded);
        assert_eq!(bound(MathFn::Length, Ty::F32).ulps(4), Some(4.75));
        assert_eq!(bound(MathFn::SAddSat, Ty::I32), Bound::Exact);
    }
}
