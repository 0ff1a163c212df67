//! Statements, each run by all work-items that take part.

use super::expression::{Spot, binary, to_type};
use super::machine::{Flow, Machine, Pointer, Slot, Target};
use super::memory::Access;
use super::{Undefined, arithmetic, convert};
use crate::tree::{
    Argument, Arm, AtomicOp, BinaryOp, Block, CompareOp, Expr, Init, LoopShape, Object, Place,
    Stmt, Value, VarType,
};
use crate::types;

impl Machine<'_> {
    /// Runs a block.
    pub fn block(&mut self, block: &Block, active: &[usize]) -> Result<(), Undefined> {
        let mut active = active.to_vec();
        for stmt in block {
            active.retain(|&i| self.items[i].flow == Flow::Running);
            if active.is_empty() {
                break;
            }
            self.count(active.len())?;
            self.stmt(stmt, &active)?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt, active: &[usize]) -> Result<(), Undefined> {
        match stmt {
            Stmt::If(condition, then, other) => {
                let (mut yes, mut no) = (Vec::new(), Vec::new());
                for &i in active {
                    if self.truth(i, condition)? {
                        yes.push(i);
                    } else {
                        no.push(i);
                    }
                }
                self.block(then, &yes)?;
                self.block(other, &no)
            }
            Stmt::Switch(on, arms) => self.switch(on, arms, active),
            Stmt::Loop {
                shape,
                counter,
                limit,
                condition,
                body,
            } => self.repeat(*shape, *counter, limit, condition.as_ref(), body, active),
            Stmt::Call { function, args, to } => self.call(*function, args, to, active),
            Stmt::Barrier { local, global } => {
                if active.len() != self.items.len() {
                    return Err(Undefined::Divergence {
                        reached: active.len(),
                        group: self.items.len(),
                    });
                }
                self.local_epoch += usize::from(*local);
                self.global_epoch += usize::from(*global);
                Ok(())
            }
            Stmt::AsyncCopy { .. } => self.copy(stmt, active),
            simple => {
                for &i in active {
                    self.simple(simple, i)?;
                }
                Ok(())
            }
        }
    }

    fn switch(&mut self, on: &Expr, arms: &[Arm], active: &[usize]) -> Result<(), Undefined> {
        // Where each work-item goes in.
        let default = arms.iter().position(|a| a.label.is_none());
        let mut entries: Vec<Vec<usize>> = vec![Vec::new(); arms.len()];
        for &i in active {
            let on = self.index(i, on)?;
            let found = arms
                .iter()
                .position(|a| a.label.is_some_and(|l| i64::from(l) == on));
            if let Some(arm) = found.or(default) {
                entries[arm].push(i);
            }
        }
        let mut inside: Vec<usize> = Vec::new();
        for (arm, entering) in arms.iter().zip(entries) {
            inside.extend(entering);
            inside.sort_unstable();
            self.block(&arm.body, &inside)?;
            for &i in &inside {
                if self.items[i].flow == Flow::Running && !arm.falls {
                    self.items[i].flow = Flow::Break;
                }
            }
            let items = &self.items;
            inside.retain(|&i| items[i].flow == Flow::Running);
        }
        for &i in active {
            if self.items[i].flow == Flow::Break {
                self.items[i].flow = Flow::Running;
            }
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        shape: LoopShape,
        counter: usize,
        limit: &Expr,
        condition: Option<&Expr>,
        body: &Block,
        active: &[usize],
    ) -> Result<(), Undefined> {
        for &i in active {
            let start = if shape == LoopShape::Down {
                to_type(&self.eval(i, limit)?, types::INT)?
            } else {
                Value::zero(types::INT)
            };
            *self.slot(i, counter)? = Slot::Value(start);
        }
        let mut inside = active.to_vec();
        let mut first = true;
        loop {
            if !(first && shape == LoopShape::DoWhile) {
                let mut going = Vec::new();
                for &i in &inside {
                    if self.goes_on(i, shape, counter, limit, condition)? {
                        going.push(i);
                    }
                }
                inside = going;
            }
            first = false;
            if inside.is_empty() {
                return Ok(());
            }
            self.count(inside.len())?;
            if matches!(shape, LoopShape::While | LoopShape::DoWhile) {
                self.advance(counter, &inside, 1)?;
            }
            self.block(body, &inside)?;
            let mut left = Vec::new();
            for &i in &inside {
                let flow = &mut self.items[i].flow;
                match flow {
                    Flow::Running | Flow::Continue => {
                        *flow = Flow::Running;
                        left.push(i);
                    }
                    Flow::Break => *flow = Flow::Running,
                    Flow::Return => {}
                }
            }
            inside = left;
            match shape {
                LoopShape::Up => self.advance(counter, &inside, 1)?,
                LoopShape::Down => self.advance(counter, &inside, -1)?,
                LoopShape::While | LoopShape::DoWhile => {}
            }
        }
    }

    fn goes_on(
        &mut self,
        item: usize,
        shape: LoopShape,
        counter: usize,
        limit: &Expr,
        condition: Option<&Expr>,
    ) -> Result<bool, Undefined> {
        let Slot::Value(count) = *self.slot(item, counter)? else {
            return Err(Undefined::Malformed("a counter that is no number"));
        };
        let (op, limit) = if shape == LoopShape::Down {
            (CompareOp::Gt, Value::zero(types::INT))
        } else {
            (CompareOp::Lt, self.eval(item, limit)?)
        };
        let ty = types::arithmetic(count.ty, limit.ty);
        let (a, b) = (to_type(&count, ty)?, to_type(&limit, ty)?);
        if !arithmetic::compare(op, ty.scalar, a.bits[0], b.bits[0]) {
            return Ok(false);
        }
        condition.map_or(Ok(true), |c| self.truth(item, c))
    }

    fn advance(&mut self, counter: usize, items: &[usize], by: i32) -> Result<(), Undefined> {
        for &i in items {
            if let Slot::Value(count) = self.slot(i, counter)? {
                *count = binary(BinaryOp::Add, count, &Value::small(types::INT, by))?;
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        number: usize,
        args: &[Argument],
        to: &Place,
        active: &[usize],
    ) -> Result<(), Undefined> {
        let program = self.program;
        let function = program
            .functions
            .get(number)
            .ok_or(Undefined::Malformed("a function that is not there"))?;
        if args.len() != function.params || self.calls.contains(&number) {
            return Err(Undefined::Malformed("a call that does not fit"));
        }
        let mut frames = Vec::new();
        for &i in active {
            let mut frame = vec![Slot::Empty; function.vars.len()];
            for ((slot, arg), ty) in frame.iter_mut().zip(args).zip(&function.vars) {
                *slot = match (arg, ty) {
                    (Argument::Value(e), VarType::Value(ty)) => {
                        Slot::Value(to_type(&self.eval(i, e)?, *ty)?)
                    }
                    (Argument::Pointer(object, offset), VarType::Pointer { .. }) => {
                        Slot::Pointer(self.pointer(i, *object, offset)?)
                    }
                    _ => return Err(Undefined::Malformed("an argument that does not fit")),
                };
            }
            frames.push(frame);
        }
        for (&i, frame) in active.iter().zip(frames) {
            self.items[i].frames.push(frame);
        }
        self.calls.push(number);
        self.block(&function.body, active)?;
        self.calls.pop();
        for &i in active {
            let item = &mut self.items[i];
            item.frames.pop();
            item.flow = Flow::Running;
            let result = item
                .result
                .take()
                .ok_or(Undefined::Malformed("a function that returns nothing"))?;
            let result = to_type(&result, function.result)?;
            self.assign(i, to, &result)?;
        }
        Ok(())
    }

    fn pointer(
        &mut self,
        item: usize,
        object: Object,
        offset: &Expr,
    ) -> Result<Pointer, Undefined> {
        let start = self.object(item, object)?;
        let offset = self.index(item, offset)?;
        Ok(Pointer {
            offset: start.offset + offset,
            ..start
        })
    }

    /// `place = value`, the value converted.
    fn assign(&mut self, item: usize, place: &Place, value: &Value) -> Result<(), Undefined> {
        let value = to_type(value, place.ty)?;
        let spot = self.spot(item, &place.base, place.field.as_ref())?;
        let Some(components) = &place.components else {
            return self.store(item, &spot, value);
        };
        let mut whole = self.load(item, &spot)?;
        for (&to, from) in components.iter().zip(value.bits) {
            whole.bits[usize::from(to) & 15] = from;
        }
        self.store(item, &spot, whole)
    }

    /// A copy by the group as a whole.
    fn copy(&mut self, stmt: &Stmt, active: &[usize]) -> Result<(), Undefined> {
        let Stmt::AsyncCopy {
            to,
            to_first,
            from,
            from_first,
            count,
            stride,
        } = stmt
        else {
            return Err(Undefined::Malformed("no copy"));
        };
        if active.len() != self.items.len() {
            return Err(Undefined::Divergence {
                reached: active.len(),
                group: self.items.len(),
            });
        }
        let ends = |machine: &mut Self, i| -> Result<_, Undefined> {
            let to = machine.pointer(i, *to, to_first)?;
            Ok((to, machine.pointer(i, *from, from_first)?))
        };
        let (to, from) = ends(self, active[0])?;
        for &i in active {
            if ends(self, i)? != (to, from) {
                return Err(Undefined::Malformed(
                    "a copy that work-items see differently",
                ));
            }
        }
        let who = self.who(self.items.len());
        let (Target::Shared(to_cells), Target::Shared(from_cells)) = (to.target, from.target)
        else {
            return Err(Undefined::Malformed("a copy of private memory"));
        };
        for i in 0..*count as i64 {
            let at = from.offset + i * *stride as i64;
            let value = *self.cells(from_cells)?.access(at, 0, Access::Read, &who)?;
            let Some(value) = value else {
                return Err(Undefined::Uninitialised {
                    what: self.cells(from_cells)?.name.clone(),
                });
            };
            let cells = self.cells(to_cells)?;
            *cells.access(to.offset + i, 0, Access::Write, &who)? = Some(value);
        }
        Ok(())
    }

    /// A statement that concerns one work-item.
    fn simple(&mut self, stmt: &Stmt, item: usize) -> Result<(), Undefined> {
        match stmt {
            Stmt::Declare(var, init) => {
                let slot = self.initial(item, *var, init)?;
                *self.slot(item, *var)? = slot;
            }
            Stmt::Assign(place, op, e) => {
                let mut value = self.eval(item, e)?;
                if let Some(op) = op {
                    let old = self.read(item, place)?;
                    value = binary(*op, &old, &value)?;
                }
                self.assign(item, place, &value)?;
            }
            Stmt::Step(place, up) => {
                let old = self.read(item, place)?;
                let op = if *up { BinaryOp::Add } else { BinaryOp::Sub };
                let value = binary(op, &old, &Value::small(place.ty, 1))?;
                self.assign(item, place, &value)?;
            }
            Stmt::CopyStruct(to, from) => {
                let to_spot = self.spot(item, to, None)?;
                let from_spot = self.spot(item, from, None)?;
                let leaves = self.leaves(item, &from_spot)?;
                for (leaf, value) in leaves.into_iter().enumerate() {
                    let spot = match to_spot {
                        Spot::Var(var, _) => Spot::Var(var, leaf),
                        Spot::At(pointer, index, _) => Spot::At(pointer, index, leaf),
                    };
                    self.store(item, &spot, value)?;
                }
            }
            Stmt::Break => self.items[item].flow = Flow::Break,
            Stmt::Continue => self.items[item].flow = Flow::Continue,
            Stmt::Return(e) => {
                let result = e.as_ref().map(|e| self.eval(item, e)).transpose()?;
                self.items[item].result = result;
                self.items[item].flow = Flow::Return;
            }
            Stmt::Atomic {
                op,
                object,
                index,
                operand,
                old,
            } => {
                let operand = operand.as_ref().map(|e| self.eval(item, e)).transpose()?;
                let spot = self.element_spot(item, *object, index)?;
                let before = self.atomic(item, *op, &spot, operand)?;
                if let Some(place) = old {
                    self.assign(item, place, &before)?;
                }
            }
            Stmt::VStore {
                object,
                index,
                value,
            } => {
                let value = self.eval(item, value)?;
                let first = self.index(item, index)? * i64::from(value.ty.lanes);
                let start = self.object(item, *object)?;
                for (i, &bits) in value.components().iter().enumerate() {
                    let spot = Spot::At(start, first + i as i64, 0);
                    self.store(item, &spot, Value::scalar(value.ty.scalar, bits))?;
                }
            }
            _ => return Err(Undefined::Malformed("a statement out of place")),
        }
        Ok(())
    }

    fn initial(&mut self, item: usize, var: usize, init: &Init) -> Result<Slot, Undefined> {
        let ty = self.var_types().get(var).copied();
        Ok(match (init, ty) {
            (Init::Expr(e), Some(VarType::Value(ty))) => {
                Slot::Value(to_type(&self.eval(item, e)?, ty)?)
            }
            (Init::List(list), Some(VarType::Array { .. } | VarType::Struct(_))) => {
                let values: Result<Vec<Value>, _> =
                    list.iter().map(|e| self.eval(item, e)).collect();
                Slot::Many(values?)
            }
            (Init::Copy(from), Some(VarType::Struct(_))) => {
                let spot = self.spot(item, from, None)?;
                Slot::Many(self.leaves(item, &spot)?)
            }
            (Init::Pointer(object, offset), Some(VarType::Pointer { .. })) => {
                Slot::Pointer(self.pointer(item, *object, offset)?)
            }
            _ => return Err(Undefined::Malformed("a declaration that does not fit")),
        })
    }

    /// All leaves of a structure.
    fn leaves(&mut self, item: usize, spot: &Spot) -> Result<Vec<Value>, Undefined> {
        let count = match *spot {
            Spot::Var(var, _) => match self.slot(item, var)? {
                Slot::Many(values) => values.len(),
                _ => {
                    return Err(Undefined::Uninitialised {
                        what: format!("v{var}"),
                    });
                }
            },
            Spot::At(pointer, ..) => match pointer.target {
                Target::Shared(n) => self.cells(n)?.leaves,
                Target::Private(..) => 1,
            },
        };
        (0..count)
            .map(|leaf| {
                let one = match *spot {
                    Spot::Var(var, _) => Spot::Var(var, leaf),
                    Spot::At(pointer, index, _) => Spot::At(pointer, index, leaf),
                };
                self.load(item, &one)
            })
            .collect()
    }

    fn atomic(
        &mut self,
        item: usize,
        op: AtomicOp,
        spot: &Spot,
        operand: Option<Value>,
    ) -> Result<Value, Undefined> {
        let Spot::At(pointer, index, leaf) = *spot else {
            return Err(Undefined::Malformed("an atomic on a variable"));
        };
        let Target::Shared(n) = pointer.target else {
            return Err(Undefined::Malformed("an atomic on private memory"));
        };
        let who = self.who(item);
        let at = pointer.offset + index;
        let name = self.cells(n)?.name.clone();
        let cell = self.cells(n)?.access(at, leaf, Access::Atomic, &who)?;
        let old = cell.ok_or(Undefined::Uninitialised { what: name })?;
        let scalar = old.ty.scalar;
        let by = operand.unwrap_or(Value::small(old.ty, 1)).bits[0];
        let bits = old.bits[0];
        let number = |bits| convert::integer(scalar, bits);
        let new = match op {
            AtomicOp::Add | AtomicOp::Inc => {
                arithmetic::binary(BinaryOp::Add, scalar, bits, by, scalar)?
            }
            AtomicOp::Sub | AtomicOp::Dec => {
                arithmetic::binary(BinaryOp::Sub, scalar, bits, by, scalar)?
            }
            AtomicOp::Min => convert::wrap(scalar, number(bits).min(number(by))),
            AtomicOp::Max => convert::wrap(scalar, number(bits).max(number(by))),
            AtomicOp::And => bits & by,
            AtomicOp::Or => bits | by,
            AtomicOp::Xor => bits ^ by,
        };
        *cell = Some(Value::scalar(scalar, new));
        Ok(old)
    }
}
