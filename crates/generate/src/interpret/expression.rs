//! Values of expressions and places.

use tilewise_launch::ElemType;

use super::machine::{Machine, Pointer, Slot, Target};
use super::memory::Access;
use super::{Undefined, arithmetic, builtins, convert};
use crate::tree::{
    Base, BinaryOp, Expr, ExprKind, FieldRef, Object, Place, Rounding, Value, VarType,
};
use crate::types;

/// Where a place is: a variable's leaf or memory's.
pub enum Spot {
    /// Leaf of a variable.
    Var(usize, usize),
    /// Element and leaf.
    At(Pointer, i64, usize),
}

impl Machine<'_> {
    /// The value of an expression for a work-item.
    pub fn eval(&mut self, item: usize, e: &Expr) -> Result<Value, Undefined> {
        match &e.kind {
            ExprKind::Literal(value) => Ok(*value),
            ExprKind::Read(place) => self.read(item, place),
            ExprKind::Query(query, dim) => {
                Ok(Value::scalar(e.ty.scalar, self.query(item, *query, *dim)))
            }
            ExprKind::Unary(op, a) => {
                let a = self.eval(item, a)?;
                // `!` looks at the operand as it is, the others at the promoted.
                let a = if *op == crate::tree::UnaryOp::Not {
                    a
                } else {
                    to_type(&a, e.ty)?
                };
                map(&a, e.ty, |s, bits| arithmetic::unary(*op, s, bits))
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.eval(item, a)?, self.eval(item, b)?);
                binary(*op, &a, &b)
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.eval(item, a)?, self.eval(item, b)?);
                let ty = types::arithmetic(a.ty, b.ty);
                let (a, b) = (to_type(&a, ty)?, to_type(&b, ty)?);
                let yes = if ty.lanes == 1 {
                    1
                } else {
                    crate::tree::value::mask(e.ty.scalar)
                };
                let mut result = Value::zero(e.ty);
                for i in 0..result.lanes() {
                    let holds = arithmetic::compare(*op, ty.scalar, a.bits[i], b.bits[i]);
                    result.bits[i] = if holds { yes } else { 0 };
                }
                Ok(result)
            }
            ExprKind::Logical(and, a, b) => {
                let a = self.truth(item, a)?;
                let result = if a == *and { self.truth(item, b)? } else { a };
                Ok(Value::small(e.ty, i32::from(result)))
            }
            ExprKind::Ternary(condition, a, b) => self.ternary(item, e.ty, condition, a, b),
            ExprKind::Cast(a) => {
                let a = self.eval(item, a)?;
                to_type(&a, e.ty)
            }
            ExprKind::Convert(rounding, saturate, a) => {
                let a = self.eval(item, a)?;
                map(&a, e.ty, |s, bits| {
                    convert::convert(s, e.ty.scalar, bits, *rounding, *saturate)
                })
            }
            ExprKind::Bits(a) => Ok(Value::from_bytes(e.ty, &self.eval(item, a)?.bytes())),
            ExprKind::Vector(parts) => {
                let mut result = Value::zero(e.ty);
                let mut at = 0;
                for part in parts {
                    let part = self.eval(item, part)?;
                    for &bits in part.components() {
                        if at < result.lanes() {
                            result.bits[at] = bits;
                        }
                        at += 1;
                    }
                }
                if at != result.lanes() {
                    return Err(Undefined::Malformed("a vector of too many or few parts"));
                }
                Ok(result)
            }
            ExprKind::Components(a, components) => {
                let a = self.eval(item, a)?;
                Ok(pick(&a, components, e.ty))
            }
            ExprKind::Call(builtin, args) => {
                let args: Result<Vec<Value>, _> = args.iter().map(|a| self.eval(item, a)).collect();
                builtins::call(*builtin, e.ty, &args?)
            }
            ExprKind::VLoad { object, index } => {
                let first = self.index(item, index)? * i64::from(e.ty.lanes);
                let start = self.object(item, *object)?;
                let mut result = Value::zero(e.ty);
                for i in 0..result.lanes() {
                    let spot = Spot::At(start, first + i as i64, 0);
                    result.bits[i] = self.load(item, &spot)?.bits[0];
                }
                Ok(result)
            }
        }
    }

    fn ternary(
        &mut self,
        item: usize,
        ty: ElemType,
        condition: &Expr,
        a: &Expr,
        b: &Expr,
    ) -> Result<Value, Undefined> {
        if condition.ty.lanes == 1 {
            let chosen = if self.truth(item, condition)? { a } else { b };
            let value = self.eval(item, chosen)?;
            return to_type(&value, ty);
        }
        let condition = self.eval(item, condition)?;
        let (a, b) = (self.eval(item, a)?, self.eval(item, b)?);
        let top = 1u64 << (types::bits(condition.ty.scalar) - 1);
        let mut result = Value::zero(ty);
        for i in 0..result.lanes() {
            let set = condition.bits[i] & top != 0;
            result.bits[i] = if set { a.bits[i] } else { b.bits[i] };
        }
        Ok(result)
    }

    /// Whether a scalar is not zero.
    pub fn truth(&mut self, item: usize, e: &Expr) -> Result<bool, Undefined> {
        let value = self.eval(item, e)?;
        let zero = arithmetic::unary(crate::tree::UnaryOp::Not, value.ty.scalar, value.bits[0])?;
        Ok(zero == 0)
    }

    /// An integer.
    pub fn index(&mut self, item: usize, e: &Expr) -> Result<i64, Undefined> {
        let value = self.eval(item, e)?;
        i64::try_from(convert::integer(value.ty.scalar, value.bits[0]))
            .map_err(|_| Undefined::Malformed("an index beyond 64 bits"))
    }

    /// Finds a place.
    pub fn spot(
        &mut self,
        item: usize,
        base: &Base,
        field: Option<&FieldRef>,
    ) -> Result<Spot, Undefined> {
        match base {
            Base::Var(var) => {
                let leaf = match (field, self.var_types().get(*var)) {
                    (Some(field), Some(VarType::Struct(number))) => {
                        self.leaf(item, *number, field)?
                    }
                    (None, _) => 0,
                    (Some(_), _) => return Err(Undefined::Malformed("a member of no structure")),
                };
                Ok(Spot::Var(*var, leaf))
            }
            Base::Element { object, index } => {
                let index = self.index(item, index)?;
                let start = self.object(item, *object)?;
                let structure = match start.target {
                    Target::Shared(n) => self.shared.get(n).and_then(|c| c.structure),
                    Target::Private(..) => None,
                };
                let leaf = match (field, structure) {
                    (Some(field), Some(number)) => self.leaf(item, number, field)?,
                    (None, _) => 0,
                    (Some(_), None) => {
                        return Err(Undefined::Malformed("a member of no structure"));
                    }
                };
                Ok(Spot::At(start, index, leaf))
            }
        }
    }

    fn leaf(&mut self, item: usize, number: usize, field: &FieldRef) -> Result<usize, Undefined> {
        let first = self.program.first_leaf(number, field.field);
        let fields = self.program.structs.get(number).map(|s| &s.fields);
        let length = fields
            .and_then(|f| f.get(field.field))
            .and_then(|f| f.array)
            .unwrap_or(1);
        let Some(index) = &field.index else {
            return Ok(first);
        };
        let index = self.index(item, index)?;
        match usize::try_from(index) {
            Ok(i) if i < length => Ok(first + i),
            _ => Err(Undefined::OutOfBounds {
                what: format!("a member of structure {number}"),
                element: index,
            }),
        }
    }

    /// Reads a place.
    pub fn read(&mut self, item: usize, place: &Place) -> Result<Value, Undefined> {
        let spot = self.spot(item, &place.base, place.field.as_ref())?;
        let whole = self.load(item, &spot)?;
        Ok(match &place.components {
            Some(components) => pick(&whole, components, place.ty),
            None => whole,
        })
    }

    /// Reads a spot.
    pub fn load(&mut self, item: usize, spot: &Spot) -> Result<Value, Undefined> {
        let who = self.who(item);
        match *spot {
            Spot::Var(var, leaf) => {
                let unwritten = || Undefined::Uninitialised {
                    what: format!("v{var}"),
                };
                match self.slot(item, var)? {
                    Slot::Value(value) => Ok(*value),
                    Slot::Many(values) => values.get(leaf).copied().ok_or_else(unwritten),
                    Slot::Empty | Slot::Pointer(_) => Err(unwritten()),
                }
            }
            Spot::At(pointer, index, leaf) => {
                let at = pointer.offset + index;
                match pointer.target {
                    Target::Shared(n) => {
                        let cells = self.cells(n)?;
                        let value = *cells.access(at, leaf, Access::Read, &who)?;
                        let name = &self.shared[n].name;
                        value.ok_or_else(|| Undefined::Uninitialised {
                            what: format!("{name}[{at}]"),
                        })
                    }
                    Target::Private(frame, var) => Ok(*self.private(item, frame, var, at)?),
                }
            }
        }
    }

    /// Writes a spot.
    pub fn store(&mut self, item: usize, spot: &Spot, value: Value) -> Result<(), Undefined> {
        let who = self.who(item);
        match *spot {
            Spot::Var(var, leaf) => match self.slot(item, var)? {
                Slot::Value(old) => *old = value,
                Slot::Many(values) if leaf < values.len() => values[leaf] = value,
                _ => {
                    return Err(Undefined::Uninitialised {
                        what: format!("v{var}"),
                    });
                }
            },
            Spot::At(pointer, index, leaf) => {
                let at = pointer.offset + index;
                match pointer.target {
                    Target::Shared(n) => {
                        let cells = self.cells(n)?;
                        *cells.access(at, leaf, Access::Write, &who)? = Some(value);
                    }
                    Target::Private(frame, var) => {
                        *self.private(item, frame, var, at)? = value;
                    }
                }
            }
        }
        Ok(())
    }

    /// Memory that work-items share.
    pub fn cells(&mut self, n: usize) -> Result<&mut super::memory::Cells, Undefined> {
        self.shared
            .get_mut(n)
            .ok_or(Undefined::Malformed("memory that is not there"))
    }

    fn private(
        &mut self,
        item: usize,
        frame: usize,
        var: usize,
        at: i64,
    ) -> Result<&mut Value, Undefined> {
        let slot = self.items[item]
            .frames
            .get_mut(frame)
            .and_then(|f| f.get_mut(var));
        let element = match (slot, usize::try_from(at)) {
            (Some(Slot::Many(values)), Ok(i)) => values.get_mut(i),
            _ => None,
        };
        element.ok_or_else(|| Undefined::OutOfBounds {
            what: format!("v{var}"),
            element: at,
        })
    }

    /// An object's element type when it is one of scalars.
    pub fn element_spot(
        &mut self,
        item: usize,
        object: Object,
        index: &Expr,
    ) -> Result<Spot, Undefined> {
        let index = self.index(item, index)?;
        Ok(Spot::At(self.object(item, object)?, index, 0))
    }
}

/// An operator on two values, with C's conversions.
pub fn binary(op: BinaryOp, a: &Value, b: &Value) -> Result<Value, Undefined> {
    let ty = crate::tree::build::binary_type(op, a.ty, b.ty);
    let a = to_type(a, ty)?;
    let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
    let b = if shift && ty.lanes == 1 {
        *b
    } else {
        to_type(b, ty)?
    };
    let mut result = Value::zero(ty);
    for i in 0..result.lanes() {
        let bits = arithmetic::binary(op, ty.scalar, a.bits[i], b.bits[i], b.ty.scalar)?;
        result.bits[i] = bits;
    }
    Ok(result)
}

/// C's implicit conversion, and a scalar to every component of a vector.
pub fn to_type(value: &Value, ty: ElemType) -> Result<Value, Undefined> {
    if value.ty == ty {
        return Ok(*value);
    }
    let mut result = Value::zero(ty);
    let splat = value.ty.lanes == 1;
    if !splat && value.ty.lanes != ty.lanes {
        return Err(Undefined::Malformed("vectors of different lengths"));
    }
    for i in 0..result.lanes() {
        let bits = value.bits[if splat { 0 } else { i }];
        result.bits[i] =
            convert::convert(value.ty.scalar, ty.scalar, bits, Rounding::Default, false)?;
    }
    Ok(result)
}

fn map(
    a: &Value,
    ty: ElemType,
    f: impl Fn(tilewise_launch::Scalar, u64) -> Result<u64, Undefined>,
) -> Result<Value, Undefined> {
    let mut result = Value::zero(ty);
    for i in 0..result.lanes() {
        result.bits[i] = f(a.ty.scalar, a.bits[i])?;
    }
    Ok(result)
}

fn pick(value: &Value, components: &[u8], ty: ElemType) -> Value {
    let mut result = Value::zero(ty);
    for (to, &from) in result.bits.iter_mut().zip(components) {
        *to = value.bits[usize::from(from) & 15];
    }
    result
}
