/*
[[launch]]
kernel = "lock_of_all_lanes"
global = 96
local = 48
build_options = "-cl-std=CL2.0"
args = { lock = "[1]:zero", counter = "[1]:zero" }

[[launch]]
kernel = "local_lock"
global = 128
local = 64
build_options = "-cl-std=CL2.0"
args = { out = "[128]:zero" }

[[launch]]
kernel = "flag_between_sub_groups"
global = 256
local = 256
build_options = "-cl-std=CL2.0"
args = { out = "[256]:zero" }

[[launch]]
kernel = "earlier_group"
global = 128
local = 32
build_options = "-cl-std=CL2.0"
args = { ready = "[5]:zero", out = "[128]:zero" }

[expect]
simulator_only = "OpenCL promises no progress between work-items; PoCL runs those of a group one after another"
values.lock_of_all_lanes.counter = [96]
values.local_lock.out = [64, 64]
values.flag_between_sub_groups.out = [7, 7]
values.earlier_group.ready = [1, 1, 1, 1, 1]
*/

// Each lane of a sub-group wants the lock; the one that has it waits behind
// the loop for the others to come.
kernel void lock_of_all_lanes(global volatile int *lock, global volatile int *counter) {
    while (atomic_cmpxchg(lock, 0, 1) != 0)
        ;
    *counter = *counter + 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(lock, 0);
}

kernel void local_lock(global int *out) {
    local int lock;
    local volatile int counter;
    if (get_local_id(0) == 0) {
        lock = 0;
        counter = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_xchg(&lock, 1))
        ;
    counter = counter + 1;
    atomic_xchg(&lock, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = counter;
}

// The first sub-group waits for what the last one sets.
kernel void flag_between_sub_groups(global int *out) {
    local atomic_int flag;
    if (get_local_id(0) == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 255)
        atomic_store_explicit(&flag, 7, memory_order_release, memory_scope_work_group);
    int seen = 0;
    while (seen == 0)
        seen = atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group);
    out[get_global_id(0)] = seen;
}

// Groups start in order, so that waiting for an earlier one comes to an end.
kernel void earlier_group(global volatile int *ready, global int *out) {
    size_t g = get_group_id(0);
    if (g > 0)
        while (ready[g] == 0)
            ;
    else
        ready[0] = 1;
    out[get_global_id(0)] = (int)g;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_xchg(&ready[g + 1], 1);
}
