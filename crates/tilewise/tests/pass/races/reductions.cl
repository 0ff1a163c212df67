/*
[[launch]]
global = 128
local = 64
args = { in = "[128]", out = "[2]:zero", hist = "[16]:zero", keys = "[128]:random(0,16)", flags = "[2]:zero" }
*/

kernel void tree(global const float *in, global float *out)
{
    local float s[64];
    int lid = get_local_id(0);
    s[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 32; d > 0; d >>= 1) {
        if (lid < d)
            s[lid] += s[lid + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        out[get_group_id(0)] = s[0];
}

kernel void lockstep(global const float *in, global float *out)
{
    local volatile float s[64];
    int lid = get_local_id(0);
    s[lid] = in[get_global_id(0)];
    for (int d = 32; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d)
            s[lid] += s[lid + d];
    }
    if (lid == 0)
        out[get_group_id(0)] = s[0];
}

kernel void scan(global const float *in, global float *out)
{
    local float s[64];
    int lid = get_local_id(0);
    s[lid] = in[get_global_id(0)];
    for (int d = 1; d < 64; d <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        float left = lid >= d ? s[lid - d] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        s[lid] += left;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 63)
        out[get_group_id(0)] = s[63];
}

kernel void histogram(global const int *keys, global int *hist)
{
    local int h[16];
    int lid = get_local_id(0);
    if (lid < 16)
        h[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&h[keys[get_global_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 16)
        atomic_add(&hist[lid], h[lid]);
}

kernel void mixed(global const int *keys, global int *flags)
{
    local int count;
    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keys[get_global_id(0)] > 3)
        atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        flags[get_group_id(0)] = count;
}

kernel void late_start(global const int *keys, global int *flags)
{
    local int count;
    if (get_local_id(0) == 40)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&count, keys[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        flags[get_group_id(0)] = count;
}

kernel void last_wins(global const float *in, global float *out)
{
    local float last;
    if (get_local_id(0) == 63)
        last = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = last;
}

kernel void broadcast(global const float *in, global float *out)
{
    local float head;
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        if (get_local_id(0) == 0)
            head = in[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += head;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}

// All write the same value: a race by the letter, told with --strict only.
kernel void same_value(global const int *keys, global int *flags)
{
    local int found;
    if (get_local_id(0) == 0)
        found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keys[get_global_id(0)] == 7)
        found = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        flags[get_group_id(0)] = found;
}
