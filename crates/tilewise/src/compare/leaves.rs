//! The scalars that an element holds.

use tilewise_launch::{ElemType, Scalar, StructType, ValueType};

/// A scalar of an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// Bytes from the element's start.
    pub offset: u64,
    /// Its type.
    pub scalar: Scalar,
    /// What is behind the element in the source: `.s1`, `.pos.s0`, `.v[2]`.
    pub path: String,
    /// Leaves of one kind hold values that are alike in size: the components of a
    /// vector, the elements of an array.
    pub kind: usize,
}

/// Scalars of an element of a type, in the order of their bytes; of what only the size
/// is known, its bytes. What pads vectors and structures is none of them: whether a
/// store writes it is up to the compiler.
pub fn leaves(ty: &ValueType) -> Vec<Leaf> {
    let mut all = Leaves::default();
    all.value(ty, 0, "");
    all.found
}

#[derive(Default)]
struct Leaves {
    found: Vec<Leaf>,
    kinds: usize,
}

impl Leaves {
    fn value(&mut self, ty: &ValueType, offset: u64, path: &str) {
        match ty {
            ValueType::Elem(elem) => self.elem(*elem, offset, path),
            ValueType::Struct(of) if overlaps(of) => self.bytes(of.size, offset, path),
            ValueType::Struct(of) => {
                for field in &of.fields {
                    let path = format!("{path}.{}", field.name);
                    let offset = offset + field.offset;
                    let Some(count) = field.array else {
                        self.value(&field.ty, offset, &path);
                        continue;
                    };
                    let kinds = self.kinds;
                    for n in 0..count {
                        self.kinds = kinds;
                        let at = offset + n * field.ty.size();
                        self.value(&field.ty, at, &format!("{path}[{n}]"));
                    }
                }
            }
            ValueType::Opaque { size, .. } => self.bytes(*size, offset, path),
        }
    }

    fn elem(&mut self, elem: ElemType, offset: u64, path: &str) {
        for lane in 0..u64::from(elem.lanes) {
            self.found.push(Leaf {
                offset: offset + lane * elem.scalar.size(),
                scalar: elem.scalar,
                path: match elem.lanes {
                    1 => path.to_owned(),
                    _ => format!("{path}.s{lane:x}"),
                },
                kind: self.kinds,
            });
        }
        self.kinds += 1;
    }

    fn bytes(&mut self, size: u64, offset: u64, path: &str) {
        for n in 0..size {
            self.found.push(Leaf {
                offset: offset + n,
                scalar: Scalar::U8,
                path: format!("{path} byte {n}"),
                kind: self.kinds,
            });
        }
        self.kinds += 1;
    }
}

/// Whether members lie over each other, as in a union, so that no type of the bytes
/// is known.
fn overlaps(of: &StructType) -> bool {
    let mut end = 0;
    of.fields.iter().any(|field| {
        let before = field.offset < end;
        end = field.offset + field.ty.size() * field.array.unwrap_or(1);
        before
    })
}
