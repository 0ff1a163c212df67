//! Statements.

use tilewise_launch::{ElemType, Scalar};

use super::memory::{Memory, Rule};
use super::{Draw, Flow, Known};
use crate::tree::{
    Arm, AtomicOp, Base, BinaryOp, Block, Expr, Init, LoopShape, Object, Place, Space, Stmt, Type,
    VarType,
};
use crate::types::INT;

impl Draw {
    /// Draws one statement, with what it needs in front of it. Takes from the
    /// budget also where nothing fits, so that drawing ends.
    pub(super) fn statement(&mut self, block: &mut Block, flow: Flow) {
        self.budget = self.budget.saturating_sub(1);
        let nests = flow.depth < 4 && self.budget > 0;
        let kernel = self.result.is_none();
        let weights = [
            14,
            4,
            3,
            3,
            18,
            12,
            4,
            3,
            if nests { 10 } else { 0 },
            if nests { 4 } else { 0 },
            if nests && flow.loops < 3 { 9 } else { 0 },
            if flow.breaks { 5 } else { 0 },
            if flow.continues { 4 } else { 0 },
            6,
            if kernel && flow.uniform { 10 } else { 0 },
            if kernel && flow.uniform { 4 } else { 0 },
            6,
            3,
            if flow.depth > 0 { 2 } else { 0 },
        ];
        let _ = match self.random.weighted(&weights) {
            0 => self.declare(block, flow),
            1 => {
                let elem = self.elem_type();
                let len = self.random.pick([2, 4, 8]);
                self.array(block, elem, if elem.lanes > 4 { 2 } else { len });
                Some(())
            }
            2 => self.declare_struct(block, flow),
            3 => self.declare_pointer(block),
            4 => self.assign(block, flow),
            5 => self.compound(block, flow),
            6 => self.step(block, flow),
            7 => self.copy_struct(block),
            8 => self.branch(block, flow),
            9 => self.switch(block, flow),
            10 => self.repeat(block, flow),
            11 => self.leave(block, flow, Stmt::Break),
            12 => self.leave(block, flow, Stmt::Continue),
            13 => self.call(block, flow),
            14 => self.barrier(block),
            15 => self.async_copy(block),
            16 => self.atomic(block),
            17 => self.vector_store(block),
            _ => self.leave_function(block),
        };
    }

    /// A block of its own: what it declares is gone after it, and tiles are
    /// left as they were.
    fn inner(&mut self, flow: Flow) -> Block {
        let (scope, memory) = (self.scope.len(), self.memory.len());
        let states = self.shared.clone();
        let mut block = Vec::new();
        let flow = Flow {
            depth: flow.depth + 1,
            ..flow
        };
        for _ in 0..self.random.between(1, 4) {
            if self.budget > 0 {
                self.statement(&mut block, flow);
            }
        }
        self.scope.truncate(scope);
        self.memory.truncate(memory);
        if self.shared != states {
            block.push(self.fence());
            self.shared = states;
        }
        block
    }

    fn declare(&mut self, block: &mut Block, flow: Flow) -> Option<()> {
        let elem = self.elem_type();
        let uniform = flow.uniform && self.random.chance(25);
        let value = self.value(elem, 3, uniform);
        let ty = VarType::Value(elem);
        let var = self.new_var(ty);
        block.push(Stmt::Declare(var, Init::Expr(value)));
        self.scope.push(Known {
            var,
            ty,
            uniform,
            writable: true,
        });
        Some(())
    }

    fn declare_struct(&mut self, block: &mut Block, _flow: Flow) -> Option<()> {
        let fields = self.program.structs.first()?.fields.clone();
        let sources = self.structures();
        let init = match self.random.choose(&sources) {
            Some(source) if self.random.chance(50) => {
                let index = self.index(&source, false, false);
                Init::Copy(Base::Element {
                    object: source.object,
                    index: Box::new(index),
                })
            }
            _ => {
                let mut values = Vec::new();
                for field in fields {
                    for _ in 0..field.array.unwrap_or(1) {
                        values.push(self.value(field.ty, 1, false));
                    }
                }
                Init::List(values)
            }
        };
        let ty = VarType::Struct(0);
        let var = self.new_var(ty);
        block.push(Stmt::Declare(var, init));
        self.scope.push(Known {
            var,
            ty,
            uniform: false,
            writable: true,
        });
        Some(())
    }

    /// Memory of structures that can be read.
    fn structures(&self) -> Vec<Memory> {
        let mut all = self.memory.clone();
        all.retain(|m| m.elem == Type::Struct(0) && self.allows(m, false));
        all
    }

    fn copy_struct(&mut self, block: &mut Block) -> Option<()> {
        let mut variables = self.scope.clone();
        variables.retain(|k| k.ty == VarType::Struct(0));
        let mut writable = variables.clone();
        writable.retain(|k| k.writable);
        let sources = self.structures();
        let from = match self.random.choose(&variables) {
            Some(known) if self.random.chance(50) => Base::Var(known.var),
            _ => {
                let source = self.random.choose(&sources)?;
                let index = self.index(&source, false, false);
                Base::Element {
                    object: source.object,
                    index: Box::new(index),
                }
            }
        };
        let mut targets = sources;
        targets.retain(|m| self.allows(m, true));
        let to = match self.random.choose(&writable) {
            Some(known) if self.random.chance(60) => Base::Var(known.var),
            _ => {
                let target = self.random.choose(&targets)?;
                let index = self.index(&target, true, false);
                Base::Element {
                    object: target.object,
                    index: Box::new(index),
                }
            }
        };
        block.push(Stmt::CopyStruct(to, from));
        Some(())
    }

    /// A pointer into a private array or into a work-item's own elements.
    fn declare_pointer(&mut self, block: &mut Block) -> Option<()> {
        let mut candidates = self.memory.clone();
        candidates.retain(|m| {
            matches!(m.elem, Type::Elem(_))
                && !matches!(m.rule, Rule::Tile { .. } | Rule::Atomic { .. })
                && !matches!(m.object, Object::Table(_))
        });
        let memory = self.random.choose(&candidates)?;
        let len = Self::own_len(&memory);
        let writable = self.allows(&memory, true);
        let first = self.own_first(&memory);
        // The second half of it, or all.
        let (first, len) = if len > 1 && self.random.chance(50) {
            (first.plus(Expr::uint(len / 2)), len / 2)
        } else {
            (first, len)
        };
        let ty = VarType::Pointer {
            space: memory.space,
            elem: memory.elem,
            read_only: !writable,
        };
        let var = self.new_var(ty);
        block.push(Stmt::Declare(var, Init::Pointer(memory.object, first)));
        self.memory.push(Memory {
            object: Object::Var(var),
            elem: memory.elem,
            space: memory.space,
            rule: Rule::Whole { len, writable },
        });
        Some(())
    }

    /// Something to assign to, and whether its value has to be uniform.
    pub(super) fn target(&mut self, flow: Flow) -> Option<(Place, bool)> {
        if self.random.chance(35)
            && let Some(place) = self.element(true, false)
        {
            return Some((place, false));
        }
        let mut known = self.scope.clone();
        known.retain(|k| k.writable && (flow.uniform || !k.uniform));
        let known = self.random.choose(&known)?;
        let place = match known.ty {
            VarType::Value(ty) => Place::var(known.var, ty),
            VarType::Struct(number) => self.member(Base::Var(known.var), number, known.uniform)?,
            _ => return None,
        };
        Some((place, known.uniform))
    }

    fn assign(&mut self, block: &mut Block, flow: Flow) -> Option<()> {
        let (place, uniform) = self.target(flow)?;
        let place = if self.random.chance(40) {
            self.with_components(place)
        } else {
            place
        };
        let value = self.value(place.ty, 3, uniform);
        block.push(Stmt::Assign(place, None, value));
        Some(())
    }

    fn compound(&mut self, block: &mut Block, flow: Flow) -> Option<()> {
        let (place, uniform) = self.target(flow)?;
        let place = if self.random.chance(30) {
            self.with_components(place)
        } else {
            place
        };
        let ty = place.ty;
        let float = ty.scalar.is_float();
        let op = if float {
            self.random
                .pick([BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul])
        } else {
            self.random.pick([
                BinaryOp::Add,
                BinaryOp::Sub,
                BinaryOp::Mul,
                BinaryOp::And,
                BinaryOp::Or,
                BinaryOp::Xor,
                BinaryOp::Shl,
                BinaryOp::Shr,
            ])
        };
        // An integer of another type is converted back on the way.
        let value_type = if ty.lanes == 1 && !float && self.random.chance(40) {
            ElemType::scalar(self.integer_type())
        } else {
            ty
        };
        let value = self.value(value_type, 2, uniform);
        block.push(Stmt::Assign(place, Some(op), value));
        Some(())
    }

    fn step(&mut self, block: &mut Block, flow: Flow) -> Option<()> {
        let (place, _) = self.target(flow)?;
        if place.ty.lanes > 1 {
            return None;
        }
        let up = self.random.chance(60);
        block.push(Stmt::Step(place, up));
        Some(())
    }

    /// Whether what comes is for all work-items of a group alike.
    fn stays_uniform(&mut self, flow: Flow) -> bool {
        flow.uniform && self.random.chance(50)
    }

    fn branch(&mut self, block: &mut Block, flow: Flow) -> Option<()> {
        let uniform = self.stays_uniform(flow);
        let condition = self.condition(2, uniform);
        let flow = self.within(flow, uniform);
        let then = self.inner(flow);
        let other = if self.random.chance(50) {
            self.inner(flow)
        } else {
            Vec::new()
        };
        block.push(Stmt::If(condition, then, other));
        Some(())
    }

    /// The flow of a branch: in a divergent branch of a uniform loop, leaving
    /// the loop would part the group.
    fn within(&self, flow: Flow, uniform: bool) -> Flow {
        let parts = flow.uniform && !uniform;
        Flow {
            uniform,
            breaks: flow.breaks && !parts,
            continues: flow.continues && !parts,
            ..flow
        }
    }

    fn switch(&mut self, block: &mut Block, flow: Flow) -> Option<()> {
        let uniform = self.stays_uniform(flow);
        let on = self.value(INT, 2, uniform);
        let on = Expr::binary(BinaryOp::And, on, Expr::small(INT, 3));
        let outer = self.within(flow, uniform);
        // Leaving the switch early would keep tiles from being set back.
        let inner = Flow {
            breaks: !uniform,
            ..outer
        };
        let mut labels: Vec<Option<i32>> = (0..4).map(Some).collect();
        labels.truncate(self.random.between(1, 4));
        if self.random.chance(60) {
            labels.insert(self.random.below(labels.len() + 1), None);
        }
        let mut arms = Vec::new();
        for label in labels {
            arms.push(Arm {
                label,
                body: self.inner(inner),
                falls: self.random.chance(35),
            });
        }
        block.push(Stmt::Switch(on, arms));
        Some(())
    }

    fn repeat(&mut self, block: &mut Block, flow: Flow) -> Option<()> {
        let uniform = self.stays_uniform(flow);
        let most = [7, 3, 3][flow.loops.min(2)];
        let limit = self.value(INT, 1, uniform);
        let limit = Expr::binary(BinaryOp::And, limit, Expr::small(INT, most));
        let limit = if self.random.chance(30) {
            limit.plus(Expr::small(INT, 1))
        } else {
            limit
        };
        let condition = self.random.chance(25).then(|| self.condition(1, uniform));
        let shape = self.random.pick([
            LoopShape::Up,
            LoopShape::Up,
            LoopShape::Down,
            LoopShape::While,
            LoopShape::DoWhile,
        ]);
        let counter = self.new_var(VarType::Value(INT));
        self.scope.push(Known {
            var: counter,
            ty: VarType::Value(INT),
            uniform,
            writable: false,
        });
        self.loop_states.push(self.shared.clone());
        let body = self.inner(Flow {
            uniform,
            breaks: true,
            continues: true,
            loops: flow.loops + 1,
            ..flow
        });
        self.loop_states.pop();
        self.scope.pop();
        block.push(Stmt::Loop {
            shape,
            counter,
            limit,
            condition,
            body,
        });
        Some(())
    }

    /// `break` or `continue`, mostly under a condition.
    fn leave(&mut self, block: &mut Block, flow: Flow, stmt: Stmt) -> Option<()> {
        // In a uniform loop only where tiles are as they were at its start.
        if flow.uniform && self.loop_states.last() != Some(&self.shared) {
            return None;
        }
        let condition = self.condition(1, flow.uniform);
        block.push(Stmt::If(condition, vec![stmt], Vec::new()));
        Some(())
    }

    fn leave_function(&mut self, block: &mut Block) -> Option<()> {
        let value = match self.result {
            // A kernel with barriers to come must keep its work-items.
            None if !self.shared.is_empty() => return None,
            None => None,
            Some(ty) => Some(self.value(ty, 1, false)),
        };
        let condition = self.condition(1, false);
        block.push(Stmt::If(condition, vec![Stmt::Return(value)], Vec::new()));
        Some(())
    }

    fn fence(&mut self) -> Stmt {
        let global = self
            .memory
            .iter()
            .any(|m| matches!(m.rule, Rule::Tile { .. }) && m.space == Space::Global);
        Stmt::Barrier {
            local: true,
            global: global || self.random.chance(20),
        }
    }

    /// A barrier, after which tiles change hands.
    fn barrier(&mut self, block: &mut Block) -> Option<()> {
        if self.shared.is_empty() {
            return None;
        }
        block.push(self.fence());
        for i in 0..self.shared.len() {
            self.shared[i] = self.random.chance(60);
        }
        Some(())
    }

    fn async_copy(&mut self, block: &mut Block) -> Option<()> {
        let mut tiles = self.memory.clone();
        tiles.retain(|m| matches!(m.rule, Rule::Tile { .. }) && m.space == Space::Local);
        let tile = self.random.choose(&tiles)?;
        let mut sources = self.memory.clone();
        sources.retain(|m| {
            m.elem == tile.elem
                && m.space == Space::Global
                && matches!((m.rule, m.elem), (Rule::Any { .. }, Type::Elem(e)) if e.lanes != 3)
        });
        let source = self.random.choose(&sources)?;
        let Rule::Tile { len, .. } = tile.rule else {
            return None;
        };
        let most = len.min(Self::own_len(&source) / 2).min(24);
        let count = self.random.between(1, most.max(1));
        let stride = self.random.pick([1, 1, 2]);
        let room = Self::own_len(&source) - (count - 1) * stride;
        let from_first = Expr::uint(self.random.below(room));
        let to_first = Expr::uint(self.random.below(len - count + 1));
        block.push(self.fence());
        block.push(Stmt::AsyncCopy {
            to: tile.object,
            to_first,
            from: source.object,
            from_first,
            count,
            stride,
        });
        self.barrier(block)
    }

    fn atomic(&mut self, block: &mut Block) -> Option<()> {
        let integers = |m: &Memory| {
            matches!(m.elem, Type::Elem(e) if e.lanes == 1
                && matches!(e.scalar, Scalar::I32 | Scalar::U32))
                && matches!(m.space, Space::Global | Space::Local)
        };
        let mut candidates = self.memory.clone();
        candidates.retain(|m| {
            let shared = matches!(m.rule, Rule::Atomic { .. });
            integers(m) && (shared || self.allows(m, true))
        });
        let memory = self.random.choose(&candidates)?;
        let Type::Elem(elem) = memory.elem else {
            return None;
        };
        let any = [
            &[AtomicOp::Add, AtomicOp::Sub, AtomicOp::Inc, AtomicOp::Dec][..],
            &[AtomicOp::Min],
            &[AtomicOp::Max],
            &[AtomicOp::And],
            &[AtomicOp::Or],
            &[AtomicOp::Xor],
        ];
        let (class, own) = match memory.rule {
            Rule::Atomic { class, .. } => (class, false),
            _ => (self.random.below(any.len()), true),
        };
        let op = self.random.choose(any[class])?;
        let index = self.index(&memory, true, false);
        let operand = match op {
            AtomicOp::Inc | AtomicOp::Dec => None,
            _ => Some(self.value(elem, 1, false)),
        };
        // The order of the others decides what was there before.
        let old = if own && self.random.chance(60) {
            let mut known = self.scope.clone();
            known.retain(|k| k.writable && !k.uniform && k.ty == VarType::Value(elem));
            self.random.choose(&known).map(|k| Place::var(k.var, elem))
        } else {
            None
        };
        block.push(Stmt::Atomic {
            op,
            object: memory.object,
            index,
            operand,
            old,
        });
        Some(())
    }

    fn vector_store(&mut self, block: &mut Block) -> Option<()> {
        let lanes = self.random.pick([2, 2, 3, 4, 8]);
        let (object, ty, index) = self.vectors(None, lanes, true)?;
        let value = self.value(ty, 1, false);
        block.push(Stmt::VStore {
            object,
            index,
            value,
        });
        Some(())
    }
}
