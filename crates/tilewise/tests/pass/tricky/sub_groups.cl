/*
[[launch]]
global = 256
local = 64
build_options = "-cl-std=CL2.0"
args = { in = "[256]:random(1,9)", out = "[256]:zero", sums = "[8]:zero" }

[check]
device = "rx7900xtx"
*/

// The last sub-group's work with barriers of the sub-group.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void sub_group_tail(global const int *in, global int *sums)
{
    local int tile[64];
    int lid = get_local_id(0), gid = get_global_id(0);
    tile[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 32) {
        tile[lid] += tile[lid + 32];
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        for (int s = 16; s > 0; s >>= 1) {
            int other = lid < s ? tile[lid + s] : 0;
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            if (lid < s)
                tile[lid] += other;
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    if (lid == 0)
        sums[get_group_id(0)] = tile[0];
}

// An area of a tile for each sub-group, which needs no barrier of the group.
kernel void sub_group_areas(global const int *in, global int *out)
{
    local int areas[2][32];
    int lane = get_sub_group_local_id(), me = get_sub_group_id(), gid = get_global_id(0);
    areas[me][lane] = in[gid];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = areas[me][31 - lane];
}
