//! The launch of a program, as the simulator and devices take it.

use tilewise_launch::{Arg, ArgValue, Buffer, Fill, Launch, ValueType};

use crate::random::Random;
use crate::tree::{Contents, Layout, ParamKind, Program, Type, Value, VarType};

impl Program {
    /// The launch: NDRange and arguments.
    pub fn launch(&self) -> Launch {
        let args = self.params.iter().map(|param| Arg {
            name: format!("v{}", param.var),
            value: match &param.kind {
                ParamKind::Value { seed } => ArgValue::Bytes(self.value_bytes(param.var, *seed)),
                ParamKind::Buffer {
                    elem,
                    len,
                    contents,
                } => ArgValue::Buffer(self.buffer(*elem, *len, *contents)),
                kind @ ParamKind::Local { .. } => ArgValue::Local {
                    bytes: self.local_bytes(param.var, kind),
                },
            },
        });
        Launch {
            kernel: self.name.clone(),
            range: self.range.into(),
            args: args.collect(),
            seed: 0,
        }
    }

    /// The bytes of a buffer at the start, padding being zero.
    fn bytes(&self, elem: Type, len: usize, contents: Contents) -> Vec<u8> {
        let Layout { leaves, size, .. } = self.layout(elem);
        let mut bytes = vec![0; len * size as usize];
        let values = self.contents(elem, len, contents);
        for (i, value) in values.iter().enumerate() {
            let (element, leaf) = (i / leaves.len(), i % leaves.len());
            let first = element * size as usize + leaves[leaf].offset as usize;
            let value = value.bytes();
            bytes[first..first + value.len()].copy_from_slice(&value);
        }
        bytes
    }

    fn value_bytes(&self, var: usize, seed: u64) -> Vec<u8> {
        match self.vars.get(var) {
            Some(VarType::Struct(number)) => {
                self.bytes(Type::Struct(*number), 1, Contents::Seed(seed))
            }
            Some(VarType::Value(ty)) => {
                // `Program::contents` draws from the same stream.
                let mut bytes = Value::random(*ty, &mut Random::new(seed)).bytes();
                bytes.resize(ty.size() as usize, 0);
                bytes
            }
            _ => Vec::new(),
        }
    }

    fn buffer(&self, elem: Type, len: usize, contents: Contents) -> Buffer {
        let layout = self.layout(elem);
        Buffer {
            elem: match elem {
                Type::Elem(elem) => ValueType::Elem(elem),
                Type::Struct(_) => ValueType::Opaque {
                    size: layout.size,
                    align: layout.align,
                },
            },
            len: Some(len as u64),
            fill: Fill::File {
                path: "generated".into(),
                data: self.bytes(elem, len, contents).into(),
            },
            generated: false,
        }
    }
}
