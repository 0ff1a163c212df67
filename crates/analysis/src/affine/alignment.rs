//! Number of low bits of each value that are known to be zero.

use tilewise_ir::cfg::Cfg;
use tilewise_ir::{
    BinaryOp, BlockId, Conversion, Kernel, Op, ParamBinding, Space, Value, ValueDef,
};

/// Alignment that a compiler gives to arrays that it lays out itself, as a
/// power of two: `__local` arrays can be placed where the widest access wants
/// them.
const OWN_ARRAY_LOG2: u32 = 4;
/// Alignment of buffers, as a power of two: OpenCL's `CL_DEVICE_MEM_BASE_ADDR_ALIGN`
/// is at least the size of the largest type, a `long16`.
const BUFFER_LOG2: u32 = 7;

/// Known-zero low bits of all values of a kernel.
///
/// Found as the greatest fixed point: a loop counter that starts at 0 and
/// grows by 4 is known to be a multiple of 4.
#[derive(Clone, Debug)]
pub struct Alignments {
    zeros: Vec<u32>,
}

impl Alignments {
    /// Finds them.
    pub fn new(kernel: &Kernel, cfg: &Cfg) -> Self {
        let mut known = Self {
            zeros: vec![64; kernel.values.len()],
        };
        for (i, data) in kernel.values.iter().enumerate() {
            known.zeros[i] = match data.def {
                ValueDef::Const(0) => 64,
                ValueDef::Const(bits) => bits.trailing_zeros(),
                ValueDef::Param => 0,
                ValueDef::BlockParam(_) | ValueDef::Inst(_) => 64,
            };
        }
        for param in &kernel.params {
            if let ParamBinding::Pointer {
                value,
                space: Space::Global | Space::Constant,
            } = param.binding
            {
                known.zeros[value.index()] = BUFFER_LOG2;
            }
        }
        while known.sweep(kernel, cfg.reverse_post_order()) {}
        known
    }

    /// Number of low bits of a value that are zero; 64 for zero itself.
    pub fn zeros(&self, value: Value) -> u32 {
        self.zeros[value.index()]
    }

    /// One pass over the code; whether anything changed.
    fn sweep(&mut self, kernel: &Kernel, order: &[BlockId]) -> bool {
        let mut changed = false;
        for &id in order {
            let block = kernel.block(id);
            for inst in &block.insts {
                let zeros = self.of(kernel, &inst.op);
                inst.op.for_each_def(|v| changed |= self.lower(v, zeros));
            }
            for edge in block.term.edges() {
                let params = &kernel.block(edge.block).params;
                for (&param, &arg) in params.iter().zip(&edge.args) {
                    let zeros = self.zeros(arg);
                    changed |= self.lower(param, zeros);
                }
            }
        }
        changed
    }

    fn lower(&mut self, value: Value, zeros: u32) -> bool {
        let old = &mut self.zeros[value.index()];
        let changed = zeros < *old;
        *old = zeros.min(*old);
        changed
    }

    fn of(&self, kernel: &Kernel, op: &Op) -> u32 {
        match *op {
            Op::Binary { op, a, b, .. } => {
                let (za, zb) = (self.zeros(a), self.zeros(b));
                match op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor => za.min(zb),
                    BinaryOp::And => za.max(zb),
                    BinaryOp::Mul => (za + zb).min(64),
                    BinaryOp::Shl => match kernel.constant(b) {
                        Some(count) => (za + (count & 63) as u32).min(64),
                        None => za,
                    },
                    _ => 0,
                }
            }
            Op::Select {
                if_true, if_false, ..
            } => self.zeros(if_true).min(self.zeros(if_false)),
            Op::Convert {
                op: Conversion::Sext | Conversion::Zext | Conversion::Copy | Conversion::Bitcast,
                a,
                ..
            } => self.zeros(a),
            Op::PtrAdd {
                base,
                index,
                scale,
                offset,
                ..
            } => {
                let index = index.map_or(64, |i| self.zeros(i) + scale.trailing_zeros());
                self.zeros(base).min(index).min(offset.trailing_zeros())
            }
            Op::VarAddr { var, .. } => {
                let var = &kernel.vars[var.index()];
                let own = var.align.max(1).trailing_zeros();
                if var.space == Space::Local {
                    own.max(OWN_ARRAY_LOG2)
                } else {
                    own
                }
            }
            _ => 0,
        }
    }
}
