/*
[[launch]]
global = 256
local = 256
args = { in = "[256]:random(0,9)", out = "[1]:zero", state = "[256]:zero", lock = "[1]:zero" }
build_options = "-cl-std=CL2.0"
*/

// However long work-items wait for a lock, what it protects is handed on.
kernel void lock_local(global const int *in, global int *out)
{
    local int lock, total;
    int lid = get_local_id(0);
    if (lid == 0) {
        lock = 0;
        total = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_cmpxchg(&lock, 0, 1) != 0)
        ;
    mem_fence(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 64; i++)
        total += in[lid + i & 255];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    atomic_xchg(&lock, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        out[0] = total;
}

kernel void lock_global(global const int *in, global int *out, volatile global int *lock)
{
    int lid = get_local_id(0);
    while (atomic_cmpxchg(lock, 0, 1) != 0)
        ;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    for (int i = 0; i < 64; i++)
        out[0] += in[lid + i & 255];
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(lock, 0);
}

// Each work-item waits for its turn.
kernel void tickets(global const int *in, global int *out)
{
    local int turn, total;
    int lid = get_local_id(0);
    if (lid == 0) {
        turn = 0;
        total = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_add(&turn, 0) != lid)
        ;
    mem_fence(CLK_LOCAL_MEM_FENCE);
    total = 3 * total + in[lid];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&turn);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        out[0] = total;
}

// Each waits for its left neighbour.
kernel void chain(global const int *in, global int *out, global atomic_int *state)
{
    local int total[256];
    int lid = get_local_id(0);
    if (lid == 0)
        total[0] = in[0];
    else {
        while (atomic_load_explicit(&state[lid - 1], memory_order_acquire, memory_scope_work_group) == 0)
            ;
        total[lid] = total[lid - 1] + in[lid];
    }
    atomic_store_explicit(&state[lid], 1, memory_order_release, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        out[0] = total[255];
}
