//! Memory: the regions that pointers name, and what they hold.

pub(crate) mod access;
mod local;
mod paged;
mod private;
mod regions;
mod store;
mod transfer;
mod words;

pub use regions::{RegionInfo, RegionKind, Regions};
pub use store::{Difference, Memory};

pub(crate) use access::{Plan, known_region, lane_by_lane, offset, uniform};
pub(crate) use local::{LocalWords, POISON};
pub(crate) use paged::PagedWords;
pub(crate) use private::PrivateWords;
pub(crate) use regions::Place;
pub(crate) use transfer::{load, store};
pub(crate) use words::{Words, read_bits, write_bits};
