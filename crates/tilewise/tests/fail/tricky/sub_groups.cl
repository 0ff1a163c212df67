/*
[[launch]]
global = 256
local = 64
build_options = "-cl-std=CL2.0"
args = { in = "[256]:random(1,9)", out = "[256]:zero", sums = "[8]:zero" }

[check]
device = "rx7900xtx"
*/

// The last sub-group's work without barriers, as was the custom once.
kernel void sub_group_tail(global const int *in, global int *sums)
{
    local int tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 32)
        tile[lid] += tile[lid + 32];
    for (int s = 16; s > 0; s >>= 1)
        if (lid < s)
            tile[lid] += tile[lid + s]; //~ TW101
    if (lid == 0)
        sums[get_group_id(0)] = tile[0];
}

kernel void sub_group_areas(global const int *in, global int *out)
{
    local int areas[2][32];
    int lane = get_sub_group_local_id(), me = get_sub_group_id(), gid = get_global_id(0);
    areas[me][lane] = in[gid];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = areas[1 - me][31 - lane]; //~ TW101
}
