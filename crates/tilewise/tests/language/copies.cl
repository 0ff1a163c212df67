/*
[[launch]]
kernel = "contiguous"
global = 32
local = 8
args = { in = "[32]:iota", out = "[32]:zero" }

[[launch]]
kernel = "strided"
global = 16
local = 8
args = { in = "[64]:iota", out = "[64]:zero" }

[[launch]]
kernel = "of_vectors"
global = 16
local = 4
args = { in = "[16]:iota", out = "[16]:zero", threes = "[16]:iota", out3 = "[16]:zero" }

[[launch]]
kernel = "fences"
global = 16
local = 8
args = { in = "[16]:iota", out = "[16]:zero" }

[expect]
*/

kernel void contiguous(global const int *in, global int *out) {
    local int a[8], b[8];
    size_t first = get_group_id(0) * 8;
    event_t e = async_work_group_copy(a, in + first, 8, 0);
    wait_group_events(1, &e);
    int l = get_local_id(0);
    b[l] = a[7 - l] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t events[2];
    events[0] = async_work_group_copy(out + first, b, 4, 0);
    events[1] = async_work_group_copy(out + first + 4, b + 4, 4, 0);
    wait_group_events(2, events);
}

kernel void strided(global const int *in, global int *out) {
    local int a[8];
    size_t g = get_group_id(0);
    event_t e = async_work_group_strided_copy(a, in + g, 8, 3, 0);
    e = async_work_group_strided_copy(a, in + g + 32, 2, 5, e);
    wait_group_events(1, &e);
    prefetch(in + 32 + g, 8);
    int l = get_local_id(0);
    a[l] += l;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out + g * 32, a, 8, 4, 0);
    wait_group_events(1, &e);
}

kernel void of_vectors(global const float4 *in, global float4 *out,
                       global const short3 *threes, global short3 *out3) {
    local float4 a[4];
    local short3 b[4];
    size_t first = get_group_id(0) * 4;
    event_t e = async_work_group_copy(a, in + first, 4, 0);
    e = async_work_group_copy(b, threes + first, 4, e);
    wait_group_events(1, &e);
    int l = get_local_id(0), i = get_global_id(0);
    out[i] = a[3 - l].wzyx + (float)l;
    vstore3(b[3 - l].zyx, 0, (global short *)&out3[i]);
}

kernel void fences(global const int *in, global int *out) {
    local int a[8];
    int l = get_local_id(0), i = get_global_id(0);
    a[l] = in[i];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    read_mem_fence(CLK_GLOBAL_MEM_FENCE);
    write_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[i] = a[l ^ 1];
}
