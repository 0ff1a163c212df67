//! What decoding knows of each value before it gives it registers.

use std::collections::HashMap;

use tilewise_ir::cfg::Cfg;
use tilewise_ir::dominance::Dominators;
use tilewise_ir::loops::{Loop, Loops};
use tilewise_ir::uniformity::{LaunchFacts, Uniformity};
use tilewise_ir::{BinaryOp, BlockId, Kernel, Op, Space, Value, ValueDef};
use tilewise_launch::NdRange;

use super::affine::{AffineForms, Base, Form, Given, Increment, Reads};
use super::meets::Meets;
use super::members::MemberAccess;
use super::needed::Needed;

/// Facts of one kernel under one launch.
pub(crate) struct Facts {
    pub loops: Loops,
    pub meets: Meets,
    /// Computed once per sub-group.
    pub scalar: Vec<bool>,
    /// Set before the kernel starts, or never: constants, parameters, ids.
    pub pinned: Vec<bool>,
    /// Every use stands in the block of the definition.
    pub block_local: Vec<bool>,
    /// A lane that is not active may need its old value again.
    pub blend: Vec<bool>,
    /// A uniform value that vector operations read too.
    pub spread: Vec<bool>,
    pub forms: AffineForms,
    /// By block: lanes of a sub-group may be in different iterations of a loop there.
    overtaken: Vec<bool>,
    /// Affine values whose lanes no one reads.
    pub without_lanes: Vec<bool>,
    /// Computed from data that the kernel has loaded.
    pub from_data: Vec<bool>,
}

impl Facts {
    /// `fixed` holds the bits of the values that the launch fixes; `by_lane` asks for
    /// nothing to be computed once per sub-group; `members` are addresses whose
    /// operands are looked at.
    pub fn new(
        kernel: &Kernel,
        range: &NdRange,
        width: u32,
        fixed: &[Option<u64>],
        needed: &Needed,
        members: &HashMap<Value, MemberAccess>,
        by_lane: bool,
    ) -> Self {
        let cfg = Cfg::new(kernel);
        let loops = Loops::new(&cfg, &Dominators::new(&cfg));
        let meets = Meets::new(kernel, &cfg);
        let pinned = pinned(kernel, fixed);
        // What runs again is known from the loops alone.
        let irreducible = loops.irreducible();
        let (scalar, overtaken) = if by_lane || irreducible {
            let nothing = vec![false; kernel.values.len()];
            (nothing, vec![true; kernel.blocks.len()])
        } else {
            scalar(kernel, range, width, &cfg, &loops, &meets)
        };
        let given = Given {
            kernel,
            loops: &loops,
            scalar: &scalar,
            fixed,
            overtaken: &overtaken,
        };
        let forms = if by_lane || irreducible {
            AffineForms::none(kernel)
        } else {
            AffineForms::find(&given, |v| members.contains_key(&v))
        };
        let reads = Reads {
            given,
            forms: &forms,
            needed,
        };
        let read = lanes_read(kernel, &reads);
        let mut block_local = block_local(kernel, &pinned);
        // Sums are computed wherever they are used.
        let values = (0..kernel.values.len()).map(Value::new);
        for base in values.filter_map(|v| forms.of(v)).flat_map(Form::bases) {
            if let Base::Value(value) = base {
                block_local[value.index()] = false;
            }
        }
        for (_, increment) in forms.increments() {
            if let Increment::Value(value) = increment {
                block_local[value.index()] = false;
            }
        }
        let blend = if irreducible {
            vec![true; kernel.values.len()]
        } else {
            blend(kernel, &loops, &block_local)
        };
        let both = |a: &[bool], f: &dyn Fn(usize) -> bool| -> Vec<bool> {
            a.iter().enumerate().map(|(i, &a)| a && f(i)).collect()
        };
        let spread = both(&scalar, &|i| read[i]);
        let unread: Vec<bool> = read.iter().map(|r| !r).collect();
        let without_lanes = both(&unread, &|i| forms.of(Value::new(i)).is_some());
        let from_data = from_data(kernel);
        Self {
            loops,
            meets,
            scalar,
            forms,
            overtaken,
            without_lanes,
            pinned,
            block_local,
            blend,
            spread,
            from_data,
        }
    }

    /// The facts as the search for affine values takes them.
    pub fn given<'a>(&'a self, kernel: &'a Kernel, fixed: &'a [Option<u64>]) -> Given<'a> {
        Given {
            kernel,
            loops: &self.loops,
            scalar: &self.scalar,
            fixed,
            overtaken: &self.overtaken,
        }
    }
}

fn pinned(kernel: &Kernel, fixed: &[Option<u64>]) -> Vec<bool> {
    let mut pinned: Vec<bool> = kernel
        .values
        .iter()
        .zip(fixed)
        .map(|(v, bits)| bits.is_some() || matches!(v.def, ValueDef::Const(_) | ValueDef::Param))
        .collect();
    for block in &kernel.blocks {
        for inst in &block.insts {
            if let Op::WorkItem { dst, .. } | Op::VarAddr { dst, .. } | Op::Undef { dst } = inst.op
            {
                pinned[dst.index()] = true;
            }
            if let Op::Printf { dst: Some(dst), .. } = inst.op {
                pinned[dst.index()] = true;
            }
        }
    }
    pinned
}

/// Dimensions whose local id is the same for all lanes of any sub-group, in
/// full groups and in remainder groups alike.
fn uniform_dims(range: &NdRange, width: u32) -> [bool; 3] {
    let sizes = |d: usize| {
        let rest = range.global[d] % range.local[d].max(1);
        [
            range.local[d],
            if rest == 0 { range.local[d] } else { rest },
        ]
    };
    let width = u64::from(width);
    let [xs, ys, zs] = [sizes(0), sizes(1), sizes(2)];
    let rows = xs.iter().all(|x| x % width == 0);
    let planes = xs.iter().all(|x| ys.iter().all(|y| (x * y) % width == 0));
    let single = |s: [u64; 2]| s == [1, 1];
    [single(xs), rows || single(ys), planes || single(zs)]
}

/// The values that are computed once per sub-group, and the blocks where lanes may be in
/// different iterations of a loop.
fn scalar(
    kernel: &Kernel,
    range: &NdRange,
    width: u32,
    cfg: &Cfg,
    loops: &Loops,
    meets: &Meets,
) -> (Vec<bool>, Vec<bool>) {
    let facts = LaunchFacts {
        uniform_id_dims: uniform_dims(range, width),
    };
    let uniformity = Uniformity::new(kernel, facts);
    let regions: Vec<&Loop> = overtaken_loops(kernel, cfg, loops, meets, &uniformity);
    let overtaken: Vec<bool> = kernel
        .block_ids()
        .map(|b| regions.iter().any(|l| l.contains(b)))
        .collect();
    let mut scalar: Vec<bool> = (0..kernel.values.len())
        .map(|i| {
            let value = Value::new(i);
            let block = match kernel.values[i].def {
                ValueDef::BlockParam(b) | ValueDef::Inst(b) => Some(b),
                ValueDef::Const(_) | ValueDef::Param => None,
            };
            uniformity.is_uniform(value) && block.is_none_or(|b: BlockId| !overtaken[b.index()])
        })
        .collect();
    // What a scalar is computed from must be scalar.
    loop {
        let mut changed = false;
        for block in &kernel.blocks {
            for inst in &block.insts {
                let mut all = match &inst.op {
                    Op::Load { access, .. } => {
                        !matches!(access.space, Space::Private | Space::Generic)
                    }
                    Op::ImageRead { .. } => true,
                    Op::VarAddr { .. } | Op::Undef { .. } | Op::WorkItem { .. } => continue,
                    op => op.is_pure(),
                };
                inst.op.for_each_use(|u| all &= scalar[u.index()]);
                // The results of one operation go one way.
                inst.op.for_each_def(|d| all &= scalar[d.index()]);
                if !all {
                    inst.op.for_each_def(|d| {
                        changed |= std::mem::replace(&mut scalar[d.index()], false);
                    });
                }
            }
            for edge in block.term.edges() {
                for (p, a) in kernel.block(edge.block).params.iter().zip(&edge.args) {
                    if !scalar[a.index()] {
                        changed |= std::mem::replace(&mut scalar[p.index()], false);
                    }
                }
            }
        }
        if !changed {
            return (scalar, overtaken);
        }
    }
}

/// Loops in which some lanes can go on to the next iteration while others of
/// the same sub-group still wait within this one: the scalar file has room for
/// one iteration only.
fn overtaken_loops<'l>(
    kernel: &Kernel,
    cfg: &Cfg,
    loops: &'l Loops,
    meets: &Meets,
    uniformity: &Uniformity,
) -> Vec<&'l Loop> {
    let mut overtaken = Vec::new();
    for branch in kernel.block_ids() {
        if !uniformity.is_divergent_branch(kernel, branch) {
            continue;
        }
        let meet = meets.of(branch);
        for index in loops.around(branch) {
            let region = &loops.all()[index];
            let sides = cfg
                .successors(branch)
                .iter()
                .filter(|&&s| region.contains(s) && Some(s) != meet)
                .count();
            let waits = sides > 1 || meet.is_some_and(|m| region.contains(m));
            if waits && reaches(cfg, branch, region.header, meet) {
                overtaken.push(region);
            }
        }
    }
    overtaken
}

/// Whether lanes can come from a branch to a block without passing `meet`.
fn reaches(cfg: &Cfg, branch: BlockId, to: BlockId, meet: Option<BlockId>) -> bool {
    let mut seen = vec![false; cfg.len()];
    let mut work: Vec<BlockId> = cfg.successors(branch).to_vec();
    while let Some(block) = work.pop() {
        if Some(block) == meet || std::mem::replace(&mut seen[block.index()], true) {
            continue;
        }
        if block == to {
            return true;
        }
        work.extend(cfg.successors(block));
    }
    false
}

fn block_local(kernel: &Kernel, pinned: &[bool]) -> Vec<bool> {
    // Parameters are set by the blocks before.
    let mut local: Vec<bool> = kernel
        .values
        .iter()
        .enumerate()
        .map(|(i, v)| matches!(v.def, ValueDef::Inst(_)) && !pinned[i])
        .collect();
    for id in kernel.block_ids() {
        let mut used = |v: Value| {
            if kernel.values[v.index()].def != ValueDef::Inst(id) {
                local[v.index()] = false;
            }
        };
        let block = kernel.block(id);
        for inst in &block.insts {
            inst.op.for_each_use(&mut used);
        }
        block.term.condition().into_iter().for_each(&mut used);
        for edge in block.term.edges() {
            edge.args.iter().copied().for_each(&mut used);
        }
    }
    local
}

/// Lanes wait at the start of a block, never within one (barriers apart, which
/// the machine sees to), and outside of loops a block is run by the lanes of
/// one wait at most once: only what a loop defines and another block reads
/// can be overwritten while it is still needed.
fn blend(kernel: &Kernel, loops: &Loops, block_local: &[bool]) -> Vec<bool> {
    let mut blend = vec![true; kernel.values.len()];
    for (i, value) in kernel.values.iter().enumerate() {
        if let ValueDef::Inst(block) = value.def {
            blend[i] = !block_local[i] && loops.around(block).next().is_some();
        }
    }
    blend
}

/// Whether an instruction runs on the scalar file.
pub(crate) fn runs_scalar(op: &Op, scalar: &[bool]) -> bool {
    let mut any = false;
    let mut all = true;
    op.for_each_def(|d| {
        any = true;
        all &= scalar[d.index()];
    });
    any && all
}

/// Which values are read from the vector file.
fn lanes_read(kernel: &Kernel, reads: &Reads<'_>) -> Vec<bool> {
    let scalar = reads.given.scalar;
    let mut read = vec![false; kernel.values.len()];
    for id in kernel.block_ids() {
        let block = kernel.block(id);
        for inst in &block.insts {
            reads.each(&inst.op, id, |v| read[v.index()] = true);
        }
        if let Some(value) = block.term.condition().filter(|v| !scalar[v.index()]) {
            read[value.index()] = true;
        }
    }
    loop {
        let mut changed = false;
        for block in &kernel.blocks {
            for edge in block.term.edges() {
                for (&p, a) in kernel.block(edge.block).params.iter().zip(&edge.args) {
                    let taken = reads.needed.values[p.index()];
                    let once = scalar[p.index()] || reads.forms.of(p).is_some();
                    if taken && (!once || read[p.index()]) {
                        changed |= !std::mem::replace(&mut read[a.index()], true);
                    }
                }
            }
        }
        if !changed {
            return read;
        }
    }
}

/// What is computed from loaded data. Private memory counts as data once data
/// is stored there.
fn from_data(kernel: &Kernel) -> Vec<bool> {
    let mut data = vec![false; kernel.values.len()];
    let mut private_data = false;
    loop {
        let mut changed = false;
        for block in &kernel.blocks {
            for inst in &block.insts {
                let mut any = match &inst.op {
                    Op::Load { access, .. } => access.space != Space::Private || private_data,
                    Op::Atomic { .. } | Op::ImageRead { .. } => true,
                    _ => false,
                };
                inst.op.for_each_use(|u| any |= data[u.index()]);
                if !any {
                    continue;
                }
                inst.op.for_each_def(|d| {
                    changed |= !std::mem::replace(&mut data[d.index()], true);
                });
                let into_private = match &inst.op {
                    Op::Store { src, access, .. } => {
                        matches!(access.space, Space::Private | Space::Generic)
                            && src.iter().flatten().any(|v| data[v.index()])
                    }
                    Op::Copy { dst_space, .. } => *dst_space == Space::Private,
                    _ => false,
                };
                changed |= into_private && !std::mem::replace(&mut private_data, true);
            }
            for edge in block.term.edges() {
                for (p, a) in kernel.block(edge.block).params.iter().zip(&edge.args) {
                    if data[a.index()] {
                        changed |= !std::mem::replace(&mut data[p.index()], true);
                    }
                }
            }
        }
        if !changed {
            return data;
        }
    }
}

/// Whether an operation is an integer division.
pub(crate) fn is_division(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::SMod | BinaryOp::URem
    )
}

/// Whether a divisor is a constant other than 0.
pub(crate) fn divides_safely(kernel: &Kernel, divisor: Value) -> bool {
    kernel.constant(divisor).is_some_and(|bits| bits != 0)
}
