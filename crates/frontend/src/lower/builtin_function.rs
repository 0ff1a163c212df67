//! The builtin functions of `OpenCL.std`.
//!
//! Most are one operation of the IR per component ([`MathFn`]); the rest is
//! spelled out here or in [`super::geometric`] and [`super::half`]. `native_`
//! and `half_` forms are lowered as the full-precision function: their error
//! is the implementation's choice.

use rspirv::spirv::CLOp as C;
use smallvec::smallvec;
use tilewise_ir::{BinaryOp, CompareOp, Conversion, MathFn, MemAccess, Op, Space, Ty, Value};

use super::emitter::{Components, Emitter};
use super::half::component_count;
use crate::error::FrontendError;
use crate::spirv::reader::OPENCL_STD;
use crate::spirv::{Id, Inst};

impl Emitter<'_, '_> {
    /// Emits one `OpExtInst`: set, number, then the arguments.
    pub fn builtin_function(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let set = self.module.imports.get(&inst.id(0)?);
        if set.is_none_or(|name| name != OPENCL_STD) {
            return Err(inst.bad("uses an instruction set that is not imported"));
        }
        let number = inst.literal(1)?;
        let Some(fun) = C::from_u32(number) else {
            return Err(self.refuse(
                format!("the builtin function number {number}"),
                "`OpenCL.std` has no such function",
            ));
        };
        match fun {
            C::vloadn => return self.vload(inst),
            C::vstoren => return self.vstore(inst),
            C::vload_half => return self.load_halves(inst, false, false),
            C::vload_halfn => return self.load_halves(inst, false, true),
            C::vloada_halfn => return self.load_halves(inst, true, true),
            C::vstore_half | C::vstore_half_r | C::vstore_halfn | C::vstore_halfn_r => {
                return self.store_halves(inst, false);
            }
            C::vstorea_halfn | C::vstorea_halfn_r => return self.store_halves(inst, true),
            C::printf => return self.printf(inst),
            // Only a hint.
            C::prefetch => return Ok(()),
            C::fract | C::modf | C::sincos | C::frexp | C::lgamma_r | C::remquo => {
                return self.two_results(inst, fun);
            }
            _ => {}
        }
        let id = inst.result()?;
        let ty = inst.result_type()?;
        let args = inst
            .ids_from(2)?
            .into_iter()
            .map(|id| self.values(id))
            .collect::<Result<Vec<_>, _>>()?;
        let values = self.plain_function(inst, fun, ty, &args)?;
        self.define(id, ty, values)
    }

    fn plain_function(
        &mut self,
        inst: &Inst,
        fun: C,
        ty: Id,
        args: &[Components],
    ) -> Result<Components, FrontendError> {
        let scalar = self.scalar_of(ty)?;
        if let Some((math, arity)) = math_fn(fun) {
            if args.len() != arity {
                return Err(inst.bad("has the wrong number of arguments"));
            }
            let leaves = self.module.ty(ty)?.leaves as usize;
            return (0..leaves)
                .map(|i| {
                    let args = args
                        .iter()
                        .map(|a| match a.as_slice() {
                            // `fmax(v, 0.0f)`: one scalar for all components.
                            [only] => Some(*only),
                            all => all.get(i).copied(),
                        })
                        .collect::<Option<Components>>();
                    let args = args.ok_or_else(|| inst.bad("mixes vector lengths"))?;
                    self.check_math(inst, math, scalar, &args)?;
                    self.math(math, scalar, &args)
                })
                .collect();
        }
        let one = |v: Value| Components::from_slice(&[v]);
        Ok(match (fun, args) {
            (C::half_divide | C::native_divide, [a, b]) => {
                self.each_pair(a, b, |e, a, b| e.binary(BinaryOp::FDiv, a, b))?
            }
            (C::half_recip | C::native_recip, [a]) => self.each(a, |e, a| {
                let ty = e.float_type(a)?;
                let unit = e.float(ty, 1.0);
                e.binary(BinaryOp::FDiv, unit, a)
            })?,
            (C::length | C::fast_length, [a]) => {
                for &v in a {
                    self.float_type(v)?;
                }
                one(self.math(MathFn::Length, scalar, a)?)
            }
            (C::distance | C::fast_distance, [a, b]) => {
                one(self.over_vectors(MathFn::Distance, scalar, a, b)?)
            }
            (C::normalize | C::fast_normalize, [a]) => self.normalize(a)?,
            (C::cross, [a, b]) => self.cross(a, b)?,
            // The absolute value of an unsigned number.
            (C::u_abs, [a]) => a.clone(),
            (C::u_upsample | C::s_upsample, [high, low]) => {
                self.each_pair(high, low, |e, high, low| e.upsample(high, low, scalar))?
            }
            (C::bitselect, [a, b, c]) => self.bitselect(inst, a, b, c)?,
            (C::select, [a, b, c]) => self.select_builtin(a, b, c)?,
            (C::shuffle, [a, mask]) => self.shuffle(a, mask)?,
            (C::shuffle2, [a, b, mask]) => {
                let all: Components = a.iter().chain(b).copied().collect();
                self.shuffle(&all, mask)?
            }
            _ => {
                return Err(self.refuse(
                    format!("the builtin function `{fun:?}`"),
                    "it is unknown here with these arguments",
                ));
            }
        })
    }

    /// Catches modules whose builtins have arguments of wrong types.
    fn check_math(
        &self,
        inst: &Inst,
        fun: MathFn,
        result: Ty,
        args: &[Value],
    ) -> Result<(), FrontendError> {
        let types: Components = args.iter().copied().collect();
        let fits = types.iter().enumerate().all(|(i, &v)| {
            let ty = self.kernel.ty(v);
            match (fun, i) {
                (MathFn::Ldexp | MathFn::Pown | MathFn::Rootn, 1) => ty.is_int(),
                (MathFn::Ilogb, 0) => ty.is_float(),
                (MathFn::Nan, 0) => ty.is_int(),
                _ => ty == result,
            }
        });
        if fits {
            Ok(())
        } else {
            Err(inst.bad("has arguments of types that it does not take"))
        }
    }

    /// `upsample`: the bits of two numbers, one after the other.
    fn upsample(&mut self, high: Value, low: Value, to: Ty) -> Result<Value, FrontendError> {
        let bits = 8 * self.kernel.ty(low).size();
        let high = self.convert(Conversion::Zext, high, to)?;
        let low = self.convert(Conversion::Zext, low, to)?;
        let count = self.constant(to, u64::from(bits));
        let high = self.binary(BinaryOp::Shl, high, count)?;
        self.binary(BinaryOp::Or, high, low)
    }

    /// `bitselect`, on the bits of any type.
    fn bitselect(
        &mut self,
        inst: &Inst,
        a: &[Value],
        b: &[Value],
        c: &[Value],
    ) -> Result<Components, FrontendError> {
        if a.len() != b.len() || a.len() != c.len() {
            return Err(inst.bad("mixes vector lengths"));
        }
        (0..a.len())
            .map(|i| {
                let ty = self.kernel.ty(a[i]);
                let int = Ty::int(8 * ty.size()).unwrap_or(Ty::I64);
                let parts = [a[i], b[i], c[i]]
                    .into_iter()
                    .map(|v| self.convert(Conversion::Bitcast, v, int))
                    .collect::<Result<Components, _>>()?;
                let bits = self.math(MathFn::Bitselect, int, &parts)?;
                self.convert(Conversion::Bitcast, bits, ty)
            })
            .collect()
    }

    /// `select(a, b, c)`: `b` where `c` is set. A scalar is set where it is not
    /// zero, a component of a vector where its highest bit is.
    fn select_builtin(
        &mut self,
        a: &[Value],
        b: &[Value],
        c: &[Value],
    ) -> Result<Components, FrontendError> {
        let op = match c.len() {
            1 => CompareOp::Ne,
            _ => CompareOp::SLt,
        };
        let cond = self.each(c, |e, c| {
            let zero = e.constant(e.kernel.ty(c), 0);
            e.compare(op, c, zero)
        })?;
        self.select_values(&cond, b, a)
    }

    /// `shuffle` and `shuffle2`: the low bits of each mask component choose.
    fn shuffle(&mut self, from: &[Value], mask: &[Value]) -> Result<Components, FrontendError> {
        if !from.len().is_power_of_two() {
            return Err(FrontendError::malformed(
                "a shuffle of a vector of a length that is no power of two",
            ));
        }
        self.each(mask, |e, m| {
            let ty = e.kernel.ty(m);
            let low_bits = from.len() as u64 - 1;
            let index = match e.kernel.constant(m) {
                Some(bits) => e.constant(ty, bits & low_bits),
                None => {
                    let low_bits = e.constant(ty, low_bits);
                    e.binary(BinaryOp::And, m, low_bits)?
                }
            };
            e.pick(from, index)
        })
    }

    /// `vloadn`: set, number, offset in vectors, pointer, components.
    fn vload(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let ty = inst.result_type()?;
        let elem = self.scalar_of(ty)?;
        let count = self.module.ty(ty)?.leaves as u32;
        let components = component_count(inst, count)?;
        let offset = self.value(inst.id(2)?)?;
        let pointer_id = inst.id(3)?;
        let space = self.space(self.type_of(pointer_id)?)?;
        let base = self.value(pointer_id)?;
        let bytes = elem.size() * count;
        let ptr = self.pointer_add(base, Some(offset), i64::from(bytes), 0)?;
        let dst: Components = (0..count).map(|_| self.result(elem)).collect();
        self.push(Op::Load {
            dst: dst.clone(),
            ptr,
            access: self.packed(space, elem, components, bytes),
        })?;
        self.define(inst.result()?, ty, dst)
    }

    /// `vstoren`: set, number, data, offset in vectors, pointer.
    fn vstore(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let data_id = inst.id(2)?;
        let elem = self.scalar_of(self.type_of(data_id)?)?;
        let data = self.values(data_id)?;
        let count = data.len() as u32;
        let components = component_count(inst, count)?;
        let offset = self.value(inst.id(3)?)?;
        let pointer_id = inst.id(4)?;
        let space = self.space(self.type_of(pointer_id)?)?;
        let base = self.value(pointer_id)?;
        let bytes = elem.size() * count;
        let ptr = self.pointer_add(base, Some(offset), i64::from(bytes), 0)?;
        self.push(Op::Store {
            src: data.into_iter().map(Some).collect(),
            ptr,
            access: self.packed(space, elem, components, bytes),
        })
    }

    /// Adjacent components without padding, aligned to one component.
    fn packed(&self, space: Space, elem: Ty, count: u8, bytes: u32) -> MemAccess {
        MemAccess {
            space,
            elem,
            count,
            bytes,
            align: elem.size(),
            volatile: false,
            elements: count,
        }
    }

    fn printf(&mut self, inst: &Inst) -> Result<(), FrontendError> {
        let mut args = Components::new();
        for id in inst.ids_from(2)? {
            args.extend(self.values(id)?);
        }
        self.push_result(inst.result()?, inst.result_type()?, Ty::I32, |dst| {
            Op::Printf {
                dst: Some(dst),
                args,
            }
        })
    }

    /// Functions that give a second result through a pointer, their last
    /// argument.
    fn two_results(&mut self, inst: &Inst, fun: C) -> Result<(), FrontendError> {
        let (math, arity) = match fun {
            C::fract => (MathFn::Fract, 1),
            C::modf => (MathFn::Modf, 1),
            C::sincos => (MathFn::Sincos, 1),
            C::frexp => (MathFn::Frexp, 1),
            C::lgamma_r => (MathFn::LgammaR, 1),
            _ => (MathFn::Remquo, 2),
        };
        let ids = inst.ids_from(2)?;
        let [args @ .., pointer_id] = ids.as_slice() else {
            return Err(inst.bad("has the wrong number of arguments"));
        };
        if args.len() != arity {
            return Err(inst.bad("has the wrong number of arguments"));
        }
        let ty = inst.result_type()?;
        let scalar = self.scalar_of(ty)?;
        let pointer_ty = self.type_of(*pointer_id)?;
        let (_, pointee) = self.module.pointer(pointer_ty)?;
        let second_scalar = self.scalar_of(pointee)?;
        let space = self.space(pointer_ty)?;
        let pointer = self.value(*pointer_id)?;
        let args = args
            .iter()
            .map(|&id| self.values(id))
            .collect::<Result<Vec<_>, _>>()?;
        let mut firsts = Components::new();
        let mut seconds = Components::new();
        for i in 0..self.module.ty(ty)?.leaves as usize {
            let args = args
                .iter()
                .map(|a| a.get(i).copied())
                .collect::<Option<Components>>()
                .ok_or_else(|| inst.bad("mixes vector lengths"))?;
            self.check_math(inst, math, scalar, &args)?;
            let first = self.result(scalar);
            let second = self.result(second_scalar);
            self.push(Op::Math {
                fun: math,
                dst: smallvec![first, second],
                args,
            })?;
            firsts.push(first);
            seconds.push(second);
        }
        let align = self.module.ty(pointee)?.align;
        self.store_value(pointer, pointee, &seconds, space, align, false)?;
        self.define(inst.result()?, ty, firsts)
    }
}

/// Builtins that are one operation per component, with their number of
/// arguments.
fn math_fn(fun: C) -> Option<(MathFn, usize)> {
    use MathFn as M;
    Some(match fun {
        C::acos => (M::Acos, 1),
        C::acosh => (M::Acosh, 1),
        C::acospi => (M::Acospi, 1),
        C::asin => (M::Asin, 1),
        C::asinh => (M::Asinh, 1),
        C::asinpi => (M::Asinpi, 1),
        C::atan => (M::Atan, 1),
        C::atanh => (M::Atanh, 1),
        C::atanpi => (M::Atanpi, 1),
        C::cbrt => (M::Cbrt, 1),
        C::ceil => (M::Ceil, 1),
        C::cos | C::half_cos | C::native_cos => (M::Cos, 1),
        C::cosh => (M::Cosh, 1),
        C::cospi => (M::Cospi, 1),
        C::degrees => (M::Degrees, 1),
        C::erf => (M::Erf, 1),
        C::erfc => (M::Erfc, 1),
        C::exp | C::half_exp | C::native_exp => (M::Exp, 1),
        C::exp10 | C::half_exp10 | C::native_exp10 => (M::Exp10, 1),
        C::exp2 | C::half_exp2 | C::native_exp2 => (M::Exp2, 1),
        C::expm1 => (M::Expm1, 1),
        C::fabs => (M::Fabs, 1),
        C::floor => (M::Floor, 1),
        C::lgamma => (M::Lgamma, 1),
        C::log | C::half_log | C::native_log => (M::Log, 1),
        C::log10 | C::half_log10 | C::native_log10 => (M::Log10, 1),
        C::log1p => (M::Log1p, 1),
        C::log2 | C::half_log2 | C::native_log2 => (M::Log2, 1),
        C::logb => (M::Logb, 1),
        C::nan => (M::Nan, 1),
        C::radians => (M::Radians, 1),
        C::rint => (M::Rint, 1),
        C::round => (M::Round, 1),
        C::rsqrt | C::half_rsqrt | C::native_rsqrt => (M::Rsqrt, 1),
        C::sign => (M::Sign, 1),
        C::sin | C::half_sin | C::native_sin => (M::Sin, 1),
        C::sinh => (M::Sinh, 1),
        C::sinpi => (M::Sinpi, 1),
        C::sqrt | C::half_sqrt | C::native_sqrt => (M::Sqrt, 1),
        C::tan | C::half_tan | C::native_tan => (M::Tan, 1),
        C::tanh => (M::Tanh, 1),
        C::tanpi => (M::Tanpi, 1),
        C::tgamma => (M::Tgamma, 1),
        C::trunc => (M::Trunc, 1),
        C::atan2 => (M::Atan2, 2),
        C::atan2pi => (M::Atan2pi, 2),
        C::copysign => (M::Copysign, 2),
        C::fdim => (M::Fdim, 2),
        C::fmax | C::fmax_common => (M::Fmax, 2),
        C::fmin | C::fmin_common => (M::Fmin, 2),
        C::fmod => (M::Fmod, 2),
        C::hypot => (M::Hypot, 2),
        C::maxmag => (M::Maxmag, 2),
        C::minmag => (M::Minmag, 2),
        C::nextafter => (M::Nextafter, 2),
        C::pow => (M::Pow, 2),
        C::powr | C::half_powr | C::native_powr => (M::Powr, 2),
        C::remainder => (M::Remainder, 2),
        C::step => (M::Step, 2),
        C::ilogb => (M::Ilogb, 1),
        C::ldexp => (M::Ldexp, 2),
        C::pown => (M::Pown, 2),
        C::rootn => (M::Rootn, 2),
        C::fclamp => (M::Fclamp, 3),
        C::fma => (M::Fma, 3),
        C::mad => (M::Mad, 3),
        C::mix => (M::Mix, 3),
        C::smoothstep => (M::Smoothstep, 3),
        C::s_abs => (M::SAbs, 1),
        C::s_abs_diff => (M::SAbsDiff, 2),
        C::u_abs_diff => (M::UAbsDiff, 2),
        C::s_add_sat => (M::SAddSat, 2),
        C::u_add_sat => (M::UAddSat, 2),
        C::s_clamp => (M::SClamp, 3),
        C::u_clamp => (M::UClamp, 3),
        C::clz => (M::Clz, 1),
        C::ctz => (M::Ctz, 1),
        C::s_hadd => (M::SHadd, 2),
        C::u_hadd => (M::UHadd, 2),
        C::s_rhadd => (M::SRhadd, 2),
        C::u_rhadd => (M::URhadd, 2),
        C::s_mad_hi => (M::SMadHi, 3),
        C::u_mad_hi => (M::UMadHi, 3),
        C::s_mad_sat => (M::SMadSat, 3),
        C::u_mad_sat => (M::UMadSat, 3),
        C::s_max => (M::SMax, 2),
        C::u_max => (M::UMax, 2),
        C::s_min => (M::SMin, 2),
        C::u_min => (M::UMin, 2),
        C::s_mul_hi => (M::SMulHi, 2),
        C::u_mul_hi => (M::UMulHi, 2),
        C::popcount => (M::Popcount, 1),
        C::rotate => (M::Rotate, 2),
        C::s_sub_sat => (M::SSubSat, 2),
        C::u_sub_sat => (M::USubSat, 2),
        C::s_mul24 => (M::SMul24, 2),
        C::u_mul24 => (M::UMul24, 2),
        C::s_mad24 => (M::SMad24, 3),
        C::u_mad24 => (M::UMad24, 3),
        _ => return None,
    })
}
