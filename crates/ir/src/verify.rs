//! Checks that a kernel is well formed: what every reader of the IR may rely on.

use crate::cfg::Cfg;
use crate::dominance::Dominators;
use crate::ids::{BlockId, Value};
use crate::kernel::{Kernel, ValueDef};
use crate::op::Op;
use crate::ty::Ty;

/// A broken rule, in words, with the block where it is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The kernel.
    pub kernel: String,
    /// The block.
    pub block: BlockId,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}: {}", self.kernel, self.block, self.what)
    }
}

impl std::error::Error for Malformed {}

/// Checks a kernel: ids in range, edges with the right number and types of
/// arguments, operands of fitting types, definitions that dominate their uses.
///
/// # Errors
/// The first rule that is broken.
pub fn verify(kernel: &Kernel) -> Result<(), Malformed> {
    let checker = Checker { kernel };
    if kernel.blocks.is_empty() {
        return Err(checker.broken(Kernel::ENTRY, "the kernel has no blocks"));
    }
    if !kernel.block(Kernel::ENTRY).params.is_empty() {
        return Err(checker.broken(Kernel::ENTRY, "the entry block has parameters"));
    }
    for id in kernel.block_ids() {
        checker.ids(id)?;
    }
    for id in kernel.block_ids() {
        checker.types(id)?;
    }
    checker.variables()?;
    checker.dominance()
}

struct Checker<'k> {
    kernel: &'k Kernel,
}

impl Checker<'_> {
    fn broken(&self, block: BlockId, what: impl Into<String>) -> Malformed {
        Malformed {
            kernel: self.kernel.name.clone(),
            block,
            what: what.into(),
        }
    }

    fn ids(&self, id: BlockId) -> Result<(), Malformed> {
        let kernel = self.kernel;
        let block = kernel.block(id);
        let mut needed = 0;
        for inst in &block.insts {
            inst.op.for_each_def(|v| needed = needed.max(v.index() + 1));
            inst.op.for_each_use(|v| needed = needed.max(v.index() + 1));
            if let Op::VarAddr { var, .. } | Op::LifetimeStart { var } = &inst.op
                && var.index() >= kernel.vars.len()
            {
                return Err(self.broken(id, format!("{var} does not exist")));
            }
        }
        for v in block.params.iter().copied().chain(block.term.condition()) {
            needed = needed.max(v.index() + 1);
        }
        for edge in block.term.edges() {
            if edge.block.index() >= kernel.blocks.len() {
                return Err(
                    self.broken(id, format!("edge to {}, which does not exist", edge.block))
                );
            }
            for v in &edge.args {
                needed = needed.max(v.index() + 1);
            }
        }
        if needed > kernel.values.len() {
            return Err(self.broken(id, format!("value v{} does not exist", needed - 1)));
        }
        Ok(())
    }

    fn types(&self, id: BlockId) -> Result<(), Malformed> {
        let kernel = self.kernel;
        let block = kernel.block(id);
        for inst in &block.insts {
            if let Some(what) = self.type_error(&inst.op) {
                return Err(self.broken(id, format!("{what} in {:?}", inst.op)));
            }
        }
        for edge in block.term.edges() {
            let params = &kernel.block(edge.block).params;
            if params.len() != edge.args.len() {
                return Err(self.broken(
                    id,
                    format!(
                        "{} takes {} arguments, the edge gives {}",
                        edge.block,
                        params.len(),
                        edge.args.len()
                    ),
                ));
            }
            for (&p, &a) in params.iter().zip(&edge.args) {
                if kernel.ty(p) != kernel.ty(a) {
                    return Err(self.broken(
                        id,
                        format!("{p} is {}, the edge gives {}", kernel.ty(p), kernel.ty(a)),
                    ));
                }
            }
        }
        Ok(())
    }

    fn type_error(&self, op: &Op) -> Option<&'static str> {
        let ty = |v: Value| self.kernel.ty(v);
        let ok = match op {
            Op::Unary { dst, a, .. } => ty(*dst) == ty(*a),
            Op::Binary { dst, a, b, .. } => ty(*dst) == ty(*a) && ty(*a) == ty(*b),
            Op::Compare { dst, a, b, .. } => ty(*dst) == Ty::Bool && ty(*a) == ty(*b),
            Op::Select {
                dst,
                cond,
                if_true,
                if_false,
            } => ty(*cond) == Ty::Bool && ty(*dst) == ty(*if_true) && ty(*dst) == ty(*if_false),
            Op::PtrAdd {
                dst, base, index, ..
            } => {
                ty(*dst) == Ty::Ptr
                    && ty(*base) == Ty::Ptr
                    && index.is_none_or(|i| matches!(ty(i), Ty::I32 | Ty::I64))
            }
            Op::VarAddr { dst, .. } => ty(*dst) == Ty::Ptr,
            Op::WorkItem { dst, .. } => ty(*dst) == Ty::I64,
            Op::Math { fun, dst, .. } => dst.len() == fun.results(),
            Op::Load { dst, ptr, access } => {
                ty(*ptr) == Ty::Ptr
                    && dst.len() == usize::from(access.count)
                    && dst.iter().all(|&d| ty(d) == access.elem)
            }
            Op::Store { src, ptr, access } => {
                ty(*ptr) == Ty::Ptr
                    && src.len() == usize::from(access.count)
                    && src.iter().flatten().all(|&s| ty(s) == access.elem)
            }
            Op::ImageRead {
                dst,
                image,
                sampler,
                coords,
            } => {
                let components = |of: &[Value], allowed: &[Ty]| {
                    let first = of.first().map(|&v| ty(v));
                    first.is_some_and(|t| allowed.contains(&t))
                        && of.iter().all(|&v| Some(ty(v)) == first)
                };
                ty(*image) == Ty::Ptr
                    && dst.len() == 4
                    && components(dst, &[Ty::F32, Ty::F16, Ty::I32])
                    && sampler.is_none_or(|s| ty(s) == Ty::I64)
                    && coords.len() <= 4
                    && components(coords, &[Ty::I32, Ty::F32])
                    && (sampler.is_some() || ty(coords[0]) == Ty::I32)
            }
            Op::ImageWrite { image, coords, src } => {
                let of = src.first().map(|&v| ty(v));
                ty(*image) == Ty::Ptr
                    && src.len() == 4
                    && matches!(of, Some(Ty::F32 | Ty::F16 | Ty::I32))
                    && src.iter().all(|&v| Some(ty(v)) == of)
                    && (1..=4).contains(&coords.len())
                    && coords.iter().all(|&v| ty(v) == Ty::I32)
            }
            Op::ImageQuery { dst, image, .. } => ty(*dst) == Ty::I32 && ty(*image) == Ty::Ptr,
            Op::Atomic { ptr, access, .. } => ty(*ptr) == Ty::Ptr && access.count == 1,
            Op::Copy { dst, src, .. } => ty(*dst) == Ty::Ptr && ty(*src) == Ty::Ptr,
            Op::AsyncCopy {
                dst,
                src,
                count,
                stride,
                ..
            } => {
                ty(*dst) == Ty::Ptr
                    && ty(*src) == Ty::Ptr
                    && ty(*count) == Ty::I64
                    && ty(*stride) == Ty::I64
            }
            Op::Group { op, dst, args, .. } => {
                let types = |values: &[Value]| values.iter().map(|&v| ty(v)).collect::<Vec<_>>();
                op.takes(&types(args), &types(dst))
            }
            Op::PointsTo { dst, ptr, .. } => ty(*dst) == Ty::Bool && ty(*ptr) == Ty::Ptr,
            Op::Convert { .. }
            | Op::Barrier { .. }
            | Op::Fence { .. }
            | Op::WaitEvents
            | Op::Undef { .. }
            | Op::LifetimeStart { .. }
            | Op::Printf { .. } => true,
        };
        (!ok).then_some("operand types do not fit")
    }

    /// Addresses that variables start with.
    fn variables(&self) -> Result<(), Malformed> {
        let vars = &self.kernel.vars;
        let bad = vars.iter().find(|v| {
            let inside = |at: u64| at.checked_add(8).is_some_and(|end| end <= v.size);
            let mut addresses = v.addresses.iter();
            addresses.any(|a| a.var.index() >= vars.len() || !inside(a.at))
        });
        match bad {
            Some(v) => Err(self.broken(
                Kernel::ENTRY,
                format!(
                    "the variable `{}` starts with an address of nothing",
                    v.name
                ),
            )),
            None => Ok(()),
        }
    }

    fn dominance(&self) -> Result<(), Malformed> {
        let kernel = self.kernel;
        let cfg = Cfg::new(kernel);
        let dominators = Dominators::new(&cfg);
        // Where each value is defined: its block and its place there.
        let mut place: Vec<Option<(BlockId, usize)>> = vec![None; kernel.values.len()];
        for id in kernel.block_ids() {
            let block = kernel.block(id);
            for p in &block.params {
                place[p.index()] = Some((id, 0));
            }
            for (i, inst) in block.insts.iter().enumerate() {
                inst.op
                    .for_each_def(|d| place[d.index()] = Some((id, i + 1)));
            }
        }
        for &id in cfg.reverse_post_order() {
            let block = kernel.block(id);
            let mut bad = None;
            let mut used = |v: Value, at: usize| {
                let fine = match kernel.values[v.index()].def {
                    ValueDef::Const(_) | ValueDef::Param => true,
                    _ => place[v.index()].is_some_and(|(b, i)| {
                        if b == id {
                            i <= at
                        } else {
                            dominators.dominates(b, id)
                        }
                    }),
                };
                if !fine {
                    bad.get_or_insert(v);
                }
            };
            for (i, inst) in block.insts.iter().enumerate() {
                inst.op.for_each_use(|u| used(u, i));
            }
            let end = block.insts.len();
            block
                .term
                .condition()
                .into_iter()
                .for_each(|c| used(c, end));
            for edge in block.term.edges() {
                edge.args.iter().for_each(|&a| used(a, end));
            }
            if let Some(v) = bad {
                return Err(self.broken(id, format!("{v} is used where it is not defined")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::KernelBuilder;
    use crate::op::BinaryOp;

    #[test]
    fn finds_broken_kernels() {
        let mut k = KernelBuilder::new("k");
        let c = k.value_param("c", Ty::Bool);
        let [entry, a, end] = k.blocks();
        k.at(entry).branch(c, a, end);
        k.at(a);
        let one = k.i32(1);
        let x = k.binary(BinaryOp::Add, one, one);
        k.jump(end);
        k.at(end);
        k.binary(BinaryOp::Add, x, one);
        k.ret();
        let kernel = k.finish();
        let error = verify(&kernel).unwrap_err();
        assert_eq!(error.block, end);
        assert!(error.what.contains("not defined"), "{error}");

        let mut k = KernelBuilder::new("k");
        let [entry, end] = k.blocks();
        k.block_param(end, Ty::I32);
        k.at(entry).jump(end);
        k.at(end).ret();
        assert!(verify(&k.finish()).unwrap_err().what.contains("takes 1"));
    }
}
