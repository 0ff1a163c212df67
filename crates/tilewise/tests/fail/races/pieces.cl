/*
[[launch]]
global = 64
local = 64
args = { in = "[256]:random(0,200)", out = "[256]:zero", pos = "[64]", big = "[64]:zero", half_words = "[64]:zero" }
*/

// Bytes: the neighbour's byte of the same word.
kernel void bytes(global const uchar *in, global uchar *out)
{
    local uchar t[64];
    int lid = get_local_id(0);
    t[lid] = in[lid];
    out[lid] = t[lid ^ 1]; //~ TW101
}

// One component of a vector, written by one work-item and read by another.
kernel void component(global const float *pos, global float *big)
{
    local float4 t[16];
    int lid = get_local_id(0);
    if (lid < 16)
        t[lid].x = pos[lid];
    if (lid < 15)
        big[lid] = t[lid + 1].x; //~ TW101
}

// A whole vector is written over a component that another writes.
kernel void whole_vector(global const float *pos, global float *big)
{
    local float4 t[16];
    int lid = get_local_id(0);
    if (lid < 16)
        t[lid] = (float4)(pos[lid]);
    else if (lid < 32)
        t[lid - 16].w = pos[lid]; //~ TW101
    barrier(CLK_LOCAL_MEM_FENCE);
    big[lid] = t[lid & 15].w;
}

// Doubles of a structure: the second half is read too early.
struct pair { double a, b; };
kernel void structures(global const float *pos, global float *big)
{
    local struct pair t[64];
    int lid = get_local_id(0);
    t[lid].a = pos[lid];
    t[lid].b = 2 * pos[lid];
    struct pair other = t[63 - lid]; //~ TW101
    big[lid] = other.a + other.b;
}

// A vector is read across two that others store.
kernel void straddle(global const float *pos, global float *big)
{
    local float t[68];
    int lid = get_local_id(0);
    t[lid] = pos[lid];
    if (lid < 4)
        t[64 + lid] = 0;
    float4 v = vload4(0, t + lid); //~ TW101
    big[lid] = v.x + v.y + v.z + v.w;
}

// Shorts, in global memory.
kernel void shorts(global const float *pos, global ushort *half_words)
{
    int lid = get_local_id(0);
    half_words[lid] = pos[lid] * 10;
    half_words[63 - lid] += 1; //~ TW102
}
