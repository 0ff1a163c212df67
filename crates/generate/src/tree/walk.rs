//! Visits every block and every expression of a program, to change it.

use super::{Argument, Base, Block, Expr, ExprKind, Init, Place, Program, Stmt};

impl Program {
    /// Visits every block, an outer one before those within it.
    pub fn each_block(&mut self, visit: &mut dyn FnMut(&mut Block)) {
        for function in &mut self.functions {
            block(&mut function.body, visit);
        }
        block(&mut self.body, visit);
    }

    /// Visits every expression, an outer one before those within it. Visiting
    /// goes on in what the visitor leaves.
    pub fn each_expr(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        self.each_block(&mut |block| {
            for stmt in block {
                in_stmt(stmt, visit);
            }
        });
    }
}

fn block(stmts: &mut Block, visit: &mut dyn FnMut(&mut Block)) {
    visit(stmts);
    for stmt in stmts {
        match stmt {
            Stmt::If(_, then, other) => {
                block(then, visit);
                block(other, visit);
            }
            Stmt::Switch(_, arms) => {
                for arm in arms {
                    block(&mut arm.body, visit);
                }
            }
            Stmt::Loop { body, .. } => block(body, visit),
            _ => {}
        }
    }
}

/// The expressions of a statement itself, not of the blocks within it.
fn in_stmt(stmt: &mut Stmt, visit: &mut dyn FnMut(&mut Expr)) {
    match stmt {
        Stmt::Declare(_, init) => match init {
            Init::Expr(e) | Init::Pointer(_, e) => expr(e, visit),
            Init::List(list) => list.iter_mut().for_each(|e| expr(e, visit)),
            Init::Copy(from) => base(from, visit),
        },
        Stmt::Assign(to, _, e) => {
            place(to, visit);
            expr(e, visit);
        }
        Stmt::Step(to, _) => place(to, visit),
        Stmt::CopyStruct(to, from) => {
            base(to, visit);
            base(from, visit);
        }
        Stmt::If(e, ..) | Stmt::Switch(e, _) => expr(e, visit),
        Stmt::Loop {
            limit, condition, ..
        } => {
            expr(limit, visit);
            condition.iter_mut().for_each(|e| expr(e, visit));
        }
        Stmt::Break | Stmt::Continue | Stmt::Barrier { .. } => {}
        Stmt::Return(e) => e.iter_mut().for_each(|e| expr(e, visit)),
        Stmt::Call { args, to, .. } => {
            for arg in args {
                match arg {
                    Argument::Value(e) | Argument::Pointer(_, e) => expr(e, visit),
                }
            }
            place(to, visit);
        }
        Stmt::AsyncCopy {
            to_first,
            from_first,
            ..
        } => {
            expr(to_first, visit);
            expr(from_first, visit);
        }
        Stmt::Atomic {
            index,
            operand,
            old,
            ..
        } => {
            expr(index, visit);
            operand.iter_mut().for_each(|e| expr(e, visit));
            old.iter_mut().for_each(|p| place(p, visit));
        }
        Stmt::VStore { index, value, .. } => {
            expr(index, visit);
            expr(value, visit);
        }
    }
}

fn base(base: &mut Base, visit: &mut dyn FnMut(&mut Expr)) {
    if let Base::Element { index, .. } = base {
        expr(index, visit);
    }
}

fn place(place: &mut Place, visit: &mut dyn FnMut(&mut Expr)) {
    base(&mut place.base, visit);
    if let Some(field) = &mut place.field {
        field.index.iter_mut().for_each(|e| expr(e, visit));
    }
}

fn expr(e: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    visit(e);
    match &mut e.kind {
        ExprKind::Literal(_) | ExprKind::Query(..) => {}
        ExprKind::Read(from) => place(from, visit),
        ExprKind::Unary(_, a)
        | ExprKind::Cast(a)
        | ExprKind::Convert(_, _, a)
        | ExprKind::Bits(a)
        | ExprKind::Components(a, _)
        | ExprKind::VLoad { index: a, .. } => expr(a, visit),
        ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::Logical(_, a, b) => {
            expr(a, visit);
            expr(b, visit);
        }
        ExprKind::Ternary(c, a, b) => {
            expr(c, visit);
            expr(a, visit);
            expr(b, visit);
        }
        ExprKind::Vector(parts) | ExprKind::Call(_, parts) => {
            parts.iter_mut().for_each(|e| expr(e, visit));
        }
    }
}
