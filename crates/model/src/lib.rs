//! What a device is, how much of a kernel fits on it, how long a launch takes
//! there, and whether staging in local memory pays.
//!
//! Everything here is arithmetic on plain numbers. The crate neither runs nor
//! reads a kernel: [`profile`] describes a device, [`occupancy`] counts the
//! work-groups that fit on one compute unit, [`time`] predicts the time of a
//! launch from its counts, [`statistics`] turns paired measurements into an
//! interval, and [`verdict`] turns either into an answer with reasons.

pub mod occupancy;
pub mod profile;
pub mod statistics;
pub mod time;
pub mod verdict;
