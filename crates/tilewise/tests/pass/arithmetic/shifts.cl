/*
[[launch]]
global = 64
local = 64
args = { in = "[64]:random(1,9)", out = "[64]:zero", n = 40, wide = "[64]:zero" }

[check]
strict = true
*/

kernel void by_width(global int *out)
{
    int gid = get_global_id(0);
    out[gid] = gid < 32 ? (1 << gid) - 1 : -1;
}

kernel void by_argument(global const int *in, global int *out, int n)
{
    int gid = get_global_id(0);
    out[gid] = in[gid] >> (n & 31);
}

kernel void by_less_than_none(global const int *in, global int *out)
{
    int gid = get_global_id(0), n = 2 - in[gid] % 4;
    out[gid] = n < 0 ? in[gid] >> -n : in[gid] << n;
}

kernel void widened_too_late(global const int *in, global ulong *wide)
{
    int gid = get_global_id(0);
    wide[gid] = (ulong)in[gid] << gid;
}

kernel void of_bytes(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    uchar2 v = (uchar2)(1, 2) << (uchar2)(4, gid & 7);
    out[gid] = v.x + v.y;
}

kernel void compound(global int *out, int n)
{
    int gid = get_global_id(0);
    uint bits = gid;
    bits <<= min(n - gid / 2, 31);
    out[gid] = bits;
}

kernel void constant_count(global const int *in, global ulong *wide)
{
    int gid = get_global_id(0);
    wide[gid] = (ulong)in[gid] << 32;
}

#define PAGE_BITS 24
kernel void constant_sum(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    out[gid] = (ulong)in[gid] >> (PAGE_BITS + 12);
}

// Rotations and builtins shift by what they like.
kernel void rotations(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    out[gid] = rotate(in[gid], gid) + (in[gid] << 31) + upsample((short)gid, (ushort)gid);
}
