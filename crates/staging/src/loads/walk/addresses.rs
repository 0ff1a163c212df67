//! Where an access goes: pointers into buffers, rows, arrays in memory.

use super::{
    Atom, BinaryOp, DeclId, Expr, ExprKind, Matrix, Poly, SourceTree, UnaryOp, Walker, is_integer,
    pitches,
};

impl<'t> Walker<'t> {
    /// The buffer that a pointer leads into, and the element.
    pub(super) fn pointer(&mut self, expr: &'t Expr) -> Option<(DeclId, Poly)> {
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
    pub(super) fn matrix(&mut self, expr: &'t Expr) -> Option<Matrix> {
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
    pub(super) fn cells(&mut self, expr: &'t Expr) -> Option<Matrix> {
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
    pub(super) fn row(&mut self, expr: &'t Expr) -> Option<(DeclId, Poly, usize)> {
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
    pub(super) fn element(&mut self, expr: &'t Expr) -> Option<(DeclId, Poly)> {
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
    pub(super) fn index_loads(&mut self, expr: &'t Expr) {
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
    pub(super) fn index_type(expr: &Expr) -> String {
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
