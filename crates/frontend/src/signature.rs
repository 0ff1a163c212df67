//! Signatures of kernels.
//!
//! From source, the syntax tree has everything. From SPIR-V alone, types come
//! from the parameters, and their signs and `const` from the strings
//! `kernel_arg_type.…` that the translator leaves where it is asked to; without
//! those, integers are taken as signed.

use tilewise_ir::{Kernel, Op, ParamBinding, Space, Ty};
use tilewise_launch::image::{ImageAccess, TexelKind};
use tilewise_launch::{
    ElemType, Field, Param, ParamKind, Scalar, Signature, StructType, ValueType,
};

use crate::ast::layout::{MAX_MEMBERS, element};
use crate::ast::type_name::{AddressSpace, Spelled};
use crate::ast::{Declarations, KernelDecl};
use crate::error::FrontendError;
use crate::lower::KernelFacts;
use crate::spirv::types::space_of;
use crate::spirv::{EntryPoint, Id, Module, TypeKind};

/// The signature of one kernel of a module.
pub fn signature(
    module: &Module,
    point: &EntryPoint,
    kernel: &Kernel,
    facts: &KernelFacts,
    declarations: Option<&Declarations>,
) -> Result<Signature, FrontendError> {
    let function = module.functions.get(&point.function);
    let params = function.map_or(&[][..], |f| &f.params);
    let from_module = Strings::new(module, &point.name);
    let declared = declarations.and_then(|d| {
        let kernel = d.kernels.iter().find(|k| k.name == point.name)?;
        (kernel.params.len() == params.len()).then_some((d, kernel))
    });
    let mut list = Vec::with_capacity(params.len());
    for (index, &(id, ty)) in params.iter().enumerate() {
        let mut plain = module_param(module, id, ty, index, &from_module)?;
        if let ParamKind::Image { texel, .. } = &mut plain.kind {
            *texel = texel_kind(kernel, index);
        }
        list.push(match declared {
            Some((declarations, kernel)) => source_param(declarations, kernel, index, plain),
            None => plain,
        });
    }
    Ok(Signature {
        kernel: point.name.clone(),
        params: list,
        reqd_local: kernel.reqd_local.map(|size| size.map(u64::from)),
        dims_used: facts.dims_used,
    })
}

/// A parameter as the source declares it; `plain` where that says nothing.
fn source_param(
    declarations: &Declarations,
    kernel: &KernelDecl,
    index: usize,
    plain: Param,
) -> Param {
    let (name, spelled) = &kernel.params[index];
    let resolved = declarations.resolved(spelled);
    let pointee = Spelled {
        pointers: Vec::new(),
        ..resolved.clone()
    };
    // Where a layout is unknown here, that of the module stands.
    let elem = |plain: &ValueType| {
        declarations
            .value_type(&pointee)
            .filter(|ty| ty.size() == plain.size())
            .unwrap_or_else(|| plain.clone())
    };
    let qualifiers = resolved.base_qualifiers;
    let pointer = resolved.pointers.first().copied().unwrap_or_default();
    let kind = match (&plain.kind, qualifiers.space) {
        (ParamKind::Global { elem: e, .. }, Some(AddressSpace::Global)) => ParamKind::Global {
            elem: elem(e),
            read_only: qualifiers.is_const,
            restrict: pointer.is_restrict,
            volatile: qualifiers.is_volatile,
        },
        (ParamKind::Constant { elem: e }, _) => ParamKind::Constant { elem: elem(e) },
        (ParamKind::Local { elem: e }, _) => ParamKind::Local { elem: elem(e) },
        (ParamKind::Value(v), _) if resolved.pointers.is_empty() => ParamKind::Value(elem(v)),
        (other, _) => other.clone(),
    };
    Param {
        name: if name.is_empty() {
            plain.name
        } else {
            name.clone()
        },
        kind,
        spelling: spelling(spelled),
    }
}

/// A type as users write it: address space first, without `__private`.
fn spelling(spelled: &Spelled) -> String {
    let mut text = String::new();
    let qualifiers = spelled.base_qualifiers;
    text.push_str(match qualifiers.space {
        Some(AddressSpace::Global) => "__global ",
        Some(AddressSpace::Constant) => "__constant ",
        Some(AddressSpace::Local) => "__local ",
        _ => "",
    });
    if qualifiers.is_const {
        text.push_str("const ");
    }
    if qualifiers.is_volatile {
        text.push_str("volatile ");
    }
    text.push_str(&spelled.base);
    for pointer in &spelled.pointers {
        text.push_str(" *");
        if pointer.is_restrict {
            text.push_str("restrict");
        }
    }
    text
}

/// The strings with argument types that the translator left.
struct Strings<'m> {
    types: Vec<&'m str>,
    qualifiers: Vec<&'m str>,
}

impl<'m> Strings<'m> {
    fn new(module: &'m Module, kernel: &str) -> Self {
        Self {
            types: module.argument_words("kernel_arg_type", kernel),
            qualifiers: module.argument_words("kernel_arg_type_qual", kernel),
        }
    }

    fn has(&self, index: usize, qualifier: &str) -> bool {
        self.qualifiers
            .get(index)
            .is_some_and(|q| q.split_whitespace().any(|word| word == qualifier))
    }
}

/// A parameter as the module has it.
fn module_param(
    module: &Module,
    id: Id,
    ty: Id,
    index: usize,
    strings: &Strings<'_>,
) -> Result<Param, FrontendError> {
    let name = match module.name(id) {
        "" => format!("arg{index}"),
        name => name.to_owned(),
    };
    let stated = strings.types.get(index).map(|t| t.trim_end_matches('*'));
    let known = |found: ValueType| match stated.and_then(element) {
        Some(elem) if ValueType::Elem(elem).size() == found.size() => ValueType::Elem(elem),
        _ => found,
    };
    let decorations = module.decorations(id);
    let (kind, shown) = match &module.ty(ty)?.kind {
        TypeKind::Pointer { class, pointee } => {
            let elem = known(value_type(module, *pointee)?);
            let shown = stated.map_or_else(|| name_of(&elem), str::to_owned);
            match space_of(*class) {
                Some(Space::Constant) => (
                    ParamKind::Constant { elem },
                    format!("__constant {shown} *"),
                ),
                Some(Space::Local) => (ParamKind::Local { elem }, format!("__local {shown} *")),
                Some(Space::Private) => (ParamKind::Value(elem), shown),
                _ => {
                    let read_only = strings.has(index, "const") || decorations.no_write;
                    let constant = if read_only { "const " } else { "" };
                    let kind = ParamKind::Global {
                        elem,
                        read_only,
                        restrict: strings.has(index, "restrict") || decorations.no_alias,
                        volatile: strings.has(index, "volatile"),
                    };
                    (kind, format!("__global {constant}{shown} *"))
                }
            }
        }
        TypeKind::Sampler => (ParamKind::Sampler, "sampler_t".to_owned()),
        &TypeKind::Image { ty, access } => {
            let qualifier = match access {
                ImageAccess::Read => "__read_only",
                ImageAccess::Write => "__write_only",
                ImageAccess::ReadWrite => "__read_write",
            };
            let kind = ParamKind::Image {
                ty,
                access,
                texel: None,
            };
            (kind, format!("{qualifier} {ty}"))
        }
        _ => {
            let value = known(value_type(module, ty)?);
            let shown = stated.map_or_else(|| name_of(&value), str::to_owned);
            (ParamKind::Value(value), shown)
        }
    };
    Ok(Param {
        name,
        kind,
        spelling: shown,
    })
}

/// What a kernel takes the components of an image parameter for; `None` where
/// it does not access the image.
fn texel_kind(kernel: &Kernel, index: usize) -> Option<TexelKind> {
    let ParamBinding::Image { value } = kernel.params.get(index)?.binding else {
        return None;
    };
    let insts = kernel.blocks.iter().flat_map(|b| &b.insts);
    insts.into_iter().find_map(|inst| {
        let (image, components) = match &inst.op {
            Op::ImageRead { image, dst, .. } => (*image, dst),
            Op::ImageWrite { image, src, .. } => (*image, src),
            _ => return None,
        };
        let ty = kernel.ty(*components.first()?);
        (image == value).then(|| match ty.is_float() {
            true => TexelKind::Float,
            false => TexelKind::Integer,
        })
    })
}

fn name_of(ty: &ValueType) -> String {
    match ty {
        ValueType::Elem(e) if e.lanes > 1 => format!("{}{}", e.scalar.opencl_name(), e.lanes),
        ValueType::Elem(e) => e.scalar.opencl_name().to_owned(),
        ValueType::Struct(s) => format!("struct {}", s.name),
        ValueType::Opaque { size, .. } => format!("type of {size} bytes"),
    }
}

/// The value type of a SPIR-V type; integers count as signed.
fn value_type(module: &Module, ty: Id) -> Result<ValueType, FrontendError> {
    let mut left = MAX_MEMBERS;
    let read = member_type(module, ty, 0, &mut left)?;
    let layout = module.ty(ty)?;
    Ok(match left {
        // A structure of which only a part was read is no use.
        0 => ValueType::Opaque {
            size: layout.size,
            align: u64::from(layout.align),
        },
        _ => read,
    })
}

/// `left` is how many more members there may be; it ends at 0 where there are
/// more.
fn member_type(
    module: &Module,
    ty: Id,
    depth: u32,
    left: &mut u32,
) -> Result<ValueType, FrontendError> {
    let layout = module.ty(ty)?;
    let opaque = ValueType::Opaque {
        size: layout.size,
        align: u64::from(layout.align),
    };
    Ok(match &layout.kind {
        TypeKind::Scalar(ty) => {
            scalar(*ty).map_or(opaque, |s| ValueType::Elem(ElemType::scalar(s)))
        }
        TypeKind::Vector { elem, count } => scalar(*elem).map_or(opaque, |s| {
            ValueType::Elem(ElemType::vector(s, *count as u8))
        }),
        TypeKind::Struct(members) if depth < 32 => {
            let name = module.name(ty);
            let name = name.strip_prefix("struct.").unwrap_or(name);
            let mut fields = Vec::with_capacity(members.len());
            for (i, &(member, offset)) in members.iter().enumerate() {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    return Ok(opaque);
                }
                let (member, array) = match &module.ty(member)?.kind {
                    TypeKind::Array { elem, len } => (*elem, Some(*len)),
                    _ => (member, None),
                };
                fields.push(Field {
                    name: format!("f{i}"),
                    offset,
                    ty: member_type(module, member, depth + 1, left)?,
                    array,
                });
            }
            ValueType::Struct(StructType {
                name: name.to_owned(),
                size: layout.size,
                align: u64::from(layout.align),
                fields,
            })
        }
        _ => opaque,
    })
}

fn scalar(ty: Ty) -> Option<Scalar> {
    Some(match ty {
        Ty::Bool | Ty::I8 => Scalar::I8,
        Ty::I16 => Scalar::I16,
        Ty::I32 => Scalar::I32,
        Ty::I64 => Scalar::I64,
        Ty::F16 => Scalar::F16,
        Ty::F32 => Scalar::F32,
        Ty::F64 => Scalar::F64,
        Ty::Ptr => return None,
    })
}
