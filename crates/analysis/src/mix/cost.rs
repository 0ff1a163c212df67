//! What one operation of the IR issues on a GPU.

/// Instructions that an operation becomes, by the pipe that runs them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IssueCost {
    /// Single (and half) precision arithmetic.
    pub fp32: u16,
    /// Double precision arithmetic.
    pub fp64: u16,
    /// Integer arithmetic, comparison, selection, conversion, addresses.
    pub integer: u16,
    /// Special-function unit: reciprocal, square root, exponential, sine, and
    /// what shares its rate (rounding to integer, population count).
    pub special: u16,
    /// Branches and the end of the kernel.
    pub control: u16,
    /// Memory instructions.
    pub memory: u16,
    /// Barriers.
    pub barrier: u16,
}

impl IssueCost {
    /// Nothing is issued.
    pub const FREE: Self = Self {
        fp32: 0,
        fp64: 0,
        integer: 0,
        special: 0,
        control: 0,
        memory: 0,
        barrier: 0,
    };

    /// Integer instructions.
    pub const fn integer(n: u16) -> Self {
        Self {
            integer: n,
            ..Self::FREE
        }
    }

    /// Single precision instructions.
    pub const fn fp32(n: u16) -> Self {
        Self {
            fp32: n,
            ..Self::FREE
        }
    }

    /// Double precision instructions.
    pub const fn fp64(n: u16) -> Self {
        Self {
            fp64: n,
            ..Self::FREE
        }
    }

    /// Branches.
    pub const fn control(n: u16) -> Self {
        Self {
            control: n,
            ..Self::FREE
        }
    }

    /// Memory instructions.
    pub const fn memory(n: u16) -> Self {
        Self {
            memory: n,
            ..Self::FREE
        }
    }

    /// The same with instructions of the special-function unit added.
    pub const fn and_special(self, n: u16) -> Self {
        Self { special: n, ..self }
    }

    /// All instructions.
    pub const fn total(&self) -> u32 {
        self.fp32 as u32
            + self.fp64 as u32
            + self.integer as u32
            + self.special as u32
            + self.control as u32
            + self.memory as u32
            + self.barrier as u32
    }

    /// Whether nothing is issued.
    pub const fn is_free(&self) -> bool {
        self.total() == 0
    }
}
