/*
[[launch]]
global = 64
local = 32
args = { in = "[64]:random(0,9)", out = "[2]:zero", done = "[2]:zero", part = "[64]:zero" }
build_options = "-cl-std=CL2.0"
*/

// A lock: what it protects is handed on from one work-item to the next.
kernel void lock_local(global const int *in, global int *out)
{
    local int lock, total;
    if (get_local_id(0) == 0) {
        lock = 0;
        total = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    bool waits = true;
    while (waits)
        if (atomic_cmpxchg(&lock, 0, 1) == 0) {
            mem_fence(CLK_LOCAL_MEM_FENCE);
            total += in[get_global_id(0)];
            mem_fence(CLK_LOCAL_MEM_FENCE);
            atomic_xchg(&lock, 0);
            waits = false;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = total;
}

// The work-item that comes last adds up what the others left.
kernel void last_item(global const int *in, global int *out, volatile global int *done, global int *part)
{
    int group = get_group_id(0), size = get_local_size(0);
    part[get_global_id(0)] = in[get_global_id(0)];
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(&done[group]) == size - 1) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        int sum = 0;
        for (int i = 0; i < size; i++)
            sum += part[group * size + i];
        out[group] = sum;
    }
}

// The same by the memory order of the atomic, without a fence.
kernel void by_order(global const int *in, global int *out, global atomic_int *done, global int *part)
{
    int group = get_group_id(0), size = get_local_size(0);
    part[get_global_id(0)] = in[get_global_id(0)];
    int before = atomic_fetch_add_explicit(&done[group], 1, memory_order_acq_rel, memory_scope_work_group);
    if (before == size - 1) {
        int sum = 0;
        for (int i = 0; i < size; i++)
            sum += part[group * size + i];
        out[group] = sum;
    }
}

// The group that comes last, by the memory order alone.
kernel void last_group(global const int *in, global int *out, global atomic_int *done, global int *part)
{
    if (get_local_id(0) == 0) {
        part[get_group_id(0)] = in[get_global_id(0)];
        int before = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device);
        if (before == get_num_groups(0) - 1)
            out[0] = part[0] + part[1];
    }
}

kernel void told_too_early(global int *out, volatile global int *done, global int *part)
{
    if (get_local_id(0) == 0) {
        int group = get_group_id(0);
        part[group] = group + 5;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        int before = atomic_inc(done);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (before == get_num_groups(0) - 1) {
            out[0] = part[0] + part[1];
            // The next launch counts anew.
            *done = 0;
        }
    }
}

kernel void all_too_early(global int *out, volatile global int *done, global int *part)
{
    part[get_global_id(0)] = 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    int before = atomic_inc(done);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (before == get_global_size(0) - 1)
        out[0] = part[0] + part[63];
}

kernel void unlocked(global int *out, volatile global int *done, global int *part)
{
    if (get_local_id(0) == 0) {
        while (atomic_cmpxchg(done, 0, 1) != 0)
            ;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        part[0] += 2;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(done, 0);
    }
}

kernel void barrier_before(global int *out, volatile global int *done, global int *part)
{
    int group = get_group_id(0);
    if (get_local_id(0) == 0)
        part[group] = group + 5;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        int before = atomic_inc(done);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (before == get_num_groups(0) - 1)
            out[0] = part[0] + part[1];
    }
}

kernel void no_fence_behind(global int *out, volatile global int *done, global int *part)
{
    int group = get_group_id(0);
    if (get_local_id(0) == 0) {
        part[group] = group + 5;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        int before = atomic_inc(done);
        read_mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (before == get_num_groups(0) - 1)
            out[0] = part[0] + part[1];
    }
}

// All write, one counts for them, and all read.
kernel void others_writes(global const int *in, global int *out, volatile global int *done, global int *part)
{
    local int last;
    part[get_global_id(0)] = in[get_global_id(0)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        last = atomic_inc(done) == get_num_groups(0) - 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (last && get_local_id(0) < 2)
        out[get_local_id(0)] = part[63 - get_global_id(0)];
}

// The same with a fence of each, and a local counter instead of the first barrier.
kernel void counted_within(global const int *in, global int *out, volatile global int *done, global int *part)
{
    local int last, here;
    if (get_local_id(0) == 0)
        last = here = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    part[get_global_id(0)] = in[get_global_id(0)];
    mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (atomic_inc(&here) == get_local_size(0) - 1) {
        mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        last = atomic_inc(done) == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (last && get_local_id(0) < 2)
        out[get_local_id(0)] = part[63 - get_global_id(0)];
}
