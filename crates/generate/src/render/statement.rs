//! Statements in OpenCL C.

use super::declared;
use super::expression::{Expressions, binary_sign, overflows};
use crate::tree::{
    Argument, Arm, AtomicOp, BinaryOp, Block, Expr, Init, LoopShape, Object, Program, Stmt, VarType,
};
use crate::types;

/// Writes the statements of one function.
pub struct Writer<'a> {
    program: &'a Program,
    vars: &'a [VarType],
    text: &'a mut String,
    depth: usize,
}

impl<'a> Writer<'a> {
    /// Appends to a text.
    pub fn new(program: &'a Program, vars: &'a [VarType], text: &'a mut String) -> Self {
        Self {
            program,
            vars,
            text,
            depth: 1,
        }
    }

    fn e(&self) -> Expressions<'a> {
        Expressions {
            program: self.program,
        }
    }

    fn expr(&self, e: &Expr) -> String {
        self.e().expr(e)
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(&"    ".repeat(self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A block's statements, one step in.
    pub fn block(&mut self, block: &Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn inner(&mut self, block: &Block) {
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Declare(var, init) => {
                let line = self.declaration(*var, init);
                self.line(&line);
            }
            Stmt::Assign(place, op, e) => {
                let (to, value) = (self.e().place(place), self.expr(e));
                let line = match op {
                    None => format!("{to} = {value};"),
                    Some(op) if overflows(*op, place.ty, e.ty) => {
                        let value = self.e().binary(*op, place.ty, &to, e.ty, &value);
                        format!("{to} = {value};")
                    }
                    Some(op) => format!("{to} {}= {value};", binary_sign(*op)),
                };
                self.line(&line);
            }
            Stmt::Step(place, up) => {
                let to = self.e().place(place);
                let sign = if *up { "++" } else { "--" };
                let line = if types::is_signed(place.ty.scalar) && place.ty.scalar.size() >= 4 {
                    let op = if *up { BinaryOp::Add } else { BinaryOp::Sub };
                    let value = self.e().binary(op, place.ty, &to, place.ty, "1");
                    format!("{to} = {value};")
                } else {
                    format!("{to}{sign};")
                };
                self.line(&line);
            }
            Stmt::CopyStruct(to, from) => {
                let line = format!("{} = {};", self.e().base(to), self.e().base(from));
                self.line(&line);
            }
            Stmt::If(condition, then, other) => {
                let line = format!("if ({}) {{", self.expr(condition));
                self.line(&line);
                self.inner(then);
                if !other.is_empty() {
                    self.line("} else {");
                    self.inner(other);
                }
                self.line("}");
            }
            Stmt::Switch(on, arms) => self.switch(on, arms),
            Stmt::Loop {
                shape,
                counter,
                limit,
                condition,
                body,
            } => self.repeat(*shape, *counter, limit, condition.as_ref(), body),
            Stmt::Break => self.line("break;"),
            Stmt::Continue => self.line("continue;"),
            Stmt::Return(None) => self.line("return;"),
            Stmt::Return(Some(e)) => {
                let line = format!("return {};", self.expr(e));
                self.line(&line);
            }
            Stmt::Call { function, args, to } => {
                let args: Vec<String> = args
                    .iter()
                    .map(|a| match a {
                        Argument::Value(e) => self.expr(e),
                        Argument::Pointer(object, offset) => self.address(*object, offset),
                    })
                    .collect();
                let line = format!(
                    "{} = {}_f{function}({});",
                    self.e().place(to),
                    self.program.name,
                    args.join(", ")
                );
                self.line(&line);
            }
            Stmt::Barrier { local, global } => {
                let line = match (local, global) {
                    (true, true) => "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
                    (false, true) => "barrier(CLK_GLOBAL_MEM_FENCE);",
                    _ => "barrier(CLK_LOCAL_MEM_FENCE);",
                };
                self.line(line);
            }
            Stmt::AsyncCopy { .. } => self.copy(stmt),
            Stmt::Atomic {
                op,
                object,
                index,
                operand,
                old,
            } => {
                let operand = operand
                    .as_ref()
                    .map_or(String::new(), |e| format!(", {}", self.expr(e)));
                let old = old
                    .as_ref()
                    .map_or(String::new(), |p| format!("{} = ", self.e().place(p)));
                let line = format!(
                    "{old}{}(&{}[{}]{operand});",
                    atomic_name(*op),
                    self.e().object(*object),
                    self.expr(index)
                );
                self.line(&line);
            }
            Stmt::VStore {
                object,
                index,
                value,
            } => {
                let line = format!(
                    "vstore{}({}, {}, {});",
                    value.ty.lanes,
                    self.expr(value),
                    self.expr(index),
                    self.e().object(*object)
                );
                self.line(&line);
            }
        }
    }

    fn declaration(&self, var: usize, init: &Init) -> String {
        let ty = self
            .vars
            .get(var)
            .copied()
            .unwrap_or(VarType::Value(types::INT));
        let value = match init {
            Init::Expr(e) => self.expr(e),
            Init::Copy(from) => self.e().base(from),
            Init::Pointer(object, offset) => self.address(*object, offset),
            Init::List(list) => self.list(ty, list),
        };
        format!("{} = {value};", declared(self.program, var, &ty))
    }

    /// An initialiser; members that are arrays have braces of their own.
    fn list(&self, ty: VarType, list: &[Expr]) -> String {
        let mut values = list.iter().map(|e| self.expr(e));
        let parts: Vec<String> = match ty {
            VarType::Struct(number) => {
                let fields = self
                    .program
                    .structs
                    .get(number)
                    .map_or(&[][..], |s| &s.fields);
                fields
                    .iter()
                    .map(|f| match f.array {
                        None => values.next().unwrap_or_default(),
                        Some(len) => {
                            let some: Vec<String> = values.by_ref().take(len).collect();
                            format!("{{{}}}", some.join(", "))
                        }
                    })
                    .collect()
            }
            _ => values.collect(),
        };
        format!("{{{}}}", parts.join(", "))
    }

    /// The address of an element. Both ways to write it are met.
    fn address(&self, object: Object, offset: &Expr) -> String {
        let (object, offset) = (self.e().object(object), self.expr(offset));
        if offset.len() % 2 == 0 {
            format!("&{object}[{offset}]")
        } else {
            format!("{object} + {offset}")
        }
    }

    fn switch(&mut self, on: &Expr, arms: &[Arm]) {
        let line = format!("switch ({}) {{", self.expr(on));
        self.line(&line);
        for arm in arms {
            let label = match arm.label {
                Some(label) => format!("case {label}: {{"),
                None => "default: {".to_owned(),
            };
            self.line(&label);
            self.inner(&arm.body);
            self.line(if arm.falls { "}" } else { "} break;" });
        }
        self.line("}");
    }

    fn repeat(
        &mut self,
        shape: LoopShape,
        counter: usize,
        limit: &Expr,
        condition: Option<&Expr>,
        body: &Block,
    ) {
        let limit = self.expr(limit);
        let further = condition.map_or(String::new(), |c| format!(" && {}", self.expr(c)));
        let i = format!("v{counter}");
        match shape {
            LoopShape::Up => {
                self.line(&format!(
                    "for (int {i} = 0; {i} < {limit}{further}; {i}++) {{"
                ));
                self.inner(body);
                self.line("}");
            }
            LoopShape::Down => {
                self.line(&format!(
                    "for (int {i} = {limit}; {i} > 0{further}; {i}--) {{"
                ));
                self.inner(body);
                self.line("}");
            }
            LoopShape::While | LoopShape::DoWhile => {
                self.line(&format!("int {i} = 0;"));
                let while_first = shape == LoopShape::While;
                if while_first {
                    self.line(&format!("while ({i} < {limit}{further}) {{"));
                } else {
                    self.line("do {");
                }
                self.depth += 1;
                self.line(&format!("{i}++;"));
                self.block(body);
                self.depth -= 1;
                if while_first {
                    self.line("}");
                } else {
                    self.line(&format!("}} while ({i} < {limit}{further});"));
                }
            }
        }
    }

    fn copy(&mut self, stmt: &Stmt) {
        let Stmt::AsyncCopy {
            to,
            to_first,
            from,
            from_first,
            count,
            stride,
        } = stmt
        else {
            return;
        };
        let (to, from) = (self.address(*to, to_first), self.address(*from, from_first));
        self.line("{");
        let call = if *stride == 1 {
            format!("async_work_group_copy({to}, {from}, {count}, 0)")
        } else {
            format!("async_work_group_strided_copy({to}, {from}, {count}, {stride}, 0)")
        };
        self.line(&format!("    event_t copied = {call};"));
        self.line("    wait_group_events(1, &copied);");
        self.line("}");
    }
}

fn atomic_name(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Add => "atomic_add",
        AtomicOp::Sub => "atomic_sub",
        AtomicOp::Inc => "atomic_inc",
        AtomicOp::Dec => "atomic_dec",
        AtomicOp::Min => "atomic_min",
        AtomicOp::Max => "atomic_max",
        AtomicOp::And => "atomic_and",
        AtomicOp::Or => "atomic_or",
        AtomicOp::Xor => "atomic_xor",
    }
}
