//! Where the members of structures lie, and what memory holds at the start.

use tilewise_launch::ElemType;

use super::{Contents, Program, Table, Type, Value};
use crate::random::Random;

/// A scalar, vector, or one of those within a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Its type.
    pub ty: ElemType,
    /// Byte offset from the start of the element.
    pub offset: u64,
}

/// What an element of memory consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Its leaves, in order.
    pub leaves: Vec<Leaf>,
    /// Size with padding.
    pub size: u64,
    /// Alignment.
    pub align: u64,
}

impl Program {
    /// How a type lies in memory.
    pub fn layout(&self, ty: Type) -> Layout {
        let number = match ty {
            Type::Elem(elem) => {
                return Layout {
                    leaves: vec![Leaf {
                        ty: elem,
                        offset: 0,
                    }],
                    size: elem.size(),
                    align: elem.size(),
                };
            }
            Type::Struct(number) => number,
        };
        let (mut leaves, mut end, mut align) = (Vec::new(), 0u64, 1);
        for field in self.structs.get(number).iter().flat_map(|s| &s.fields) {
            align = align.max(field.ty.size());
            end = end.next_multiple_of(field.ty.size());
            for _ in 0..field.array.unwrap_or(1) {
                leaves.push(Leaf {
                    ty: field.ty,
                    offset: end,
                });
                end += field.ty.size();
            }
        }
        Layout {
            leaves,
            size: end.next_multiple_of(align),
            align,
        }
    }

    /// Number of the first leaf of a member.
    pub fn first_leaf(&self, number: usize, field: usize) -> usize {
        let fields = self.structs.get(number).map_or(&[][..], |s| &s.fields);
        let before = fields.iter().take(field);
        before.map(|f| f.array.unwrap_or(1)).sum()
    }

    /// What a buffer holds at the start: its leaves, element by element.
    pub fn contents(&self, elem: Type, len: usize, contents: Contents) -> Vec<Value> {
        let leaves = self.layout(elem).leaves;
        let all = (0..len).flat_map(|_| &leaves);
        match contents {
            Contents::Zero => all.map(|leaf| Value::zero(leaf.ty)).collect(),
            Contents::Seed(seed) => {
                let mut random = Random::new(seed);
                all.map(|leaf| Value::random(leaf.ty, &mut random))
                    .collect()
            }
        }
    }
}

impl Table {
    /// The values of a table.
    pub fn values(&self) -> Vec<Value> {
        let mut random = Random::new(self.seed);
        let all = (0..self.len).map(|_| Value::random(self.elem, &mut random));
        all.collect()
    }
}
