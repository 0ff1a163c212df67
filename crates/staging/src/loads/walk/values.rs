//! What variables of the source hold, as far as it can be told.

use super::{
    AddressSpace, DeclId, Declared, Expr, ExprKind, Guard, Poly, Stmt, StmtKind, UnaryOp, Variable,
    Walker, is_integer, updated,
};

impl<'t> Walker<'t> {
    pub(super) fn declare(&mut self, variable: &'t Variable, from: usize) {
        let spelled = variable.ty.spelled.as_ref();
        if self.local
            && let Some(spelled) = spelled.filter(|s| s.pointers.is_empty())
            && spelled.base_qualifiers.space == Some(AddressSpace::Local)
        {
            self.arrays.insert(variable.id, spelled.lengths.len());
            self.buffers.insert(variable.id, ());
        }
        if let Some(init) = &variable.init {
            let once = self.counts.get(&variable.id) == Some(&1);
            if once
                && variable.ty.is_pointer()
                && let Some(place) = self.pointer(init)
            {
                self.index_loads(init);
                self.pointers.insert(variable.id, place);
                return;
            }
            if once && let Some(matrix) = self.matrix(init) {
                self.index_loads(init);
                self.matrices.insert(variable.id, matrix);
                return;
            }
            self.expr(init);
            if once {
                self.bind(variable.id, init);
            } else if self.tracked.contains(&variable.id) && is_integer(&variable.ty) {
                let value = self.bindings().eval(init);
                self.bindings().integers.insert(variable.id, value);
            }
        }
        let value = self.accesses.bindings.integers.get(&variable.id).cloned();
        self.accesses.variables.push(Declared {
            id: variable.id,
            name: variable.name.clone(),
            is_int: variable.ty.scalar_name().is_none_or(|ty| ty == "int"),
            value,
            from,
            until: self.block_end,
        });
    }

    /// What a statement makes of a variable whose value is followed.
    pub(super) fn update(&mut self, stmt: &'t Stmt) -> Option<(DeclId, Option<Poly>)> {
        let id = updated(stmt).filter(|id| self.tracked.contains(id))?;
        let before = self.accesses.bindings.integers.get(&id).cloned();
        Some((id, self.value_behind(stmt, before)))
    }

    /// The value of the one variable that a statement sets, behind it.
    pub(super) fn value_behind(&mut self, stmt: &'t Stmt, before: Option<Poly>) -> Option<Poly> {
        match &stmt.kind {
            StmtKind::Block(list) => match &list[..] {
                [one] => self.value_behind(one, before),
                _ => None,
            },
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Assign {
                    op: None, value, ..
                } => is_integer(&value.ty).then(|| self.bindings().eval(value)),
                ExprKind::Assign {
                    op: Some(op),
                    target,
                    value,
                } => {
                    let by = self.bindings().eval(value);
                    self.bindings().binary(*op, before?, by, expr, target)
                }
                ExprKind::Unary { op, .. } => {
                    let by = if *op == UnaryOp::Increment { 1 } else { -1 };
                    Some(before?.add(&Poly::constant(by)))
                }
                _ => None,
            },
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let holds = self.value_behind(then, before.clone())?;
                let fails = match otherwise {
                    Some(otherwise) => self.value_behind(otherwise, before)?,
                    None => before?,
                };
                Some(self.bindings().choice(condition, holds, fails, condition))
            }
            _ => None,
        }
    }

    /// A variable has another value behind a statement, and no known one where there is
    /// none.
    pub(super) fn take(&mut self, stmt: &Stmt, id: DeclId, value: Option<Poly>) {
        let variables = &mut self.accesses.variables;
        if let Some(last) = variables.iter_mut().rfind(|v| v.id == id) {
            let behind = Declared {
                id,
                name: last.name.clone(),
                is_int: last.is_int,
                value: value.clone(),
                from: stmt.span.end,
                until: last.until,
            };
            last.until = last.until.min(stmt.span.begin);
            variables.push(behind);
        }
        match value {
            Some(value) => {
                self.bindings().integers.insert(id, value);
            }
            None => {
                self.bindings().integers.remove(&id);
            }
        }
    }

    /// `int x; x = get_global_id(0);`: the only assignment is the value.
    pub(super) fn late_value(&mut self, expr: &'t Expr, from: usize) {
        let ExprKind::Assign {
            op: None,
            target,
            value,
        } = &expr.kind
        else {
            return;
        };
        let ExprKind::Variable { id, .. } = target.plain().kind else {
            return;
        };
        // Within a loop or a branch it would not hold everywhere behind it.
        if self.counts.get(&id) != Some(&1)
            || self.guard != Guard::always()
            || !self.loops.is_empty()
        {
            return;
        }
        self.bind(id, value);
        let known = self.accesses.bindings.integers.get(&id).cloned();
        if let Some(declared) = self.accesses.variables.iter_mut().find(|v| v.id == id) {
            declared.value = known;
            declared.from = from;
        }
    }

    pub(super) fn bind(&mut self, id: DeclId, value: &'t Expr) {
        self.bindings().values.insert(id, value);
        if is_integer(&value.ty) {
            let poly = self.bindings().eval(value);
            self.bindings().integers.insert(id, poly);
        }
    }
}
