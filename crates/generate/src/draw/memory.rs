//! Memory in scope, and indices that stay within what a work-item may touch.

use tilewise_launch::{ElemType, Scalar};

use super::Draw;
use crate::tree::{Base, BinaryOp, Expr, FieldRef, Object, Place, Space, Type};
use crate::types::UINT;

/// Memory in scope.
#[derive(Clone, Copy)]
pub struct Memory {
    pub object: Object,
    pub elem: Type,
    pub space: Space,
    pub rule: Rule,
}

/// Who may touch which elements.
#[derive(Clone, Copy)]
pub enum Rule {
    /// Everyone reads everything; the length is a power of two.
    Any { len: usize },
    /// A work-item has `per` elements, from `base * per` on.
    Own { base: usize, per: usize },
    /// A work-item has all of it: an array, or what a pointer points to.
    Whole { len: usize, writable: bool },
    /// By turns a work-item's own elements, and everyone's to read.
    Tile {
        number: usize,
        per: usize,
        len: usize,
    },
    /// Everyone's, for one class of atomic operations.
    Atomic { len: usize, class: usize },
}

impl Draw {
    /// Whether a work-item may read, or write, at the moment.
    pub(super) fn allows(&self, memory: &Memory, write: bool) -> bool {
        match memory.rule {
            Rule::Any { .. } => !write,
            Rule::Own { .. } => true,
            Rule::Whole { writable, .. } => writable || !write,
            Rule::Tile { number, .. } => !write || !self.shared[number],
            Rule::Atomic { .. } => false,
        }
    }

    /// An element that may be read, or written, at the moment.
    pub(super) fn index(&mut self, memory: &Memory, write: bool, uniform: bool) -> Expr {
        let any = self.value(UINT, 1, uniform);
        match memory.rule {
            Rule::Any { len } | Rule::Whole { len, .. } | Rule::Atomic { len, .. } => {
                masked(any, len)
            }
            Rule::Own { .. } => self.own_index(memory, any),
            Rule::Tile { number, len, .. } => {
                if write || !self.shared[number] {
                    return self.own_index(memory, any);
                }
                let within = Expr::binary(BinaryOp::Rem, any, Expr::uint(len));
                self.in_segment(memory, len, within)
            }
        }
    }

    /// One of a work-item's own elements.
    pub(super) fn own_index(&mut self, memory: &Memory, any: Expr) -> Expr {
        let first = self.own_first(memory);
        match memory.rule {
            Rule::Own { per, .. } | Rule::Tile { per, .. } if per > 1 => {
                first.plus(masked(any, per))
            }
            Rule::Whole { len, .. } => masked(any, len),
            _ => first,
        }
    }

    /// The first of a work-item's own elements.
    pub(super) fn own_first(&mut self, memory: &Memory) -> Expr {
        let scaled = |base: usize, per: usize| {
            let base = Expr::var(base, UINT);
            if per == 1 {
                base
            } else {
                base.times(Expr::uint(per))
            }
        };
        match memory.rule {
            Rule::Own { base, per } => scaled(base, per),
            Rule::Tile { per, len, .. } => {
                let within = scaled(self.lane, per);
                self.in_segment(memory, len, within)
            }
            _ => Expr::uint(0),
        }
    }

    /// How many elements a work-item has from the first one on.
    pub(super) fn own_len(memory: &Memory) -> usize {
        match memory.rule {
            Rule::Own { per, .. } | Rule::Tile { per, .. } => per,
            Rule::Any { len } | Rule::Whole { len, .. } => len,
            Rule::Atomic { .. } => 0,
        }
    }

    /// A tile in global memory has one part for each group.
    fn in_segment(&self, memory: &Memory, len: usize, within: Expr) -> Expr {
        if memory.space == Space::Global {
            let first = Expr::var(self.group, UINT).times(Expr::uint(len));
            return first.plus(within);
        }
        within
    }

    /// A place in memory to read or write, with a member where it has any.
    pub(super) fn element(&mut self, write: bool, uniform: bool) -> Option<Place> {
        let mut candidates = self.memory.clone();
        candidates.retain(|m| self.allows(m, write));
        if uniform {
            candidates.retain(|m| matches!(m.rule, Rule::Any { .. }));
        }
        let memory = self.random.choose(&candidates)?;
        let index = self.index(&memory, write, uniform);
        Some(match memory.elem {
            Type::Elem(elem) => Place::element(memory.object, index, elem),
            Type::Struct(number) => {
                let base = Base::Element {
                    object: memory.object,
                    index: Box::new(index),
                };
                self.member(base, number, uniform)?
            }
        })
    }

    /// A member of a structure.
    pub(super) fn member(&mut self, base: Base, number: usize, uniform: bool) -> Option<Place> {
        let fields = self.program.structs.get(number)?.fields.clone();
        let at = self.random.below(fields.len());
        let field = fields.get(at)?;
        let index = field
            .array
            .map(|len| Box::new(masked(self.value(UINT, 0, uniform), len)));
        Some(Place {
            base,
            field: Some(FieldRef { field: at, index }),
            components: None,
            ty: field.ty,
        })
    }

    /// Memory of scalars with room for vectors, the number of vectors that a
    /// work-item may take, and the first one.
    pub(super) fn vectors(
        &mut self,
        scalar: Option<Scalar>,
        lanes: u8,
        write: bool,
    ) -> Option<(Object, ElemType, Expr)> {
        let n = usize::from(lanes);
        let mut candidates = self.memory.clone();
        candidates.retain(|m| {
            let fits = match m.elem {
                Type::Elem(e) => e.lanes == 1 && scalar.is_none_or(|s| s == e.scalar),
                Type::Struct(_) => false,
            };
            let tile = matches!(m.rule, Rule::Tile { .. });
            fits && !tile && self.allows(m, write) && Self::own_len(m) >= n
        });
        // A vector of three does not divide what a work-item has.
        if lanes == 3 {
            candidates.retain(|m| matches!(m.rule, Rule::Any { .. } | Rule::Whole { .. }));
        }
        let memory = self.random.choose(&candidates)?;
        let Type::Elem(elem) = memory.elem else {
            return None;
        };
        let any = self.value(UINT, 0, false);
        let count = Self::own_len(&memory) / n;
        let index = match memory.rule {
            Rule::Own { base, .. } => Expr::var(base, UINT)
                .times(Expr::uint(count))
                .plus(masked(any, count)),
            _ => Expr::binary(BinaryOp::Rem, any, Expr::uint(count)),
        };
        let ty = ElemType {
            scalar: elem.scalar,
            lanes,
        };
        Some((memory.object, ty, index))
    }
}

/// An index below a power of two.
fn masked(any: Expr, len: usize) -> Expr {
    if len == 1 {
        return Expr::uint(0);
    }
    Expr::binary(BinaryOp::And, any, Expr::uint(len - 1))
}
