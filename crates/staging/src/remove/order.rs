//! What barriers and fences order, other than the tiles that go.

use std::collections::HashSet;

use tilewise_frontend::source::{AddressSpace, DeclId, Expr, ExprKind, Function, Stmt, StmtKind};

use crate::loads::Accesses;
use crate::symbolic::Atom;

/// What of the memory that stays has to be ordered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// Nothing: each work-item keeps to its own elements.
    Nothing,
    /// Global memory, by what says that it orders global memory.
    Global,
}

/// What the accesses other than those of local memory need.
pub fn order(accesses: &Accesses<'_>) -> Order {
    let is_global = |id: DeclId| {
        let mut params = accesses.function.params.iter();
        params.any(|p| p.id == id && p.ty.points_to() != Some(AddressSpace::Local))
    };
    let mut order = Order::Nothing;
    for escape in accesses.escapes.iter().filter(|e| is_global(e.buffer)) {
        let mut params = accesses.function.params.iter();
        let constant = params.any(|p| {
            let spelled = p.ty.spelled.as_ref();
            p.id == escape.buffer && spelled.is_some_and(|s| s.base_qualifiers.is_const)
        });
        if !constant {
            order = Order::Global;
        }
    }
    for &buffer in accesses.written.iter().filter(|b| is_global(**b)) {
        let stores: Vec<_> = accesses
            .stores
            .iter()
            .filter(|s| s.buffer == buffer)
            .map(|s| &s.index)
            .collect();
        let loads: Vec<_> = accesses
            .loads
            .iter()
            .filter(|l| l.buffer == buffer)
            .map(|l| &l.index)
            .collect();
        let Some(first) = stores.first() else {
            continue;
        };
        let same = stores.iter().chain(&loads).all(|i| i == first);
        let atoms = &accesses.bindings.atoms;
        let plain = |a| !matches!(atoms.get(a), Atom::Function(_) | Atom::Unknown { .. });
        let own = !atoms.all_uniform(first) && first.atoms().all(plain);
        if !(same && own || loads.is_empty() && stores.len() == 1) {
            order = Order::Global;
        }
    }
    order
}

/// Statements that do nothing but order memory, and that need not stay.
pub fn fences(function: &Function, order: Order) -> Vec<&Stmt> {
    let mut found = Vec::new();
    in_stmt(&function.body, order, &mut found);
    found
}

/// Whether barriers stay in a kernel.
pub fn has_barrier(stmt: &Stmt, gone: &HashSet<*const Stmt>) -> bool {
    is_barrier(stmt) && !gone.contains(&std::ptr::from_ref(stmt))
        || stmt.children().into_iter().any(|s| has_barrier(s, gone))
}

fn is_barrier(stmt: &Stmt) -> bool {
    matches!(call(stmt), Some(("barrier" | "work_group_barrier", _)))
}

fn in_stmt<'t>(stmt: &'t Stmt, order: Order, found: &mut Vec<&'t Stmt>) {
    if let Some((callee, args)) = call(stmt) {
        let global = args.first().is_none_or(names_global);
        let goes = match callee {
            "barrier" | "work_group_barrier" => order == Order::Nothing || !global,
            "mem_fence" | "read_mem_fence" | "write_mem_fence" => !global,
            _ => false,
        };
        if goes {
            found.push(stmt);
        }
    }
    for child in stmt.children() {
        in_stmt(child, order, found);
    }
}

/// A statement that is a call.
pub fn call(stmt: &Stmt) -> Option<(&str, &[Expr])> {
    match &stmt.kind {
        StmtKind::Expr(expr) => match &expr.plain().kind {
            ExprKind::Call { callee, args } => Some((callee.as_str(), args)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether flags name more than local memory.
fn names_global(flags: &Expr) -> bool {
    match &flags.kind {
        ExprKind::Integer(value) => *value != 1 && *value != 0,
        ExprKind::Name(name) | ExprKind::Variable { name, .. } => !name.contains("LOCAL"),
        _ => {
            let children = flags.children();
            children.is_empty() || children.into_iter().any(names_global)
        }
    }
}
