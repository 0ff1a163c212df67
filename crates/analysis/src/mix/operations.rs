//! Costs of single operations, as if nothing around them helped.
//!
//! Sequences of several instructions are round figures of what GPU compilers
//! emit (NVIDIA's throughput table in the CUDA C++ Programming Guide names
//! which operations are one instruction and which are a subroutine). They
//! matter where a kernel divides or calls a library function in its inner
//! loop; the model's error there is larger.

use tilewise_ir::math::MathCost;
use tilewise_ir::{
    BarrierScope, BinaryOp, Conversion, GroupOp, Kernel, MathFn, Op, Ty, UnaryOp, Value,
    WorkItemQuery,
};

use super::cost::IssueCost;
use crate::shape::MemoryShape;

/// What an operation costs by itself.
pub fn cost_of(kernel: &Kernel, shape: &MemoryShape, op: &Op) -> IssueCost {
    match op {
        Op::Unary { op, dst, .. } => match (op, kernel.ty(*dst)) {
            // Sign changes are modifiers of operands.
            (UnaryOp::FNeg, _) | (_, Ty::Bool) => IssueCost::FREE,
            (_, ty) => IssueCost::integer(words(ty)),
        },
        Op::Binary { op, dst, b, .. } => binary(kernel, *op, kernel.ty(*dst), *b),
        Op::Compare { a, .. } => match kernel.ty(*a) {
            Ty::F64 => IssueCost::fp64(1),
            ty => IssueCost::integer(words(ty)),
        },
        Op::Select { dst, .. } => match kernel.ty(*dst) {
            Ty::Bool => IssueCost::FREE,
            ty => IssueCost::integer(words(ty)),
        },
        Op::Convert { op, dst, a } => conversion(*op, kernel.ty(*a), kernel.ty(*dst)),
        Op::PtrAdd { index, .. } => IssueCost::integer(u16::from(index.is_some())),
        Op::WorkItem { query, .. } => match query {
            WorkItemQuery::GlobalId | WorkItemQuery::GlobalLinearId => IssueCost::integer(2),
            WorkItemQuery::LocalId
            | WorkItemQuery::GroupId
            | WorkItemQuery::LocalLinearId
            | WorkItemQuery::SubGroupId
            | WorkItemQuery::SubGroupLocalId => IssueCost::integer(1),
            // Constants of the launch.
            _ => IssueCost::FREE,
        },
        Op::Math { fun, dst, args } => {
            let ty = dst.first().map_or(Ty::F32, |&d| kernel.ty(d));
            math(*fun, ty, args.len() as u16)
        }
        Op::Load { access, .. } | Op::Store { access, .. } | Op::Atomic { access, .. } => {
            let part = shape.part_bytes(access.bytes, access.align);
            IssueCost::memory(access.bytes.div_ceil(part) as u16)
        }
        // One instruction of the texture unit.
        Op::ImageRead { .. } | Op::ImageWrite { .. } => IssueCost::memory(1),
        // Constants of the launch.
        Op::ImageQuery { .. } => IssueCost::FREE,
        Op::Copy { bytes, align, .. } => {
            let part = shape.part_bytes(*bytes, *align);
            IssueCost::memory(2 * bytes.div_ceil(part) as u16)
        }
        // A loop over the elements that each work-item takes.
        Op::AsyncCopy { .. } => IssueCost {
            integer: 4,
            ..IssueCost::memory(2)
        },
        Op::Barrier { .. } => IssueCost {
            barrier: 1,
            ..IssueCost::FREE
        },
        // A vote, ballot or shuffle is one instruction; a reduction or scan is
        // a shuffle and an operation for each halving of the sub-group. Over
        // a work-group the sub-groups' results go through local memory.
        Op::Group { op, scope, .. } => {
            let exchanges = match op {
                GroupOp::Reduce(_)
                | GroupOp::InclusiveScan(_)
                | GroupOp::ExclusiveScan(_)
                | GroupOp::ClusteredReduce(_) => 10,
                _ => 1,
            };
            match scope {
                BarrierScope::SubGroup => IssueCost::integer(exchanges),
                BarrierScope::WorkGroup => IssueCost {
                    integer: 2 * exchanges,
                    barrier: 2,
                    ..IssueCost::memory(2)
                },
            }
        }
        Op::PointsTo { .. } => IssueCost::integer(1),
        Op::Fence { .. } => IssueCost::control(1),
        Op::Printf { args, .. } => IssueCost::memory(args.len() as u16),
        Op::VarAddr { .. } | Op::LifetimeStart { .. } | Op::WaitEvents | Op::Undef { .. } => {
            IssueCost::FREE
        }
    }
}

/// 32-bit registers that a value takes.
fn words(ty: Ty) -> u16 {
    ty.size().div_ceil(4) as u16
}

fn float(ty: Ty, n: u16) -> IssueCost {
    if ty == Ty::F64 {
        IssueCost::fp64(n)
    } else {
        IssueCost::fp32(n)
    }
}

fn binary(kernel: &Kernel, op: BinaryOp, ty: Ty, b: Value) -> IssueCost {
    let wide = words(ty) > 1;
    let constant = kernel.constant(b);
    let power_of_two = constant.is_some_and(u64::is_power_of_two);
    match op {
        _ if ty == Ty::Bool => IssueCost::FREE,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
            IssueCost::integer(words(ty))
        }
        BinaryOp::Mul => IssueCost::integer(if wide { 4 } else { 1 }),
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => IssueCost::integer(words(ty)),
        BinaryOp::UDiv | BinaryOp::URem if power_of_two => IssueCost::integer(words(ty)),
        BinaryOp::SDiv | BinaryOp::SRem | BinaryOp::SMod if power_of_two => {
            IssueCost::integer(3 * words(ty))
        }
        BinaryOp::SDiv | BinaryOp::UDiv => match (constant, wide) {
            (Some(_), false) => IssueCost::integer(3),
            (Some(_), true) => IssueCost::integer(8),
            (None, false) => IssueCost::integer(16).and_special(2),
            (None, true) => IssueCost::integer(70).and_special(2),
        },
        BinaryOp::SRem | BinaryOp::URem | BinaryOp::SMod => match (constant, wide) {
            (Some(_), false) => IssueCost::integer(4),
            (Some(_), true) => IssueCost::integer(12),
            (None, false) => IssueCost::integer(17).and_special(2),
            (None, true) => IssueCost::integer(74).and_special(2),
        },
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul => float(ty, 1),
        BinaryOp::FDiv => match (ty, constant) {
            (Ty::F64, _) => IssueCost::fp64(10).and_special(1),
            (Ty::F32, Some(bits)) if is_power_of_two_f32(bits) => IssueCost::fp32(1),
            _ => IssueCost::fp32(4).and_special(1),
        },
        BinaryOp::FRem => float(ty, 20).and_special(1),
    }
}

/// Whether a division by this constant is a multiplication.
fn is_power_of_two_f32(bits: u64) -> bool {
    let value = f32::from_bits(bits as u32);
    value.is_normal() && (bits as u32 & 0x007f_ffff) == 0
}

fn conversion(op: Conversion, from: Ty, to: Ty) -> IssueCost {
    match op {
        Conversion::Sext | Conversion::Zext | Conversion::Bitcast | Conversion::Copy => {
            IssueCost::FREE
        }
        Conversion::IntSat { .. } => IssueCost::integer(2 * words(from).max(words(to))),
        Conversion::SToF(_)
        | Conversion::UToF(_)
        | Conversion::FToS { .. }
        | Conversion::FToU { .. }
        | Conversion::FToF(_) => {
            if from == Ty::F64 || to == Ty::F64 {
                IssueCost::fp64(1)
            } else {
                IssueCost::integer(words(from).max(words(to)))
            }
        }
    }
}

fn math(fun: MathFn, ty: Ty, args: u16) -> IssueCost {
    if ty.is_int() {
        return integer_math(fun, words(ty));
    }
    let double = ty == Ty::F64;
    let special = |fp: u16, special: u16| {
        if double {
            // The special-function unit gives a first guess only.
            IssueCost::fp64(fp + 8 * special).and_special(special)
        } else {
            IssueCost::fp32(fp).and_special(special)
        }
    };
    match fun {
        MathFn::Fabs => IssueCost::FREE,
        MathFn::Ceil | MathFn::Floor | MathFn::Rint | MathFn::Trunc if !double => {
            IssueCost::FREE.and_special(1)
        }
        MathFn::Fclamp | MathFn::Mix | MathFn::Fract | MathFn::Fdim | MathFn::Step => float(ty, 2),
        MathFn::Round | MathFn::Sign | MathFn::Modf => float(ty, 3),
        MathFn::Maxmag | MathFn::Minmag => float(ty, 4),
        MathFn::Dot => float(ty, (args / 2).max(1)),
        MathFn::Length => special(args + 2, 1),
        MathFn::Distance => special(args + 2, 1),
        // A product with the reciprocal length, and a share in the dot product.
        MathFn::Normalize => special(2, 1),
        MathFn::Sqrt | MathFn::Rsqrt | MathFn::Exp2 | MathFn::Log2 => special(2, 1),
        MathFn::Exp | MathFn::Log => special(4, 1),
        MathFn::Sin | MathFn::Cos => special(10, 1),
        MathFn::Sincos => special(14, 2),
        MathFn::Smoothstep => special(8, 1),
        _ => match fun.cost() {
            MathCost::Simple => float(ty, 1),
            MathCost::Special => special(4, 1),
            MathCost::Library => special(if double { 60 } else { 30 }, 1),
        },
    }
}

fn integer_math(fun: MathFn, words: u16) -> IssueCost {
    match fun {
        MathFn::Popcount | MathFn::Clz | MathFn::Ctz => IssueCost::FREE.and_special(words),
        MathFn::SClamp | MathFn::UClamp | MathFn::SAbsDiff | MathFn::UAbsDiff => {
            IssueCost::integer(2 * words)
        }
        MathFn::SAddSat
        | MathFn::UAddSat
        | MathFn::SSubSat
        | MathFn::USubSat
        | MathFn::SMadSat
        | MathFn::UMadSat
        | MathFn::SHadd
        | MathFn::UHadd
        | MathFn::SRhadd
        | MathFn::URhadd => IssueCost::integer(3 * words),
        MathFn::SMulHi | MathFn::UMulHi | MathFn::SMadHi | MathFn::UMadHi => {
            IssueCost::integer(if words > 1 { 8 } else { 2 })
        }
        MathFn::Ilogb => IssueCost::integer(6),
        _ => IssueCost::integer(words),
    }
}
