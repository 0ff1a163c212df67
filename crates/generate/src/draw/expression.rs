//! Expressions of a wanted type.

use tilewise_launch::{ElemType, Scalar};

use super::{Draw, Known};
use crate::tree::{
    Base, BinaryOp, Builtin, CompareOp, Expr, Place, Query, Rounding, UnaryOp, Value, VarType,
};
use crate::types::{self, INT};

impl Draw {
    /// An expression of a type, `depth` operators deep, the same for all
    /// work-items of a group if it has to be.
    pub(super) fn value(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Expr {
        if depth > 0 {
            for _ in 0..4 {
                if let Some(e) = self.production(ty, depth - 1, uniform) {
                    return self.coerce(e, ty);
                }
            }
        }
        self.leaf(ty, uniform)
    }

    fn production(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Option<Expr> {
        let float = ty.scalar.is_float();
        match self.random.below(16) {
            0..4 => self.arithmetic(ty, depth, uniform),
            4 if !float => Some(self.division(ty, depth, uniform)),
            5 if !float => Some(self.shift(ty, depth, uniform)),
            6 => self.unary(ty, depth, uniform),
            7 => self.comparison(ty, depth, uniform),
            8 => Some(self.choice(ty, depth, uniform)),
            9..11 => self.builtin(ty, depth, uniform),
            11 => Some(self.conversion(ty, depth, uniform)),
            12 => self.reinterpretation(ty, depth, uniform),
            13 => self.parts(ty, depth, uniform),
            14 if ty.lanes == 1 && !float => Some(self.query(uniform)),
            _ => None,
        }
    }

    /// A variable, an element or a constant.
    fn leaf(&mut self, ty: ElemType, uniform: bool) -> Expr {
        match self.random.below(10) {
            0..5 => {
                if let Some(e) = self.read_variable(Some(ty), uniform) {
                    return e;
                }
            }
            5..7 => {
                if let Some(e) = self.read_variable(None, uniform) {
                    return self.coerce(e, ty);
                }
            }
            // An index needs no element of its own again and again.
            7..9 if ty != types::UINT => {
                if let Some(place) = self.element(false, uniform) {
                    return self.coerce(Expr::read(place), ty);
                }
            }
            _ => {}
        }
        Expr::literal(Value::random(ty, &mut self.random))
    }

    fn read_variable(&mut self, ty: Option<ElemType>, uniform: bool) -> Option<Expr> {
        let mut known: Vec<Known> = self.scope.clone();
        known.retain(|k| {
            (k.uniform || !uniform)
                && !matches!(k.ty, VarType::Array { .. } | VarType::Pointer { .. })
        });
        if let Some(ty) = ty {
            known.retain(|k| k.ty == VarType::Value(ty));
        }
        let known = self.random.choose(&known)?;
        match known.ty {
            VarType::Value(ty) => Some(Expr::var(known.var, ty)),
            VarType::Struct(number) => {
                let place = self.member(Base::Var(known.var), number, uniform)?;
                Some(Expr::read(place))
            }
            _ => None,
        }
    }

    /// Brings an expression to a type, by a conversion that is defined.
    pub(super) fn coerce(&mut self, e: Expr, ty: ElemType) -> Expr {
        let (from, to) = (e.ty, ty);
        if from == to {
            return e;
        }
        match (from.lanes, to.lanes) {
            (1, 1) => self.convert(e, to),
            (1, _) => {
                let scalar = self.coerce(e, ElemType::scalar(to.scalar));
                scalar.cast(to)
            }
            (n, m) if n != m => {
                let lanes = (0..m).map(|_| self.random.below(n.into()) as u8).collect();
                let picked = e.components(lanes);
                self.coerce(picked, to)
            }
            _ => self.convert(e, to),
        }
    }

    fn convert(&mut self, e: Expr, to: ElemType) -> Expr {
        let rounding = self.random.pick([
            Rounding::Default,
            Rounding::Default,
            Rounding::NearestEven,
            Rounding::Zero,
            Rounding::Up,
            Rounding::Down,
        ]);
        let (from_float, to_float) = (e.ty.scalar.is_float(), to.scalar.is_float());
        if from_float && !to_float {
            let e = number(e);
            return e.convert(to, rounding, true);
        }
        if to.lanes == 1 && self.random.chance(70) {
            return e.cast(to);
        }
        if to_float {
            return e.convert(to, rounding, false);
        }
        let saturate = self.random.chance(40);
        e.convert(to, Rounding::Default, saturate)
    }

    fn arithmetic(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Option<Expr> {
        let float = ty.scalar.is_float();
        let op = if float {
            self.random
                .pick([BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div])
        } else {
            self.random.pick([
                BinaryOp::Add,
                BinaryOp::Add,
                BinaryOp::Sub,
                BinaryOp::Mul,
                BinaryOp::And,
                BinaryOp::Or,
                BinaryOp::Xor,
            ])
        };
        let mut types = [ty, ty];
        if ty.lanes > 1 {
            // A scalar goes with each component.
            if self.random.chance(30) {
                types[self.random.below(2)] = ElemType::scalar(ty.scalar);
            }
        } else if self.random.chance(if float { 10 } else { 40 }) {
            types[self.random.below(2)] = ElemType::scalar(self.integer_type());
        }
        let a = self.value(types[0], depth, uniform);
        let b = self.value(types[1], depth, uniform);
        Some(Expr::binary(op, a, b))
    }

    fn division(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Expr {
        let op = self.random.pick([BinaryOp::Div, BinaryOp::Rem]);
        let a = self.value(ty, depth, uniform);
        let divisor = if ty.lanes > 1 || self.random.chance(40) {
            let n = self.random.between(1, 13) as i32;
            // The least number divided by -1 is not defined.
            let n = if types::is_signed(ty.scalar) && self.random.chance(30) {
                -n - 1
            } else {
                n
            };
            Expr::small(ty, n)
        } else {
            let any = self.value(ty, depth, uniform);
            let small = Expr::binary(BinaryOp::And, any, Expr::small(ty, 15));
            small.plus(Expr::small(ty, 1))
        };
        Expr::binary(op, a, divisor)
    }

    fn shift(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Expr {
        let op = self.random.pick([BinaryOp::Shl, BinaryOp::Shr]);
        let a = self.value(ty, depth, uniform);
        let by = if ty.lanes == 1 {
            ElemType::scalar(self.integer_type())
        } else if self.random.chance(50) {
            ElemType::scalar(ty.scalar)
        } else {
            ty
        };
        let by = if self.random.chance(60) {
            Expr::small(
                by,
                self.random.below(types::bits(ty.scalar) as usize) as i32,
            )
        } else {
            self.value(by, depth, uniform)
        };
        Expr::binary(op, a, by)
    }

    fn unary(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Option<Expr> {
        let a = self.value(ty, depth, uniform);
        let op = match self.random.below(3) {
            0 => UnaryOp::Neg,
            1 if !ty.scalar.is_float() => UnaryOp::BitNot,
            2 if ty.lanes == 1 && !ty.scalar.is_float() => UnaryOp::Not,
            _ => UnaryOp::Neg,
        };
        Some(Expr::unary(op, a))
    }

    /// A scalar comparison of any type, or a vector's components.
    fn comparison(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Option<Expr> {
        let signed = types::is_signed(ty.scalar);
        if ty.lanes == 1 {
            return (!ty.scalar.is_float()).then(|| self.condition(depth, uniform));
        }
        if !signed {
            return None;
        }
        let size = ty.scalar.size();
        let scalar = match (self.random.below(3), size) {
            (0, 4) => Scalar::F32,
            (0, 8) => Scalar::F64,
            (1, _) => types::unsigned(ty.scalar),
            _ => ty.scalar,
        };
        let operand = types::with_scalar(ty, scalar);
        let a = self.value(operand, depth, uniform);
        let b = self.value(operand, depth, uniform);
        Some(Expr::compare(self.compare_op(), a, b))
    }

    pub(super) fn compare_op(&mut self) -> CompareOp {
        self.random.pick([
            CompareOp::Lt,
            CompareOp::Le,
            CompareOp::Gt,
            CompareOp::Ge,
            CompareOp::Eq,
            CompareOp::Ne,
        ])
    }

    /// An `int` that is 0 or 1.
    pub(super) fn condition(&mut self, depth: usize, uniform: bool) -> Expr {
        let deeper = depth.saturating_sub(1);
        match self.random.below(10) {
            0 if depth > 0 => {
                let and = self.random.chance(50);
                let a = self.condition(deeper, uniform);
                let b = self.condition(deeper, uniform);
                Expr::logical(and, a, b)
            }
            1 => {
                // Every so many work-items: divides sub-groups for sure.
                let ty = ElemType::scalar(self.integer_type());
                let any = self.value(ty, deeper, uniform);
                let bits = Expr::binary(BinaryOp::And, any, Expr::small(ty, 3));
                Expr::compare(CompareOp::Ne, bits, Expr::small(INT, 0))
            }
            2 => self
                .relation(ElemType::scalar(Scalar::F32), deeper, uniform)
                .unwrap_or_else(|| Expr::small(INT, 1)),
            _ => {
                let ty = ElemType::scalar(self.scalar_type());
                let a = self.value(ty, depth, uniform);
                let b = if self.random.chance(50) {
                    Expr::small(ty, self.random.below(8) as i32)
                } else {
                    self.value(ty, deeper, uniform)
                };
                Expr::compare(self.compare_op(), a, b)
            }
        }
    }

    /// `?:` or `select`.
    fn choice(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Expr {
        let a = self.value(ty, depth, uniform);
        let b = self.value(ty, depth, uniform);
        let mask = types::with_scalar(ty, types::signed(ty.scalar));
        match self.random.below(3) {
            0 if ty.lanes > 1 => {
                let condition = self.value(mask, depth, uniform);
                Expr::ternary(condition, a, b)
            }
            1 => {
                let unsigned = types::with_scalar(ty, types::unsigned(ty.scalar));
                let mask = self.random.pick([mask, unsigned]);
                let condition = self.value(mask, depth, uniform);
                Expr::call(Builtin::Select, ty, vec![a, b, condition])
            }
            _ => {
                let condition = self.condition(depth, uniform);
                Expr::ternary(condition, a, b)
            }
        }
    }

    fn conversion(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Expr {
        let other = types::with_scalar(ty, self.scalar_type());
        let e = self.value(other, depth, uniform);
        if e.ty == ty {
            return e;
        }
        self.convert(e, ty)
    }

    /// `as_…` of a type of the same size.
    fn reinterpretation(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Option<Expr> {
        let bytes = ty.scalar.size() * u64::from(ty.lanes);
        let other = ElemType {
            scalar: self.scalar_type(),
            lanes: if ty.lanes == 3 {
                3
            } else {
                self.random.pick([1, 2, 4, 8, 16])
            },
        };
        if other == ty || other.scalar.size() * u64::from(other.lanes) != bytes {
            return None;
        }
        let e = self.value(other, depth, uniform);
        let e = if other.scalar.is_float() {
            number(e)
        } else {
            e
        };
        let e = e.bits(ty);
        // Nobody says what becomes of a signalling NaN.
        Some(if ty.scalar.is_float() { number(e) } else { e })
    }

    fn query(&mut self, uniform: bool) -> Expr {
        let query = if uniform {
            self.random.pick([
                Query::GroupId,
                Query::GlobalSize,
                Query::LocalSize,
                Query::NumGroups,
                Query::GlobalOffset,
                Query::WorkDim,
            ])
        } else {
            self.random.pick([
                Query::GlobalId,
                Query::GlobalId,
                Query::LocalId,
                Query::GroupId,
            ])
        };
        let dim = self.random.below(usize::from(self.program.range.dims));
        Expr::query(query, dim as u8)
    }

    /// Some components of a variable's place.
    pub(super) fn with_components(&mut self, place: Place) -> Place {
        let lanes = place.ty.lanes;
        let wanted = self.random.pick([1, 1, 2, 4]);
        if lanes == 1 || wanted > lanes {
            return place;
        }
        let mut left: Vec<u8> = (0..lanes).collect();
        let chosen = (0..wanted)
            .map(|_| left.remove(self.random.below(left.len())))
            .collect();
        place.with_components(chosen)
    }
}

/// Turns a NaN into 0.
pub fn number(e: Expr) -> Expr {
    let ty = e.ty;
    Expr::call(Builtin::Number, ty, vec![e])
}
