/*
[[launch]]
global = 256
local = 64
args = { in = "[256]", out = "[256]:zero", given = "[16384]" }
*/

// A large tile for few work-items.
kernel void large(global const float *in, global float *out) //~ TW204 work-groups stay on a compute unit
{
    local float tile[10240];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[63 - lid];
}

// More than a work-group may have.
kernel void too_large(global const float *in, global float *out) //~ TW205 65536 B of local memory
{
    local float tile[16384];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[63 - lid];
}

// The source allows it in the kernel below, not here.
kernel void not_allowed(global const float *in, global float *out) //~ TW204
{
    local float tile[10240];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[lid] + tile[63 - lid];
}

// A tile that the host chose too large.
kernel void given(global const float *in, global float *out, local float *given) //~ TW205 65536 B of local memory
{
    int lid = get_local_id(0), gid = get_global_id(0);
    given[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = given[lid] + given[63 - lid];
}

// What the kernel declares comes on top of what the host gives.
kernel void together(global const float *in, global float *out, local float *given) //~ TW205 65792 B
{
    local float tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    given[lid] = tile[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tile[63 - lid] + given[63 - lid];
}
