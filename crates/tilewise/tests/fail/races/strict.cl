/*
[[launch]]
global = 128
local = 64
args = { keys = "[128]:random(0,16)", flags = "[2]:zero" }

[check]
strict = true
*/

// Work-items of one group write the same value to local memory.
kernel void same_local(global const int *keys, global int *flags)
{
    local int found;
    if (get_local_id(0) == 0)
        found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keys[get_global_id(0)] < 12)
        found = 1; //~ TW101 both write the same value
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        flags[get_group_id(0)] = found;
}

// Work-items of both groups write the same value.
kernel void same_global(global const int *keys, global int *flags)
{
    if (keys[get_global_id(0)] < 12)
        flags[0] = 1; //~ TW102 both write the same value
}
