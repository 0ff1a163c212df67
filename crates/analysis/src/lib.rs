//! What is measured in a simulated run.
//!
//! Every analysis is one folder: state of a run (an
//! [`Analysis`](tilewise_sim::Analysis)), state of one work-group (an
//! [`Observer`](tilewise_sim::Observer)), and a plain result that knows
//! nothing of how it is shown.
//!
//! | folder | question |
//! |---|---|
//! | [`traffic`] | what is accessed, how often is it accessed again, what does the memory system see |
//! | [`footprint`] | which box of a buffer does a work-group read, with what halo |
//! | [`banks`] | how many passes do accesses to local memory take |
//! | [`mix`] | how many instructions of which kind does a GPU issue |
//! | [`scoreboard`] | how long does a work-group live when nothing is in its way |
//! | [`races`] | which work-items access the same memory with nothing to order them |
//! | [`uninit`] | which reads of local and private memory matter though nothing has set it |
//! | [`misaligned`] | which accesses are at addresses that their type does not allow |
//! | [`handover`] | what does local memory hand from work-item to work-item, and which barriers does that take |
//! | [`async_copies`] | are the work-group's copies waited for, and made by all alike |
//! | [`estimate`] | what do the work-groups that ran say about those that did not |
//!
//! [`repeats`] spares counting analyses the groups that do what another has done.
//! Beneath them: [`region`] names the memory that addresses point to,
//! [`shape`] is what must be known of the device's memory, [`touched`] holds
//! sets of touched memory, [`sites`] numbers the places that access memory,
//! [`affine`] compares addresses symbolically, [`reach`] says which memory an
//! instruction may access, [`data`] which addresses depend on loaded data.

pub mod affine;
pub mod async_copies;
pub mod banks;
pub mod data;
pub mod estimate;
pub mod footprint;
pub mod handover;
mod idle;
pub mod misaligned;
pub mod mix;
pub mod races;
pub mod reach;
pub mod region;
pub mod repeats;
pub mod scoreboard;
pub mod shape;
pub mod sites;
pub mod touched;
pub mod traffic;
pub mod uninit;

#[cfg(test)]
mod test_machine;
