/*
[[launch]]
global = 128
local = 64
args = { in = "[200]", out = "[128]:zero", tile = "local:f32[66]" }
*/

kernel void fill_then_read(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    tile[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[63 - lid];
}

kernel void halo(global const float *in, global float *out, local float *tile)
{
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid + 1] = in[gid + 1];
    if (lid == 0)
        tile[0] = in[gid];
    if (lid == 63)
        tile[65] = in[gid + 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[lid + 2];
}

kernel void second_barrier(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        tile[lid] = in[k * 64 + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[63 - lid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}

kernel void wrong_flag(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    tile[lid] = in[get_global_id(0)];
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[63 - lid];
}

kernel void no_flag(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    tile[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    barrier(0);
    out[get_global_id(0)] = tile[63 - lid];
}

kernel void too_late(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    tile[lid] = in[get_global_id(0)];
    float first = tile[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = first + tile[63 - lid];
}

kernel void fence_only(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    tile[lid] = in[get_global_id(0)];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[lid];
}

float get(local const float *t, int i)
{
    return t[i];
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
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = get(tile, 63 - lid);
}

// Two tiles in turn need one barrier per step.
kernel void double_buffer(global const float *in, global float *out)
{
    local float tile[2][64];
    int lid = get_local_id(0);
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        tile[k & 1][lid] = in[k * 64 + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[k & 1][63 - lid];
    }
    out[get_global_id(0)] = sum;
}

// A guarded load that an optimiser would run ahead of its guard.
kernel void speculated(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0);
    if (lid < 32)
        tile[lid] = in[get_global_id(0)];
    float mine = lid >= 32 ? 0.0f : tile[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid >= 32)
        tile[lid] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[63 - lid];
}
