//! Times, and the chain of events that led to them.

/// Who answers a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// What lies beyond the L1.
    Far,
    /// The L1 or the constant cache; private memory too.
    L1,
    /// Local memory.
    Local,
}

/// Memory round trips that followed one another, and the cycles they took, by
/// [`Level`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path {
    pub trips: [u32; 3],
    pub cycles: [u64; 3],
    /// Cycles of barriers that everyone had reached.
    pub barrier_cycles: u64,
}

impl Path {
    /// The path with one more round trip.
    pub fn then(mut self, level: Level, cycles: u64) -> Self {
        self.trips[level as usize] += 1;
        self.cycles[level as usize] += cycles;
        self
    }
}

/// When a value can be read, and what led to that.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ready {
    /// The cycle.
    pub time: u64,
    /// What led to it.
    pub path: Path,
}

impl Ready {
    /// The later one.
    pub fn later(self, other: Self) -> Self {
        if other.time > self.time { other } else { self }
    }
}
