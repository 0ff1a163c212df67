/*
[[launch]]
global = 128
local = 64
args = { in = "[200]", out = "[130]:zero", idx = "[128]:random(0,64)", vecs = "[128]:zero" }
*/

kernel void halo_short(global const float *in, global float *out)
{
    local float tile[66];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    if (lid < 2)
        tile[lid + 64] = in[gid + 64];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[lid + 2];
}

kernel void stride_wrong(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (lid < 32) {
        tile[2 * lid] = in[gid];
        tile[2 * lid + 1] = in[gid + 32];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid];
}

kernel void guarded(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = gid < 100 ? in[gid] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[63 - lid];
}

kernel void counter(global const int *idx, global float *out)
{
    local int count;
    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (idx[get_global_id(0)] > 10)
        atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = count;
}

kernel void branches(global const float *in, global float *out)
{
    local float limit[2];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (lid < 2)
        limit[lid] = in[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[gid] > limit[1])
        out[gid] = 1;
}

kernel void addresses(global const float *in, global float *out)
{
    local int order[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    order[lid] = 63 - lid;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = in[order[lid]];
}

// The vector is copied whole; the components that are unset are not used.
kernel void one_component(global const float *in, global float *out)
{
    local float4 tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid].x = in[gid];
    tile[lid].y = 2 * in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 other = tile[63 - lid];
    out[gid] = other.x + other.y;
}

kernel void vector_out(global const float *in, global float4 *vecs)
{
    local float4 tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid].xyz = (float3)(in[gid]);
    tile[lid].w = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    vecs[gid] = tile[63 - lid];
}

kernel void carried(global const float *in, global float *out)
{
    local float a[64], b[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (lid != 5)
        a[lid] = in[gid];
    // An unset value may be moved about, as long as nobody uses it.
    b[lid] = a[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid != 58)
        out[gid] = b[63 - lid];
}

// Three components in memory of four.
kernel void three(global const float *in, global float *out)
{
    local float3 tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = (float3)(in[gid], 1, 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    float3 v = tile[63 - lid];
    out[gid] = v.x + v.y + v.z;
}
