/*
[[launch]]
global = 128
local = 64
args = { in = "[200]", out = "[130]:zero", idx = "[128]:random(0,64)", vecs = "[128]:zero" }
*/

// A halo of two, of which one is staged.
kernel void halo_short(global const float *in, global float *out)
{
    local float tile[66];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    if (lid == 0)
        tile[64] = in[gid + 64];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[lid + 2]; //~ TW105 stage one element more on that side
}

// The staging loop leaves every second element out.
kernel void stride_wrong(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (lid < 32)
        tile[2 * lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid]; //~ TW105 never writes
}

// A guard on the global index leaves the tile's rest unset.
kernel void guarded(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (gid < 100)
        tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[63 - lid]; //~ TW105
}

// A counter that nothing resets.
kernel void counter(global const int *idx, global float *out)
{
    local int count;
    if (idx[get_global_id(0)] > 10)
        atomic_inc(&count); //~ TW105 let one work-item set count
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = count;
}

// It decides a branch.
kernel void branches(global const float *in, global float *out)
{
    local float limit[2];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (lid == 0)
        limit[0] = in[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[gid] > limit[1]) //~ TW105 used here to decide
        out[gid] = 1;
}

// It is an index.
kernel void addresses(global const float *in, global float *out)
{
    local int order[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (lid < 63)
        order[lid] = 63 - lid;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = in[order[lid]]; //~ TW105 used here in an address
}

// One component of a vector.
kernel void one_component(global const float *in, global float *out)
{
    local float4 tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid].x = in[gid];
    tile[lid].y = 2 * in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 other = tile[63 - lid]; //~ TW105
    out[gid] = other.x + other.z;
}

// A vector that leaves with a component unset.
kernel void vector_out(global const float *in, global float4 *vecs)
{
    local float4 tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid].xyz = (float3)(in[gid]);
    barrier(CLK_LOCAL_MEM_FENCE);
    vecs[gid] = tile[63 - lid]; //~ TW105
}

// Carried from one tile to another.
kernel void carried(global const float *in, global float *out)
{
    local float a[64], b[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    if (lid != 5)
        a[lid] = in[gid];
    b[lid] = a[lid]; //~ TW105 reads a[5]
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = b[63 - lid];
}
