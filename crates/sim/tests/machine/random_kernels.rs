//! Random kernels with nested loops, branches, `break`, `continue` and early
//! returns over uniform and divergent values, against an interpreter that runs
//! one work-item at a time and knows nothing of lanes.

use crate::support::{Random, given, launch, simulate_by_lane, simulate_with};
use tilewise_ir::builder::KernelBuilder;
use tilewise_ir::{
    BinaryOp, BlockId, CompareOp, Conversion, Edge, Kernel, Op, Space, Terminator, Ty, Value,
    ValueDef, WorkItemQuery,
};
use tilewise_launch::NdRange;

const VARS: usize = 4;
const TABLE: [i32; 8] = [3, -1, 4, 1, -5, 9, 2, 6];

/// Where `break` and `continue` go.
#[derive(Clone, Copy)]
struct LoopTargets {
    head: BlockId,
    latch: BlockId,
    exit: BlockId,
    counter: Value,
}

struct Generator {
    k: KernelBuilder,
    random: Random,
    vars: [Value; VARS],
    /// Values that every block from here on may read.
    shared: Vec<Value>,
    table: Value,
    out: Value,
    id: Value,
    one: Value,
    loops: Vec<LoopTargets>,
    budget: u32,
}

impl Generator {
    fn kernel(seed: u64) -> Kernel {
        let mut k = KernelBuilder::new("random");
        let table = k.pointer_param("table", Space::Global);
        let out = k.pointer_param("out", Space::Global);
        let n = k.value_param("n", Ty::I32);
        let entry = k.new_block();
        let one = k.i32(1);
        let constants = [0, 2, 3, 7, -5].map(|v| k.i32(v));
        k.at(entry);
        let int = |k: &mut KernelBuilder, query, dim| {
            let v = k.work_item(query, dim);
            k.convert(Conversion::Sext, v, Ty::I32)
        };
        let x = int(&mut k, WorkItemQuery::GlobalId, 0);
        let y = int(&mut k, WorkItemQuery::GlobalId, 1);
        let group = int(&mut k, WorkItemQuery::GroupId, 0);
        let local = int(&mut k, WorkItemQuery::LocalId, 0);
        let width = int(&mut k, WorkItemQuery::GlobalSize, 0);
        let row = k.binary(BinaryOp::Mul, y, width);
        let id = k.binary(BinaryOp::Add, row, x);
        let mut shared = vec![x, y, group, local, n, one];
        shared.extend(constants);
        let mut generator = Generator {
            k,
            random: Random::new(seed),
            vars: [x, group, n, one],
            shared,
            table,
            out,
            id,
            one,
            loops: Vec::new(),
            budget: 40,
        };
        generator.statements(0);
        generator.finish();
        generator.k.finish()
    }

    fn any(&mut self) -> Value {
        let n = self.shared.len() + VARS;
        let at = self.random.below(n as u64) as usize;
        self.vars
            .get(at)
            .copied()
            .unwrap_or_else(|| self.shared[at - VARS])
    }

    fn expression(&mut self) -> Value {
        let (a, b) = (self.any(), self.any());
        match self.random.below(8) {
            0 => {
                let seven = self.k.i32(7);
                let index = self.k.binary(BinaryOp::And, a, seven);
                let ptr = self.k.ptr_add(self.table, index, 4, 0);
                self.k.load(ptr, Space::Global, Ty::I32)
            }
            1 => {
                let c = self.k.compare(CompareOp::SLt, a, b);
                let d = self.any();
                self.k.select(c, d, a)
            }
            2 => self.k.binary(BinaryOp::Mul, a, b),
            3 => self.k.binary(BinaryOp::Xor, a, b),
            4 => self.k.binary(BinaryOp::Sub, a, b),
            _ => self.k.binary(BinaryOp::Add, a, b),
        }
    }

    fn condition(&mut self) -> Value {
        let (a, b) = (self.any(), self.any());
        let op = [CompareOp::SLt, CompareOp::Eq, CompareOp::SGe, CompareOp::Ne];
        let op = op[self.random.below(4) as usize];
        if self.random.below(2) == 0 {
            let three = self.k.i32(3);
            let low = self.k.binary(BinaryOp::And, a, three);
            let zero = self.k.i32(0);
            return self.k.compare(op, low, zero);
        }
        self.k.compare(op, a, b)
    }

    /// Some statements; false where control does not go on behind them.
    fn statements(&mut self, depth: u32) -> bool {
        for _ in 0..1 + self.random.below(4) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let goes_on = match self.random.below(if depth < 4 { 10 } else { 4 }) {
                0..=3 => {
                    let v = self.expression();
                    let at = self.random.below(VARS as u64) as usize;
                    self.vars[at] = v;
                    true
                }
                4 | 5 => self.branch(depth),
                6 | 7 => self.repeat(depth),
                8 => self.leave_loop(),
                _ => self.early_return(),
            };
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// A new block whose parameters are the variables.
    fn merge(&mut self) -> (BlockId, [Value; VARS]) {
        let block = self.k.new_block();
        (
            block,
            [(); VARS].map(|()| self.k.block_param(block, Ty::I32)),
        )
    }

    fn branch(&mut self, depth: u32) -> bool {
        let c = self.condition();
        let [then, other] = self.k.blocks();
        let (join, merged) = self.merge();
        self.k.branch(c, then, other);
        let before = self.vars;
        let known = self.shared.len();
        let mut reached = false;
        for block in [then, other] {
            self.k.at(block);
            self.vars = before;
            if self.statements(depth + 1) {
                self.k.jump_with(join, &self.vars);
                reached = true;
            }
            self.shared.truncate(known);
        }
        self.vars = merged;
        self.k.at(join);
        if !reached {
            self.k.unreachable();
        }
        reached
    }

    fn repeat(&mut self, depth: u32) -> bool {
        let trips = self.any();
        let mask = self.k.i32(3);
        let bound = self.k.binary(BinaryOp::And, trips, mask);
        let zero = self.k.i32(0);
        let (head, head_vars) = self.merge();
        let counter = self.k.block_param(head, Ty::I32);
        let body = self.k.new_block();
        let (latch, latch_vars) = self.merge();
        let (exit, exit_vars) = self.merge();
        let mut args = self.vars.to_vec();
        args.push(zero);
        self.k.jump_with(head, &args);
        self.k.at(head);
        let more = self.k.compare(CompareOp::SLt, counter, bound);
        self.k.branch_with(more, (body, &[]), (exit, &head_vars));
        self.k.at(body);
        self.vars = head_vars;
        let known = self.shared.len();
        // The counter may be read behind the loop as well.
        self.shared.push(counter);
        self.loops.push(LoopTargets {
            head,
            latch,
            exit,
            counter,
        });
        if self.statements(depth + 1) {
            self.k.jump_with(latch, &self.vars);
        }
        self.loops.pop();
        self.k.at(latch);
        let next = self.k.binary(BinaryOp::Add, counter, self.one);
        let mut args = latch_vars.to_vec();
        args.push(next);
        self.k.jump_with(head, &args);
        self.shared.truncate(known);
        self.shared.push(counter);
        self.k.at(exit);
        self.vars = exit_vars;
        true
    }

    /// `if (…) break;` or `continue;`, the latter also straight to the header.
    fn leave_loop(&mut self) -> bool {
        let Some(&target) = self.loops.last() else {
            return true;
        };
        let c = self.condition();
        let [leave, stay] = self.k.blocks();
        self.k.branch(c, leave, stay);
        self.k.at(leave);
        match self.random.below(3) {
            0 => self.k.jump_with(target.exit, &self.vars),
            1 => self.k.jump_with(target.latch, &self.vars),
            _ => {
                let next = self.k.binary(BinaryOp::Add, target.counter, self.one);
                let mut args = self.vars.to_vec();
                args.push(next);
                self.k.jump_with(target.head, &args);
            }
        }
        self.k.at(stay);
        true
    }

    fn early_return(&mut self) -> bool {
        let c = self.condition();
        let [leave, stay] = self.k.blocks();
        self.k.branch(c, leave, stay);
        self.k.at(leave);
        self.finish();
        self.k.at(stay);
        true
    }

    /// Stores the variables and returns.
    fn finish(&mut self) {
        for (n, v) in self.vars.into_iter().enumerate() {
            let ptr = self
                .k
                .ptr_add(self.out, self.id, 4 * VARS as i64, 4 * n as i64);
            self.k.store(ptr, v, Space::Global);
        }
        self.k.ret();
    }
}

/// Runs one work-item. Pointers are byte offsets; the table starts at 0, the
/// output at `OUT`.
const OUT: u64 = 1 << 32;

fn interpret(kernel: &Kernel, ids: &dyn Fn(WorkItemQuery, u8) -> u64, n: i32, out: &mut [i32]) {
    let mut values: Vec<u64> = kernel
        .values
        .iter()
        .map(|v| match v.def {
            ValueDef::Const(bits) => bits,
            _ => 0,
        })
        .collect();
    let params: Vec<usize> = (0..kernel.values.len())
        .filter(|&i| kernel.values[i].def == ValueDef::Param)
        .collect();
    for (&param, v) in params.iter().zip([0, OUT, u64::from(n as u32)]) {
        values[param] = v;
    }
    let mut block = Kernel::ENTRY;
    for _ in 0..100_000 {
        for inst in &kernel.block(block).insts {
            let get = |v: &Value| values[v.index()];
            let int = |v: &Value| values[v.index()] as i32;
            let (dst, v) = match &inst.op {
                Op::WorkItem { dst, query, dim } => (*dst, ids(*query, *dim)),
                Op::Convert { dst, a, .. } => (*dst, get(a) & 0xFFFF_FFFF),
                Op::Binary { op, dst, a, b } => {
                    let (a, b) = (int(a), int(b));
                    let v = match op {
                        BinaryOp::Add => a.wrapping_add(b),
                        BinaryOp::Sub => a.wrapping_sub(b),
                        BinaryOp::Mul => a.wrapping_mul(b),
                        BinaryOp::And => a & b,
                        BinaryOp::Xor => a ^ b,
                        op => panic!("{op:?}"),
                    };
                    (*dst, u64::from(v as u32))
                }
                Op::Compare { op, dst, a, b } => {
                    let (a, b) = (int(a), int(b));
                    let v = match op {
                        CompareOp::SLt => a < b,
                        CompareOp::SGe => a >= b,
                        CompareOp::Eq => a == b,
                        CompareOp::Ne => a != b,
                        op => panic!("{op:?}"),
                    };
                    (*dst, u64::from(v))
                }
                Op::Select {
                    dst,
                    cond,
                    if_true,
                    if_false,
                } => (
                    *dst,
                    if get(cond) != 0 {
                        get(if_true)
                    } else {
                        get(if_false)
                    },
                ),
                Op::PtrAdd {
                    dst,
                    base,
                    index: Some(index),
                    scale,
                    offset,
                    ..
                } => {
                    let delta = i64::from(int(index)) * scale + offset;
                    (*dst, get(base).wrapping_add(delta as u64))
                }
                Op::Load { dst, ptr, .. } => (dst[0], TABLE[get(ptr) as usize / 4] as u32 as u64),
                Op::Store { src, ptr, .. } => {
                    let v = src[0].map_or(0, |v| int(&v));
                    out[(get(ptr) - OUT) as usize / 4] = v;
                    continue;
                }
                op => panic!("{op:?}"),
            };
            values[dst.index()] = v;
        }
        let edge: &Edge = match &kernel.block(block).term {
            Terminator::Jump(edge) => edge,
            Terminator::Branch { cond, then, other } => {
                if values[cond.index()] != 0 {
                    then
                } else {
                    other
                }
            }
            Terminator::Return => return,
            term => panic!("{term:?}"),
        };
        let args: Vec<u64> = edge.args.iter().map(|a| values[a.index()]).collect();
        for (p, v) in kernel.block(edge.block).params.iter().zip(args) {
            values[p.index()] = v;
        }
        block = edge.block;
    }
    panic!("the kernel does not end");
}

/// Over several group shapes and widths, some with partly filled sub-groups.
#[test]
fn lanes_agree_with_single_work_items() {
    let ranges = [
        ([64, 1], [64, 1]),
        ([50, 3], [10, 3]),
        ([32, 4], [32, 2]),
        ([64, 2], [16, 2]),
    ];
    let mut compared = 0;
    for seed in 0..400 {
        let kernel = Generator::kernel(seed);
        tilewise_ir::verify::verify(&kernel).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let ([gx, gy], [lx, ly]) = ranges[seed as usize % ranges.len()];
        let range = NdRange {
            dims: 2,
            global: [gx, gy, 1],
            offset: [0; 3],
            local: [lx, ly, 1],
        };
        let n = (seed % 7) as i32;
        let len = (gx * gy) as usize * VARS;
        let args = vec![
            given(&TABLE),
            given(&vec![-1; len]),
            crate::support::value(n),
        ];
        let launch = launch(&kernel, range, args);
        let width = [32, 32, 64, 8][seed as usize / 4 % 4];
        let ran = simulate_with(&kernel, &launch, width, 1, &mut ());
        assert_eq!(ran.summary.faults, [], "seed {seed}");
        let mut expected = vec![-1; len];
        for y in 0..gy {
            for x in 0..gx {
                let ids = |query, dim| match (query, dim) {
                    (WorkItemQuery::GlobalId, 0) => x,
                    (WorkItemQuery::GlobalId, _) => y,
                    (WorkItemQuery::GroupId, _) => x / lx,
                    (WorkItemQuery::LocalId, _) => x % lx,
                    (WorkItemQuery::GlobalSize, _) => gx,
                    (query, _) => panic!("{query:?}"),
                };
                interpret(&kernel, &ids, n, &mut expected);
            }
        }
        let got = ran.i32s(1, len);
        if got != expected {
            let at = (0..len).find(|&i| got[i] != expected[i]).unwrap_or(0);
            panic!(
                "seed {seed}, work-item {}, variable {}: {} instead of {}\n{kernel}",
                at / VARS,
                at % VARS,
                got[at],
                expected[at]
            );
        }
        if seed % 4 == 1 {
            let by_lane = simulate_by_lane(&kernel, &launch, width);
            assert_eq!(by_lane.summary, ran.summary, "seed {seed}");
            assert_eq!(by_lane.i32s(1, len), got, "seed {seed}");
        }
        compared += 1;
    }
    assert_eq!(compared, 400);
}
