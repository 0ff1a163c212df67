//! Which work-groups run, and which others they stand for.

/// A work-group that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampledGroup {
    /// Linear number of the group, first dimension fastest.
    pub linear: u64,
    /// The stratum it was drawn from.
    pub stratum: u32,
}

/// Why a list of sampled groups is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A group names a stratum that has no size.
    #[error("work-group {linear} is in stratum {stratum}, but only {strata} strata have a size")]
    UnknownStratum {
        /// The group.
        linear: u64,
        /// Its stratum.
        stratum: u32,
        /// Number of strata.
        strata: usize,
    },
    /// A group is listed twice.
    #[error("work-group {linear} is listed twice")]
    Twice {
        /// The group.
        linear: u64,
    },
    /// A stratum has groups, but too few of them run to say anything of the
    /// others.
    #[error(
        "{sampled} of the {size} work-groups of stratum {stratum} run; at least 2 (or all of them) are needed to scale from"
    )]
    TooFew {
        /// The stratum.
        stratum: usize,
        /// Groups that run.
        sampled: u64,
        /// Groups in the stratum.
        size: u64,
    },
    /// More groups are listed than the stratum has.
    #[error("{sampled} work-groups are drawn from stratum {stratum}, which has {size}")]
    TooMany {
        /// The stratum.
        stratum: usize,
        /// Groups that run.
        sampled: u64,
        /// Groups in the stratum.
        size: u64,
    },
}

/// The work-groups that run and the strata that they stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplePlan {
    /// In linear order; empty where every group runs.
    groups: Vec<SampledGroup>,
    sizes: Vec<u64>,
}

impl SamplePlan {
    /// Every one of `count` work-groups runs.
    pub fn all(count: u64) -> Self {
        Self {
            groups: Vec::new(),
            sizes: vec![count],
        }
    }

    /// Some work-groups run. `stratum_sizes` holds the number of groups of
    /// each stratum, those that don't run included.
    pub fn new(mut groups: Vec<SampledGroup>, stratum_sizes: Vec<u64>) -> Result<Self, PlanError> {
        groups.sort_unstable_by_key(|g| g.linear);
        let mut sampled = vec![0u64; stratum_sizes.len()];
        for (i, group) in groups.iter().enumerate() {
            if i > 0 && groups[i - 1].linear == group.linear {
                return Err(PlanError::Twice {
                    linear: group.linear,
                });
            }
            match sampled.get_mut(group.stratum as usize) {
                Some(n) => *n += 1,
                None => {
                    return Err(PlanError::UnknownStratum {
                        linear: group.linear,
                        stratum: group.stratum,
                        strata: stratum_sizes.len(),
                    });
                }
            }
        }
        for (stratum, (&sampled, &size)) in sampled.iter().zip(&stratum_sizes).enumerate() {
            if sampled > size {
                return Err(PlanError::TooMany {
                    stratum,
                    sampled,
                    size,
                });
            }
            if sampled < size && sampled < 2 {
                return Err(PlanError::TooFew {
                    stratum,
                    sampled,
                    size,
                });
            }
        }
        Ok(Self {
            groups,
            sizes: stratum_sizes,
        })
    }

    /// Whether every work-group runs by [`SamplePlan::all`].
    pub fn is_all(&self) -> bool {
        self.groups.is_empty()
    }

    /// Number of work-groups that run.
    pub fn sampled(&self) -> u64 {
        if self.is_all() {
            self.population()
        } else {
            self.groups.len() as u64
        }
    }

    /// Number of work-groups of the launch.
    pub fn population(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// Number of groups by stratum.
    pub fn stratum_sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The stratum of a work-group that runs; `None` for one that the plan
    /// doesn't list.
    pub fn stratum_of(&self, linear: u64) -> Option<usize> {
        if self.is_all() {
            return (linear < self.population()).then_some(0);
        }
        self.groups
            .binary_search_by_key(&linear, |g| g.linear)
            .ok()
            .map(|i| self.groups[i].stratum as usize)
    }

    /// The listed groups in linear order; empty where every group runs.
    pub fn groups(&self) -> &[SampledGroup] {
        &self.groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(linear: u64, stratum: u32) -> SampledGroup {
        SampledGroup { linear, stratum }
    }

    #[test]
    fn looks_groups_up() {
        let plan = SamplePlan::new(vec![group(9, 1), group(0, 0), group(3, 1)], vec![1, 9]);
        let plan = plan.unwrap();
        assert_eq!(plan.stratum_of(3), Some(1));
        assert_eq!(plan.stratum_of(4), None);
        assert_eq!((plan.sampled(), plan.population()), (3, 10));
        assert_eq!(SamplePlan::all(4).stratum_of(4), None);
    }

    #[test]
    fn refuses_what_can_not_be_scaled() {
        let few = SamplePlan::new(vec![group(0, 0)], vec![5]);
        assert!(matches!(few, Err(PlanError::TooFew { .. })));
        let many = SamplePlan::new(vec![group(0, 0), group(1, 0)], vec![1]);
        assert!(matches!(many, Err(PlanError::TooMany { .. })));
        let twice = SamplePlan::new(vec![group(1, 0), group(1, 0)], vec![2]);
        assert!(matches!(twice, Err(PlanError::Twice { linear: 1 })));
        let unknown = SamplePlan::new(vec![group(1, 3)], vec![1]);
        assert!(matches!(unknown, Err(PlanError::UnknownStratum { .. })));
    }
}
