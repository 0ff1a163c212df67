//! Calls: copies, texels, helper functions, and pointers that are handed on.

use super::{
    AddressSpace, Choice, Copied, DeclId, Escape, Expr, ExprKind, Function, Guard, Load, Poly,
    Replaced, SourceTree, Span, Walker, helper, inequalities, read,
};

impl<'t> Walker<'t> {
    /// `async_work_group_copy` into local memory.
    pub(super) fn async_copy(&mut self, call: &'t Expr, callee: &str, args: &'t [Expr]) -> bool {
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
    pub(super) fn image(&mut self, call: &'t Expr, callee: &str, args: &'t [Expr]) -> bool {
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

    pub(super) fn argument(&mut self, arg: &'t Expr) {
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

    pub(super) fn escape(&mut self, id: DeclId, span: Span, how: &'static str) {
        let known = self.pointers.get(&id).map(|(buffer, _)| *buffer);
        let buffer = match known {
            Some(buffer) => buffer,
            None if self.buffers.contains_key(&id) => id,
            None => return,
        };
        self.accesses.escapes.push(Escape { buffer, span, how });
    }

    /// A call of a function that reads one element: a load.
    pub(super) fn read_by_helper(
        &mut self,
        call: &'t Expr,
        callee: &str,
        args: &'t [Expr],
    ) -> bool {
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
    pub(super) fn forget(&mut self, function: &Function) {
        for param in &function.params {
            self.pointers.remove(&param.id);
            self.accesses.bindings.integers.remove(&param.id);
        }
    }
}
