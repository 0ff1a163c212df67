/*
[[launch]]
global = 128
local = 64
args = { in = "[200]", out = "[128]:zero", tile = "local:f32[66]" }
*/

// The barrier between filling a tile and reading it is missing.
kernel void fill_then_read(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    tile[lid] = in[get_global_id(0)];
    out[get_global_id(0)] = tile[63 - lid]; //~ TW101 put barrier(CLK_LOCAL_MEM_FENCE) between
}

// A tile with a halo, given by the host.
kernel void halo(global const float *in, global float *out, local float *tile)
{
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid + 1] = in[gid + 1];
    if (lid == 0)
        tile[0] = in[gid];
    if (lid == 63)
        tile[65] = in[gid + 2];
    out[gid] = tile[lid] + tile[lid + 2]; //~ TW101
}

// The tile is filled anew while others still read the old one.
kernel void second_barrier(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        tile[lid] = in[k * 64 + lid]; //~ TW101 a second barrier(CLK_LOCAL_MEM_FENCE) is missing
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[63 - lid];
    }
    out[get_global_id(0)] = sum;
}

// A barrier that orders global memory leaves local memory unordered.
kernel void wrong_flag(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    tile[lid] = in[get_global_id(0)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = tile[63 - lid]; //~ TW101 the flag CLK_LOCAL_MEM_FENCE
}

// No flag at all.
kernel void no_flag(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    tile[lid] = in[get_global_id(0)];
    barrier(0);
    out[get_global_id(0)] = tile[63 - lid]; //~ TW101 this barrier orders no memory
}

// The barrier stands behind the first read.
kernel void too_late(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    tile[lid] = in[get_global_id(0)];
    float first = tile[lid ^ 1]; //~ TW101
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = first + tile[63 - lid];
}

// A memory fence orders one work-item's accesses and waits for nobody.
kernel void fence_only(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    tile[lid] = in[get_global_id(0)];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[63 - lid]; //~ TW101
}

// Only the store by one helper function, read by another.
float get(local const float *t, int i)
{
    return t[i]; //~ TW101 called from here
}
void put(local float *t, int i, float v)
{
    t[i] = v;
}
kernel void helpers(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    put(tile, lid, in[get_global_id(0)]);
    out[get_global_id(0)] = get(tile, 63 - lid);
}
