//! Runs decoded kernels: sub-groups in lockstep, work-groups with barriers,
//! launches in parallel.

mod atomics;
mod barrier;
mod control;
mod copies;
mod group;
mod group_functions;
mod images;
mod in_order;
mod memory_access;
mod print;
mod queries;
mod run;
mod runaway;
mod spin;
mod sub_group;

pub use run::{RunOptions, RunSummary, Touched, run};
