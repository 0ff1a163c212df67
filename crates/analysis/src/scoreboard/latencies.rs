//! Latencies of a device without load, in cycles of a compute unit.

/// Latencies without load, in cycles. Plain figures; device profiles fill them
/// in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// Until a dependent instruction can follow an ordinary one.
    pub arithmetic: u32,
    /// The same for double precision.
    pub double: u32,
    /// The same for the special-function unit.
    pub special: u32,
    /// A global load that the L1 can't serve.
    pub far: u32,
    /// A global load that the L1 serves; private memory too.
    pub l1: u32,
    /// A load of constant memory that its cache serves.
    pub constant: u32,
    /// A local load of one pass.
    pub local: u32,
    /// A barrier that everyone has reached.
    pub barrier: u32,
    /// From a free place on a compute unit to the first instruction of the
    /// group put there.
    pub launch: u32,
}

impl Latencies {
    /// Round figures of a present NVIDIA GPU, for tests and where no profile
    /// is at hand: Luo et al., "Dissecting the NVIDIA Hopper Architecture
    /// through Microbenchmarking and Multiple Level Analysis" (2025), for the
    /// memory levels.
    pub const ROUND: Self = Self {
        arithmetic: 4,
        double: 8,
        special: 20,
        far: 600,
        l1: 33,
        constant: 30,
        local: 29,
        barrier: 20,
        launch: 200,
    };
}
