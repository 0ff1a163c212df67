/*
[[launch]]
global = 128
local = 64
args = { keys = "[128]:random(0,16)", flags = "[2]:zero" }
*/

kernel void same_local(global const int *keys, global int *flags)
{
    local int found;
    if (get_local_id(0) == 0)
        found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keys[get_global_id(0)] < 12)
        found = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        flags[get_group_id(0)] = found;
}

kernel void same_global(global const int *keys, global int *flags)
{
    if (keys[get_global_id(0)] < 12)
        flags[0] = 1;
}

// Comments allow a finding on a line, on the next one, in a whole kernel.
kernel void allowed_line(global const int *keys, global int *flags)
{
    flags[0] += keys[get_global_id(0)]; // tilewise: allow TW102
}

kernel void allowed_next(global const int *keys, global int *flags)
{
    // A lossy counter is good enough here.
    // tilewise: allow TW101, TW102
    flags[0] += keys[get_global_id(0)];
}

// tilewise: allow TW102
kernel void allowed_kernel(global const int *keys, global int *flags)
{
    if (keys[get_global_id(0)] > 3) {
        flags[0] += keys[get_global_id(0)];
    }
}
