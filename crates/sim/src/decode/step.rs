//! The steps of a decoded kernel.

use smallvec::SmallVec;
use tilewise_ir::{
    AtomicOp, BarrierScope, BlockId, Fence, GroupOp, ImageQuery, InstId, MemAccess, Participants,
    SiteId, Space, Ty,
};

use crate::observer::{AccessKind, BarrierEvent};

/// Where a value is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// Uniform over the sub-group.
    Scalar(u32),
    /// A lane array.
    Vector(u32),
}

/// Where the addresses of an access are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pointer {
    At(Operand),
    /// An affine value, by its number.
    Affine(u32),
}

/// Where a result goes: to the scalar file, to lanes, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dest {
    pub ty: Ty,
    pub scalar: Option<u32>,
    pub vector: Option<u32>,
}

/// An instruction and its place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub inst: InstId,
    pub site: SiteId,
}

/// What the machine does next.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Line(Line),
    Load(LoadStep),
    Store(StoreStep),
    Atomic(Box<AtomicStep>),
    ImageRead(Box<ImageReadStep>),
    ImageWrite(Box<ImageWriteStep>),
    ImageQuery(Box<ImageQueryStep>),
    Divide(DivideStep),
    ShiftCount(ShiftCountStep),
    MemberIndex(Box<MemberIndexStep>),
    Copy(Box<CopyStep>),
    AsyncCopy(Box<AsyncCopyStep>),
    Barrier(Box<BarrierStep>),
    Fence {
        inst: InstId,
        fence: Fence,
    },
    Group(Box<GroupStep>),
    PointsTo(PointsToStep),
    Print(Box<PrintStep>),
    Jump {
        inst: InstId,
        edge: EdgeCode,
    },
    Branch {
        inst: InstId,
        cond: Operand,
        then: EdgeCode,
        other: EdgeCode,
        /// Where the lanes meet again.
        meet: Option<BlockId>,
    },
    Switch(Box<SwitchStep>),
    Return {
        inst: InstId,
    },
    Unreachable(At),
}

/// Instructions that only compute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// Number of the first instruction of the IR.
    pub first: u32,
    /// Number of instructions of the IR; some need no code.
    pub count: u32,
    /// The code.
    pub start: u32,
    pub end: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct LoadStep {
    pub at: At,
    pub access: MemAccess,
    pub ptr: Pointer,
    /// By component; empty where no one reads them.
    pub dst: SmallVec<[Dest; 1]>,
    /// The address is computed from loaded data.
    pub from_data: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct StoreStep {
    pub at: At,
    pub access: MemAccess,
    pub ptr: Pointer,
    /// Components stored, one bit each.
    pub components: u16,
    /// Lane arrays; `None` for a component that is left alone. Empty where no one
    /// reads what is stored.
    pub src: SmallVec<[Option<u32>; 1]>,
    pub from_data: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct AtomicStep {
    pub at: At,
    pub access: MemAccess,
    pub op: AtomicOp,
    pub ptr: Pointer,
    pub dst: Option<u32>,
    pub value: Option<u32>,
    pub compare: Option<u32>,
    pub from_data: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ImageReadStep {
    pub at: At,
    pub dst: SmallVec<[Dest; 4]>,
    pub image: Operand,
    pub sampler: Option<Operand>,
    pub coords: SmallVec<[Operand; 4]>,
    /// Type of the coordinates: `I32` or `F32`.
    pub coord_ty: Ty,
    /// The coordinates are computed from loaded data.
    pub from_data: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ImageWriteStep {
    pub at: At,
    pub image: Operand,
    pub coords: SmallVec<[Operand; 4]>,
    /// The components.
    pub src: SmallVec<[Operand; 4]>,
    /// Type of the components.
    pub ty: Ty,
    pub from_data: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ImageQueryStep {
    pub at: At,
    pub dst: Dest,
    pub image: Operand,
    pub query: ImageQuery,
}

/// An integer division whose divisor may be 0.
#[derive(Clone, Debug)]
pub(crate) struct DivideStep {
    pub at: At,
    pub ty: Ty,
    /// The divisor.
    pub b: Operand,
    /// Index of the code that divides.
    pub code: u32,
}

/// A test of a shift's count, in front of the instruction that takes it modulo
/// the number of bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShiftCountStep {
    pub at: At,
    pub ty: Ty,
    pub count: Operand,
    /// The count must be below.
    pub bits: u32,
}

/// A test of an index into a structure's member, in front of the instruction that
/// computes the address. Accesses of that follow in the same block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberIndexStep {
    /// The first access.
    pub at: At,
    pub access: AccessKind,
    pub ty: Ty,
    pub index: Operand,
    pub base: Operand,
    /// The index must be from 0 to below.
    pub elements: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct CopyStep {
    pub at: At,
    pub load: MemAccess,
    pub store: MemAccess,
    pub dst: Operand,
    pub src: Operand,
    pub bytes: u32,
    pub from_data: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct AsyncCopyStep {
    pub at: At,
    pub load: MemAccess,
    pub store: MemAccess,
    pub dst: Operand,
    pub src: Operand,
    /// An `I64`.
    pub count: Operand,
    /// An `I64`.
    pub stride: Operand,
    pub dst_space: Space,
    pub elem_bytes: u32,
    pub from_data: bool,
}

/// A barrier.
#[derive(Clone, Debug)]
pub(crate) struct BarrierStep {
    pub at: At,
    pub scope: BarrierScope,
    pub fence: Fence,
    /// Iteration counters of the loops around it.
    pub loops: SmallVec<[u32; 2]>,
}

impl BarrierStep {
    /// What observers are told of it.
    pub fn event(&self) -> BarrierEvent {
        BarrierEvent {
            inst: self.at.inst,
            site: self.at.site,
            fence: self.fence,
        }
    }
}

/// A lane array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Register {
    pub ty: Ty,
    pub slot: u32,
}

/// A work-group or sub-group function.
#[derive(Clone, Debug)]
pub(crate) struct GroupStep {
    pub at: At,
    pub op: GroupOp,
    pub scope: BarrierScope,
    pub participants: Participants,
    pub args: SmallVec<[Register; 2]>,
    pub dst: SmallVec<[Register; 2]>,
    /// Iteration counters of the loops around it.
    pub loops: SmallVec<[u32; 2]>,
}

/// `printf`.
#[derive(Clone, Debug)]
pub(crate) struct PrintStep {
    pub at: At,
    /// The format, then the arguments' scalars.
    pub args: SmallVec<[Register; 4]>,
}

/// A test of a pointer's address space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointsToStep {
    pub at: At,
    pub ptr: Operand,
    pub dst: Dest,
    pub space: Space,
}

/// A step at which work-items wait for each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting<'s> {
    pub at: At,
    pub scope: BarrierScope,
    pub fence: Fence,
    /// Iteration counters of the loops around it.
    pub loops: &'s [u32],
}

impl Step {
    /// The step as one at which work-items wait for each other.
    pub fn meeting(&self) -> Option<Meeting<'_>> {
        match self {
            Step::Barrier(step) => Some(Meeting {
                at: step.at,
                scope: step.scope,
                fence: step.fence,
                loops: &step.loops,
            }),
            Step::Group(step) => Some(Meeting {
                at: step.at,
                scope: step.scope,
                // It orders the work-items, not their memory.
                fence: Fence::default(),
                loops: &step.loops,
            }),
            _ => None,
        }
    }
}

/// An edge between two blocks.
#[derive(Clone, Debug)]
pub(crate) struct EdgeCode {
    pub from: BlockId,
    pub to: BlockId,
    /// First step of the block it leads to.
    pub target: u32,
    /// Instructions of that block.
    pub cost: u32,
    /// The code that sets the block's parameters.
    pub start: u32,
    pub end: u32,
    /// The counter of a loop that the edge enters (false) or repeats (true).
    pub iteration: Option<(u32, bool)>,
}

#[derive(Clone, Debug)]
pub(crate) struct SwitchStep {
    pub inst: InstId,
    pub ty: Ty,
    pub value: Operand,
    pub cases: Vec<(u64, EdgeCode)>,
    pub default: EdgeCode,
    pub meet: Option<BlockId>,
}
