/*
[[launch]]
global = 256
local = 64
args = { in = "[256]", out = "[256]:zero", given = "[64]" }
*/

kernel void large(global const float *in, global float *out)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[63 - lid];
}

kernel void too_large(global const float *in, global float *out)
{
    local float tile[1024];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[63 - lid];
}

// tilewise: allow TW204
kernel void not_allowed(global const float *in, global float *out)
{
    local float tile[10240];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[63 - lid];
}

kernel void given(global const float *in, global float *out, local float *given)
{
    int lid = get_local_id(0), gid = get_global_id(0);
    given[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = given[lid] + given[63 - lid];
}

kernel void together(global const float *in, global float *out, local float *given)
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    given[lid] = tile[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[63 - lid] + given[63 - lid];
}
