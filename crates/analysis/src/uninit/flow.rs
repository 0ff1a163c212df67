//! A kernel as the check follows values through it.

use smallvec::SmallVec;
use tilewise_ir::pointer::Region;
use tilewise_ir::{
    AtomicOp, BarrierScope, BlockId, GroupOp, InstId, Kernel, Op, ParamBinding, Space, Terminator,
    Value,
};
use tilewise_sim::{RegionKind, Regions};

use super::result::UseKind;
use crate::reach::{Reach, reaches};

/// What an instruction does with values.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Every result is unset where an operand is.
    Compute {
        defs: SmallVec<[Value; 2]>,
        uses: SmallVec<[Value; 4]>,
    },
    Select {
        dst: Value,
        cond: Value,
        sides: [Value; 2],
    },
    Load {
        dst: SmallVec<[Value; 4]>,
        ptr: Value,
    },
    Store {
        src: SmallVec<[Option<Value>; 4]>,
        ptr: Value,
    },
    Atomic {
        dst: Option<Value>,
        ptr: Value,
        operands: SmallVec<[Value; 2]>,
        /// It changes what is there, so that this must be set.
        reads: bool,
    },
    Copy {
        ptrs: [Value; 2],
    },
    /// The addresses and lengths of a copy by the whole group.
    AsyncCopy {
        uses: SmallVec<[Value; 4]>,
    },
    /// Values that matter, and results that are set whatever they are.
    Use {
        uses: SmallVec<[(Value, UseKind); 8]>,
        defs: SmallVec<[Value; 4]>,
    },
    /// Each lane gets another one's value. Which one is not followed: results
    /// are unset where no lane has a value to give.
    Exchange {
        given: SmallVec<[Value; 4]>,
        lanes: SmallVec<[Value; 2]>,
        defs: SmallVec<[Value; 4]>,
    },
    /// The private variable is new.
    Lifetime {
        region: Region,
    },
    /// A terminator that decides by a value.
    Decide {
        value: Value,
    },
    /// Nothing of interest.
    Nothing,
}

/// Where the cells of a region are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// Not followed: global memory is taken as set.
    None,
    /// Local memory: its first byte.
    Local { first: u64 },
    /// Private memory: its first cell, and the size of a cell as a shift.
    Private { first: u32, cells: u32, shift: u32 },
}

/// The copies on an edge: parameters and what they get.
pub(super) type Moves = SmallVec<[(Value, Value); 4]>;

/// A kernel, ready to be watched.
#[derive(Debug)]
pub(super) struct Flow {
    /// By instruction.
    pub steps: Vec<Step>,
    /// By instruction: how many before it need a look even while nothing unset
    /// is in registers.
    needs_look: Vec<u32>,
    /// By block: the edges that leave it, and whether they need such a look.
    edges: Vec<Vec<(BlockId, Moves, bool)>>,
    /// By value: it is undefined as such.
    pub undefined: Vec<bool>,
    /// By region number.
    pub homes: Vec<Home>,
    /// One of the edges needs such a look.
    pub any_edge_looks: bool,
    /// Bytes of local memory, with the gaps between its regions.
    pub local_bytes: u64,
    /// Bytes of local memory without the gaps.
    pub local_used: u64,
    /// The lane masks that private cells start with.
    pub private_start: Vec<u64>,
}

impl Flow {
    pub fn new(kernel: &Kernel, regions: &Regions) -> Self {
        let numbering = kernel.numbering();
        let mut undefined = vec![false; kernel.values.len()];
        for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
            if let Op::Undef { dst } = inst.op {
                undefined[dst.index()] = true;
            }
        }
        let mut flow = Self {
            steps: vec![Step::Nothing; numbering.len()],
            needs_look: vec![0; numbering.len() + 1],
            edges: Vec::with_capacity(kernel.blocks.len()),
            undefined,
            homes: Vec::new(),
            any_edge_looks: false,
            local_bytes: 0,
            local_used: 0,
            private_start: Vec::new(),
        };
        flow.place(kernel, regions);
        for id in kernel.block_ids() {
            let block = kernel.block(id);
            for (i, inst) in block.insts.iter().enumerate() {
                flow.steps[numbering.id(id, i).index()] = step(&inst.op, regions);
            }
            if let Some(value) = block.term.condition() {
                let at = numbering.id(id, block.insts.len()).index();
                flow.steps[at] = Step::Decide { value };
            }
            let edges = flow.edges_of(kernel, &block.term);
            flow.any_edge_looks |= edges.iter().any(|(_, _, looks)| *looks);
            flow.edges.push(edges);
        }
        for i in 0..flow.steps.len() {
            let look = u32::from(flow.looks(&flow.steps[i]));
            flow.needs_look[i + 1] = flow.needs_look[i] + look;
        }
        flow
    }

    /// Gives local and private regions their places.
    fn place(&mut self, kernel: &Kernel, regions: &Regions) {
        let count = regions.all().len();
        let piece = pieces(&reaches(kernel, regions), count);
        let by_value = |var| {
            let bindings = kernel.params.iter().map(|p| &p.binding);
            bindings
                .into_iter()
                .any(|b| matches!(b, ParamBinding::ByValue(v) if *v == var))
        };
        for (r, info) in regions.all().iter().enumerate() {
            let bytes = info.bytes.unwrap_or(0);
            let home = match (info.space, info.kind) {
                (Space::Local, _) => {
                    let first = self.local_bytes;
                    self.local_bytes += bytes.next_multiple_of(64);
                    self.local_used += bytes;
                    Home::Local { first }
                }
                (Space::Private, RegionKind::Private { var }) => {
                    let set = kernel.vars[var.index()].init.is_some() || by_value(var);
                    let shift = piece[r].ilog2();
                    let cells = bytes.div_ceil(1 << shift) as u32;
                    let first = self.private_start.len() as u32;
                    let start = if set { 0 } else { !0 };
                    self.private_start.resize((first + cells) as usize, start);
                    Home::Private {
                        first,
                        cells,
                        shift,
                    }
                }
                _ => Home::None,
            };
            self.homes.push(home);
        }
    }

    fn edges_of(&self, kernel: &Kernel, term: &Terminator) -> Vec<(BlockId, Moves, bool)> {
        let mut edges: Vec<(BlockId, Moves, bool)> = Vec::new();
        for edge in term.edges() {
            let params = &kernel.block(edge.block).params;
            let moves: Moves = params
                .iter()
                .copied()
                .zip(edge.args.iter().copied())
                .collect();
            let looks = moves.iter().any(|(_, a)| self.undefined[a.index()]);
            match edges.iter_mut().find(|(to, _, _)| *to == edge.block) {
                // Two edges to one block can't be told apart: a parameter gets
                // its value from one that is set, if either is.
                Some((_, known, known_looks)) => {
                    for (old, new) in known.iter_mut().zip(&moves) {
                        if self.undefined[old.1.index()] {
                            *old = *new;
                        }
                    }
                    *known_looks = known.iter().any(|(_, a)| self.undefined[a.index()]);
                }
                None => edges.push((edge.block, moves, looks)),
            }
        }
        edges
    }

    fn looks(&self, step: &Step) -> bool {
        let undefined = |v: &Value| self.undefined[v.index()];
        match step {
            Step::Compute { uses, .. } | Step::AsyncCopy { uses } => uses.iter().any(undefined),
            Step::Select { cond, sides, .. } => undefined(cond) || sides.iter().any(undefined),
            Step::Load { ptr, .. } => undefined(ptr),
            Step::Store { src, ptr } => undefined(ptr) || src.iter().flatten().any(undefined),
            Step::Atomic { ptr, operands, .. } => undefined(ptr) || operands.iter().any(undefined),
            Step::Copy { ptrs } => ptrs.iter().any(undefined),
            Step::Use { uses, .. } => uses.iter().any(|(v, _)| undefined(v)),
            Step::Exchange { given, lanes, .. } => given.iter().chain(lanes).any(undefined),
            Step::Lifetime { .. } => true,
            Step::Decide { value } => undefined(value),
            Step::Nothing => false,
        }
    }

    /// Whether one of some instructions needs a look though nothing unset is
    /// in registers.
    #[inline(always)]
    pub fn any_looks(&self, first: InstId, count: usize) -> bool {
        self.needs_look[first.index()] != self.needs_look[first.index() + count]
    }

    /// The copies on an edge, and whether they need a look.
    #[inline]
    pub fn edge(&self, from: BlockId, to: BlockId) -> Option<(&Moves, bool)> {
        let edges = self.edges[from.index()].iter();
        let mut found = edges.filter(|(block, _, _)| *block == to);
        found.next().map(|(_, moves, looks)| (moves, *looks))
    }

    /// Number of values.
    pub fn values(&self) -> usize {
        self.undefined.len()
    }
}

fn step(op: &Op, regions: &Regions) -> Step {
    match op {
        Op::Load { dst, ptr, .. } => Step::Load {
            dst: dst.clone(),
            ptr: *ptr,
        },
        Op::Store { src, ptr, .. } => Step::Store {
            src: src.clone(),
            ptr: *ptr,
        },
        Op::Atomic {
            op,
            dst,
            ptr,
            value,
            compare,
            ..
        } => Step::Atomic {
            dst: *dst,
            ptr: *ptr,
            operands: value.iter().chain(compare).copied().collect(),
            reads: !matches!(op, AtomicOp::Store | AtomicOp::Exchange),
        },
        Op::Copy { dst, src, .. } => Step::Copy { ptrs: [*dst, *src] },
        Op::AsyncCopy { .. } => {
            let mut uses = SmallVec::new();
            op.for_each_use(|v| uses.push(v));
            Step::AsyncCopy { uses }
        }
        Op::ImageRead {
            dst,
            image,
            sampler,
            coords,
        } => {
            let address = [*image].into_iter().chain(*sampler);
            let address = address.chain(coords.iter().copied());
            Step::Use {
                uses: address.map(|v| (v, UseKind::Address)).collect(),
                defs: dst.clone(),
            }
        }
        Op::ImageWrite { image, coords, src } => {
            let address = [*image].into_iter().chain(coords.iter().copied());
            let address = address.map(|v| (v, UseKind::Address));
            let texel = src.iter().map(|&v| (v, UseKind::Output));
            Step::Use {
                uses: address.chain(texel).collect(),
                defs: SmallVec::new(),
            }
        }
        Op::Group {
            op,
            scope,
            dst,
            args,
            ..
        } => group_step(*op, *scope, dst, args),
        Op::Select {
            dst,
            cond,
            if_true,
            if_false,
        } => Step::Select {
            dst: *dst,
            cond: *cond,
            sides: [*if_true, *if_false],
        },
        Op::LifetimeStart { var } => Step::Lifetime {
            region: regions.of_var(*var),
        },
        Op::Undef { .. } => Step::Nothing,
        op => {
            let (mut defs, mut uses) = (SmallVec::new(), SmallVec::new());
            op.for_each_def(|v| defs.push(v));
            op.for_each_use(|v| uses.push(v));
            if defs.is_empty() {
                Step::Nothing
            } else {
                Step::Compute { defs, uses }
            }
        }
    }
}

/// By region number: the bytes, at most 4, that one cell may stand for. Nothing
/// sets or reads a part of it, and neither does what copies lead there or from
/// there: a word that is half padding would be unset as a whole after two copies.
fn pieces(reaches: &[Reach], regions: usize) -> Vec<u32> {
    let mut piece = vec![4u32; regions];
    for reach in reaches {
        for region in &reach.regions {
            let known = &mut piece[usize::from(region.0)];
            *known = (*known).min(reach.piece.max(1));
        }
    }
    // The two halves of a copy stand side by side.
    let copies: Vec<Vec<usize>> = reaches
        .windows(2)
        .filter(|pair| pair[0].inst == pair[1].inst)
        .map(|pair| {
            let both = pair.iter().flat_map(|reach| &reach.regions);
            both.map(|region| usize::from(region.0)).collect()
        })
        .collect();
    loop {
        let mut changed = false;
        for copy in &copies {
            let least = copy.iter().map(|&r| piece[r]).min().unwrap_or(1);
            for &region in copy {
                changed |= std::mem::replace(&mut piece[region], least) != least;
            }
        }
        if !changed {
            return piece;
        }
    }
}

/// What a work-group or sub-group function does with values. What it combines
/// matters to all work-items that take part.
fn group_step(op: GroupOp, scope: BarrierScope, dst: &[Value], args: &[Value]) -> Step {
    let defs: SmallVec<[Value; 4]> = dst.into();
    let uses = |values: &[Value], kind| values.iter().map(|&v| (v, kind)).collect();
    match (op, args) {
        (
            GroupOp::Broadcast
            | GroupOp::BroadcastFirst
            | GroupOp::Shuffle
            | GroupOp::ShuffleXor
            | GroupOp::ShuffleUp
            | GroupOp::ShuffleDown,
            [value, lanes @ ..],
        ) => match scope {
            BarrierScope::SubGroup => Step::Exchange {
                given: SmallVec::from_slice(&[*value]),
                lanes: lanes.into(),
                defs,
            },
            // The work-item that gives the value may be in another sub-group.
            BarrierScope::WorkGroup => Step::Use {
                uses: uses(lanes, UseKind::Address),
                defs,
            },
        },
        _ => Step::Use {
            uses: uses(args, UseKind::Group),
            defs,
        },
    }
}
