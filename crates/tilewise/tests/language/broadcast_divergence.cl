/*
[[launch]]
kernel = "different_work_items"
global = 64
local = 64
build_options = "-cl-std=CL2.0"
args = { out = "[64]:zero" }

[expect]
fault = "BroadcastDivergence"
*/

kernel void different_work_items(global int *out) {
    uint l = get_local_id(0);
    out[get_global_id(0)] = work_group_broadcast((int)l, l / 32);
}
