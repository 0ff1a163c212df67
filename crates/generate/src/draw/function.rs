//! Helper functions and their calls.

use tilewise_launch::{ElemType, Scalar};

use super::memory::{Memory, Rule};
use super::{Draw, Flow, Known};
use crate::tree::{
    Argument, Block, Expr, Function, Init, Object, Place, Space, Stmt, Type, VarType,
};

/// What a helper function wants a pointer to point to.
#[derive(Clone, Copy)]
pub struct Wanted {
    space: Space,
    elem: ElemType,
    /// Elements.
    len: usize,
    writable: bool,
}

impl Draw {
    /// Draws up to two helper functions.
    pub(super) fn functions(&mut self) {
        for _ in 0..self.random.pick([0, 0, 1, 1, 2]) {
            self.function();
        }
    }

    fn function(&mut self) {
        let outer_vars = std::mem::take(&mut self.vars);
        let outer_scope = std::mem::take(&mut self.scope);
        let outer_memory = std::mem::take(&mut self.memory);
        let budget = self.random.between(1, 6);
        let outer_budget = std::mem::replace(&mut self.budget, budget);
        let result = self.elem_type();
        self.result = Some(result);

        let mut pointers = Vec::new();
        for _ in 0..self.random.between(1, 2) {
            let ty = VarType::Value(self.elem_type());
            let var = self.new_var(ty);
            self.scope.push(Known {
                var,
                ty,
                uniform: false,
                writable: true,
            });
            pointers.push(None);
        }
        for _ in 0..self.random.below(3) {
            let wanted = self.pointer_like(&outer_memory);
            let Wanted {
                space,
                elem,
                len,
                writable,
            } = wanted;
            let var = self.new_var(VarType::Pointer {
                space,
                elem: Type::Elem(elem),
                read_only: !writable,
            });
            self.memory.push(Memory {
                object: Object::Var(var),
                elem: Type::Elem(elem),
                space,
                rule: Rule::Whole { len, writable },
            });
            pointers.push(Some(wanted));
        }
        let params = self.vars.len();
        // A table is there for functions too.
        let tables = outer_memory
            .iter()
            .filter(|m| matches!(m.object, Object::Table(_)));
        self.memory.extend(tables.copied());
        let flow = Flow {
            uniform: false,
            breaks: false,
            continues: false,
            loops: 1,
            depth: 1,
        };
        let mut body = Vec::new();
        while self.budget > 0 {
            self.statement(&mut body, flow);
        }
        let value = self.value(result, 2, false);
        body.push(Stmt::Return(Some(value)));

        self.program.functions.push(Function {
            params,
            vars: std::mem::replace(&mut self.vars, outer_vars),
            body,
            result,
        });
        self.pointers.push(pointers);
        self.scope = outer_scope;
        self.memory = outer_memory;
        self.budget = outer_budget;
        self.result = None;
    }

    /// A kind of pointer that some memory of the kernel can be passed to, or a
    /// private array.
    fn pointer_like(&mut self, memory: &[Memory]) -> Wanted {
        let mut fitting = Vec::new();
        let wanted = |space, elem, len, writable| Wanted {
            space,
            elem,
            len,
            writable,
        };
        for m in memory {
            let Type::Elem(elem) = m.elem else { continue };
            match m.rule {
                Rule::Any { len } => fitting.push(wanted(m.space, elem, len, false)),
                Rule::Own { per, .. } | Rule::Tile { per, .. } => {
                    fitting.push(wanted(m.space, elem, per, true));
                }
                Rule::Whole { .. } | Rule::Atomic { .. } => {}
            }
        }
        match self.random.choose(&fitting) {
            Some(one) if self.random.chance(60) => one,
            _ => wanted(Space::Private, self.small_elem_type(), 4, true),
        }
    }

    /// Calls a helper function whose pointers can be had here.
    pub(super) fn call(&mut self, block: &mut Block, flow: Flow) -> Option<()> {
        // A helper may call only those before it.
        let function = self.random.below(self.pointers.len());
        let wanted = self.pointers.get(function)?.clone();
        let callee = self.program.functions.get(function)?.clone();
        let mut args = Vec::new();
        for (i, pointer) in wanted.iter().enumerate() {
            args.push(match *pointer {
                None => {
                    let Some(VarType::Value(ty)) = callee.vars.get(i).copied() else {
                        return None;
                    };
                    Argument::Value(self.value(ty, 2, false))
                }
                Some(pointer) => {
                    let (object, first) = self.pointer_argument(block, pointer)?;
                    Argument::Pointer(object, first)
                }
            });
        }
        let to = match self.target(flow) {
            Some((place, false))
                if place.ty.lanes == callee.result.lanes && self.fits(&place, callee.result) =>
            {
                place
            }
            _ => {
                let ty = VarType::Value(callee.result);
                let var = self.new_var(ty);
                let zero = Expr::small(callee.result, 0);
                block.push(Stmt::Declare(var, Init::Expr(zero)));
                self.scope.push(Known {
                    var,
                    ty,
                    uniform: false,
                    writable: true,
                });
                Place::var(var, callee.result)
            }
        };
        block.push(Stmt::Call { function, args, to });
        Some(())
    }

    /// Whether C converts a value of this type on assignment, in a way that is
    /// always defined.
    fn fits(&self, place: &Place, ty: ElemType) -> bool {
        let integer = |s: Scalar| !s.is_float();
        place.ty == ty || (ty.lanes == 1 && (integer(ty.scalar) || place.ty.scalar.is_float()))
    }

    fn pointer_argument(&mut self, block: &mut Block, wanted: Wanted) -> Option<(Object, Expr)> {
        let Wanted {
            space,
            elem,
            len,
            writable,
        } = wanted;
        let mut fitting = self.memory.clone();
        fitting.retain(|m| {
            m.space == space
                && m.elem == Type::Elem(elem)
                && Self::own_len(m) >= len
                && self.allows(m, writable)
                // What is shared is not a work-item's own to pass on.
                && (self.allows(m, true) || !matches!(m.rule, Rule::Tile { .. }))
                && !matches!(m.object, Object::Table(_))
        });
        if let Some(memory) = self.random.choose(&fitting) {
            return Some((memory.object, self.own_first(&memory)));
        }
        if space != Space::Private {
            return None;
        }
        let memory = self.array(block, elem, len);
        Some((memory.object, Expr::uint(0)))
    }

    /// Declares a private array.
    pub(super) fn array(&mut self, block: &mut Block, elem: ElemType, len: usize) -> Memory {
        let ty = VarType::Array { elem, len };
        let values = (0..len).map(|_| self.value(elem, 1, false)).collect();
        let var = self.new_var(ty);
        block.push(Stmt::Declare(var, Init::List(values)));
        let memory = Memory {
            object: Object::Var(var),
            elem: Type::Elem(elem),
            space: Space::Private,
            rule: Rule::Whole {
                len,
                writable: true,
            },
        };
        self.memory.push(memory);
        memory
    }
}
