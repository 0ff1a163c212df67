//! Addresses that move by the same amount in every iteration of a loop.
//!
//! A compiler keeps such an address in a register and steps it (strength
//! reduction): whatever it takes to compute the address anew, an iteration pays
//! one addition. An address does so where it is linear in the counters of the
//! innermost loop around it, with factors that the loop doesn't change.

use tilewise_ir::cfg::Cfg;
use tilewise_ir::dominance::Dominators;
use tilewise_ir::loops::{Loop, Loops};
use tilewise_ir::{BinaryOp, BlockId, Conversion, InstId, Kernel, Numbering, Op, Value, ValueDef};

/// Most steps of a search; what is deeper counts as not linear.
const MOST_STEPS: u32 = 256;

/// How a value behaves within a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Motion {
    /// The same in each iteration.
    Fixed,
    /// Moves by a fixed amount.
    Stepped,
}

/// Tells which values are stepped.
pub struct Induction<'a> {
    kernel: &'a Kernel,
    cfg: &'a Cfg,
    numbering: &'a Numbering,
    defined_by: &'a [Option<InstId>],
    loops: Loops,
}

/// A search through the operands of one address.
struct Search<'a> {
    within: &'a Loop,
    steps: u32,
    /// Values that the address starts from, computed outside of the loop.
    starts: Vec<Value>,
}

impl<'a> Induction<'a> {
    pub fn new(
        kernel: &'a Kernel,
        cfg: &'a Cfg,
        dominators: &Dominators,
        numbering: &'a Numbering,
        defined_by: &'a [Option<InstId>],
    ) -> Self {
        Self {
            kernel,
            cfg,
            numbering,
            defined_by,
            loops: Loops::new(cfg, dominators),
        }
    }

    /// If the address is stepped in the innermost loop around a block: the
    /// values that its start and step are computed from.
    pub fn stepped(&self, address: Value, block: BlockId) -> Option<Vec<Value>> {
        let innermost = self.loops.around(block).next()?;
        let mut search = Search {
            within: &self.loops.all()[innermost],
            steps: 0,
            starts: Vec::new(),
        };
        let motion = self.motion(address, &mut search)?;
        (motion == Motion::Stepped).then_some(search.starts)
    }

    fn motion(&self, value: Value, search: &mut Search<'_>) -> Option<Motion> {
        search.steps += 1;
        if search.steps > MOST_STEPS {
            return None;
        }
        let block = match self.kernel.values[value.index()].def {
            ValueDef::Const(_) | ValueDef::Param => return Some(Motion::Fixed),
            ValueDef::BlockParam(block) | ValueDef::Inst(block) => block,
        };
        if !search.within.contains(block) {
            search.starts.push(value);
            return Some(Motion::Fixed);
        }
        let Some(id) = self.defined_by[value.index()] else {
            return self.counter(value, block, search);
        };
        let (block, index) = self.numbering.position(id);
        match self.kernel.block(block).insts.get(index)?.op {
            Op::Convert {
                op: Conversion::Sext | Conversion::Zext | Conversion::Copy | Conversion::Bitcast,
                a,
                ..
            } => self.motion(a, search),
            Op::Binary { op, a, b, .. } => {
                let (x, y) = (self.motion(a, search)?, self.motion(b, search)?);
                let fixed = x == Motion::Fixed && y == Motion::Fixed;
                let linear = match op {
                    BinaryOp::Add | BinaryOp::Sub => true,
                    BinaryOp::Mul => x == Motion::Fixed || y == Motion::Fixed,
                    BinaryOp::Shl => y == Motion::Fixed,
                    // `k | 1` for `k + 1` in an unrolled loop.
                    BinaryOp::Or => self.kernel.constant(b).is_some(),
                    _ => false,
                };
                if fixed {
                    Some(Motion::Fixed)
                } else {
                    linear.then_some(Motion::Stepped)
                }
            }
            Op::PtrAdd { base, index, .. } => {
                let base = self.motion(base, search)?;
                let index = match index {
                    Some(index) => self.motion(index, search)?,
                    None => Motion::Fixed,
                };
                Some(if base == Motion::Fixed {
                    index
                } else {
                    Motion::Stepped
                })
            }
            Op::VarAddr { .. } | Op::WorkItem { .. } => Some(Motion::Fixed),
            _ => None,
        }
    }

    /// A parameter of the loop's head that grows by a fixed amount.
    fn counter(&self, value: Value, block: BlockId, search: &mut Search<'_>) -> Option<Motion> {
        if block != search.within.header {
            return None;
        }
        let at = self
            .kernel
            .block(block)
            .params
            .iter()
            .position(|&p| p == value)?;
        for &pred in self.cfg.predecessors(block) {
            for edge in self.kernel.block(pred).term.edges() {
                if edge.block != block {
                    continue;
                }
                let arg = edge.args[at];
                if !search.within.contains(pred) {
                    search.starts.push(arg);
                    continue;
                }
                let id = self.defined_by[arg.index()]?;
                let (place, index) = self.numbering.position(id);
                let step = match self.kernel.block(place).insts.get(index)?.op {
                    Op::Binary {
                        op: BinaryOp::Add,
                        a,
                        b,
                        ..
                    } if a == value || b == value => {
                        if a == value {
                            b
                        } else {
                            a
                        }
                    }
                    Op::Binary {
                        op: BinaryOp::Sub,
                        a,
                        b,
                        ..
                    } if a == value => b,
                    Op::PtrAdd { base, index, .. } if base == value => match index {
                        Some(index) => index,
                        None => continue,
                    },
                    _ => return None,
                };
                if self.motion(step, search)? != Motion::Fixed {
                    return None;
                }
            }
        }
        Some(Motion::Stepped)
    }
}
