/*
[[launch]]
kernel = "half_of_the_group"
global = 64
local = 64
build_options = "-cl-std=CL2.0"
args = { out = "[64]:zero" }

[[launch]]
kernel = "some_returned"
global = 128
local = 128
build_options = "-cl-std=CL2.0"
args = { out = "[128]:zero" }

[[launch]]
kernel = "iterations_differ"
global = 128
local = 128
build_options = "-cl-std=CL2.0"
args = { out = "[128]:zero" }

[expect]
fault = "BarrierDivergence"
*/

kernel void half_of_the_group(global int *out) {
    int sum = 0;
    if (get_local_id(0) < 32)
        sum = work_group_reduce_add(1);
    out[get_global_id(0)] = sum;
}

kernel void some_returned(global int *out) {
    if (get_local_id(0) > 100)
        return;
    out[get_global_id(0)] = work_group_any(get_local_id(0) == 3);
}

kernel void iterations_differ(global int *out) {
    int sum = 0;
    for (uint i = 0; i < 2 + get_local_id(0) / 64; i++)
        sum += work_group_reduce_add(1);
    out[get_global_id(0)] = sum;
}
