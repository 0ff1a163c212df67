//! The walk over a kernel's statements: guards, loads and stores. What it finds of
//! loops stands in [`loops`], of variables in [`values`], of pointers and indices in
//! [`addresses`], of calls in [`calls`].

mod addresses;
mod calls;
mod loops;
mod values;

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
            is_int: param.ty.scalar_name().is_none_or(|ty| ty == "int"),
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

/// The inequalities that a guard is; none if it is more than inequalities.
fn inequalities(guard: &Guard) -> Vec<Poly> {
    match &guard.0[..] {
        [one] if !one.opaque => one.constraints.clone(),
        _ => Vec::new(),
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
