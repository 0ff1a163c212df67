/*
[[launch]]
global = 128
local = 64
args = { in = "[128]:random(0,9)", out = "[2]:zero", done = "[1]:zero", part = "[128]:zero" }
build_options = "-cl-std=CL2.0"

[check]
device = "rx7900xtx"
*/

// One work-item of each sub-group counts for the others.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void by_sub_group(global const int *in, global int *out, volatile global int *done, global int *part)
{
    part[get_global_id(0)] = in[get_global_id(0)];
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    int before = sub_group_all(1);
    if (get_sub_group_local_id() == 0)
        before = atomic_inc(done);
    before = sub_group_broadcast(before, 0);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (before == get_num_groups(0) * get_num_sub_groups() - 1 && get_sub_group_local_id() < 2)
        out[get_sub_group_local_id()] = part[get_sub_group_local_id()];
}
