//! Kernels as text, for snapshots and for people who look for a fault.

use std::fmt::{self, Display, Formatter};

use crate::ids::Value;
use crate::kernel::{Edge, Kernel, ParamBinding, Terminator};
use crate::op::{Fence, MemAccess, Op};

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {} {{", self.name)?;
        for param in &self.params {
            match &param.binding {
                ParamBinding::Values(values) => {
                    let list = values
                        .iter()
                        .map(|&v| format!("{v}: {}", self.ty(v)))
                        .collect::<Vec<_>>();
                    writeln!(f, "  param {} = ({})", param.name, list.join(", "))?;
                }
                ParamBinding::Pointer { value, space } => {
                    writeln!(f, "  param {} = {value}: {space} ptr", param.name)?;
                }
                ParamBinding::Image { value } => {
                    writeln!(f, "  param {} = {value}: image", param.name)?;
                }
                ParamBinding::ByValue(var) => {
                    writeln!(f, "  param {} = {var} by value", param.name)?;
                }
            }
        }
        for (i, var) in self.vars.iter().enumerate() {
            writeln!(
                f,
                "  var{i} {} {} [{} bytes, align {}]{}",
                var.space,
                var.name,
                var.size,
                var.align,
                if var.init.is_some() {
                    " initialised"
                } else {
                    ""
                }
            )?;
        }
        for id in self.block_ids() {
            let block = self.block(id);
            write!(f, "{id}")?;
            if !block.params.is_empty() {
                let list = block
                    .params
                    .iter()
                    .map(|&v| format!("{v}: {}", self.ty(v)))
                    .collect::<Vec<_>>();
                write!(f, "({})", list.join(", "))?;
            }
            writeln!(f, ":")?;
            for inst in &block.insts {
                write!(f, "  ")?;
                self.write_op(f, &inst.op)?;
                writeln!(f)?;
            }
            write!(f, "  ")?;
            self.write_terminator(f, &block.term)?;
            writeln!(f)?;
        }
        writeln!(f, "}}")
    }
}

impl Kernel {
    /// A value, or the constant behind it.
    fn name(&self, v: Value) -> String {
        match self.constant(v) {
            Some(bits) => {
                let ty = self.ty(v);
                match ty {
                    crate::Ty::F32 => format!("{:?}f", f32::from_bits(bits as u32)),
                    crate::Ty::F64 => format!("{:?}", f64::from_bits(bits)),
                    crate::Ty::I32 => format!("{}", bits as u32 as i32),
                    crate::Ty::I64 => format!("{}l", bits as i64),
                    _ => format!("{bits:#x}:{ty}"),
                }
            }
            None => v.to_string(),
        }
    }

    fn names(&self, values: impl IntoIterator<Item = Value>) -> String {
        values
            .into_iter()
            .map(|v| self.name(v))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn write_op(&self, f: &mut Formatter<'_>, op: &Op) -> fmt::Result {
        let mut defs = Vec::new();
        op.for_each_def(|d| defs.push(format!("{d}: {}", self.ty(d))));
        if !defs.is_empty() {
            write!(f, "{} = ", defs.join(", "))?;
        }
        match op {
            Op::Unary { op, a, .. } => write!(f, "{op:?} {}", self.name(*a)),
            Op::Binary { op, a, b, .. } => write!(f, "{op:?} {}", self.names([*a, *b])),
            Op::Compare { op, a, b, .. } => write!(f, "cmp {op:?} {}", self.names([*a, *b])),
            Op::Select {
                cond,
                if_true,
                if_false,
                ..
            } => write!(f, "select {}", self.names([*cond, *if_true, *if_false])),
            Op::Convert { op, a, .. } => {
                write!(f, "{op:?} {} from {}", self.name(*a), self.ty(*a))
            }
            Op::PtrAdd {
                base,
                index,
                scale,
                offset,
                elements,
                ..
            } => {
                write!(f, "ptr {}", self.name(*base))?;
                if let Some(index) = index {
                    write!(f, " + {} * {scale}", self.name(*index))?;
                }
                if let Some(elements) = elements {
                    write!(f, " of {elements}")?;
                }
                if *offset != 0 {
                    write!(f, " + {offset}")?;
                }
                Ok(())
            }
            Op::VarAddr { var, .. } => write!(f, "address of {var}"),
            Op::WorkItem { query, dim, .. } => write!(f, "{query:?}({dim})"),
            Op::Math { fun, args, .. } => {
                write!(f, "{fun:?}({})", self.names(args.iter().copied()))
            }
            Op::Load { ptr, access, .. } => {
                write!(f, "load {} {}", Access(access), self.name(*ptr))
            }
            Op::Store { src, ptr, access } => {
                let list = src
                    .iter()
                    .map(|s| s.map_or("_".to_owned(), |v| self.name(v)))
                    .collect::<Vec<_>>();
                write!(
                    f,
                    "store {} {}, {}",
                    Access(access),
                    self.name(*ptr),
                    list.join(", ")
                )
            }
            Op::ImageRead {
                image,
                sampler,
                coords,
                ..
            } => {
                write!(f, "read image {}", self.name(*image))?;
                if let Some(sampler) = sampler {
                    write!(f, " by {}", self.name(*sampler))?;
                }
                write!(f, " at {}", self.names(coords.iter().copied()))
            }
            Op::ImageWrite { image, coords, src } => write!(
                f,
                "write image {} at {}: {}",
                self.name(*image),
                self.names(coords.iter().copied()),
                self.names(src.iter().copied())
            ),
            Op::ImageQuery { image, query, .. } => {
                write!(f, "{query:?} of image {}", self.name(*image))
            }
            Op::Atomic {
                op,
                ptr,
                value,
                compare,
                access,
                fence,
                ..
            } => {
                let names = self.names([*ptr].into_iter().chain(*value).chain(*compare));
                write!(f, "atomic {op:?} {} {names}", Access(access))?;
                if *fence != Fence::default() {
                    write!(f, ", orders {fence:?}")?;
                }
                Ok(())
            }
            Op::Copy {
                dst,
                src,
                bytes,
                dst_space,
                src_space,
                ..
            } => write!(
                f,
                "copy {bytes} bytes to {dst_space} {} from {src_space} {}",
                self.name(*dst),
                self.name(*src)
            ),
            Op::Barrier { scope, fence } => write!(f, "barrier {scope:?} {fence:?}"),
            Op::Group {
                op,
                scope,
                participants,
                args,
                ..
            } => write!(
                f,
                "{op} of the {scope:?}, {participants:?} ({})",
                self.names(args.iter().copied())
            ),
            Op::PointsTo { ptr, space, .. } => {
                write!(f, "whether {} points to {space}", self.name(*ptr))
            }
            Op::Fence { fence } => write!(f, "fence {fence:?}"),
            Op::AsyncCopy {
                dst,
                src,
                count,
                stride,
                elem_bytes,
                ..
            } => write!(
                f,
                "async copy of {elem_bytes} bytes: {}",
                self.names([*dst, *src, *count, *stride])
            ),
            Op::WaitEvents => write!(f, "wait for events"),
            Op::LifetimeStart { var } => write!(f, "lifetime of {var} starts"),
            Op::Undef { .. } => write!(f, "undef"),
            Op::Printf { args, .. } => write!(f, "printf {}", self.names(args.iter().copied())),
        }
    }

    fn write_terminator(&self, f: &mut Formatter<'_>, term: &Terminator) -> fmt::Result {
        let edge = |e: &Edge| {
            if e.args.is_empty() {
                e.block.to_string()
            } else {
                format!("{}({})", e.block, self.names(e.args.iter().copied()))
            }
        };
        match term {
            Terminator::Jump(e) => write!(f, "jump {}", edge(e)),
            Terminator::Branch { cond, then, other } => {
                write!(
                    f,
                    "branch {}, {}, {}",
                    self.name(*cond),
                    edge(then),
                    edge(other)
                )
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                write!(f, "switch {}", self.name(*value))?;
                for (v, e) in cases {
                    write!(f, ", {v} -> {}", edge(e))?;
                }
                write!(f, ", else {}", edge(default))
            }
            Terminator::Return => write!(f, "return"),
            Terminator::Unreachable => write!(f, "unreachable"),
        }
    }
}

struct Access<'a>(&'a MemAccess);

impl Display for Access<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let a = self.0;
        write!(f, "{} {}", a.space, a.elem)?;
        if a.count > 1 {
            write!(f, "x{}", a.count)?;
        }
        if a.volatile {
            write!(f, " volatile")?;
        }
        Ok(())
    }
}
