//! Functions over all components of vectors.

use tilewise_ir::Ty;

use crate::semantics::convert::to_double;

/// Products of binary32 are exact in binary64; a binary64 sum is fused.
pub(super) fn dot(ty: Ty, args: &[u64]) -> f64 {
    let (p, q) = args.split_at(args.len() / 2);
    p.iter().zip(q).fold(0.0, |sum, (&a, &b)| {
        to_double(a, ty).mul_add(to_double(b, ty), sum)
    })
}

/// Length of a vector, scaled so that nothing overflows on the way.
pub(super) fn length(ty: Ty, args: &[u64]) -> f64 {
    norm(args.iter().map(|&v| to_double(v, ty)))
}

/// Distance of two points, the components of one after those of the other.
pub(super) fn distance(ty: Ty, args: &[u64]) -> f64 {
    let (p, q) = args.split_at(args.len() / 2);
    let parts = p.iter().zip(q);
    norm(parts.map(|(&a, &b)| to_double(a, ty) - to_double(b, ty)))
}

/// One component, the first argument, of a vector, the others, over the
/// vector's length.
///
/// The largest magnitude is brought near 1 by a power of two, so that neither
/// squares overflow nor subnormal vectors lose their direction. Infinities
/// count as 1 and other components as 0 beside them (section 7.5.1).
pub(super) fn normalize(ty: Ty, args: &[u64]) -> f64 {
    let Some((&component, vector)) = args.split_first() else {
        return f64::NAN;
    };
    let component = to_double(component, ty);
    let parts = || vector.iter().map(|&v| to_double(v, ty));
    if parts().any(f64::is_nan) {
        return f64::NAN;
    }
    let largest = parts().fold(0.0, |m: f64, v| m.max(v.abs()));
    if largest == 0.0 {
        return component;
    }
    if largest.is_infinite() {
        let unit = |v: f64| {
            if v.is_infinite() {
                1f64.copysign(v)
            } else {
                0.0 * v
            }
        };
        return unit(component) / norm(parts().map(unit));
    }
    let exponent = -libm::ilogb(largest);
    let near_one = |v: f64| libm::scalbn(v, exponent);
    near_one(component) / norm(parts().map(near_one))
}

fn norm(parts: impl Iterator<Item = f64>) -> f64 {
    parts.fold(0.0, f64::hypot)
}
