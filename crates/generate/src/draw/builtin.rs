//! Calls of builtin functions, with arguments for which OpenCL says what the
//! result is.

use tilewise_launch::{ElemType, Scalar};

use super::Draw;
use super::expression::number;
use crate::tree::{BinaryOp, Builtin, Expr};
use crate::types::{self, INT};

impl Draw {
    pub(super) fn builtin(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Option<Expr> {
        if ty.scalar.is_float() {
            return Some(self.float_builtin(ty, depth, uniform));
        }
        match self.random.below(6) {
            0 if types::is_signed(ty.scalar) => {
                let scalar = match ty.scalar.size() {
                    8 => Scalar::F64,
                    _ => Scalar::F32,
                };
                let fits = ty.lanes == 1 || ty.scalar.size() >= 4;
                if !fits {
                    return None;
                }
                self.relation(types::with_scalar(ty, scalar), depth, uniform)
            }
            1 if ty.lanes == 1 => Some(self.any_or_all(depth, uniform)),
            _ => Some(self.integer_builtin(ty, depth, uniform)),
        }
    }

    fn any_or_all(&mut self, depth: usize, uniform: bool) -> Expr {
        let scalar = self
            .random
            .pick([Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]);
        let lanes = self.random.pick([1, 2, 3, 4, 8, 16]);
        let e = self.value(ElemType { scalar, lanes }, depth, uniform);
        let builtin = self.random.pick([Builtin::Any, Builtin::All]);
        Expr::call(builtin, INT, vec![e])
    }

    /// A relational function of floats of this type: `int`, or -1 and 0 by
    /// component.
    pub(super) fn relation(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Option<Expr> {
        let result = if ty.lanes == 1 {
            INT
        } else {
            types::with_scalar(ty, types::signed(ty.scalar))
        };
        let a = self.value(ty, depth, uniform);
        if self.random.chance(35) {
            let builtin = self.random.pick([
                Builtin::Isnan,
                Builtin::Isinf,
                Builtin::Isfinite,
                Builtin::Isnormal,
                Builtin::Signbit,
            ]);
            let a = if builtin == Builtin::Signbit {
                number(a)
            } else {
                a
            };
            return Some(Expr::call(builtin, result, vec![a]));
        }
        let builtin = self.random.pick([
            Builtin::Isequal,
            Builtin::Isnotequal,
            Builtin::Isgreater,
            Builtin::Isgreaterequal,
            Builtin::Isless,
            Builtin::Islessequal,
            Builtin::Islessgreater,
            Builtin::Isordered,
            Builtin::Isunordered,
        ]);
        let b = self.value(ty, depth, uniform);
        Some(Expr::call(builtin, result, vec![a, b]))
    }

    fn integer_builtin(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Expr {
        let signed = types::is_signed(ty.scalar);
        let size = ty.scalar.size();
        let builtin = self.random.pick([
            Builtin::Abs,
            Builtin::AbsDiff,
            Builtin::AddSat,
            Builtin::SubSat,
            Builtin::Hadd,
            Builtin::Rhadd,
            Builtin::Clz,
            Builtin::Popcount,
            Builtin::MulHi,
            Builtin::MadHi,
            Builtin::MadSat,
            Builtin::Rotate,
            Builtin::Mul24,
            Builtin::Mad24,
            Builtin::Upsample,
            Builtin::Min,
            Builtin::Max,
            Builtin::Clamp,
            Builtin::Bitselect,
        ]);
        let a = self.value(ty, depth, uniform);
        let mut result = ty;
        let args = match builtin {
            Builtin::Abs => {
                result = types::with_scalar(ty, types::unsigned(ty.scalar));
                // PoCL 3.1 takes the least number's for undefined.
                let a = if signed {
                    let odd = Expr::binary(BinaryOp::Or, a, Expr::small(ty, 1));
                    self.coerce(odd, ty)
                } else {
                    a
                };
                vec![a]
            }
            Builtin::AbsDiff => {
                result = types::with_scalar(ty, types::unsigned(ty.scalar));
                vec![a, self.value(ty, depth, uniform)]
            }
            Builtin::Clz | Builtin::Popcount => vec![a],
            Builtin::MadHi => {
                let b = self.value(ty, depth, uniform);
                let c = self.value(ty, 0, uniform);
                // The sum must not leave the type, for which nobody wraps.
                let c = Expr::binary(BinaryOp::And, c, Expr::small(ty, 15));
                vec![a, b, self.coerce(c, ty)]
            }
            Builtin::MadSat | Builtin::Bitselect => {
                let b = self.value(ty, depth, uniform);
                vec![a, b, self.value(ty, 0, uniform)]
            }
            Builtin::Mul24 | Builtin::Mad24 if size == 4 => {
                let b = self.value(ty, depth, uniform);
                let c = self.value(ty, 0, uniform);
                let mut args = vec![short(a, ty), short(b, ty)];
                if builtin == Builtin::Mad24 {
                    args.push(short(c, ty));
                }
                args
            }
            Builtin::Mul24 | Builtin::Mad24 => {
                return Expr::call(Builtin::Popcount, ty, vec![a]);
            }
            Builtin::Upsample if size >= 2 => {
                let half = |signed| types::with_scalar(ty, types::integer(size / 2, signed));
                let high = self.value(half(signed), depth, uniform);
                let low = self.value(half(false), depth, uniform);
                vec![high, low]
            }
            Builtin::Upsample => {
                return Expr::call(Builtin::Clz, ty, vec![a]);
            }
            Builtin::Clamp => {
                let low = self.random.below(20) as i32;
                let low = if signed { low - 10 } else { low };
                let high = low + self.random.below(90) as i32;
                vec![a, Expr::small(ty, low), Expr::small(ty, high)]
            }
            _ => vec![a, self.value(ty, depth, uniform)],
        };
        Expr::call(builtin, result, args)
    }

    fn float_builtin(&mut self, ty: ElemType, depth: usize, uniform: bool) -> Expr {
        let builtin = self.random.pick([
            Builtin::Fabs,
            Builtin::Floor,
            Builtin::Ceil,
            Builtin::Trunc,
            Builtin::Rint,
            Builtin::Round,
            Builtin::Sqrt,
            Builtin::Fma,
            Builtin::Fmin,
            Builtin::Fmax,
            Builtin::Fdim,
            Builtin::Fmod,
            Builtin::Copysign,
            Builtin::Nextafter,
            Builtin::Sign,
            Builtin::Step,
            Builtin::Ldexp,
            Builtin::Clamp,
        ]);
        let a = self.value(ty, depth, uniform);
        let args = match builtin {
            Builtin::Fma => {
                let b = self.value(ty, depth, uniform);
                vec![a, b, self.value(ty, 0, uniform)]
            }
            Builtin::Copysign => vec![a, number(self.value(ty, depth, uniform))],
            Builtin::Step | Builtin::Sign => {
                let mut args = vec![number(a)];
                if builtin == Builtin::Step {
                    args.push(number(self.value(ty, depth, uniform)));
                }
                args
            }
            Builtin::Ldexp => {
                let int = types::with_scalar(ty, Scalar::I32);
                let n = self.value(int, 0, uniform);
                let (low, high) = (Expr::small(int, -300), Expr::small(int, 300));
                vec![a, Expr::call(Builtin::Clamp, int, vec![n, low, high])]
            }
            // PoCL 3.1 loses NaNs here, or dies, where it knows them when it
            // compiles.
            Builtin::Floor | Builtin::Ceil | Builtin::Trunc | Builtin::Rint | Builtin::Round => {
                vec![number(a)]
            }
            Builtin::Clamp => {
                let low = self.random.below(10) as i32 - 10;
                let high = low + self.random.below(20) as i32;
                vec![number(a), Expr::small(ty, low), Expr::small(ty, high)]
            }
            Builtin::Fmin | Builtin::Fmax | Builtin::Fdim | Builtin::Fmod | Builtin::Nextafter => {
                vec![a, self.value(ty, depth, uniform)]
            }
            _ => vec![a],
        };
        let call = Expr::call(builtin, ty, args);
        match builtin {
            Builtin::Fmin | Builtin::Fmax | Builtin::Clamp => {
                Expr::call(Builtin::PlusZero, ty, vec![call])
            }
            _ => call,
        }
    }
}

/// The low 14 bits, with their sign: what `mul24` and `mad24` can take without
/// a sum that leaves 32 bits.
fn short(e: Expr, ty: ElemType) -> Expr {
    let by = || Expr::small(ty, 18);
    Expr::binary(BinaryOp::Shr, Expr::binary(BinaryOp::Shl, e, by()), by())
}
