/*
[[launch]]
kernel = "integers"
global = 64
local = 32
build_options = "-cl-std=CL2.0"
args = { cells = "[16]:zero", out = "[64]:zero" }

[[launch]]
kernel = "wide"
global = 64
local = 32
build_options = "-cl-std=CL2.0"
args = { longs = "[4]:zero", unsigned_longs = "[2]:zero" }

[[launch]]
kernel = "numbers"
global = 64
local = 64
build_options = "-cl-std=CL2.0"
args = { floats = "[4]:zero", doubles = "[4]:zero", out = "[64]:zero" }

[[launch]]
kernel = "flags"
global = 64
local = 32
build_options = "-cl-std=CL2.0"
args = { flag = "[2]:zero", winners = "[1]:zero", counter = "[1]:zero" }

[[launch]]
kernel = "local_and_generic"
global = 64
local = 32
build_options = "-cl-std=CL2.0"
args = { out = "[64]:zero" }

[expect]
simulator_only = "PoCL 3.1 lacks C11 atomics in generic address space"
values.integers.cells = [2016, -2016, -63, 63, 63, 0, 64, 17]
values.wide.longs = [549755813888, 63, -63]
values.numbers.floats = [1.5, 3.5, 0, 2016]
values.numbers.doubles = [0.2]
values.numbers.out = [1]
values.flags.winners = [1]
values.flags.counter = [64]
*/

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void integers(global atomic_int *cells, global int *out) {
    int i = get_global_id(0);
    atomic_fetch_add(&cells[0], i);
    atomic_fetch_sub_explicit(&cells[1], i, memory_order_relaxed);
    atomic_fetch_min_explicit(&cells[2], -i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max(&cells[3], i);
    atomic_fetch_or(&cells[4], i);
    atomic_fetch_xor_explicit(&cells[5], i, memory_order_acq_rel, memory_scope_all_svm_devices);
    atomic_fetch_add((global atomic_uint *)&cells[6], 1u);
    if (i == 17)
        atomic_store_explicit(&cells[7], 17, memory_order_release, memory_scope_device);
    global atomic_int *own = &cells[8 + i % 8];
    int expected = 1000;
    int swapped = atomic_compare_exchange_strong(own, &expected, 5);
    out[i] = swapped || expected == 1000;
    do {
        expected = atomic_load_explicit(own, memory_order_acquire, memory_scope_device);
    } while (!atomic_compare_exchange_weak_explicit(own, &expected, expected + 1, memory_order_acq_rel,
                                                    memory_order_relaxed, memory_scope_device));
}

kernel void wide(global atomic_long *longs, global atomic_ulong *unsigned_longs) {
    long i = get_global_id(0);
    atomic_fetch_add(&longs[0], 1L << 33);
    atomic_fetch_max(&longs[1], i);
    atomic_fetch_min(&longs[2], -i);
    atomic_fetch_or(&unsigned_longs[0], 1UL << i);
    ulong seen = atomic_load(&unsigned_longs[1]);
    while (!atomic_compare_exchange_strong(&unsigned_longs[1], &seen, seen + i))
        ;
}

kernel void numbers(global atomic_float *floats, global atomic_double *doubles, global int *out) {
    int i = get_global_id(0);
    if (i == 0) {
        atomic_init(&floats[0], 1.5f);
        atomic_store(&floats[1], 2.5f);
        float before = atomic_exchange(&floats[1], 3.5f);
        atomic_store(&doubles[0], 0.1);
        double was = atomic_exchange_explicit(&doubles[0], 0.2, memory_order_seq_cst);
        out[0] = before == 2.5f && was == 0.1 && atomic_load(&doubles[0]) == 0.2
            && atomic_load(&floats[0]) == 1.5f && atomic_load(&floats[1]) == 3.5f;
    }
    atomic_fetch_add_explicit(&floats[3], (float)i, memory_order_relaxed, memory_scope_device);
}

kernel void flags(global atomic_flag *flag, global int *winners, volatile global int *counter) {
    if (!atomic_flag_test_and_set_explicit(&flag[0], memory_order_relaxed, memory_scope_device))
        winners[0] += 1;
    // A lock.
    while (atomic_flag_test_and_set(&flag[1]))
        ;
    *counter = *counter + 1;
    atomic_flag_clear(&flag[1]);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}

int increment(volatile atomic_int *at) { return atomic_fetch_add(at, 2); }

kernel void local_and_generic(global int *out) {
    local atomic_int shared[2];
    int l = get_local_id(0);
    if (l < 2)
        atomic_init(&shared[l], l);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    atomic_fetch_add_explicit(&shared[l & 1], l, memory_order_relaxed, memory_scope_work_group);
    int before = increment(&shared[0]);
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = atomic_load(&shared[0]) * 1000 + atomic_load(&shared[1]) + (before < 0);
}
