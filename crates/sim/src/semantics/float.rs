//! Floating-point lanes: binary16, binary32 and binary64 as bits.

use half::f16;

/// A floating-point format, held as the bits of its lane.
///
/// Arithmetic is correctly rounded to nearest, ties to even. Binary16 is
/// computed in binary32 and rounded once more, which is exact for one
/// operation (binary32 has more than twice its precision plus two bits).
pub(crate) trait Float {
    /// The lane that holds the bits.
    type Bits: Copy;
    /// Bit of the sign, as the bits of a lane.
    fn neg(a: Self::Bits) -> Self::Bits;
    fn abs(a: Self::Bits) -> Self::Bits;
    fn add(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn sub(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn mul(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn div(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// Remainder with the sign of the dividend.
    fn rem(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// `a * b + c` rounded once.
    fn fma(a: Self::Bits, b: Self::Bits, c: Self::Bits) -> Self::Bits;
    /// The smaller; the other one where one is a NaN.
    fn min(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// The larger; the other one where one is a NaN.
    fn max(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn floor(a: Self::Bits) -> Self::Bits;
    fn ceil(a: Self::Bits) -> Self::Bits;
    fn trunc(a: Self::Bits) -> Self::Bits;
    /// To the nearest integer, ties to even.
    fn rint(a: Self::Bits) -> Self::Bits;
    fn sqrt(a: Self::Bits) -> Self::Bits;
    fn eq(a: Self::Bits, b: Self::Bits) -> bool;
    fn lt(a: Self::Bits, b: Self::Bits) -> bool;
    fn le(a: Self::Bits, b: Self::Bits) -> bool;
    /// One of them is a NaN.
    fn unordered(a: Self::Bits, b: Self::Bits) -> bool;
    fn to_f64(a: Self::Bits) -> f64;
    /// Rounded to nearest, ties to even.
    fn from_f64(v: f64) -> Self::Bits;
}

macro_rules! native {
    ($f:ty, $bits:ty) => {
        impl Float for $f {
            type Bits = $bits;

            #[inline(always)]
            fn neg(a: $bits) -> $bits {
                a ^ (1 << (<$bits>::BITS - 1))
            }
            #[inline(always)]
            fn abs(a: $bits) -> $bits {
                a & !(1 << (<$bits>::BITS - 1))
            }
            #[inline(always)]
            fn add(a: $bits, b: $bits) -> $bits {
                (<$f>::from_bits(a) + <$f>::from_bits(b)).to_bits()
            }
            #[inline(always)]
            fn sub(a: $bits, b: $bits) -> $bits {
                (<$f>::from_bits(a) - <$f>::from_bits(b)).to_bits()
            }
            #[inline(always)]
            fn mul(a: $bits, b: $bits) -> $bits {
                (<$f>::from_bits(a) * <$f>::from_bits(b)).to_bits()
            }
            #[inline(always)]
            fn div(a: $bits, b: $bits) -> $bits {
                (<$f>::from_bits(a) / <$f>::from_bits(b)).to_bits()
            }
            #[inline(always)]
            fn rem(a: $bits, b: $bits) -> $bits {
                (<$f>::from_bits(a) % <$f>::from_bits(b)).to_bits()
            }
            #[inline(always)]
            fn fma(a: $bits, b: $bits, c: $bits) -> $bits {
                <$f>::from_bits(a)
                    .mul_add(<$f>::from_bits(b), <$f>::from_bits(c))
                    .to_bits()
            }
            #[inline(always)]
            fn min(a: $bits, b: $bits) -> $bits {
                let (x, y) = (<$f>::from_bits(a), <$f>::from_bits(b));
                if x <= y || y.is_nan() { a } else { b }
            }
            #[inline(always)]
            fn max(a: $bits, b: $bits) -> $bits {
                let (x, y) = (<$f>::from_bits(a), <$f>::from_bits(b));
                if x >= y || y.is_nan() { a } else { b }
            }
            #[inline(always)]
            fn floor(a: $bits) -> $bits {
                <$f>::from_bits(a).floor().to_bits()
            }
            #[inline(always)]
            fn ceil(a: $bits) -> $bits {
                <$f>::from_bits(a).ceil().to_bits()
            }
            #[inline(always)]
            fn trunc(a: $bits) -> $bits {
                <$f>::from_bits(a).trunc().to_bits()
            }
            #[inline(always)]
            fn rint(a: $bits) -> $bits {
                <$f>::from_bits(a).round_ties_even().to_bits()
            }
            #[inline(always)]
            fn sqrt(a: $bits) -> $bits {
                <$f>::from_bits(a).sqrt().to_bits()
            }
            #[inline(always)]
            fn eq(a: $bits, b: $bits) -> bool {
                <$f>::from_bits(a) == <$f>::from_bits(b)
            }
            #[inline(always)]
            fn lt(a: $bits, b: $bits) -> bool {
                <$f>::from_bits(a) < <$f>::from_bits(b)
            }
            #[inline(always)]
            fn le(a: $bits, b: $bits) -> bool {
                <$f>::from_bits(a) <= <$f>::from_bits(b)
            }
            #[inline(always)]
            fn unordered(a: $bits, b: $bits) -> bool {
                <$f>::from_bits(a).is_nan() || <$f>::from_bits(b).is_nan()
            }
            #[inline(always)]
            fn to_f64(a: $bits) -> f64 {
                <$f>::from_bits(a) as f64
            }
            #[inline(always)]
            fn from_f64(v: f64) -> $bits {
                (v as $f).to_bits()
            }
        }
    };
}

native!(f32, u32);
native!(f64, u64);

fn wide(a: u16) -> f32 {
    f16::from_bits(a).to_f32()
}

fn narrow(v: f32) -> u16 {
    f16::from_f32(v).to_bits()
}

impl Float for f16 {
    type Bits = u16;

    fn neg(a: u16) -> u16 {
        a ^ 0x8000
    }
    fn abs(a: u16) -> u16 {
        a & 0x7FFF
    }
    fn add(a: u16, b: u16) -> u16 {
        narrow(wide(a) + wide(b))
    }
    fn sub(a: u16, b: u16) -> u16 {
        narrow(wide(a) - wide(b))
    }
    fn mul(a: u16, b: u16) -> u16 {
        narrow(wide(a) * wide(b))
    }
    fn div(a: u16, b: u16) -> u16 {
        narrow(wide(a) / wide(b))
    }
    fn rem(a: u16, b: u16) -> u16 {
        narrow(wide(a) % wide(b))
    }
    /// The product is exact in binary64, and so is the sum in all but cases
    /// whose exponents lie more than 30 apart, where the sticky bits of
    /// binary64 still round the right way.
    fn fma(a: u16, b: u16, c: u16) -> u16 {
        let v = <Self as Float>::to_f64(a)
            .mul_add(<Self as Float>::to_f64(b), <Self as Float>::to_f64(c));
        <Self as Float>::from_f64(v)
    }
    fn min(a: u16, b: u16) -> u16 {
        if wide(a) <= wide(b) || wide(b).is_nan() {
            a
        } else {
            b
        }
    }
    fn max(a: u16, b: u16) -> u16 {
        if wide(a) >= wide(b) || wide(b).is_nan() {
            a
        } else {
            b
        }
    }
    fn floor(a: u16) -> u16 {
        narrow(wide(a).floor())
    }
    fn ceil(a: u16) -> u16 {
        narrow(wide(a).ceil())
    }
    fn trunc(a: u16) -> u16 {
        narrow(wide(a).trunc())
    }
    fn rint(a: u16) -> u16 {
        narrow(wide(a).round_ties_even())
    }
    fn sqrt(a: u16) -> u16 {
        narrow(wide(a).sqrt())
    }
    fn eq(a: u16, b: u16) -> bool {
        wide(a) == wide(b)
    }
    fn lt(a: u16, b: u16) -> bool {
        wide(a) < wide(b)
    }
    fn le(a: u16, b: u16) -> bool {
        wide(a) <= wide(b)
    }
    fn unordered(a: u16, b: u16) -> bool {
        wide(a).is_nan() || wide(b).is_nan()
    }
    fn to_f64(a: u16) -> f64 {
        f16::from_bits(a).to_f64()
    }
    fn from_f64(v: f64) -> u16 {
        super::convert::half_from_double(v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_prefers_the_number() {
        let nan = f32::NAN.to_bits();
        let one = 1f32.to_bits();
        assert_eq!(<f32 as Float>::min(nan, one), one);
        assert_eq!(<f32 as Float>::min(one, nan), one);
        assert_eq!(<f32 as Float>::max(nan, one), one);
        assert_eq!(<f32 as Float>::max(one, nan), one);
    }

    #[test]
    fn fma_rounds_once() {
        // 1 + 2^-23 squared less 1: the unfused product loses the last term.
        let a = (1.0f32 + f32::EPSILON).to_bits();
        let minus = (-1.0f32).to_bits();
        let fused = f32::from_bits(<f32 as Float>::fma(a, a, minus));
        assert_eq!(
            f64::from(fused),
            (2.0 * f64::from(f32::EPSILON) + f64::from(f32::EPSILON).powi(2)) as f32 as f64
        );
    }

    #[test]
    fn half_sums_are_rounded_once() {
        // 2048 + 1 lies between two halfs and ties to the even one.
        let a = f16::from_f32(2048.0).to_bits();
        let one = f16::from_f32(1.0).to_bits();
        assert_eq!(<f16 as Float>::add(a, one), a);
    }
}
