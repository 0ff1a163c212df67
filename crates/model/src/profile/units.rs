//! The units that a figure of a profile may have.
//!
//! A unit is a type, so that a clock can't be read where a bandwidth is meant;
//! its symbol must stand beside the value in the TOML file, so that a person
//! who writes `228` for 228 KB is told.

use std::fmt;

use serde::de::DeserializeOwned;

/// A unit of measure, with the Rust type of its values.
pub trait Unit: fmt::Debug + Clone + Copy + PartialEq {
    /// Whole numbers for things that are counted, `f64` for rates.
    type Value: DeserializeOwned + fmt::Debug + fmt::Display + Copy + PartialEq + Magnitude;
    /// The text of `unit` in a profile; empty for plain counts and ratios.
    const SYMBOL: &'static str;
}

/// What makes a number fit to be a figure.
pub trait Magnitude {
    /// Finite and not negative.
    fn is_sound(&self) -> bool;
    /// Equal to nought.
    fn is_zero(&self) -> bool;
}

impl Magnitude for u64 {
    fn is_sound(&self) -> bool {
        true
    }
    fn is_zero(&self) -> bool {
        *self == 0
    }
}

impl Magnitude for f64 {
    fn is_sound(&self) -> bool {
        self.is_finite() && *self >= 0.0
    }
    fn is_zero(&self) -> bool {
        *self == 0.0
    }
}

macro_rules! units {
    ($($(#[$doc:meta])* $name:ident: $value:ty = $symbol:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name;
        impl Unit for $name {
            type Value = $value;
            const SYMBOL: &'static str = $symbol;
        }
    )*};
}

units! {
    /// Bytes.
    Bytes: u64 = "B";
    /// A number of things: units, banks, groups.
    Count: u64 = "";
    /// Work-items.
    WorkItems: u64 = "work-items";
    /// 32-bit registers.
    Registers: u64 = "registers";
    /// Cycles of the compute unit's clock.
    Cycles: f64 = "cycles";
    /// Seconds.
    Seconds: f64 = "s";
    /// Cycles per second.
    Hertz: f64 = "Hz";
    /// Bytes per second, over the whole device.
    BytesPerSecond: f64 = "B/s";
    /// Bytes per cycle of one compute unit.
    BytesPerCycle: f64 = "B/cycle";
    /// Requests or sub-group instructions per cycle of one compute unit.
    PerCycle: f64 = "1/cycle";
    /// Lanes (operations of one work-item) per cycle of one compute unit.
    LanesPerCycle: f64 = "lanes/cycle";
    /// A pure number.
    Ratio: f64 = "";
}
