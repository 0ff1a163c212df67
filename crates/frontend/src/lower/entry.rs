//! One entry point: its parameters, its body, and the passes over it.

use smallvec::smallvec;
use tilewise_ir::{
    Form, Kernel, KernelParam, Op, ParamBinding, Space, Ty, Value, ValueDef, VarId, Variable,
    WorkItemQuery,
};

use super::emitter::{Components, Emitter};
use super::sites::Sites;
use super::{clean, masked_store, promote};
use crate::error::FrontendError;
use crate::spirv::{EntryPoint, Id, Module, TypeKind};

/// What the body of a kernel tells about its launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelFacts {
    /// One more than the highest dimension asked about; 0 where none is, or
    /// one known only at run time.
    pub dims_used: u8,
}

/// Lowers one entry point.
pub fn lower_entry<'m>(
    module: &'m Module,
    point: &EntryPoint,
    sites: &mut Sites<'m>,
    form: Form,
) -> Result<(Kernel, KernelFacts), FrontendError> {
    let Some(function) = module.functions.get(&point.function) else {
        return Err(FrontendError::malformed(format!(
            "the entry point `{}` names no function",
            point.name
        )));
    };
    if function.blocks.is_empty() {
        return Err(FrontendError::malformed(format!(
            "the kernel `{}` has no body",
            point.name
        )));
    }
    let mut emitter = Emitter::new(module, sites, &point.name);
    emitter.kernel.reqd_local = module.local_size.get(&point.function).copied();
    emitter.calls.push(point.function);
    for &(param, ty) in &function.params {
        emitter.kernel_param(param, ty)?;
    }
    // The entry block must not be a loop's head, since it has no parameters.
    let body = emitter.new_block();
    emitter.terminate(tilewise_ir::Terminator::Jump(tilewise_ir::Edge {
        block: body,
        args: Components::new(),
    }));
    emitter.block = body;
    emitter.function_body(function)?;
    let dynamic = emitter.dynamic_dimension;
    let mut kernel = emitter.finish();

    clean::drop_unreachable_blocks(&mut kernel);
    // A component store is no read of the vector that it changes.
    masked_store::mask_component_stores(&mut kernel);
    promote::promote(&mut kernel, form);
    clean::thread_switches(&mut kernel);
    masked_store::mask_component_stores(&mut kernel);
    clean::drop_unused(&mut kernel);
    clean::drop_unused_variables(&mut kernel);
    clean::merge_chains(&mut kernel);
    clean::renumber(&mut kernel);
    if let Err(error) = tilewise_ir::verify::verify(&kernel) {
        return Err(FrontendError::malformed(format!(
            "the kernel `{}` breaks a rule of single assignment: {error}",
            point.name
        )));
    }
    let facts = KernelFacts {
        dims_used: if dynamic { 0 } else { dims_used(&kernel) },
    };
    Ok((kernel, facts))
}

fn dims_used(kernel: &Kernel) -> u8 {
    let ops = kernel.blocks.iter().flat_map(|b| &b.insts);
    ops.filter_map(|inst| match inst.op {
        Op::WorkItem {
            query:
                WorkItemQuery::GlobalId
                | WorkItemQuery::LocalId
                | WorkItemQuery::GroupId
                | WorkItemQuery::GlobalSize
                | WorkItemQuery::LocalSize
                | WorkItemQuery::EnqueuedLocalSize
                | WorkItemQuery::NumGroups
                | WorkItemQuery::GlobalOffset,
            dim,
            ..
        } => Some(dim + 1),
        _ => None,
    })
    .max()
    .unwrap_or(0)
}

impl Emitter<'_, '_> {
    fn kernel_param(&mut self, param: Id, ty: Id) -> Result<(), FrontendError> {
        let name = match self.module.name(param) {
            "" => format!("arg{}", self.kernel.params.len()),
            name => name.to_owned(),
        };
        let layout = self.module.ty(ty)?;
        let (binding, values): (ParamBinding, Components) = match &layout.kind {
            TypeKind::Pointer { pointee, .. } if self.space(ty)? == Space::Private => {
                let pointee = *pointee;
                let (var, address) = self.by_value_param(&name, pointee)?;
                (ParamBinding::ByValue(var), smallvec![address])
            }
            TypeKind::Pointer { .. } => {
                let value = self.kernel.new_value(Ty::Ptr, ValueDef::Param);
                let space = self.space(ty)?;
                (ParamBinding::Pointer { value, space }, smallvec![value])
            }
            TypeKind::Scalar(_) | TypeKind::Vector { .. } | TypeKind::Sampler => {
                let values: Components = self
                    .leaves(ty)?
                    .into_iter()
                    .map(|ty| self.kernel.new_value(ty, ValueDef::Param))
                    .collect();
                (ParamBinding::Values(values.clone()), values)
            }
            TypeKind::Struct(_) | TypeKind::Array { .. } => {
                let (var, address) = self.by_value_param(&name, ty)?;
                let align = self.module.ty(ty)?.align;
                let values = self.load_value(address, ty, Space::Private, align, false)?;
                (ParamBinding::ByValue(var), values)
            }
            TypeKind::Image { .. } => {
                let value = self.kernel.new_value(Ty::Ptr, ValueDef::Param);
                (ParamBinding::Image { value }, smallvec![value])
            }
            TypeKind::Opaque(_) | TypeKind::SampledImage => {
                let what = match &layout.kind {
                    TypeKind::Opaque(what) => what,
                    _ => "sampled image",
                };
                let kernel = self.kernel.name.as_str();
                let said = self.module.argument_words("kernel_arg_type", kernel);
                let said = said.get(self.kernel.params.len()).copied();
                let what = said.unwrap_or(what);
                return Err(self.refuse(
                    format!("the parameter `{name}` of the type `{what}`"),
                    "pipes, queues, multi-sampled images and the like are not run yet",
                ));
            }
            TypeKind::Void | TypeKind::Function => {
                return Err(FrontendError::malformed(format!(
                    "the parameter `{name}` has a type without values"
                )));
            }
        };
        self.frame.types.insert(param, ty);
        self.frame.values.insert(param, values);
        self.kernel.params.push(KernelParam { name, binding });
        Ok(())
    }

    fn by_value_param(&mut self, name: &str, ty: Id) -> Result<(VarId, Value), FrontendError> {
        let layout = self.module.ty(ty)?;
        let (size, align) = (layout.size, layout.align);
        let elem_size = self.uniform_scalar_size(ty)?;
        Ok(self.variable(Variable {
            name: name.to_owned(),
            space: Space::Private,
            size,
            align,
            elem_size,
            init: None,
            addresses: Vec::new(),
            site: None,
        }))
    }
}
