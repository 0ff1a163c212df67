//! Vectors from parts and parts from vectors.

use tilewise_launch::ElemType;

use super::Draw;
use crate::tree::{Builtin, Expr, ExprKind};
use crate::types;

impl Draw {
    /// A scalar as a component; a vector as a literal, from another vector's
    /// components, or from memory.
    pub(super) fn parts(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Option<Expr> {
        let lanes = self.random.pick([2, 3, 4, 8, 16]);
        let other = ElemType { lanes, ..ty };
        if ty.lanes == 1 {
            let e = self.value(other, depth, uniform);
            let lane = self.random.below(usize::from(lanes)) as u8;
            return Some(e.components(vec![lane]));
        }
        match self.random.below(4) {
            0 => Some(self.vector_literal(ty, depth, uniform)),
            1 => {
                let e = self.value(other, depth, uniform);
                Some(self.some_components(e, ty.lanes))
            }
            2 => self.shuffle(ty, depth, uniform),
            _ if !uniform => {
                let (object, ty, index) = self.vectors(Some(ty.scalar), ty.lanes, false)?;
                Some(Expr {
                    ty,
                    kind: ExprKind::VLoad {
                        object,
                        index: Box::new(index),
                    },
                })
            }
            _ => None,
        }
    }

    /// `(int4)(a, b.xy, c)`
    fn vector_literal(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Expr {
        let mut parts = Vec::new();
        let mut left = ty.lanes;
        while left > 0 {
            let lanes = self.random.pick([1, 1, 2, 3, 4, 8]);
            if lanes > left || lanes == ty.lanes {
                continue;
            }
            left -= lanes;
            let part = ElemType { lanes, ..ty };
            // Sixteen deep parts are no help to anyone.
            let depth = if ty.lanes > 4 { 0 } else { depth };
            parts.push(self.value(part, depth, uniform));
        }
        Expr::vector(ty, parts)
    }

    /// Components in some order, or one of the named halves.
    fn some_components(&mut self, e: Expr, count: u8) -> Expr {
        let lanes = e.ty.lanes;
        let (first, step) = match self.random.below(4) {
            0 if lanes == 2 * count => (0, 1),
            1 if lanes == 2 * count => (count, 1),
            2 if lanes == 2 * count => (0, 2),
            3 if lanes == 2 * count => (1, 2),
            _ => {
                let lanes = usize::from(lanes);
                let any = (0..count).map(|_| self.random.below(lanes) as u8);
                let any = any.collect();
                return e.components(any);
            }
        };
        e.components((0..count).map(|i| first + step * i).collect())
    }

    fn shuffle(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Option<Expr> {
        if ty.lanes == 3 {
            return None;
        }
        let lanes = self.random.pick([2, 4, 8, 16]);
        let from = ElemType { lanes, ..ty };
        let mask = types::with_scalar(ty, types::unsigned(ty.scalar));
        let mut args = vec![self.value(from, depth, uniform)];
        let builtin = if self.random.chance(50) {
            Builtin::Shuffle
        } else {
            args.push(self.value(from, depth, uniform));
            Builtin::Shuffle2
        };
        args.push(self.value(mask, depth.min(1), uniform));
        Some(Expr::call(builtin, ty, args))
    }
}
