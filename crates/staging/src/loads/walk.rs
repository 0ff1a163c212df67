//! The walk.

use std::collections::{BTreeSet, HashMap, HashSet};

use tilewise_frontend::source::{
    AddressSpace, BinaryOp, DeclId, Expr, ExprKind, Function, SourceTree, Span, Stmt, StmtKind,
    UnaryOp, Variable,
};

use crate::symbolic::eval::is_integer;
use crate::symbolic::{Atom, Atoms, Bindings, Guard, LoopId, Poly};

use super::assigned::{assignments, changes_in, followed, updated};
use super::counting::{Counting, carried, counting, mentions, stepping};
use super::helper::helper;
use super::image::{is_image, read};
use super::matrix::{Matrix, pitches};
use super::replaced::in_macro;
use super::{Accesses, Choice, Copied, Declared, Escape, Load, Replaced, Store, StrideLoop};

/// Walks a kernel; `local` takes local memory for a buffer like any other.
pub fn walk<'t>(
    tree: &'t SourceTree,
    function: &'t Function,
    atoms: Atoms,
    local: bool,
) -> Accesses<'t> {
    let counts = assignments(&function.body);
    let fixed = |v: &&Variable| !counts.contains_key(&v.id);
    let mut buffers = HashMap::new();
    let mut params = HashMap::new();
    let mut variables = Vec::new();
    for param in function.params.iter().filter(fixed) {
        match param.ty.points_to() {
            Some(AddressSpace::Global | AddressSpace::Constant) => {
                buffers.insert(param.id, ());
            }
            Some(AddressSpace::Local) if local => {
                buffers.insert(param.id, ());
            }
            _ if is_image(&param.ty) => {
                buffers.insert(param.id, ());
            }
            _ if is_integer(&param.ty) => {
                params.insert(param.id, (param.name.clone(), param.ty.clone()));
            }
            _ => {}
        }
    }
    let mut walker = Walker {
        accesses: Accesses {
            bindings: Bindings {
                tree,
                atoms,
                loops: Vec::new(),
                active: HashMap::new(),
                params,
                values: HashMap::new(),
                integers: HashMap::new(),
                unclear: HashMap::new(),
            },
            function,
            loads: Vec::new(),
            stores: Vec::new(),
            copies: Vec::new(),
            written: BTreeSet::new(),
            escapes: Vec::new(),
            barrier: None,
            variables: Vec::new(),
            stride: None,
        },
        counts,
        buffers,
        pointers: HashMap::new(),
        matrices: HashMap::new(),
        local,
        arrays: HashMap::new(),
        tracked: HashSet::new(),
        guard: Guard::always(),
        loops: Vec::new(),
        block_end: function.body.span.end,
        choice: None,
        expansion: None,
    };
    for param in &function.params {
        let is_buffer = matches!(
            param.ty.points_to(),
            Some(AddressSpace::Global | AddressSpace::Constant)
        );
        if is_buffer && walker.counts.contains_key(&param.id) {
            walker.accesses.escapes.push(Escape {
                buffer: param.id,
                span: param.span,
                how: "is assigned by the kernel",
            });
        }
        variables.push(Declared {
            id: param.id,
            name: param.name.clone(),
            value: None,
            from: function.body.span.begin,
            until: function.body.span.end,
        });
    }
    walker.accesses.variables = variables;
    walker.stmt(&function.body);
    walker.accesses
}

struct Walker<'t> {
    accesses: Accesses<'t>,
    counts: HashMap<DeclId, u32>,
    /// Parameters that point to global or constant memory and never change.
    buffers: HashMap<DeclId, ()>,
    /// Local pointers into buffers: which one, and where.
    pointers: HashMap<DeclId, (DeclId, Poly)>,
    /// Local pointers to arrays in buffers.
    matrices: HashMap<DeclId, Matrix>,
    /// Local memory counts.
    local: bool,
    /// Arrays in local memory: their numbers of dimensions.
    arrays: HashMap<DeclId, usize>,
    /// Variables that only statements of the block that declares them change: their
    /// value is known behind each of these.
    tracked: HashSet<DeclId>,
    guard: Guard,
    loops: Vec<LoopId>,
    block_end: usize,
    /// The `?:` whose side is visited next.
    choice: Option<Choice<'t>>,
    /// The outermost expression of the macro that the walk is in.
    expansion: Option<&'t Expr>,
}

/// What may come after a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Goes,
    Leaves,
}

impl<'t> Walker<'t> {
    fn bindings(&mut self) -> &mut Bindings<'t> {
        &mut self.accesses.bindings
    }

    fn under(&mut self, guard: &Guard, visit: impl FnOnce(&mut Self)) {
        let before = self.guard.clone();
        self.guard = before.and(guard);
        visit(self);
        self.guard = before;
    }

    fn stmt(&mut self, stmt: &'t Stmt) -> Flow {
        match &stmt.kind {
            StmtKind::Block(list) => {
                let end = std::mem::replace(&mut self.block_end, stmt.span.end);
                self.tracked.extend(followed(list, &self.counts));
                let mut flow = Flow::Goes;
                for stmt in list {
                    let update = self.update(stmt);
                    flow = self.stmt(stmt);
                    if let Some((id, value)) = update {
                        self.take(stmt, id, value);
                    }
                }
                self.block_end = end;
                flow
            }
            StmtKind::Declare(variables) => {
                for variable in variables {
                    self.declare(variable, stmt.span.end);
                }
                Flow::Goes
            }
            StmtKind::Expr(expr) => {
                self.expr(expr);
                self.late_value(expr, stmt.span.end);
                Flow::Goes
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => self.branch(condition, then, otherwise.as_deref()),
            StmtKind::For {
                init,
                condition,
                step,
                body,
            } => {
                self.for_loop(
                    stmt,
                    init.as_deref(),
                    condition.as_ref(),
                    step.as_ref(),
                    body,
                );
                Flow::Goes
            }
            StmtKind::While { condition, body } => {
                let carried = match self.local {
                    true => carried(self.bindings(), stmt),
                    false => None,
                };
                if let Some(loop_) = carried {
                    self.counted(loop_, &[condition], body);
                    return Flow::Goes;
                }
                self.changed_by(body);
                self.counted_by(condition, body);
                let opaque = Guard::opaque();
                let before = self.guard.clone();
                self.guard = before.and(&opaque);
                self.expr(condition);
                self.stmt(body);
                self.guard = before;
                if returns(body) {
                    self.guard = self.guard.and(&opaque);
                }
                Flow::Goes
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.expr(value);
                }
                Flow::Leaves
            }
            StmtKind::Break | StmtKind::Continue => Flow::Leaves,
            StmtKind::Empty => Flow::Goes,
            StmtKind::Other { children, .. } => {
                let before = self.guard.clone();
                self.guard = before.and(&Guard::opaque());
                for child in children {
                    self.stmt(child);
                }
                self.guard = before;
                if children.iter().any(returns) {
                    self.guard = self.guard.and(&Guard::opaque());
                }
                Flow::Goes
            }
        }
    }

    fn branch(&mut self, condition: &'t Expr, then: &'t Stmt, otherwise: Option<&'t Stmt>) -> Flow {
        self.expr(condition);
        let holds = self.bindings().condition(condition, true);
        let fails = self.bindings().condition(condition, false);
        let before = self.guard.clone();
        self.guard = before.and(&holds);
        let first = self.stmt(then);
        let after_then = std::mem::replace(&mut self.guard, before.and(&fails));
        let second = otherwise.map_or(Flow::Goes, |s| self.stmt(s));
        let after_else = std::mem::replace(&mut self.guard, before.clone());
        let escapes = |s: &Stmt| leaves_somewhere(s);
        self.guard = match (first, second) {
            (Flow::Leaves, Flow::Leaves) => Guard(Vec::new()),
            (Flow::Leaves, Flow::Goes) => after_else,
            (Flow::Goes, Flow::Leaves) => after_then,
            // A way out that is not at the end of a branch.
            (Flow::Goes, Flow::Goes) if escapes(then) || otherwise.is_some_and(escapes) => {
                before.and(&Guard::opaque())
            }
            (Flow::Goes, Flow::Goes) => before,
        };
        match (first, second) {
            (Flow::Leaves, Flow::Leaves) => Flow::Leaves,
            _ => Flow::Goes,
        }
    }

    fn for_loop(
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
    fn counted(&mut self, counting: Counting, clauses: &[&'t Expr], body: &'t Stmt) {
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
    fn strided(&mut self, stmt: &'t Stmt) -> bool {
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

    fn declare(&mut self, variable: &'t Variable, from: usize) {
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
            value,
            from,
            until: self.block_end,
        });
    }

    /// What a statement makes of a variable whose value is followed.
    fn update(&mut self, stmt: &'t Stmt) -> Option<(DeclId, Option<Poly>)> {
        let id = updated(stmt).filter(|id| self.tracked.contains(id))?;
        let before = self.accesses.bindings.integers.get(&id).cloned();
        Some((id, self.value_behind(stmt, before)))
    }

    /// The value of the one variable that a statement sets, behind it.
    fn value_behind(&mut self, stmt: &'t Stmt, before: Option<Poly>) -> Option<Poly> {
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
    fn take(&mut self, stmt: &Stmt, id: DeclId, value: Option<Poly>) {
        let variables = &mut self.accesses.variables;
        if let Some(last) = variables.iter_mut().rfind(|v| v.id == id) {
            let behind = Declared {
                id,
                name: last.name.clone(),
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

    /// Notes what is said of variables that a loop's body changes, should an index hold
    /// one.
    fn changed_by(&mut self, body: &Stmt) {
        for id in assignments(body).into_keys() {
            let why = "which is assigned more than once";
            self.bindings().unclear.entry(id).or_insert(why);
        }
    }

    /// The same for a loop without a header that counts.
    fn counted_by(&mut self, condition: &Expr, body: &Stmt) {
        let mut counts = assignments(body);
        changes_in(condition, &mut counts);
        for id in counts.into_keys().filter(|id| mentions(condition, *id)) {
            let why = "which a loop counts that is no `for` with a first value, a bound and a step";
            self.bindings().unclear.insert(id, why);
        }
    }

    /// The same for a `for` that does not count.
    fn stepped_by(&mut self, step: Option<&Expr>) {
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

    /// `int x; x = get_global_id(0);`: the only assignment is the value.
    fn late_value(&mut self, expr: &'t Expr, from: usize) {
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

    fn bind(&mut self, id: DeclId, value: &'t Expr) {
        self.bindings().values.insert(id, value);
        if is_integer(&value.ty) {
            let poly = self.bindings().eval(value);
            self.bindings().integers.insert(id, poly);
        }
    }

    /// The buffer that a pointer leads into, and the element.
    fn pointer(&mut self, expr: &'t Expr) -> Option<(DeclId, Poly)> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.pointer(inner),
            ExprKind::Cast { operand, what, .. } if what == "ArrayToPointerDecay" => {
                match self.row(operand) {
                    Some((array, at, _)) => Some((array, at)),
                    None => self
                        .cells(operand)
                        .filter(|m| m.pitches.is_empty())
                        .map(|m| (m.buffer, m.at)),
                }
            }
            ExprKind::Cast { operand, what, .. }
                if matches!(what.as_str(), "LValueToRValue" | "NoOp")
                    || same_pointee(expr, operand) =>
            {
                self.pointer(operand)
            }
            ExprKind::Variable { id, .. } => {
                if self.buffers.contains_key(id) {
                    return Some((*id, Poly::default()));
                }
                self.pointers.get(id).cloned()
            }
            ExprKind::Binary {
                op: op @ (BinaryOp::Add | BinaryOp::Sub),
                left,
                right,
            } => {
                let (pointer, offset) = if left.ty.is_pointer() {
                    (left, right)
                } else {
                    (right, left)
                };
                if !is_integer(&offset.ty) {
                    return None;
                }
                let (buffer, at) = self.pointer(pointer)?;
                let by = self.bindings().eval(offset);
                let sign = if *op == BinaryOp::Add { 1 } else { -1 };
                Some((buffer, at.plus(&by, sign)))
            }
            ExprKind::Unary {
                op: UnaryOp::AddressOf,
                operand,
            } => self.element(operand.plain()),
            _ => None,
        }
    }

    /// A pointer to arrays in a buffer.
    fn matrix(&mut self, expr: &'t Expr) -> Option<Matrix> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.matrix(inner),
            ExprKind::Variable { id, .. } => self.matrices.get(id).cloned(),
            ExprKind::Cast { operand, .. } => {
                if let Some(known) = self.matrix(operand) {
                    return Some(known);
                }
                let element = operand.ty.spelled.as_ref()?.base.clone();
                let tree: &'t SourceTree = self.accesses.bindings.tree;
                let atoms = &mut self.accesses.bindings.atoms;
                let pitches = pitches(tree, atoms, expr, &element)?;
                let (buffer, at) = self.pointer(operand)?;
                Some(Matrix {
                    buffer,
                    at,
                    pitches,
                })
            }
            _ => None,
        }
    }

    /// An array in a buffer: what an index of a pointer to arrays gives.
    fn cells(&mut self, expr: &'t Expr) -> Option<Matrix> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.cells(inner),
            ExprKind::Index { base, index } => {
                let outer = match &base.kind {
                    ExprKind::Cast { operand, what, .. } if what == "ArrayToPointerDecay" => {
                        self.cells(operand)
                    }
                    _ => self.matrix(base),
                };
                let mut cells = outer.filter(|m| !m.pitches.is_empty())?;
                let pitch = cells.pitches.remove(0);
                let by = self.bindings().eval(index);
                cells.at = cells.at.add(&by.mul(&pitch)?);
                Some(cells)
            }
            _ => None,
        }
    }

    /// A row of an array in local memory: the array, where the row begins, and its
    /// depth. Rows are a pitch apart that has a name of its own.
    fn row(&mut self, expr: &'t Expr) -> Option<(DeclId, Poly, usize)> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.row(inner),
            ExprKind::Variable { id, .. } if self.arrays.contains_key(id) => {
                Some((*id, Poly::default(), 0))
            }
            ExprKind::Index { base, index } => {
                let (array, at, depth) = match &base.kind {
                    ExprKind::Cast { operand, .. } => self.row(operand)?,
                    _ => return None,
                };
                let by = self.bindings().eval(index);
                let below = self.arrays.get(&array)?.checked_sub(depth + 1)?;
                let pitch = match below {
                    0 => Poly::constant(1),
                    _ => {
                        let name = format!("array {} rows {below}", array.0);
                        Poly::atom(self.bindings().atoms.intern(Atom::Named(name)))
                    }
                };
                Some((array, at.add(&by.mul(&pitch)?), depth + 1))
            }
            _ => None,
        }
    }

    /// The buffer and element of `p[i]` or `*p`.
    fn element(&mut self, expr: &'t Expr) -> Option<(DeclId, Poly)> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.element(inner),
            ExprKind::Index { base, index } => {
                let (buffer, at) = self.pointer(base)?;
                let by = self.bindings().eval(index);
                Some((buffer, at.add(&by)))
            }
            ExprKind::Unary {
                op: UnaryOp::Dereference,
                operand,
            } => self.pointer(operand),
            // A variable in local memory is an array of one element.
            ExprKind::Variable { id, .. } if self.arrays.get(id) == Some(&0) => {
                Some((*id, Poly::default()))
            }
            _ => None,
        }
    }

    /// Visits what computes the index of an element, but not the pointer.
    fn index_loads(&mut self, expr: &'t Expr) {
        match &expr.kind {
            ExprKind::Index { base, index } => {
                self.index_loads(base);
                self.expr(index);
            }
            ExprKind::Binary { left, right, .. } if expr.ty.is_pointer() => {
                self.index_loads(left);
                self.index_loads(right);
            }
            ExprKind::Variable { id, .. }
                if expr.ty.is_pointer() || self.arrays.contains_key(id) => {}
            ExprKind::Paren(inner) => self.index_loads(inner),
            ExprKind::Cast { operand, .. } => self.index_loads(operand),
            ExprKind::Unary {
                op: UnaryOp::Dereference | UnaryOp::AddressOf,
                operand,
            } => self.index_loads(operand),
            _ => self.expr(expr),
        }
    }

    /// The type in which an element's index is computed.
    fn index_type(expr: &Expr) -> String {
        let name = |e: &Expr| e.ty.scalar_name().unwrap_or("int").to_owned();
        match &expr.kind {
            ExprKind::Index { index, .. } => name(index),
            ExprKind::Paren(inner) => Self::index_type(inner),
            ExprKind::Unary { operand, .. } => match &operand.plain().kind {
                ExprKind::Binary { left, right, .. } if left.ty.is_pointer() => name(right),
                ExprKind::Binary { left, .. } => name(left),
                _ => "int".to_owned(),
            },
            _ => "int".to_owned(),
        }
    }

    fn expr(&mut self, expr: &'t Expr) {
        let outer = self.expansion;
        self.expansion = match outer {
            Some(known) if in_macro(expr) && known.span == expr.span => outer,
            _ => in_macro(expr).then_some(expr),
        };
        self.expr_within(expr);
        self.expansion = outer;
    }

    fn expr_within(&mut self, expr: &'t Expr) {
        let choice = self.choice.take();
        match &expr.kind {
            ExprKind::Paren(inner) => {
                self.choice = choice;
                self.expr(inner);
            }
            ExprKind::Cast { operand, what, .. } if what == "LValueToRValue" => {
                self.read(operand, choice);
            }
            ExprKind::Cast { operand, .. } => {
                self.choice = choice;
                self.expr(operand);
            }
            ExprKind::Assign { op, target, value } => {
                self.write(target, op.is_none().then_some(value));
                self.expr(value);
            }
            ExprKind::Unary {
                op: UnaryOp::Increment | UnaryOp::Decrement,
                operand,
            } => self.write(operand, None),
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition);
                let holds = self.bindings().condition(condition, true);
                let fails = self.bindings().condition(condition, false);
                let text = Replaced::of(expr, self.expansion);
                let chosen = |guard: &Guard, otherwise: &'t Expr| {
                    is_literal(otherwise).then(|| Choice {
                        text: text.clone(),
                        own: inequalities(guard),
                        otherwise,
                    })
                };
                self.choice = chosen(&holds, otherwise);
                self.under(&holds, |w| w.expr(then));
                self.choice = chosen(&fails, then);
                self.under(&fails, |w| w.expr(otherwise));
                self.choice = None;
            }
            ExprKind::Binary {
                op: op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr),
                left,
                right,
            } => {
                self.expr(left);
                let guard = self.bindings().condition(left, *op == BinaryOp::LogicalAnd);
                self.under(&guard, |w| w.expr(right));
            }
            ExprKind::Variable { id, .. } => self.escape(*id, expr.span, "is used as a pointer"),
            ExprKind::Call { callee, args } => {
                let barrier = matches!(
                    callee.as_str(),
                    "barrier"
                        | "work_group_barrier"
                        | "async_work_group_copy"
                        | "wait_group_events"
                ) || callee.starts_with("work_group_");
                if barrier && self.accesses.barrier.is_none() {
                    self.accesses.barrier = Some(expr.span);
                }
                if self.local && self.async_copy(expr, callee, args) {
                    return;
                }
                if self.read_by_helper(expr, callee, args) || self.image(expr, callee, args) {
                    return;
                }
                for arg in args {
                    self.argument(arg);
                }
            }
            _ => {
                for child in expr.children() {
                    self.expr(child);
                }
            }
        }
    }

    /// `async_work_group_copy` into local memory.
    fn async_copy(&mut self, call: &'t Expr, callee: &str, args: &'t [Expr]) -> bool {
        let ("async_work_group_copy", [to, from, count, event]) = (callee, args) else {
            return false;
        };
        let (Some((tile, at)), Some((buffer, index))) = (self.pointer(to), self.pointer(from))
        else {
            return false;
        };
        let params = &self.accesses.function.params;
        let param = params.iter().find(|p| p.id == tile);
        if param.is_some_and(|p| p.ty.points_to() != Some(AddressSpace::Local)) {
            return false;
        }
        self.index_loads(to);
        self.index_loads(from);
        self.expr(count);
        self.expr(event);
        self.accesses.written.insert(tile);
        self.accesses.copies.push(Copied {
            tile,
            call,
            at,
            buffer,
            index,
            from,
            loops: self.loops.clone(),
        });
        true
    }

    /// A function of an image: a load, or a question of its size.
    fn image(&mut self, call: &'t Expr, callee: &str, args: &'t [Expr]) -> bool {
        let of = args.first().map(|a| &a.plain().kind);
        let Some(&ExprKind::Variable { id, .. }) = of else {
            return false;
        };
        if !self.buffers.contains_key(&id) {
            return false;
        }
        if callee.starts_with("get_image_") {
            return true;
        }
        let name = self.accesses.function.params.iter().find(|p| p.id == id);
        let name = name.map(|p| p.name.clone()).unwrap_or_default();
        let (image, x, y) = match read(self.bindings(), callee, args) {
            Some(Ok(found)) => found,
            Some(Err(how)) => {
                self.accesses.escapes.push(Escape {
                    buffer: id,
                    span: call.span,
                    how,
                });
                return true;
            }
            None if callee.starts_with("write_image") => {
                self.accesses.written.insert(id);
                for arg in &args[1..] {
                    self.argument(arg);
                }
                return true;
            }
            None => return false,
        };
        for arg in &args[1..] {
            self.argument(arg);
        }
        let pitch = Poly::atom(self.bindings().atoms.intern(image.pitch(&name)));
        let Some(row) = y.mul(&pitch) else {
            return false;
        };
        self.accesses.loads.push(Load {
            buffer: id,
            expr: call,
            text: Replaced::of(call, self.expansion),
            index: x.add(&row),
            index_type: "int".to_owned(),
            guard: self.guard.clone(),
            loops: self.loops.clone(),
            choice: None,
            image: Some(image),
        });
        true
    }

    fn argument(&mut self, arg: &'t Expr) {
        if arg.ty.is_pointer()
            && let Some((buffer, _)) = self.pointer(arg)
        {
            self.index_loads(arg);
            self.accesses.escapes.push(Escape {
                buffer,
                span: arg.span,
                how: "is passed to a function",
            });
            return;
        }
        self.expr(arg);
    }

    fn escape(&mut self, id: DeclId, span: Span, how: &'static str) {
        let known = self.pointers.get(&id).map(|(buffer, _)| *buffer);
        let buffer = match known {
            Some(buffer) => buffer,
            None if self.buffers.contains_key(&id) => id,
            None => return,
        };
        self.accesses.escapes.push(Escape { buffer, span, how });
    }

    /// A call of a function that reads one element: a load.
    fn read_by_helper(&mut self, call: &'t Expr, callee: &str, args: &'t [Expr]) -> bool {
        let tree: &'t SourceTree = self.accesses.bindings.tree;
        let Some(function) = tree.function(callee) else {
            return false;
        };
        let Some(found) = helper(function).filter(|_| function.params.len() == args.len()) else {
            return false;
        };
        let mut text = Replaced::of(call, self.expansion);
        text.cast.push_str(&found.cast);
        let inner = &found.element.ty;
        if call.ty.scalar_name() != inner.scalar_name() && found.cast.is_empty() {
            text.cast.push_str(&format!("({})", call.ty.written));
        }
        for (param, arg) in function.params.iter().zip(args) {
            if param.ty.is_pointer() {
                let Some(place) = self.pointer(arg) else {
                    self.forget(function);
                    return false;
                };
                self.pointers.insert(param.id, place);
            } else {
                let value = self.bindings().eval(arg);
                self.bindings().integers.insert(param.id, value);
            }
        }
        let place = self.element(found.element);
        let mut own = Guard::always();
        for (condition, holds) in found.leaves {
            let stays = self.bindings().condition(condition, !holds);
            own = own.and(&stays);
        }
        self.forget(function);
        let Some((buffer, index)) = place else {
            return false;
        };
        for arg in args {
            if arg.ty.is_pointer() {
                self.index_loads(arg);
            } else {
                self.expr(arg);
            }
        }
        let choice = found.constant.map(|otherwise| Choice {
            text: text.clone(),
            own: inequalities(&own),
            otherwise,
        });
        if choice.is_some() {
            // The condition stands in the function: nothing but the whole call can go.
            text.range = None;
        }
        self.accesses.loads.push(Load {
            buffer,
            expr: call,
            text,
            index,
            index_type: Self::index_type(found.element),
            guard: self.guard.and(&own),
            loops: self.loops.clone(),
            choice,
            image: None,
        });
        true
    }

    /// Parameters of a function that was looked into stand for nothing any more.
    fn forget(&mut self, function: &Function) {
        for param in &function.params {
            self.pointers.remove(&param.id);
            self.accesses.bindings.integers.remove(&param.id);
        }
    }

    /// A value that is read from where `lvalue` says.
    fn read(&mut self, lvalue: &'t Expr, choice: Option<Choice<'t>>) {
        let mut place = lvalue;
        let mut whole = true;
        loop {
            match &place.kind {
                ExprKind::Paren(inner) => place = inner,
                ExprKind::Member {
                    base, arrow: false, ..
                } => {
                    place = base;
                    whole = false;
                }
                _ => break,
            }
        }
        let element = matches!(
            &place.kind,
            ExprKind::Index { .. }
                | ExprKind::Unary {
                    op: UnaryOp::Dereference,
                    ..
                }
        ) || matches!(&place.kind, ExprKind::Variable { id, .. } if self.arrays.get(id) == Some(&0));
        if element && let Some((buffer, index)) = self.element(place) {
            self.index_loads(place);
            let load = Load {
                buffer,
                expr: place,
                text: Replaced::of(place, self.expansion),
                index,
                index_type: Self::index_type(place),
                guard: self.guard.clone(),
                loops: self.loops.clone(),
                choice: choice.filter(|_| whole),
                image: None,
            };
            self.accesses.loads.push(load);
            return;
        }
        match &place.kind {
            // A plain variable that is no pointer: nothing to see.
            ExprKind::Variable { id, .. } => self.escape(*id, place.span, "is used as a pointer"),
            _ => {
                for child in place.children() {
                    self.expr(child);
                }
            }
        }
    }

    fn write(&mut self, target: &'t Expr, value: Option<&'t Expr>) {
        let mut place = target;
        loop {
            match &place.kind {
                ExprKind::Paren(inner) => place = inner,
                ExprKind::Member {
                    base, arrow: false, ..
                } => place = base,
                _ => break,
            }
        }
        if let Some((buffer, index)) = self.element(place) {
            self.index_loads(place);
            self.accesses.written.insert(buffer);
            let whole = std::ptr::eq(place, target.plain());
            self.accesses.stores.push(Store {
                buffer,
                target,
                value: value.filter(|_| whole),
                index,
                index_type: Self::index_type(place),
                guard: self.guard.clone(),
                loops: self.loops.clone(),
            });
            return;
        }
        match &place.kind {
            ExprKind::Variable { .. } => {}
            _ => {
                for child in place.children() {
                    self.expr(child);
                }
            }
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

/// The inequalities that a guard is; none if it is more than inequalities.
fn inequalities(guard: &Guard) -> Vec<Poly> {
    match &guard.0[..] {
        [one] if !one.opaque => one.constraints.clone(),
        _ => Vec::new(),
    }
}

/// Whether two pointer expressions point to the same type.
fn same_pointee(a: &Expr, b: &Expr) -> bool {
    match (&a.ty.spelled, &b.ty.spelled) {
        (Some(a), Some(b)) => {
            a.base == b.base
                && a.pointers.len() == 1
                && b.pointers.len() == 1
                && a.lengths.is_empty()
                && b.lengths.is_empty()
        }
        _ => false,
    }
}

/// A constant that is written out: `0.0f`, `-1`, `(float4)(0.0f)`.
pub fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Integer(_) | ExprKind::Floating(_) => true,
        ExprKind::Paren(inner) => is_literal(inner),
        ExprKind::Cast { operand, .. } => is_literal(operand),
        ExprKind::Unary {
            op: UnaryOp::Minus | UnaryOp::Plus,
            operand,
        } => is_literal(operand),
        ExprKind::Other { kind, children } => {
            matches!(kind.as_str(), "CompoundLiteralExpr" | "InitListExpr")
                && !children.is_empty()
                && children.iter().all(is_literal)
        }
        _ => false,
    }
}

/// Whether a statement holds a `return`.
fn returns(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_)) || stmt.children().into_iter().any(returns)
}

/// Whether the body of a loop may end the loop early.
fn cuts(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Return(_) => true,
        // A break in an inner loop ends that one.
        StmtKind::For { body, .. } | StmtKind::While { body, .. } => returns(body),
        _ => stmt.children().into_iter().any(cuts),
    }
}

/// Whether a statement may leave its block or loop from within.
fn leaves_somewhere(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => true,
        StmtKind::For { body, .. } | StmtKind::While { body, .. } => returns(body),
        _ => stmt.children().into_iter().any(leaves_somewhere),
    }
}
