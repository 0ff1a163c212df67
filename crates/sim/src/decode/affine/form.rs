//! Symbolic sums.

use smallvec::SmallVec;
use tilewise_ir::Value;

/// What all lanes of a sub-group share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The global id of the group's first work-item, by dimension.
    FirstId(u8),
    /// A uniform value.
    Value(Value),
    /// What a loop has added to this parameter of its header since it was entered.
    Added(Value),
}

/// More terms than this are not kept together.
const MOST_TERMS: usize = 4;

/// `constant + factors * bases + factors * local ids`, modulo a power of two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub constant: i64,
    pub terms: SmallVec<[(Base, i64); 3]>,
    /// Factors of the local ids.
    pub lanes: [i64; 3],
}

impl Sum {
    fn times(&self, factor: i64) -> Self {
        Self {
            constant: self.constant.wrapping_mul(factor),
            terms: self
                .terms
                .iter()
                .map(|&(base, f)| (base, f.wrapping_mul(factor)))
                .collect(),
            lanes: self.lanes.map(|f| f.wrapping_mul(factor)),
        }
    }

    /// `None` where there would be too many terms.
    fn plus(&self, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum.constant.wrapping_add(other.constant);
        for (own, more) in sum.lanes.iter_mut().zip(other.lanes) {
            *own = own.wrapping_add(more);
        }
        for &(base, factor) in &other.terms {
            match sum.terms.iter_mut().find(|(b, _)| *b == base) {
                Some((_, own)) => *own = own.wrapping_add(factor),
                None => sum.terms.push((base, factor)),
            }
        }
        sum.terms.retain(|(_, factor)| *factor != 0);
        (sum.terms.len() <= MOST_TERMS).then_some(sum)
    }

    /// The factors as they count modulo 2^32.
    fn narrow(mut self) -> Self {
        let cut = |n: &mut i64| *n = i64::from(*n as i32);
        cut(&mut self.constant);
        self.terms.iter_mut().for_each(|(_, f)| cut(f));
        self.lanes.iter_mut().for_each(cut);
        self
    }
}

/// A sum, and a sum of 32 bits that is extended and multiplied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    pub sum: Sum,
    pub widened: Option<Extended>,
}

/// `scale * extend(sum)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extended {
    pub sum: Sum,
    pub signed: bool,
    pub scale: i64,
}

impl Form {
    pub fn constant(constant: i64) -> Self {
        Self {
            sum: Sum {
                constant,
                ..Sum::default()
            },
            widened: None,
        }
    }

    pub fn base(base: Base) -> Self {
        let mut form = Self::default();
        form.sum.terms.push((base, 1));
        form
    }

    /// The local id of a dimension.
    pub fn local_id(dim: usize) -> Self {
        let mut form = Self::default();
        form.sum.lanes[dim] = 1;
        form
    }

    /// The number that it is, if it is one.
    pub fn as_constant(&self) -> Option<i64> {
        (self.widened.is_none() && self.sum.terms.is_empty() && self.sum.lanes == [0; 3])
            .then_some(self.sum.constant)
    }

    /// Whether lanes differ.
    pub fn has_lanes(&self) -> bool {
        let inner = self.widened.as_ref().map_or([0; 3], |w| w.sum.lanes);
        self.sum.lanes != [0; 3] || inner != [0; 3]
    }

    pub fn bases(&self) -> impl Iterator<Item = Base> + '_ {
        let inner = self.widened.iter().flat_map(|w| &w.sum.terms);
        self.sum.terms.iter().chain(inner).map(|(base, _)| *base)
    }

    pub fn times(&self, factor: i64) -> Self {
        let widened = self.widened.as_ref().map(|w| Extended {
            scale: w.scale.wrapping_mul(factor),
            ..w.clone()
        });
        Self {
            sum: self.sum.times(factor),
            widened: widened.filter(|w| w.scale != 0),
        }
    }

    /// `None` where the two extend different sums.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let widened = match (&self.widened, &other.widened) {
            (None, None) => None,
            (Some(one), None) | (None, Some(one)) => Some(one.clone()),
            (Some(a), Some(b)) if a.sum == b.sum && a.signed == b.signed => Some(Extended {
                scale: a.scale.wrapping_add(b.scale),
                ..a.clone()
            }),
            (Some(_), Some(_)) => return None,
        };
        Some(Self {
            sum: self.sum.plus(&other.sum)?,
            widened: widened.filter(|w| w.scale != 0),
        })
    }

    /// The lower 32 bits. Extensions leave them as they are.
    pub fn truncated(&self) -> Option<Self> {
        let sum = match &self.widened {
            Some(w) => self.sum.plus(&w.sum.times(w.scale))?,
            None => self.sum.clone(),
        };
        Some(Self {
            sum: sum.narrow(),
            widened: None,
        })
    }

    /// A number of 32 bits extended to 64.
    pub fn extended(&self, signed: bool) -> Option<Self> {
        if self.widened.is_some() {
            return None;
        }
        Some(Self {
            sum: Sum::default(),
            widened: Some(Extended {
                sum: self.sum.clone().narrow(),
                signed,
                scale: 1,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_count_modulo_a_power_of_two() {
        let id = Form::local_id(0);
        let first = Form::base(Base::FirstId(0));
        let global = id.plus(&first).expect("two terms");
        // (global * 3 - first * 3) is the local id times 3.
        let own = global.times(3).plus(&first.times(-3)).expect("one term");
        assert_eq!(own, id.times(3));
        let narrow = global.times(1 << 32).truncated().expect("few terms");
        assert_eq!(narrow.sum.lanes, [0; 3]);
        assert_eq!(narrow.sum.constant, 0);
    }

    #[test]
    fn extensions_add_only_to_themselves() {
        let index = Form::local_id(0)
            .plus(&Form::constant(1))
            .expect("few terms");
        let wide = index.extended(true).expect("a narrow number");
        let twice = wide.plus(&wide).expect("the same extension");
        assert_eq!(twice, wide.times(2));
        assert_eq!(wide.plus(&index.extended(false).expect("narrow")), None);
        assert_eq!(wide.plus(&wide.times(-1)), Some(Form::default()));
        assert_eq!(twice.truncated(), Some(index.times(2)));
        assert_eq!(wide.extended(true), None);
    }
}
