/*
[[launch]]
global = 64
local = 64
args = { in = "[300]", out = "[300]:zero", bytes = "[300]:random(0,9)", words = "[300]:random(0,9)" }
*/

// A vector type at any element.
kernel void vector_load(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float4 v = *(global const float4 *)(in + gid); //~ TW106 no multiple of 16
    out[gid] = v.x + v.w;
}

kernel void vector_store(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    *(global float2 *)(out + 2 * gid + 1) = (float2)(in[gid]); //~ TW106
}

// A scalar in a packed stream of bytes.
kernel void from_bytes(global const uchar *bytes, global float *out)
{
    int gid = get_global_id(0);
    out[gid] = *(global const int *)(bytes + 3 * gid); //~ TW106 no multiple of 4
}

// In local memory.
kernel void in_local(global const float *in, global float *out)
{
    local float tile[68];
    int lid = get_local_id(0);
    tile[lid] = in[lid];
    if (lid < 4)
        tile[64 + lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 v = *(local float4 *)(tile + lid); //~ TW106
    out[lid] = v.x + v.y + v.z + v.w;
}
