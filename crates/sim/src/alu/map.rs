//! Loops over lane arrays.

use super::Slots;

/// Sets every lane of `dst` to `f(lane)`.
#[inline(always)]
pub(super) fn write<T: Copy, const W: usize>(dst: &mut [T; W], f: impl Fn(usize) -> T) {
    for (l, d) in dst.iter_mut().enumerate() {
        *d = f(l);
    }
}

/// `dst = f(a)` within one bank.
#[inline(always)]
pub(super) fn map1<T: Copy, const W: usize>(bank: &mut [[T; W]], at: Slots, f: impl Fn(T) -> T) {
    let a = bank[at.a as usize];
    write(&mut bank[at.dst as usize], |l| f(a[l]));
}

/// `dst = f(a, b)` within one bank.
#[inline(always)]
pub(super) fn map2<T: Copy, const W: usize>(bank: &mut [[T; W]], at: Slots, f: impl Fn(T, T) -> T) {
    let a = bank[at.a as usize];
    let b = bank[at.b as usize];
    write(&mut bank[at.dst as usize], |l| f(a[l], b[l]));
}

/// [`map2`] for what no vector instruction does: not worth unrolling.
#[inline(never)]
pub(super) fn map2_slow<T: Copy, const W: usize>(
    bank: &mut [[T; W]],
    at: Slots,
    f: impl Fn(T, T) -> T,
) {
    map2(bank, at, f);
}

/// `dst = f(a, b, c)` within one bank.
#[inline(always)]
pub(super) fn map3<T: Copy, const W: usize>(
    bank: &mut [[T; W]],
    at: Slots,
    f: impl Fn(T, T, T) -> T,
) {
    let a = bank[at.a as usize];
    let b = bank[at.b as usize];
    let c = bank[at.c as usize];
    write(&mut bank[at.dst as usize], |l| f(a[l], b[l], c[l]));
}

/// `dst = f(a, b)` from one bank to the bank of truth values.
#[inline(always)]
pub(super) fn compare<T: Copy, const W: usize>(
    from: &[[T; W]],
    to: &mut [[u8; W]],
    at: Slots,
    f: impl Fn(T, T) -> bool,
) {
    let a = &from[at.a as usize];
    let b = &from[at.b as usize];
    write(&mut to[at.dst as usize], |l| u8::from(f(a[l], b[l])));
}

/// `dst = f(a)` from one bank to another.
#[inline(always)]
pub(super) fn convert<S: Copy, D: Copy, const W: usize>(
    from: &[[S; W]],
    to: &mut [[D; W]],
    at: Slots,
    f: impl Fn(S) -> D,
) {
    let a = &from[at.a as usize];
    write(&mut to[at.dst as usize], |l| f(a[l]));
}

/// `dst = cond ? a : b`.
#[inline(always)]
pub(super) fn select<T: Copy, const W: usize>(cond: &[u8; W], bank: &mut [[T; W]], at: Slots) {
    let a = bank[at.a as usize];
    let b = bank[at.b as usize];
    write(&mut bank[at.dst as usize], |l| {
        if cond[l] != 0 { a[l] } else { b[l] }
    });
}
