//! The part of an affine value that all lanes share.

use smallvec::SmallVec;

use super::Uniform;
use super::class::LaneClass;

/// Where a term of a sum is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The global id of the group's first work-item.
    FirstId(u8),
    /// A scalar of 4 bytes, taken as signed.
    Narrow(u32),
    /// A scalar of 8 bytes.
    Wide(u32),
}

impl Source {
    #[inline(always)]
    pub fn read(self, uniform: Uniform<'_>) -> i64 {
        match self {
            Source::FirstId(dim) => uniform.first_id[usize::from(dim)] as i64,
            Source::Narrow(slot) => i64::from(uniform.scalars.b4[slot as usize][0] as i32),
            Source::Wide(slot) => uniform.scalars.b8[slot as usize][0] as i64,
        }
    }
}

/// A sum of scalars with factors, modulo 2^64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UniformSum {
    pub constant: i64,
    pub terms: SmallVec<[(Source, i64); 3]>,
}

impl UniformSum {
    #[inline(always)]
    pub fn value(&self, uniform: Uniform<'_>) -> i64 {
        let terms = self.terms.iter();
        terms.fold(self.constant, |sum, &(source, factor)| {
            sum.wrapping_add(source.read(uniform).wrapping_mul(factor))
        })
    }
}

/// A number of 32 bits extended to 64, times a factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Widened {
    pub sum: UniformSum,
    pub signed: bool,
    pub scale: i64,
}

/// An affine value: lane `l` holds `sum + scale * extend(widened) + lanes[l]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AffineValue {
    pub sum: UniformSum,
    pub widened: Option<Widened>,
    /// Index of its class among those of the kernel.
    pub class: u32,
}

impl AffineValue {
    /// What all lanes share, so that each holds it plus its number in the class;
    /// `None` where a lane's number wraps before it is extended.
    #[inline(always)]
    pub fn base(&self, uniform: Uniform<'_>, class: &LaneClass) -> Option<u64> {
        let sum = self.sum.value(uniform);
        let Some(widened) = &self.widened else {
            return Some(sum as u64);
        };
        let value = i64::from(widened.sum.value(uniform) as i32);
        let value = within(value, class.inner_ends(), widened.signed)?;
        Some(sum.wrapping_add(value.wrapping_mul(widened.scale)) as u64)
    }

    /// What a lane holds, whatever wraps.
    pub fn lane(&self, uniform: Uniform<'_>, class: &LaneClass, lane: usize) -> u64 {
        let sum = self.sum.value(uniform);
        let all = class.lane(lane) as i64;
        let Some(widened) = &self.widened else {
            return sum.wrapping_add(all) as u64;
        };
        let own = i64::from(class.inner(lane));
        let outer = all.wrapping_sub(own.wrapping_mul(widened.scale));
        let narrow = widened.sum.value(uniform).wrapping_add(own) as u32;
        let extended = if widened.signed {
            i64::from(narrow as i32)
        } else {
            i64::from(narrow)
        };
        let scaled = extended.wrapping_mul(widened.scale);
        sum.wrapping_add(outer).wrapping_add(scaled) as u64
    }
}

/// The number that `value`, which counts modulo 2^32, stands for, so that no lane
/// wraps when it adds what lies between `ends`; `None` where there is none.
#[inline(always)]
pub(super) fn within(value: i64, (low, high): (i64, i64), signed: bool) -> Option<i64> {
    if signed {
        let fits = value + low >= i64::from(i32::MIN) && value + high <= i64::from(i32::MAX);
        return fits.then_some(value);
    }
    let value = if value + low < 0 {
        value + (1 << 32)
    } else {
        value
    };
    (value + low >= 0 && value + high <= i64::from(u32::MAX)).then_some(value)
}
