/*
[[launch]]
global = 128
local = 64
args = { in = "[128]", out = "[2]:zero", hist = "[16]:zero", keys = "[128]:random(0,16)", flags = "[2]:zero" }
*/

// Interleaved addressing without a barrier in the loop.
kernel void tree(global const float *in, global float *out)
{
    local float s[64];
    int lid = get_local_id(0);
    s[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 32; d > 0; d >>= 1)
        if (lid < d)
            s[lid] += s[lid + d]; //~ TW101
    if (lid == 0)
        out[get_group_id(0)] = s[0];
}

// The last steps rely on a sub-group running in lockstep.
kernel void lockstep(global const float *in, global float *out)
{
    local volatile float s[64];
    int lid = get_local_id(0);
    s[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 32) {
        s[lid] += s[lid + 32];
        s[lid] += s[lid + 16]; //~ TW101 OpenCL promises no lockstep
        s[lid] += s[lid + 8]; //~ TW101
        s[lid] += s[lid + 4]; //~ TW101
        s[lid] += s[lid + 2]; //~ TW101
        s[lid] += s[lid + 1]; //~ TW101
    }
    if (lid == 0)
        out[get_group_id(0)] = s[0];
}

// In-place scan: read and write in one step.
kernel void scan(global const float *in, global float *out)
{
    local float s[64];
    int lid = get_local_id(0);
    s[lid] = in[get_global_id(0)];
    for (int d = 1; d < 64; d <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid >= d)
            s[lid] += s[lid - d]; //~ TW101
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 63)
        out[get_group_id(0)] = s[63];
}

// A histogram without atomics.
kernel void histogram(global const int *keys, global int *hist)
{
    local int h[16];
    int lid = get_local_id(0);
    if (lid < 16)
        h[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    h[keys[get_global_id(0)]]++; //~ TW101
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 16)
        atomic_add(&hist[lid], h[lid]);
}

// One work-item reads a counter that others still raise.
kernel void mixed(global const int *keys, global int *flags)
{
    local int count;
    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keys[get_global_id(0)] > 3)
        atomic_inc(&count);
    if (get_local_id(0) == 0)
        flags[get_group_id(0)] = count; //~ TW101 one of the two is atomic
}

// The start value is written while others already count.
kernel void late_start(global const int *keys, global int *flags)
{
    local int count;
    if (get_local_id(0) == 40)
        count = 0;
    atomic_add(&count, keys[get_global_id(0)]); //~ TW101
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        flags[get_group_id(0)] = count;
}

// All write their own value to one place.
kernel void last_wins(global const float *in, global float *out)
{
    local float last;
    last = in[get_global_id(0)]; //~ TW101 let one work-item do it
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = last;
}

// A result that is read by all while one work-item clears it for the next turn.
kernel void broadcast(global const float *in, global float *out)
{
    local float head;
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        if (get_local_id(0) == 0)
            head = in[k]; //~ TW101 a second barrier
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += head;
    }
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}
