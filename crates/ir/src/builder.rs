//! Builds kernels by hand: for front ends, and for tests that want a kernel
//! without a compiler.

use smallvec::SmallVec;

use crate::ids::{BlockId, SiteId, Value, VarId};
use crate::kernel::{
    Block, Edge, Inst, Kernel, KernelParam, ParamBinding, Terminator, ValueDef, Variable,
};
use crate::math::MathFn;
use crate::op::{
    AtomicOp, BarrierScope, BinaryOp, CompareOp, Conversion, Fence, MemAccess, Op, UnaryOp,
    WorkItemQuery,
};
use crate::site::{Position, Site, SiteTable};
use crate::ty::{Space, Ty};

/// Appends instructions to the blocks of one kernel.
///
/// Instructions go to the end of the current block ([`KernelBuilder::at`]) and
/// carry the current site ([`KernelBuilder::line`]).
#[derive(Debug)]
pub struct KernelBuilder {
    kernel: Kernel,
    sites: SiteTable,
    current: BlockId,
    site: SiteId,
}

impl KernelBuilder {
    /// A kernel without blocks. The first block made is its entry.
    pub fn new(name: &str) -> Self {
        let mut sites = SiteTable::default();
        let file = sites.file("kernel.cl");
        let site = sites.site(Site {
            position: Position {
                file,
                line: 0,
                column: 0,
            },
            spelling: None,
            inlined_at: None,
        });
        Self {
            kernel: Kernel {
                name: name.to_owned(),
                ..Kernel::default()
            },
            sites,
            current: Kernel::ENTRY,
            site,
        }
    }

    /// The kernel. Blocks without a terminator end in `unreachable`.
    pub fn finish(self) -> Kernel {
        self.kernel
    }

    /// The kernel and the sites it refers to.
    pub fn finish_with_sites(self) -> (Kernel, SiteTable) {
        (self.kernel, self.sites)
    }

    /// Sets the source line of what follows, in a file called `kernel.cl`.
    pub fn line(&mut self, line: u32) -> &mut Self {
        let file = self.sites.file("kernel.cl");
        self.site = self.sites.site(Site {
            position: Position {
                file,
                line,
                column: 1,
            },
            spelling: None,
            inlined_at: None,
        });
        self
    }

    /// A new block.
    pub fn new_block(&mut self) -> BlockId {
        self.kernel.blocks.push(Block {
            params: SmallVec::new(),
            insts: Vec::new(),
            term: Terminator::Unreachable,
            term_site: self.site,
        });
        BlockId::new(self.kernel.blocks.len() - 1)
    }

    /// Several new blocks.
    pub fn blocks<const N: usize>(&mut self) -> [BlockId; N] {
        std::array::from_fn(|_| self.new_block())
    }

    /// Goes on at the end of a block.
    pub fn at(&mut self, block: BlockId) -> &mut Self {
        self.current = block;
        self
    }

    /// Adds a parameter to a block.
    pub fn block_param(&mut self, block: BlockId, ty: Ty) -> Value {
        let value = self.kernel.new_value(ty, ValueDef::BlockParam(block));
        self.kernel.blocks[block.index()].params.push(value);
        value
    }

    /// A scalar kernel parameter.
    pub fn value_param(&mut self, name: &str, ty: Ty) -> Value {
        let value = self.kernel.new_value(ty, ValueDef::Param);
        self.kernel.params.push(KernelParam {
            name: name.to_owned(),
            binding: ParamBinding::Values(smallvec::smallvec![value]),
        });
        value
    }

    /// A pointer kernel parameter.
    pub fn pointer_param(&mut self, name: &str, space: Space) -> Value {
        let value = self.kernel.new_value(Ty::Ptr, ValueDef::Param);
        self.kernel.params.push(KernelParam {
            name: name.to_owned(),
            binding: ParamBinding::Pointer { value, space },
        });
        value
    }

    /// An image kernel parameter.
    pub fn image_param(&mut self, name: &str) -> Value {
        let value = self.kernel.new_value(Ty::Ptr, ValueDef::Param);
        self.kernel.params.push(KernelParam {
            name: name.to_owned(),
            binding: ParamBinding::Image { value },
        });
        value
    }

    /// A variable in memory.
    pub fn variable(&mut self, name: &str, space: Space, size: u64, elem: Ty) -> VarId {
        self.kernel.vars.push(Variable {
            name: name.to_owned(),
            space,
            size,
            align: elem.size(),
            elem_size: elem.size(),
            init: None,
            addresses: Vec::new(),
            site: Some(self.site),
        });
        VarId::new(self.kernel.vars.len() - 1)
    }

    /// A constant, given by its bits.
    pub fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        self.kernel.new_value(ty, ValueDef::Const(bits))
    }

    /// A constant of type `F32`.
    pub fn f32(&mut self, value: f32) -> Value {
        self.constant(Ty::F32, u64::from(value.to_bits()))
    }

    /// A constant of type `I32`.
    pub fn i32(&mut self, value: i32) -> Value {
        self.constant(Ty::I32, u64::from(value as u32))
    }

    /// A constant of type `I64`.
    pub fn i64(&mut self, value: i64) -> Value {
        self.constant(Ty::I64, value as u64)
    }

    /// Appends an operation.
    pub fn push(&mut self, op: Op) -> &mut Self {
        let site = self.site;
        self.kernel.blocks[self.current.index()]
            .insts
            .push(Inst { op, site });
        self
    }

    /// A fresh value defined in the current block.
    pub fn result(&mut self, ty: Ty) -> Value {
        let def = ValueDef::Inst(self.current);
        self.kernel.new_value(ty, def)
    }

    /// `op a`.
    pub fn unary(&mut self, op: UnaryOp, a: Value) -> Value {
        let dst = self.result(self.kernel.ty(a));
        self.push(Op::Unary { op, dst, a });
        dst
    }

    /// `a op b`.
    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let dst = self.result(self.kernel.ty(a));
        self.push(Op::Binary { op, dst, a, b });
        dst
    }

    /// `a op b` as a truth value.
    pub fn compare(&mut self, op: CompareOp, a: Value, b: Value) -> Value {
        let dst = self.result(Ty::Bool);
        self.push(Op::Compare { op, dst, a, b });
        dst
    }

    /// `cond ? if_true : if_false`.
    pub fn select(&mut self, cond: Value, if_true: Value, if_false: Value) -> Value {
        let dst = self.result(self.kernel.ty(if_true));
        self.push(Op::Select {
            dst,
            cond,
            if_true,
            if_false,
        });
        dst
    }

    /// A conversion to `to`.
    pub fn convert(&mut self, op: Conversion, a: Value, to: Ty) -> Value {
        let dst = self.result(to);
        self.push(Op::Convert { op, dst, a });
        dst
    }

    /// A builtin with one result, of the type of its first argument.
    pub fn math(&mut self, fun: MathFn, args: &[Value]) -> Value {
        let ty = args.first().map_or(Ty::F32, |&a| self.kernel.ty(a));
        let dst = self.result(ty);
        self.push(Op::Math {
            fun,
            dst: smallvec::smallvec![dst],
            args: args.iter().copied().collect(),
        });
        dst
    }

    /// `base + index * scale + offset` in bytes.
    pub fn ptr_add(&mut self, base: Value, index: Value, scale: i64, offset: i64) -> Value {
        let dst = self.result(Ty::Ptr);
        self.push(Op::PtrAdd {
            dst,
            base,
            index: Some(index),
            scale,
            offset,
            elements: None,
        });
        dst
    }

    /// The address of a variable.
    pub fn var_addr(&mut self, var: VarId) -> Value {
        let dst = self.result(Ty::Ptr);
        self.push(Op::VarAddr { dst, var });
        dst
    }

    /// A work-item function.
    pub fn work_item(&mut self, query: WorkItemQuery, dim: u8) -> Value {
        let dst = self.result(Ty::I64);
        self.push(Op::WorkItem { dst, query, dim });
        dst
    }

    /// Loads one scalar.
    pub fn load(&mut self, ptr: Value, space: Space, ty: Ty) -> Value {
        let dst = self.result(ty);
        self.push(Op::Load {
            dst: smallvec::smallvec![dst],
            ptr,
            access: MemAccess::scalar(space, ty),
        });
        dst
    }

    /// Stores one scalar.
    pub fn store(&mut self, ptr: Value, src: Value, space: Space) -> &mut Self {
        let access = MemAccess::scalar(space, self.kernel.ty(src));
        self.push(Op::Store {
            src: smallvec::smallvec![Some(src)],
            ptr,
            access,
        })
    }

    /// An atomic operation whose result is used.
    pub fn atomic(&mut self, op: AtomicOp, ptr: Value, value: Value, space: Space) -> Value {
        let ty = self.kernel.ty(value);
        let dst = self.result(ty);
        self.push(Op::Atomic {
            op,
            dst: Some(dst),
            ptr,
            value: Some(value),
            compare: None,
            access: MemAccess::scalar(space, ty),
            fence: Fence::default(),
        });
        dst
    }

    /// `barrier(CLK_LOCAL_MEM_FENCE)`.
    pub fn barrier(&mut self) -> &mut Self {
        self.push(Op::Barrier {
            scope: BarrierScope::WorkGroup,
            fence: Fence {
                local: true,
                global: false,
            },
        })
    }

    fn terminate(&mut self, term: Terminator) {
        let site = self.site;
        let block = &mut self.kernel.blocks[self.current.index()];
        block.term = term;
        block.term_site = site;
    }

    /// Goes on at a block without parameters.
    pub fn jump(&mut self, to: BlockId) {
        self.jump_with(to, &[]);
    }

    /// Goes on at a block.
    pub fn jump_with(&mut self, to: BlockId, args: &[Value]) {
        self.terminate(Terminator::Jump(edge(to, args)));
    }

    /// Branches to blocks without parameters.
    pub fn branch(&mut self, cond: Value, then: BlockId, other: BlockId) {
        self.branch_with(cond, (then, &[]), (other, &[]));
    }

    /// Branches.
    pub fn branch_with(
        &mut self,
        cond: Value,
        then: (BlockId, &[Value]),
        other: (BlockId, &[Value]),
    ) {
        self.terminate(Terminator::Branch {
            cond,
            then: edge(then.0, then.1),
            other: edge(other.0, other.1),
        });
    }

    /// Switches over an integer, to blocks without parameters.
    pub fn switch(&mut self, value: Value, cases: &[(u64, BlockId)], default: BlockId) {
        self.terminate(Terminator::Switch {
            value,
            cases: cases.iter().map(|&(v, b)| (v, edge(b, &[]))).collect(),
            default: edge(default, &[]),
        });
    }

    /// Ends the work-item.
    pub fn ret(&mut self) {
        self.terminate(Terminator::Return);
    }

    /// Marks the end of the block as out of reach.
    pub fn unreachable(&mut self) {
        self.terminate(Terminator::Unreachable);
    }
}

fn edge(block: BlockId, args: &[Value]) -> Edge {
    Edge {
        block,
        args: args.iter().copied().collect(),
    }
}
