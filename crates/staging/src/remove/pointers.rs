//! Pointers into a tile: `__local const float *own = tile + lid + R;`. The walk over the
//! kernel has followed them, so that a read through one is a read of the tile; what is
//! asked here is which declarations go with it.

use std::ops::Range;

use tilewise_frontend::source::{DeclId, Expr, ExprKind, Stmt, StmtKind};

/// A pointer.
pub struct Pointer {
    /// The variable.
    pub id: DeclId,
    /// The tile that it points into.
    pub tile: DeclId,
    /// Where its first value stands.
    pub value: Range<usize>,
}

/// Variables of the kernel that point into one of these tiles from their declaration on,
/// directly or from another one of them.
pub fn pointers(stmt: &Stmt, tiles: &[DeclId]) -> Vec<Pointer> {
    let mut found = Vec::new();
    declared(stmt, tiles, &mut found);
    found
}

fn declared(stmt: &Stmt, tiles: &[DeclId], found: &mut Vec<Pointer>) {
    if let StmtKind::Declare(variables) = &stmt.kind {
        for variable in variables.iter().filter(|v| v.ty.is_pointer()) {
            let Some(init) = &variable.init else { continue };
            let known = |id| {
                let by = found.iter().find(|p| p.id == id).map(|p| p.tile);
                by.or_else(|| tiles.contains(&id).then_some(id))
            };
            if let Some(tile) = tile_in(init, &known) {
                found.push(Pointer {
                    id: variable.id,
                    tile,
                    value: init.span.begin..init.span.end,
                });
            }
        }
    }
    for child in stmt.children() {
        declared(child, tiles, found);
    }
}

/// The tile that an expression names, or that a pointer in it points into.
fn tile_in(expr: &Expr, known: &dyn Fn(DeclId) -> Option<DeclId>) -> Option<DeclId> {
    match expr.kind {
        ExprKind::Variable { id, .. } => known(id),
        _ => expr.children().into_iter().find_map(|e| tile_in(e, known)),
    }
}
