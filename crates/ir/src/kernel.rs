//! Programs, kernels, blocks and values.

use smallvec::SmallVec;

use crate::ids::{BlockId, InstId, SiteId, Value, VarId};
use crate::op::Op;
use crate::site::SiteTable;
use crate::ty::{Space, Ty};

/// Which of the two IRs of a kernel a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// One access in the source is one access here. Used for checks.
    AsWritten,
    /// After an optimising compiler. Used for traffic, counters, prediction.
    AsCompiled,
}

/// The kernels of one source.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Which IR this is.
    pub form: Form,
    /// Files and sites that instructions refer to.
    pub sites: SiteTable,
    /// The kernels.
    pub kernels: Vec<Kernel>,
}

impl Program {
    /// The kernel with this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }
}

/// One kernel: all calls inlined, all vectors split.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    /// Name of the kernel function.
    pub name: String,
    /// Parameters, in the order of `clSetKernelArg`.
    pub params: Vec<KernelParam>,
    /// Variables in memory. Scalars that live in registers are not here.
    pub vars: Vec<Variable>,
    /// Type and origin of each [`Value`].
    pub values: Vec<ValueData>,
    /// Blocks; the first one is the entry and has no parameters.
    pub blocks: Vec<Block>,
    /// `reqd_work_group_size`.
    pub reqd_local: Option<[u32; 3]>,
}

/// Type and origin of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueData {
    /// Its type.
    pub ty: Ty,
    /// Where it comes from.
    pub def: ValueDef,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueDef {
    /// A constant: its bits, zero-extended.
    Const(u64),
    /// A component of a kernel parameter.
    Param,
    /// A parameter of a block.
    BlockParam(BlockId),
    /// The result of an instruction in a block.
    Inst(BlockId),
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelParam {
    /// Name in the source.
    pub name: String,
    /// How the body reaches it.
    pub binding: ParamBinding,
}

/// How the body of a kernel reaches a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamBinding {
    /// A scalar or vector: one value per component.
    Values(SmallVec<[Value; 4]>),
    /// A pointer to a buffer or to local memory.
    Pointer {
        /// The pointer.
        value: Value,
        /// Where it points.
        space: Space,
    },
    /// An image: a `Ptr` to its first texel, in a region of its own. (A
    /// sampler is a value: the `I64` of its bits.)
    Image {
        /// The pointer.
        value: Value,
    },
    /// A structure by value: a private variable that starts as its bytes.
    ByValue(VarId),
}

/// A variable in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name in the source.
    pub name: String,
    /// `Local`: one per work-group. `Private`: one per work-item. `Constant`
    /// and `Global`: one per program.
    pub space: Space,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Size in bytes of the scalars it holds, where they are all of one size;
    /// findings say `tile[12]` by it. 1 where it isn't known.
    pub elem_size: u32,
    /// Contents at the start; `None` where nothing has set them.
    pub init: Option<Vec<u8>>,
    /// Addresses in the contents at the start, which are known only at the
    /// launch: `init` holds zeros there.
    pub addresses: Vec<AddressInit>,
    /// Where it is declared, if known.
    pub site: Option<SiteId>,
}

/// An address that a variable holds at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressInit {
    /// Byte of the variable that holds it.
    pub at: u64,
    /// The variable that it points to.
    pub var: VarId,
    /// Bytes added.
    pub offset: i64,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Values that every edge into the block gives.
    pub params: SmallVec<[Value; 4]>,
    /// Instructions.
    pub insts: Vec<Inst>,
    /// Where control goes next.
    pub term: Terminator,
    /// Site of the terminator.
    pub term_site: SiteId,
}

/// An instruction: an operation and its place in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// Where it comes from.
    pub site: SiteId,
}

/// An edge of the control-flow graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Where it leads.
    pub block: BlockId,
    /// One value per parameter of that block.
    pub args: SmallVec<[Value; 4]>,
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Terminator {
    /// Goes on at another block.
    Jump(Edge),
    /// Takes one of two edges.
    Branch {
        /// A `Bool`.
        cond: Value,
        /// Taken where it holds.
        then: Edge,
        /// Taken elsewhere.
        other: Edge,
    },
    /// Takes the edge of the matching case.
    Switch {
        /// An integer.
        value: Value,
        /// Cases by value (zero-extended bits), each once.
        cases: Vec<(u64, Edge)>,
        /// Taken where none matches.
        default: Edge,
    },
    /// The work-item is done.
    Return,
    /// Control can't come here.
    Unreachable,
}

impl Terminator {
    /// The edges, in order.
    pub fn edges(&self) -> SmallVec<[&Edge; 2]> {
        match self {
            Terminator::Jump(e) => smallvec::smallvec![e],
            Terminator::Branch { then, other, .. } => smallvec::smallvec![then, other],
            Terminator::Switch { cases, default, .. } => {
                cases.iter().map(|(_, e)| e).chain([default]).collect()
            }
            Terminator::Return | Terminator::Unreachable => SmallVec::new(),
        }
    }

    /// The edges, in order, to change them.
    pub fn edges_mut(&mut self) -> SmallVec<[&mut Edge; 2]> {
        match self {
            Terminator::Jump(e) => smallvec::smallvec![e],
            Terminator::Branch { then, other, .. } => smallvec::smallvec![then, other],
            Terminator::Switch { cases, default, .. } => {
                cases.iter_mut().map(|(_, e)| e).chain([default]).collect()
            }
            Terminator::Return | Terminator::Unreachable => SmallVec::new(),
        }
    }

    /// The value that decides between edges, if one does.
    pub fn condition(&self) -> Option<Value> {
        match self {
            Terminator::Branch { cond, .. } => Some(*cond),
            Terminator::Switch { value, .. } => Some(*value),
            _ => None,
        }
    }
}

impl Kernel {
    /// The entry block.
    pub const ENTRY: BlockId = BlockId::new(0);

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Ty {
        self.values[value.index()].ty
    }

    /// The block behind an id.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// All block ids, in order.
    pub fn block_ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.blocks.len()).map(BlockId::new)
    }

    /// Adds a value.
    pub fn new_value(&mut self, ty: Ty, def: ValueDef) -> Value {
        self.values.push(ValueData { ty, def });
        Value::new(self.values.len() - 1)
    }

    /// The bits of a constant value.
    pub fn constant(&self, value: Value) -> Option<u64> {
        match self.values[value.index()].def {
            ValueDef::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// Whether anything reads each value: an operation, a terminator's condition
    /// or an edge.
    pub fn used_values(&self) -> Vec<bool> {
        let mut used = vec![false; self.values.len()];
        for block in &self.blocks {
            let mut mark = |v: Value| used[v.index()] = true;
            for inst in &block.insts {
                inst.op.for_each_use(&mut mark);
            }
            block.term.condition().into_iter().for_each(&mut mark);
            for edge in block.term.edges() {
                edge.args.iter().copied().for_each(&mut mark);
            }
        }
        used
    }

    /// Bytes of local memory that the kernel declares itself, each variable
    /// aligned; what `__local` arguments add is known at the launch.
    pub fn static_local_bytes(&self) -> u64 {
        self.vars
            .iter()
            .filter(|v| v.space == Space::Local)
            .fold(0, |at: u64, v| {
                at.next_multiple_of(u64::from(v.align.max(1))) + v.size
            })
    }
}

/// Numbers every instruction and terminator of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbering {
    /// Number of the first instruction of each block, and one past the end.
    first: Vec<u32>,
}

impl Numbering {
    /// The number of instruction `index` of a block; an index equal to the
    /// number of instructions names the terminator.
    pub fn id(&self, block: BlockId, index: usize) -> InstId {
        InstId::new(self.first[block.index()] as usize + index)
    }

    /// The block of an instruction and its index there.
    pub fn position(&self, id: InstId) -> (BlockId, usize) {
        let at = id.index() as u32;
        let block = self.first.partition_point(|&f| f <= at) - 1;
        (BlockId::new(block), (at - self.first[block]) as usize)
    }

    /// Number of ids.
    pub fn len(&self) -> usize {
        self.first.last().map_or(0, |&n| n as usize)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Kernel {
    /// The numbering of instructions that observers are told.
    pub fn numbering(&self) -> Numbering {
        let mut first = Vec::with_capacity(self.blocks.len() + 1);
        let mut at = 0;
        for block in &self.blocks {
            first.push(at);
            at += block.insts.len() as u32 + 1;
        }
        first.push(at);
        Numbering { first }
    }
}
