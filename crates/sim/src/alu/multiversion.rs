//! Runs straight lines of operations, compiled twice: for any processor, and
//! for x86-64 with AVX2, FMA and BMI2, which is chosen at run time.
//!
//! The one place of this crate with `unsafe`: calling a function compiled for
//! features that the compiler does not know to be there.
#![allow(unsafe_code)]

use tilewise_ir::Ty;

use super::{AluInst, AluOp, Call, Line, NO_SLOT, execute};
use crate::lanes::expand;
use crate::registers::Registers;

/// The instruction set to use. [`Cpu::detect`] is the only way to the fast one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cpu {
    avx2: bool,
}

impl Cpu {
    /// What this processor has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        let avx2 = std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("fma")
            && std::arch::is_x86_feature_detected!("bmi2");
        #[cfg(not(target_arch = "x86_64"))]
        let avx2 = false;
        Self { avx2 }
    }

    /// What every processor has.
    #[cfg(test)]
    pub const fn baseline() -> Self {
        Self { avx2: false }
    }
}

/// Runs a straight line of operations.
#[inline]
pub(crate) fn run<const W: usize>(cpu: Cpu, line: &mut Line<'_, W>, code: &[AluInst]) {
    #[cfg(target_arch = "x86_64")]
    if cpu.avx2 {
        // SAFETY: `avx2` is set only by `Cpu::detect`, which has found the
        // processor to have every feature that `run_avx2` is compiled for.
        unsafe { run_avx2(line, code) };
        return;
    }
    let _ = cpu;
    run_baseline(line, code);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
fn run_avx2<const W: usize>(line: &mut Line<'_, W>, code: &[AluInst]) {
    let active = expand::<W>(line.mask);
    for inst in code {
        if inst.scalar {
            scalar_avx2(line.scalars, line.calls, inst);
            spread(line, inst);
        } else {
            let blend = line.partial && (inst.blend || line.always_blend);
            execute(line.vectors, line.calls, inst, blend.then_some(&active));
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
fn scalar_avx2(scalars: &mut Registers<1>, calls: &[Call], inst: &AluInst) {
    execute(scalars, calls, inst, None);
}

fn run_baseline<const W: usize>(line: &mut Line<'_, W>, code: &[AluInst]) {
    let active = expand::<W>(line.mask);
    for inst in code {
        if inst.scalar {
            scalar_baseline(line.scalars, line.calls, inst);
            spread(line, inst);
        } else {
            let blend = line.partial && (inst.blend || line.always_blend);
            execute(line.vectors, line.calls, inst, blend.then_some(&active));
        }
    }
}

fn scalar_baseline(scalars: &mut Registers<1>, calls: &[Call], inst: &AluInst) {
    execute(scalars, calls, inst, None);
}

/// Copies a uniform result to all lanes where a vector operation reads it.
#[inline(always)]
fn spread<const W: usize>(line: &mut Line<'_, W>, inst: &AluInst) {
    if inst.spread == NO_SLOT {
        return;
    }
    let ty = result_type(&inst.op);
    let bits = line.scalars.get(ty, inst.dst, 0);
    if line.partial && (inst.blend || line.always_blend) {
        line.vectors.splat_masked(ty, inst.spread, bits, line.mask);
    } else {
        line.vectors.splat(ty, inst.spread, bits);
    }
}

fn result_type(op: &AluOp) -> Ty {
    match *op {
        AluOp::Unary(_, ty)
        | AluOp::Binary(_, ty)
        | AluOp::Select(ty)
        | AluOp::Move(ty)
        | AluOp::Math(_, ty)
        | AluOp::Convert(_, _, ty) => ty,
        AluOp::Compare(..) => Ty::Bool,
        AluOp::AddShifted { .. } | AluOp::AddScaled { .. } | AluOp::AddOffset(_) => Ty::Ptr,
        // Decoding follows a scalar call by moves that spread its results.
        AluOp::Library(_) => Ty::Bool,
    }
}
