//! Touched memory: what one access covers ([`Spans`]) and what many accesses
//! have covered so far ([`PageSet`]).

mod page_index;
mod page_set;
mod spans;

pub use page_index::PageIndex;
pub use page_set::PageSet;
pub use spans::{Spans, for_each_region};
