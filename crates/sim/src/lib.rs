//! The SIMT machine.

pub mod observer;

pub use observer::{
    AccessEvent, AccessKind, AddressShape, Analysis, BarrierEvent, GroupInfo, Observer,
};
