//! Integer arithmetic on 8 to 64 bits. A lane holds bits without a sign; the
//! operation says how they are read (OpenCL C 3.0, sections 6.5 and 6.15.3).

use tilewise_ir::BinaryOp;

/// An operation whose low bits follow from the low bits of its operands, so that it is the
/// same for numbers of any size; `None` for others. What lies above the size is to be cut.
#[inline(always)]
pub(crate) fn low_bits(op: BinaryOp, a: u64, b: u64) -> Option<u64> {
    Some(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        _ => return None,
    })
}

/// An integer lane.
pub(crate) trait Int: Copy + Eq {
    /// The value 0.
    const ZERO: Self;

    fn from_u64(bits: u64) -> Self;
    fn to_u64(self) -> u64;
    /// Sign-extended.
    fn to_i64(self) -> i64;

    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn sdiv(self, b: Self) -> Self;
    fn udiv(self, b: Self) -> Self;
    fn srem(self, b: Self) -> Self;
    /// Remainder with the sign of the divisor.
    fn smod(self, b: Self) -> Self;
    fn urem(self, b: Self) -> Self;
    fn and(self, b: Self) -> Self;
    fn or(self, b: Self) -> Self;
    fn xor(self, b: Self) -> Self;
    fn shl(self, b: Self) -> Self;
    fn lshr(self, b: Self) -> Self;
    fn ashr(self, b: Self) -> Self;
    fn neg(self) -> Self;
    fn not(self) -> Self;
    fn slt(self, b: Self) -> bool;
    fn sle(self, b: Self) -> bool;
    fn ult(self, b: Self) -> bool;
    fn ule(self, b: Self) -> bool;

    fn sabs(self) -> Self;
    fn sabs_diff(self, b: Self) -> Self;
    fn uabs_diff(self, b: Self) -> Self;
    fn sadd_sat(self, b: Self) -> Self;
    fn uadd_sat(self, b: Self) -> Self;
    fn ssub_sat(self, b: Self) -> Self;
    fn usub_sat(self, b: Self) -> Self;
    fn smin(self, b: Self) -> Self;
    fn smax(self, b: Self) -> Self;
    fn umin(self, b: Self) -> Self;
    fn umax(self, b: Self) -> Self;
    /// `(a + b) >> 1` without overflow.
    fn shadd(self, b: Self) -> Self;
    fn uhadd(self, b: Self) -> Self;
    /// `(a + b + 1) >> 1` without overflow.
    fn srhadd(self, b: Self) -> Self;
    fn urhadd(self, b: Self) -> Self;
    /// Upper half of the product.
    fn smul_hi(self, b: Self) -> Self;
    fn umul_hi(self, b: Self) -> Self;
    fn smad_sat(self, b: Self, c: Self) -> Self;
    fn umad_sat(self, b: Self, c: Self) -> Self;
    fn rotate(self, b: Self) -> Self;
    fn clz(self) -> Self;
    fn ctz(self) -> Self;
    fn popcount(self) -> Self;
}

macro_rules! int {
    ($u:ty, $i:ty, $wide_u:ty, $wide_i:ty) => {
        impl Int for $u {
            const ZERO: Self = 0;

            #[inline(always)]
            fn from_u64(bits: u64) -> Self {
                bits as $u
            }
            #[inline(always)]
            fn to_u64(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                self as $i as i64
            }
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                self.wrapping_add(b)
            }
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                self.wrapping_sub(b)
            }
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                self.wrapping_mul(b)
            }
            #[inline(always)]
            fn sdiv(self, b: Self) -> Self {
                if b == 0 {
                    0
                } else {
                    (self as $i).wrapping_div(b as $i) as $u
                }
            }
            #[inline(always)]
            fn udiv(self, b: Self) -> Self {
                self.checked_div(b).unwrap_or(0)
            }
            #[inline(always)]
            fn srem(self, b: Self) -> Self {
                if b == 0 {
                    0
                } else {
                    (self as $i).wrapping_rem(b as $i) as $u
                }
            }
            #[inline(always)]
            fn smod(self, b: Self) -> Self {
                let r = self.srem(b);
                if r != 0 && ((r ^ b) as $i) < 0 {
                    r.wrapping_add(b)
                } else {
                    r
                }
            }
            #[inline(always)]
            fn urem(self, b: Self) -> Self {
                self.checked_rem(b).unwrap_or(0)
            }
            #[inline(always)]
            fn and(self, b: Self) -> Self {
                self & b
            }
            #[inline(always)]
            fn or(self, b: Self) -> Self {
                self | b
            }
            #[inline(always)]
            fn xor(self, b: Self) -> Self {
                self ^ b
            }
            #[inline(always)]
            fn shl(self, b: Self) -> Self {
                self << (b & (<$u>::BITS as $u - 1))
            }
            #[inline(always)]
            fn lshr(self, b: Self) -> Self {
                self >> (b & (<$u>::BITS as $u - 1))
            }
            #[inline(always)]
            fn ashr(self, b: Self) -> Self {
                (self as $i >> (b & (<$u>::BITS as $u - 1))) as $u
            }
            #[inline(always)]
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn slt(self, b: Self) -> bool {
                (self as $i) < b as $i
            }
            #[inline(always)]
            fn sle(self, b: Self) -> bool {
                (self as $i) <= b as $i
            }
            #[inline(always)]
            fn ult(self, b: Self) -> bool {
                self < b
            }
            #[inline(always)]
            fn ule(self, b: Self) -> bool {
                self <= b
            }
            #[inline(always)]
            fn sabs(self) -> Self {
                (self as $i).unsigned_abs()
            }
            #[inline(always)]
            fn sabs_diff(self, b: Self) -> Self {
                (self as $i).abs_diff(b as $i)
            }
            #[inline(always)]
            fn uabs_diff(self, b: Self) -> Self {
                self.abs_diff(b)
            }
            #[inline(always)]
            fn sadd_sat(self, b: Self) -> Self {
                (self as $i).saturating_add(b as $i) as $u
            }
            #[inline(always)]
            fn uadd_sat(self, b: Self) -> Self {
                self.saturating_add(b)
            }
            #[inline(always)]
            fn ssub_sat(self, b: Self) -> Self {
                (self as $i).saturating_sub(b as $i) as $u
            }
            #[inline(always)]
            fn usub_sat(self, b: Self) -> Self {
                self.saturating_sub(b)
            }
            #[inline(always)]
            fn smin(self, b: Self) -> Self {
                (self as $i).min(b as $i) as $u
            }
            #[inline(always)]
            fn smax(self, b: Self) -> Self {
                (self as $i).max(b as $i) as $u
            }
            #[inline(always)]
            fn umin(self, b: Self) -> Self {
                self.min(b)
            }
            #[inline(always)]
            fn umax(self, b: Self) -> Self {
                self.max(b)
            }
            #[inline(always)]
            fn shadd(self, b: Self) -> Self {
                let (a, b) = (self as $i, b as $i);
                ((a >> 1) + (b >> 1) + (a & b & 1)) as $u
            }
            #[inline(always)]
            fn uhadd(self, b: Self) -> Self {
                (self >> 1) + (b >> 1) + (self & b & 1)
            }
            #[inline(always)]
            fn srhadd(self, b: Self) -> Self {
                let (a, b) = (self as $i, b as $i);
                ((a >> 1) + (b >> 1) + ((a | b) & 1)) as $u
            }
            #[inline(always)]
            fn urhadd(self, b: Self) -> Self {
                (self >> 1) + (b >> 1) + ((self | b) & 1)
            }
            #[inline(always)]
            fn smul_hi(self, b: Self) -> Self {
                ((self as $i as $wide_i * b as $i as $wide_i) >> <$u>::BITS) as $u
            }
            #[inline(always)]
            fn umul_hi(self, b: Self) -> Self {
                ((self as $wide_u * b as $wide_u) >> <$u>::BITS) as $u
            }
            #[inline(always)]
            fn smad_sat(self, b: Self, c: Self) -> Self {
                let wide = self as $i as $wide_i * b as $i as $wide_i + c as $i as $wide_i;
                wide.clamp(<$i>::MIN as $wide_i, <$i>::MAX as $wide_i) as $u
            }
            #[inline(always)]
            fn umad_sat(self, b: Self, c: Self) -> Self {
                let wide = self as $wide_u * b as $wide_u + c as $wide_u;
                wide.min(<$u>::MAX as $wide_u) as $u
            }
            #[inline(always)]
            fn rotate(self, b: Self) -> Self {
                self.rotate_left(b as u32 & (<$u>::BITS - 1))
            }
            #[inline(always)]
            fn clz(self) -> Self {
                self.leading_zeros() as $u
            }
            #[inline(always)]
            fn ctz(self) -> Self {
                self.trailing_zeros() as $u
            }
            #[inline(always)]
            fn popcount(self) -> Self {
                self.count_ones() as $u
            }
        }
    };
}

int!(u8, i8, u16, i16);
int!(u16, i16, u32, i32);
int!(u32, i32, u64, i64);
int!(u64, i64, u128, i128);

/// `mul24` and `mad24` read the low 24 bits of each factor, signed.
#[inline(always)]
pub(crate) fn smul24<T: Int>(a: T, b: T) -> T {
    let low = |v: T| (v.to_i64() << 40) >> 40;
    T::from_u64(low(a).wrapping_mul(low(b)) as u64)
}

/// The unsigned form of [`smul24`].
#[inline(always)]
pub(crate) fn umul24<T: Int>(a: T, b: T) -> T {
    let low = |v: T| v.to_u64() & 0xFF_FFFF;
    T::from_u64(low(a).wrapping_mul(low(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division() {
        assert_eq!(7u32.sdiv(-2i32 as u32), -3i32 as u32);
        assert_eq!(7u32.srem(-2i32 as u32), 1);
        assert_eq!(7u32.smod(-2i32 as u32), -1i32 as u32);
        assert_eq!((-7i32 as u32).smod(2), 1);
        assert_eq!((-8i32 as u32).smod(2), 0);
        assert_eq!(5u32.sdiv(0), 0);
        assert_eq!(5u8.urem(0), 0);
        // The one quotient that does not fit wraps.
        assert_eq!((i32::MIN as u32).sdiv(-1i32 as u32), i32::MIN as u32);
        assert_eq!((i32::MIN as u32).srem(-1i32 as u32), 0);
    }

    #[test]
    fn shifts_take_the_count_modulo_the_width() {
        assert_eq!(1u32.shl(33), 2);
        assert_eq!(0x80u8.lshr(9), 0x40);
        assert_eq!(0x80u8.ashr(9), 0xC0);
        assert_eq!(1u64.shl(64), 1);
    }

    #[test]
    fn saturation_and_halves() {
        assert_eq!(0x7Fu8.sadd_sat(1), 0x7F);
        assert_eq!(0x80u8.ssub_sat(1), 0x80);
        assert_eq!(3u8.usub_sat(5), 0);
        assert_eq!(0xFFu8.uhadd(0xFF), 0xFF);
        assert_eq!(3u8.uhadd(4), 3);
        assert_eq!(3u8.urhadd(4), 4);
        assert_eq!((-3i8 as u8).shadd(-4i8 as u8), -4i8 as u8);
        assert_eq!((-3i8 as u8).srhadd(-4i8 as u8), -3i8 as u8);
        assert_eq!(u64::MAX.umul_hi(u64::MAX), u64::MAX - 1);
        assert_eq!((-1i32 as u32).smul_hi(-1i32 as u32), 0);
        assert_eq!(100u8.smad_sat(100, 0), 127);
        assert_eq!(100u8.umad_sat(100, 0), 255);
        assert_eq!((i8::MIN as u8).sabs(), 128);
    }

    #[test]
    fn products_of_24_bits() {
        assert_eq!(smul24(0x00FF_FFFFu32, 3), -3i32 as u32);
        assert_eq!(umul24(0xFF00_0003u32, 5), 15);
    }
}
