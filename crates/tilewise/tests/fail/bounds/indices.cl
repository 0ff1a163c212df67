/*
[[launch]]
global = 128
local = 64
args = { in = "[128]", out = "[128]:zero", bins = "[16]:zero", next = "[64]:random(0,64)", keys = "[128]:random(0,256)" }
*/

// More is pushed than there is room for; generated values are on the stack, but none
// of them is an index.
kernel void pushes(global const int *in, global int *out)
{
    local int top, stack[32];
    int lid = get_local_id(0);
    if (lid == 0)
        top = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    stack[atomic_inc(&top)] = in[get_global_id(0)]; //~ TW104 writes stack[32], 1 element past its end (length 32)
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 32)
        out[get_global_id(0)] = stack[lid];
}

// A remainder is what bounds the index, and it is one too large.
kernel void one_bin_too_many(global const int *in, global int *bins)
{
    atomic_inc(&bins[(in[get_global_id(0)] & 0xffff) % 17]); //~ TW104 updates bins[16], 1 element past its end (length 16)
}

// The values were chosen by whoever gave their range.
kernel void successor(global const int *next, global int *out)
{
    int at = next[get_local_id(0)];
    out[get_global_id(0)] = next[at + 1]; //~ TW104 reads next[64], 1 element past its end (length 64)
}

// An index that a table of the kernel holds.
constant int order[4] = {0, 2, 4, 1};
kernel void table(global const int *in, global int *out)
{
    int picked[4];
    for (int i = 0; i < 4; i++)
        picked[i] = in[get_global_id(0)];
    int at = order[get_local_id(0) & 3];
    out[get_global_id(0)] = picked[at]; //~ TW104 reads picked[4], 1 element past its end (length 4)
}

// Digits are kept in local memory, and their positions are one too far.
kernel void scatter(global const int *keys, global int *out)
{
    local int count[17];
    int lid = get_local_id(0);
    if (lid < 17)
        count[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count[(keys[get_global_id(0)] & 15) + 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        for (int i = 1; i < 17; i++)
            count[i] += count[i - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    int at = atomic_inc(&count[keys[get_global_id(0)] & 15]) + 1;
    out[get_group_id(0) * 64 + at] = lid; //~ TW104 writes out[128], 1 element past its end (length 128)
}
