//! Runs straight lines of operations, and looks at addresses, compiled for x86-64 with AVX2, FMA and
//! BMI2 where the processor has them, which is found at run time.
//!
//! The vector loops are compiled once, for 32 lanes: a sub-group of 64 is two
//! halves. An x86-64 processor without AVX2 runs lane by lane on the code of
//! the scalar file; other architectures use the vector loops as they are.
//!
//! The one place of this crate with `unsafe`: calling a function compiled for
//! features that the compiler does not know to be there.
#![allow(unsafe_code)]

use tilewise_ir::Ty;

use super::{AluInst, AluOp, Call, LANES, Line, NO_SLOT, Part, Slots, affine, execute, small};
use crate::lanes::{each_lane, expand};
use crate::memory::{Plan, access};
use crate::registers::Banks;

/// The instruction set to use. [`Cpu::detect`] is the only way to the fast one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cpu {
    vectors: bool,
}

impl Cpu {
    /// What this processor has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        let vectors = std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("fma")
            && std::arch::is_x86_feature_detected!("bmi2");
        #[cfg(not(target_arch = "x86_64"))]
        let vectors = true;
        Self { vectors }
    }

    /// One lane after another, as on a processor without vectors.
    pub const fn lane_by_lane() -> Self {
        Self { vectors: false }
    }
}

/// Runs a straight line of operations.
#[inline]
pub(crate) fn run(cpu: Cpu, line: &mut Line<'_>, code: &[AluInst]) {
    if !cpu.vectors {
        run_lane_by_lane(line, code);
        return;
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: `vectors` is set only by `Cpu::detect`, which has found the
    // processor to have every feature that `run_avx2` is compiled for.
    unsafe {
        run_avx2(line, code);
    }
    #[cfg(not(target_arch = "x86_64"))]
    run_vectors(line, code);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
fn run_avx2(line: &mut Line<'_>, code: &[AluInst]) {
    run_vectors(line, code);
}

#[inline(always)]
fn run_vectors(line: &mut Line<'_>, code: &[AluInst]) {
    let count = line.parts;
    for inst in code {
        if inst.scalar {
            run_scalar(line, inst);
            continue;
        }
        if inst.by_lane {
            match inst.op {
                AluOp::Affine { .. } | AluOp::AffineCompare(_) => run_affine(line, inst),
                _ => run_by_lane(line, inst),
            }
            continue;
        }
        let blend = line.blends(inst);
        for index in 0..count {
            let part = Part { index, count };
            let mask = line.mask >> (index * LANES as u32);
            // The compiler multiplies all four slots in a vector, which takes longer than
            // many an operation.
            let at = match count {
                1 => Part::WHOLE.of(inst),
                _ => part.of(inst),
            };
            // What type there is to save matters only where it is.
            let saved = match blend {
                true => inst.op.result(),
                false => None,
            };
            let saved = saved.map(|ty| Saved::new(&line.vectors, ty, at.dst));
            execute(&mut line.vectors, line.calls, part, inst.op, at, mask);
            if let Some(saved) = saved {
                saved.restore(&mut line.vectors, at.dst, &expand(mask));
            }
        }
    }
}

/// A register before an operation, for the lanes that must keep their values.
enum Saved {
    B1([u8; LANES]),
    B2([u16; LANES]),
    B4([u32; LANES]),
    B8([u64; LANES]),
}

impl Saved {
    #[inline(always)]
    fn new(banks: &Banks<'_, LANES>, ty: Ty, slot: u32) -> Self {
        let slot = slot as usize;
        match ty.size() {
            1 => Saved::B1(banks.b1[slot]),
            2 => Saved::B2(banks.b2[slot]),
            4 => Saved::B4(banks.b4[slot]),
            _ => Saved::B8(banks.b8[slot]),
        }
    }

    /// Puts the lanes back that are not active.
    #[inline(always)]
    fn restore(&self, banks: &mut Banks<'_, LANES>, slot: u32, active: &[u8; LANES]) {
        let slot = slot as usize;
        match self {
            Saved::B1(old) => restore(&mut banks.b1[slot], old, active),
            Saved::B2(old) => restore(&mut banks.b2[slot], old, active),
            Saved::B4(old) => restore(&mut banks.b4[slot], old, active),
            Saved::B8(old) => restore(&mut banks.b8[slot], old, active),
        }
    }
}

#[inline(always)]
fn restore<T: Copy>(lanes: &mut [T; LANES], old: &[T; LANES], active: &[u8; LANES]) {
    for (l, lane) in lanes.iter_mut().enumerate() {
        *lane = if active[l] != 0 { *lane } else { old[l] };
    }
}

fn run_lane_by_lane(line: &mut Line<'_>, code: &[AluInst]) {
    for inst in code {
        match inst.op {
            _ if inst.scalar => run_scalar(line, inst),
            AluOp::Affine { .. } | AluOp::AffineCompare(_) => run_affine(line, inst),
            _ => run_by_lane(line, inst),
        }
    }
}

/// Lanes of an affine value, or a comparison of one.
#[inline(always)]
fn run_affine(line: &mut Line<'_>, inst: &AluInst) {
    let blend = line.blends(inst);
    for index in 0..line.parts {
        let part = Part {
            index,
            count: line.parts,
        };
        let slot = part.slot(inst.dst);
        let saved = match inst.op.result() {
            Some(ty) if blend => Some(Saved::new(&line.vectors, ty, slot)),
            _ => None,
        };
        affine::execute(line, inst, part);
        if let Some(saved) = saved {
            let mask = line.mask >> (index * LANES as u32);
            saved.restore(&mut line.vectors, slot, &expand(mask));
        }
    }
}

fn run_by_lane(line: &mut Line<'_>, inst: &AluInst) {
    let count = line.parts * LANES as u32;
    let all = crate::lanes::first_lanes(count);
    // Calls look at their own mask, which is that of one lane here.
    let lanes = match inst.op.result() {
        Some(_) if !line.blends(inst) => all,
        _ => line.mask,
    };
    let mut banks = line.vectors.cut::<1>();
    for lane in each_lane(lanes & all) {
        let index = lane as u32;
        let part = Part { index, count };
        execute_one(&mut banks, line.calls, part, inst.op, part.of(inst));
    }
}

/// One operation on the scalar file.
#[inline(always)]
fn run_scalar(line: &mut Line<'_>, inst: &AluInst) {
    if !small::scalar(line.scalars, inst) {
        let at = Part::WHOLE.of(inst);
        execute_one(
            &mut line.scalars.banks(),
            line.calls,
            Part::WHOLE,
            inst.op,
            at,
        );
    }
    spread_result(line, inst);
}

/// Copies a uniform result to the lanes, where they are read.
#[inline(always)]
fn spread_result(line: &mut Line<'_>, inst: &AluInst) {
    if inst.spread == NO_SLOT {
        return;
    }
    // Decoding follows a scalar call by moves that spread its results.
    if let Some(ty) = inst.op.result() {
        let bits = line.scalars.get(ty, inst.dst, 0);
        line.spread(ty, inst, bits);
    }
}

/// One lane. Uniform results are few enough not to be compiled for AVX2.
#[inline(never)]
fn execute_one(banks: &mut Banks<'_, 1>, calls: &[Call], part: Part, op: AluOp, at: Slots) {
    execute::<1>(banks, calls, part, op, at, 1);
}

/// Sets each lane to `base` plus its number.
#[inline]
pub(crate) fn add_lanes<const W: usize>(
    cpu: Cpu,
    base: u64,
    lanes: &[u64; 64],
    addresses: &mut [u64; W],
) {
    #[cfg(target_arch = "x86_64")]
    if cpu.vectors {
        // SAFETY: as in `run`.
        unsafe { add_lanes_avx2(base, lanes, addresses) };
        return;
    }
    let _ = cpu;
    for (address, lane) in addresses.iter_mut().zip(lanes) {
        *address = base.wrapping_add(*lane);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
fn add_lanes_avx2<const W: usize>(base: u64, lanes: &[u64; 64], addresses: &mut [u64; W]) {
    for (address, lane) in addresses.iter_mut().zip(lanes) {
        *address = base.wrapping_add(*lane);
    }
}

/// Copies the addresses of an access and looks at them; see [`access::resolve`].
#[inline]
pub(crate) fn resolve<const W: usize>(
    cpu: Cpu,
    from: &[u64; W],
    addresses: &mut [u64; W],
    mask: u64,
    bytes: u32,
    row: usize,
    lengths: &[u64],
) -> Plan {
    #[cfg(target_arch = "x86_64")]
    if cpu.vectors {
        // SAFETY: as in `run`.
        return unsafe { resolve_avx2(from, addresses, mask, bytes, row, lengths) };
    }
    let _ = cpu;
    *addresses = *from;
    access::resolve(addresses, mask, bytes, row, lengths)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
fn resolve_avx2<const W: usize>(
    from: &[u64; W],
    addresses: &mut [u64; W],
    mask: u64,
    bytes: u32,
    row: usize,
    lengths: &[u64],
) -> Plan {
    *addresses = *from;
    access::resolve(addresses, mask, bytes, row, lengths)
}
