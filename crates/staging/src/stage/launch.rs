//! What is known of the launch for which a kernel is staged.

use std::collections::HashMap;

/// What is known of the launch for which a kernel is staged.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Values of scalar parameters that are integers.
    pub scalars: HashMap<String, i128>,
    /// Work-items of a group by dimension.
    pub local: [u64; 3],
    /// Local memory that a group may take, in bytes.
    pub limit: u64,
    /// Bytes of one element of each buffer.
    pub element_bytes: HashMap<String, u64>,
    /// Elements of each buffer, where its length is given.
    pub lengths: HashMap<String, u64>,
    /// Buffers whose length the launch gives as a number, whatever its other sizes are.
    pub fixed_lengths: Vec<String>,
    /// Arguments that the number of work-items follows.
    pub range_sizes: Vec<String>,
    /// Buffers that are the same memory as one that the kernel writes.
    pub aliased: Vec<String>,
    /// Whether sizes of this launch may stand in the kernel.
    pub sizes: Sizes,
}

/// Whether a staged kernel takes its group's size, and a table's length, from the
/// launch for which it is staged, or works for any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sizes {
    /// Where it makes the kernel faster: panels of a matrix, whose loop over a chunk
    /// a compiler unrolls only where it knows its length, and tables of a length that
    /// the launch gives as a number.
    #[default]
    Auto,
    /// Always: `reqd_work_group_size`, and arrays instead of arguments.
    Fixed,
    /// Never.
    Any,
}
