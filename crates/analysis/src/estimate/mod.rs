//! What the work-groups that ran say about all of them.
//!
//! Work-groups are drawn by strata (corners, edges, interior). A figure is
//! added up over strata, each scaled from its sample. Where all samples of
//! each stratum agree the total is called exact; that every other group of the
//! stratum does the same is then taken as given. Otherwise the total carries
//! a 95 % interval by stratified random sampling: Cochran, *Sampling
//! Techniques*, third edition (1977), theorem 5.3 for the variance and
//! equation 5.16 (Satterthwaite) for the degrees of freedom.
//!
//! Misses: an interior that differs only in groups that were not drawn.

mod accumulate;
mod plan;

pub use accumulate::{Accumulator, Estimate};
pub use plan::{PlanError, SamplePlan, SampledGroup};
