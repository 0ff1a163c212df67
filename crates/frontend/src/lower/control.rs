//! Functions, blocks, terminators and calls.
//!
//! A call is inlined: the callee's blocks are appended, its returns jump to a
//! new block that goes on after the call, and its parameters are the caller's
//! values. Phis become block parameters.

use std::collections::HashMap;

use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Op as SpirvOp};
use tilewise_ir::{BlockId, Edge, Op, SiteId, Space, Terminator, Ty, Value, Variable};

use super::emitter::{Components, Emitter};
use super::sites::Line;
use crate::error::FrontendError;
use crate::spirv::constant::truncate;
use crate::spirv::debug::{self, Scope};
use crate::spirv::reader::OPENCL_DEBUG;
use crate::spirv::{Function, Id, Inst};

/// The function that is being emitted.
#[derive(Default)]
pub struct Frame {
    /// Components of its values.
    pub values: HashMap<Id, Components>,
    /// Types of its values.
    pub types: HashMap<Id, Id>,
    /// Pointers to builtin variables, with the component they point to.
    pub builtins: HashMap<Id, (BuiltIn, Option<u32>)>,
    /// It does nothing but call the kernel.
    pub is_wrapper: bool,
    /// The call that it is inlined at.
    pub inlined_at: Option<SiteId>,
    /// Where its returns go; `None` in the kernel itself.
    returns_to: Option<BlockId>,
    /// The block that each label starts.
    labels: HashMap<Id, BlockId>,
    /// The block that each label's terminator stands in.
    ends: HashMap<Id, BlockId>,
    phis: HashMap<BlockId, Vec<Phi>>,
    /// Where the function starts; no edge of its own may give that block
    /// arguments.
    start: Option<BlockId>,
    line: Option<Line>,
    scope: Option<Scope>,
}

struct Phi {
    /// Pairs of value and label of the predecessor.
    incoming: Vec<(Id, Id)>,
    components: usize,
}

/// Calls nested deeper than this are refused.
const MAX_DEPTH: usize = 200;

impl Emitter<'_, '_> {
    /// Emits the blocks of a function into the current block. The frame holds
    /// its parameters already.
    pub fn function_body(&mut self, function: &Function) -> Result<(), FrontendError> {
        let start = self.block;
        self.frame.start = Some(start);
        self.frame.is_wrapper = self.calls.len() == 1 && is_wrapper(function);
        for (i, block) in function.blocks.iter().enumerate() {
            let id = if i == 0 { start } else { self.new_block() };
            if self.frame.labels.insert(block.label, id).is_some() {
                return Err(FrontendError::malformed(format!(
                    "two blocks have the label %{}",
                    block.label
                )));
            }
        }
        // A module lists its blocks in any order; a definition must be emitted
        // before its uses.
        for index in reverse_post_order(function) {
            let block = &function.blocks[index];
            let Some(&id) = self.frame.labels.get(&block.label) else {
                continue;
            };
            self.block = id;
            self.frame.line = None;
            self.frame.scope = None;
            self.site = self.sites.unknown();
            let mut ended = false;
            for inst in &block.insts {
                if ended {
                    // Lines may stand between a terminator and the next label.
                    match inst.op() {
                        SpirvOp::Line | SpirvOp::NoLine | SpirvOp::ExtInst => continue,
                        _ => return Err(inst.bad("stands behind the terminator of its block")),
                    }
                }
                ended = self.in_block(inst, block.label, id)?;
            }
            if !ended {
                return Err(FrontendError::malformed(format!(
                    "the block %{} has no terminator",
                    block.label
                )));
            }
        }
        self.fill_phis(function)
    }

    /// Emits one instruction; true where it was the terminator.
    fn in_block(&mut self, inst: &Inst, label: Id, start: BlockId) -> Result<bool, FrontendError> {
        match inst.op() {
            SpirvOp::Line => {
                self.frame.line = Some((inst.id(0)?, inst.literal(1)?, inst.literal(2)?));
                self.update_site();
            }
            SpirvOp::NoLine => {
                self.frame.line = None;
                self.update_site();
            }
            SpirvOp::ExtInst if self.is_debug(inst)? => match inst.literal(1)? {
                debug::number::SCOPE => {
                    self.frame.scope = debug::scope(inst);
                    self.update_site();
                }
                debug::number::NO_SCOPE => {
                    self.frame.scope = None;
                    self.frame.line = None;
                    self.update_site();
                }
                _ => {}
            },
            SpirvOp::Phi => self.phi(inst, start)?,
            SpirvOp::LoopMerge | SpirvOp::SelectionMerge | SpirvOp::Nop => {}
            SpirvOp::Branch
            | SpirvOp::BranchConditional
            | SpirvOp::Switch
            | SpirvOp::Return
            | SpirvOp::ReturnValue
            | SpirvOp::Unreachable
            | SpirvOp::Kill => {
                self.terminator(inst)?;
                self.frame.ends.insert(label, self.block);
                return Ok(true);
            }
            SpirvOp::FunctionCall => self.call(inst)?,
            _ => self.instruction(inst)?,
        }
        Ok(false)
    }

    fn is_debug(&self, inst: &Inst) -> Result<bool, FrontendError> {
        let set = self.module.imports.get(&inst.id(0)?);
        Ok(set.is_some_and(|name| name == OPENCL_DEBUG || name.starts_with("NonSemantic.")))
    }

    fn update_site(&mut self) {
        let Frame {
            line,
            scope,
            inlined_at,
            ..
        } = self.frame;
        self.site = self.sites.site(line, scope, inlined_at);
    }

    fn phi(&mut self, inst: &Inst, start: BlockId) -> Result<(), FrontendError> {
        if self.block != start || !self.kernel.block(start).insts.is_empty() {
            return Err(inst.bad("stands behind other instructions of its block"));
        }
        if self.frame.start == Some(start) {
            return Err(inst.bad("stands in the first block of its function"));
        }
        let ty = inst.result_type()?;
        let leaves = self.leaves(ty)?;
        let params = self.block_params(start, &leaves);
        let ids = inst.ids_from(0)?;
        if ids.len() % 2 != 0 {
            return Err(inst.bad("has a value without a predecessor"));
        }
        let incoming = ids.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        self.frame.phis.entry(start).or_default().push(Phi {
            incoming,
            components: params.len(),
        });
        self.define(inst.result()?, ty, params)
    }

    /// Gives the edges into blocks with phis their arguments.
    fn fill_phis(&mut self, function: &Function) -> Result<(), FrontendError> {
        if self.frame.phis.is_empty() {
            return Ok(());
        }
        let phis = std::mem::take(&mut self.frame.phis);
        for block in &function.blocks {
            let Some(&end) = self.frame.ends.get(&block.label) else {
                continue;
            };
            let targets: Vec<BlockId> = self
                .kernel
                .block(end)
                .term
                .edges()
                .iter()
                .map(|e| e.block)
                .collect();
            for (i, target) in targets.into_iter().enumerate() {
                let Some(phis) = phis.get(&target) else {
                    continue;
                };
                let mut args = Components::new();
                for phi in phis {
                    let value = phi.incoming.iter().find(|(_, from)| *from == block.label);
                    let Some(&(value, _)) = value else {
                        return Err(FrontendError::malformed(format!(
                            "a phi says nothing about its predecessor %{}",
                            block.label
                        )));
                    };
                    let values = self.values(value)?;
                    if values.len() != phi.components {
                        return Err(FrontendError::malformed(format!(
                            "a phi takes %{value}, which has another type"
                        )));
                    }
                    args.extend(values);
                }
                let params = &self.kernel.blocks[target.index()].params;
                let agree = params.len() == args.len()
                    && params
                        .iter()
                        .zip(&args)
                        .all(|(&p, &a)| self.kernel.ty(p) == self.kernel.ty(a));
                if !agree {
                    return Err(FrontendError::malformed(
                        "a phi takes a value of another type",
                    ));
                }
                let mut edges = self.kernel.blocks[end.index()].term.edges_mut();
                if let Some(edge) = edges.get_mut(i) {
                    edge.args = args;
                }
            }
        }
        Ok(())
    }

    fn target(&self, label: Id) -> Result<Edge, FrontendError> {
        match self.frame.labels.get(&label) {
            Some(&block) => Ok(Edge {
                block,
                args: Components::new(),
            }),
            None => Err(FrontendError::malformed(format!(
                "a branch leads to %{label}, which is no label of its function"
            ))),
        }
    }

    fn terminator(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let term = match inst.op() {
            SpirvOp::Branch => Terminator::Jump(self.target(inst.id(0)?)?),
            SpirvOp::BranchConditional => {
                let cond = self.value(inst.id(0)?)?;
                if self.kernel.ty(cond) != Ty::Bool {
                    return Err(inst.bad("branches on something that is no truth value"));
                }
                let then = self.target(inst.id(1)?)?;
                let other = self.target(inst.id(2)?)?;
                match self.kernel.constant(cond) {
                    Some(0) => Terminator::Jump(other),
                    Some(_) => Terminator::Jump(then),
                    None if then == other => Terminator::Jump(then),
                    None => Terminator::Branch { cond, then, other },
                }
            }
            SpirvOp::Switch => self.switch(inst)?,
            SpirvOp::Return | SpirvOp::ReturnValue => {
                let args = match inst.op() {
                    SpirvOp::ReturnValue => self.values(inst.id(0)?)?,
                    _ => Components::new(),
                };
                match self.frame.returns_to {
                    None => Terminator::Return,
                    Some(block) => {
                        let params = &self.kernel.block(block).params;
                        let agree = params.len() == args.len()
                            && params
                                .iter()
                                .zip(&args)
                                .all(|(&p, &a)| self.kernel.ty(p) == self.kernel.ty(a));
                        if !agree {
                            return Err(inst.bad("returns a value of another type"));
                        }
                        Terminator::Jump(Edge { block, args })
                    }
                }
            }
            _ => Terminator::Unreachable,
        };
        self.terminate(term);
        Ok(())
    }

    fn switch(&mut self, inst: &Inst) -> Result<Terminator, FrontendError> {
        let value = self.value(inst.id(0)?)?;
        let ty = self.kernel.ty(value);
        if !ty.is_int() {
            return Err(inst.bad("switches over something that is no integer"));
        }
        let default = self.target(inst.id(1)?)?;
        let mut cases = Vec::new();
        let mut at = 2;
        while at < inst.operands().len() {
            let literal = match inst.operands().get(at) {
                Some(Operand::LiteralBit32(v)) => u64::from(*v),
                Some(Operand::LiteralBit64(v)) => *v,
                _ => return Err(inst.bad("has a case without a number")),
            };
            let literal = truncate(ty, literal);
            let edge = self.target(inst.id(at + 1)?)?;
            if !cases.iter().any(|(v, _)| *v == literal) {
                cases.push((literal, edge));
            }
            at += 2;
        }
        Ok(Terminator::Switch {
            value,
            cases,
            default,
        })
    }

    fn call(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let callee = inst.id(0)?;
        let module = self.module;
        let Some(function) = module.functions.get(&callee) else {
            return Err(inst.bad("calls something that is no function"));
        };
        let name = module.name(callee).to_owned();
        if function.blocks.is_empty() {
            let linked = module.decorations(callee).linkage.clone();
            return Err(self.unknown_function(&linked.unwrap_or(name)));
        }
        if self.calls.contains(&callee) {
            return Err(self.refuse(
                format!("the recursive call of `{name}`"),
                "OpenCL C has no recursion",
            ));
        }
        if self.calls.len() > MAX_DEPTH {
            return Err(self.refuse(
                format!("the call of `{name}`"),
                "calls are nested too deeply",
            ));
        }
        let args = inst.ids_from(1)?;
        if args.len() != function.params.len() {
            return Err(inst.bad("has the wrong number of arguments"));
        }
        let mut frame = Frame::default();
        for (&arg, &(param, ty)) in args.iter().zip(&function.params) {
            let mut values = self.values(arg)?;
            if module.decorations(param).by_value && !self.frame.is_wrapper {
                let copy = self.by_value_copy(param, ty, &values)?;
                values = Components::from_slice(&[copy]);
            }
            if !self.has_type(&values, ty)? {
                return Err(inst.bad("has an argument of another type"));
            }
            frame.types.insert(param, ty);
            frame.values.insert(param, values);
            if let Some(builtin) = self.builtin_pointer(arg) {
                frame.builtins.insert(param, builtin);
            }
        }
        // The wrapper around a kernel has no lines; its call is no place.
        frame.inlined_at = match self.sites.describe(self.site) {
            Some(_) => Some(self.site),
            None => self.frame.inlined_at,
        };
        let result_type = inst.result_type()?;
        let leaves = self.leaves(function.result)?;
        let after = self.new_block();
        let results = self.block_params(after, &leaves);
        frame.returns_to = Some(after);
        let body = self.new_block();
        self.terminate(Terminator::Jump(Edge {
            block: body,
            args: Components::new(),
        }));

        let site = self.site;
        let caller = std::mem::replace(&mut self.frame, frame);
        self.calls.push(callee);
        self.block = body;
        self.function_body(function)?;
        self.calls.pop();
        self.frame = caller;
        self.block = after;
        self.site = site;
        if leaves.is_empty() {
            return Ok(());
        }
        self.define(inst.result()?, result_type, results)
    }

    /// The callee's own copy of a structure passed by value.
    fn by_value_copy(
        &mut self,
        param: Id,
        ty: Id,
        values: &Components,
    ) -> Result<Value, FrontendError> {
        let (_, pointee) = self.module.pointer(ty)?;
        let src_space = self.space(ty)?;
        let &[src] = values.as_slice() else {
            return Err(FrontendError::malformed("a pointer has several components"));
        };
        let layout = self.module.ty(pointee)?;
        let (size, align) = (layout.size, layout.align);
        let (_, dst) = self.variable(Variable {
            name: self.module.name(param).to_owned(),
            space: Space::Private,
            size,
            align,
            elem_size: self.uniform_scalar_size(pointee)?,
            init: None,
            addresses: Vec::new(),
            site: None,
        });
        self.push(Op::Copy {
            dst,
            src,
            bytes: self.copy_size(size)?,
            dst_space: Space::Private,
            src_space,
            align,
        })?;
        Ok(dst)
    }

    /// The refusal of a function without a body.
    pub fn unknown_function(&self, name: &str) -> FrontendError {
        self.refuse(
            format!("the call of `{name}`"),
            "it has no body in this program: it is neither defined in the file nor an OpenCL \
             builtin that tilewise knows; if the host concatenates several files, give the \
             others with --prepend",
        )
    }
}

/// Whether a function only calls another one: the translator puts such a one
/// around each kernel. What it passes on by value is its own copy already.
fn is_wrapper(function: &Function) -> bool {
    let [block] = function.blocks.as_slice() else {
        return false;
    };
    let mut rest = block.insts.iter().map(Inst::op).filter(|op| {
        !matches!(
            op,
            SpirvOp::Line | SpirvOp::NoLine | SpirvOp::ExtInst | SpirvOp::Nop
        )
    });
    let ops = (rest.next(), rest.next(), rest.next());
    ops == (Some(SpirvOp::FunctionCall), Some(SpirvOp::Return), None)
}

/// Indices of the blocks that control can come to, each before its successors
/// but for loops.
fn reverse_post_order(function: &Function) -> Vec<usize> {
    let index_of: HashMap<Id, usize> = function
        .blocks
        .iter()
        .enumerate()
        .map(|(i, block)| (block.label, i))
        .collect();
    // Labels are the id operands of the terminator, but for its condition.
    let successors: Vec<Vec<usize>> = function
        .blocks
        .iter()
        .map(|block| {
            let term = block.insts.iter().rev().find(|inst| {
                matches!(
                    inst.op(),
                    SpirvOp::Branch | SpirvOp::BranchConditional | SpirvOp::Switch
                )
            });
            let Some(term) = term else { return Vec::new() };
            let first = usize::from(term.op() != SpirvOp::Branch);
            (first..term.operands().len())
                .filter_map(|at| term.id(at).ok())
                .filter_map(|label| index_of.get(&label).copied())
                .collect()
        })
        .collect();
    let mut seen = vec![false; function.blocks.len()];
    let mut order = Vec::new();
    let mut stack = Vec::new();
    if let Some(first) = seen.first_mut() {
        *first = true;
        stack.push((0, 0));
    }
    while let Some((block, next)) = stack.last_mut() {
        // The last successor first, so that the first one comes first in the
        // reversed order.
        let all = &successors[*block];
        if *next < all.len() {
            let succ = all[all.len() - 1 - *next];
            *next += 1;
            if !std::mem::replace(&mut seen[succ], true) {
                stack.push((succ, 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order.reverse();
    order
}
