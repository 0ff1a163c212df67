//! Which arguments' contents an address is computed from, with nothing in between that
//! keeps it within bounds.
//!
//! Method: the values that reach the address are followed backwards through the
//! kernel as written, through additions, products, conversions, choices, and through
//! variables and local memory by whatever is stored there. A remainder, a mask, a
//! shift to the right, a narrow type or a builtin such as `min` bounds what comes
//! through it: an index that leaves its buffer behind one of these is the kernel's
//! doing, whatever the data are.
//!
//! What it misses: bounds that a branch around the access gives.

use std::collections::{BTreeSet, HashMap};

use tilewise_ir::{BinaryOp, Conversion, InstId, Kernel, KernelParam, Op, ParamBinding, Ty, Value};

use super::place::op;

/// Places whose pointers a value may be.
#[derive(Default)]
pub struct Bases {
    /// Numbers of arguments.
    pub args: BTreeSet<usize>,
    /// Numbers of the kernel's variables.
    vars: BTreeSet<usize>,
}

/// Arguments whose contents select what an instruction accesses.
pub fn selecting(kernel: &Kernel, inst: InstId) -> BTreeSet<usize> {
    let graph = Graph::new(kernel);
    let from: Vec<Value> = match op(kernel, inst) {
        Some(Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::Atomic { ptr, .. }) => vec![*ptr],
        Some(Op::Copy { dst, src, .. } | Op::AsyncCopy { dst, src, .. }) => vec![*dst, *src],
        Some(Op::ImageRead { coords, .. } | Op::ImageWrite { coords, .. }) => coords.to_vec(),
        _ => Vec::new(),
    };
    graph.contents(from)
}

/// What the pointers that an instruction accesses are based on.
pub fn bases(kernel: &Kernel, inst: InstId) -> Bases {
    let graph = Graph::new(kernel);
    let pointers: Vec<Value> = match op(kernel, inst) {
        Some(Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::Atomic { ptr, .. }) => vec![*ptr],
        Some(Op::Copy { dst, src, .. } | Op::AsyncCopy { dst, src, .. }) => vec![*dst, *src],
        _ => Vec::new(),
    };
    graph.bases(pointers)
}

/// Where each value comes from.
struct Graph<'k> {
    kernel: &'k Kernel,
    ops: HashMap<Value, &'k Op>,
    /// What the parameters of blocks may be.
    passed: HashMap<Value, Vec<Value>>,
}

impl<'k> Graph<'k> {
    fn new(kernel: &'k Kernel) -> Self {
        let mut ops = HashMap::new();
        let mut passed: HashMap<Value, Vec<Value>> = HashMap::new();
        for block in &kernel.blocks {
            for inst in &block.insts {
                inst.op.clone().for_each_def_mut(|value| {
                    ops.insert(*value, &inst.op);
                });
            }
            for edge in block.term.edges() {
                let params = &kernel.block(edge.block).params;
                for (param, arg) in params.iter().zip(&edge.args) {
                    passed.entry(*param).or_default().push(*arg);
                }
            }
        }
        Self {
            kernel,
            ops,
            passed,
        }
    }

    /// Follows pointers back by address arithmetic and choices alone.
    fn bases(&self, pointers: Vec<Value>) -> Bases {
        let mut found = Bases::default();
        let mut seen = BTreeSet::new();
        let mut work = pointers;
        while let Some(value) = work.pop() {
            if !seen.insert(value.index()) {
                continue;
            }
            let binds = |p: &KernelParam| matches!(p.binding, ParamBinding::Pointer { value: v, .. } if v == value);
            found.args.extend(self.kernel.params.iter().position(binds));
            work.extend(self.passed.get(&value).into_iter().flatten());
            match self.ops.get(&value) {
                Some(Op::PtrAdd { base, .. }) => work.push(*base),
                Some(Op::Convert { a, .. }) => work.push(*a),
                Some(Op::Select {
                    if_true, if_false, ..
                }) => work.extend([*if_true, *if_false]),
                Some(Op::VarAddr { var, .. }) => {
                    found.vars.insert(var.index());
                }
                _ => {}
            }
        }
        found
    }

    /// Arguments from whose memory values come.
    fn contents(&self, values: Vec<Value>) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut work = values;
        while let Some(value) = work.pop() {
            if !seen.insert(value.index()) {
                continue;
            }
            work.extend(self.passed.get(&value).into_iter().flatten());
            match self.ops.get(&value) {
                Some(Op::PtrAdd { base, index, .. }) => {
                    work.push(*base);
                    work.extend(index);
                }
                Some(Op::Unary { a, .. }) => work.push(*a),
                Some(Op::Binary { op, a, b, .. }) if !bounds(*op) => work.extend([*a, *b]),
                Some(Op::Convert { op, dst, a }) if !self.narrows(*op, *dst, *a) => work.push(*a),
                Some(Op::Select {
                    if_true, if_false, ..
                }) => work.extend([*if_true, *if_false]),
                Some(Op::Load { ptr, .. } | Op::Atomic { ptr, .. }) => {
                    self.memory(*ptr, &mut found, &mut work);
                }
                _ => {}
            }
        }
        found
    }

    /// What may have been put where a pointer points: contents of arguments, or
    /// values that the kernel stores there.
    fn memory(&self, ptr: Value, found: &mut BTreeSet<usize>, work: &mut Vec<Value>) {
        let from = self.bases(vec![ptr]);
        let same = |to: Value| {
            let to = self.bases(vec![to]);
            !to.args.is_disjoint(&from.args) || !to.vars.is_disjoint(&from.vars)
        };
        for inst in self.kernel.blocks.iter().flat_map(|b| &b.insts) {
            match &inst.op {
                Op::Store { src, ptr, .. } if same(*ptr) => work.extend(src.iter().flatten()),
                Op::Atomic { value, ptr, .. } if same(*ptr) => work.extend(value),
                Op::Copy { dst, src, .. } | Op::AsyncCopy { dst, src, .. } if same(*dst) => {
                    let copied = self.bases(vec![*src]);
                    found.extend(copied.args);
                }
                _ => {}
            }
        }
        found.extend(from.args);
    }

    /// Whether a conversion leaves only values that fit a narrow type.
    fn narrows(&self, op: Conversion, dst: Value, a: Value) -> bool {
        let size = |value: Value| self.kernel.ty(value).size();
        let narrow = size(dst) < size(a) && size(dst) <= Ty::I16.size();
        matches!(op, Conversion::IntSat { .. }) || narrow
    }
}

/// Whether an operation keeps its result within what its right operand says.
fn bounds(op: BinaryOp) -> bool {
    use BinaryOp::{AShr, And, FRem, LShr, SMod, SRem, URem};
    matches!(op, SRem | SMod | URem | And | LShr | AShr | FRem)
}
