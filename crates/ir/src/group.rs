//! Work-group and sub-group functions: work-items exchange values.
//!
//! What they compute is that of OpenCL C 3.0, sections 6.15.16 (work-group
//! collective functions), 6.15.19 (sub-group functions) and of the extensions
//! `cl_khr_subgroup_*`, as SPIR-V's `OpGroup…` and `OpGroupNonUniform…`
//! instructions hand them on.

use std::fmt;

use crate::ty::Ty;

/// What a work-group or sub-group function computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupOp {
    /// Whether a `Bool` holds for all: one `Bool`.
    All,
    /// Whether a `Bool` holds for any: one `Bool`.
    Any,
    /// Whether all have the same value: one `Bool`.
    AllEqual,
    /// Whether this is the first of the work-items that take part; no
    /// arguments, one `Bool`.
    Elect,
    /// The value of one work-item. Arguments: the value, then its sub-group
    /// local id, or its local id in one to three dimensions.
    Broadcast,
    /// The value of the first work-item that takes part.
    BroadcastFirst,
    /// All values combined.
    Reduce(GroupArithmetic),
    /// The values up to one's own combined, in the order of the (sub-group)
    /// local id.
    InclusiveScan(GroupArithmetic),
    /// The values before one's own combined; the identity for the first.
    ExclusiveScan(GroupArithmetic),
    /// The values of one's own cluster combined. Arguments: the value, then
    /// the size of the clusters, an `I32`.
    ClusteredReduce(GroupArithmetic),
    /// A bit per lane for which a `Bool` holds: four `I32`.
    Ballot,
    /// The value of the lane that the second argument names.
    Shuffle,
    /// The value of the lane whose id is one's own, exclusive or the second
    /// argument.
    ShuffleXor,
    /// The value of the lane so many below.
    ShuffleUp,
    /// The value of the lane so many above.
    ShuffleDown,
}

/// How values are combined. The type of the values says whether as integers or
/// as floating-point numbers (`SMin` and `SMax`); a `Bool` has `And`, `Or` and
/// `Xor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum GroupArithmetic {
    Add,
    Mul,
    SMin,
    SMax,
    UMin,
    UMax,
    And,
    Or,
    Xor,
}

/// Which work-items must come to a work-group or sub-group function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Participants {
    /// All of the work-group or sub-group, together.
    All,
    /// Those that are active where it stands (`…_non_uniform_…`, shuffles).
    Active,
}

impl GroupOp {
    /// Whether all work-items that take part get the same result.
    pub const fn is_uniform(self) -> bool {
        matches!(
            self,
            GroupOp::All
                | GroupOp::Any
                | GroupOp::AllEqual
                | GroupOp::Broadcast
                | GroupOp::BroadcastFirst
                | GroupOp::Reduce(_)
                | GroupOp::Ballot
        )
    }

    /// Whether the function takes and gives values of these types.
    pub fn takes(self, args: &[Ty], results: &[Ty]) -> bool {
        let index = |ty: &Ty| matches!(ty, Ty::I32 | Ty::I64);
        match (self, args, results) {
            (GroupOp::All | GroupOp::Any, [Ty::Bool], [Ty::Bool])
            | (GroupOp::AllEqual, [_], [Ty::Bool])
            | (GroupOp::Elect, [], [Ty::Bool])
            | (GroupOp::Ballot, [Ty::Bool], [Ty::I32, Ty::I32, Ty::I32, Ty::I32]) => true,
            (GroupOp::Broadcast, [value, ids @ ..], [result]) => {
                value == result && matches!(ids.len(), 1..=3) && ids.iter().all(index)
            }
            (GroupOp::BroadcastFirst, [value], [result]) => value == result,
            (
                GroupOp::Reduce(how) | GroupOp::InclusiveScan(how) | GroupOp::ExclusiveScan(how),
                [value],
                [result],
            ) => value == result && how.takes(*value),
            (GroupOp::ClusteredReduce(how), [value, Ty::I32], [result]) => {
                value == result && how.takes(*value)
            }
            (
                GroupOp::Shuffle | GroupOp::ShuffleXor | GroupOp::ShuffleUp | GroupOp::ShuffleDown,
                [value, Ty::I32],
                [result],
            ) => value == result,
            _ => false,
        }
    }
}

impl GroupArithmetic {
    fn takes(self, ty: Ty) -> bool {
        match self {
            GroupArithmetic::Add | GroupArithmetic::Mul => ty.is_int() || ty.is_float(),
            GroupArithmetic::SMin | GroupArithmetic::SMax => ty.is_int() || ty.is_float(),
            GroupArithmetic::UMin | GroupArithmetic::UMax => ty.is_int(),
            GroupArithmetic::And | GroupArithmetic::Or | GroupArithmetic::Xor => {
                ty.is_int() || ty == Ty::Bool
            }
        }
    }
}

/// The function's name in OpenCL C, behind `work_group_` or `sub_group_`.
impl fmt::Display for GroupOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GroupOp::All => f.write_str("all"),
            GroupOp::Any => f.write_str("any"),
            GroupOp::AllEqual => f.write_str("all_equal"),
            GroupOp::Elect => f.write_str("elect"),
            GroupOp::Broadcast => f.write_str("broadcast"),
            GroupOp::BroadcastFirst => f.write_str("broadcast_first"),
            GroupOp::Reduce(how) => write!(f, "reduce_{how}"),
            GroupOp::InclusiveScan(how) => write!(f, "scan_inclusive_{how}"),
            GroupOp::ExclusiveScan(how) => write!(f, "scan_exclusive_{how}"),
            GroupOp::ClusteredReduce(how) => write!(f, "clustered_reduce_{how}"),
            GroupOp::Ballot => f.write_str("ballot"),
            GroupOp::Shuffle => f.write_str("shuffle"),
            GroupOp::ShuffleXor => f.write_str("shuffle_xor"),
            GroupOp::ShuffleUp => f.write_str("shuffle_up"),
            GroupOp::ShuffleDown => f.write_str("shuffle_down"),
        }
    }
}

impl fmt::Display for GroupArithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GroupArithmetic::Add => "add",
            GroupArithmetic::Mul => "mul",
            GroupArithmetic::SMin | GroupArithmetic::UMin => "min",
            GroupArithmetic::SMax | GroupArithmetic::UMax => "max",
            GroupArithmetic::And => "and",
            GroupArithmetic::Or => "or",
            GroupArithmetic::Xor => "xor",
        })
    }
}
