//! The operations of the IR.

use smallvec::SmallVec;

use crate::group::{GroupOp, Participants};
use crate::ids::{Value, VarId};
use crate::math::MathFn;
use crate::ty::{Space, Ty};

/// One operation. Operand types are those of the values; see each variant.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// `dst = op a`, both of one type.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// Result.
        dst: Value,
        /// Operand.
        a: Value,
    },
    /// `dst = a op b`, all of one type. A shift takes its count modulo the
    /// width, as OpenCL C does.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// Result.
        dst: Value,
        /// Left operand.
        a: Value,
        /// Right operand.
        b: Value,
    },
    /// `dst = a op b`: operands of one type, a `Bool` result.
    Compare {
        /// The comparison.
        op: CompareOp,
        /// Result.
        dst: Value,
        /// Left operand.
        a: Value,
        /// Right operand.
        b: Value,
    },
    /// `dst = cond ? if_true : if_false`, lane by lane.
    Select {
        /// Result.
        dst: Value,
        /// A `Bool`.
        cond: Value,
        /// Taken where `cond` holds.
        if_true: Value,
        /// Taken elsewhere.
        if_false: Value,
    },
    /// A conversion between types.
    Convert {
        /// Which one.
        op: Conversion,
        /// Result; its type is the target type.
        dst: Value,
        /// Operand; its type is the source type.
        a: Value,
    },
    /// `dst = base + index * scale + offset` in bytes.
    PtrAdd {
        /// Result, a `Ptr`.
        dst: Value,
        /// A `Ptr`.
        base: Value,
        /// An `I32` or `I64`, taken as signed.
        index: Option<Value>,
        /// Bytes per unit of `index`.
        scale: i64,
        /// Bytes added.
        offset: i64,
        /// Elements of the array that `index` selects from, where the array is a
        /// member of a structure. Another index leaves the member, if not the
        /// variable around it: a mistake where the address is accessed.
        elements: Option<u64>,
    },
    /// The address of a variable, a `Ptr`.
    VarAddr {
        /// Result.
        dst: Value,
        /// The variable.
        var: VarId,
    },
    /// A work-item function, an `I64`.
    WorkItem {
        /// Result.
        dst: Value,
        /// Which function.
        query: WorkItemQuery,
        /// Dimension, 0 to 2 (ignored by functions that take none).
        dim: u8,
    },
    /// A builtin function.
    Math {
        /// Which one.
        fun: MathFn,
        /// Results, one or two ([`MathFn::results`]).
        dst: SmallVec<[Value; 2]>,
        /// Arguments.
        args: SmallVec<[Value; 4]>,
    },
    /// One load of one or more adjacent components.
    Load {
        /// One value per component.
        dst: SmallVec<[Value; 4]>,
        /// Address of the first component.
        ptr: Value,
        /// What is accessed.
        access: MemAccess,
    },
    /// One store of one or more adjacent components.
    Store {
        /// One value per component; `None` leaves that component as it is (a
        /// component store such as `v.x = …` writes one of four).
        src: SmallVec<[Option<Value>; 4]>,
        /// Address of the first component.
        ptr: Value,
        /// What is accessed.
        access: MemAccess,
    },
    /// An atomic operation on one element.
    Atomic {
        /// Which one.
        op: AtomicOp,
        /// The value before, if anything uses it.
        dst: Option<Value>,
        /// Address.
        ptr: Value,
        /// Operand, absent for increment, decrement and load.
        value: Option<Value>,
        /// Value compared with (compare-exchange only).
        compare: Option<Value>,
        /// What is accessed; `count` is 1.
        access: MemAccess,
        /// Other memory that it orders, where its memory order is not relaxed.
        fence: Fence,
    },
    /// `read_image…`: four components of one texel, or of the mean of its
    /// neighbours where the sampler is a linear one.
    ImageRead {
        /// The components, `F32`, `F16` or `I32`, all of one type.
        dst: SmallVec<[Value; 4]>,
        /// The image: a `Ptr` to its first texel.
        image: Value,
        /// The sampler, an `I64` of OpenCL C's sampler bits; `None` for a read
        /// without one, whose coordinates are integers and must be inside.
        sampler: Option<Value>,
        /// Coordinates, the layer of an array last: all `I32` or all `F32`.
        /// There may be more than the image has dimensions.
        coords: SmallVec<[Value; 4]>,
    },
    /// `write_image…`: one texel.
    ImageWrite {
        /// The image: a `Ptr` to its first texel.
        image: Value,
        /// Coordinates, as those of [`Op::ImageRead`], all `I32`.
        coords: SmallVec<[Value; 4]>,
        /// Four components, `F32`, `F16` or `I32`.
        src: SmallVec<[Value; 4]>,
    },
    /// `get_image_…`, an `I32`.
    ImageQuery {
        /// Result.
        dst: Value,
        /// The image: a `Ptr` to its first texel.
        image: Value,
        /// What is asked.
        query: ImageQuery,
    },
    /// Copies bytes, such as a structure assignment: one read and one write.
    Copy {
        /// Where to, a `Ptr`.
        dst: Value,
        /// Where from, a `Ptr`.
        src: Value,
        /// Number of bytes.
        bytes: u32,
        /// Address space written.
        dst_space: Space,
        /// Address space read.
        src_space: Space,
        /// Alignment of both in bytes.
        align: u32,
    },
    /// `barrier`: every work-item of the scope waits for the others.
    Barrier {
        /// Who waits.
        scope: BarrierScope,
        /// Which memory it orders.
        fence: Fence,
    },
    /// A work-group or sub-group function. Vectors are exchanged component by
    /// component.
    Group {
        /// Which one.
        op: GroupOp,
        /// Whose values are exchanged.
        scope: BarrierScope,
        /// Which of them must come to it.
        participants: Participants,
        /// Results ([`GroupOp::takes`]).
        dst: SmallVec<[Value; 4]>,
        /// Arguments.
        args: SmallVec<[Value; 4]>,
    },
    /// Whether a pointer points into an address space, or is null
    /// (`to_global` and its like, `get_fence`): a `Bool`.
    PointsTo {
        /// Result.
        dst: Value,
        /// A `Ptr`.
        ptr: Value,
        /// The address space.
        space: Space,
    },
    /// `mem_fence`: orders memory without waiting.
    Fence {
        /// Which memory it orders.
        fence: Fence,
    },
    /// `async_work_group_copy` and its strided form: the work-group copies
    /// `count` elements together. The copy is done when the event is waited
    /// for; the simulator may do it at once.
    AsyncCopy {
        /// Where to, a `Ptr`.
        dst: Value,
        /// Where from, a `Ptr`.
        src: Value,
        /// Number of elements, an `I64`.
        count: Value,
        /// Elements between two elements on the strided side (1: contiguous).
        stride: Value,
        /// Size of an element in bytes.
        elem_bytes: u32,
        /// Address space written.
        dst_space: Space,
        /// Address space read.
        src_space: Space,
    },
    /// `wait_group_events`.
    WaitEvents,
    /// A private variable comes to life (again, in a loop): what it held is
    /// gone. Variables that live in registers need none.
    LifetimeStart {
        /// The variable.
        var: VarId,
    },
    /// A value that nothing has set: reading it is a finding, not a crash.
    Undef {
        /// Result.
        dst: Value,
    },
    /// `printf`.
    Printf {
        /// 0 where it succeeds, an `I32`.
        dst: Option<Value>,
        /// The format, a `Ptr`, and the arguments: a vector's components one
        /// by one.
        args: SmallVec<[Value; 4]>,
    },
}

/// What a load, store or atomic touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemAccess {
    /// Address space as far as it is known.
    pub space: Space,
    /// Type of a component.
    pub elem: Ty,
    /// Number of adjacent components, 1 to 16.
    pub count: u8,
    /// Bytes that the access covers: `count * elem.size()`, but 16 for a
    /// `float3` (one lane of it undefined).
    pub bytes: u32,
    /// Alignment that the source promises, in bytes.
    pub align: u32,
    /// `volatile`: must not be merged or dropped.
    pub volatile: bool,
    /// Element accesses that one lane makes: `vloadN` counts N, everything
    /// else counts 1.
    pub elements: u8,
}

impl MemAccess {
    /// An ordinary access to one scalar, aligned to its size.
    pub const fn scalar(space: Space, elem: Ty) -> Self {
        Self {
            space,
            elem,
            count: 1,
            bytes: elem.size(),
            align: elem.size(),
            volatile: false,
            elements: 1,
        }
    }
}

/// Operations on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Integer negation, wrapping.
    Neg,
    /// Bitwise or logical complement.
    Not,
    /// Floating-point negation.
    FNeg,
}

/// Operations on two values of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// Signed division; by zero gives 0 and a fault.
    SDiv,
    /// Unsigned division; by zero gives 0 and a fault.
    UDiv,
    /// Signed remainder with the sign of the dividend (C's `%`).
    SRem,
    /// Signed remainder with the sign of the divisor.
    SMod,
    URem,
    And,
    Or,
    Xor,
    Shl,
    /// Logical shift right.
    LShr,
    /// Arithmetic shift right.
    AShr,
    FAdd,
    FSub,
    FMul,
    FDiv,
    /// Remainder with the sign of the dividend (C's `fmod`).
    FRem,
}

/// Comparisons; `S` signed, `U` unsigned, `FO` ordered (false with a NaN),
/// `FU` unordered (true with a NaN).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CompareOp {
    Eq,
    Ne,
    SLt,
    SLe,
    SGt,
    SGe,
    ULt,
    ULe,
    UGt,
    UGe,
    FOEq,
    FONe,
    FOLt,
    FOLe,
    FOGt,
    FOGe,
    FUEq,
    FUNe,
    FULt,
    FULe,
    FUGt,
    FUGe,
    /// Neither is a NaN.
    FOrd,
    /// One is a NaN.
    FUno,
}

/// Conversions. Source and target types are those of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// Signed integer to integer: truncates or sign-extends.
    Sext,
    /// Unsigned integer (or `Bool`) to integer: truncates or zero-extends.
    Zext,
    /// Integer to integer, saturating.
    IntSat {
        /// The source is signed.
        from_signed: bool,
        /// The target is signed.
        to_signed: bool,
    },
    /// Signed integer to floating point.
    SToF(Rounding),
    /// Unsigned integer to floating point.
    UToF(Rounding),
    /// Floating point to signed integer.
    FToS {
        /// Rounding; the default is towards zero.
        rounding: Rounding,
        /// Saturate (NaN gives 0).
        saturate: bool,
    },
    /// Floating point to unsigned integer.
    FToU {
        /// Rounding; the default is towards zero.
        rounding: Rounding,
        /// Saturate (NaN gives 0).
        saturate: bool,
    },
    /// Between floating-point types.
    FToF(Rounding),
    /// The same bits in another type of the same size.
    Bitcast,
    /// The value does not change: a copy, or a pointer in another address
    /// space. `to` names a pointer's space after an explicit conversion.
    Copy,
}

/// Rounding modes of `convert_…_rt?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even (the default towards floating point).
    NearestEven,
    /// Towards zero (the default towards integers).
    Zero,
    /// Towards positive infinity.
    Up,
    /// Towards negative infinity.
    Down,
}

/// Work-item functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum WorkItemQuery {
    GlobalId,
    LocalId,
    GroupId,
    GlobalSize,
    LocalSize,
    /// `get_enqueued_local_size`.
    EnqueuedLocalSize,
    NumGroups,
    GlobalOffset,
    WorkDim,
    GlobalLinearId,
    LocalLinearId,
    SubGroupSize,
    MaxSubGroupSize,
    NumSubGroups,
    SubGroupId,
    SubGroupLocalId,
}

/// Atomic operations on 32- and 64-bit integers and floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AtomicOp {
    Load,
    Store,
    Exchange,
    CompareExchange,
    Add,
    Sub,
    Increment,
    Decrement,
    SMin,
    SMax,
    UMin,
    UMax,
    And,
    Or,
    Xor,
}

/// What a kernel can ask about an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageQuery {
    /// Its size in a dimension, from 0. The number of layers of an array
    /// counts as the dimension after the last.
    Size(u8),
    /// Its channel order, as SPIR-V numbers it: OpenCL's less `CL_R`.
    ChannelOrder,
    /// Its channel type, as SPIR-V numbers it: OpenCL's less `CL_SNORM_INT8`.
    ChannelType,
}

/// Who waits at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierScope {
    /// The work-group.
    WorkGroup,
    /// The sub-group.
    SubGroup,
}

/// Which memory a barrier or fence orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Fence {
    /// `CLK_LOCAL_MEM_FENCE`.
    pub local: bool,
    /// `CLK_GLOBAL_MEM_FENCE`.
    pub global: bool,
}

impl Op {
    /// Calls `f` with every value that the operation defines.
    pub fn for_each_def(&self, mut f: impl FnMut(Value)) {
        match self {
            Op::Unary { dst, .. }
            | Op::Binary { dst, .. }
            | Op::Compare { dst, .. }
            | Op::Select { dst, .. }
            | Op::Convert { dst, .. }
            | Op::PtrAdd { dst, .. }
            | Op::VarAddr { dst, .. }
            | Op::WorkItem { dst, .. }
            | Op::PointsTo { dst, .. }
            | Op::ImageQuery { dst, .. }
            | Op::Undef { dst } => f(*dst),
            Op::Math { dst, .. } => dst.iter().copied().for_each(f),
            Op::Load { dst, .. } | Op::Group { dst, .. } | Op::ImageRead { dst, .. } => {
                dst.iter().copied().for_each(f);
            }
            Op::Atomic { dst, .. } | Op::Printf { dst, .. } => dst.iter().copied().for_each(f),
            Op::Store { .. }
            | Op::ImageWrite { .. }
            | Op::Copy { .. }
            | Op::Barrier { .. }
            | Op::Fence { .. }
            | Op::AsyncCopy { .. }
            | Op::LifetimeStart { .. }
            | Op::WaitEvents => {}
        }
    }

    /// Calls `f` with every value that the operation reads, in order.
    pub fn for_each_use(&self, mut f: impl FnMut(Value)) {
        match self {
            Op::Unary { a, .. } | Op::Convert { a, .. } => f(*a),
            Op::Binary { a, b, .. } | Op::Compare { a, b, .. } => {
                f(*a);
                f(*b);
            }
            Op::Select {
                cond,
                if_true,
                if_false,
                ..
            } => {
                f(*cond);
                f(*if_true);
                f(*if_false);
            }
            Op::PtrAdd { base, index, .. } => {
                f(*base);
                index.iter().copied().for_each(f);
            }
            Op::Math { args, .. } | Op::Printf { args, .. } | Op::Group { args, .. } => {
                args.iter().copied().for_each(f);
            }
            Op::Load { ptr, .. } | Op::PointsTo { ptr, .. } => f(*ptr),
            Op::ImageRead {
                image,
                sampler,
                coords,
                ..
            } => {
                f(*image);
                sampler.iter().copied().for_each(&mut f);
                coords.iter().copied().for_each(f);
            }
            Op::ImageWrite { image, coords, src } => {
                f(*image);
                coords.iter().copied().for_each(&mut f);
                src.iter().copied().for_each(f);
            }
            Op::ImageQuery { image, .. } => f(*image),
            Op::Store { src, ptr, .. } => {
                src.iter().flatten().copied().for_each(&mut f);
                f(*ptr);
            }
            Op::Atomic {
                ptr,
                value,
                compare,
                ..
            } => {
                f(*ptr);
                value.iter().copied().for_each(&mut f);
                compare.iter().copied().for_each(f);
            }
            Op::Copy { dst, src, .. } => {
                f(*dst);
                f(*src);
            }
            Op::AsyncCopy {
                dst,
                src,
                count,
                stride,
                ..
            } => {
                f(*dst);
                f(*src);
                f(*count);
                f(*stride);
            }
            Op::VarAddr { .. }
            | Op::WorkItem { .. }
            | Op::Barrier { .. }
            | Op::Fence { .. }
            | Op::WaitEvents
            | Op::LifetimeStart { .. }
            | Op::Undef { .. } => {}
        }
    }

    /// Whether the operation only computes its results: it can be dropped when
    /// they are not used, and run for inactive lanes.
    pub fn is_pure(&self) -> bool {
        matches!(
            self,
            Op::Unary { .. }
                | Op::Binary { .. }
                | Op::Compare { .. }
                | Op::Select { .. }
                | Op::Convert { .. }
                | Op::PtrAdd { .. }
                | Op::VarAddr { .. }
                | Op::WorkItem { .. }
                | Op::Math { .. }
                | Op::PointsTo { .. }
                | Op::ImageQuery { .. }
                | Op::Undef { .. }
        )
    }
}
