/*
[[launch]]
global = 512
local = 128
args = { in = "[1024]", out = "[512]:zero", sums = "[4]:zero", idx = "[512]:random(0,128)", n = 4, one = 1 }
*/

kernel void own_element(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    out[gid] = 2 * in[gid];
}

kernel void own_in_a_loop(global const float *in, global float *out, int n)
{
    int gid = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++) {
        int i = gid + 128 * k;
        sum += i < 1000 ? in[i] : 0.0f;
    }
    out[gid] = sum;
}

kernel void twice(global const float *in, global float *out)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[127 - lid];
}

kernel void at_the_end(global const float *in, global float *out)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[127 - lid];
}

kernel void between_reads(global const float *in, global float *out)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    float v = tile[127 - lid];
    out[gid] = v + tile[lid ^ 1];
}

// Read once, but by another work-item: it may be there for the order.
kernel void reversed(global const float *in, global float *out)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[127 - lid];
}

// Scratch space of each work-item's own, which is no staging.
kernel void scratch(global const float *in, global float *out)
{
    local float own[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    own[lid] = in[gid] * in[gid + 1];
    out[gid] = own[lid];
}

// The loop comes round once in this launch, and the second barrier would order
// what a second turn does.
kernel void one_turn(global const float *in, global float *out, int one)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < one; k++) {
        tile[lid] = in[gid + 128 * k];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[127 - lid] + tile[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = sum;
}

// A tree: each step reads what the one before wrote.
kernel void tree(global const float *in, global float *sums)
{
    local float s[128];
    int lid = get_local_id(0);
    s[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 64; d > 0; d >>= 1) {
        if (lid < d)
            s[lid] += s[lid + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = s[0];
}

// Two tiles in turn need one barrier for each step.
kernel void ping_pong(global const float *in, global float *out, int n)
{
    local float a[128], b[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    local float *from = a, *to = b;
    a[lid] = in[gid];
    for (int k = 0; k < n; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        to[lid] = 0.5f * (from[lid] + from[(lid + 1) & 127]);
        local float *other = from;
        from = to;
        to = other;
    }
    out[gid] = from[lid];
}

// Which elements are read is up to the data.
kernel void by_data(global const float *in, global const int *idx, global float *out)
{
    local float tile[128];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[idx[gid]];
}

// Global memory is handed on within a group.
kernel void through_global(global const float *in, global float *out)
{
    int lid = get_local_id(0), gid = get_global_id(0);
    out[gid] = in[gid];
    barrier(CLK_GLOBAL_MEM_FENCE);
    float v = out[gid - lid + 127 - lid];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[gid] = v;
}

// One work-item writes for all.
kernel void broadcast(global const float *in, global float *out)
{
    local float head;
    if (get_local_id(0) == 0)
        head = in[get_group_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = head;
}
