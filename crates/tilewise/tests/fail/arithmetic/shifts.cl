/*
[[launch]]
global = 64
local = 64
args = { in = "[64]:random(1,9)", out = "[64]:zero", n = 40, wide = "[64]:zero" }

[check]
strict = true
*/

// The bits of a mask for the 32 lanes of a sub-group and one more.
kernel void by_width(global int *out)
{
    int gid = get_global_id(0);
    out[gid] = (1 << gid) - 1; //~ TW107 shifts a value of 32 bits by 32: OpenCL C takes the count modulo 32, so this shifts by 0
}

kernel void by_argument(global const int *in, global int *out, int n)
{
    int gid = get_global_id(0);
    out[gid] = in[gid] >> n; //~ TW107 by 40
}

kernel void by_less_than_none(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    out[gid] = in[gid] << (2 - in[gid] % 4); //~ TW107 by -1
}

// The left operand gives the width: it is an int, whatever takes the result.
kernel void widened_too_late(global const int *in, global ulong *wide)
{
    int gid = get_global_id(0);
    wide[gid] = in[gid] << gid; //~ TW107 more bits
}

// A vector's components keep their type.
kernel void of_bytes(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    uchar2 v = (uchar2)(1, 2) << (uchar2)(4, gid & 15); //~ TW107 a value of 8 bits
    out[gid] = v.x + v.y;
}

kernel void compound(global int *out, int n)
{
    int gid = get_global_id(0);
    uint bits = gid;
    bits <<= n - gid / 2; //~ TW107
    out[gid] = bits;
}

// Counts that are constants are part of no instruction.
kernel void constant_count(global const int *in, global ulong *wide)
{
    int gid = get_global_id(0);
    wide[gid] = in[gid] << 32; //~ TW107 shifts a value of 32 bits by 32
}

#define PAGE_BITS 24
kernel void constant_sum(global const int *in, global int *out)
{
    int gid = get_global_id(0);
    out[gid] = (uint)in[gid] >> (PAGE_BITS + 12); //~ TW107 by 36
}
