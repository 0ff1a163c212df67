/*
[[launch]]
global = 64
local = 64
args = { in = "[256]:random(0,200)", out = "[256]:zero", pos = "[64]", big = "[64]:zero", half_words = "[64]:zero" }
*/

kernel void bytes(global const uchar *in, global uchar *out)
{
    local uchar t[64];
    int lid = get_local_id(0);
    t[lid] = in[lid];
    out[lid] = t[lid];
}

kernel void component(global const float *pos, global float *big)
{
    local float4 t[16];
    int lid = get_local_id(0);
    // Four work-items write the components of one vector.
    if (lid < 16)
        t[lid].x = pos[lid];
    else if (lid < 32)
        t[lid - 16].y = pos[lid];
    else if (lid < 48)
        t[lid - 32].z = pos[lid];
    else
        t[lid - 48].w = pos[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    big[lid] = t[lid / 4].x + t[lid / 4].w;
}

kernel void whole_vector(global const float *pos, global float *big)
{
    local float4 t[16];
    int lid = get_local_id(0);
    if (lid < 16)
        t[lid] = (float4)(pos[lid]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid >= 16 && lid < 32)
        t[lid - 16].w = pos[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    big[lid] = t[lid & 15].w;
}

struct pair { double a, b; };
kernel void structures(global const float *pos, global float *big)
{
    local struct pair t[64];
    int lid = get_local_id(0);
    t[lid].a = pos[lid];
    t[lid].b = 2 * pos[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    struct pair other = t[63 - lid];
    big[lid] = other.a + other.b;
}

kernel void straddle(global const float *pos, global float *big)
{
    local float t[68];
    int lid = get_local_id(0);
    t[lid] = pos[lid];
    if (lid < 4)
        t[64 + lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 v = vload4(0, t + lid);
    big[lid] = v.x + v.y + v.z + v.w;
}

kernel void shorts(global const float *pos, global ushort *half_words)
{
    int lid = get_local_id(0);
    half_words[lid] = pos[lid] * 10;
    barrier(CLK_GLOBAL_MEM_FENCE);
    half_words[63 - lid] += 1;
}
