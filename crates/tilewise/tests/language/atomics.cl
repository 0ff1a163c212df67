/*
[[launch]]
kernel = "of_32_bits"
global = 64
local = 32
args = { cells = "[16]:zero", unsigned_cells = "[16]:zero", out = "[64]:zero" }

[[launch]]
kernel = "of_64_bits"
global = 64
local = 32
args = { cells = "[12]:zero", unsigned_cells = "[4]:zero" }

[[launch]]
kernel = "in_local_memory"
global = 64
local = 32
args = { out = "[64]:zero" }

[[launch]]
kernel = "tickets"
global = 64
local = 32
args = { next = "[1]:zero", taken = "[64]:zero" }

[[launch]]
kernel = "float_sums"
global = 64
local = 32
args = { sums = "[2]:zero", exchanged = "[1]:zero" }

[expect]
values.tickets.next = [64]
values.float_sums.sums = [2016, 64]
*/

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void of_32_bits(volatile global int *cells, volatile global uint *unsigned_cells, global int *out) {
    int i = get_global_id(0);
    atomic_add(&cells[0], i);
    atomic_sub(&cells[1], 2 * i);
    atomic_inc(&cells[2]);
    atomic_dec(&cells[3]);
    atomic_min(&cells[4], 5 - i);
    atomic_max(&cells[5], i * 3 % 50);
    atomic_or(&cells[6], 1 << (i % 31));
    atomic_xor(&cells[7], i * 77);
    atomic_and(&cells[8], ~i);
    // A sum by exchanges: the same in whichever order work-items come to it.
    int old = cells[9], seen;
    while ((seen = atomic_cmpxchg(&cells[9], old, old + i)) != old)
        old = seen;
    atomic_min(&unsigned_cells[0], (uint)i - 5u);
    atomic_max(&unsigned_cells[1], (uint)i - 5u);
    atomic_add(&unsigned_cells[2], 0x80000000u + i);
    // A cell of one's own: what it held comes back.
    out[i] = 7;
    volatile global int *own = &out[i];
    int r = atomic_add(own, 3) * 3;
    r += atomic_xchg(own, 20) * 5;
    r += atomic_cmpxchg(own, 20, 21) * 7;
    r += atomic_cmpxchg(own, 20, 22) * 11;
    r += atomic_min(own, 4) * 13;
    r += atom_max(own, 9) * 17;
    r += atom_and(own, 8) * 19;
    r += atomic_dec(own) * 23;
    *own = r;
}

kernel void of_64_bits(volatile global long *cells, volatile global ulong *unsigned_cells) {
    long i = get_global_id(0), far = 1L << 33;
    atom_add(&cells[0], far + i);
    atom_sub(&cells[1], far);
    atom_inc(&cells[2]);
    atom_dec(&cells[3]);
    atom_min(&cells[4], -far * i);
    atom_max(&cells[5], far * i);
    atom_or(&cells[6], 1L << i);
    atom_xor(&cells[7], far * 3 + i);
    atom_and(&cells[8], far);
    // Whoever comes first: groups run in any order.
    atom_cmpxchg(&cells[9], 0, far + 9);
    atom_max(&unsigned_cells[0], (ulong)(i - 5));
}

kernel void in_local_memory(global int *out) {
    local int counts[4];
    local uint highest;
    int l = get_local_id(0);
    if (l < 4)
        counts[l] = 0;
    if (l == 0)
        highest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&counts[l % 3]);
    atomic_add(&counts[3], l);
    atomic_max(&highest, (uint)(l * 7 % 32));
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = counts[l & 3] * 100 + (int)highest;
}

// Every ticket is given once, to whom it may be.
kernel void tickets(volatile global int *next, global int *taken) {
    int ticket = atomic_inc(next);
    taken[ticket] = 1;
}

void add(volatile global float *to, float value) {
    uint seen = as_uint(*to), before;
    do {
        before = seen;
        seen = atomic_cmpxchg((volatile global uint *)to, before, as_uint(as_float(before) + value));
    } while (seen != before);
}

kernel void float_sums(volatile global float *sums, volatile global float *exchanged) {
    add(&sums[0], get_global_id(0));
    add(&sums[1], 1.0f);
    if (get_global_id(0) == 5)
        atomic_xchg(exchanged, 2.5f);
}
