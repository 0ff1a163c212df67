/*
[[launch]]
global = 64
local = 32
args = { in = "[64]:random(0,9)", out = "[2]:zero", done = "[2]:zero", part = "[64]:zero" }
build_options = "-cl-std=CL2.0"
*/

// A lock that nobody looks at protects nothing.
kernel void lock_local(global const int *in, global int *out)
{
    local int lock, total;
    if (get_local_id(0) == 0) {
        lock = 0;
        total = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_cmpxchg(&lock, 0, 1);
    mem_fence(CLK_LOCAL_MEM_FENCE);
    total += in[get_global_id(0)]; //~ TW101
    mem_fence(CLK_LOCAL_MEM_FENCE);
    atomic_xchg(&lock, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = total;
}

// Counted before its part is written.
kernel void last_item(global const int *in, global int *out, volatile global int *done, global int *part)
{
    int group = get_group_id(0), size = get_local_size(0);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    int before = atomic_inc(&done[group]);
    part[get_global_id(0)] = in[get_global_id(0)];
    if (before == size - 1) {
        int sum = 0;
        for (int i = 0; i < size; i++)
            sum += part[group * size + i]; //~ TW102
        out[group] = sum;
    }
}

// A relaxed atomic orders nothing else.
kernel void by_order(global const int *in, global int *out, global atomic_int *done, global int *part)
{
    int group = get_group_id(0), size = get_local_size(0);
    part[get_global_id(0)] = in[get_global_id(0)];
    int before = atomic_fetch_add_explicit(&done[group], 1, memory_order_relaxed, memory_scope_work_group);
    if (before == size - 1) {
        int sum = 0;
        for (int i = 0; i < size; i++)
            sum += part[group * size + i]; //~ TW102
        out[group] = sum;
    }
}

// Nor between groups.
kernel void last_group(global const int *in, global int *out, global atomic_int *done, global int *part)
{
    if (get_local_id(0) == 0) {
        part[get_group_id(0)] = in[get_global_id(0)];
        int before = atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device);
        if (before == get_num_groups(0) - 1)
            out[0] = part[0] + part[1]; //~ TW102
    }
}

// Written behind the atomic that tells others of it.
kernel void told_too_early(global int *out, volatile global int *done, global int *part)
{
    if (get_local_id(0) == 0) {
        int group = get_group_id(0);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        int before = atomic_inc(done);
        part[group] = group + 5;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (before == get_num_groups(0) - 1)
            out[0] = part[0] + part[1]; //~ TW102
    }
}

// Each work-item is late, and others of its group make atomics after it.
kernel void all_too_early(global int *out, volatile global int *done, global int *part)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    int before = atomic_inc(done);
    part[get_global_id(0)] = before;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (before == get_global_size(0) - 1)
        out[0] = part[0] + part[63]; //~ TW102
}

// Behind the end of the lock.
kernel void unlocked(global int *out, volatile global int *done, global int *part)
{
    if (get_local_id(0) == 0) {
        while (atomic_cmpxchg(done, 0, 1) != 0)
            ;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        part[0] += 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(done, 0);
        part[0] += 1; //~ TW102
    }
}

// A barrier before the write is no fence between the write and the atomic.
kernel void barrier_before(global int *out, volatile global int *done, global int *part)
{
    int group = get_group_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        part[group] = group + 5;
        int before = atomic_inc(done);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (before == get_num_groups(0) - 1)
            out[0] = part[0] + part[1]; //~ TW102 between the write and the atomic
    }
}

// The reading side needs a fence as well.
kernel void no_fence_behind(global int *out, volatile global int *done, global int *part)
{
    int group = get_group_id(0);
    if (get_local_id(0) == 0) {
        part[group] = group + 5;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        int before = atomic_inc(done);
        if (before == get_num_groups(0) - 1)
            out[0] = part[0] + part[1]; //~ TW102 between the atomic and the read
    }
}

// The barrier orders local memory, and the fence is of one work-item alone.
kernel void others_writes(global const int *in, global int *out, volatile global int *done, global int *part)
{
    local int last;
    part[get_global_id(0)] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(done) == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (last && get_local_id(0) < 2)
        out[get_local_id(0)] = part[63 - get_global_id(0)]; //~ TW102
}
