/*
[[launch]]
global = 256
local = 256
args = { in = "[256]:random(0,9)", out = "[1]:zero", state = "[256]:zero", lock = "[1]:zero" }
build_options = "-cl-std=CL2.0"
*/

// However long others waited: behind the lock nothing is protected.
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
    total++; //~ TW101
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
    out[0]++; //~ TW102
}

// The turn is passed on too early.
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
    atomic_inc(&turn);
    total = 3 * total + in[lid]; //~ TW101
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        out[0] = total;
}

// The right neighbour is told too early.
kernel void chain(global const int *in, global int *out, global atomic_int *state)
{
    local int total[256];
    int lid = get_local_id(0);
    if (lid == 0)
        total[0] = in[0];
    else {
        while (atomic_load_explicit(&state[lid - 1], memory_order_acquire, memory_scope_work_group) == 0)
            ;
    }
    atomic_store_explicit(&state[lid], 1, memory_order_release, memory_scope_work_group);
    if (lid > 0)
        total[lid] = total[lid - 1] + in[lid]; //~ TW101
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        out[0] = total[255];
}
