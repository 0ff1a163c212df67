//! Typed indices: a [`Value`] can't be used where a [`BlockId`] belongs.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id with this index.
            pub const fn new(index: usize) -> Self {
                Self(index as u32)
            }

            /// The index behind the id.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

id!(
    /// A scalar SSA value of one kernel.
    Value,
    "v"
);
id!(
    /// A basic block of one kernel.
    BlockId,
    "block"
);
id!(
    /// A variable in memory (local, private or program-scope) of one kernel.
    VarId,
    "var"
);
id!(
    /// A place in the source, with the calls that lead to it.
    SiteId,
    "site"
);
id!(
    /// A source file of one program.
    FileId,
    "file"
);
id!(
    /// An instruction or terminator of one kernel, numbered block by block:
    /// the instructions of a block in order, then its terminator
    /// ([`crate::Kernel::numbering`]).
    InstId,
    "i"
);
