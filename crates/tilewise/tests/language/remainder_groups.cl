/*
[[launch]]
kernel = "remainders"
global = "10x7"
local = "4x3"
offset = "2,1"
build_options = "-cl-std=CL3.0"
args = { out = "[420]:zero" }

[expect]
simulator_only = "PoCL has groups of one size only"
values.out = [2, 21, 43, 2201, 33, 1107]
*/

kernel void remainders(global int *out) {
    local int members;
    if (get_local_id(0) + get_local_id(1) == 0)
        members = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&members);
    barrier(CLK_LOCAL_MEM_FENCE);
    // The last work-item, of the smallest group, comes first.
    size_t n = 69 - get_global_linear_id();
    out[6 * n] = members;
    out[6 * n + 1] = (int)(get_local_size(0) * 10 + get_local_size(1));
    out[6 * n + 2] = (int)(get_enqueued_local_size(0) * 10 + get_enqueued_local_size(1));
    out[6 * n + 3] = (int)(get_local_linear_id() + 100 * get_group_id(0) + 1000 * get_group_id(1));
    out[6 * n + 4] = (int)(get_num_groups(0) * 10 + get_num_groups(1));
    out[6 * n + 5] = (int)(get_global_id(0) * 100 + get_global_id(1));
}
