//! Local memory of a kernel.

use tilewise_frontend::source::{AddressSpace, DeclId, Function, Stmt, StmtKind};

/// A tile of a kernel.
pub struct Tile {
    /// Which.
    pub id: DeclId,
    /// Its name.
    pub name: String,
    /// It is a parameter, not declared in the kernel.
    pub is_parameter: bool,
}

/// Local memory of a kernel: parameters, arrays and variables.
pub fn tiles(function: &Function) -> Vec<Tile> {
    let mut found: Vec<Tile> = function
        .params
        .iter()
        .filter(|p| p.ty.points_to() == Some(AddressSpace::Local))
        .map(|p| Tile {
            id: p.id,
            name: p.name.clone(),
            is_parameter: true,
        })
        .collect();
    declared(&function.body, &mut found);
    found
}

fn declared(stmt: &Stmt, found: &mut Vec<Tile>) {
    if let StmtKind::Declare(variables) = &stmt.kind {
        for variable in variables {
            let spelled = variable.ty.spelled.as_ref();
            let space = spelled.and_then(|s| s.base_qualifiers.space);
            if space == Some(AddressSpace::Local) && !variable.ty.is_pointer() {
                found.push(Tile {
                    id: variable.id,
                    name: variable.name.clone(),
                    is_parameter: false,
                });
            }
        }
    }
    for child in stmt.children() {
        declared(child, found);
    }
}
