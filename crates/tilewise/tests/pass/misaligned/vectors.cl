/*
[[launch]]
global = 64
local = 64
args = { in = "[300]", out = "[300]:zero", bytes = "[300]:random(0,9)", words = "[300]:random(0,9)" }
*/

kernel void vector_load(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    float4 v = vload4(0, in + gid);
    float4 w = *(global const float4 *)(in + 4 * gid);
    out[gid] = v.x + w.w;
}

kernel void vector_store(global const float *in, global float *out)
{
    int gid = get_global_id(0);
    vstore2((float2)(in[gid]), gid, out + 1);
}

kernel void from_bytes(global const uchar *bytes, global float *out)
{
    int gid = get_global_id(0);
    uchar4 b = vload4(0, bytes + 3 * gid);
    out[gid] = as_int(b);
}

kernel void in_local(global const float *in, global float *out)
{
    local float tile[68];
    int lid = get_local_id(0);
    tile[lid] = in[lid];
    if (lid < 4)
        tile[64 + lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 v = vload4(0, tile + lid);
    out[lid] = v.x + v.y + v.z + v.w;
}
