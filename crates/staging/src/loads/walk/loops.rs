//! Loops: those that count, those over the range, and what is unclear behind the others.

use super::{
    Atom, BinaryOp, Counting, DeclId, Declared, Expr, ExprKind, Guard, HashMap, LoopId, Poly, Stmt,
    StmtKind, StrideLoop, Walker, assignments, carried, changes_in, counting, cuts, mentions,
    returns, stepping,
};

impl<'t> Walker<'t> {
    pub(super) fn for_loop(
        &mut self,
        stmt: &'t Stmt,
        init: Option<&'t Stmt>,
        condition: Option<&'t Expr>,
        step: Option<&'t Expr>,
        body: &'t Stmt,
    ) {
        let before = self.guard.clone();
        if let Some(init) = init {
            for expr in init.expressions() {
                self.expr(expr);
            }
        }
        self.changed_by(body);
        let windows = !self.local;
        let mut found = counting(self.bindings(), stmt, windows);
        if found.is_none() && self.local {
            found = stepping(self.bindings(), stmt).or_else(|| carried(self.bindings(), stmt));
        }
        match found {
            Some(found) => {
                let clauses: Vec<&Expr> = condition.into_iter().chain(step).collect();
                self.counted(found, &clauses, body);
            }
            None if self.strided(stmt) => {}
            None => {
                self.stepped_by(step);
                self.guard = before.and(&Guard::opaque());
                for expr in condition.into_iter().chain(step) {
                    self.expr(expr);
                }
                self.stmt(body);
            }
        }
        self.guard = before;
        if returns(body) {
            self.guard = self.guard.and(&Guard::opaque());
        }
    }

    /// The clauses and the body of a loop whose variable is known.
    pub(super) fn counted(&mut self, counting: Counting, clauses: &[&'t Expr], body: &'t Stmt) {
        let Counting {
            found: mut counted,
            within,
            along,
        } = counting;
        counted.cut = cuts(body);
        let before = self.guard.clone();
        let id = LoopId(self.accesses.bindings.loops.len() as u32);
        let (variable, cut) = (counted.variable, counted.cut);
        let (name, until) = (counted.name.clone(), counted.extent.1);
        self.bindings().loops.push(counted);
        let outer = self.bindings().active.insert(variable, id);
        self.accesses.variables.push(Declared {
            id: variable,
            name,
            is_int: true,
            value: None,
            from: body.span.begin,
            until,
        });
        self.loops.push(id);
        if cut {
            self.guard = before.and(&Guard::opaque());
        }
        for expr in clauses {
            self.expr(expr);
        }
        let known: Vec<DeclId> = along.iter().map(|(id, _)| *id).collect();
        self.bindings().integers.extend(along);
        self.under(&Guard::of(within), |w| {
            w.stmt(body);
        });
        for id in known {
            self.bindings().integers.remove(&id);
        }
        self.loops.pop();
        match outer {
            Some(outer) => self.bindings().active.insert(variable, outer),
            None => self.bindings().active.remove(&variable),
        };
        self.guard = before;
    }

    /// A loop over the range, the only one and the only place where ids count.
    pub(super) fn strided(&mut self, stmt: &'t Stmt) -> bool {
        let StmtKind::For {
            init: Some(init),
            condition: Some(condition),
            step: Some(step),
            body,
        } = &stmt.kind
        else {
            return false;
        };
        let StmtKind::Declare(variables) = &init.kind else {
            return false;
        };
        let [variable] = &variables[..] else {
            return false;
        };
        let outside = self.local
            || self.accesses.stride.is_some()
            || !self.loops.is_empty()
            || self.guard != Guard::always()
            || !self.accesses.loads.is_empty()
            || !self.accesses.stores.is_empty();
        let top = match &self.accesses.function.body.kind {
            StmtKind::Block(list) => list.iter().any(|s| std::ptr::eq(s, stmt)),
            _ => false,
        };
        let Some(first) = variable.init.as_ref().filter(|_| top && !outside) else {
            return false;
        };
        let first = self.bindings().eval(first);
        let dim = (0..3u8).find(|d| self.bindings().atoms.global_id(*d) == first);
        let Some((dim, by)) = dim.zip(step_of(step, variable.id)) else {
            return false;
        };
        let by = self.bindings().eval(by);
        let size = self.bindings().atoms.intern(Atom::GlobalSize(dim));
        let changed = assignments(body).contains_key(&variable.id);
        if by != Poly::atom(size) || changed {
            return false;
        }
        // In the body it is what an id is elsewhere.
        self.bindings().integers.insert(variable.id, first.clone());
        let guard = self.bindings().condition(condition, true);
        let atoms = &self.accesses.bindings.atoms;
        let bound = match &guard.0[..] {
            [one] if !one.opaque => match &one.constraints[..] {
                [bound] if atoms.all_uniform(&bound.add(&first)) => Some(bound.clone()),
                _ => None,
            },
            _ => None,
        };
        let Some(bound) = bound else {
            self.bindings().integers.remove(&variable.id);
            return false;
        };
        for known in &mut self.accesses.variables {
            let same = known.value.iter().flat_map(Poly::atoms).any(|a| {
                let atom = self.accesses.bindings.atoms.get(a);
                matches!(atom, Atom::GroupStart(d) if *d == dim)
            });
            if same {
                known.until = known.until.min(stmt.span.begin);
            }
        }
        self.accesses.variables.push(Declared {
            id: variable.id,
            name: variable.name.clone(),
            is_int: variable.ty.scalar_name().is_none_or(|ty| ty == "int"),
            value: Some(first),
            from: body.span.begin,
            until: body.span.end,
        });
        self.accesses.stride = Some(StrideLoop {
            stmt,
            condition,
            bound,
            body,
        });
        self.under(&guard, |w| {
            w.stmt(body);
        });
        true
    }

    /// Notes what is said of variables that a loop's body changes, should an index hold
    /// one.
    pub(super) fn changed_by(&mut self, body: &Stmt) {
        for id in assignments(body).into_keys() {
            let why = "which is assigned more than once";
            self.bindings().unclear.entry(id).or_insert(why);
        }
    }

    /// The same for a loop without a header that counts.
    pub(super) fn counted_by(&mut self, condition: &Expr, body: &Stmt) {
        let mut counts = assignments(body);
        changes_in(condition, &mut counts);
        for id in counts.into_keys().filter(|id| mentions(condition, *id)) {
            let why = "which a loop counts that is no `for` with a first value, a bound and a step";
            self.bindings().unclear.insert(id, why);
        }
    }

    /// The same for a `for` that does not count.
    pub(super) fn stepped_by(&mut self, step: Option<&Expr>) {
        let mut counts = HashMap::new();
        match step {
            Some(step) => changes_in(step, &mut counts),
            None => return,
        }
        for id in counts.into_keys() {
            let why = "whose loop has no first value, bound and constant step that can be told";
            self.bindings().unclear.insert(id, why);
        }
    }
}

/// What a step adds to a variable.
fn step_of(step: &Expr, variable: DeclId) -> Option<&Expr> {
    let is_variable =
        |e: &Expr| matches!(&e.plain().kind, ExprKind::Variable { id, .. } if *id == variable);
    match &step.kind {
        ExprKind::Assign {
            op: Some(BinaryOp::Add),
            target,
            value,
        } if is_variable(target) => Some(value),
        ExprKind::Assign {
            op: None,
            target,
            value,
        } if is_variable(target) => match &value.plain().kind {
            ExprKind::Binary {
                op: BinaryOp::Add,
                left,
                right,
            } if is_variable(left) => Some(right),
            _ => None,
        },
        _ => None,
    }
}
