//! The tree of a program.
//!
//! Every expression carries its type. Expressions have no side effects:
//! assignments, calls and atomics are statements.

pub(crate) mod build;
mod builtin;
mod layout;
pub(crate) mod value;
mod walk;

use serde::{Deserialize, Serialize};
use tilewise_launch::{ElemType, NdRange};

pub use builtin::Builtin;
pub use layout::{Layout, Leaf};
pub use value::Value;

/// Statements in order.
pub type Block = Vec<Stmt>;

/// One kernel with all it needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Name of the kernel; what else has file scope starts with it, so that
    /// several programs fit in one file.
    pub name: String,
    /// Structure types.
    pub structs: Vec<Struct>,
    /// Tables in constant memory, at file scope.
    pub tables: Vec<Table>,
    /// Helper functions. A function calls earlier ones only.
    pub functions: Vec<Function>,
    /// Parameters of the kernel.
    pub params: Vec<Param>,
    /// `__local` arrays of the kernel.
    pub tiles: Vec<Tile>,
    /// Variables of the kernel, parameters among them.
    pub vars: Vec<VarType>,
    /// Statements of the kernel.
    pub body: Block,
    /// The NDRange.
    pub range: Range,
}

/// The NDRange of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// Number of dimensions, 1 to 3.
    pub dims: u8,
    /// Global size; 1 in dimensions that are not used.
    pub global: [u64; 3],
    /// Global offset; 0 in dimensions that are not used.
    pub offset: [u64; 3],
    /// Size of a work-group, which divides the global size.
    pub local: [u64; 3],
}

impl From<Range> for NdRange {
    fn from(range: Range) -> Self {
        Self {
            dims: range.dims,
            global: range.global,
            offset: range.offset,
            local: range.local,
        }
    }
}

/// A structure type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Struct {
    /// Members.
    pub fields: Vec<Field>,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Type of the member, or of its elements.
    pub ty: ElemType,
    /// Number of elements of an array.
    pub array: Option<usize>,
}

/// What memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Type {
    /// A scalar or vector.
    Elem(ElemType),
    /// A structure, by number.
    Struct(usize),
}

/// A table in constant memory. Its values follow from its seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Type of the elements.
    pub elem: ElemType,
    /// Number of elements.
    pub len: usize,
    /// Seed of the values.
    pub seed: u64,
}

/// A `__local` array of the kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tile {
    /// Type of the elements.
    pub elem: ElemType,
    /// Number of elements.
    pub len: usize,
}

/// A parameter of the kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Param {
    /// The variable that holds it.
    pub var: usize,
    /// What it is.
    pub kind: ParamKind,
}

/// What a parameter is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ParamKind {
    /// A value, which follows from a seed.
    Value {
        /// Seed of the value.
        seed: u64,
    },
    /// A buffer in global or constant memory.
    Buffer {
        /// Type of the elements.
        elem: Type,
        /// Number of elements.
        len: usize,
        /// What it holds at the start.
        contents: Contents,
    },
    /// Local memory.
    Local {
        /// Number of elements.
        len: usize,
    },
}

/// What a buffer holds at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Contents {
    /// Values that follow from a seed.
    Seed(u64),
    /// Zeros.
    Zero,
}

/// A helper function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// How many of the variables are parameters: the first ones.
    pub params: usize,
    /// Variables.
    pub vars: Vec<VarType>,
    /// Statements; the last one returns.
    pub body: Block,
    /// What it returns.
    pub result: ElemType,
}

/// An address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Space {
    /// `__global`
    Global,
    /// `__constant`
    Constant,
    /// `__local`
    Local,
    /// `__private`
    Private,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VarType {
    /// A scalar or vector.
    Value(ElemType),
    /// A structure, by number.
    Struct(usize),
    /// A private array.
    Array {
        /// Type of the elements.
        elem: ElemType,
        /// Number of elements.
        len: usize,
    },
    /// A pointer.
    Pointer {
        /// Where it points.
        space: Space,
        /// Type of what it points to.
        elem: Type,
        /// Whether it points to `const`.
        read_only: bool,
    },
}

/// Something with elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Object {
    /// A private array or a pointer.
    Var(usize),
    /// A `__local` array of the kernel.
    Tile(usize),
    /// A table in constant memory.
    Table(usize),
}

/// Something that can be read and, mostly, written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The variable or element.
    pub base: Base,
    /// A member of it, where it is a structure.
    pub field: Option<FieldRef>,
    /// Components, in order, of a vector.
    pub components: Option<Vec<u8>>,
    /// Type of the whole.
    pub ty: ElemType,
}

/// A variable or an element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Base {
    /// A variable.
    Var(usize),
    /// An element.
    Element {
        /// Of what.
        object: Object,
        /// Which one.
        index: Box<Expr>,
    },
}

/// A member, or an element of a member that is an array.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldRef {
    /// Number of the member.
    pub field: usize,
    /// Which element of the array.
    pub index: Option<Box<Expr>>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expr {
    /// Its type.
    pub ty: ElemType,
    /// What it is.
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExprKind {
    /// A constant.
    Literal(Value),
    /// The value of a place.
    Read(Place),
    /// A work-item function.
    Query(Query, u8),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands; signed arithmetic wraps.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A comparison.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `&&` (true) or `||` of scalars.
    Logical(bool, Box<Expr>, Box<Expr>),
    /// `?:`; componentwise where the condition is a vector.
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A cast to a scalar type, or of a scalar to a vector of its own type.
    Cast(Box<Expr>),
    /// `convert_…`
    Convert(Rounding, bool, Box<Expr>),
    /// `as_…`
    Bits(Box<Expr>),
    /// `(int4)(a, b.xy, c)`
    Vector(Vec<Expr>),
    /// `(e).xyx`
    Components(Box<Expr>, Vec<u8>),
    /// A builtin function.
    Call(Builtin, Vec<Expr>),
    /// `vloadN(index, object)`
    VLoad {
        /// Memory of scalars.
        object: Object,
        /// In vectors.
        index: Box<Expr>,
    },
}

/// Work-item functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Query {
    GlobalId,
    LocalId,
    GroupId,
    GlobalSize,
    LocalSize,
    NumGroups,
    GlobalOffset,
    WorkDim,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Neg,
    BitNot,
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum CompareOp {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// Rounding of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rounding {
    /// Not named: to nearest even for floating point, to zero for integers.
    Default,
    /// `_rte`
    NearestEven,
    /// `_rtz`
    Zero,
    /// `_rtp`
    Up,
    /// `_rtn`
    Down,
}

/// How a variable starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Init {
    /// A value.
    Expr(Expr),
    /// The elements of an array or the leaves of a structure.
    List(Vec<Expr>),
    /// A copy of a structure.
    Copy(Base),
    /// Where a pointer points.
    Pointer(Object, Expr),
}

/// An argument of a helper function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Argument {
    /// By value.
    Value(Expr),
    /// The address of an element.
    Pointer(Object, Expr),
}

/// One arm of a `switch`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// `None` is `default`.
    pub label: Option<i32>,
    /// Its statements.
    pub body: Block,
    /// Whether control goes on into the next arm.
    pub falls: bool,
}

/// How a loop is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoopShape {
    /// `for (i = 0; i < limit && condition; i++)`
    Up,
    /// `for (i = limit; i > 0 && condition; i--)`, the limit taken once.
    Down,
    /// `while (i < limit && condition) { i++; … }`
    While,
    /// `do { i++; … } while (i < limit && condition);`
    DoWhile,
}

/// Atomic operations that commute with themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum AtomicOp {
    Add,
    Sub,
    Inc,
    Dec,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stmt {
    /// Declares a variable.
    Declare(usize, Init),
    /// `place = value`, or `place op= value`.
    Assign(Place, Option<BinaryOp>, Expr),
    /// `place++` (true) or `place--`.
    Step(Place, bool),
    /// Copies a structure.
    CopyStruct(Base, Base),
    /// `if`
    If(Expr, Block, Block),
    /// `switch`
    Switch(Expr, Vec<Arm>),
    /// A loop with a counter of its own, which declares it.
    Loop {
        /// How it is written.
        shape: LoopShape,
        /// The counter, an `int`.
        counter: usize,
        /// Iterations at most.
        limit: Expr,
        /// A further condition.
        condition: Option<Expr>,
        /// Its statements.
        body: Block,
    },
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return(Option<Expr>),
    /// Calls a helper function and assigns its result.
    Call {
        /// The function.
        function: usize,
        /// Its arguments.
        args: Vec<Argument>,
        /// Where its result goes.
        to: Place,
    },
    /// `barrier`, with the fences it has.
    Barrier {
        /// `CLK_LOCAL_MEM_FENCE`
        local: bool,
        /// `CLK_GLOBAL_MEM_FENCE`
        global: bool,
    },
    /// `async_work_group_copy` and the wait for it.
    AsyncCopy {
        /// Destination.
        to: Object,
        /// First element of it.
        to_first: Expr,
        /// Source.
        from: Object,
        /// First element of it.
        from_first: Expr,
        /// Number of elements.
        count: usize,
        /// Elements of the source from one to the next; 1 is the plain copy.
        stride: usize,
    },
    /// An atomic whose result is not used, unless it is stored.
    Atomic {
        /// The operation.
        op: AtomicOp,
        /// Memory of integers.
        object: Object,
        /// Which element.
        index: Expr,
        /// What it works with; `None` for `Inc` and `Dec`.
        operand: Option<Expr>,
        /// Where the old value goes.
        old: Option<Place>,
    },
    /// `vstoreN(value, index, object)`
    VStore {
        /// Memory of scalars.
        object: Object,
        /// In vectors.
        index: Expr,
        /// What is stored.
        value: Expr,
    },
}
